// Accumulators that begin with a value, combine by steps together, are kept in a narrow type, give several
// results; scans; reads that are valid by condition: operators of a table of their own, evaluated.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "eval/run_text.h"
#include "ir/constant_data.h"
#include "ir/ops/declare.h"
#include "ir/ops/families.h"
#include "support/errors.h"

namespace isomer::eval_test {
namespace {

using ir::Combiner;
using ir::IndexExpr;
using ir::LoopNest;
using ir::OpDef;
using ir::OpInstance;
using ir::ScalarOp;
namespace scalar = ir::scalar;

LoopNest over_all(const OpInstance& op) {
  LoopNest nest;
  nest.reduce = {op.in_extents(0)[0]};
  nest.reads = {ir::ops::read_at(0, {IndexExpr::var(0)})};
  return nest;
}

/// The largest element and the first place of it: two accumulators of one nest, two results.
OpDef largest_with_place() {
  OpDef def =
      ir::ops::operation("largest_with_place", ir::MeaningKind::kContraction, 1, {}, "(value, place)");
  def.infer = [](const OpInstance& op) {
    return ir::Inferred::ok(op.ctx.intern(
        ir::Type::tuple({op.ctx.tensor_type(op.in_dtype(0), {}), op.ctx.tensor_type(ir::DType::kI64, {})})));
  };
  def.nests = [](const OpInstance& op) {
    LoopNest nest = over_all(op);
    nest.ordered = true;
    const auto x = scalar::read(0);
    const auto more = scalar::apply(ScalarOp::kLess, scalar::acc(0), x);
    nest.accumulators = {
        {scalar::select(more, x, scalar::acc(0)), Combiner::kStep, scalar::number(-INFINITY)},
        {scalar::select(more, scalar::var(0), scalar::acc(1)), Combiner::kStep, scalar::integer(0)}};
    nest.result = scalar::acc(0);
    nest.further = {scalar::acc(1)};
    return std::vector{std::move(nest)};
  };
  return def;
}

/// 100 and the sum, kept in 16 bits.
OpDef narrow_sum() {
  OpDef def = ir::ops::operation("narrow_sum", ir::MeaningKind::kContraction, 1, {}, "a sum");
  def.infer = [](const OpInstance& op) { return ir::Inferred::ok(op.ctx.tensor_type(op.in_dtype(0), {})); };
  def.nests = [](const OpInstance& op) {
    LoopNest nest = over_all(op);
    nest.accumulators = {{scalar::read(0), Combiner::kSum, scalar::number(100), ir::DType::kF16}};
    nest.result = scalar::acc(0);
    return std::vector{std::move(nest)};
  };
  return def;
}

/// x spread out: every second place of the result is x's, the others are 9.
OpDef spread() {
  OpDef def = ir::ops::operation("spread", ir::MeaningKind::kMovement, 1, {}, "with gaps");
  def.infer = [](const OpInstance& op) {
    return ir::Inferred::ok(op.ctx.tensor_type(op.in_dtype(0), {ir::Dim(2 * op.in_shape(0)[0].size())}));
  };
  def.nests = [](const OpInstance& op) {
    const IndexExpr at = IndexExpr::var(0);
    ir::Read read = ir::ops::read_guarded(0, {at.floor_div(2)}, 9);
    read.zero = {at.mod(2)};
    return std::vector{ir::ops::movement(op.out_extents(), std::move(read))};
  };
  return def;
}

struct Table {
  ir::OpTable ops;
  Table() {
    ir::ops::register_leaf(ops);
    for (OpDef def : {largest_with_place(), narrow_sum(), spread()}) ops.add(std::move(def));
  }
};

TEST(Accumulators, TakeStepsTogether) {
  const Table table;
  ir::Context ctx(table.ops);
  const Ran ran = run_text(ctx,
                           "graph { %x = input{name=\"x\"} : f32[40]\n %m = largest_with_place(%x) : (f32[], "
                           "i64[])\n return %m }");
  const auto& x = ran.inputs[0].numbers;
  const auto largest = std::max_element(x.begin(), x.end());
  EXPECT_EQ(ran.outputs.at(0).numbers[0], *largest);
  EXPECT_EQ(ran.outputs.at(1).integers[0], largest - x.begin());
}

TEST(Accumulators, BeginWithAValueAndAreKeptAsSaid) {
  const Table table;
  ir::Context ctx(table.ops);
  const Ran ran =
      run_text(ctx, "graph { %x = input{name=\"x\"} : f32[50]\n %s = narrow_sum(%x) : f32[]\n return %s }");
  double sum = 100;
  for (double x : ran.inputs[0].numbers) sum = ir::round_to(ir::DType::kF16, sum + x);
  EXPECT_EQ(ran.outputs[0].numbers[0], sum);
  EXPECT_NE(sum, std::accumulate(ran.inputs[0].numbers.begin(), ran.inputs[0].numbers.end(), 100.0));
}

TEST(Reads, AreValidByCondition) {
  const Table table;
  ir::Context ctx(table.ops);
  const Ran ran =
      run_text(ctx, "graph { %x = input{name=\"x\"} : f32[3]\n %s = spread(%x) : f32[6]\n return %s }");
  const auto& x = ran.inputs[0].numbers;
  EXPECT_EQ(ran.outputs[0].numbers, (std::vector<double>{x[0], 9, x[1], 9, x[2], 9}));
}

TEST(Scans, SumSoFar) {
  for (const bool exclusive : {false, true})
    for (const bool reverse : {false, true}) {
      ir::Context ctx(ir::standard_ops());
      const Ran ran = run_text(ctx,
                               "graph { %x = input{name=\"x\"} : i32[2,5,3]\n %s = cumsum{axis=1,exclusive=" +
                                   std::to_string(exclusive) + ",reverse=" + std::to_string(reverse) +
                                   "}(%x) : i32[2,5,3]\n return %s }",
                               4, 50);
      const auto& x = ran.inputs[0].integers;
      for (int a = 0; a < 2; ++a)
        for (int i = 0; i < 5; ++i)
          for (int c = 0; c < 3; ++c) {
            int64_t sum = 0;
            for (int j = 0; j < 5; ++j)
              if (j == i ? !exclusive : (j < i) != reverse)
                sum += x[static_cast<size_t>((a * 5 + j) * 3 + c)];
            EXPECT_EQ(ran.outputs[0].integers[static_cast<size_t>((a * 5 + i) * 3 + c)], sum);
          }
    }
}

constexpr const char* kLargestAndPlace = R"(graph { %x = input{name="x"} : f32[3,7]
  %i = input{name="i"} : i64[3,7]
  %least = constant : f32[] {-inf}
  %none = constant : i64[] {-1}
  %r = reduce{axes=[1],combiner={
    %a = input{name="a"} : f32[]
    %p = input{name="p"} : i64[]
    %b = input{name="b"} : f32[]
    %q = input{name="q"} : i64[]
    %more = less(%a, %b) : bool[]
    %m = where(%more, %b, %a) : f32[]
    %n = where(%more, %q, %p) : i64[]
    return %m, %n }}(%x, %i, %least, %none) : (f32[3], i64[3])
  return %r })";

TEST(Regions, CombineSeveralTensors) {
  ir::Context ctx(ir::standard_ops());
  const Ran ran = run_text(ctx, kLargestAndPlace, 2, 90);
  const auto& x = ran.inputs[0].numbers;
  const auto& i = ran.inputs[1].integers;
  for (int row = 0; row < 3; ++row) {
    const auto first = x.begin() + row * 7, best = std::max_element(first, first + 7);
    EXPECT_EQ(ran.outputs.at(0).numbers[static_cast<size_t>(row)], *best);
    EXPECT_EQ(ran.outputs.at(1).integers[static_cast<size_t>(row)], i[static_cast<size_t>(best - x.begin())]);
  }
}

TEST(Regions, MustBeScalarAndPointwise) {
  ir::Context ctx(ir::standard_ops());
  const std::string good = kLargestAndPlace;
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    return text;
  };
  EXPECT_NO_THROW(ir::parse_graph(ctx, good));
  EXPECT_THROW(ir::parse_graph(ctx, with("return %m, %n", "return %m")), InputError);
  EXPECT_THROW(ir::parse_graph(ctx, with("return %m, %n", "return %m, %more")), InputError);
  EXPECT_THROW(ir::parse_graph(ctx, with("%m = where(%more, %b, %a) : f32[]",
                                         "%m = reduce_max{axes=[],keepdims=1}(%b) : f32[]")),
               InputError);
  EXPECT_THROW(ir::parse_graph(ctx, with("axes=[1]", "axes=[2]")), InputError);
}

TEST(Order, WithoutDataChangesNothing) {
  ir::Context ctx(ir::standard_ops());
  const Ran ran =
      run_text(ctx,
               "graph { %x = input{name=\"x\"} : f32[3]\n %e = exp(%x) : f32[3]\n %a = after(%x, %e) "
               ": f32[3]\n return %a }");
  EXPECT_EQ(ran.outputs[0].numbers, ran.inputs[0].numbers);
}

}  // namespace
}  // namespace isomer::eval_test
