// Programs taken out of graphs: what they are, that they compute what the graph does there, and that they can
// be searched.
#include "mugraph/subprograms.h"

#include <gtest/gtest.h>

#include "ir/print.h"
#include "mugraph/lax.h"
#include "mugraph/random_tensors.h"
#include "mugraph/search.h"

namespace isomer::mugraph {
namespace {

/// A decoder layer as LLaMA has it, small: 16 tokens, 64 channels, 4 heads.
constexpr const char* kDecoder = R"(graph decoder {
  %0 = input{name="x"} : f32[1,16,64]
  %1 = input{name="gain"} : f32[64]
  %2 = input{name="wq"} : f32[64,64]
  %3 = input{name="mask"} : f32[1,4,16,16]
  %4 = input{name="w1"} : f32[64,256]
  %5 = input{name="w2"} : f32[64,256]
  %6 = input{name="w3"} : f32[256,64]
  %7 = constant : f32[] {2}
  %8 = broadcast{shape=[1,16,64]}(%7) : f32[1,16,64]
  %9 = pow(%0, %8) : f32[1,16,64]
  %10 = reduce_mean{axes=[2], keepdims=1}(%9) : f32[1,16,1]
  %11 = constant : f32[] {0.001}
  %12 = broadcast{shape=[1,16,1]}(%11) : f32[1,16,1]
  %13 = add(%10, %12) : f32[1,16,1]
  %14 = sqrt(%13) : f32[1,16,1]
  %15 = broadcast{shape=[1,16,64]}(%14) : f32[1,16,64]
  %16 = div(%0, %15) : f32[1,16,64]
  %17 = broadcast{shape=[1,16,64]}(%1) : f32[1,16,64]
  %18 = mul(%16, %17) : f32[1,16,64]
  %19 = matmul(%18, %2) : f32[1,16,64]
  %20 = reshape{shape=[1,16,4,16]}(%19) : f32[1,16,4,16]
  %21 = transpose{perm=[0,2,1,3]}(%20) : f32[1,4,16,16]
  %22 = transpose{perm=[0,1,3,2]}(%21) : f32[1,4,16,16]
  %23 = matmul(%21, %22) : f32[1,4,16,16]
  %24 = constant : f32[] {4}
  %25 = broadcast{shape=[1,4,16,16]}(%24) : f32[1,4,16,16]
  %26 = div(%23, %25) : f32[1,4,16,16]
  %27 = add(%26, %3) : f32[1,4,16,16]
  %28 = softmax{axis=3}(%27) : f32[1,4,16,16]
  %29 = matmul(%28, %21) : f32[1,4,16,16]
  %30 = transpose{perm=[0,2,1,3]}(%29) : f32[1,16,4,16]
  %31 = reshape{shape=[1,16,64]}(%30) : f32[1,16,64]
  %32 = add(%31, %0) : f32[1,16,64]
  %33 = matmul(%32, %4) : f32[1,16,256]
  %34 = silu(%33) : f32[1,16,256]
  %35 = matmul(%32, %5) : f32[1,16,256]
  %36 = mul(%34, %35) : f32[1,16,256]
  %37 = matmul(%36, %6) : f32[1,16,64]
  %38 = add(%37, %32) : f32[1,16,64]
  return %38
}
)";

TEST(Subprograms, OfAProgramAreTheProgram) {
  for (const char* name : {"rmsnorm", "gated_mlp", "lora", "mlp"}) {
    const Program& named = program(name);
    ir::Context ctx(ir::standard_ops());
    const Subprograms s = subprograms_of(named.graph(ctx, named.extents), "file");
    ASSERT_EQ(s.found.size(), 1u) << name << "\n" << print(s);
    const Program& p = s.found[0].program;
    EXPECT_EQ(search_number(p, p.extents, {}), search_number(named, named.extents, {})) << name << print(s);
  }
  // Attention's names say that Q and V have rows of one length; nothing in the graph does.
  ir::Context ctx(ir::standard_ops());
  const Program& named = program("qknorm_gqa");
  const Subprograms s = subprograms_of(named.graph(ctx, named.extents), "file");
  ASSERT_EQ(s.found.size(), 1u) << print(s);
  const Program& p = s.found[0].program;
  EXPECT_EQ(p.batch, std::vector<std::string>{p.inputs[0].dims[0]});
  EXPECT_EQ(p.block_kernels, named.block_kernels);
  using Dims = std::vector<std::string>;
  EXPECT_EQ(p.inputs[0].dims, (Dims{"a", "b", "c"}));
  EXPECT_EQ(p.inputs[1].dims, (Dims{"a", "c", "d"}));
  EXPECT_EQ(p.inputs[2].dims, (Dims{"a", "d", "e"}));
}

TEST(Subprograms, ComputeWhatTheGraphDoesThere) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph g = ir::parse_graph(ctx, kDecoder);
  const Subprograms s = subprograms_of(g, "decoder");
  ASSERT_EQ(s.found.size(), 4u) << print(s);  // three products with a gate are two pieces
  EXPECT_EQ(s.found[0].program.batch, std::vector<std::string>{});
  EXPECT_EQ(s.found[1].program.batch.size(), 1u);
  Rng rng(3);
  for (const Subprogram& sub : s.found) {
    // The exponent of a square is no input of the program.
    const SubprogramPlace& place = sub.places[0];
    std::vector<ir::ValueId> inputs = place.inputs;
    for (ir::ValueId v : place.nodes)
      if (g.def(v).name == "pow") inputs.push_back(g.operands(v)[1]);
    const ir::Graph piece = subprogram(g, LaxPart{place.nodes, inputs, {place.output}});
    std::vector<FloatTensor> own, theirs;
    for (size_t i = 0; i < place.inputs.size(); ++i) {
      const Sizes sizes = ir::sizes(g.type(place.inputs[i]).shape);
      own.push_back(random_tensors({sizes}, rng)[0]);
      for (double& x : own.back().numbers) x = x * x + 0.5;  // a root and a quotient are taken
      theirs.push_back(own.back());
      theirs.back().sizes = sub.program.input_sizes(sub.program.extents)[i];
      ASSERT_EQ(theirs.back().count(), own.back().count());
    }
    for (size_t i = place.inputs.size(); i < inputs.size(); ++i) {
      own.push_back({ir::DType::kF32, ir::sizes(g.type(inputs[i]).shape), {}, {}});
      own.back().numbers.assign(static_cast<size_t>(own.back().count()), 2.0);
    }
    FloatTensor should = run_graph(piece, own)[0];
    const FloatTensor is = run_graph(sub.program.graph(ctx, sub.program.extents), theirs)[0];
    should.sizes = is.sizes;
    EXPECT_LT(difference(is, should), 1e-12) << print(s);
  }
  const std::string listed = print(s);
  EXPECT_NE(listed.find("ends at reshape: it regroups dimensions (2 times)"), std::string::npos) << listed;
  EXPECT_NE(listed.find("ends at transpose: muGraphs are searched without it (3 times)"), std::string::npos);
}

// A gate of a recurrent cell, sigmoid(X W + H U), whose last kernel's output has a neighbour.
TEST(Subprograms, CanBeSearchedAndTheirMuGraphsVerified) {
  ir::Context ctx(ir::standard_ops());
  ir::Builder b(ctx);
  const auto tensor = [&](const Sizes& s) { return ctx.tensor_type(ir::DType::kF32, ir::static_shape(s)); };
  const ir::ValueId x = b.input("x", tensor({1, 1, 64})), h = b.input("h", tensor({1, 64}));
  const ir::ValueId w = b.input("w", tensor({64, 64})), u = b.input("u", tensor({64, 64}));
  const ir::ValueId gate = b.add(
      "sigmoid", {b.add("add", {b.add("matmul", {x, w}),
                                broadcast(b, reshape(b, b.add("matmul", {h, u}), {1, 1, 64}), {1, 1, 64})})});
  const Subprograms s = subprograms_of(b.finish({b.add("tanh", {gate})}), "cell");
  ASSERT_EQ(s.found.size(), 1u) << print(s);
  const Program& p = s.found[0].program;
  const SearchResult r = search(p, p.extents, preset_for(p));
  bool one_kernel = false;
  for (const FoundMuGraph& f : r.found) {
    const MuVerdict v = verify_mugraph(f.schedules[0], p);
    EXPECT_EQ(v.verdict.kind, verify::VerdictKind::kProved) << summary(v);
    one_kernel = one_kernel || f.model.nodes.size() == 1;
  }
  EXPECT_TRUE(one_kernel) << r.found.size();
}

TEST(Subprograms, OfLayersThatRepeatAreListedOnce) {
  ir::Context ctx(ir::standard_ops());
  ir::Builder b(ctx);
  const auto matrix = ctx.tensor_type(ir::DType::kF32, ir::static_shape({16, 16}));
  ir::ValueId x = b.input("x", matrix);
  for (int layer = 0; layer < 3; ++layer) {
    const ir::ValueId h = b.add("matmul", {x, b.input("w", matrix)});
    x = b.add("relu", {b.add("add", {h, x})});
  }
  const Subprograms s = subprograms_of(b.finish({x}), "layers");
  ASSERT_EQ(s.found.size(), 1u) << print(s);
  EXPECT_EQ(s.found[0].places.size(), 3u);
  EXPECT_EQ(s.ended.at("relu: a maximum or minimum"), 3u);
}

// Attention behind a gate: paths have two exponentials, that of the gate outside. What is elementwise before
// the scores is outside as well.
TEST(Subprograms, HoldOneExponentialAndNoPrologue) {
  ir::Context ctx(ir::standard_ops());
  const Subprograms s = subprograms_of(ir::parse_graph(ctx, R"(graph {
    %x = input{name="x"} : f32[2,32,16]
    %c = input{name="c"} : f32[2,32,16]
    %k = input{name="k"} : f32[2,16,64]
    %v = input{name="v"} : f32[2,64,16]
    %g = silu(%x) : f32[2,32,16]
    %r = mul(%g, %c) : f32[2,32,16]
    %q = add(%r, %c) : f32[2,32,16]
    %s = matmul(%q, %k) : f32[2,32,64]
    %p = softmax{axis=2}(%s) : f32[2,32,64]
    %y = matmul(%p, %v) : f32[2,32,16]
    return %y })"),
                                       "gated");
  ASSERT_EQ(s.found.size(), 1u) << print(s);
  EXPECT_EQ(s.found[0].program.doc, "matmul x2, softmax");
  EXPECT_FALSE(s.found[0].aside);
}

TEST(Subprograms, OfOtherElementTypesAreOthers) {
  ir::Context ctx(ir::standard_ops());
  ir::Builder b(ctx);
  std::vector<ir::ValueId> out;
  for (const ir::DType dtype : {ir::DType::kF32, ir::DType::kF64}) {
    const auto matrix = ctx.tensor_type(dtype, ir::static_shape({16, 16}));
    const ir::ValueId x = b.input("", matrix), w = b.input("", matrix);
    out.push_back(b.add("exp", {b.add("matmul", {x, w})}));
  }
  EXPECT_EQ(subprograms_of(b.finish(out), "two").found.size(), 2u);
}

TEST(Subprograms, SayWhatCannotBeStated) {
  ir::Context ctx(ir::standard_ops());
  ir::Builder b(ctx);
  const auto tensor = [&](const Sizes& s) { return ctx.tensor_type(ir::DType::kF32, ir::static_shape(s)); };
  const ir::ValueId q = b.input("q", tensor({2, 4, 16, 16})), k = b.input("k", tensor({2, 4, 16, 16}));
  const Subprograms s = subprograms_of(b.finish({b.add("exp", {b.add("matmul", {q, k})})}), "two");
  EXPECT_TRUE(s.found.empty());
  EXPECT_EQ(s.ended.at("piece of exp: products with two batch dimensions"), 1u) << print(s);
}

}  // namespace
}  // namespace isomer::mugraph
