#include "mugraph/ratios.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <set>

namespace isomer::mugraph {
namespace {

constexpr int64_t kMostKept = 1 << 14;  // the product of the numbers that change nothing
constexpr int64_t kMostWhole = 64;      // of parts in a ratio, which may be as many in small
constexpr size_t kMostVariables = 6;    // that are looked at together
constexpr int64_t kSmall[] = {2, 3, 4, 6, 8};

/// Whether the dimension grows with the number of blocks, as no axis of the program does.
bool grows_with(const MuGraph& graph, size_t k, size_t grid, uint32_t value, size_t dim) {
  MuGraph one = graph;
  auto b = std::make_shared<BlockGraph>(*graph.nodes[k].block);
  b->grid[grid] = 1;
  one.nodes = {graph.nodes[k]};
  one.nodes[0].block = std::move(b);
  return !infer_sizes(one).empty() || one.values[value][dim] != graph.values[value][dim];
}

using Marks = std::vector<std::vector<PartsOf>>;  // by dimension

Marks written_by(const MuGraph& graph, size_t k, size_t output) {
  const BlockGraph& b = *graph.nodes[k].block;
  const uint32_t value = graph.nodes[k].results[output];
  Marks out(graph.values[value].size());
  for (size_t dim = 0; dim < out.size(); ++dim) {
    bool grows = false;
    for (size_t d = 0; d < 3; ++d) {
      if (b.outputs[output].omap[d] != static_cast<int>(dim) || b.grid[d] == 1) continue;
      out[dim].push_back({k, false, d});
      grows = grows || grows_with(graph, k, d, value, dim);
    }
    if (!grows) out[dim].clear();
  }
  return out;
}

/// Which of the grid's dimensions (0 to 2) and loops (from 3 on) change what a value of the block is.
std::vector<std::vector<bool>> cuts_of(const MuOpTable& ops, const BlockGraph& b) {
  std::vector<std::vector<bool>> out(b.values(), std::vector<bool>(3 + b.loops.size()));
  for (uint32_t v = 0; v < b.values(); ++v) {
    for (size_t c = 0; v < b.inputs.size() && c < out[v].size(); ++c)
      out[v][c] = (c < 3 ? b.inputs[v].imap[c] : b.inputs[v].fmap[c - 3]) != kWhole;
    if (v < b.inputs.size()) continue;
    for (uint32_t o : b.node(v).operands)
      for (size_t c = 0; c < out[v].size(); ++c) out[v][c] = out[v][c] || out[o][c];
    if (runs_max(ops, b.node(v))) std::fill(out[v].begin() + 3, out[v].end(), true);
  }
  return out;
}

void add_numbers(const MuOpTable& ops, const BlockGraph& b, size_t k, std::vector<PartsOf>& numbers) {
  const auto cuts = cuts_of(ops, b);
  std::set<PartsOf> found;
  for (auto v = static_cast<uint32_t>(b.inputs.size()); v < b.values(); ++v)
    for (size_t l = 0; accumulates(ops, b.node(v)) && l < b.loops.size(); ++l)
      if (b.loops[l] > 1 && !cuts[v][3 + l]) found.insert({k, true, l});
  for (const BlockOutput& o : b.outputs)
    for (size_t d = 0; d < 3; ++d)
      if (b.grid[d] > 1 && !cuts[o.value][d]) found.insert({k, false, d});
  numbers.insert(numbers.end(), found.begin(), found.end());
}

void add_ratios(const BlockGraph& b, size_t k, size_t input, const Marks& marks,
                std::vector<PartsRatio>& ratios) {
  for (size_t dim = 0; dim < marks.size(); ++dim) {
    if (marks[dim].empty()) continue;
    PartsRatio ratio{marks[dim], {}};
    for (size_t d = 0; d < 3; ++d)
      if (b.inputs[input].imap[d] == static_cast<int>(dim) && b.grid[d] > 1)
        ratio.read.push_back({k, false, d});
    for (size_t l = 0; l < b.loops.size(); ++l)
      if (b.inputs[input].fmap[l] == static_cast<int>(dim) && b.loops[l] > 1)
        ratio.read.push_back({k, true, l});
    if (!ratio.read.empty()) ratios.push_back(std::move(ratio));
  }
}

enum class Relation { kEqual, kDivides, kIsMultiple, kNone };

Relation relation(int64_t a, int64_t b) {
  if (a == b) return Relation::kEqual;
  if (b % a == 0) return Relation::kDivides;
  return a % b == 0 ? Relation::kIsMultiple : Relation::kNone;
}

template <class Count>
std::vector<int64_t> boundaries(const std::vector<PartsOf>& parts, Count&& count) {
  std::vector<int64_t> out;
  int64_t product = 1;
  for (const PartsOf& p : parts) out.push_back(product *= count(p));
  return out;
}

bool keeps(const MuGraph& graph, const PartsRatio& ratio, const PartCounts& small) {
  const auto was = [&](const PartsOf& p) { return count_of(graph, p); };
  const auto is = [&](const PartsOf& p) { return small.at(p); };
  const auto written = boundaries(ratio.written, was), read = boundaries(ratio.read, was);
  const auto small_written = boundaries(ratio.written, is), small_read = boundaries(ratio.read, is);
  for (size_t i = 0; i < written.size(); ++i)
    for (size_t j = 0; j < read.size(); ++j) {
      const Relation wanted = relation(written[i], read[j]);
      if (wanted != Relation::kNone && relation(small_written[i], small_read[j]) != wanted) return false;
    }
  return true;
}

}  // namespace

int64_t count_of(const MuGraph& graph, const PartsOf& p) {
  const BlockGraph& b = *graph.nodes[p.kernel].block;
  return p.loop ? b.loops[p.at] : b.grid[p.at];
}

PartsThatCount parts_that_count(const MuGraph& graph) {
  PartsThatCount out;
  std::vector<Marks> marks(graph.values.size());
  for (size_t v = 0; v < marks.size(); ++v) marks[v].resize(graph.values[v].size());
  std::vector<bool> read(graph.values.size());
  for (const KernelNode& n : graph.nodes)
    for (uint32_t o : n.operands) read[o] = true;
  for (size_t k = 0; k < graph.nodes.size(); ++k) {
    const KernelNode& n = graph.nodes[k];
    if (n.block) {
      add_numbers(*graph.ops, *n.block, k, out.numbers);
      for (size_t i = 0; i < n.operands.size(); ++i)
        add_ratios(*n.block, k, i, marks[n.operands[i]], out.ratios);
      for (size_t o = 0; o < n.results.size(); ++o)
        if (read[n.results[o]]) marks[n.results[o]] = written_by(graph, k, o);
      continue;
    }
    const MuOp& op = graph.ops->get(n.op);
    if (op.arity > 1 && !op.broadcasts) continue;
    const Sizes& result = graph.values[n.results[0]];
    for (uint32_t o : n.operands)
      for (size_t d = 0; d < marks[o].size() && marks[o].size() == result.size(); ++d)
        if (graph.values[o][d] == result[d] && !marks[o][d].empty()) marks[n.results[0]][d] = marks[o][d];
  }
  return out;
}

std::vector<PartCounts> small_counts(const MuGraph& graph, const PartsThatCount& of, const PartCounts& wanted,
                                     size_t most) {
  PartCounts fixed;
  int64_t steps = 1;
  for (const PartsOf& p : of.numbers) {
    fixed[p] = count_of(graph, p);
    steps = steps > kMostKept / fixed[p] ? kMostKept + 1 : steps * fixed[p];
  }
  if (steps > kMostKept) return {};
  std::set<PartsOf> named(of.numbers.begin(), of.numbers.end());
  for (const PartsRatio& r : of.ratios) {
    named.insert(r.written.begin(), r.written.end());
    named.insert(r.read.begin(), r.read.end());
  }
  std::vector<PartsOf> variables;
  for (const PartsOf& p : named)
    if (!fixed.contains(p)) variables.push_back(p);
  if (variables.size() > kMostVariables) return {};
  struct Choice {
    int64_t apart = 0, product = 1;
    PartCounts counts;
  };
  std::vector<Choice> kept;
  const auto choose = [&](auto&& self, size_t i, Choice& so_far) -> void {
    if (i == variables.size()) {
      if (std::ranges::all_of(of.ratios, [&](const auto& r) { return keeps(graph, r, so_far.counts); }))
        kept.push_back(so_far);
      return;
    }
    const PartsOf& p = variables[i];
    const int64_t was = count_of(graph, p);
    std::set<int64_t> values;
    for (int64_t v : kSmall)
      if (v <= was) values.insert(v);
    if (was <= kMostWhole) values.insert(was);
    for (int64_t v : values) {
      Choice next = so_far;
      next.counts[p] = v;
      next.product *= v;
      // What is to be larger than usual is to stay so; the others follow.
      next.apart += std::abs(v - wanted.at(p)) * (wanted.at(p) > 2 ? 3 : 1);
      self(self, i + 1, next);
    }
  };
  Choice none;
  none.counts = fixed;
  choose(choose, 0, none);
  std::ranges::stable_sort(kept, {}, [](const Choice& c) { return std::pair{c.apart, c.product}; });
  std::vector<PartCounts> out;
  for (size_t i = 0; i < kept.size() && i < most; ++i) out.push_back(std::move(kept[i].counts));
  return out;
}

}  // namespace isomer::mugraph
