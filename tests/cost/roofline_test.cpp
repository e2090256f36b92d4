#include "cost/roofline.h"

#include <gtest/gtest.h>

#include <fstream>

#include "cost/ast_size.h"
#include "cost/nominal.h"
#include "cost/table.h"
#include "cost/toy_ops.h"
#include "ir/constant_data.h"
#include "ir/size_formula.h"
#include "support/errors.h"

namespace isomer::cost {
namespace {

using ir::IndexExpr;
using ir::MeaningKind;
using ir::OpInstance;
namespace scalar = ir::scalar;

/// matmul, an elementwise exp(x) / 2, a transpose, a view, a fused tail and an unknown operator, declared
/// here.
class Roofline : public testing::Test {
 protected:
  Roofline() : ctx_(declare()) {}

  const ir::OpTable& declare() {
    ir::OpDef matmul;
    matmul.name = "product";
    matmul.kind = MeaningKind::kContraction;
    matmul.infer = [](const OpInstance& op) {
      return ir::Inferred::ok(op.ctx.tensor_type(op.in_dtype(0), {op.in_shape(0)[0], op.in_shape(1)[1]}));
    };
    matmul.nests = [](const OpInstance& op) {
      ir::LoopNest nest;
      nest.space = op.out_extents();
      nest.reduce = {op.in_extents(0)[1]};
      nest.reads = {{0, {IndexExpr::var(0), IndexExpr::var(2)}}, {1, {IndexExpr::var(2), IndexExpr::var(1)}}};
      nest.accumulators = {{scalar::read(0) * scalar::read(1), ir::Combiner::kSum}};
      nest.result = scalar::acc(0);
      return std::vector{nest};
    };
    ops_.add(matmul);

    ir::OpDef half_exp;
    half_exp.name = "half_exp";
    half_exp.kind = MeaningKind::kPointwise;
    half_exp.infer = [](const OpInstance& op) { return ir::Inferred::ok(op.inputs[0]); };
    half_exp.nests = [](const OpInstance& op) {
      ir::LoopNest nest;
      nest.space = op.out_extents();
      nest.reads = {{0, ir::index_vars(0, static_cast<int>(nest.space.size()))}};
      nest.result = scalar::apply(ir::ScalarOp::kExp, scalar::read(0)) * scalar::number(0.5);
      return std::vector{nest};
    };
    ops_.add(half_exp);

    ir::OpDef fused;
    fused.name = "product_half_exp";
    fused.kind = MeaningKind::kComposite;
    fused.infer = matmul.infer;
    fused.expand = [](ir::Builder& b, const OpInstance&, std::span<const ir::ValueId> x) {
      return b.add("half_exp", {b.add("product", {x[0], x[1]})});
    };
    ops_.add(fused);

    for (const char* name : {"flip", "reshape", "gather"}) {
      ir::OpDef movement;
      movement.name = name;
      movement.kind = MeaningKind::kMovement;
      movement.nests = [](const OpInstance&) { return std::vector<ir::LoopNest>{}; };
      if (movement.name == "reshape") movement.moves = ir::Moves::kReshapes;
      if (movement.name == "gather") movement.elements = {ir::Elements::kAny, ir::Elements::kIndices};
      ops_.add(movement);
    }
    ir::OpDef opaque;
    opaque.name = "strange";
    opaque.kind = MeaningKind::kOpaque;
    ops_.add(opaque);
    ir::OpDef input;
    input.name = "input";
    input.core = ir::Core::kInput;
    input.kind = MeaningKind::kLeaf;
    input.attrs = {{.name = "name", .kind = ir::AttrKind::kString}, {.name = "type"}};
    input.infer = [](const OpInstance& op) {
      return ir::Inferred::ok(ir::TypeId(static_cast<uint32_t>(op.i("type"))));
    };
    ops_.add(input);
    return ops_.table;
  }

  ir::TypeId f32(ir::Shape shape) { return ctx_.tensor_type(ir::DType::kF32, std::move(shape)); }
  ir::TypeId f32(std::initializer_list<int64_t> sizes) { return f32(ir::static_shape(sizes)); }

  Work work(const char* op, std::vector<ir::TypeId> inputs, ir::TypeId output) {
    return work_of(OpInstance(ctx_, ops_.table.get(ops_.table.at(op)), {}, inputs, output));
  }
  double cost(CostModel& model, const char* op, std::vector<ir::TypeId> inputs, ir::TypeId output,
              bool weights = false) {
    const OpInstance instance(ctx_, ops_.table.get(ops_.table.at(op)), {}, inputs, output);
    return model.cost({instance, weights});
  }

  ToyOps ops_;
  ir::Context ctx_;
};

TEST_F(Roofline, WorkOfAProduct) {
  const Work w = work("product", {f32({8, 32}), f32({32, 16})}, f32({8, 16}));
  EXPECT_EQ(w.flops, 2 * 8 * 16 * 32);
  EXPECT_EQ(w.macs, 8 * 16 * 32);
  EXPECT_EQ(w.bytes_read, 4 * (8 * 32 + 32 * 16));
  EXPECT_EQ(w.bytes_written, 4 * 8 * 16);
  EXPECT_FALSE(w.free);
}

TEST_F(Roofline, WorkOfAPointwiseOperatorFollowsItsExpression) {
  const Work w = work("half_exp", {f32({10, 10})}, f32({10, 10}));
  EXPECT_EQ(w.flops, 100 * (8 + 1));
  EXPECT_EQ(w.macs, 0);
}

TEST_F(Roofline, ACompositeIsOnePassWithTheArithmeticOfItsParts) {
  const Work w = work("product_half_exp", {f32({8, 32}), f32({32, 16})}, f32({8, 16}));
  EXPECT_EQ(w.flops, 2 * 8 * 16 * 32 + 8 * 16 * 9);
  EXPECT_EQ(w.macs, 8 * 16 * 32);
  EXPECT_EQ(w.bytes(), 4 * (8 * 32 + 32 * 16 + 8 * 16)) << "nothing in between is written or read";
}

TEST_F(Roofline, MovementCountsWhatItMoves) {
  EXPECT_EQ(work("flip", {f32({10, 10})}, f32({10, 10})).bytes(), 800);
  const ir::TypeId ids = ctx_.tensor_type(ir::DType::kI64, ir::static_shape({3}));
  EXPECT_EQ(work("gather", {f32({1000, 10}), ids}, f32({3, 10})).bytes(), 2 * 120 + 24)
      << "not the whole table";
  EXPECT_TRUE(work("reshape", {f32({10, 10})}, f32({100})).free);
}

TEST_F(Roofline, SymbolsAreGivenANominalSize) {
  const ir::Dim n = ir::Dim::symbol(ctx_.symbol("N"));
  const Work w = work("product", {f32({n, ir::Dim(32)}), f32({32, 16})}, f32({n, ir::Dim(16)}));
  EXPECT_EQ(w.macs, 64 * 16 * 32);
  EXPECT_EQ(work("strange", {f32({n})}, ctx_.intern(ir::Type::unknown("seq"))).bytes(), 256);
  EXPECT_EQ(
      work("half_exp", {f32({ir::Dim::unknown(), ir::Dim(2)})}, f32({ir::Dim::unknown(), ir::Dim(2)})).flops,
      128 * 9);
}

/// At sizes too: a rule may have made a dimension that the program has not.
TEST_F(Roofline, FormulasAreWhatTheirNamesMakeThem) {
  const ir::SymbolId name = ctx_.symbol("N");
  const ir::Dim half = dim_of(ctx_, (ir::Size::named(name) + 1).floor_div(2));
  EXPECT_EQ(ctx_.get(cost::sized_type(ctx_, f32({half}), {nullptr, 64})).shape, ir::static_shape({32}));
  const std::map<std::string, int64_t> sizes = {{"N", 9}};
  EXPECT_EQ(ctx_.get(cost::sized_type(ctx_, f32({half}), {&sizes, 0})).shape, ir::static_shape({5}));
  EXPECT_EQ(cost::sized_type(ctx_, f32({half}), {}), f32({half}));
}

TEST_F(Roofline, TheDearerOfArithmeticAndTrafficCounts) {
  RooflineCost model({"test", 1e9, 1e6, 0.5, ""});
  // 8192 flop = 0.0082 ms; 3584 bytes = 3.584 ms.
  EXPECT_DOUBLE_EQ(cost(model, "product", {f32({8, 32}), f32({32, 16})}, f32({8, 16})), 0.5 + 3.584);
  RooflineCost slow({"test", 1e6, 1e9, 0.5, ""});
  EXPECT_DOUBLE_EQ(cost(slow, "product", {f32({8, 32}), f32({32, 16})}, f32({8, 16})), 0.5 + 8.192);
  EXPECT_EQ(cost(slow, "reshape", {f32({4})}, f32({2, 2})), 0);
  EXPECT_EQ(cost(slow, "input", {}, f32({4})), 0);
}

TEST_F(Roofline, OperatorsOnWeightsAreFoldedAway) {
  RooflineCost folding({"test", 1e9, 1e6, 0.5, ""});
  RooflineCost paying({"test", 1e9, 1e6, 0.5, ""}, {.fold_weights = false});
  EXPECT_EQ(cost(folding, "half_exp", {f32({4})}, f32({4}), true), 0);
  EXPECT_GT(cost(folding, "half_exp", {f32({4})}, f32({4}), false), 0);
  EXPECT_GT(cost(paying, "half_exp", {f32({4})}, f32({4}), true), 0);
}

TEST_F(Roofline, FusingIsCheaperThanTwoKernels) {
  for (const machine::Device& device : machine::devices()) {
    if (device.profile == nullptr) continue;
    const DeviceProfile& profile = *device.profile;
    RooflineCost model(profile);
    const std::vector<ir::TypeId> inputs = {f32({64, 64}), f32({64, 64})};
    const double apart =
        cost(model, "product", inputs, inputs[0]) + cost(model, "half_exp", {inputs[0]}, inputs[0]);
    EXPECT_LT(cost(model, "product_half_exp", inputs, inputs[0]), apart) << profile.name;
    EXPECT_FALSE(profile.source.empty());
  }
}

TEST_F(Roofline, A100ByHand) {
  const auto model = make_cost_model("roofline:a100");
  EXPECT_EQ(model->name(), "roofline:a100");
  // 4096^3 products: 2 * 4096^3 / 19.5e12 s = 7.048 ms, far more than 201 MB / 1555 GB/s = 0.129 ms.
  const ir::TypeId big = f32({4096, 4096});
  EXPECT_NEAR(cost(*model, "product", {big, big}, big), 0.005 + 7.0481, 1e-4);
}

TEST_F(Roofline, RememberedCostsDoNotLeakBetweenContexts) {
  RooflineCost model({"test", 1e9, 1e9, 0, ""});
  const double small = cost(model, "half_exp", {f32({4})}, f32({4}));
  ir::Context other(ops_.table);
  const ir::TypeId larger = other.tensor_type(ir::DType::kF32, ir::static_shape({4000}));
  const std::vector<ir::TypeId> inputs = {larger};
  const OpInstance op(other, ops_.table.get(ops_.table.at("half_exp")), {}, inputs, larger);
  EXPECT_GT(model.cost({op, false}), 100 * small);
}

TEST_F(Roofline, CostOfAGraphCountsNeededNodesOnce) {
  ir::Builder b(ctx_);
  const ir::ValueId x = b.input("x", f32({8, 8}));
  const ir::ValueId e = b.add("half_exp", {x});
  const ir::ValueId p = b.add("product", {e, e});
  b.add("half_exp", {p});  // dead
  const ir::Graph graph = b.finish({p, p});
  RooflineCost model({"test", 1e9, 1e6, 0.5, ""});
  EXPECT_DOUBLE_EQ(graph_cost(model, graph), 2 * 0.5 + 1e3 * (512 + 768) / 1e6);
  EXPECT_EQ(work_of(graph).macs, 512);
  AstSizeCost size;
  EXPECT_EQ(graph_cost(size, graph), 3);
}

TEST_F(Roofline, TablesByTheirSignatures) {
  EXPECT_EQ(signature(OpInstance(ctx_, ops_.table.get(ops_.table.at("flip")), {}, std::vector{f32({2, 3})},
                                 f32({3, 2}))),
            "flip(f32[2,3])");
  TableCost table({{"flip(f32[2,3])", 7}, {"flip", 5}});
  EXPECT_EQ(cost(table, "flip", {f32({2, 3})}, f32({3, 2})), 7);
  EXPECT_EQ(cost(table, "flip", {f32({9, 3})}, f32({3, 9})), 5);
  EXPECT_EQ(cost(table, "input", {}, f32({1})), 0);
  EXPECT_THROW(cost(table, "gather", {f32({2})}, f32({2})), InputError);
}

TEST_F(Roofline, TablesFromFiles) {
  const std::string path = testing::TempDir() + "isomer_table.json";
  std::ofstream(path) << R"({"flip": 0.25, "*": 1})";
  const auto table = make_cost_model("table:" + path);
  EXPECT_EQ(cost(*table, "flip", {f32({2})}, f32({2})), 0.25);
  EXPECT_EQ(cost(*table, "gather", {f32({2})}, f32({2})), 1);
  std::ofstream(path) << R"({"flip": "dear"})";
  EXPECT_THROW(make_cost_model("table:" + path), InputError);
  std::ofstream(path) << "[";
  EXPECT_THROW(make_cost_model("table:" + path), InputError);
  EXPECT_THROW(make_cost_model("table:/nonexistent"), InputError);
}

TEST(MakeCostModel, UnknownNamesListTheKnown) {
  try {
    make_cost_model("roofline:abacus");
    ADD_FAILURE();
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("roofline:a100"), std::string::npos);
  }
}

}  // namespace
}  // namespace isomer::cost
