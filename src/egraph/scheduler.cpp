#include "egraph/scheduler.h"

#include <algorithm>

namespace isomer::egraph {

void Scheduler::ban(size_t rule, size_t iteration) {
  State& state = rules_[rule];
  state.banned_until = iteration + (size_t{options_.ban_length} << state.times_banned);
  ++state.times_banned;
}

bool Scheduler::may_stop(size_t iteration) {
  size_t soonest = std::numeric_limits<size_t>::max();
  for (const State& state : rules_) {
    if (state.banned_until > iteration) soonest = std::min(soonest, state.banned_until);
  }
  if (soonest == std::numeric_limits<size_t>::max()) return true;
  const size_t shorten = soonest - iteration;
  for (State& state : rules_) {
    if (state.banned_until > iteration) state.banned_until -= shorten;
  }
  return false;
}

}  // namespace isomer::egraph
