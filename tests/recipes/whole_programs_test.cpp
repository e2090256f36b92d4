#include "recipes/whole_programs.h"

#include <gtest/gtest.h>

#include <cmath>

#include "ir/constant_data.h"
#include "ir/op_table.h"
#include "support/errors.h"

namespace isomer::recipes {
namespace {

using ir::ValueId;

struct WholePrograms {
  ir::Context ctx{ir::standard_ops()};

  ValueId weight(ir::Builder& b, const std::string& name, const std::vector<int64_t>& shape) {
    const ir::TypeId type = ctx.tensor_type(ir::DType::kF32, ir::static_shape(shape));
    return b.add("weight", {}, {{"name", name}, {"type", int64_t{type.v}}});
  }
  ValueId product(ir::Builder& b, ValueId x, ValueId w) {
    return b.add("taso.matmul", {x, w}, {{"act", int64_t{0}}});
  }

  /// x a + x b, or x (a + b) by joined weights, or (wrong) x a + x a.
  ir::Graph sum(int how) {
    ir::Builder b(ctx, "sum");
    const ValueId x = b.input("x", ctx.tensor_type(ir::DType::kF32, ir::static_shape({4, 16})));
    const ValueId a = weight(b, "a", {16, 8}), c = weight(b, "b", {16, 8});
    if (how == 1) return b.finish({product(b, x, b.add("add", {a, c}))});
    return b.finish({b.add("add", {product(b, x, a), product(b, x, how == 0 ? c : a)})});
  }
};

TEST(WholePrograms, WeightsDependOnNameAndTypeAlone) {
  WholePrograms p;
  const ir::Graph one = with_made_up_weights(p.sum(0)), other = with_made_up_weights(p.sum(2));
  const auto values = [&](const ir::Graph& g) {
    std::vector<std::vector<double>> out;
    for (size_t i = 0; i < g.size(); ++i)
      if (const ValueId v(i); g.def(v).name == "constant") {
        const auto id = static_cast<uint32_t>(std::get<int64_t>(p.ctx.get(g.attrs(v)[0])));
        out.push_back(ir::numbers(p.ctx, ir::ConstantId(id)));
      }
    return out;
  };
  const auto first = values(one), second = values(other);
  ASSERT_EQ(first.size(), 2u);
  ASSERT_EQ(second.size(), 1u);  // the other is not used
  EXPECT_EQ(first[0], second[0]);
  EXPECT_NE(first[0], first[1]);
  for (double x : first[0]) EXPECT_LE(std::abs(x), std::sqrt(3.0 / 16));
}

TEST(WholePrograms, AreTimedAndComparedWithTheFirst) {
  WholePrograms p;
  const std::vector<ir::Graph> programs = {p.sum(0), p.sum(1), p.sum(2)};
  WholeProgramOptions options;
  options.loads = 2;
  options.seconds = 0.1;
  std::vector<WholeProgram> r;
  try {
    r = run_whole(programs, options);
  } catch (const MissingRuntimeError&) {
    GTEST_SKIP() << "ONNX Runtime is not installed";
  }
  ASSERT_EQ(r.size(), 3u);
  for (const WholeProgram& w : r) {
    EXPECT_EQ(w.failure, "");
    EXPECT_GT(w.milliseconds, 0);
  }
  EXPECT_EQ(r[0].error, 0);
  EXPECT_LT(r[1].error, 1e-5);
  EXPECT_GT(r[2].error, 0.01);
}

TEST(WholePrograms, AreComparedWithoutBeingTimed) {
  WholePrograms p;
  try {
    EXPECT_LT(compare_whole(p.sum(0), p.sum(1)).error, 1e-5);
    const WholeProgram wrong = compare_whole(p.sum(0), p.sum(2));
    EXPECT_EQ(wrong.failure, "");
    EXPECT_GT(wrong.error, 0.01);
  } catch (const MissingRuntimeError&) {
    GTEST_SKIP() << "ONNX Runtime is not installed";
  }
}

}  // namespace
}  // namespace isomer::recipes
