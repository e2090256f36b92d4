#include "runtime/measured_cost.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "cost/runtime_fusion.h"
#include "ir/op_table.h"
#include "runtime/micro_model.h"
#include "runtime/stand_in.h"
#include "support/errors.h"

namespace isomer::runtime {
namespace {

using cost::NodeCostQuery;

/// Calls f with the query of every node of a program.
void for_nodes(const ir::Graph& graph, const std::function<void(const NodeCostQuery&)>& f) {
  cost::for_each_query(graph, [&](ir::ValueId, const NodeCostQuery& query) { f(query); });
}

/// x [rows, width] -> product with a constant, bias, relu, product with another, sum.
ir::Graph network(ir::Context& ctx, int64_t width, ir::Dim rows = ir::Dim(64)) {
  ir::Builder b(ctx);
  const auto weight = [&](std::vector<int64_t> shape) {
    int64_t count = 1;
    for (int64_t s : shape) count *= s;
    std::vector<double> values(static_cast<size_t>(count));
    for (size_t i = 0; i < values.size(); ++i) values[i] = 0.01 * static_cast<double>(i % 7);
    return b.constant(ir::DType::kF32, shape, values);
  };
  const ir::Shape shape = {rows, ir::Dim(width)};
  const ir::ValueId x = b.input("x", ctx.tensor_type(ir::DType::kF32, shape));
  ir::ValueId v = b.add("matmul", {x, weight({width, width})});
  v = b.add("add", {v, b.add("broadcast", {weight({width})}, {{"shape", shape}})});
  v = b.add("relu", {v});
  v = b.add("matmul", {v, weight({width, width})});
  return b.finish({b.add("tanh", {b.add("mul", {v, x})})});
}

TEST(MeasuredOperator, SignatureNamesWhatTheCostDependsOn) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph graph = network(ctx, 32);
  std::vector<std::string> seen;
  for_nodes(graph, [&](const NodeCostQuery& query) {
    if (query.op.op.kind == ir::MeaningKind::kLeaf || query.operands_are_weights) return;
    const MeasuredOperator op(query);
    EXPECT_TRUE(op.can_be_measured(17)) << op.signature();
    seen.push_back(op.signature());
  });
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(seen, (std::vector<std::string>{"add(f32[64,32], f32[32]!) -> f32[64,32]",
                                            "matmul(f32[64,32], f32[32,32]!)",
                                            "matmul(f32[64,32], f32[32,32]!)", "mul(f32[64,32], f32[64,32])",
                                            "relu(f32[64,32])", "tanh(f32[64,32])"}));
}

TEST(MeasuredOperator, CopiesMayShareTheirWeights) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph graph = network(ctx, 64);
  int products = 0;
  for_nodes(graph, [&](const NodeCostQuery& query) {
    const MeasuredOperator what(query);
    if (query.op.op.name != "matmul") return;
    ++products;
    EXPECT_EQ(what.weight_bytes(), 64u * 64 * 4);
    EXPECT_EQ(what.model(5, 2, formats::Dialect(17)).weights.size(), 2u);
    EXPECT_EQ(what.model(5, 5, formats::Dialect(17)).weights.size(), 5u);
  });
  EXPECT_GT(products, 0);
}

TEST(MeasuredOperator, CopiesOfARuntimeThatMergesThemHaveInputsOfTheirOwn) {
  ir::Context ctx(ir::standard_ops());
  const auto model_of = [&](const char* name, const ir::Graph& graph, Apart apart) {
    MeasuredOperator::Model out;
    for_nodes(graph, [&](const NodeCostQuery& query) {
      if (query.op.op.name == name) out = MeasuredOperator(query).model(3, 2, formats::Dialect(17), apart);
    });
    return out;
  };
  const auto has = [](const MeasuredOperator::Model& model, const char* name) {
    return model.onnx.find(name) != std::string::npos;
  };
  const ir::Graph products = network(ctx, 64);
  const MeasuredOperator::Model together = model_of("matmul", products, Apart::kNo);
  EXPECT_FALSE(has(together, "x0."));
  const MeasuredOperator::Model apart = model_of("matmul", products, Apart::kWeights);
  EXPECT_TRUE(has(apart, "x0.2"));
  EXPECT_EQ(apart.weights.size(), together.weights.size());
  const MeasuredOperator::Model own_inputs = model_of("matmul", products, Apart::kInputs);
  EXPECT_TRUE(has(own_inputs, "x0.2"));
  EXPECT_TRUE(has(own_inputs, "location"));  // of constants that are given elsewhere
  EXPECT_FALSE(has(apart, "location"));

  ir::Builder b(ctx);
  const auto input = [&](const char* name, std::vector<int64_t> shape) {
    return b.input(name, ctx.tensor_type(ir::DType::kF32, {shape.begin(), shape.end()}));
  };
  const ir::ValueId filter = b.constant(ir::DType::kF32, {4, 4, 1, 1}, std::vector<double>(16, 0.5));
  const std::vector<int64_t> ones = {1, 1}, pads = {0, 0, 0, 0};
  const ir::ValueId conv = b.add("conv", {input("x", {1, 4, 8, 8}), filter},
                                 {{"strides", ones}, {"pads", pads}, {"dilations", ones}, {"group", 1}});
  const ir::Graph filtered = b.finish({conv});
  const MeasuredOperator::Model on_shared = model_of("conv", filtered, Apart::kWeights);
  EXPECT_FALSE(has(on_shared, "x0."));      // one conversion of the input for all
  EXPECT_EQ(on_shared.weights.size(), 3u);  // by which all differ
  EXPECT_EQ(model_of("conv", filtered, Apart::kNo).weights.size(), 2u);
}

TEST(RuntimeFusion, ABiasBelongsToItsProduct) {
  ir::Context ctx(ir::standard_ops());
  std::vector<std::string> absorbed;
  for_nodes(network(ctx, 32), [&](const NodeCostQuery& query) {
    if (cost::is_absorbed(query)) absorbed.push_back(query.op.op.name);
  });
  EXPECT_EQ(absorbed, (std::vector<std::string>{"add"}));
}

/// Costs are what the stand-in was told.
class MadeUpCosts : public testing::Test {
 protected:
  static cost::DeviceProfile profile() { return {"local", 1e11, 1e10, 1e-3, "made up"}; }
  /// The query of the one operator of that name.
  static void for_only(const ir::Graph& graph, const std::string& op,
                       const std::function<void(const NodeCostQuery&)>& f) {
    for_nodes(graph, [&](const NodeCostQuery& query) {
      if (query.op.op.name == op) f(query);
    });
  }
  static double cost_of(MeasuredCost& model, const ir::Graph& graph, const std::string& op) {
    double out = 0;
    for_only(graph, op, [&](const NodeCostQuery& query) { out = model.cost(query); });
    return out;
  }
  /// Operands and results of a network as long hold twice what may be measured.
  static constexpr auto kTooManyRows = static_cast<int64_t>(kMostComputedBytes / (4 * 32));

  StandInWorkers workers_;
  ir::Context ctx_{ir::standard_ops()};
};

TEST_F(MadeUpCosts, NothingMoreIsWaitedForOnceTheRuntimeHasSaidWhatItIs) {
  workers_.tell(R"({"hellos": 1})");
  OnnxRuntime runtime;
  ASSERT_TRUE(runtime.hello({}));
  const double begin = wall_seconds();
  const MeasuredCost model(runtime, profile());
  EXPECT_LT(wall_seconds() - begin, 60);  // it would wait for twice as long
  OnnxRuntime other;
  ASSERT_TRUE(other.hello({}));
  const OrFailure<RuntimeInfo> again = other.hello(wait_until(Deadline(0.2, steady_clock()), 120));
  ASSERT_FALSE(again);
  EXPECT_EQ(again.failure().kind, FailureKind::kTimedOut);
}

TEST_F(MadeUpCosts, WhatWouldHoldTooMuchCostsWhatItsKindDoes) {
  workers_.tell(R"({"operator_ms": 50})");
  OnnxRuntime runtime;
  const ir::Graph small = network(ctx_, 32, ir::Dim(256)), twice = network(ctx_, 32, ir::Dim(512)),
                  large = network(ctx_, 32, ir::Dim(kTooManyRows));
  MeasuredCost model(runtime, profile());
  for_nodes(large, [&](const NodeCostQuery& query) { model.want(query); });
  EXPECT_EQ(model.wanted(), 0u);
  EXPECT_EQ(model.count().large, 4u);
  EXPECT_GT(cost_of(model, large, "relu"), 1e3 * 2 * kMostComputedBytes / profile().bytes_per_second)
      << "from memory, by the roofline";
  // Bounds grow evenly with the rows.
  const double bound = cost_of(model, small, "relu"), slope = (cost_of(model, twice, "relu") - bound) / 256,
               bound_of_large = bound + slope * static_cast<double>(kTooManyRows - 256);
  for_nodes(small, [&](const NodeCostQuery& query) { model.want(query); });
  EXPECT_EQ(model.measure(60), 4u);
  EXPECT_EQ(cost_of(model, small, "relu"), 50);
  EXPECT_NEAR(cost_of(model, large, "relu") / (bound_of_large * 50 / bound), 1, 1e-9);
}

// Rows of a table are looked up in microseconds, however large the table: what a model's entry costs would
// count.
TEST_F(MadeUpCosts, WhatReadsWeightsThatNoCacheKeepsIsOneCopyAlone) {
  workers_.tell(R"({"operator_ms": 50, "alone_ms": 7})");
  OnnxRuntime runtime;
  MeasuredCost model(runtime, profile());
  const auto weight = [&](ir::Builder& b, int64_t rows) {
    const ir::TypeId type = ctx_.tensor_type(ir::DType::kF32, ir::static_shape({rows, 4096}));
    return b.add("weight", {}, {{"name", "w"}, {"type", int64_t{type.v}}});
  };
  const auto product = [&](int64_t wide, bool spread) {
    ir::Builder b(ctx_);
    const ir::ValueId x = b.input("x", ctx_.tensor_type(ir::DType::kF32, ir::static_shape({8, wide})));
    const ir::Shape shape = ir::static_shape({wide, 4096});
    const auto one = [&] { return b.constant(ir::DType::kF32, {}, std::vector<double>{0.5}); };
    const ir::ValueId w = spread ? b.add("broadcast", {one()}, {{"shape", shape}}) : weight(b, wide);
    return b.finish({b.add("matmul", {x, w})});
  };
  ir::Builder b(ctx_);
  const ir::ValueId places = b.input("i", ctx_.tensor_type(ir::DType::kI64, ir::static_shape({8})));
  const ir::Graph looked_up = b.finish({b.add("gather", {weight(b, 5000), places}, {{"axis", int64_t{0}}})});
  const ir::Graph large = product(4100, false), fits = product(4096, false), made = product(4100, true);
  for (const ir::Graph* graph : {&large, &fits, &made, &looked_up})
    for_nodes(*graph, [&](const NodeCostQuery& query) { model.want(query); });
  EXPECT_EQ(model.measure(60), 4u);
  EXPECT_EQ(cost_of(model, large, "matmul"), 7);
  EXPECT_EQ(cost_of(model, made, "matmul"), 7) << "the runtime makes it whole";
  EXPECT_EQ(cost_of(model, fits, "matmul"), 50);
  EXPECT_EQ(cost_of(model, looked_up, "gather"), 50);
}

TEST_F(MadeUpCosts, WhatIsOpenDoesNotHangOnWhatIsKnown) {
  workers_.tell(R"({"operator_ms": 2})");
  OnnxRuntime runtime;
  Store store(workers_.folder() / "store.sqlite");
  MeasuredOptions options;
  options.store = &store;
  const ir::Graph graph = network(ctx_, 64);
  for (const bool known : {false, true}) {
    MeasuredCost model(runtime, profile(), options);
    EXPECT_EQ(model.open_cost(graph), cost::graph_cost(model, graph));
    for_only(graph, "tanh", [&](const NodeCostQuery& query) { model.leave_out(query, true); });
    const double shared = cost_of(model, graph, "tanh");
    EXPECT_EQ(shared == 2, known);
    EXPECT_EQ(model.count().shared, known ? 0u : 1u);
    EXPECT_NEAR(model.open_cost(graph), cost::graph_cost(model, graph) - shared, 1e-12);
    MeasuredCost other(runtime, profile(), options);
    for_only(graph, "tanh", [&](const NodeCostQuery& query) { other.want(query); });
    other.measure(60);
  }
}

TEST_F(MadeUpCosts, BoundChoicesWhereNoneIsGuessed) {
  workers_.tell(R"({"operator_ms": 2})");
  OnnxRuntime runtime;
  const ir::Graph graph = network(ctx_, 64), large = network(ctx_, 32, ir::Dim(kTooManyRows));
  MeasuredCost model(runtime, profile());
  for_nodes(graph, [&](const NodeCostQuery& query) { model.leave_out(query, false); });
  for_nodes(large, [&](const NodeCostQuery& query) { model.leave_out(query, true); });
  EXPECT_TRUE(model.bounds_choices());
  EXPECT_NEAR(model.open_cost(large), 0, 1e-2) << "large, and in every program";
  for_only(large, "relu", [&](const NodeCostQuery& query) { model.leave_out(query, false); });
  EXPECT_FALSE(model.bounds_choices()) << "large, and a choice";
  for_only(large, "relu", [&](const NodeCostQuery& query) { model.leave_out(query, true); });
  model.guess_the_rest();
  EXPECT_FALSE(model.bounds_choices());
}

TEST_F(MadeUpCosts, AFaultOfTheWorkerIsNotKeptAsARefusal) {
  OnnxRuntime runtime;
  Store store(workers_.folder() / "store.sqlite");
  MeasuredOptions options;
  options.store = &store;
  const ir::Graph graph = network(ctx_, 64);
  for (const int run : {0, 1}) {
    workers_.tell(R"({"fault": true})");
    MeasuredCost model(runtime, profile(), options);
    for_nodes(graph, [&](const NodeCostQuery& query) { model.want(query); });
    EXPECT_EQ(model.wanted(), 4u) << run;
    model.measure(60);
    EXPECT_EQ(model.count().refused, 4u);
  }
}

class Measured : public testing::Test {
 protected:
  void SetUp() override {
    try {
      runtime_.info();
    } catch (const MissingRuntimeError& error) {
      GTEST_SKIP() << error.what();
    }
  }
  static cost::DeviceProfile profile() { return {"local", 1e11, 1e10, 1e-3, "made up"}; }
  OnnxRuntime runtime_;
};

TEST_F(Measured, SymbolsArePricedAtTheirSizes) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph symbolic = network(ctx, 32, ir::Dim::symbol(ctx.symbol("n"))),
                  numbers = network(ctx, 32, ir::Dim(96));
  MeasuredOptions options;
  options.sizes = {{"n", 96}};
  MeasuredCost model(runtime_, profile(), options);
  for_nodes(symbolic, [&](const NodeCostQuery& query) { model.want(query); });
  EXPECT_EQ(model.wanted(), 4u);
  for_nodes(numbers, [&](const NodeCostQuery& query) { model.want(query); });
  EXPECT_EQ(model.wanted(), 4u) << "other operators than at that size";
  EXPECT_EQ(cost::node_costs(model, symbolic), cost::node_costs(model, numbers));
}

TEST_F(Measured, ChargesAsMuchAsThereIsToDo) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph small = network(ctx, 128), large = network(ctx, 512);
  MeasuredCost model(runtime_, profile(), {});
  for (const ir::Graph* graph : {&small, &large})
    for_nodes(*graph, [&](const NodeCostQuery& query) { model.want(query); });
  EXPECT_EQ(model.wanted(), 8u);  // four signatures each: the products are equal, the bias is absorbed
  EXPECT_EQ(model.measure(60), 8u);
  EXPECT_EQ(model.wanted(), 0u);
  EXPECT_EQ(model.count().known, 8u);
  EXPECT_EQ(model.count().refused, 0u);
  // 16 times the work, less what a small product cannot use; nothing takes a second.
  const double a = cost::graph_cost(model, small), b = cost::graph_cost(model, large);
  EXPECT_GT(a, 1e-3);
  EXPECT_GT(b / a, 3);
  EXPECT_LT(b / a, 60);
  EXPECT_LT(b, 1000);
}

TEST_F(Measured, KeepsItsCostsForTheNextRun) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph graph = network(ctx, 64);
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("isomer-costs-" + std::to_string(::getpid()) + ".sqlite");
  double first = 0;
  {
    Store store(file);
    MeasuredCost model(runtime_, profile(), {.threads = 1, .opset = 17, .seconds = 0.01, .store = &store});
    for_nodes(graph, [&](const NodeCostQuery& query) { model.want(query); });
    EXPECT_EQ(model.measure(60), 4u);
    first = cost::graph_cost(model, graph);
  }
  Store store(file);
  MeasuredCost again(runtime_, profile(), {.threads = 1, .opset = 17, .seconds = 0.01, .store = &store});
  for_nodes(graph, [&](const NodeCostQuery& query) { again.want(query); });
  EXPECT_EQ(again.wanted(), 0u);
  EXPECT_NEAR(cost::graph_cost(again, graph), first, 1e-7 * first);
  MeasuredCost other(runtime_, profile(), {.threads = 2, .opset = 17, .seconds = 0.01, .store = &store});
  for_nodes(graph, [&](const NodeCostQuery& query) { other.want(query); });
  EXPECT_EQ(other.wanted(), 4u) << "another number of threads is another device";
  OnnxRuntime named(kOnnxRuntime, "CPUExecutionProvider");
  MeasuredCost elsewhere(named, profile(), {.threads = 1, .opset = 17, .seconds = 0.01, .store = &store});
  for_nodes(graph, [&](const NodeCostQuery& query) { elsewhere.want(query); });
  EXPECT_EQ(elsewhere.wanted(), 4u) << "a provider is another device";
  for (const char* tail : {"", "-wal", "-shm"}) std::filesystem::remove(file.string() + tail);
}

// A product of one row reads weights and does little else: it matters how many the whole program has.
TEST_F(Measured, StreamedWeightsAreMeasuredForTheSizeOfTheProgram) {
  ir::Context ctx(ir::standard_ops());
  ir::Builder b(ctx, "row");
  const ir::ValueId row = b.input("row", ctx.tensor_type(ir::DType::kF32, ir::static_shape({1, 256})));
  const ir::ValueId weight = b.constant(ir::DType::kF32, {256, 256}, std::vector<double>(256 * 256, 0.01));
  const ir::Graph graph = b.finish({b.add("tanh", {b.add("matmul", {row, weight})})});
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("isomer-streams-" + std::to_string(::getpid()) + ".sqlite");
  Store store(file);
  const auto missing = [&](uint64_t weight_bytes) {
    MeasuredOptions options;
    options.seconds = 0.01;
    options.store = &store;
    options.weight_bytes = weight_bytes;
    MeasuredCost model(runtime_, profile(), options);
    for_nodes(graph, [&](const NodeCostQuery& query) { model.want(query); });
    const size_t wanted = model.wanted();
    model.measure(60);
    return wanted;
  };
  EXPECT_EQ(missing(1 << 20), 2u);
  EXPECT_EQ(missing(1 << 20), 0u);
  EXPECT_EQ(missing(16 << 20), 1u);  // the product; tanh reads no weights
  EXPECT_EQ(missing(17 << 20), 0u);  // about as large
  for (const char* tail : {"", "-wal", "-shm"}) std::filesystem::remove(file.string() + tail);
}

TEST_F(Measured, WhatIsUnknownCostsABoundAndLaterAGuess) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph known = network(ctx, 128), unknown = network(ctx, 256);
  MeasuredCost model(runtime_, profile(), {});
  const double bound = cost::graph_cost(model, unknown);
  for_nodes(known, [&](const NodeCostQuery& query) { model.want(query); });
  model.measure(60);
  EXPECT_EQ(cost::graph_cost(model, unknown), bound);
  model.guess_the_rest();
  const double guess = cost::graph_cost(model, unknown);
  EXPECT_GT(guess, bound);
  for_nodes(unknown, [&](const NodeCostQuery& query) { model.want(query); });
  model.measure(60);
  const double cost = cost::graph_cost(model, unknown);
  EXPECT_GE(cost, bound * 0.5);
  EXPECT_LT(std::abs(std::log(guess / cost)), std::log(6.0));
}

TEST_F(Measured, WhatTheRuntimeRefusesIsPricedByTheRoofline) {
  ir::Context ctx(ir::standard_ops());
  ir::Builder b(ctx);  // ONNX Runtime has no such kernel for this element type
  const auto f64 = [&](std::vector<int64_t> shape) {
    return ctx.tensor_type(ir::DType::kF64, ir::static_shape(shape));
  };
  const ir::ValueId x = b.input("x", f64({1, 2, 8, 8})), w = b.input("w", f64({2, 2, 3, 3}));
  const std::vector<int64_t> ones = {1, 1}, pads = {0, 0, 0, 0};
  const ir::Graph graph = b.finish(
      {b.add("conv", {x, w}, {{"strides", ones}, {"pads", pads}, {"dilations", ones}, {"group", 1}})});
  MeasuredCost model(runtime_, profile(), {});
  for_nodes(graph, [&](const NodeCostQuery& query) { model.want(query); });
  model.measure(60);
  EXPECT_EQ(model.count().refused, 1u);
  EXPECT_GT(cost::graph_cost(model, graph), 1e-3);
}

}  // namespace
}  // namespace isomer::runtime
