#include "recipes/hlo_optimize.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <span>

#include "hlo/dag_hash.h"
#include "hlo/print.h"
#include "hlo/verify.h"
#include "passes/pass.h"
#include "recipes/check_options.h"
#include "recipes/hlo_check.h"
#include "recipes/hlo_rule_pass.h"
#include "recipes/hlo_search.h"
#include "runtime/xla.h"
#include "support/deadline.h"
#include "support/errors.h"

namespace isomer::recipes {
namespace {

constexpr int kBriefRounds = 8;
/// Of the time, for finding the fastest; the rest is for making sure.
constexpr double kShareOfFinding = 0.5;

struct Version {
  HloCandidate about;
  hlo::Module module;
  std::string text;
};

Version version(std::string made_by, hlo::Module module) {
  Version out{{std::move(made_by), module.instructions.size(), hlo::dag_hash(module), 0, {}}, {}, {}};
  out.text = hlo::print(module, hlo::Dialect::kShort);
  out.module = std::move(module);
  return out;
}

/// What these rules make of the module.
hlo::Module rewritten(hlo::Module module, std::span<const std::shared_ptr<const passes::Pass>> passes,
                      const passes::Taken& taken) {
  return passes::run_to_end(std::move(module), passes, passes::kMostSweeps, taken).module;
}

/// What rules do something to the module, or to what other rules make of it.
std::set<std::string> rules_of(hlo::Module module,
                               std::span<const std::shared_ptr<const passes::Pass>> passes) {
  std::set<std::string> out;
  rewritten(std::move(module), passes, [&](std::string_view rule) {
    out.emplace(rule);
    return true;
  });
  return out;
}

/// The module itself is the first; each program once. Rules see what is called in its place, as XLA does.
/// After `until` no more of them are made.
std::vector<Version> versions(const hlo::Module& as_it_was,
                              std::span<const std::shared_ptr<const passes::Pass>> passes,
                              const Deadline& until) {
  std::vector<Version> out;
  out.push_back(version("as it was", as_it_was));
  const std::shared_ptr<const passes::Pass> inliner[] = {passes::find_pass("call-inliner")};
  const hlo::Module module = passes::run_to_end(as_it_was, inliner).module;
  std::set<uint64_t> known = {out[0].about.dag_hash, hlo::dag_hash(module)};
  const auto add = [&](std::string made_by, hlo::Module made) {
    hlo::require_valid(made);
    Version one = version(std::move(made_by), std::move(made));
    if (known.insert(one.about.dag_hash).second) out.push_back(std::move(one));
  };
  add("all rules", rewritten(module, passes, [](std::string_view) { return true; }));
  const std::set<std::string> rules = rules_of(module, passes);
  for (const bool only : {false, true})
    for (const std::string& rule : rules) {
      if (until.passed()) return out;
      add(only ? "the rule " + rule + " alone" : "all rules but " + rule,
          rewritten(module, passes, [&](std::string_view r) { return (r == rule) == only; }));
    }
  return out;
}

/// The module, and the cheapest that a search met.
std::vector<Version> searched(const hlo::Module& module, HloSearch how, const HloOptimizeOptions& options) {
  HloSearchOptions search;
  search.pipeline = only_passes(options.passes);
  search.search = how;
  search.evaluation.threads = options.threads;
  search.evaluation.tolerance = options.tolerance;
  search.evaluation.stop = search.limits.stop = options.stop;
  search.seed = search.evaluation.seed = options.seed;
  search.limits.seconds = kShareOfFinding * options.time_limit;
  search.progress = options.progress;
  search.evaluation.store = options.store;
  search.check = search.confirm = false;  // of all candidates the one that wins is
  std::vector<Version> out;
  out.push_back(version("as it was", module));
  Version best = version(word_of(how), hlo_search(module, search).module);
  if (best.about.dag_hash != out[0].about.dag_hash) out.push_back(std::move(best));
  return out;
}

class Race {
 public:
  Race(const HloOptimizeOptions& options)
      : options_(options), end_(options.time_limit, steady_clock(), options.stop) {
    limits_.threads = options.threads;
    limits_.seed = options.seed;
    limits_.stop = options.stop;
  }

  const Deadline& end() const { return end_; }
  double left() const { return std::max(1.0, end_.remaining()); }
  bool over() const { return end_.passed(); }
  /// After a stop, too.
  FoundCheck check(const hlo::Module& start, const hlo::Module& found) const {
    return options_.check(start, found, check_seconds(), {});
  }
  std::string version() { return runtime::Xla().version(limits_); }

  /// A brief timing of each beside the input; drops what fails or differs. Candidates for which there was no
  /// time are dropped too.
  std::vector<Version> briefly(std::vector<Version> all) {
    runtime::Xla xla;
    constexpr size_t kAtOnce = 4;
    if (all.size() == 1 && !over()) {
      limits_.rounds = kBriefRounds;
      const runtime::XlaProgram alone = xla.race({all[0].text}, limits_)[0];
      if (!alone.ran()) throw InputError("XLA does not run the module: " + alone.error);
      all[0].about.runtime_us = alone.asynchronous_us;
    }
    for (size_t first = 1; first < all.size(); first += kAtOnce) {
      const size_t end = std::min(all.size(), first + kAtOnce);
      std::vector<std::string> texts = {all[0].text};
      for (size_t i = first; i < end; ++i) texts.push_back(all[i].text);
      if (over() || (first > 1 && left() < (1 - kShareOfFinding) * options_.time_limit)) {
        for (size_t i = first; i < end; ++i) all[i].about = out_of_time(std::move(all[i].about));
        continue;
      }
      tell("time candidates", static_cast<double>(first) / static_cast<double>(all.size()),
           fmt::format("{} of {}", first, all.size() - 1));
      limits_.rounds = kBriefRounds;
      limits_.seconds = left() / 2;
      const auto ran = xla.race(texts, limits_);
      if (!ran[0].ran() && over()) {
        for (size_t i = first; i < end; ++i) all[i].about = out_of_time(std::move(all[i].about));
        continue;
      }
      if (!ran[0].ran()) throw InputError("XLA does not run the module: " + ran[0].error);
      all[0].about.runtime_us = ran[0].asynchronous_us;
      for (size_t i = first; i < end; ++i)
        all[i].about = judged(std::move(all[i].about), ran[i - first + 1], ran[0]);
    }
    return all;
  }

  static HloCandidate out_of_time(HloCandidate candidate, const std::string& when = "") {
    candidate.no_time = true;
    candidate.dropped = "no time was left" + when;
    return candidate;
  }

  struct Confirmed {
    runtime::MedianInterval speedup;
    double before_us = 0, after_us = 0, difference = 0;
    int evaluations = 0;
    bool same = true;
  };
  /// In several processes: the luck of one load is not a gain.
  Confirmed confirm(const Version& input, const Version& best) {
    limits_.seconds = left();
    const HloCalls calls = call_in_turn(2, limits_, end_, [&](int load, const runtime::XlaOptions& options) {
      tell("confirm the best", static_cast<double>(load) / kHloLoads, best.about.made_by);
      return runtime::Xla().race({input.text, best.text}, options);
    });
    Confirmed out;
    out.same = std::ranges::max(calls.differences) <= options_.tolerance;
    if (!out.same || calls.evaluations == 0) return out;
    out.difference = calls.differences[1];
    const runtime::PairedTiming paired = runtime::pair_up(calls.samples[0], calls.samples[1]);
    out.speedup = paired.wall_ratio;
    out.evaluations = paired.rounds;
    constexpr double kMicroseconds = 1e3;  // of a millisecond
    out.before_us = kMicroseconds * paired.original.min_wall_ms;
    out.after_us = kMicroseconds * paired.candidate.min_wall_ms;
    return out;
  }

 private:
  /// Of each question that is asked of a result: of what is left a half, and at most ten.
  double check_seconds() const {
    constexpr double kMost = 10;
    return std::min(kMost, left() / 2);
  }
  HloCandidate judged(HloCandidate candidate, const runtime::XlaProgram& ran,
                      const runtime::XlaProgram& input) {
    if (!ran.ran())
      candidate.dropped = "XLA: " + ran.error;
    else if (!ran.difference || *ran.difference > options_.tolerance)
      candidate.dropped = "its outputs differ";
    else
      // As if the input had taken what it took at first.
      candidate.runtime_us = ran.asynchronous_us / input.asynchronous_us * first(input.asynchronous_us);
    return candidate;
  }
  void tell(std::string phase, double fraction, std::string note) {
    options_.progress->update(
        {.phase = std::move(phase), .fraction = fraction, .seconds_left = left(), .note = std::move(note)});
  }
  double first(double now) {
    if (first_us_ == 0) first_us_ = now;
    return first_us_;
  }

  const HloOptimizeOptions& options_;
  Deadline end_;
  double first_us_ = 0;
  runtime::XlaOptions limits_;
};

/// Of those that are not dropped; 0: none is faster than the input.
size_t fastest(std::span<const HloCandidate> all) {
  size_t best = 0;
  for (size_t i = 1; i < all.size(); ++i)
    if (all[i].dropped.empty() && all[i].runtime_us < all[best].runtime_us) best = i;
  return best;
}

/// Dropped unless it is faster beyond doubt.
HloCandidate held_to(HloCandidate about, const Race::Confirmed& confirmed) {
  if (!confirmed.same)
    about.dropped = "its outputs differ";
  else if (confirmed.evaluations < kHloEvaluations)
    return Race::out_of_time(std::move(about),
                             fmt::format(": {} of {} evaluations", confirmed.evaluations, kHloEvaluations));
  else if (!(confirmed.speedup.low > 1))
    about.dropped = "not faster beyond doubt";
  return about;
}

struct Winner {
  size_t best = 0;                   ///< 0: the input
  std::vector<HloCandidate> abouts;  ///< of all
  Race::Confirmed confirmed;         ///< of the one that was timed last and is the same program
  std::optional<FoundCheck> check;   ///< of the best, where that is not the input
};

/// The fastest that is no other program, if it is faster beyond doubt.
Winner winner(Race& race, std::span<const Version> all) {
  Winner out;
  for (const Version& one : all) out.abouts.push_back(one.about);
  while (const size_t best = fastest(out.abouts)) {
    HloCandidate& about = out.abouts[best];
    out.confirmed = race.confirm(all[0], all[best]);
    about = held_to(std::move(about), out.confirmed);
    if (!about.dropped.empty()) return out;
    FoundCheck check = race.check(all[0].module, all[best].module);
    if (!check.is_wrong()) {
      out.best = best;
      out.check = std::move(check);
      return out;
    }
    about.dropped = check.words();
    out.confirmed = {};  // of another program there is none
  }
  return out;
}

}  // namespace

std::optional<HloSearch> hlo_candidates_named(std::string_view word) {
  if (word == kByRules) return {};
  return hlo_search_named(word);
}

HloOptimizeResult hlo_optimize(const hlo::Module& module, const HloOptimizeOptions& options) {
  return hlo_optimize(runtime::HloFile{module, {}, {}}, options);
}

HloOptimizeResult hlo_optimize(const runtime::HloFile& file, const HloOptimizeOptions& options) {
  require_seconds("time_limit", options.time_limit);
  require_not_negative("tolerance", options.tolerance);
  const hlo::Module& module = file.module;
  const double begin = wall_seconds();
  const auto chosen = hlo_passes(options.passes);
  hlo::require_contents(module);
  HloOptimizeResult out;
  Race race(options);
  constexpr double kShare = 0.3;  // of the time, for making programs
  const Deadline making = race.end().part(kShare);
  out.xla = race.version();
  std::vector<Version> all =
      options.search ? searched(module, *options.search, options) : versions(module, chosen, making);
  all[0].text = file.text_for_xla();
  all = race.briefly(std::move(all));
  Winner won = winner(race, all);
  out.speedup = won.confirmed.speedup;
  out.evaluations = won.confirmed.evaluations;
  out.runtime_before_us = out.runtime_after_us = all[0].about.runtime_us;
  out.changed = won.best != 0;
  if (out.changed) {
    out.check = std::move(won.check);
    out.difference = won.confirmed.difference;
    out.runtime_before_us = won.confirmed.before_us;
    out.runtime_after_us = won.confirmed.after_us;
  }
  out.module = std::move(all[won.best].module);
  out.made_by = won.abouts[won.best].made_by;
  out.candidates = std::move(won.abouts);
  out.seconds = wall_seconds() - begin;
  return out;
}

}  // namespace isomer::recipes
