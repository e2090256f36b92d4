#include "mugraph/lax.h"

#include <gtest/gtest.h>

#include <map>

#include "mugraph/programs.h"
#include "mugraph/random_tensors.h"

namespace isomer::mugraph {
namespace {

ir::TypeId matrix(ir::Context& ctx) { return ctx.tensor_type(ir::DType::kF32, ir::static_shape({4, 4})); }

TEST(Lax, TellsWhatIsOutside) {
  ir::Context ctx(ir::standard_ops());
  ir::Builder b(ctx);
  const ir::ValueId x = b.input("x", matrix(ctx)), w = b.input("w", matrix(ctx));
  const ir::ValueId h = b.add("matmul", {x, w});
  const ir::ValueId r = b.add("relu", {h});
  const ir::ValueId s = b.add("softmax", {b.add("matmul", {r, w})}, {{"axis", int64_t{1}}});
  const ir::ValueId y = b.add("add", {s, h});
  const ir::Graph g = b.finish({y});
  const LaxPartition p = partition_lax(g);
  ASSERT_EQ(p.outside.size(), 1U);
  EXPECT_EQ(p.outside[0].node, r);
  EXPECT_EQ(p.outside[0].reason, "a maximum or minimum");
  ASSERT_EQ(p.parts.size(), 2U);
  EXPECT_EQ(p.parts[0].nodes, (std::vector<ir::ValueId>{h}));
  EXPECT_EQ(p.parts[0].inputs, (std::vector<ir::ValueId>{x, w}));
  EXPECT_EQ(p.parts[1].inputs, (std::vector<ir::ValueId>{r, w, h}));
  EXPECT_EQ(p.parts[1].outputs, (std::vector<ir::ValueId>{y}));
  EXPECT_EQ(p.order, (std::vector<size_t>{0, 2, 1}));
}

TEST(Lax, CutsASecondExponentialOnAPath) {
  ir::Context ctx(ir::standard_ops());
  ir::Builder b(ctx);
  const ir::ValueId x = b.input("x", matrix(ctx));
  const ir::ValueId once = b.add("exp", {x}), twice = b.add("exp", {b.add("mul", {once, once})});
  const ir::ValueId beside = b.add("mul", {once, b.add("exp", {b.add("neg", {x})})});
  const LaxPartition p = partition_lax(b.finish({twice, beside}));
  EXPECT_TRUE(p.outside.empty());
  ASSERT_EQ(p.parts.size(), 2U);
  EXPECT_EQ(p.parts[1].nodes, (std::vector<ir::ValueId>{twice}));
}

// What the field takes for any function is no part of a program that it judges.
TEST(Lax, HasThePowersThatTheFieldHas) {
  ir::Context ctx(ir::standard_ops());
  const auto reason = [&](auto&& make) -> std::string {
    ir::Builder b(ctx);
    const ir::ValueId x = b.input("x", matrix(ctx));
    const LaxPartition p = partition_lax(b.finish({make(b, x)}));
    return p.outside.empty() ? "" : p.outside[0].reason;
  };
  const auto power = [&](std::vector<double> exponents, bool spread = true) {
    return reason([&](ir::Builder& b, ir::ValueId x) {
      const auto n = static_cast<int64_t>(exponents.size());
      const ir::ValueId e = b.constant(
          ir::DType::kF32, n == 1 && spread ? std::vector<int64_t>{} : std::vector<int64_t>{n}, exponents);
      return b.add("pow", {x, broadcast(b, e, {4, 4})});
    });
  };
  for (double e : {2.0, 0.0, 64.0, -3.0, 0.5, -0.5}) EXPECT_EQ(power({e}), "") << e;
  for (double e : {1.5, 65.0, -0.25, 1e30}) EXPECT_EQ(power({e}), "a power") << e;
  EXPECT_EQ(power({2, 3, 0.5, 1}), "");
  EXPECT_EQ(power({2, 3, 0.3, 1}), "a power");
  EXPECT_EQ(reason([](ir::Builder& b, ir::ValueId x) { return b.add("pow", {x, x}); }), "a power");
  const auto cast = [&](ir::DType to) {
    return reason([&](ir::Builder& b, ir::ValueId x) {
      return b.add("cast", {x}, {{"to", static_cast<int64_t>(to)}});
    });
  };
  EXPECT_EQ(cast(ir::DType::kF16), "a rounding to fewer bits");
  EXPECT_EQ(cast(ir::DType::kF64), "");
}

TEST(Lax, HoldsThePapersPrograms) {
  for (const Program& program : programs()) {
    ir::Context ctx(ir::standard_ops());
    const LaxPartition p = partition_lax(program.graph(ctx, program.extents));
    if (program.name ==
        "safe_attention") {  // its maximum; what uses it is judged with any order in its place
      ASSERT_EQ(p.outside.size(), 1U);
      EXPECT_EQ(p.outside[0].reason, "a maximum or minimum");
      continue;
    }
    EXPECT_TRUE(p.outside.empty()) << program.name;
    EXPECT_EQ(p.parts.size(), 1U) << program.name;
  }
}

// Parts and what is outside, one after the other, compute what the whole does.
TEST(Lax, PartsTogetherAreTheProgram) {
  Rng rng(17);
  size_t parts = 0, outside = 0;
  for (int round = 0; round < 40; ++round) {
    ir::Context ctx(ir::standard_ops());
    ir::Builder b(ctx);
    std::vector<ir::ValueId> values = {b.input("x", matrix(ctx)), b.input("y", matrix(ctx))};
    const auto any = [&] { return values[rng.below(values.size())]; };
    for (int i = 0; i < 14; ++i) {
      switch (rng.below(7)) {
        case 0: values.push_back(b.add("matmul", {any(), any()})); break;
        case 1: values.push_back(b.add("sigmoid", {any()})); break;
        case 2: values.push_back(b.add("relu", {any()})); break;
        case 3: values.push_back(b.add("add", {any(), any()})); break;
        case 4: values.push_back(b.add("max", {any(), any()})); break;
        case 5: values.push_back(b.add("softmax", {any()}, {{"axis", int64_t{1}}})); break;
        default: values.push_back(b.add("tanh", {any()})); break;
      }
    }
    const ir::Graph g = b.finish({values.back(), values[values.size() - 2]});
    const LaxPartition p = partition_lax(g);
    parts += p.parts.size();
    outside += p.outside.size();
    const auto inputs = random_tensors({{4, 4}, {4, 4}}, rng);
    std::map<ir::ValueId, FloatTensor> known = {{g.inputs()[0], inputs[0]}, {g.inputs()[1], inputs[1]}};
    for (size_t i : p.order) {
      LaxPart piece;
      if (i < p.parts.size()) {
        piece = p.parts[i];
      } else {
        const ir::ValueId v = p.outside[i - p.parts.size()].node;
        piece.nodes = piece.outputs = {v};
        for (ir::ValueId o : g.operands(v))
          if (std::ranges::find(piece.inputs, o) == piece.inputs.end()) piece.inputs.push_back(o);
      }
      std::vector<FloatTensor> in;
      for (ir::ValueId o : piece.inputs) {
        ASSERT_TRUE(known.contains(o)) << print(p, g);
        in.push_back(known.at(o));
      }
      const auto results = run_graph(subprogram(g, piece), in);
      for (size_t k = 0; k < piece.outputs.size(); ++k) known[piece.outputs[k]] = results[k];
    }
    const auto whole = run_graph(g, inputs);
    for (size_t k = 0; k < 2; ++k) EXPECT_LT(difference(known.at(g.outputs()[k]), whole[k]), 1e-12);
  }
  EXPECT_GT(parts, 80U);
  EXPECT_GT(outside, 80U);
}

}  // namespace
}  // namespace isomer::mugraph
