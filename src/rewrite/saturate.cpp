#include "rewrite/saturate.h"

#include <algorithm>
#include <optional>

#include "egraph/saturation_loop.h"

namespace isomer::rewrite {

using egraph::ClassId;
using egraph::DescendantMap;

namespace {

class Clock {
 public:
  double lap() {
    const double now = thread_cpu_seconds();
    const double passed = now - last_;
    last_ = now;
    return passed;
  }

 private:
  double last_ = thread_cpu_seconds();
};

/// What of a report is the e-graph's, when all is done.
void describe(TensorEGraph& program, SaturateReport& report) {
  const EGraph& g = program.graph();
  report.e_nodes = g.live_nodes();
  report.e_classes = g.live_classes();
  report.hashcons_size = g.hashcons_size();
  report.memory_bytes = g.memory_bytes();
  report.filtered = g.filtered_nodes();
  report.tensat_nodes = tensat_count(program);
  report.contradictions = program.analysis().contradictions();
}

bool is_vanilla(CycleMode mode) { return mode == CycleMode::kVanilla || mode == CycleMode::kVanillaMulti; }

}  // namespace

Saturation::Saturation(TensorEGraph& program, const RuleSet& rules)
    : program_(program), rules_(rules), alternatives_(program), applier_(alternatives_) {
  for (const Rule& rule : rules.rules) add_rule(rule);
  for (const CompiledRule& c : compiled_) {
    if (!c.rule->is_multi()) {
      singles_.push_back({c.number, single_patterns_.add(c.left[0])});
    } else {
      egraph::MultiPatternOptions options;
      options.unordered_if_same = c.rule->symmetric;
      multis_.push_back({c.number, egraph::MultiPattern(c.left, patterns_, options)});
    }
  }
}

void Saturation::add_rule(const Rule& rule) {
  compiled_.push_back(compile(program_.context(), rule, static_cast<uint32_t>(alternatives_.sources())));
  alternatives_.add_source(sources_.emplace_back(compiled_.back()));
}

void Saturation::count(uint32_t rule, Applied outcome, SaturateReport& report) const {
  RuleStatistics& s = report.rules[rule];
  ++s.matches;
  ++report.matches;
  switch (outcome) {
    case Applied::kChanged:
      ++s.applied;
      ++report.matches_applied;
      break;
    case Applied::kCondition: ++s.conditions; break;
    case Applied::kIllTyped: ++s.ill_typed; break;
    case Applied::kNotFinite: ++s.not_finite; break;
    case Applied::kRefused: ++s.cyclic; break;
    case Applied::kNothingNew: break;
  }
}

std::span<const ClassId> Saturation::classes_used(const CompiledRule& rule, const egraph::Subst& subst) {
  used_.clear();
  for (const FragmentNode& node : rule.right.nodes)
    if (node.is_variable) used_.push_back(subst.class_at(node.variable));
  return used_;
}

bool Saturation::multi_step(const SaturateOptions& options, LimitWatch& watch, SaturateReport& report) {
  EGraph& g = program_.graph();
  Clock clock;
  std::optional<DescendantMap> below;
  const bool vanilla = is_vanilla(options.cycles);
  if (options.cycles == CycleMode::kEfficient) {
    below.emplace(g);
    report.cycle_seconds += clock.lap();
  }
  egraph::MatchOptions search;
  search.threads = options.threads;
  const std::vector<egraph::Matches> found =
      egraph::match(g, &program_.language(), patterns_.tree(), search).found;
  const size_t before = g.live_nodes();
  const auto done = [&] {
    return g.live_nodes() - before >= options.node_multi ||
           watch.check(g.live_nodes(), report.iterations) != StopReason::kRunning;
  };
  const uint64_t applied_before = report.matches_applied;
  for (const Multi& m : multis_) {
    const CompiledRule& rule = compiled_[m.rule];
    if (rule.rule->stability == Stability::kUnstable && !options.allow_unstable) continue;
    Clock rule_clock;
    m.pattern.join(found, [&](std::span<const ClassId> roots, const egraph::Subst& subst) {
      const std::function<bool()> acyclic = [&] {
        const std::span<const ClassId> used = classes_used(rule, subst);
        if (vanilla) return !egraph::reaches_now(g, used, roots);
        return std::ranges::none_of(used, [&](ClassId x) {
          return std::ranges::any_of(roots, [&](ClassId r) { return below->reaches(x, r); });
        });
      };
      count(m.rule, applier_.apply(rule, roots, subst, vanilla || below ? &acyclic : nullptr), report);
      return !done();
    });
    report.rules[m.rule].apply_seconds += rule_clock.lap();
    if (done()) break;
  }
  g.rebuild();
  report.multi_seconds += clock.lap();
  if (options.cycles != CycleMode::kNone) egraph::break_cycles(g, program_.roots(), program_.source_nodes());
  report.cycle_seconds += clock.lap();
  report.added_by_multi.push_back(g.live_nodes() - std::min(before, g.live_nodes()));
  return report.matches_applied > applied_before;
}

uint32_t Saturation::group_rule_number(GroupKind kind, size_t members) {
  const auto [it, fresh] =
      group_rules_.try_emplace({kind, members}, static_cast<uint32_t>(alternatives_.sources()));
  if (fresh) {
    made_.push_back(group_rule(program_.context().ops(), kind, members));
    add_rule(made_.back());
  }
  return it->second;
}

bool Saturation::group_step(const SaturateOptions& options, SaturateReport& report) {
  EGraph& g = program_.graph();
  bool changed = false;
  g.track_members(true);
  for (const Group& group : find_groups(program_, groups_)) {
    groups_.joined.emplace(group.kind, group.shared.v);
    const uint32_t number = group_rule_number(group.kind, group.roots.size());
    report.rules.resize(alternatives_.sources());
    const CompiledRule& rule = *alternatives_.source(number).rule();
    const egraph::Subst subst{group.bindings, rule.tensors};
    const std::function<bool()> acyclic = [&] {  // groups before this one may have joined what it needs apart
      return !egraph::reaches_now(g, classes_used(rule, subst), group.roots);
    };
    const Applied outcome =
        applier_.apply(rule, group.roots, subst, options.cycles == CycleMode::kNone ? nullptr : &acyclic);
    count(number, outcome, report);
    changed = changed || outcome == Applied::kChanged;
  }
  g.rebuild();
  g.track_members(is_vanilla(options.cycles));
  if (options.cycles != CycleMode::kNone) egraph::break_cycles(g, program_.roots(), program_.source_nodes());
  return changed;
}

bool Saturation::apply_singles(const egraph::MatchResult& found, const std::vector<bool>& apply,
                               const SaturateOptions& options, LimitWatch& watch, SaturateReport& report) {
  bool changed = false;
  Clock clock;
  std::vector<uint32_t> bindings;
  for (size_t i = 0; i < singles_.size(); ++i) {
    const Single& s = singles_[i];
    const egraph::Matches& matches = found.found[s.left.program];
    if (!apply[i] || matches.empty() || report.stop_reason != StopReason::kRunning) continue;
    const CompiledRule& rule = compiled_[s.rule];
    bindings.assign(rule.tensors + rule.matched_attributes, egraph::kUnbound);
    for (size_t m = 0; m < matches.size(); ++m) {
      const ClassId root = matches.root(m);
      const egraph::Subst match = matches.subst(m);
      for (uint32_t v = 0; v < s.left.class_variable.size(); ++v)
        bindings[s.left.class_variable[v]] = match.class_at(v).v;
      for (uint32_t v = 0; v < s.left.attr_variable.size(); ++v)
        bindings[rule.tensors + s.left.attr_variable[v]] = match.attr_at(v);
      const egraph::Subst subst{bindings, rule.tensors};
      const std::function<bool()> acyclic = [&] {
        return !egraph::reaches_now(program_.graph(), classes_used(rule, subst), std::span(&root, 1));
      };
      const Applied outcome = applier_.apply(rule, std::span(&root, 1), subst,
                                             options.cycles == CycleMode::kVanilla ? &acyclic : nullptr);
      count(s.rule, outcome, report);
      changed = changed || outcome == Applied::kChanged;
      if ((m & 255) == 255 &&
          watch.check(options.limit_by_tensat_count ? 0 : program_.graph().live_nodes()) !=
              StopReason::kRunning)
        break;
    }
    report.stop_reason = watch.check(options.limit_by_tensat_count ? 0 : program_.graph().live_nodes());
    const double seconds = clock.lap();
    report.rules[s.rule].apply_seconds += seconds;
    report.apply_seconds += seconds;
  }
  return changed;
}

SaturateReport Saturation::run(const SaturateOptions& options) {
  EGraph& g = program_.graph();
  const double begin = thread_cpu_seconds();
  SaturateReport report;
  report.rules.resize(alternatives_.sources());
  std::vector<uint32_t> lefts;
  for (const Single& s : singles_) lefts.push_back(s.left.program);
  // What the vanilla filter refused may be acceptable later, when nodes were filtered: it looks at all again.
  const bool incremental = options.incremental && options.cycles != CycleMode::kVanilla;
  egraph::SearchSchedule schedule(std::move(lefts), single_patterns_.size(), options.scheduler, incremental);
  LimitWatch watch(options.limits);
  g.rebuild();
  g.track_members(is_vanilla(options.cycles));
  Clock clock;
  constexpr uint64_t kGroupAgain = 3;  // other spellings have become products by then
  bool grouped_again = !options.grouping;
  const auto group = [&] {
    clock.lap();
    const bool changed = group_step(options, report);
    report.group_seconds += clock.lap();
    return changed;
  };
  if (options.grouping) group();

  egraph::MatchResult found;
  egraph::SaturationWork work;
  work.size = [&] { return options.limit_by_tensat_count ? tensat_count(program_) : g.live_nodes(); };
  work.begin = [&](uint64_t iteration, egraph::SearchRound& round) {
    const bool changed =
        iteration < options.k_multi && !multis_.empty() && multi_step(options, watch, report);
    clock.lap();
    for (size_t i = 0; i < singles_.size(); ++i)
      if (rules_.rules[singles_[i].rule].stability == Stability::kUnstable && !options.allow_unstable)
        round.wanted[i] = false;
    return changed;
  };
  work.search = [&](const egraph::SearchRound& round) {
    found = egraph::match(g, &program_.language(), single_patterns_.tree(),
                          {round.modes, round.limits, options.threads});
    std::vector<uint64_t> matches;
    for (size_t p = 0; p < found.found.size(); ++p)
      matches.push_back(found.found[p].size() + found.exceeded[p]);
    return matches;
  };
  work.count = [&](const egraph::SearchRound& round, const std::vector<egraph::SearchMode>& modes) {
    return egraph::count_matches(g, &program_.language(), single_patterns_.tree(), modes, round.limits);
  };
  work.apply = [&](const egraph::SearchRound& round, const std::vector<uint64_t>&,
                   const std::vector<bool>& apply) {
    for (size_t i = 0; i < singles_.size(); ++i)
      report.rules[singles_[i].rule].bans += round.wanted[i] && !apply[i];
    g.clear_fresh();
    report.search_seconds += clock.lap();
    const bool changed = apply_singles(found, apply, options, watch, report);
    found = {};
    clock.lap();
    g.rebuild();
    report.rebuild_seconds += clock.lap();
    if (options.cycles != CycleMode::kNone)
      egraph::break_cycles(g, program_.roots(), program_.source_nodes());
    report.cycle_seconds += clock.lap();
    return changed;
  };
  work.end = [&](uint64_t iteration, bool changed) {
    const auto running = [&] { return report.stop_reason == StopReason::kRunning; };
    if (options.progress && !options.progress(report.iterations, g.live_nodes(), g.live_classes()) &&
        running())
      report.stop_reason = StopReason::kInterrupted;
    if (grouped_again || !running()) return changed;
    if (iteration != kGroupAgain && (changed || !schedule.may_stop(iteration))) return changed;
    grouped_again = true;
    return group() || changed;
  };
  egraph::saturate(work, schedule, watch, report.stop_reason, report.iterations);
  g.track_members(false);
  describe(program_, report);
  report.cpu_seconds = thread_cpu_seconds() - begin;
  return report;
}

}  // namespace isomer::rewrite
