#include "egraph/search_schedule.h"

#include <algorithm>

namespace isomer::egraph {

SearchSchedule::SearchSchedule(std::vector<uint32_t> left_of, size_t lefts, SchedulerOptions options,
                               bool incremental)
    : left_of_(std::move(left_of)),
      scheduler_(left_of_.size(), options),
      incremental_(incremental),
      seen_(lefts, false),
      known_(lefts, 0) {}

SearchRound SearchSchedule::next(uint64_t iteration) const {
  SearchRound round;
  round.modes.assign(seen_.size(), SearchMode::kOff);
  round.limits.assign(seen_.size(), std::numeric_limits<size_t>::max());
  round.wanted.resize(left_of_.size());
  for (size_t r = 0; r < left_of_.size(); ++r) {
    round.wanted[r] = scheduler_.may_search(r, iteration);
    if (!round.wanted[r]) continue;
    const uint32_t left = left_of_[r];
    round.modes[left] = seen_[left] && incremental_ ? SearchMode::kFresh : SearchMode::kFull;
    round.limits[left] = scheduler_.match_limit(r);  // rules with one left side are banned together
  }
  return round;
}

std::vector<bool> SearchSchedule::judge(const SearchRound& round, const std::vector<uint64_t>& matches,
                                        const Recount& recount, uint64_t iteration) {
  std::vector<SearchMode> again(seen_.size(), SearchMode::kOff);
  bool any = false;
  for (size_t p = 0; p < matches.size(); ++p) {
    if (round.modes[p] == SearchMode::kOff) continue;
    const bool is_fresh = round.modes[p] == SearchMode::kFresh;
    known_[p] = is_fresh ? known_[p] + matches[p] : matches[p];
    if (!is_fresh || known_[p] <= round.limits[p] || matches[p] > round.limits[p]) continue;
    again[p] = SearchMode::kFull;
    any = true;
  }
  if (any) {
    const std::vector<uint64_t> all = recount(again);
    for (size_t p = 0; p < all.size(); ++p)
      if (again[p] == SearchMode::kFull) known_[p] = all[p];
  }
  std::vector<bool> apply(round.wanted);
  for (size_t r = 0; r < apply.size(); ++r) {
    if (!apply[r] || known_[left_of_[r]] <= round.limits[left_of_[r]]) continue;
    scheduler_.ban(r, iteration);
    apply[r] = false;
  }
  for (size_t p = 0; p < seen_.size(); ++p)
    seen_[p] = round.modes[p] != SearchMode::kOff && known_[p] <= round.limits[p];
  return apply;
}

}  // namespace isomer::egraph
