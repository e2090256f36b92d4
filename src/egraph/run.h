// Equality saturation with single-pattern rules, generic over the analysis: the work of the loop
// (saturation_loop.h) for rules that are patterns and no more. They are searched and applied by one plan
// (rule_plan.h).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "egraph/rule_plan.h"
#include "egraph/saturation_loop.h"
#include "support/limits.h"

namespace isomer::egraph {

struct RunOptions {
  Limits limits;  ///< nodes: live e-nodes, looked at after every few applications
  SchedulerOptions scheduler;
  Language* language = nullptr;
  unsigned threads = 1;     ///< of the search; the result does not depend on it
  bool incremental = true;  ///< later searches look only at what changed; the result does not depend on it
  /// Asked after each iteration, and within one when its unions are made and closed: same() is exact then,
  /// the index may not be. True ends the run, there being nothing left to do (kSaturated).
  std::function<bool(const Store&)> reached;
  bool trim = true;  ///< give back spare memory at the end; pointless where the e-graph ends as well
  /// All ids that the caller goes on using. If given, trimming drops dead nodes too, which renumbers, and
  /// these become what their classes are called then. Not where a derivation is recorded.
  std::vector<ClassId>* held = nullptr;
};

struct RuleStatistics {
  uint64_t matches = 0;          ///< new ones, of searches that were not banned
  uint64_t matches_applied = 0;  ///< of these, those that changed the e-graph
  uint32_t bans = 0;
};

struct RunReport {
  StopReason stop_reason = StopReason::kRunning;
  uint64_t iterations = 0;  ///< the last one, in which nothing changed, included
  uint64_t matches = 0;
  uint64_t matches_applied = 0;
  uint64_t terms_created = 0;
  size_t e_nodes = 0;
  size_t e_classes = 0;
  size_t hashcons_size = 0;
  size_t memory_bytes = 0;
  double search_seconds = 0;  ///< CPU seconds of the calling thread, as all below
  double apply_seconds = 0;
  double rebuild_seconds = 0;
  double cpu_seconds = 0;
  std::vector<RuleStatistics> rules;
};

/// Adds the right side that a match lacks, equal to its root. True if that changed anything.
template <class A>
bool add_missing(EGraph<A>& g, const Rewrite& rewrite, const RightSide& right, const uint32_t* bindings,
                 uint32_t width, ClassId root, Justification why, Language* language, AddScratch& scratch) {
  const Subst subst{{bindings, width}, right.variables};
  const auto operand = [&](uint32_t o) {
    return o < right.variables ? ClassId(bindings[o]) : scratch.made[o - right.variables];
  };
  if (right.root < right.variables) return g.unite(root, operand(right.root), why);
  scratch.made.resize(right.nodes.size());
  bool changed = false;
  for (size_t i = 0; i < right.nodes.size(); ++i) {
    const RightSide::Node& node = right.nodes[i];
    scratch.children.clear();
    for (uint32_t o = node.first; o < node.end; ++o) scratch.children.push_back(operand(right.operands[o]));
    const uint32_t payload = node.payload != PatternNode::kAnyPayload
                                 ? node.payload
                                 : make_payload(rewrite.right.nodes[node.in_pattern], subst, language);
    if (i + 1 == right.nodes.size()) {
      changed = g.add_equal(node.op, payload, scratch.children, root, why);
    } else {
      scratch.made[i] = as_class(g.add_node(node.op, payload, scratch.children));
    }
  }
  return changed;
}

/// Applies what one search found: unions first, then what is missing.
template <class A>
class Application {
 public:
  Application(EGraph<A>& g, const std::vector<Rewrite>& rules, const RulePlan& plan,
              const RunOptions& options, RunReport& report)
      : g_(g), rules_(rules), plan_(plan), options_(options), report_(report), children_(plan.arity()) {}

  /// False if a limit stopped it. `apply`: by rule, whether what it found counts.
  bool run(const std::vector<RulePlan::Found>& found, const std::vector<bool>& apply, LimitWatch& watch) {
    for (const RulePlan::Found& range : found) {
      for (const RulePlan::Union& u : range.unions) {
        if (apply[u.rule]) count(u.rule, g_.unite(u.root, u.right, {u.rule, Justification::kNone}));
      }
    }
    g_.close();
    if (options_.reached && options_.reached(g_)) {
      report_.stop_reason = StopReason::kSaturated;
      return false;
    }
    constants_.assign(plan_.constants().size(), ClassId());
    for (const RulePlan::Found& range : found) {
      for (const std::vector<uint32_t>& block : range.missing) {
        for (size_t at = 0; at < block.size();) {
          const RulePlan::LeftSide& left = plan_.left_side(block[at]);
          create(left, &block[at], apply);
          at += left.record();
          if (!may_go_on(watch)) return false;
        }
      }
      for (size_t at = 0; at < range.written.size();) {
        const uint32_t rule = range.written[at];
        const uint32_t width = plan_.width(rule);
        if (apply[rule])
          count(rule,
                add_missing(g_, rules_[rule], plan_.right(rule), &range.written[at + 2], width,
                            ClassId(range.written[at + 1]), {rule, g_.bind({&range.written[at + 2], width})},
                            options_.language, scratch_));
        at += 2 + width;
        if (!may_go_on(watch)) return false;
      }
    }
    return true;
  }

 private:
  void count(uint32_t rule, bool changed) {
    report_.rules[rule].matches_applied += changed;
    report_.matches_applied += changed;
  }
  bool may_go_on(LimitWatch& watch) {
    if (++since_check_ % 64 != 0) return true;
    report_.stop_reason = watch.check(g_.live_nodes());
    return report_.stop_reason == StopReason::kRunning;
  }

  ClassId constant(uint32_t number) {
    ClassId& known = constants_[number];
    if (!known.valid()) {
      const GroundTerm& term = plan_.constants()[number];
      std::vector<ClassId> children;
      for (uint32_t c : term.children) children.push_back(constant(c));
      known = as_class(g_.add_node(term.op, term.payload, children));
    }
    return known;
  }
  ClassId value(uint32_t operand) {
    return (operand & RulePlan::kConstant) != 0 ? constant(operand & ~RulePlan::kConstant) : values_[operand];
  }

  void create(const RulePlan::LeftSide& left, const uint32_t* record, const std::vector<bool>& apply) {
    const ClassId root(record[1]);
    const size_t kept = left.kept.size();
    values_.resize(kept + left.nodes.size());
    for (size_t i = 0; i < values_.size(); ++i) values_[i] = ClassId(record[2 + i]);
    for (const auto& right : left.rights) {
      const bool is_constant = (right.root & RulePlan::kConstant) != 0;
      if (!apply[right.rule] || (!is_constant && record[2 + right.root] != ClassId::kInvalid)) continue;
      const Justification why{right.rule, Justification::kNone};
      bool done = false;
      for (uint32_t i : right.needs) {
        if (values_[kept + i].valid()) continue;
        const RulePlan::Node& node = left.nodes[i];
        const std::span<ClassId> children(children_.data(), node.operands.size());
        for (size_t k = 0; k < children.size(); ++k) children[k] = value(node.operands[k]);
        if (kept + i == right.root) {
          NodeId made;
          count(right.rule, g_.add_equal(node.op, node.payload, children, root, why, &made));
          values_[kept + i] = as_class(made);
          done = true;
        } else {
          values_[kept + i] = as_class(g_.add_node(node.op, node.payload, children));
        }
      }
      if (!done) count(right.rule, g_.unite(root, value(right.root), why));
    }
  }

  EGraph<A>& g_;
  const std::vector<Rewrite>& rules_;
  const RulePlan& plan_;
  const RunOptions& options_;
  RunReport& report_;
  AddScratch scratch_;
  std::vector<ClassId> constants_, values_, children_;
  uint32_t since_check_ = 0;
};

/// `g` is rebuilt first and left clean. `plan` is that of the rules, which several runs may share.
template <class A>
RunReport run(EGraph<A>& g, const std::vector<Rewrite>& rules, const RulePlan& plan,
              const RunOptions& options) {
  const double begin = thread_cpu_seconds();
  RunReport report;
  report.rules.resize(rules.size());
  SearchSchedule schedule(plan.lefts(), plan.tree().size(), options.scheduler, options.incremental);
  Application<A> application(g, rules, plan, options, report);
  LimitWatch watch(options.limits);
  g.rebuild();

  double clock = thread_cpu_seconds();
  const auto lap = [&clock](double& phase) {
    const double now = thread_cpu_seconds();
    phase += now - clock;
    clock = now;
  };
  std::vector<RulePlan::Found> found;
  SaturationWork work;
  work.size = [&] { return g.live_nodes(); };
  work.begin = [](uint64_t, const SearchRound&) { return false; };
  work.search = [&](const SearchRound& round) {
    found = plan.search(g, options.language, round, options.threads, g.derivation() != nullptr);
    std::vector<uint64_t> matches(plan.tree().size(), 0);
    for (const RulePlan::Found& range : found)
      for (size_t p = 0; p < matches.size(); ++p) matches[p] += range.matches[p];
    return matches;
  };
  work.count = [&](const SearchRound& round, const std::vector<SearchMode>& modes) {
    return count_matches(g, options.language, plan.tree(), modes, round.limits);
  };
  work.apply = [&](const SearchRound& round, const std::vector<uint64_t>& matches,
                   const std::vector<bool>& apply) {
    for (size_t r = 0; r < rules.size(); ++r) {
      report.rules[r].bans += round.wanted[r] && !apply[r];
      if (apply[r]) report.rules[r].matches += matches[plan.left(r)];
    }
    lap(report.search_seconds);
    const size_t slots_before = g.slots();
    const uint64_t applied_before = report.matches_applied;
    g.clear_fresh();
    application.run(found, apply, watch);
    found.clear();
    report.terms_created += g.slots() - slots_before;
    lap(report.apply_seconds);
    g.rebuild();
    lap(report.rebuild_seconds);
    return report.matches_applied != applied_before || g.slots() != slots_before;
  };
  work.end = [&](uint64_t, bool changed) {
    if (report.stop_reason == StopReason::kRunning && options.reached && options.reached(g))
      report.stop_reason = StopReason::kSaturated;
    return changed;
  };
  saturate(work, schedule, watch, report.stop_reason, report.iterations);
  if (options.trim && options.held != nullptr && g.derivation() == nullptr) {
    const std::vector<ClassId> called = g.compact();
    for (ClassId& c : *options.held) c = called[c.index()];
  } else if (options.trim) {
    g.trim();
  }
  for (const RuleStatistics& rule : report.rules) report.matches += rule.matches;
  report.e_nodes = g.live_nodes();
  report.e_classes = g.live_classes();
  report.hashcons_size = g.hashcons_size();
  report.memory_bytes = g.memory_bytes();
  report.cpu_seconds = thread_cpu_seconds() - begin;
  return report;
}
template <class A>
RunReport run(EGraph<A>& g, const std::vector<Rewrite>& rules, const RunOptions& options) {
  const double begin = thread_cpu_seconds();
  const RulePlan plan(rules);
  RunReport report = run(g, rules, plan, options);
  report.cpu_seconds = thread_cpu_seconds() - begin;
  return report;
}

}  // namespace isomer::egraph
