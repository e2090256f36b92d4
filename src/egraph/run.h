// Equality saturation with single-pattern rules, generic over the analysis: search all rules, apply all
// matches, rebuild, until nothing changes or a limit is reached. Tensor rules (conditions, multi-patterns)
// have their own loop in rewrite/; this one serves symbols and tests.
#pragma once

#include <string>
#include <vector>

#include "egraph/ematch.h"
#include "egraph/scheduler.h"
#include "support/limits.h"

namespace isomer::egraph {

struct Rewrite {
  std::string name;
  Pattern left;
  Pattern right;
};

struct RunOptions {
  Limits limits;  ///< nodes: live e-nodes, looked at after each rule
  SchedulerOptions scheduler;
  Language* language = nullptr;
};

struct RuleStatistics {
  uint64_t matches = 0;          ///< found and handed to application
  uint64_t matches_applied = 0;  ///< of these, unions that were new
  uint32_t bans = 0;
  double search_seconds = 0;
  double apply_seconds = 0;
};

struct RunReport {
  StopReason stop_reason = StopReason::kRunning;
  uint64_t iterations = 0;  ///< the last one, in which nothing changed, included
  uint64_t matches = 0;
  uint64_t matches_applied = 0;
  size_t e_nodes = 0;
  size_t e_classes = 0;
  size_t hashcons_size = 0;
  double search_seconds = 0;  ///< CPU seconds of the calling thread, as all below
  double apply_seconds = 0;
  double rebuild_seconds = 0;
  double cpu_seconds = 0;
  std::vector<RuleStatistics> rules;
};

/// `g` is rebuilt first and left clean.
template <class A>
RunReport run(EGraph<A>& g, const std::vector<Rewrite>& rules, const RunOptions& options) {
  const double begin = thread_cpu_seconds();
  RunReport report;
  report.rules.resize(rules.size());
  std::vector<Program> programs;
  std::vector<Matches> found;
  for (const Rewrite& rule : rules) {
    programs.emplace_back(rule.left);
    found.push_back(programs.back().no_matches());
  }
  Scheduler scheduler(rules.size(), options.scheduler);
  LimitWatch watch(options.limits);
  AddScratch scratch;
  g.rebuild();

  for (uint64_t iteration = 0; report.stop_reason == StopReason::kRunning; ++iteration) {
    report.stop_reason = watch.check_now(g.live_nodes(), iteration + 1);
    if (report.stop_reason != StopReason::kRunning) break;
    report.iterations = iteration + 1;
    const size_t nodes_before = g.live_nodes();
    double clock = thread_cpu_seconds();
    for (size_t r = 0; r < rules.size(); ++r) {
      found[r].clear();
      if (!scheduler.may_search(r, iteration)) continue;
      if (!match(g, options.language, programs[r], found[r], scheduler.match_limit(r))) {
        scheduler.ban(r, iteration);
        ++report.rules[r].bans;
        found[r].clear();
      }
      const double now = thread_cpu_seconds();
      report.rules[r].search_seconds += now - clock;
      report.search_seconds += now - clock;
      clock = now;
    }

    uint64_t unions = 0;
    for (size_t r = 0; r < rules.size() && report.stop_reason == StopReason::kRunning; ++r) {
      if (found[r].empty()) continue;
      uint64_t applied = 0;
      for (size_t m = 0; m < found[r].size(); ++m) {
        const NodeId made = add_pattern(g, rules[r].right, found[r].subst(m), options.language, scratch);
        applied +=
            g.unite(found[r].root(m), as_class(made), {static_cast<uint32_t>(r), Justification::kNone});
      }
      unions += applied;
      report.rules[r].matches += found[r].size();
      report.rules[r].matches_applied += applied;
      report.stop_reason = watch.check(g.live_nodes());
      const double now = thread_cpu_seconds();
      report.rules[r].apply_seconds += now - clock;
      report.apply_seconds += now - clock;
      clock = now;
    }
    g.rebuild();
    report.rebuild_seconds += thread_cpu_seconds() - clock;
    if (report.stop_reason == StopReason::kRunning && unions == 0 && g.live_nodes() == nodes_before &&
        scheduler.may_stop(iteration)) {
      report.stop_reason = StopReason::kSaturated;
    }
  }
  for (const RuleStatistics& rule : report.rules) {
    report.matches += rule.matches;
    report.matches_applied += rule.matches_applied;
  }
  report.e_nodes = g.live_nodes();
  report.e_classes = g.live_classes();
  report.hashcons_size = g.hashcons_size();
  report.cpu_seconds = thread_cpu_seconds() - begin;
  return report;
}

}  // namespace isomer::egraph
