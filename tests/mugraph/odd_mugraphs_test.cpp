// muGraphs that a verifier may get wrong, stated by hand: right ones of odd structure, whose sizes are tied
// to each other so that a careless reduction makes them wrong; and wrong ones, of which some are right at
// small sizes. No wrong one may be accepted and no right one refuted.
#include <gtest/gtest.h>

#include "mugraph/interpret.h"
#include "mugraph/odd_mugraphs.h"
#include "mugraph/random_tensors.h"
#include "mugraph/ratios.h"
#include "mugraph/shrink.h"
#include "mugraph/spec.h"
#include "mugraph/verify_mugraph.h"

namespace isomer::mugraph {
namespace {

using odd::Case;
using odd::right_ones;
using odd::wrong_ones;
using verify::VerdictKind;

// The cases are what they are called: a run by grid and loop in double precision, which knows no reduction.
TEST(OddMuGraphs, AreRightOrWrongAsTheyAreCalled) {
  const auto right = [](const Case& c) {
    Rng rng(3);
    ir::Context ctx(ir::standard_ops());
    const auto inputs = random_tensors(c.program.input_sizes(c.program.extents), rng);
    eval::Float64 domain;
    const auto is = interpret(domain, c.graph, std::span<const FloatTensor>(inputs));
    return difference(is[0], run_graph(c.program.graph(ctx, c.program.extents), inputs)[0]) < 1e-9;
  };
  for (const Case& c : right_ones()) EXPECT_TRUE(right(c)) << c.name;
  for (const Case& c : wrong_ones())
    if (c.program.name != "gqa" && c.program.name != "rmsnorm") {
      EXPECT_FALSE(right(c)) << c.name;
    }
}

// Over the field at reduced sizes that keep the ties between sizes; nothing is run at the full ones.
TEST(OddMuGraphs, RightOnesAreProvedAtReducedSizes) {
  MuVerifyOptions options;
  options.full_field_work = 0;
  options.confirm_work = 0;
  options.floats = false;
  size_t proved = 0;
  for (const Case& c : right_ones()) {
    const MuVerdict v = verify_mugraph(c.graph, c.program, options);
    EXPECT_NE(v.verdict.kind, VerdictKind::kRefuted) << c.name << ": " << summary(v);
    proved += v.verdict.kind == VerdictKind::kProved;
  }
  EXPECT_EQ(proved, right_ones().size());
}

TEST(OddMuGraphs, RightOnesAreProvedOrUndecided) {
  for (const bool field : {true, false}) {
    MuVerifyOptions options;
    if (!field) options.full_field_work = 0;
    size_t proved = 0;
    for (const Case& c : right_ones()) {
      const MuVerdict v = verify_mugraph(c.graph, c.program, options);
      proved += v.verdict.kind == VerdictKind::kProved;
      if (v.verdict.kind == VerdictKind::kProved) {
        EXPECT_TRUE(v.verdict.on_floats) << c.name << ": " << summary(v);
        continue;
      }
      EXPECT_EQ(v.verdict.kind, VerdictKind::kUnknown) << c.name << ": " << summary(v);
      EXPECT_NE(v.verdict.note.find("undecided: a difference at reduced sizes only"), std::string::npos)
          << c.name << ": " << summary(v);
      EXPECT_NE(v.verdict.note.find("none at the full sizes"), std::string::npos) << summary(v);
    }
    EXPECT_GE(proved, right_ones().size() - (field ? 0 : 1));
  }
}

TEST(OddMuGraphs, WrongOnesAreRefuted) {
  for (const bool floats : {true, false}) {
    MuVerifyOptions options;
    options.floats = floats;
    for (const Case& c : wrong_ones()) {
      const MuVerdict v = verify_mugraph(c.graph, c.program, options);
      EXPECT_EQ(v.verdict.kind, VerdictKind::kRefuted) << c.name << ": " << summary(v);
      EXPECT_NE(v.verdict.counterexample.find("full shape"), std::string::npos) << c.name << summary(v);
    }
  }
}

// What is not confirmed is not said.
TEST(OddMuGraphs, ADifferenceAtReducedSizesAloneIsNoRefutation) {
  MuVerifyOptions options;
  options.confirm_work = 0;
  options.full_field_work = 0;
  options.floats = false;
  for (const Case& c : wrong_ones()) {
    const MuVerdict v = verify_mugraph(c.graph, c.program, options);
    EXPECT_EQ(v.verdict.kind, VerdictKind::kUnknown) << c.name << ": " << summary(v);
    EXPECT_FALSE(v.verdict.equivalent());
  }
}

TEST(Ratios, OfPartsSideBySideAreKept) {
  const auto cases = right_ones();
  size_t with_ties = 0;
  for (const Case& c : cases) {
    const PartsThatCount that = parts_that_count(c.graph);
    with_ties += !that.empty();
    for (const auto& parts :
         {ShrinkParts{2, 2, {}}, ShrinkParts{3, 2, {}}, ShrinkParts{2, 3, {}}, ShrinkParts{2, 2, {}, true}}) {
      const auto small = shrink(c.graph, c.program, c.program.extents, parts);
      if (!small) continue;
      EXPECT_EQ(check_spec(small->graph), "") << c.name;
      EXPECT_EQ(parts_that_count(small->graph).ratios.size(), that.ratios.size()) << c.name;
      for (const PartsOf& p : that.numbers)
        EXPECT_EQ(count_of(small->graph, p), count_of(c.graph, p)) << c.name;
    }
  }
  EXPECT_EQ(with_ties, cases.size() - 1);  // what is folded whole needs none
  // Sixteen parts, four at a time.
  const auto small = shrink(cases[1].graph, cases[1].program, cases[1].program.extents);
  ASSERT_TRUE(small);
  EXPECT_EQ(small->graph.nodes[0].block->grid[0], 4);
  EXPECT_EQ(small->graph.nodes[1].block->loops[0], 2);
  // Nothing of it in what has axes of the program only.
  EXPECT_TRUE(parts_that_count(wrong_ones()[4].graph).empty());
}

}  // namespace
}  // namespace isomer::mugraph
