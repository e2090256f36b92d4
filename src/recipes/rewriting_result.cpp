// What Rewriting does once a program is extracted: folding it, explaining it, and checking what led to it.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <ranges>
#include <vector>

#include "eval/fold_check.h"
#include "ir/dag_hash.h"
#include "recipes/blame.h"
#include "recipes/chain_entry.h"
#include "recipes/known_verdicts.h"
#include "recipes/load.h"
#include "recipes/rewriting_state.h"
#include "rewrite/explain_chain.h"
#include "rewrite/rule_check.h"
#include "rewrite/rule_print.h"
#include "support/errors.h"
#include "support/hash.h"
#include "support/memory.h"
#include "support/store.h"
#include "verify/equivalence.h"

namespace isomer::recipes {
namespace {

/// Whether one of these values of `graph` is not a value of `original`.
bool makes_new(const ir::Graph& graph, const std::vector<ir::ValueId>& values, const ir::Graph& original) {
  if (values.empty()) return false;
  const std::vector<uint64_t> hashes = ir::term_hashes(graph), own = ir::term_hashes(original);
  return std::ranges::any_of(
      values, [&](ir::ValueId v) { return std::ranges::find(own, hashes[v.index()]) == own.end(); });
}

constexpr int64_t kSmallWeights = 1 << 16;  // may grow as they like

/// What constants may hold altogether, in bytes; `before`: what they hold in the original.
double most_weight_bytes(const OptimizeOptions& options, uint64_t before) {
  const auto least = static_cast<double>(std::max<uint64_t>(1, before));
  return std::max(least * options.max_weight_growth, static_cast<double>(kSmallWeights));
}

/// Nothing, and why, where there is none by then.
std::optional<rewrite::RewriteChain> chain_to(const rewrite::Saturation& saturation,
                                              const rewrite::TensorExtraction& extraction,
                                              const Deadline& until, std::string& why) {
  rewrite::ExplainOptions options;
  options.until = until;
  return rewrite::explain_chain(saturation, extraction, why, options);
}

}  // namespace

FoldedProgram Rewriting::fold(const rewrite::TensorExtraction& extraction, uint64_t weight_bytes,
                              const Deadline& until) const {
  State& s = *state_;
  eval::FoldOptions folding;
  folding.memo = &s.folded;
  folding.until = until;
  folding.memory_bytes = s.spine.limits().memory_bytes;
  if (const uint64_t all = physical_bytes(); all > 0)  // where the user gives no limit, or a large one
    folding.memory_bytes = std::min(folding.memory_bytes, all / 2);
  const FloatPromise promise = s.ways.floats;
  folding.exact = promise == FloatPromise::kStrict;
  folding.finite = promise == FloatPromise::kFinite;
  eval::Folded folded = eval::fold(extraction.graph, folding);
  const auto finished = [&] { return folded.stop_reason == StopReason::kSaturated; };
  const auto unfinished = [&]() -> FoldedProgram {
    switch (folded.stop_reason) {
      case StopReason::kInterrupted:
        return {{}, "interrupted while constants were folded", folded.stop_reason};
      case StopReason::kMemoryLimit:
        return {{}, "folding its constants takes more room than there is", folded.stop_reason};
      default: return {{}, "folding its constants takes longer than there was time", folded.stop_reason};
    }
  };
  if (!finished()) return unfinished();
  const double before = static_cast<double>(std::max<uint64_t>(1, weight_bytes));
  const auto growth = [&] {
    return folded.statistics.bytes_before > 0 ? static_cast<double>(folded.statistics.bytes_after) / before
                                              : 1;
  };
  const auto too_large = [&] {
    return growth() > s.options.max_weight_growth && folded.statistics.bytes_after > kSmallWeights;
  };
  s.spine.record().numbers["fold.growth"] = growth();
  if (too_large()) {
    // What would take too much room is left for the runtime to compute when it loads the model.
    const double grown = growth();
    folding.max_growth_bytes =
        static_cast<int64_t>(most_weight_bytes(s.options, weight_bytes)) - folded.statistics.bytes_before;
    folded = eval::fold(extraction.graph, folding);
    if (!finished()) return unfinished();
    s.spine.record().numbers["fold.growth"] = growth();
    if (too_large())
      return {{},
              fmt::format("weights would grow {:.2f} times (--max-weight-growth {})", grown,
                          s.options.max_weight_growth)};
  }
  if (makes_new(extraction.graph, folded.not_finite, s.original))
    return {{}, "rewriting made a constant that is infinite, NaN or vanishes (--float fast permits it)"};
  s.spine.record().numbers["fold.nodes"] = static_cast<double>(folded.statistics.nodes_folded);
  // Candidates share most of their constants: each is checked once.
  std::erase_if(folded.constants, [&](const auto& c) { return s.checked.contains(c.second.v); });
  eval::FoldCheckOptions checking;
  checking.until = until;
  const eval::FoldCheck check = eval::check_fold(extraction.graph, folded, checking);
  s.spine.record().numbers["fold.checked"] = static_cast<double>(check.checked);
  s.spine.record().numbers["fold.unchecked"] = static_cast<double>(check.unchecked);
  if (!check.wrong.empty())
    throw VerificationError("constant folding went wrong at " + check.wrong + "; nothing was written");
  if (!until.passed())
    for (const auto& c : folded.constants) s.checked.insert(c.second.v);
  return {std::move(folded.graph), {}};
}

eval::FoldPlan Rewriting::plan_fold(const rewrite::TensorExtraction& extraction,
                                    uint64_t weight_bytes) const {
  eval::FoldOptions folding;
  folding.exact = state_->ways.floats == FloatPromise::kStrict;
  folding.max_growth_bytes = static_cast<int64_t>(most_weight_bytes(state_->options, weight_bytes)) -
                             static_cast<int64_t>(recipes::weight_bytes(ir::prune(extraction.graph)));
  return eval::plan_fold(extraction.graph, folding);
}

Blame Rewriting::blame(const rewrite::TensorExtraction& extraction, const Breaks& breaks,
                       const Deadline& until) const {
  const State& s = *state_;
  std::string why;
  const auto chain = chain_to(s.saturation, extraction, until, why);
  if (!chain) {
    Blame nothing;
    nothing.text = "no step can be named: " + why;
    return nothing;
  }
  return find_blame(*chain, s.saturation, breaks, until);
}

std::map<std::string, uint64_t> Rewriting::rules_applied(const rewrite::TensorExtraction& extraction) const {
  std::map<std::string, uint64_t> out;
  for (const auto& [name, count] : rewrite::rules_used(extraction, state_->saturation)) out[name] = count;
  return out;
}

const ir::Graph& Rewriting::original() const { return state_->original; }

/// What each aim of the chain is worth: how much more the cheapest program costs that does without the nodes
/// which its rules made. The cost along the chain does not tell: what a step replaces is there until its last
/// user is rewritten, too. Aims of many steps come first, lest time ends before the one that matters.
void Rewriting::file_savings(double found, cost::CostModel& model, const Deadline& until) const {
  const State& s = *state_;
  constexpr double kAll = 1, kEach = 0.2;  // seconds; kAll by the processor's clock
  const double ends = thread_cpu_seconds() + kAll;
  std::map<std::string, size_t> steps;
  for (const RewriteEntry& step : s.spine.record().chain) ++steps[step.aim];
  std::vector<std::pair<std::string, size_t>> aims(steps.begin(), steps.end());
  std::ranges::stable_sort(aims, std::greater{}, &std::pair<std::string, size_t>::second);
  const rewrite::Alternatives& applied = s.saturation.alternatives();
  for (const std::string& aim : aims | std::views::keys) {
    if (thread_cpu_seconds() > ends || until.passed()) return;
    const auto without = [&](egraph::NodeId n) {
      const uint32_t made_by = applied.maker(n);
      return made_by == rewrite::Alternatives::kNone ||
             s.aim_of(applied.source_of(applied.applications()[made_by]).name()) != aim;
    };
    const rewrite::TensorExtraction other = pick(model, {false, kEach, without});
    if (!other.found) continue;
    const double cost = std::min(cost::graph_cost(model, other.graph), cost::graph_cost(model, s.original));
    s.spine.record().numbers["saved: " + aim] = std::max(0.0, cost - found);
  }
}

Explained Rewriting::explain(const rewrite::TensorExtraction& extraction, cost::CostModel* model,
                             const Deadline& until) const {
  const State& s = *state_;
  std::string why;
  const auto chain = chain_to(s.saturation, extraction, until, why);
  if (!chain) return {"no chain: " + why, extraction.instances};
  RunRecord& record = s.spine.record();
  record.chain.clear();
  constexpr double kPricing = 2;  // CPU seconds
  const double pricing_ends = thread_cpu_seconds() + kPricing;
  for (size_t i = 0; i < chain->steps.size(); ++i) {
    RewriteEntry entry = chain_entry(s.saturation, chain->steps[i]);
    if (model != nullptr && thread_cpu_seconds() < pricing_ends && !until.passed())
      entry.cost = cost::graph_cost(*model, chain->program(i + 1));
    entry.aim = s.aim_of(entry.rule);
    record.chain.push_back(std::move(entry));
  }
  if (model != nullptr) file_savings(cost::graph_cost(*model, extraction.graph), *model, until);
  return {fmt::format("{} steps by {} rule applications{}", chain->steps.size(), chain->instances.size(),
                      chain->minimal ? ", none superfluous" : ""),
          chain->instances};
}

bool Rewriting::has_rule(const std::string& name) const {
  return name == kBodyRewrite || state_->rules.find(name) != nullptr;
}

bool Rewriting::may_not_suit(const std::string& name, const RewriteCheck& check) const {
  const rewrite::Rule* rule = state_->rules.find(name);
  if (rule != nullptr && rule->stability == rewrite::Stability::kExact) return false;
  const auto found = check.identities.find(name);
  return found != check.identities.end() && found->second;
}

RewriteCheck Rewriting::check_rewrites(const rewrite::TensorExtraction& extraction,
                                       const Deadline& until) const {
  State& s = *state_;
  ir::Context& ctx = s.program.context();
  size_t checked = 0, proved = 0, sampled = 0, tested = 0;
  RewriteCheck out;
  const auto judge = [&](const std::string& rule, const std::string& what, const verify::Verdict& verdict) {
    const bool identity = verdict.kind <= verify::VerdictKind::kSampled;
    out.identities.try_emplace(rule, true).first->second &= identity;
    if (verdict.of_floats()) {
      out.unsuited = {rule, fmt::format("{} does not hold: {}", what, verify::summary(verdict))};
      return;
    }
    if (verdict.kind == verify::VerdictKind::kRefuted) {
      out.wrong = fmt::format("{} does not hold: {}; nothing was written", what, verify::summary(verdict));
      return;
    }
    ++checked;
    proved += verdict.kind == verify::VerdictKind::kProved;
    sampled += verdict.kind == verify::VerdictKind::kSampled;
    tested += verdict.kind == verify::VerdictKind::kTested;
    if (verdict.kind == verify::VerdictKind::kUnknown)
      out.unknown.push_back(fmt::format("{} ({})", what, verdict.note));
  };
  const auto ended = [&] { return out.unsuited || !out.wrong.empty(); };
  // Equal applications (one rule, equal types and attributes) are checked once: equal layers share their
  // verdict, and so do runs of the same build.
  KnownVerdicts known = KnownVerdicts::of_user();
  for (uint32_t number : extraction.instances) {
    out.all = out.all && !until.passed();
    if (!out.all || ended()) break;
    const rewrite::Application& applied = s.saturation.alternatives().applications()[number];
    const rewrite::Source& source = s.saturation.alternatives().source_of(applied);
    const rewrite::CompiledRule* rule = source.rule();
    std::string text = source.name();  // of no rule: each application stands for itself
    if (rule != nullptr) text = known.statement(ctx.ops(), *rule->rule);
    if (rule != nullptr && !known.asked(text)) {
      judge(source.name(), "rule " + source.name(),
            known.verdict(text, [&] { return rewrite::check_rule(ctx, *rule->rule).verdict; }));
      out.arithmetic[source.name()] = known.arithmetic(text, *rule->rule);
    }
    const std::string place = source.describe(ctx, applied.instance);
    const std::string application = fmt::format("{}\n{}", text, place);
    if (ended() || known.asked(application)) continue;
    judge(source.name(), fmt::format("rule {} at {}", source.name(), place),
          known.verdict(application, [&] { return source.check(ctx, applied.instance, {}); }));
    Progress p;
    p.phase = "verify";
    p.note = fmt::format("{} rules and applications", checked);
    s.spine.progress().update(p);
  }
  known.keep();
  s.spine.record().numbers["verify.remembered"] = static_cast<double>(known.remembered());
  s.spine.record().texts["rewrites"] = fmt::format(
      "{} rules and distinct applications: {} equal over the field, {} at sampled elements, {} tested on "
      "floats, {} unknown",
      checked, proved, sampled, tested, out.unknown.size());
  return out;
}

verify::Verdict Rewriting::check_whole(const ir::Graph& candidate, const Deadline& until) const {
  verify::EquivalenceOptions options;
  options.until = until;
  return verify::check_equivalent(state_->original, candidate, options);
}

}  // namespace isomer::recipes
