// Scale and mask of attention: set aside for the search, put back into what was found, judged as a whole.
#include "mugraph/set_aside.h"

#include <gtest/gtest.h>

#include "ir/dag_hash.h"
#include "ir/op_table.h"
#include "ir/print.h"
#include "mugraph/search.h"
#include "mugraph/subprograms.h"

namespace isomer::mugraph {
namespace {

/// Attention whose scores become `%a` of the scores `%s`.
std::string attention(const std::string& of_scores) {
  return R"(graph {
    %q = input{name="q"} : f32[2,32,16]
    %k = input{name="k"} : f32[2,16,64]
    %v = input{name="v"} : f32[2,64,16]
    %m = input{name="m"} : f32[32,64]
    %s = matmul(%q, %k) : f32[2,32,64]
    %w = broadcast{shape=[2,32,64]}(%m) : f32[2,32,64])" +
         of_scores + R"(
    %p = softmax{axis=2}(%a) : f32[2,32,64]
    %y = matmul(%p, %v) : f32[2,32,16]
    return %y })";
}

Subprogram piece_of(const std::string& text) {
  ir::Context ctx(ir::standard_ops());
  Subprograms s = subprograms_of(ir::parse_graph(ctx, text), "attention", Maxima::kWith);
  EXPECT_EQ(s.found.size(), 1u) << print(s);
  return std::move(s.found.at(0));
}

const std::string kScaleAndMask = R"(
    %c = constant : f32[] {4}
    %b = broadcast{shape=[2,32,64]}(%c) : f32[2,32,64]
    %d = div(%s, %b) : f32[2,32,64]
    %a = add(%w, %d) : f32[2,32,64])";

TEST(SetAside, IsWhatStandsBetweenAProductAndItsSoftmax) {
  const Subprogram piece = piece_of(attention(kScaleAndMask));
  ASSERT_TRUE(piece.aside);
  const SetAside& aside = *piece.aside;
  ASSERT_EQ(aside.operators.size(), 2u);
  EXPECT_EQ(aside.operators[0].op, "div");
  EXPECT_FALSE(aside.operators[0].with_first);
  EXPECT_EQ(aside.operators[1].op, "add");
  EXPECT_TRUE(aside.operators[1].with_first);
  EXPECT_EQ(aside.core.inputs.size() + 2, piece.program.inputs.size());
  // What is left is attention as the papers have it.
  const Program& named = program("safe_attention");
  const Extents at = {{"h", 2}, {"s", 32}, {"d", 16}, {"n", 64}};
  ir::Context ctx(ir::standard_ops());
  EXPECT_EQ(ir::dag_hash(aside.core.graph(ctx, aside.core.extents)), ir::dag_hash(named.graph(ctx, at)));
}

TEST(SetAside, IsPutBackIntoEveryScheduleAndProved) {
  const Subprogram piece = piece_of(attention(kScaleAndMask));
  ASSERT_TRUE(piece.aside);
  const Program& core = piece.aside->core;
  SearchOptions how = preset_for(core);
  how.target = target("cpu");
  const SearchResult r = search(core, core.extents, how);
  ASSERT_FALSE(r.found.empty());
  const std::vector<Sizes> inputs = piece.program.input_sizes(piece.program.extents);
  bool one_kernel = false, loops = false;
  for (const FoundMuGraph& f : r.found) {
    for (const MuGraph& m : f.schedules) {
      const std::optional<MuGraph> whole = put_back(m, *piece.aside, inputs);
      ASSERT_TRUE(whole) << print(m);
      EXPECT_EQ(whole->inputs, 5u);
    }
    const MuGraph whole = *put_back(f.schedules[0], *piece.aside, inputs);
    const MuVerdict v = verify_mugraph(whole, piece.program);
    EXPECT_EQ(v.verdict.kind, verify::VerdictKind::kProved) << summary(v) << print(whole);
    one_kernel = one_kernel || whole.nodes.size() == 1;
    for (const KernelNode& n : whole.nodes) loops = loops || (n.block && n.block->range() > 1);
  }
  EXPECT_TRUE(one_kernel);
  EXPECT_TRUE(loops);
}

TEST(SetAside, IsNotWhatIsMadeOfScoresTwice) {
  EXPECT_FALSE(piece_of(attention("\n    %a = mul(%s, %s) : f32[2,32,64]")).aside);
}

// Of what is put back in the wrong order the verdict is against it.
TEST(SetAside, IsJudgedAsAWhole) {
  Subprogram piece = piece_of(attention(kScaleAndMask));
  ASSERT_TRUE(piece.aside);
  std::swap(piece.aside->operators[0], piece.aside->operators[1]);
  const Program& core = piece.aside->core;
  SearchOptions how = preset_for(core);
  how.target = target("cpu");
  const SearchResult r = search(core, core.extents, how);
  ASSERT_FALSE(r.found.empty());
  const auto whole =
      put_back(r.found[0].schedules[0], *piece.aside, piece.program.input_sizes(piece.program.extents));
  ASSERT_TRUE(whole);
  EXPECT_EQ(verify_mugraph(*whole, piece.program).verdict.kind, verify::VerdictKind::kRefuted);
}

}  // namespace
}  // namespace isomer::mugraph
