// muGraphs that are right by construction: a right one with operands commuted, sums re-associated, nodes and
// grid dimensions in another order, other grids and loop ranges. The verifier must accept every one.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "mugraph/mirage_json.h"
#include "mugraph/spec.h"
#include "mugraph/structural_hash.h"
#include "mugraph/verify_mugraph.h"
#include "published/mirage_figures.h"
#include "support/rng.h"

namespace isomer::mugraph {
namespace {

/// Another order of the nodes that respects operands.
void shuffle_nodes(BlockGraph& b, Rng& rng) {
  const auto inputs = static_cast<uint32_t>(b.inputs.size());
  std::vector<uint32_t> place(b.values(), UINT32_MAX);  // new number of each value
  for (uint32_t i = 0; i < inputs; ++i) place[i] = i;
  std::vector<BlockNode> nodes;
  while (nodes.size() < b.nodes.size()) {
    const size_t n = rng.below(b.nodes.size());
    if (place[inputs + n] != UINT32_MAX) continue;
    BlockNode node = b.nodes[n];
    if (std::ranges::any_of(node.operands, [&](uint32_t o) { return place[o] == UINT32_MAX; })) continue;
    for (uint32_t& o : node.operands) o = place[o];
    place[inputs + n] = static_cast<uint32_t>(inputs + nodes.size());
    nodes.push_back(std::move(node));
  }
  b.nodes = std::move(nodes);
  for (BlockOutput& o : b.outputs) o.value = place[o.value];
}

void commute(const MuOpTable& ops, BlockGraph& b, Rng& rng) {
  for (BlockNode& n : b.nodes)
    if (ops.get(n.op).commutative && rng.chance(0.5)) std::swap(n.operands[0], n.operands[1]);
}

/// (x o y) o z = x o (y o z) for a commutative operator whose first application has no other use.
void associate(const MuOpTable& ops, BlockGraph& b, Rng& rng) {
  const auto inputs = static_cast<uint32_t>(b.inputs.size());
  for (size_t i = 0; i < b.nodes.size(); ++i) {
    BlockNode& outer = b.nodes[i];
    if (!ops.get(outer.op).commutative || outer.operands[0] < inputs || !rng.chance(0.7)) continue;
    const uint32_t at = outer.operands[0];
    BlockNode& inner = b.nodes[at - inputs];
    if (inner.op != outer.op || inner.operands[1] == outer.operands[1] || outer.operands[1] > at) continue;
    size_t uses = 0;
    for (const BlockNode& n : b.nodes) uses += static_cast<size_t>(std::ranges::count(n.operands, at));
    for (const BlockOutput& o : b.outputs) uses += o.value == at;
    if (uses != 1) continue;
    const uint32_t x = inner.operands[0];
    inner.operands[0] = outer.operands[1];
    outer.operands[1] = x;
  }
}

void swap_grid(BlockGraph& b, Rng& rng) {
  const size_t i = rng.below(3), j = rng.below(3);
  // Two grid dimensions that cut one data dimension do so in their order.
  const auto together = [](const std::array<int, 3>& map) {
    return (map[0] != kWhole && (map[0] == map[1] || map[0] == map[2])) ||
           (map[1] != kWhole && map[1] == map[2]);
  };
  for (const BlockInput& in : b.inputs)
    if (together(in.imap)) return;
  for (const BlockOutput& out : b.outputs)
    if (together(out.omap)) return;
  std::swap(b.grid[i], b.grid[j]);
  for (BlockInput& in : b.inputs) std::swap(in.imap[i], in.imap[j]);
  for (BlockOutput& out : b.outputs) std::swap(out.omap[i], out.omap[j]);
}

/// Twice or half the blocks or iterations. A block that reshapes has one whole group of heads.
void retile(const MuOpTable& ops, BlockGraph& b, Rng& rng) {
  const bool whole =
      std::ranges::any_of(b.nodes, [&](const BlockNode& n) { return ops.get(n.op).name == "reshape"; });
  int64_t& parts = whole || rng.chance(0.5) ? b.loops[0] : b.grid[rng.below(3)];
  if (parts == 1) return;
  parts = rng.chance(0.5) ? parts * 2 : parts % 2 == 0 && parts > 2 ? parts / 2 : parts;
}

MuGraph variant(const MuGraph& graph, Rng& rng) {
  MuGraph out = graph;
  for (KernelNode& k : out.nodes) {
    if (!k.block) {
      if (out.ops->get(k.op).commutative && rng.chance(0.5)) std::swap(k.operands[0], k.operands[1]);
      continue;
    }
    auto b = std::make_shared<BlockGraph>(*k.block);
    associate(*out.ops, *b, rng);
    shuffle_nodes(*b, rng);
    commute(*out.ops, *b, rng);
    swap_grid(*b, rng);
    if (rng.chance(0.5)) retile(*out.ops, *b, rng);
    k.block = std::move(b);
  }
  if (!infer_sizes(out).empty() || !check_spec(out).empty()) return graph;
  return out;
}

void expect_accepted(int wanted) {
  std::vector<std::pair<std::string, MuGraph>> sources;
  for (const published::mirage::Figure& p : published::mirage::figures())
    sources.emplace_back(p.program, p.graph);
  for (const auto& [file, name] : {std::pair{"ntrans_bs1", "ntrans"}, {"gqa_bs1", "gqa"}, {"lora", "lora"}})
    for (const MuGraph& g :
         read_mirage_json(ISOMER_SOURCE_DIR "/tests/data/mugraphs/" + std::string(file) + ".json"))
      sources.emplace_back(name, g);
  Rng rng(9);
  std::set<std::string> seen;
  int accepted = 0, retiled = 0;
  for (int tried = 0; accepted < wanted && tried < 20 * wanted; ++tried) {
    const auto& [name, source] = sources[rng.below(sources.size())];
    const MuGraph graph = variant(source, rng);
    if (!seen.insert(name + print(graph)).second) continue;
    MuVerifyOptions options;
    options.floats = false;
    options.log2_error = -4;
    options.seed = rng.next();
    const MuVerdict v = verify_mugraph(graph, program(name), options);
    ASSERT_TRUE(v.verdict.equivalent()) << name << ": " << verify::summary(v.verdict) << "\n" << print(graph);
    ++accepted;
    retiled += structural_hash(graph) != structural_hash(source);
  }
  EXPECT_EQ(accepted, wanted);
  EXPECT_GT(retiled, wanted / 4);
  fmt::print("{} equal muGraphs, all accepted; {} differ in more than order\n", accepted, retiled);
}

TEST(EqualMuGraphs, AreAccepted) { expect_accepted(60); }
TEST(EqualMuGraphs, DISABLED_LongAreAccepted) { expect_accepted(3000); }

}  // namespace
}  // namespace isomer::mugraph
