// Which left sides an iteration searches and how: the backoff scheduler over rules, and incremental search
// over left sides, which rules share. Backoff goes by all matches that there are, as in egg, old ones
// included; since old matches only grow fewer (classes merge), those seen before plus those that are new is a
// bound, and all are counted only where it does not settle the matter.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "egraph/code_tree.h"
#include "egraph/scheduler.h"

namespace isomer::egraph {

struct SearchRound {
  std::vector<SearchMode> modes;  ///< by left side
  std::vector<size_t> limits;     ///< most matches, by left side
  std::vector<bool> wanted;       ///< by rule
};

class SearchSchedule {
 public:
  /// `left_of`: the number of each rule's left side, below `lefts`.
  SearchSchedule(std::vector<uint32_t> left_of, size_t lefts, SchedulerOptions options, bool incremental);

  SearchRound next(uint64_t iteration) const;

  /// Counts all matches in the given modes, up to one more than the round's limits.
  using Recount = std::function<std::vector<uint64_t>(const std::vector<SearchMode>& modes)>;
  /// Bans rules that have more matches than they may: what they found is not to be applied. Returns, by rule,
  /// whether it is. `matches`: what the round found, by left side, up to one more than its limit.
  std::vector<bool> judge(const SearchRound& round, const std::vector<uint64_t>& matches,
                          const Recount& recount, uint64_t iteration);
  bool may_stop(uint64_t iteration) { return scheduler_.may_stop(iteration); }
  /// Not all that was found was applied: the next search of everything is a full one.
  void forget() { seen_.assign(seen_.size(), false); }

 private:
  std::vector<uint32_t> left_of_;
  Scheduler scheduler_;
  bool incremental_;
  std::vector<bool> seen_;       // by left side: what there was before the fresh marks has been applied
  std::vector<uint64_t> known_;  // by left side: at least as many as there are matches
};

}  // namespace isomer::egraph
