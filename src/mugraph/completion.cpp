#include "mugraph/completion.h"

#include <algorithm>
#include <limits>
#include <set>

#include "mugraph/tile_kinds.h"
#include "support/errors.h"

namespace isomer::mugraph {

namespace {

constexpr uint32_t kNoSymbol = std::numeric_limits<uint32_t>::max();

}  // namespace

/// How a result holds an operand: symbols from the result down to it.
struct Completion::Chain {
  struct Link {
    uint32_t symbol = 0;
    int child = -1;         ///< -1: any
    bool sum = false;       ///< of any degree
    bool optional = false;  ///< a sum of one element is none
    auto operator<=>(const Link&) const = default;
  };
  bool merges = false, accumulates = false;
  std::vector<Link> links;
  auto operator<=>(const Chain&) const = default;
};

/// The e-graph, by class.
struct Completion::Graph {
  std::vector<ENode> nodes;            ///< ordered by class
  std::vector<uint32_t> first;         ///< of a class's nodes; one more than there are classes
  std::vector<uint32_t> parents;       ///< nodes that have a class as child
  std::vector<uint32_t> first_parent;  ///< of a class

  explicit Graph(const SubexpressionOracle& oracle) : nodes(oracle.nodes()) {
    std::ranges::stable_sort(nodes, {}, &ENode::of);
    uint32_t classes = 0;
    for (const ENode& n : nodes) {
      classes = std::max(classes, n.of + 1);
      for (int c = 0; c < n.count; ++c) classes = std::max(classes, n.children[static_cast<size_t>(c)] + 1);
    }
    first.assign(classes + 1, 0);
    first_parent.assign(classes + 1, 0);
    for (const ENode& n : nodes) {
      ++first[n.of + 1];
      for (int c = 0; c < n.count; ++c) ++first_parent[n.children[static_cast<size_t>(c)] + 1];
    }
    for (uint32_t c = 0; c < classes; ++c) {
      first[c + 1] += first[c];
      first_parent[c + 1] += first_parent[c];
    }
    parents.resize(first_parent.back());
    std::vector<uint32_t> at(first_parent.begin(), first_parent.end() - 1);
    for (uint32_t n = 0; n < nodes.size(); ++n)
      for (int c = 0; c < nodes[n].count; ++c) parents[at[nodes[n].children[static_cast<size_t>(c)]]++] = n;
  }
  size_t classes() const { return first.size() - 1; }
};

Completion::Completion(const SubexpressionOracle& oracle, const MuOpTable& ops,
                       std::span<const MuOpId> block_ops, std::span<const MuOpId> kernel_ops)
    : oracle_(oracle), graph_(std::make_unique<Graph>(oracle)) {
  block_ = chains_of(ops, block_ops, true);
  kernel_ = chains_of(ops, kernel_ops, false);
}

Completion::~Completion() = default;

/// Derived from the operators' meanings, applied to small tiles of unknowns.
std::vector<Completion::Chain> Completion::chains_of(const MuOpTable& ops, std::span<const MuOpId> which,
                                                     bool block) {
  std::set<Chain> out;
  Terms terms;
  Axes axes;
  Kinds kinds(ops, terms, axes);
  for (MuOpId id : which) {
    const MuOp& op = ops.get(id);
    const auto arity = static_cast<size_t>(op.arity);
    std::optional<KindId> result;
    // Square tiles fit all operators but those one of whose operands is a column.
    const Sizes square = {1, 4, 4}, column = {1, 4, 1};
    for (const auto& [first, second] : {std::pair{square, square}, {square, column}, {column, square}}) {
      std::vector<KindId> operands;
      for (size_t i = 0; i < arity; ++i)
        operands.push_back(kinds.add({terms.variable(i),
                                      i == 0   ? first
                                      : i == 1 ? second
                                               : square,
                                      AxisList(3, kAnyAxis)}));
      const KindPlace place = block ? KindPlace{true, -1, 3, 2} : KindPlace{};
      if (!result) result = kinds.apply(id, operands, place);
    }
    if (!result) {
      known_ = false;
      continue;
    }
    Chain chain{arity > 1, op.accumulate != Accumulate::kNone, {}};
    const auto walk = [&](const auto& self, TermId term) -> void {
      const Term t = terms.get(term);
      if (t.children.empty()) {
        if (t.symbol.starts_with("x")) out.insert(chain);
        return;
      }
      const auto symbol = oracle_.symbol(t.symbol);
      const bool sum = t.is_sum(), mean = t.symbol == "/" && terms.get(t.children[1]).symbol.starts_with("#");
      if (!symbol && !sum && !mean) return;  // no result of this operator is a part of the program
      for (size_t c = 0; c < t.children.size(); ++c) {
        const bool commutes = t.symbol == "+" || t.symbol == "*";
        chain.links.push_back(
            {symbol.value_or(kNoSymbol), commutes ? -1 : static_cast<int>(c), sum, sum || mean});
        self(self, t.children[c]);
        chain.links.pop_back();
      }
    };
    walk(walk, kinds.get(*result).term);
  }
  return {out.begin(), out.end()};
}

template <class F>
void Completion::operands_of(uint32_t to, const Chain& chain, size_t step, F&& f) const {
  if (step == chain.links.size()) {
    f(to);
    return;
  }
  const Chain::Link& link = chain.links[step];
  if (link.optional) operands_of(to, chain, step + 1, f);
  for (uint32_t n = graph_->first[to]; n < graph_->first[to + 1]; ++n) {
    const ENode& node = graph_->nodes[n];
    if (link.sum ? !node.sum : node.symbol != link.symbol) continue;
    for (int c = 0; c < node.count; ++c)
      if (link.child < 0 || link.child == c)
        operands_of(node.children[static_cast<size_t>(c)], chain, step + 1, f);
  }
}

const OpsNeeded* Completion::ops_needed(int kernel_ops_after) {
  if (!known_) return nullptr;
  const auto [at, added] = needed_.try_emplace(kernel_ops_after);
  OpsNeeded& out = at->second;
  if (!added) return &out;
  const size_t classes = graph_->classes();
  // What the block may make.
  std::vector<char> goal(classes, 0);
  std::vector<uint32_t> goals = {static_cast<uint32_t>(oracle_.target_class())};
  goal[goals[0]] = 1;
  for (size_t begin = 0; kernel_ops_after > 0; --kernel_ops_after) {
    const size_t end = goals.size();
    for (size_t g = begin; g < end; ++g)
      for (const Chain& chain : kernel_)
        operands_of(goals[g], chain, 0, [&](uint32_t from) {
          if (!goal[from]) goals.push_back(from);
          goal[from] = 1;
        });
    begin = end;
  }
  // fewest[after][class]: operators of one operand on a path with at most so many others.
  constexpr uint8_t kNever = OpsNeeded::kMost;
  using Fewest = std::array<std::vector<uint8_t>, 2>;
  std::vector<Fewest> by_merges;
  for (int b = 0; b <= OpsNeeded::kMerges; ++b) {
    Fewest d = b > 0 ? by_merges.back()
                     : Fewest{std::vector<uint8_t>(classes, kNever), std::vector<uint8_t>(classes, kNever)};
    std::vector<std::vector<std::pair<bool, uint32_t>>> queue(kNever + 1);
    const auto reach = [&](bool after, uint32_t c, int cost) {
      if (cost >= d[after][c]) return;
      d[after][c] = static_cast<uint8_t>(cost);
      queue[static_cast<size_t>(cost)].emplace_back(after, c);
    };
    const auto relax = [&](bool after, uint32_t to, int cost, bool merging) {
      for (const Chain& chain : block_) {
        if (chain.merges != merging || (chain.accumulates && !after)) continue;
        operands_of(to, chain, 0,
                    [&](uint32_t from) { reach(chain.accumulates ? false : after, from, cost); });
      }
    };
    if (b == 0)
      for (uint32_t g : goals) reach(true, g, 0);
    else
      for (uint32_t c = 0; c < classes; ++c)
        for (bool after : {false, true})
          if (const uint8_t cost = by_merges.back()[after][c]; cost < kNever) relax(after, c, cost, true);
    for (int cost = 0; cost < kNever; ++cost)
      for (size_t i = 0; i < queue[static_cast<size_t>(cost)].size(); ++i) {
        const auto [after, c] = queue[static_cast<size_t>(cost)][i];
        if (d[after][c] == cost) relax(after, c, cost + 1, false);
      }
    by_merges.push_back(std::move(d));
  }
  for (size_t after : {0, 1})
    for (int m = 0; m <= OpsNeeded::kMerges; ++m) {
      auto& least = out.least_[after][static_cast<size_t>(m)];
      // Paths with more of them than were looked at have at least that many operators.
      least.assign(classes, OpsNeeded::kMerges + 1);
      for (int b = 0; b <= OpsNeeded::kMerges; ++b)
        for (size_t c = 0; c < classes; ++c) {
          const int unary = by_merges[static_cast<size_t>(b)][after][c];
          if (unary < kNever)
            least[c] = static_cast<uint8_t>(std::min<int>(least[c], unary + std::max(b, m)));
        }
    }
  return &out;
}

bool Completion::made_of(std::vector<int64_t> parts) {
  REQUIRE(parts.size() <= 4, "four parts at most");
  std::ranges::sort(parts);
  const auto [at, added] = made_of_.try_emplace(parts, false);
  if (!added) return at->second;
  // Per class, which sets of parts some term of it has as leaves: bit s for the set s of 16.
  std::vector<uint16_t> sets(graph_->classes(), 0);
  std::vector<uint32_t> changed;
  const auto learn = [&](uint32_t c, uint32_t more) {
    if ((sets[c] | more) == sets[c]) return;
    sets[c] = static_cast<uint16_t>(sets[c] | more);
    changed.push_back(c);
  };
  for (const ENode& n : graph_->nodes)
    if (n.count == 0 && n.number) learn(n.of, 1);
  for (size_t i = 0; i < parts.size(); ++i) learn(static_cast<uint32_t>(parts[i]), 1U << (1U << i));
  const uint32_t all = 1U << ((1U << parts.size()) - 1);
  const auto target = static_cast<size_t>(oracle_.target_class());
  while (!changed.empty() && (sets[target] & all) == 0) {
    const uint32_t c = changed.back();
    changed.pop_back();
    for (uint32_t p = graph_->first_parent[c]; p < graph_->first_parent[c + 1]; ++p) {
      const ENode& n = graph_->nodes[graph_->parents[p]];
      const uint32_t left = sets[n.children[0]];
      if (n.count == 1) {
        learn(n.of, left);
        continue;
      }
      const uint32_t right = sets[n.children[1]];
      uint32_t both = 0;
      for (uint32_t a = 0; a < 16; ++a)
        if (left >> a & 1)
          for (uint32_t b = 0; b < 16; ++b)
            if (right >> b & 1) both |= 1U << (a | b);
      learn(n.of, both);
    }
  }
  return at->second = (sets[target] & all) != 0;
}

}  // namespace isomer::mugraph
