#include "egraph/ematch.h"

#include <algorithm>

#include "egraph/append_match.h"
#include "support/crew.h"
#include "support/errors.h"

namespace isomer::egraph {

namespace {

constexpr size_t kWorthAThread = 2048;  // nodes

std::vector<Matches> no_matches(const CodeTree& tree) {
  std::vector<Matches> out;
  for (size_t p = 0; p < tree.size(); ++p)
    out.emplace_back(static_cast<uint32_t>(tree.program(p).class_register.size()),
                     static_cast<uint32_t>(tree.program(p).attr_register.size()));
  return out;
}

/// Writes matches down until one more than the limit.
struct Table {
  const CodeTree& tree;
  const std::vector<size_t>& limits;
  std::vector<Matches> found;

  bool operator()(uint32_t pattern, const ClassId* registers, const uint32_t* attrs) {
    append_match(found[pattern], tree.program(pattern), registers, attrs);
    return limits.empty() || found[pattern].size() <= limits[pattern];
  }
};

}  // namespace

size_t search_ranges(const Store& store, unsigned threads) {
  if (threads <= 1) return 1;
  return std::clamp<size_t>(store.slots() / kWorthAThread, 1, size_t{threads} * 8);
}

void for_each_range(const Store& store, unsigned threads, size_t ranges,
                    const std::function<void(size_t, NodeId, NodeId)>& work) {
  const size_t slots = store.slots();
  const auto one = [&](size_t r) { work(r, NodeId(slots * r / ranges), NodeId(slots * (r + 1) / ranges)); };
  if (ranges == 1) return one(0);
  Crew(static_cast<unsigned>(std::min<size_t>(threads, ranges)), 0).run(ranges, one);
}

MatchResult match(const Store& store, const Language* language, const CodeTree& tree,
                  const MatchOptions& options) {
  const Search search(store, language, tree,
                      options.modes.empty() ? std::vector(tree.size(), SearchMode::kFull) : options.modes);
  REQUIRE(options.limits.empty() || options.limits.size() == tree.size(), "one limit for each pattern");
  const size_t ranges = search_ranges(store, options.threads);
  std::vector<Table> tables(ranges, {tree, options.limits, no_matches(tree)});
  for_each_range(store, options.threads, ranges,
                 [&](size_t r, NodeId first, NodeId last) { search.walk(first, last, tables[r]); });
  MatchResult result{std::move(tables[0].found), std::vector<bool>(tree.size(), false)};
  for (size_t p = 0; p < tree.size(); ++p) {
    for (size_t r = 1; r < ranges; ++r) result.found[p].append(tables[r].found[p]);
    if (options.limits.empty() || result.found[p].size() <= options.limits[p]) continue;
    result.exceeded[p] = true;
    result.found[p].truncate(options.limits[p]);
  }
  return result;
}

std::vector<uint64_t> count_matches(const Store& store, const Language* language, const CodeTree& tree,
                                    const std::vector<SearchMode>& modes, const std::vector<size_t>& limits) {
  const Search search(store, language, tree, modes);
  std::vector<uint64_t> matches(tree.size(), 0);
  const auto sink = [&](uint32_t pattern, const ClassId*, const uint32_t*) {
    return ++matches[pattern] <= limits[pattern];
  };
  search.walk(NodeId(0), NodeId(store.slots()), sink);
  return matches;
}

std::vector<Matches> match_class(const Store& store, const Language* language, const CodeTree& tree,
                                 ClassId root) {
  const Search search(store, language, tree, std::vector(tree.size(), SearchMode::kFull), false);
  const std::vector<size_t> no_limits;
  Table table{tree, no_limits, no_matches(tree)};
  search.walk_class(store.find(root), table);
  return std::move(table.found);
}

}  // namespace isomer::egraph
