// Nests over factors: no index is divided, and every element is read where it was.
#include "meaning/factors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "ir/op_table.h"
#include "ir/print.h"
#include "meaning/affine.h"
#include "meaning/index_value.h"
#include "meaning/nest.h"

namespace isomer::meaning {
namespace {

using Sizes = std::vector<int64_t>;

class Factors : public testing::Test {
 protected:
  /// Of the last operator of a graph, both ways.
  struct Both {
    CompiledNest apart, whole;
  };
  Both both(const std::string& text) {
    const ir::Graph g = ir::parse_graph(ctx_, "graph {" + text + "}");
    const ir::ValueId v = g.outputs()[0];
    std::vector<ir::TypeId> types;
    for (const ir::ValueId o : g.operands(v)) types.push_back(g.type_id(o));
    const ir::OpInstance op(ctx_, g.def(v), g.attrs(v), types, g.type_id(v));
    return {compile_nests(op, "op")[0], compile_nests(op, "op", Variables::kAsDeclared)[0]};
  }
  ir::Context ctx_{ir::standard_ops()};
};

/// Places of variables at a step of a nest, the last one fastest.
Sizes digits(int64_t number, const Sizes& extents) {
  Sizes out(extents.size());
  for (size_t i = extents.size(); i-- > 0; number /= extents[i]) out[i] = number % extents[i];
  return out;
}

void expect_same_reads(const CompiledNest& apart, const CompiledNest& whole) {
  EXPECT_EQ(apart.shape, whole.shape);
  ASSERT_EQ(apart.outputs, whole.outputs);
  ASSERT_EQ(apart.reductions, whole.reductions);
  for (size_t r = 0; r < apart.reads.size(); ++r) {
    EXPECT_TRUE(apart.reads[r].affine);
    for (int64_t step = 0; step < apart.outputs * apart.reductions; ++step) {
      const Sizes here = digits(step, apart.extents), there = digits(step, whole.extents);
      for (size_t d = 0; d < apart.reads[r].dims.size(); ++d)
        ASSERT_EQ(apart.reads[r].dims[d].at(here), value_at(whole.reads[r].index[d], there)) << step;
    }
  }
}

TEST_F(Factors, ReshapesRunOverThem) {
  const Both merged =
      both("%x = input{name=\"x\"} : f32[2,6,4]\n %r = reshape{shape=[2,24]}(%x) : f32[2,24]\n return %r");
  EXPECT_FALSE(merged.whole.reads[0].affine);
  EXPECT_EQ(merged.apart.space, (Sizes{2, 6, 4}));
  expect_same_reads(merged.apart, merged.whole);

  const Both regrouped =
      both("%x = input{name=\"x\"} : f32[4,30]\n %r = reshape{shape=[20,6]}(%x) : f32[20,6]\n return %r");
  EXPECT_EQ(regrouped.apart.space, (Sizes{4, 5, 6}));
  expect_same_reads(regrouped.apart, regrouped.whole);

  // No factors are common to both.
  const Both crossed =
      both("%x = input{name=\"x\"} : f32[2,3]\n %r = reshape{shape=[3,2]}(%x) : f32[3,2]\n return %r");
  EXPECT_FALSE(crossed.apart.reads[0].affine);
  EXPECT_EQ(crossed.apart.space, (Sizes{3, 2}));
}

TEST_F(Factors, ChannelsOfGroupedConvolutionsAreGroupsAndThoseWithin) {
  const Both nest = both(
      "%x = input{name=\"x\"} : f32[1,6,5]\n %w = input{name=\"w\"} : f32[8,3,2]\n"
      "%c = conv{strides=[1],pads=[0,0],dilations=[1],group=2}(%x, %w) : f32[1,8,4]\n return %c");
  EXPECT_FALSE(nest.whole.reads[0].affine);
  EXPECT_EQ(nest.apart.space, (Sizes{1, 2, 4, 4}));
  expect_same_reads(nest.apart, nest.whole);
}

TEST_F(Factors, GroupsOfPaddedConvolutionsAreReadBeyondTheirEdgesAsBefore) {
  const Both nest = both(
      "%x = input{name=\"x\"} : f32[1,6,5]\n %w = input{name=\"w\"} : f32[8,3,2]\n"
      "%c = conv{strides=[2],pads=[1,2],dilations=[1],group=2}(%x, %w) : f32[1,8,4]\n return %c");
  EXPECT_EQ(nest.apart.space, (Sizes{1, 2, 4, 4}));
  EXPECT_TRUE(nest.apart.reads[0].guarded);
  EXPECT_FALSE(nest.apart.reads[0].in_bounds);
  expect_same_reads(nest.apart, nest.whole);
}

/// Of x, whose first index is a variable divided by `by`, and then the rest of it.
ir::LoopNest dividing(Sizes space, Sizes reduce, int variable, int64_t by) {
  ir::LoopNest out{ir::as_sizes(space), ir::as_sizes(reduce), {}, {}, ir::scalar::read(0)};
  const ir::IndexExpr v = ir::IndexExpr::var(variable);
  out.reads = {{0, {v.floor_div(by), v.mod(by)}}};
  if (!reduce.empty()) {
    out.accumulators = {{ir::scalar::read(0)}};
    out.result = ir::scalar::acc(0);
  }
  return out;
}

bool is_divided(const ir::LoopNest& nest) {
  std::vector<int64_t> extents = ir::numbers(nest.space);
  for (const ir::Size& size : nest.reduce) extents.push_back(size.number());
  return std::ranges::any_of(nest.reads[0].index, [&](const auto& e) { return !to_affine(e, extents); });
}

TEST_F(Factors, ReductionsAreSplitToo) {
  const ir::LoopNest nest = in_factors(dividing({5}, {2, 12}, 2, 4));
  EXPECT_EQ(ir::numbers(nest.space), (Sizes{5}));
  EXPECT_EQ(ir::numbers(nest.reduce), (Sizes{2, 3, 4}));
  EXPECT_FALSE(is_divided(nest));
}

TEST_F(Factors, WhatAScanGoesAlongStaysWholeAndIsNumberedAnew) {
  ir::LoopNest across = dividing({12, 7}, {7}, 0, 4);
  across.scan.up_to = 1;
  const ir::LoopNest moved = in_factors(across);
  EXPECT_EQ(ir::numbers(moved.space), (Sizes{3, 4, 7}));
  EXPECT_EQ(moved.scan.up_to, 2);
  EXPECT_FALSE(is_divided(moved));

  for (const int variable : {0, 1}) {  // the place, and the steps up to it
    ir::LoopNest along = dividing({12}, {12}, variable, 4);
    along.scan.up_to = 0;
    const ir::LoopNest whole = in_factors(along);
    EXPECT_EQ(ir::numbers(whole.space), (Sizes{12}));
    EXPECT_EQ(ir::numbers(whole.reduce), (Sizes{12}));
    EXPECT_TRUE(is_divided(whole));
  }
}

TEST_F(Factors, VariablesThatAreNamedStayWholeAndAreNumberedAnew) {
  ir::LoopNest named = dividing({12, 7}, {}, 0, 4);
  named.result = ir::scalar::read(0) + ir::scalar::apply(ir::ScalarOp::kToNumber, ir::scalar::var(1));
  const ir::LoopNest split = in_factors(named);
  EXPECT_EQ(ir::numbers(split.space), (Sizes{3, 4, 7}));
  EXPECT_TRUE(split.result.names(2));
  EXPECT_FALSE(split.result.names(1));

  named.result = ir::scalar::read(0) + ir::scalar::apply(ir::ScalarOp::kToNumber, ir::scalar::var(0));
  EXPECT_EQ(ir::numbers(in_factors(named).space), (Sizes{12, 7}));
}

TEST_F(Factors, WhatNeedsNoneStaysAsDeclared) {
  const Both split =
      both("%x = input{name=\"x\"} : f32[2,24]\n %r = reshape{shape=[2,6,4]}(%x) : f32[2,6,4]\n return %r");
  EXPECT_TRUE(split.whole.reads[0].affine);
  EXPECT_EQ(split.apart.space, split.whole.space);
}

}  // namespace
}  // namespace isomer::meaning
