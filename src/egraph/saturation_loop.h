// The loop of equality saturation, as algorithm 1 of egg (Willsey et al., POPL 2021) has it: search all
// rules, apply what they found, rebuild, until nothing changes or a limit is reached. There is one, for
// symbols (run.h) and for tensors (rewrite/saturate.h): it knows when to search what and when to stop. What
// is searched and how it is applied is the work of whoever has the rules: tensor rules have conditions,
// several left sides and a filter of cycles, plain ones a plan by which unions come before what must be
// added.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "egraph/search_schedule.h"
#include "support/limits.h"

namespace isomer::egraph {

/// What an iteration is made of, in this order. Each may end the run by setting the reason that the loop was
/// given: the iteration is then the last.
struct SaturationWork {
  /// Of the e-graph, as its limit counts.
  std::function<size_t()> size;
  /// What comes before the search; whether it changed anything. May leave rules out of the round.
  std::function<bool(uint64_t iteration, SearchRound& round)> begin;
  /// Matches by left side, up to one more than the round's limit; what was found is kept for `apply`.
  std::function<std::vector<uint64_t>(const SearchRound& round)> search;
  /// The same in these modes, counted alone.
  std::function<std::vector<uint64_t>(const SearchRound& round, const std::vector<SearchMode>& modes)> count;
  /// `apply`: by rule, whether what it found counts. Leaves the e-graph clean. Whether anything changed.
  std::function<bool(const SearchRound& round, const std::vector<uint64_t>& matches,
                     const std::vector<bool>& apply)>
      apply;
  /// Whether anything changed in all: what may help where nothing did is done here.
  std::function<bool(uint64_t iteration, bool changed)> end;
};

/// `iterations`: the last one, in which nothing changed, included.
inline void saturate(const SaturationWork& work, SearchSchedule& schedule, LimitWatch& watch,
                     StopReason& reason, uint64_t& iterations) {
  for (uint64_t iteration = 0; reason == StopReason::kRunning; ++iteration) {
    reason = watch.check_now(work.size(), iteration + 1);
    if (reason != StopReason::kRunning) return;
    iterations = iteration + 1;
    SearchRound round = schedule.next(iteration);
    bool changed = work.begin(iteration, round);
    const std::vector<uint64_t> matches = work.search(round);
    const std::vector<bool> apply = schedule.judge(
        round, matches, [&](const std::vector<SearchMode>& modes) { return work.count(round, modes); },
        iteration);
    changed = work.apply(round, matches, apply) || changed;
    changed = work.end(iteration, changed);
    if (reason == StopReason::kRunning && !changed && schedule.may_stop(iteration))
      reason = StopReason::kSaturated;
  }
}

}  // namespace isomer::egraph
