#include "recipes/candidates.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "cost/cheaper.h"
#include "ir/dag_hash.h"
#include "recipes/pricing.h"
#include "recipes/trial.h"

namespace isomer::recipes {
namespace {

/// Measured costs are this uncertain: what seems that much dearer than the original may be faster. Sums of
/// single operators know nothing of what the runtime fuses; the roofline is another opinion, to be heard even
/// where they contradict it.
constexpr double kDoubt = 0.03, kDoubtOfRoofline = kDoubtOfCosts;
/// For each candidate beside the first.
constexpr double kSecondsEach = 3;

}  // namespace

size_t most_candidates(double about_ms, uint64_t weight_bytes) {
  if (weight_bytes > kVeryLarge) return 1;
  if (about_ms > runtime::kSlowMs || weight_bytes > kLarge) return 2;
  return about_ms > kLongMs ? 3 : 5;
}

Candidates find_candidates(const Rewriting& rewriting, const CostChoice& costs, const Sought& sought,
                           std::optional<rewrite::TensorExtraction> cheapest) {
  const auto [most, cost_before, clearly] = sought;
  cost::CostModel& model = *costs.model;
  Candidates out;
  std::vector<Candidate>& found = out.list;
  // The original itself, unless it computes something twice that an e-graph has once: then it is cheaper.
  const uint64_t original = ir::dag_hash(rewriting.original());
  const double surely = cost::surely_below(cost_before);
  bool too_little = false;  // something is cheaper, but not by enough
  std::unordered_set<uint64_t> seen;
  const auto consider = [&](const std::string& how, rewrite::TensorExtraction extraction,
                            double doubt = kDoubt) {
    if (!extraction.found) return;
    const uint64_t hash = ir::dag_hash(extraction.graph);
    if (!seen.insert(hash).second) return;
    const double cost = cost::graph_cost(model, extraction.graph);
    const double limit = clearly                              ? cost_before / runtime::kClearGain
                         : costs.measured && hash != original ? cost_before * (1 + doubt)
                                                              : surely;
    too_little |= clearly && cost >= limit && cost < surely;
    if (cost < limit) found.push_back({how, std::move(extraction), cost});
  };

  rewrite::TensorExtraction best = cheapest ? *std::move(cheapest) : rewriting.pick(model);
  if (!best.found) {
    out.why_none = original_since("nothing could be extracted");
    return out;
  }
  Cheapest& of_all = out.cheapest.emplace();
  of_all = {std::min(cost_before, cost::graph_cost(model, best.graph)), best.bound, best.optimal};
  const std::vector<std::string> families = rewriting.families(best);
  consider("cheapest", std::move(best));
  const auto go_on = [&] { return found.size() < most && most > 1 && !rewriting.out_of_time(); };
  if (costs.roofline && most > 1 && !rewriting.out_of_time())
    consider("cheapest by the roofline", rewriting.pick(*costs.roofline, {false, kSecondsEach, {}}),
             kDoubtOfRoofline);
  for (const std::string& family : families)
    if (go_on())
      consider("cheapest without " + family,
               rewriting.pick(model, {false, kSecondsEach, rewriting.without(family)}));
  if (go_on()) consider("greedy", rewriting.pick(model, {true, kSecondsEach, {}}));

  std::ranges::stable_sort(found, {}, &Candidate::cost);
  if (found.empty())
    out.why_none = original_since(
        too_little ? fmt::format("what was found is cheaper by less than {:.2g} %, which few slow runs do "
                                 "not show",
                                 100 * (runtime::kClearGain - 1))
                   : "no cheaper one was found");
  else
    of_all.cost = std::min(of_all.cost, found[0].cost);
  // The bound holds for what the extraction sums: the whisper that folded weights cost there (ExtractOptions)
  // is not in a program's cost, and its sum goes in another order.
  of_all.bound = std::min(of_all.bound, of_all.cost);
  return out;
}

}  // namespace isomer::recipes
