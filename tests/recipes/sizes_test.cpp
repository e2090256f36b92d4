// Sizes of dynamic dimensions, asked of the runtime, and programs compared at more than one set of them.
#include "recipes/sizes.h"

#include <gtest/gtest.h>
#include <onnx-ml.pb.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string_view>

#include "formats/onnx.h"
#include "ir/op_table.h"
#include "ir/print.h"
#include "recipes/trial.h"
#include "support/errors.h"
#include "support/progress.h"

namespace isomer::recipes {
namespace {
namespace fs = std::filesystem;

class SizesInTheRuntime : public testing::Test {
 protected:
  void SetUp() override {
    try {
      runtime_.info();
    } catch (const MissingRuntimeError& error) {
      GTEST_SKIP() << error.what();
    }
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  /// x: f32[seq]
  ir::ValueId signal(ir::Builder& b) const {
    return b.input("x",
                   b.context().tensor_type(ir::DType::kF32, {ir::Dim::symbol(b.context().symbol("seq"))}));
  }
  /// x: f32[batch,seq], as the models of with_rows() have it.
  ir::Graph tokens() {
    ir::Builder b(ctx_);
    const auto symbol = [&](const char* name) { return ir::Dim::symbol(ctx_.symbol(name)); };
    return b.finish(
        {b.add("relu", {b.input("x", ctx_.tensor_type(ir::DType::kF32, {symbol("batch"), symbol("seq")}))})});
  }
  /// A file of op(x, c), c: f32[rows,1], which our types call impossible for some batches.
  std::string with_rows(const char* op, int64_t rows) const {
    onnx::ModelProto model;
    model.set_ir_version(8);
    model.add_opset_import()->set_version(17);
    onnx::GraphProto& graph = *model.mutable_graph();
    graph.set_name("g");
    const auto declare = [](onnx::ValueInfoProto& value, const char* name) {
      value.set_name(name);
      value.mutable_type()->mutable_tensor_type()->set_elem_type(onnx::TensorProto::FLOAT);
      return value.mutable_type()->mutable_tensor_type();
    };
    auto& x = *declare(*graph.add_input(), "x")->mutable_shape();
    for (const char* name : {"batch", "seq"}) x.add_dim()->set_dim_param(name);
    auto& c = *declare(*graph.add_input(), "c")->mutable_shape();
    for (const int64_t size : {rows, int64_t{1}}) c.add_dim()->set_dim_value(size);
    declare(*graph.add_output(), "y");
    onnx::NodeProto& node = *graph.add_node();
    node.set_op_type(op);
    for (const char* name : {"x", "c"}) node.add_input(name);
    node.add_output("y");
    if (std::string_view(op) == "Concat") {
      onnx::AttributeProto& axis = *node.add_attribute();
      axis.set_name("axis");
      axis.set_type(onnx::AttributeProto::INT);
      axis.set_i(1);
    }
    const std::string path = (folder_ / (std::string(op) + ".onnx")).string();
    std::ofstream file(path, std::ios::binary);
    EXPECT_TRUE(model.SerializeToOstream(&file));
    return path;
  }
  std::string write(const std::string& name, const ir::Graph& graph) const {
    const std::string path = (folder_ / (name + ".onnx")).string();
    formats::write_onnx(graph, *formats::OnnxEnvelope::plain(graph), path);
    return path;
  }

  ir::Context ctx_{ir::standard_ops()};
  runtime::OnnxRuntime runtime_;
  fs::path folder_ = fs::temp_directory_path() / ("isomer-sizes-" + std::to_string(::getpid()));
};

TEST_F(SizesInTheRuntime, AProgramThatIsRightAtOneSizeOnlyIsFoundToDiffer) {
  ir::Builder twice(ctx_), once(ctx_);
  const ir::ValueId x = signal(twice);
  const ir::Graph original = twice.finish({twice.add("add", {x, x})});
  // Twice x where there are 64 of them.
  const ir::ValueId y = signal(once);
  const ir::ValueId usual =
      once.add("equal", {once.add("shape", {y}, {{"start", int64_t{0}}, {"end", int64_t{1}}}),
                         once.constant(ir::DType::kI64, {1}, {64})});
  const ir::ValueId factor = once.add("cast", {usual}, {{"to", static_cast<int64_t>(ir::DType::kF32)}});
  const ir::ValueId more =
      once.add("mul", {y, once.add("broadcast", {factor}, {{"shape", once.type(y).shape}})});
  const ir::Graph wrong = once.finish({once.add("add", {y, more})});
  const std::string a = write("twice", original), b = write("once", wrong);

  for (const bool others : {false, true}) {
    TrialOptions options;
    options.inputs.dims = {{"seq", 64}};
    options.sizes = {options.inputs.dims};
    if (others) options.sizes.push_back(options.other_inputs.dims = {{"seq", 40}});
    Trial trial(std::make_shared<runtime::OnnxRuntime>(), options, Deadline(), silent_progress());
    const Compared seen = trial.compare(a, b, Deadline());
    EXPECT_EQ(seen.agreement, others ? Agreement::kDiffer : Agreement::kAgree) << seen.how;
    EXPECT_EQ(seen.sizes, (std::vector{options.inputs.dims})) << "where they agree";
    EXPECT_EQ(seen.how.find("at seq=40") != std::string::npos, others) << seen.how;
  }
}

TEST_F(SizesInTheRuntime, AProgramThatIsWrongInABranchThatIsSeldomTakenIsFoundToDiffer) {
  const auto program = [&](double otherwise) {
    ir::Builder b(ctx_);
    const ir::ValueId x = b.input("x", ctx_.tensor_type(ir::DType::kF32, ir::static_shape({4})));
    const ir::ValueId rate = b.input("rate", ctx_.tensor_type(ir::DType::kI64, ir::static_shape({1})));
    const ir::ValueId usual = b.add("equal", {rate, b.constant(ir::DType::kI64, {1}, {16000})});
    const ir::ValueId by = b.add("where", {usual, b.constant(ir::DType::kF32, {1}, {2}),
                                           b.constant(ir::DType::kF32, {1}, {otherwise})});
    return b.finish({b.add("mul", {x, b.add("broadcast", {by}, {{"shape", b.type(x).shape}})})});
  };
  const std::string a = write("three", program(3)), b = write("four", program(4));
  for (const bool others : {false, true}) {
    TrialOptions options;
    options.inputs.bounds = {{"rate", {16000, 16001, {16000}}}};
    if (others) options.branches = {{{"rate", {16001, 16002, {16001}}}}};
    Trial trial(std::make_shared<runtime::OnnxRuntime>(), options, Deadline(), silent_progress());
    const Compared seen = trial.compare(a, b, Deadline());
    EXPECT_EQ(seen.agreement, others ? Agreement::kDiffer : Agreement::kAgree) << seen.how;
    EXPECT_EQ(seen.how.find("where rate is 16001") != std::string::npos, others) << seen.how;
  }
}

TEST_F(SizesInTheRuntime, OfAModelThatRunsAtAllAreTheLikeliestAndOthers) {
  ir::Builder b(ctx_);
  const ir::Graph graph = b.finish({b.add("relu", {signal(b)})});
  const std::string model = write("any", graph);
  const ChosenSizes chosen = choose_sizes(runtime_, model, graph, {});
  EXPECT_TRUE(chosen.runs);
  EXPECT_EQ(chosen.tries, 2);
  EXPECT_EQ(chosen.first, likely_sizes(graph, {}).first);
  EXPECT_GT(chosen.first.at("seq"), 1);
  EXPECT_NE(chosen.second.at("seq"), chosen.first.at("seq"));
  SizeSearch how;
  how.given = {{"seq", 28}};
  EXPECT_EQ(choose_sizes(runtime_, model, graph, how).first, how.given);
  EXPECT_TRUE(choose_sizes(runtime_, model, graph, how).second.empty());
}

TEST_F(SizesInTheRuntime, ABatchOfOneIsTriedSecond) {
  SizeSearch how;
  how.given = {{"seq", 64}};
  const ChosenSizes chosen = choose_sizes(runtime_, with_rows("Concat", 1), tokens(), how);
  EXPECT_TRUE(chosen.runs);
  EXPECT_EQ(chosen.first, (Sizes{{"batch", 1}, {"seq", 64}}));
  EXPECT_EQ(chosen.tries, 2) << chosen.refusal;
}

TEST_F(SizesInTheRuntime, ABatchThatTheRefusalAsksForIsTakenBeforeOne) {
  const std::string model = with_rows("Add", 8);
  const ChosenSizes chosen = choose_sizes(runtime_, model, tokens(), {});
  EXPECT_TRUE(chosen.runs);
  EXPECT_EQ(chosen.first.at("batch"), 8) << chosen.refusal;
  EXPECT_EQ(chosen.second.at("batch"), 8);
  SizeSearch how;
  how.single_first = true;
  const ChosenSizes single = choose_sizes(runtime_, model, tokens(), how);
  EXPECT_EQ(single.first.at("batch"), 1);
  EXPECT_TRUE(single.refusal.empty()) << single.refusal;
}

TEST_F(SizesInTheRuntime, WhatIsSaidOfTheFirstProposalIsTold) {
  SizeSearch how;
  how.single_first = true;
  const ChosenSizes chosen = choose_sizes(runtime_, with_rows("Concat", 3), tokens(), how);
  EXPECT_EQ(chosen.first.at("batch"), 3);
  EXPECT_NE(chosen.refusal.find(" 2"), std::string::npos) << chosen.refusal << ": of a batch of two";
}

TEST_F(SizesInTheRuntime, AModelThatCannotBeLoadedIsTriedOnce) {
  ir::Builder b(ctx_);
  const ir::Graph graph = b.finish({b.add("relu", {signal(b)})});
  const ChosenSizes chosen = choose_sizes(runtime_, (folder_ / "gone.onnx").string(), graph, {});
  EXPECT_FALSE(chosen.runs);
  EXPECT_EQ(chosen.tries, 1);
  EXPECT_EQ(chosen.first, likely_sizes(graph, {}).first);
  EXPECT_NE(chosen.refusal.find("gone.onnx"), std::string::npos);
}

TEST(Sizes, WorkIsCountedAtThem) {
  ir::Context ctx(ir::standard_ops());
  ir::Builder b(ctx);
  const ir::Dim n = ir::Dim::symbol(ctx.symbol("n"));
  const ir::ValueId x = b.input("x", ctx.tensor_type(ir::DType::kF32, {n, ir::Dim(8)}));
  const ir::ValueId w = b.constant(ir::DType::kF32, {8, 4}, std::vector<double>(32, 0.5));
  const ir::Graph graph = b.finish({b.add("matmul", {x, w})});
  const std::string path =
      (fs::temp_directory_path() / ("isomer-work-" + std::to_string(::getpid()) + ".onnx")).string();
  formats::write_onnx(graph, *formats::OnnxEnvelope::plain(graph), path);
  EXPECT_EQ(multiply_adds(graph), -1);
  const AtSizes at = at_sizes(path, graph, {}, {{"n", 5}}, false);
  EXPECT_EQ(at.macs, 5 * 8 * 4);
  EXPECT_EQ(at.symbols, (Sizes{{"n", 5}}));
  fs::remove(path);
}

TEST(Sizes, AnIntegerThatDecidesAnIfIsTheNumberThatItIsComparedWith) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph graph = ir::parse_graph(ctx, R"(graph g {
    %0 = input{name="x"} : f32[4]
    %1 = input{name="rate"} : i64[]
    %2 = constant : i64[] {16000}
    %3 = equal(%1, %2) : bool[]
    %4 = opaque{format="onnx", op="If", body=""}(%3, %0) : f32[4]
    %5 = input{name="ids"} : i64[1]
    %6 = constant : i64[1] {3}
    %7 = equal(%5, %6) : bool[1]
    return %4, %7
  })",
                                          "test");
  const auto bounds = at_sizes("gone.onnx", graph, {}, {}, false).bounds;
  ASSERT_TRUE(bounds.contains("rate"));
  EXPECT_EQ(bounds.at("rate").values, std::vector<double>{16000});
  EXPECT_EQ(bounds.size(), 1U) << "what decides nothing is drawn as elsewhere";
}

TEST(Sizes, WhatDecidesNoIfOrIsNoDoubleIsDrawnAsElsewhere) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph graph = ir::parse_graph(ctx, R"(graph g {
    %0 = opaque{format="onnx", op="If", body=""}() : f32[4]
    %1 = input{name="large"} : i64[]
    %2 = constant : i64[] {9223372036854775807}
    %3 = equal(%1, %2) : bool[]
    %4 = opaque{format="onnx", op="If", body=""}(%3, %0) : f32[4]
    return %4
  })",
                                          "test");
  EXPECT_TRUE(at_sizes("gone.onnx", graph, {}, {}, false).bounds.empty());
}

}  // namespace
}  // namespace isomer::recipes
