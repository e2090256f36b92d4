// Models stated again: they compute the same, and more of them is pieces.
#include "mugraph/restate.h"

#include <gtest/gtest.h>

#include "ir/print.h"
#include "mugraph/random_tensors.h"
#include "mugraph/search.h"
#include "mugraph/subprograms.h"
#include "mugraph/two_layers.h"

namespace isomer::mugraph {
namespace {

ir::Graph parsed(ir::Context& ctx, const std::string& text) { return ir::parse_graph(ctx, text); }

/// Both on the same inputs.
void expect_the_same(const ir::Graph& a, const ir::Graph& b) {
  Rng rng(5);
  std::vector<FloatTensor> inputs;
  for (const ir::ValueId v : a.inputs())
    inputs.push_back(random_tensors({ir::sizes(a.type(v).shape)}, rng)[0]);
  const std::vector<FloatTensor> is = run_graph(b, inputs), should = run_graph(a, inputs);
  ASSERT_EQ(is.size(), should.size());
  for (size_t i = 0; i < is.size(); ++i) {
    EXPECT_EQ(is[i].sizes, should[i].sizes);
    EXPECT_LT(difference(is[i], should[i]), 1e-12) << ir::print(b);
  }
}

size_t count_of(const ir::Graph& g, const std::string& op) {
  size_t out = 0;
  for (size_t i = 0; i < g.size(); ++i) out += g.def(ir::ValueId(i)).name == op;
  return out;
}

const std::string kNorms = R"(graph {
  %x = input{name="x"} : f32[4,64]
  %g = input{name="g"} : f32[64]
  %b = input{name="b"} : f32[64]
  %r = rms_norm{axis=1, epsilon=0.001}(%x, %g) : f32[4,64]
  %l = layer_norm{axis=1, epsilon=0.001}(%r, %g, %b) : f32[4,64]
  %e = exp(%l) : f32[4,64]
  %i = reciprocal(%e) : f32[4,64]
  %s = softmax{axis=1}(%i) : f32[4,64]
  return %s })";

TEST(Restate, NormsAreWrittenOutAndSoftmaxIsNot) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph g = parsed(ctx, kNorms), r = with_definitions(g);
  for (const char* op : {"rms_norm", "layer_norm", "reciprocal"}) EXPECT_EQ(count_of(r, op), 0u) << op;
  EXPECT_EQ(count_of(r, "softmax"), 1u);
  expect_the_same(g, r);
}

/// Eight heads of queries, two of keys and values, as exporters repeat them.
std::string grouped_queries(int batch, int queries, const std::string& mask) {
  const auto text = [](int n) { return std::to_string(n); };
  std::string out = R"(graph {
  %q = input{name="q"} : f32[B,8,S,16]
  %k = input{name="k"} : f32[B,2,32,16]
  %v = input{name="v"} : f32[B,2,32,16]
  %m = input{name="m"} : f32[MASK]
  %k1 = reshape{shape=[B,2,1,32,16]}(%k) : f32[B,2,1,32,16]
  %k2 = broadcast{shape=[B,2,4,32,16]}(%k1) : f32[B,2,4,32,16]
  %k3 = reshape{shape=[B,8,32,16]}(%k2) : f32[B,8,32,16]
  %k4 = transpose{perm=[0,1,3,2]}(%k3) : f32[B,8,16,32]
  %s = matmul(%q, %k4) : f32[B,8,S,32]
  %mb = broadcast{shape=[B,8,S,32]}(%m) : f32[B,8,S,32]
  %a = add(%s, %mb) : f32[B,8,S,32]
  %p = softmax{axis=3}(%a) : f32[B,8,S,32]
  %v1 = reshape{shape=[B,2,1,32,16]}(%v) : f32[B,2,1,32,16]
  %v2 = broadcast{shape=[B,2,4,32,16]}(%v1) : f32[B,2,4,32,16]
  %v3 = reshape{shape=[B,8,32,16]}(%v2) : f32[B,8,32,16]
  %o = matmul(%p, %v3) : f32[B,8,S,16]
  %t = transpose{perm=[0,2,1,3]}(%o) : f32[B,S,8,16]
  %y = reshape{shape=[B,S,128]}(%t) : f32[B,S,128]
  return %y })";
  for (const auto& [from, to] :
       {std::pair{std::string("MASK"), mask}, {"B", text(batch)}, {"S", text(queries)}})
    for (size_t at = 0; (at = out.find(from, at)) != std::string::npos; at += to.size())
      out.replace(at, from.size(), to);
  return out;
}

TEST(Restate, QueryHeadsThatShareKeysAreRowsOfOneProduct) {
  ir::Context ctx(ir::standard_ops());
  for (const int batch : {1, 3})
    for (const std::string mask : {"1,1,1,32", "1,1,S,32"}) {
      const ir::Graph g = parsed(ctx, grouped_queries(batch, 5, mask)), r = restated(g);
      expect_the_same(g, r);
      for (size_t i = 0; i < r.size(); ++i)
        if (r.def(ir::ValueId(i)).is_matrix_product()) {
          const Sizes sizes = ir::sizes(r.type(ir::ValueId(i)).shape);
          EXPECT_EQ(sizes[0], 2 * batch);
          EXPECT_EQ(sizes[1], 20);
        }
      const Subprograms s = subprograms_of(r, "heads", Maxima::kWith);
      ASSERT_EQ(s.found.size(), 1u) << print(s);
      EXPECT_EQ(s.found[0].program.doc, "add, matmul x2, softmax");
      EXPECT_EQ(s.found[0].program.batch.size(), 1u);
      EXPECT_TRUE(s.found[0].aside);
    }
}

TEST(Restate, LeavesWhatRepeatsNothingAlone) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph g = parsed(ctx, R"(graph {
    %q = input{name="q"} : f32[1,4,8,16]
    %k = input{name="k"} : f32[1,4,16,8]
    %s = matmul(%q, %k) : f32[1,4,8,8]
    %t = tanh(%s) : f32[1,4,8,8]
    return %t })");
  EXPECT_EQ(ir::print(restated(g)), ir::print(g));
}

/// Some muGraph of one kernel, proved.
void expect_one_kernel(const std::string& text) {
  ir::Context ctx(ir::standard_ops());
  const Subprograms s = subprograms_of(restated(parsed(ctx, text)), "norm", Maxima::kWith);
  ASSERT_EQ(s.found.size(), 1u) << print(s);
  const Program& p = s.found[0].program;
  SearchOptions options = preset_for(p);
  options.target = cpu_target(Cpu{});
  const SearchResult r = search(p, p.extents, options);
  bool one_kernel = false;
  for (const FoundMuGraph& f : r.found) {
    EXPECT_TRUE(f.verdict.verdict.equivalent()) << summary(f.verdict);
    one_kernel = one_kernel || f.model.nodes.size() == 1;
  }
  EXPECT_TRUE(one_kernel) << r.found.size() << " of " << p.doc;
}

TEST(Restate, NormsWithParametersAreSearched) {
  expect_one_kernel(R"(graph {
    %x = input{name="x"} : f32[16,64]
    %g = input{name="g"} : f32[64]
    %w = input{name="w"} : f32[64,32]
    %n = rms_norm{axis=1, epsilon=0.001}(%x, %g) : f32[16,64]
    %y = matmul(%n, %w) : f32[16,32]
    return %y })");
  expect_one_kernel(R"(graph {
    %x = input{name="x"} : f32[16,64]
    %g = input{name="g"} : f32[64]
    %b = input{name="b"} : f32[64]
    %n = layer_norm{axis=1, epsilon=0.001}(%x, %g, %b) : f32[16,64]
    return %n })");
}

// A product with a residual and the norm of that are more operators than a search covers.
TEST(Restate, WhatANormIsTakenOfIsAPieceByItself) {
  ir::Context ctx(ir::standard_ops());
  const Subprograms s = subprograms_of(restated(parsed(ctx, R"(graph {
    %x = input{name="x"} : f32[16,64]
    %w = input{name="w"} : f32[64,64]
    %r = input{name="r"} : f32[16,64]
    %g = input{name="g"} : f32[64]
    %b = input{name="b"} : f32[64]
    %m = matmul(%x, %w) : f32[16,64]
    %a = add(%m, %r) : f32[16,64]
    %n = layer_norm{axis=1, epsilon=0.001}(%a, %g, %b) : f32[16,64]
    return %n })")),
                                       "layer", Maxima::kWith);
  ASSERT_EQ(s.found.size(), 2u) << print(s);
  EXPECT_EQ(s.found[0].program.doc, "add, matmul");
  EXPECT_EQ(s.found[1].program.doc, "add x2, div, mul x2, reduce_mean x2, sqrt, sub");
}

TEST(Restate, ReluIsSearchedAsAFunction) { expect_one_kernel(kTwoLayers); }

}  // namespace
}  // namespace isomer::mugraph
