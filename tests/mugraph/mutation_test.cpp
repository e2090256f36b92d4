// One operator, map, loop or operand of a right muGraph is changed; a run by grid and loop in double
// precision judges whether the result is still the program, and the verifier must say the same.
#include <gtest/gtest.h>

#include <cstdio>

#include "mugraph/interpret.h"
#include "mugraph/mirage_json.h"
#include "mugraph/odd_mugraphs.h"
#include "mugraph/random_tensors.h"
#include "mugraph/shrink.h"
#include "mugraph/spec.h"
#include "mugraph/verify_mugraph.h"

namespace isomer::mugraph {
namespace {

int any(Rng& rng, int low, int high) { return static_cast<int>(rng.between(low, high)); }

/// Some change; it need not be a valid one. `most`: blocks along a dimension, and iterations.
void mutate(MuGraph& graph, Rng& rng, int most = 4) {
  KernelNode& node = graph.nodes[rng.below(graph.nodes.size())];
  if (!node.block) {
    node.operands[rng.below(node.operands.size())] = static_cast<uint32_t>(rng.below(graph.inputs));
    return;
  }
  auto b = std::make_shared<BlockGraph>(*node.block);
  BlockInput& input = b->inputs[rng.below(b->inputs.size())];
  BlockNode& op = b->nodes[rng.below(b->nodes.size())];
  switch (rng.below(9)) {
    case 0: input.imap[rng.below(3)] = any(rng, -1, 2); break;
    case 1: input.fmap[0] = any(rng, -1, 2); break;
    case 2: b->outputs[rng.below(b->outputs.size())].omap[rng.below(3)] = any(rng, -1, 2); break;
    case 3:
      op.op = static_cast<MuOpId>(rng.below(graph.ops->size()));
      op.axis = any(rng, 0, 2);
      break;
    case 4: op.operands[rng.below(op.operands.size())] = static_cast<uint32_t>(rng.below(b->values())); break;
    case 5: std::swap(node.operands[rng.below(node.operands.size())], node.operands[0]); break;
    case 6: b->loops[0] = any(rng, 1, most); break;
    case 7: b->grid[rng.below(3)] = any(rng, 1, most); break;
    default: b->outputs[rng.below(b->outputs.size())].value = static_cast<uint32_t>(rng.below(b->values()));
  }
  node.block = std::move(b);
}

bool same_as_program(const MuGraph& graph, const Program& p, const Extents& at, Rng& rng) {
  ir::Context ctx(ir::standard_ops());
  const auto inputs = random_tensors(p.input_sizes(at), rng);
  eval::Float64 domain;
  const auto is = interpret(domain, graph, std::span<const FloatTensor>(inputs));
  const auto should = run_graph(p.graph(ctx, at), inputs);
  return is.size() == should.size() && difference(is[0], should[0]) < 1e-9;
}

/// At least `wanted` mutants of each saved muGraph.
void expect_judged(int wanted) {
  const std::pair<const char*, const char*> sources[] = {
      {"rmsnorm_bs1", "rmsnorm"}, {"gqa_bs1", "gqa"},       {"lora", "lora"},
      {"gated_mlp", "gated_mlp"}, {"ntrans_bs1", "ntrans"}, {"qwen25_659774eb06d5ca86", "rmsnorm_weight"}};
  Rng rng(7);
  int equal = 0, different = 0;
  for (const auto& [file, name] : sources) {
    const Program& p = program(name);
    for (const MuGraph& full :
         read_mirage_json(ISOMER_SOURCE_DIR "/tests/data/mugraphs/" + std::string(file) + ".json")) {
      const auto extents = p.match(std::span(full.values).first(full.inputs));
      ASSERT_TRUE(extents);
      const auto small = shrink(full, p, *extents, {2, 2, {}});
      if (!small) continue;
      for (int made = 0, tried = 0; made < wanted && tried < 40 * wanted; ++tried) {
        MuGraph mutant = small->graph;
        mutate(mutant, rng);
        if (!check_structure(mutant).empty() || !infer_sizes(mutant).empty() ||
            print(mutant) == print(small->graph))
          continue;
        ++made;
        MuVerifyOptions options;
        options.floats = false;
        options.log2_error = -4;  // few tests: what is wrong fails the first one
        const bool right = mutant.values[mutant.outputs[0]] == small->graph.values[small->graph.outputs[0]] &&
                           same_as_program(mutant, p, small->extents, rng);
        const MuVerdict v = verify_mugraph(mutant, p, options);
        (right ? equal : different)++;
        EXPECT_EQ(v.verdict.kind == verify::VerdictKind::kRefuted, !right)
            << verify::summary(v.verdict) << "\n"
            << print(mutant);
      }
    }
  }
  EXPECT_GT(equal, 0);
  EXPECT_GT(different, wanted);
  printf("%d mutants equal and accepted, %d different and refuted\n", equal, different);
}

void expect_no_mistake(const MuVerdict& v, bool right, const std::string& what) {
  EXPECT_FALSE(v.verdict.equivalent() && !right) << summary(v) << "\n" << what;
  EXPECT_FALSE(v.verdict.kind == verify::VerdictKind::kRefuted && right) << summary(v) << "\n" << what;
}

// At sizes that are reduced, of muGraphs whose sizes are tied to each other: what is wrong is never accepted
// on the word of the reduced sizes, what is right is never refuted.
void expect_judged_at_reduced_sizes(int wanted) {
  Rng rng(11);
  int accepted = 0, refuted = 0, right_undecided = 0, wrong_undecided = 0, still = 0;
  std::vector<odd::Case> cases = odd::right_ones();
  for (odd::Case& c : odd::wrong_ones())
    if (c.program.extents == c.program.match(std::span(c.graph.values).first(c.graph.inputs)) &&
        element_count(c.graph.values[1]) < 100'000)
      cases.push_back(std::move(c));
  for (const odd::Case& c : cases)
    for (int made = 0, tried = 0; made < wanted && tried < 400 * wanted; ++tried) {
      MuGraph mutant = c.graph;
      for (uint64_t change = 0; change <= rng.below(2); ++change) mutate(mutant, rng, 8);
      if (!check_structure(mutant).empty() || !infer_sizes(mutant).empty() ||
          mutant.values[mutant.outputs[0]] != c.graph.values[c.graph.outputs[0]] ||
          print(mutant) == print(c.graph))
        continue;
      ++made;
      MuVerifyOptions options;
      options.floats = false;
      options.full_field_work = 0;
      options.log2_error = -4;
      const bool right = same_as_program(mutant, c.program, c.program.extents, rng);
      const MuVerdict v = verify_mugraph(mutant, c.program, options);
      expect_no_mistake(v, right, c.name + "\n" + print(mutant));
      if (v.verdict.kind != verify::VerdictKind::kUnknown) {
        ++(v.verdict.equivalent() ? accepted : refuted);
        continue;
      }
      ++(right ? right_undecided : wrong_undecided);
      options.full_field_work = MuVerifyOptions{}.full_field_work;  // the full sizes decide, where they may
      const MuVerdict whole = verify_mugraph(mutant, c.program, options);
      expect_no_mistake(whole, right, c.name + "\n" + print(mutant));
      still += whole.verdict.kind == verify::VerdictKind::kUnknown;
    }
  EXPECT_GT(accepted, 0);
  EXPECT_GT(refuted, wanted);
  printf("%d mutants accepted, %d refuted, %d right and %d wrong ones undecided; %d as the command has it\n",
         accepted, refuted, right_undecided, wrong_undecided, still);
}

TEST(Mutations, OfTiedSizesAreJudgedAsDoublePrecisionDoes) { expect_judged_at_reduced_sizes(8); }
TEST(Mutations, DISABLED_LongOfTiedSizesAreJudgedAsDoublePrecisionDoes) {
  expect_judged_at_reduced_sizes(200);
}

TEST(Mutations, AreJudgedAsDoublePrecisionDoes) { expect_judged(12); }
TEST(Mutations, DISABLED_LongAreJudgedAsDoublePrecisionDoes) { expect_judged(720); }

}  // namespace
}  // namespace isomer::mugraph
