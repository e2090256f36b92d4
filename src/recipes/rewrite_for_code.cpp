#include "recipes/rewrite_for_code.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "cost/cost_model.h"
#include "recipes/candidates.h"
#include "recipes/choices.h"
#include "recipes/compiled_race.h"
#include "recipes/decision.h"
#include "recipes/rewriting.h"
#include "recipes/spine.h"
#include "recipes/time_budget.h"
#include "support/errors.h"

namespace isomer::recipes {
namespace {

/// What the engine is told; the cost is a roofline, since nothing is measured operator by operator.
OptimizeOptions engine_options(const CompileOptions& options) {
  OptimizeOptions out;
  out.cost = "roofline:cpu";
  out.seed = options.seed;
  out.time_limit = options.time_limit < 0 ? kUsualSeconds : options.time_limit;
  return out;
}

/// A candidate that runs.
struct Entered {
  Candidate candidate;
  ir::Graph graph;  ///< constants folded
  size_t runner = 0;
};

class RewritingForCode {
 public:
  /// `engine`: what it is told; `until`: of all of it.
  RewritingForCode(const Program& program, const Example& example, const CompileOptions& options,
                   OptimizeOptions engine, const Deadline& until, ProgressSink& progress)
      : program_(program),
        progress_(progress),
        engine_(std::move(engine)),
        until_(until),
        spine_(record_, progress, search_limits(engine_, until.stop()), until_.part(kSearchShare)),
        race_(example, race_options(options, kRoundSeconds)) {}

  RewrittenForCode run() {
    rewriting_.emplace(program_.graph, engine_, ways_of(engine_), spine_, program_.dialect());
    require_sound(rewriting_->explore());
    enter(candidates());
    if (entered_.empty()) return std::move(out_);
    const size_t fastest = screen();
    if (!out_.decision.empty() || !is_faster(entered_[fastest])) return std::move(out_);
    take(entered_[fastest]);
    return std::move(out_);
  }

  /// Where the original was chosen only for a rule that does not suit, and without which others may be found.
  std::optional<std::string> rule_to_leave_out() const {
    if (!unsuited_ || !rewriting_->has_rule(unsuited_->rule)) return std::nullopt;
    return unsuited_->rule;
  }

 private:
  /// Of the time: for exploring and extracting.
  static constexpr double kSearchShare = 0.5;
  /// Runs are timed in so many rounds, a process each; where the first leave open whether it gains as much as
  /// is worth it, in more.
  static constexpr int kScreeningRounds = 3, kRounds = 7, kMoreRounds = 14;
  static constexpr double kWorth = 1.01, kRoundSeconds = 0.1;

  void say(const std::string& note) {
    Progress p;
    p.phase = "rewrite";
    p.seconds_left = until_.remaining();
    p.note = note;
    progress_.update(p);
  }

  std::vector<Candidate> candidates() {
    CostChoice costs;
    costs.model = cost::make_cost_model(engine_.cost);
    const double before = cost::graph_cost(*costs.model, program_.graph);
    Candidates found =
        find_candidates(*rewriting_, costs, {weights_ > kLarge ? size_t{1} : 3, before}, std::nullopt);
    if (found.list.empty())
      out_.decision = rewriting_->out_of_time() ? original_since(ended("look for another")).words
                                                : std::move(found.why_none.words);
    return std::move(found.list);
  }

  /// Compiles them, and the original before them; what runs and agrees is entered.
  void enter(std::vector<Candidate> found) {
    if (found.empty()) return;
    original_ = race_.enter(program_.graph);
    if (!race_.runner(original_).failure.empty()) return give_up(race_.runner(original_).failure);
    for (Candidate& c : found) {
      if (until_.passed()) return give_up(ended("compile another"));
      say(fmt::format("compiling: {}", c.how));
      FoldedProgram folded = rewriting_->fold(c.extraction, weights_, until_);
      if (!folded.graph) {
        keep(folded.why);
        continue;
      }
      const size_t runner = race_.enter(*folded.graph);
      if (const std::string& why = race_.runner(runner).failure; !why.empty())
        keep("what was found does not run: " + why);
      else
        entered_.push_back({std::move(c), *std::move(folded.graph), runner});
    }
    if (!entered_.empty()) out_.decision.clear();
  }

  void keep(const std::string& why) { out_.decision = original_since(why).words; }
  void give_up(const std::string& why) {
    keep(why);
    entered_.clear();
  }

  std::string ended(const char* what) const {
    return fmt::format("{} to {}",
                       until_.reason() == StopReason::kInterrupted ? "interrupted before there was time"
                                                                   : "no time was left",
                       what);
  }

  std::vector<std::vector<double>> rounds(const std::vector<size_t>& runners, int count) {
    std::vector<std::vector<double>> out;
    for (int round = 0; round < count && !until_.passed(); ++round) {
      say(fmt::format("timing: round {} of {}", round + 1, count));
      out.push_back(race_.rounds(runners, 1)[0]);
    }
    if (out.size() < static_cast<size_t>(count)) give_up(ended("time another beside it"));
    for (const size_t r : runners)
      if (const std::string& why = race_.runner(r).failure; !why.empty())
        give_up("a program fails when it is timed: " + why);
    return out;
  }

  /// Which of them seems to be the fastest.
  size_t screen() {
    if (entered_.size() == 1) return 0;
    std::vector<size_t> runners{original_};
    for (const Entered& e : entered_) runners.push_back(e.runner);
    const std::vector<std::vector<double>> times = rounds(runners, kScreeningRounds);
    size_t best = 0;
    double most = 0;
    for (size_t i = 0; i < entered_.size(); ++i)
      if (const double gain = ratio_of(times, 0, i + 1).median; gain > most) best = i, most = gain;
    return best;
  }

  /// In every one of the first rounds, or by the interval over all.
  bool is_faster(const Entered& e) {
    const std::vector<size_t> both{original_, e.runner};
    const std::string how = e.candidate.how;
    std::vector<double> ratios = ratios_of(rounds(both, kRounds), 0, 1);
    if (!out_.decision.empty() || ratios.empty()) return false;
    runtime::MedianInterval gain = runtime::median_interval(ratios);
    if (gain.low <= 1 && gain.median > kWorth) {
      for (const double more : ratios_of(rounds(both, kMoreRounds), 0, 1)) ratios.push_back(more);
      if (!out_.decision.empty()) return false;
      gain = runtime::median_interval(ratios);
    }
    const std::string seen =
        fmt::format("{:.3f} times as fast (95 %: {:.3f} to {:.3f})", gain.median, gain.low, gain.high);
    if (gain.low <= 1) {
      keep("what was found is not surely faster, " + seen);
      return false;
    }
    out_.decision = fmt::format("what was found ({}): {}", how, seen);
    out_.gain = gain;
    return true;
  }

  void take(Entered& e) {
    RewriteCheck check = rewriting_->check_rewrites(e.candidate.extraction, until_);
    if (!check.wrong.empty()) throw VerificationError(check.wrong);
    unsuited_ = std::move(check.unsuited);
    if (unsuited_ || !check.all)
      return give_up(unsuited_
                         ? "a rule that holds in exact arithmetic does not on its numbers: " + unsuited_->why
                         : ended("check every rewrite that leads to another"));
    if (!check.unknown.empty())
      out_.decision += fmt::format("; {} applications of rules were checked in the whole program only",
                                   check.unknown.size());
    out_.rules_applied = rewriting_->rules_applied(e.candidate.extraction);
    out_.graph = std::move(e.graph);
  }

  const Program& program_;
  ProgressSink& progress_;
  const uint64_t weights_ = weight_bytes(program_.graph);
  const OptimizeOptions engine_;
  const Deadline until_;
  RunRecord record_;
  Spine spine_;
  CompiledRace race_;
  std::optional<Rewriting> rewriting_;
  size_t original_ = 0;
  std::vector<Entered> entered_;
  std::optional<UnsuitedRule> unsuited_;
  RewrittenForCode out_;
};

}  // namespace

RewrittenForCode rewrite_for_code(const Program& program, const Example& example,
                                  const CompileOptions& options, const StopToken& stop,
                                  ProgressSink& progress) {
  OptimizeOptions engine = engine_options(options);
  constexpr double kShare = 0.9;
  const Deadline all(engine.time_limit, steady_clock(), stop), until = all.part(kShare);
  while (true) {
    RewritingForCode one(program, example, options, engine, until, progress);
    RewrittenForCode found = one.run();
    found.until = all;
    const std::optional<std::string> rule = one.rule_to_leave_out();
    if (!rule || until.passed() || engine.disable_rules.size() == kMostUnsuited) {
      if (!engine.disable_rules.empty())
        found.decision += fmt::format(" (rules left out, which do not suit the model's numbers: {})",
                                      fmt::join(engine.disable_rules, ", "));
      return found;
    }
    engine.disable_rules.push_back(*rule);
  }
}

}  // namespace isomer::recipes
