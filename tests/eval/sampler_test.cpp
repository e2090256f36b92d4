#include "eval/sampler.h"

#include <gtest/gtest.h>

#include "eval/field.h"
#include "eval/run_text.h"

namespace isomer::eval_test {
namespace {

TEST(Sampler, AgreesWithWholeEvaluation) {
  ir::Context ctx(ir::standard_ops());
  const std::string text = R"(graph {
    %x = input{name="x"} : f32[1,4,6,6]
    %w = input{name="w"} : f32[8,2,3,3]
    %y = conv{strides=[1,1], dilations=[1,1], pads=[1,1,1,1], group=2}(%x, %w) : f32[1,8,6,6]
    %s = split{axis=1, sizes=[3,5]}(%y) : (f32[1,3,6,6], f32[1,5,6,6])
    %a = get{index=1}(%s) : f32[1,5,6,6]
    %p = softmax{axis=1}(%a) : f32[1,5,6,6]
    return %p })";
  const Ran ran = run_text(ctx, text);
  const ir::Graph graph = ir::parse_graph(ctx, text);
  const meaning::Flat flat = meaning::flatten(graph);
  eval::Float64 domain;
  eval::Sampler<eval::Float64> sampler(domain, flat.graph,
                                       {[&](ir::ValueId v, size_t, int64_t i) {
                                          const bool first = v == flat.graph.inputs()[0];
                                          return ran.inputs[first ? 0 : 1].numbers[static_cast<size_t>(i)];
                                        },
                                        [](ir::ValueId, size_t, int64_t) { return int64_t{0}; }});
  for (int64_t i = 0; i < 180; i += 7)
    EXPECT_NEAR(sampler.number(flat.graph.outputs()[0], i), ran.outputs[0].numbers[static_cast<size_t>(i)],
                1e-13);
}

TEST(Sampler, OneElementOfTwoThousandCubedProducts) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph graph = ir::parse_graph(ctx, R"(graph {
    %a = input{name="a"} : f32[1024,1024]
    %b = input{name="b"} : f32[1024,1024]
    %c = input{name="c"} : f32[1024,1024]
    %d = matmul(%a, %b) : f32[1024,1024]
    %e = matmul(%d, %c) : f32[1024,1024]
    return %e })");
  const meaning::Flat flat = meaning::flatten(graph);
  eval::PrimeField field;
  const auto leaf = [](ir::ValueId v, size_t, int64_t i) {
    return eval::PrimeField::from_hash(hash_combine(v.v, static_cast<uint64_t>(i)));
  };
  eval::Sampler<eval::PrimeField> sampler(field, flat.graph, {leaf, {}});
  sampler.set_budget(
      5'000'000);  // 1,024 sums of 1,024 products, where whole tensors would take two thousand times that
  const eval::FieldValue element = sampler.number(flat.graph.outputs()[0], 3 * 1024 + 5);
  // (a b) c by the other bracketing: row 3 of a times (b times column 5 of c).
  eval::FieldValue expected{};
  for (int64_t k = 0; k < 1024; ++k) {
    eval::FieldValue inner{};
    for (int64_t j = 0; j < 1024; ++j)
      inner = field.add(inner, field.mul(leaf(flat.graph.inputs()[1], 0, k * 1024 + j),
                                         leaf(flat.graph.inputs()[2], 0, j * 1024 + 5)));
    expected = field.add(expected, field.mul(leaf(flat.graph.inputs()[0], 0, 3 * 1024 + k), inner));
  }
  EXPECT_EQ(element, expected);
}

TEST(Sampler, KeepsToItsBudget) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph graph = ir::parse_graph(ctx, R"(graph {
    %a = input{name="a"} : f32[64,64]
    %d = matmul(%a, %a) : f32[64,64]
    return %d })");
  const meaning::Flat flat = meaning::flatten(graph);
  eval::Float64 domain;
  eval::Sampler<eval::Float64> sampler(domain, flat.graph,
                                       {[](ir::ValueId, size_t, int64_t) { return 1.0; }, {}});
  sampler.set_budget(100);
  EXPECT_THROW(sampler.number(flat.graph.outputs()[0], 0), eval::SampleBudgetSpent);
}

}  // namespace
}  // namespace isomer::eval_test
