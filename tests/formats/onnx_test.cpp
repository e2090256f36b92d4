// Graphs through ONNX and back: what is written reads as the same graph; names, weights in files of their
// own, named dimensions, aliases. ONNX Runtime's view of the same is onnx_roundtrip.py's.
#include "formats/onnx.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "formats/onnx_external.h"
#include "ir/dag_hash.h"
#include "ir/op_table.h"
#include "ir/print.h"
#include "support/errors.h"

namespace isomer::formats {
namespace {

using ir::DType;
using ir::ValueId;

std::span<const std::byte> bytes(const std::string& text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

OnnxModel through(ir::Context& ctx, const ir::Graph& graph, int64_t opset,
                  const OnnxReadOptions& options = {}) {
  return read_onnx_bytes(ctx, bytes(write_onnx_bytes(graph, *OnnxEnvelope::plain(graph, opset))), "test.onnx",
                         options);
}

size_t count(const ir::Graph& graph, std::string_view op) {
  size_t n = 0;
  for (size_t i = 0; i < graph.size(); ++i) n += graph.def(ValueId(i)).name == op;
  return n;
}

class Folder {
 public:
  Folder()
      : path_(std::filesystem::temp_directory_path() / ("isomer_onnx_test_" + std::to_string(getpid()))) {
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string file(const std::string& name) const { return (path_ / name).string(); }
  size_t files() const {
    return static_cast<size_t>(
        std::distance(std::filesystem::directory_iterator(path_), std::filesystem::directory_iterator()));
  }

 private:
  std::filesystem::path path_;
};

// At each opset in which a spelling changes: bounds, axes, pads as attributes or as inputs.
TEST(Onnx, OperatorsReadBackAsTheyWereWritten) {
  for (const int64_t opset : {9, 11, 13, 18, 21}) {
    ir::Context ctx(ir::standard_ops());
    ir::Builder b(ctx, "g");
    const ValueId x = b.input("x", ctx.tensor_type(DType::kF32, ir::static_shape({1, 2, 6, 6})));
    using Ints = std::vector<int64_t>;
    const ValueId w = b.constant(DType::kF32, {4, 2, 3, 3}, std::vector<double>(72, 0.25));
    const ValueId conv = b.add("conv", {x, w},
                               {{"strides", Ints{1, 1}},
                                {"dilations", Ints{1, 1}},
                                {"pads", Ints{1, 1, 1, 1}},
                                {"group", int64_t{1}}});
    const ValueId pool = b.add("max_pool", {conv},
                               {{"kernel", Ints{2, 2}},
                                {"strides", Ints{2, 2}},
                                {"dilations", Ints{1, 1}},
                                {"pads", Ints{0, 0, 0, 0}},
                                {"ceil_mode", int64_t{0}}});
    const ValueId flat = b.add("squeeze", {pool}, {{"axes", Ints{0}}});
    const ValueId up = b.add("unsqueeze", {flat}, {{"axes", Ints{1}}});
    const ValueId clip = b.add("clip", {up}, {{"min", -0.5}, {"max", 6.0}});
    const ValueId part =
        b.add("slice", {clip},
              {{"axes", Ints{0, 3}}, {"starts", Ints{1, 0}}, {"ends", Ints{3, 2}}, {"steps", Ints{1, 1}}});
    const ValueId pad =
        b.add("pad", {part},
              {{"pads", Ints{0, 0, 1, 0, 0, 0, 0, 1}}, {"mode", std::string("constant")}, {"value", 0.5}});
    const ValueId sum = b.add("reduce_sum", {pad}, {{"axes", Ints{1, 2}}, {"keepdims", int64_t{0}}});
    const ValueId both = b.add("split", {sum}, {{"axis", int64_t{1}}, {"sizes", Ints{1, 2}}});
    const ValueId soft = b.add("softmax", {b.get(both, 1)}, {{"axis", int64_t{1}}});
    const ir::Graph graph = b.finish({soft, b.get(both, 0)});
    const OnnxModel back = through(ctx, graph, opset);
    EXPECT_EQ(count(back.graph, "opaque"), 0u) << opset;
    EXPECT_EQ(ir::dag_hash(back.graph), ir::dag_hash(graph)) << opset << "\n"
                                                             << ir::print(graph) << ir::print(back.graph);
  }
}

// More numbers than a shape ever has.
TEST(Onnx, ASplitIntoAHundredParts) {
  ir::Context ctx(ir::standard_ops());
  ir::Builder b(ctx, "g");
  const ValueId x = b.input("x", ctx.tensor_type(DType::kF32, ir::static_shape({100, 2})));
  const ValueId parts = b.add("split", {x}, {{"axis", int64_t{0}}, {"sizes", std::vector<int64_t>(100, 1)}});
  const ir::Graph graph = b.finish({b.get(parts, 1), b.get(parts, 99)});
  EXPECT_EQ(ir::dag_hash(through(ctx, graph, 18).graph), ir::dag_hash(graph));
}

TEST(Onnx, BroadcastsAreAbsorbedWhereTheOthersForceTheShape) {
  ir::Context ctx(ir::standard_ops());
  ir::Builder b(ctx);
  const ValueId x = b.input("x", ctx.tensor_type(DType::kF32, ir::static_shape({2, 3})));
  const ValueId row = b.input("row", ctx.tensor_type(DType::kF32, ir::static_shape({3})));
  const ValueId one = b.input("one", ctx.tensor_type(DType::kF32, {}));
  const auto wide = [&](ValueId v) { return b.add("broadcast", {v}, {{"shape", ir::static_shape({2, 3})}}); };
  const ir::Graph graph = b.finish({b.add("add", {x, wide(row)}), b.add("mul", {wide(row), wide(one)})});
  const std::string text = write_onnx_bytes(graph, *OnnxEnvelope::plain(graph));
  // The product of two broadcasts needs one of them written out; the sum needs none.
  size_t expands = 0;
  for (size_t at = text.find("Expand"); at != std::string::npos; at = text.find("Expand", at + 1)) ++expands;
  EXPECT_EQ(expands, 1u);
  const OnnxModel back = read_onnx_bytes(ctx, bytes(text), "test.onnx");
  for (size_t i = 0; i < 2; ++i)
    EXPECT_EQ(back.graph.type_id(back.graph.outputs()[i]), graph.type_id(graph.outputs()[i]));
  EXPECT_EQ(unspellable(graph, 17), "");
  EXPECT_NE(unspellable(graph, 7), "") << "opset 7 has no Expand";
}

// As runtimes do; the model is written with the shape that it declares.
TEST(Onnx, AnOutputWhoseShapeIsNotAsDeclaredIsReadWithANote) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph graph = ir::parse_graph(ctx, R"(graph {
    %x = input{name="x"} : f32[2,3]
    %y = relu(%x) : f32[2,3]
    return %y })");
  std::string model = write_onnx_bytes(graph, *OnnxEnvelope::plain(graph, 17));
  const size_t last = model.rfind(std::string("\x08\x02\x0a\x02\x08\x03", 6));  // the output's dimensions
  ASSERT_NE(last, std::string::npos);
  model[last + 1] = 4;
  const OnnxModel read = read_onnx_bytes(ctx, bytes(model), "test.onnx");
  ASSERT_EQ(read.notes.size(), 1u);
  EXPECT_EQ(read.notes[0], "graph output 'output0': declared as f32[4,3], but its value is f32[2,3]");
  const std::string again = write_onnx_bytes(read.graph, *read.envelope);
  EXPECT_EQ(read_onnx_bytes(ctx, bytes(again), "test.onnx").notes, read.notes);
}

TEST(Onnx, OutputsThatAreInputsOrTwinsAreCopies) {
  ir::Context ctx(ir::standard_ops());
  ir::Builder b(ctx);
  const ValueId x = b.input("x", ctx.tensor_type(DType::kF32, ir::static_shape({2})));
  const ValueId y = b.add("relu", {x});
  const ir::Graph graph = b.finish({x, y, y, b.constant(DType::kF32, {2}, std::vector<double>{1, 2})});
  const OnnxModel back = through(ctx, graph, 17);
  EXPECT_EQ(back.envelope->output_names(),
            (std::vector<std::string>{"output0", "output1", "output2", "output3"}));
  EXPECT_EQ(ir::dag_hash(back.graph), ir::dag_hash(graph));
}

TEST(Onnx, NamedDimensionsStayOrAreFixed) {
  ir::Context ctx(ir::standard_ops());
  ir::Builder b(ctx);
  const ir::Shape shape = {ir::Dim::symbol(ctx.symbol("N")), ir::Dim(3), ir::Dim(4)};
  const ValueId x = b.input("x", ctx.tensor_type(DType::kF32, shape));
  const ir::Graph graph = b.finish({b.add("reshape", {x}, {{"shape", ir::Shape{shape[0], ir::Dim(12)}}})});
  const OnnxModel open = through(ctx, graph, 17);
  EXPECT_EQ(print(ctx, open.graph.type_id(open.graph.outputs()[0])), "f32[N,12]");
  EXPECT_EQ(count(open.graph, "opaque"), 0u);
  const OnnxModel fixed = through(ctx, graph, 17, {.dims = {{"N", 5}}});
  EXPECT_EQ(print(ctx, fixed.graph.type_id(fixed.graph.outputs()[0])), "f32[5,12]");
}

TEST(Onnx, LargeWeightsGoToAFileNamedByItsContents) {
  ir::Context ctx(ir::standard_ops());
  ir::Builder b(ctx);
  const ValueId x = b.input("x", ctx.tensor_type(DType::kF32, ir::static_shape({40, 40})));
  std::vector<double> values(1600);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i);
  const ir::Graph graph = b.finish({b.add("matmul", {x, b.constant(DType::kF32, {40, 40}, values)})});
  const auto envelope = OnnxEnvelope::plain(graph);
  const Folder folder;
  write_onnx(graph, *envelope, folder.file("whole.onnx"));
  EXPECT_EQ(folder.files(), 1u);
  write_onnx(graph, *envelope, folder.file("parted.onnx"), {.external_above = 1000});
  write_onnx(graph, *envelope, folder.file("parted.onnx"), {.external_above = 1000});
  EXPECT_EQ(folder.files(), 3u) << "the model, its data once, no temporary file";
  EXPECT_LT(std::filesystem::file_size(folder.file("parted.onnx")), 1000u);
  const OnnxModel back = read_onnx(ctx, folder.file("parted.onnx"));
  EXPECT_EQ(ir::dag_hash(back.graph), ir::dag_hash(graph));
}

/// What reading says; empty when it reads.
std::string refusal(const std::string& path) {
  ir::Context ctx(ir::standard_ops());
  try {
    read_onnx(ctx, path);
    return {};
  } catch (const InputError& error) {
    return error.what();
  }
}

TEST(Onnx, WeightsAreRegularFilesBesideTheModel) {
  namespace fs = std::filesystem;
  ir::Context ctx(ir::standard_ops());
  ir::Builder b(ctx);
  const ValueId x = b.input("x", ctx.tensor_type(DType::kF32, ir::static_shape({40, 40})));
  const std::vector<double> values(1600, 0.5);
  const ir::Graph graph = b.finish({b.add("matmul", {x, b.constant(DType::kF32, {40, 40}, values)})});
  const Folder folder;
  const fs::path root = folder.file("."), own = root / "own", store = root / "store";
  fs::create_directory(own);
  fs::create_directory(store);
  const fs::path model = own / "m.onnx";
  write_onnx(graph, *OnnxEnvelope::plain(graph), model.string(), {.external_above = 1000});
  const std::vector<std::string> files = data_files(*read_onnx(ctx, model.string()).envelope);
  ASSERT_EQ(files.size(), 1u);
  const fs::path data = files[0];

  // A link to a file beside it is as good; one that leads out of the folder is not.
  fs::rename(data, own / "weights");
  fs::create_symlink("weights", data);
  EXPECT_EQ(refusal(model.string()), "");
  fs::rename(own / "weights", store / "weights");
  fs::remove(data);
  fs::create_symlink(store / "weights", data);
  EXPECT_NE(refusal(model.string()).find("leads out of it"), std::string::npos) << refusal(model.string());
  // Caches link the model and its weights to files of one folder.
  fs::rename(model, store / "model");
  fs::create_symlink(store / "model", model);
  EXPECT_EQ(refusal(model.string()), "");

  fs::remove(data);
  ASSERT_EQ(mkfifo(data.c_str(), 0600), 0);
  EXPECT_NE(refusal(model.string()).find("expected a regular file, found a named pipe"), std::string::npos)
      << refusal(model.string());
  fs::remove(model);
  ASSERT_EQ(mkfifo(model.c_str(), 0600), 0);
  EXPECT_NE(refusal(model.string()).find("expected a regular file, found a named pipe"), std::string::npos);
}

TEST(Onnx, WhatCannotBeWrittenLeavesTheOldFile) {
  ir::Context ctx(ir::standard_ops());
  ir::Builder b(ctx);
  const ValueId x = b.input("x", ctx.tensor_type(DType::kF32, ir::static_shape({2})));
  const ir::Graph graph = b.finish({b.add("relu", {x})});
  EXPECT_THROW(write_onnx(graph, *OnnxEnvelope::plain(graph), "no/such/folder/model.onnx"), InputError);
}

}  // namespace
}  // namespace isomer::formats
