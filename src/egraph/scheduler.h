// When a rule is searched. Simple: always. Backoff, as in egg: a rule with more matches than its limit is
// banned for some iterations, then comes back with limit and ban doubled, so that explosive rules
// (associativity) do not starve the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace isomer::egraph {

enum class SchedulerKind : uint8_t { kSimple, kBackoff };

struct SchedulerOptions {
  SchedulerKind kind = SchedulerKind::kSimple;
  size_t match_limit = 1000;
  uint32_t ban_length = 5;  ///< iterations
};

class Scheduler {
 public:
  Scheduler(size_t rules, SchedulerOptions options) : options_(options), rules_(rules) {}

  size_t rules() const { return rules_.size(); }
  bool may_search(size_t rule, size_t iteration) const { return iteration >= rules_[rule].banned_until; }
  /// Most matches the rule may have now.
  size_t match_limit(size_t rule) const {
    if (options_.kind == SchedulerKind::kSimple) return std::numeric_limits<size_t>::max();
    return options_.match_limit << rules_[rule].times_banned;
  }
  /// The rule had more matches than match_limit: they are not to be applied.
  void ban(size_t rule, size_t iteration);
  /// Asked when nothing changed: true if no rule is banned, so that this is saturation. Else the bans are
  /// shortened, so that the first banned rule comes back at once.
  bool may_stop(size_t iteration);

 private:
  struct State {
    size_t banned_until = 0;
    uint32_t times_banned = 0;
  };
  SchedulerOptions options_;
  std::vector<State> rules_;
};

}  // namespace isomer::egraph
