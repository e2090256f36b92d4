// Scatters by the places of their updates, against the slow reference, on the same nests.
#include "eval/hits.h"

#include <gtest/gtest.h>

#include "eval/nest_run.h"
#include "eval/run_text.h"

namespace isomer::eval_test {
namespace {

/// Of the one operator of `text` as many hits as `hits`, and the same elements either way. Places are drawn
/// from beyond both ends too.
void compare(const std::string& text, size_t hits) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph graph = ir::parse_graph(ctx, text);
  Rng rng(7);
  Operands source = operands_of(graph, rng);
  for (Tensor<double>& t : source.tensors)
    for (int64_t& i : t.integers) i = rng.between(-7, 6);
  const auto nests = nests_of(graph);
  ASSERT_EQ(nests.size(), 1u);
  const std::vector<eval::Hit> found = eval::hits_of(nests[0]);
  ASSERT_EQ(found.size(), hits) << text;
  if (hits == 0) return;
  eval::Float64 domain;
  eval::NestRunner<eval::Float64, Operands> slow(domain, nests[0], "test", source),
      fast(domain, nests[0], "test", source);
  const auto all = fast.scattered(found, eval::Strays::kLost);
  ASSERT_EQ(all.size(), static_cast<size_t>(nests[0].outputs));
  for (size_t i = 0; i < all.size(); ++i) {
    const auto at = static_cast<int64_t>(i);
    if (nests[0].result.sort == meaning::Sort::kInteger)
      ASSERT_EQ(slow.integer(at), fast.integer(at, all[i])) << "element " << i;
    else
      ASSERT_EQ(slow.number(at), fast.number(at, all[i])) << "element " << i;
  }
}

std::string scatter(const std::string& op, const std::string& x, const std::string& places,
                    const std::string& updates) {
  return "graph { %x = input{name=\"x\"} : " + x + " %i = input{name=\"i\"} : " + places +
         " %u = input{name=\"u\"} : " + updates + " %y = " + op + "(%x, %i, %u) : " + x + " return %y }";
}

TEST(Hits, OfUpdatesAlongAnAxis) {
  compare(scatter("scatter_elements{axis=0}", "f32[5]", "i64[9]", "f32[9]"), 1);
  compare(scatter("scatter_elements{axis=1,reduction=\"add\"}", "f32[4,5,3]", "i64[2,6,3]", "f32[2,6,3]"), 1);
  compare(scatter("scatter_elements{axis=2,reduction=\"mul\"}", "i64[2,3,5]", "i32[2,2,7]", "i64[2,2,7]"), 1);
}

TEST(Hits, OfTuplesOfPlaces) {
  compare(scatter("scatter_nd", "f32[5,6,3]", "i64[4,2,2]", "f32[4,2,3]"), 2);
  compare(scatter("scatter_nd{reduction=\"max\"}", "f32[5,6]", "i64[9,2]", "f32[9]"), 2);
  compare(scatter("scatter_nd{reduction=\"add\"}", "i32[5,2]", "i64[9,1]", "i32[9,2]"), 1);
}

TEST(Hits, AreRoundedAndWrappedAsStepsAre) {
  compare(scatter("scatter_elements{axis=0,reduction=\"add\"}", "f16[5]", "i64[40]", "f16[40]"), 1);
  compare(scatter("scatter_elements{axis=0,reduction=\"mul\"}", "i8[5]", "i64[40]", "i8[40]"), 1);
  compare(scatter("scatter_nd{reduction=\"add\"}", "bf16[5,6]", "i64[60,2]", "bf16[60]"), 2);
}

TEST(Hits, OfNoUpdatesAndOfNoElements) {
  compare(scatter("scatter_elements{axis=0}", "f32[5]", "i64[0]", "f32[0]"), 1);
  compare(scatter("scatter_elements{axis=0}", "f32[0,3]", "i64[0,3]", "f32[0,3]"), 1);
}

TEST(Hits, OutOfBoundsAreNoUpdates) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph graph =
      ir::parse_graph(ctx, scatter("scatter_elements{axis=0}", "f32[5]", "i64[2]", "f32[2]"));
  Rng rng(7);
  Operands source = operands_of(graph, rng);
  const auto nests = nests_of(graph);
  const std::vector<eval::Hit> hits = eval::hits_of(nests[0]);
  eval::Float64 domain;
  eval::NestRunner<eval::Float64, Operands> runner(domain, nests[0], "test", source);
  for (const int64_t within : {-5, 0, 4}) {
    source.tensors[1].integers = {1, within};
    EXPECT_NO_THROW(runner.scattered(hits, eval::Strays::kRefused));
  }
  for (const int64_t beyond : {-6, 5}) {
    source.tensors[1].integers = {1, beyond};
    EXPECT_NO_THROW(runner.scattered(hits, eval::Strays::kLost));
    EXPECT_THROW(runner.scattered(hits, eval::Strays::kRefused), eval::ReadOutOfBounds);
  }
}

TEST(Hits, OfOtherOperatorsAreNone) {
  compare(
      R"(graph { %x = input{name="x"} : f32[4,3] %y = reduce_sum{axes=[0],keepdims=0}(%x) : f32[3] return %y })",
      0);
  compare(R"(graph { %x = input{name="x"} : f32[4,3] %y = relu(%x) : f32[4,3] return %y })", 0);
}

}  // namespace
}  // namespace isomer::eval_test
