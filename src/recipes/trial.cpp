#include "recipes/trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "recipes/agreement.h"
#include "recipes/dims.h"
#include "support/errors.h"

namespace isomer::recipes {
namespace {

/// Weights of all models that are loaded at once; each holds them again in an order of its own.
constexpr uint64_t kMostTogether = 3 * kVeryLarge;
/// Bytes that models which are loaded together may hold beside kWeightsTogether times the weights of one, and
/// what one holds beside its weights and what it computes. While it is loaded a model holds its weights
/// nearly three times: read, turned into the runtime's own order, and that.
constexpr uint64_t kHeldTogether = uint64_t{200} << 20, kHeldBeside = uint64_t{16} << 20;
constexpr double kWeightsTogether = 1.2;
/// Milliseconds of a run, and bytes that it computes at one time, from which on models compute in one memory.
constexpr double kMuchMs = 15;
constexpr uint64_t kMuchComputed = uint64_t{16} << 20;
/// Seconds, where no deadline is sooner.
constexpr double kLongestStart = 120, kLongest = 1200;
/// Of screening: of the time for measuring, and in seconds.
constexpr double kScreenShare = 0.3, kScreenSeconds = 2;
/// Of screening: rounds in all loads, or in the one load of what runs longer than kLongMs.
constexpr int kScreenRounds = 6, kScreenRoundsOfLong = 3;
/// Of a timing, where the deadline is not sooner.
constexpr double kPairSeconds = 5, kAllCoresSeconds = 2;
/// Of the time for a timing: when no further load is begun (unless there is a gain to be sure of), and when
/// the worker comes to its own end.
constexpr double kRegularShare = 0.75, kOwnEndShare = 0.9;

std::string words(const runtime::Failure& failure) {
  return fmt::format("the runtime {}: {}", runtime::to_string(failure.kind), failure.message);
}
/// By the deadline or the stop, not by the runtime's own fault.
bool ended_early(const runtime::Failure& failure) {
  return failure.kind == runtime::FailureKind::kStopped || failure.kind == runtime::FailureKind::kTimedOut;
}
/// Why there is nothing, or less than there would be.
std::string cut(const Deadline& until) {
  return until.reason() == StopReason::kInterrupted ? "interrupted" : "no time was left";
}

}  // namespace

Trial::Trial(std::shared_ptr<runtime::OnnxRuntime> runtime, const TrialOptions& options,
             const Deadline& until, ProgressSink& progress)
    : options_(options), progress_(progress), runtime_(std::move(runtime)), name_(runtime_->kind().package) {
  const auto info = runtime_->hello(runtime::wait_until(until, kLongestStart));
  if (!info) return;
  name_ = info->name();
  cores_ = info->cores;
}

runtime::Wait Trial::wait(const std::string& phase, const Deadline& until) {
  runtime::Wait w = runtime::wait_until(until, kLongest);
  w.progress = [this, phase](double fraction, const std::string& note) {
    Progress p;
    p.phase = phase;
    p.fraction = fraction;
    p.note = note;
    progress_.update(p);
  };
  return w;
}

std::map<std::string, uint64_t> Trial::computed_by(const std::string& model, const Deadline& until) {
  if (runtime_->provider().empty() || until.passed()) return {};
  runtime::LoadOptions load;
  load.threads = options_.threads;
  const auto placed = runtime_->placement(model, options_.inputs, load, wait("measure", until));
  return placed ? *placed : std::map<std::string, uint64_t>();
}

runtime::TimingOptions Trial::timing(size_t models, const Deadline& until) const {
  runtime::TimingOptions timing;
  timing.load.threads = options_.threads;
  timing.one_at_a_time = one_at_a_time(models);
  timing.load.shared_arena = shares_memory(models);
  timing.load.patterns = !timing.load.shared_arena;
  timing.inputs = options_.inputs;
  timing.max_rounds = options_.pairs;
  timing.min_rounds = std::min(options_.pairs, 12);  // two of each of six loads
  timing.max_seconds = kPairSeconds;
  timing.seed = options_.inputs.seed;
  if (timing.one_at_a_time) {
    timing.max_seconds = 60;  // most of it is loading, and six loads alone say little
    timing.warmups = 1;
  }
  timing.deadline_seconds = kOwnEndShare * until.remaining();
  timing.max_seconds = std::min(timing.max_seconds, kRegularShare * until.remaining());
  return timing;
}

Screening Trial::fastest(const std::string& original, const std::vector<std::string>& candidates,
                         const Deadline& until) {
  REQUIRE(!candidates.empty(), "no candidates to choose from");
  screened_.reset();
  if (candidates.size() == 1 || until.passed()) return {};
  const size_t together = std::min(candidates.size(), at_once());
  const Deadline short_round = until.part(kScreenShare);
  Screening out;
  for (size_t first = 0; first < candidates.size(); first += together) {
    std::vector<std::string> group = {original};
    for (size_t i = first; i < std::min(first + together, candidates.size()); ++i)
      group.push_back(candidates[i]);
    const Deadline own = short_round.part(static_cast<double>(group.size()) /
                                          static_cast<double>(candidates.size() - first + 1));
    runtime::TimingOptions timing = screening(group.size(), own);
    timing.max_seconds = std::min(timing.max_seconds, kScreenSeconds * static_cast<double>(group.size() - 1) /
                                                          static_cast<double>(candidates.size()));
    const auto samples = runtime_->time(group, timing, wait("screen", own));
    if (!samples) {
      if (ended_early(samples.failure()) && screened_) break;  // those that were seen decide
      failed_ |= !ended_early(samples.failure());
      screened_.reset();
      return {0, "not screened: " + words(samples.failure())};
    }
    for (size_t i = 1; i < group.size(); ++i) {
      const runtime::PairedTiming pair = runtime::pair_up((*samples)[0], (*samples)[i]);
      out.why += fmt::format("{}{:.3f}", out.why.empty() ? "" : ", ", ratio_of(pair).median);
      if (screened_ && ratio_of(pair).median <= ratio_of(*screened_).median) continue;
      out.fastest = first + i - 1;
      screened_ = pair;
    }
  }
  return out;
}

bool Trial::one_at_a_time(size_t models) const {
  return options_.memory.weight_bytes * models > kMostTogether;
}

/// What computes much would hold it twice, and that once for each model; where one is held at a time, a
/// second run would still make that block.
bool Trial::shares_memory(size_t models) const {
  return options_.about_ms > kMuchMs || options_.memory.computed_bytes > kMuchComputed ||
         one_at_a_time(models);
}

size_t Trial::at_once() const {
  const uint64_t weights = options_.memory.weight_bytes, computed = options_.memory.computed_bytes;
  const bool shared = shares_memory(2);
  const auto all = kHeldTogether + static_cast<uint64_t>(kWeightsTogether * static_cast<double>(weights));
  const uint64_t room = shared ? all - std::min(all, computed) : all;
  const uint64_t models = room / (kHeldBeside + weights + (shared ? 0 : 2 * computed));
  const uint64_t beside_the_original = std::max<uint64_t>(models, 2) - 1;
  if (options_.about_ms <= kLongMs) return beside_the_original;
  return std::min<uint64_t>(beside_the_original, options_.about_ms > runtime::kSlowMs ? 1 : 2);
}

/// Mostly the choice alone hangs on it.
runtime::TimingOptions Trial::screening(size_t models, const Deadline& until) const {
  const bool is_long = options_.about_ms > kLongMs;
  runtime::TimingOptions timing = this->timing(models, until);
  timing.loads = is_long ? 1 : 2;
  timing.max_rounds = std::min(options_.pairs, is_long ? kScreenRoundsOfLong : kScreenRounds);
  timing.min_rounds = std::min(timing.max_rounds, is_long ? kScreenRoundsOfLong : 2);
  return timing;
}

TimedPair Trial::time(const std::string& original, const std::string& candidate, const Deadline& until) {
  const auto untimed = [](const std::string& why) { return TimedPair{false, "not timed: " + why, {}}; };
  if (screened_ && shows_no_gain(*screened_))
    return {false,
            fmt::format("a first round of {} pairs of runs showed no gain: {:.3f}", screened_->rounds,
                        ratio_of(*screened_).median),
            figures_of(*screened_)};
  if (!until.passed()) {
    runtime::TimingOptions pair = timing(2, until);
    pair.settle = true;
    const auto outcome = runtime_->time_pair(original, candidate, pair, wait("measure", until));
    if (outcome) return decide(*outcome, until);
    if (!ended_early(outcome.failure())) {
      failed_ = true;
      return untimed(words(outcome.failure()));
    }
  }
  if (screened_) return decide(*screened_, until);
  return untimed(cut(until) + " before a pair of runs came to its end");
}

std::optional<OnAllCores> Trial::on_all_cores(const std::string& original, const std::string& candidate,
                                              const Deadline& until) {
  if (options_.threads != 1 || cores_ < 2 || until.passed()) return std::nullopt;
  runtime::TimingOptions timing = this->timing(2, until);
  timing.load.threads = cores_;
  timing.max_seconds = std::min(timing.max_seconds, kAllCoresSeconds);
  timing.settle = true;
  // The other way round: what is sought, and given up as soon as it cannot be any more, is that the original
  // gains.
  const auto reversed = runtime_->time_pair(candidate, original, timing, wait("measure", until));
  if (!reversed) return std::nullopt;
  const runtime::MedianInterval& loss = reversed->wall_ratio;
  if (!(loss.low > 0) || !std::isfinite(loss.high)) return std::nullopt;
  return OnAllCores{cores_, loss.low > 1, 1 / loss.median, 1 / loss.high, 1 / loss.low};
}

/// Of a slow model screening decides where it says less than a clear gain of the fastest: a timing would take
/// long to show one that is small.
bool Trial::shows_no_gain(const runtime::PairedTiming& timing) const {
  const runtime::MedianInterval& ratio = ratio_of(timing);
  return ratio.high < 1 ||
         (timing.original.median_wall_ms > runtime::kSlowMs && ratio.median < runtime::kClearGain);
}

const runtime::MedianInterval& Trial::ratio_of(const runtime::PairedTiming& timing) const {
  return counts_cpu_time() ? timing.cpu_ratio : timing.wall_ratio;
}

std::optional<TimedPair::Figures> Trial::figures_of(const runtime::PairedTiming& timing) const {
  const runtime::MedianInterval& ratio = ratio_of(timing);
  if (!std::isfinite(ratio.high)) return std::nullopt;
  const bool by_cpu = counts_cpu_time();
  return TimedPair::Figures{by_cpu ? timing.original.median_cpu_ms : timing.original.median_wall_ms,
                            by_cpu ? timing.candidate.median_cpu_ms : timing.candidate.median_wall_ms,
                            ratio.median, ratio.low, ratio.high};
}

TimedPair Trial::decide(const runtime::PairedTiming& timing, const Deadline& until) const {
  const runtime::MedianInterval& ratio = ratio_of(timing);
  const std::string ended = until.reason() == StopReason::kInterrupted ? "interrupted: " : "";
  TimedPair out;
  out.figures = figures_of(timing);
  if (!out.figures && ratio.median < runtime::kClearGain) {
    out.why = fmt::format("{}{} pairs of runs showed no gain: {:.3f}", ended, timing.rounds, ratio.median);
    return out;
  }
  if (!out.figures) {
    out.why = fmt::format("{}{} pairs of runs are too few to say which is faster", ended, timing.rounds);
    return out;
  }
  out.faster = ratio.low > 1;
  out.why = fmt::format(
      "{}{} {:.3f} (95 %: {:.3f} to {:.3f}) over {} interleaved pairs{}, {} time", ended,
      out.faster ? "faster by a median of" : "the median speed-up is not surely above 1:", ratio.median,
      ratio.low, ratio.high, timing.rounds,
      timing.widened ? fmt::format(" in no more than {} loads (so the interval is wider by {:.0f} %)",
                                   timing.loads, 100 * runtime::kLoadLuck)
                     : "",
      counts_cpu_time() ? "CPU" : "wall");
  return out;
}

std::optional<std::string> Trial::refuses(const std::string& model, const Deadline& until) {
  runtime::TimingOptions once = timing(1, until);
  once.loads = once.min_rounds = once.max_rounds = once.warmups = 1;
  once.min_sample_ms = 0;
  const auto outcome = runtime_->time({model}, once, wait("measure", until));
  if (outcome || ended_early(outcome.failure())) return std::nullopt;
  return outcome.failure().kind == runtime::FailureKind::kCrashed ? "it crashed: " + outcome.failure().message
                                                                  : outcome.failure().message;
}

bool Trial::failed() { return std::exchange(failed_, false); }

Compared Trial::compare(const std::string& original, const std::string& candidate, const Deadline& until) {
  return compare_everywhere({original, candidate, "basic"}, until);
}

Compared Trial::compare_as_written(const std::string& original, const std::string& candidate,
                                   const Deadline& until) {
  return compare_everywhere({original, candidate, "off"}, until);
}

namespace {

/// What further runs say, too. Where they came to no end, or the original does not run, the first ones stand.
void take_over(Compared& out, const Compared& further, const std::string& where) {
  out.max_relative_error = std::fmax(out.max_relative_error, further.max_relative_error);
  out.how += fmt::format("; {}: {}", where, further.how);
  if (!further.not_compared.empty()) out.not_compared = further.not_compared;  // the first ones, or more
  if (further.agreement == Agreement::kNoTime || further.agreement == Agreement::kCannotRun) return;
  out.agreement = further.agreement;
  out.fails = further.fails;
}

}  // namespace

Compared Trial::compare_everywhere(const Pair& pair, const Deadline& until) {
  const int samples = options_.memory.weight_bytes > kVeryLarge ? 1 : 2;
  Compared out = compare_on(options_.inputs, samples, pair, until);
  const bool dynamic = !options_.sizes.empty() && !options_.sizes[0].empty();
  if (out.agreement == Agreement::kAgree && dynamic) out.sizes = {options_.sizes[0]};
  for (const InputBounds& branch : options_.branches) {
    if (out.agreement != Agreement::kAgree) return out;
    runtime::InputSpec inputs = options_.inputs;
    std::string where = "where";
    for (const auto& [name, range] : branch) {
      inputs.bounds[name] = range;
      where += fmt::format(" {} is {}", name, range.low);
    }
    const Compared seen = compare_on(inputs, 1, pair, until);
    if (seen.agreement != Agreement::kCannotRun) take_over(out, seen, where);
  }
  if (out.agreement != Agreement::kAgree || !dynamic || options_.sizes.size() < 2) return out;
  const Compared second = compare_on(options_.other_inputs, 1, pair, until);
  take_over(out, second, "at " + to_text(options_.sizes[1]));
  if (second.agreement == Agreement::kAgree) out.sizes.push_back(options_.sizes[1]);
  return out;
}

Compared Trial::compare_on(const runtime::InputSpec& inputs, int samples, const Pair& pair,
                           const Deadline& until) {
  const auto& [original, candidate, optimisation] = pair;
  const auto ends = [](Agreement agreement, std::string how) {
    Compared out;
    out.agreement = agreement;
    out.how = std::move(how);
    return out;
  };
  const Deadline heedless = until.with(StopToken());
  if (heedless.passed()) return ends(Agreement::kNoTime, "no time was left for it");
  runtime::LoadOptions load;
  load.threads = 0;
  load.optimisation = optimisation;
  load.arena = load.patterns = false;
  runtime::CompareExtras extras;
  extras.choices = options_.choices;
  const auto outcome =
      runtime_->compare(original, candidate, inputs, samples, load, wait("verify", heedless), extras);
  if (!outcome) {
    const std::string how = words(outcome.failure());
    if (ended_early(outcome.failure())) return ends(Agreement::kNoTime, how);
    if (outcome.failure().kind != runtime::FailureKind::kRefused) {
      // Which of the two took the runtime down?
      const auto alone =
          runtime_->compare(original, original, inputs, 1, load, wait("verify", heedless), extras);
      if (alone) return ends(Agreement::kDiffer, how);
      return ends(ended_early(alone.failure()) ? Agreement::kNoTime : Agreement::kCannotRun, how);
    }
    if (how.find(candidate) == std::string::npos) return ends(Agreement::kCannotRun, how);
    const auto loaded = runtime_->load(candidate, load, wait("verify", heedless));
    if (!loaded && ended_early(loaded.failure())) return ends(Agreement::kNoTime, how);
    if (!loaded) return ends(Agreement::kRefused, loaded.failure().message);
    runtime_->unload(*loaded);
    Compared differ = ends(Agreement::kDiffer, how);
    differ.fails = true;
    return differ;
  }
  runtime::Comparison seen = sigmoids_judged(
      in_scale(without_values(*outcome, options_.random)), pair, [&](const runtime::CompareExtras& more) {
        return runtime_->compare(original, candidate, inputs, samples, load, wait("verify", heedless), more);
      });
  if (!seen.agrees(options_.tolerance)) {
    // Operators that nothing is known of may draw random numbers as well: what the original alone does not
    // repeat is no difference.
    const auto again =
        runtime_->compare(original, original, inputs, samples, load, wait("verify", heedless), extras);
    if (!again && ended_early(again.failure()))
      return ends(Agreement::kNoTime, "no time was left to see whether the input model repeats itself");
    if (again)
      unrepeated_.merge(disagreeing(in_scale(without_values(*again, options_.random)), options_.tolerance));
    seen = without_values(std::move(seen), unrepeated_);
  }
  return judged(seen, outcome->samples);
}

runtime::Comparison Trial::in_scale(runtime::Comparison comparison) const {
  return recipes::in_scale(std::move(comparison), options_.shares, options_.tolerance);
}

runtime::Comparison Trial::sigmoids_judged(
    runtime::Comparison seen, const Pair& pair,
    const std::function<runtime::OrFailure<runtime::Comparison>(const runtime::CompareExtras&)>& again)
    const {
  std::vector<size_t> apart = apart_by_digits(seen, options_.tolerance);
  if (apart.empty()) return seen;
  const auto operands =
      operands_of_sigmoids(formats::list_onnx_nodes(pair.original), formats::list_onnx_nodes(pair.candidate));
  std::erase_if(apart, [&](size_t i) { return !operands.contains(i); });
  if (apart.empty()) return seen;
  runtime::CompareExtras extras;
  for (const size_t i : apart) extras.pairs.push_back(operands.at(i));
  const auto within = again(extras);
  return within ? by_operands(std::move(seen), apart, *within, options_.tolerance) : seen;
}

Compared Trial::judged(const runtime::Comparison& seen, int samples) const {
  const std::vector<std::string> random = names_of(seen, options_.random),
                                 other = names_of(seen, unrepeated_);
  Compared out;
  out.not_compared = random;
  out.not_compared.insert(out.not_compared.end(), other.begin(), other.end());
  const double error = seen.max_relative_error();
  if (!seen.agrees(options_.tolerance)) {
    out.agreement = Agreement::kDiffer;
    out.max_relative_error = error;
    out.how = "outputs differ:\n" + describe_differences(seen, options_.tolerance);
    return out;
  }
  out.agreement = Agreement::kAgree;
  out.how = say_not_compared(random, other);
  if (!out.how.empty() && out.not_compared.size() == seen.outputs.size()) return out;
  out.max_relative_error = error;
  out.how += out.how.empty() ? "outputs " : "; the other outputs ";
  out.how += seen.bit_equal() ? fmt::format("bit-equal in {} on {} sets of inputs", name_, samples)
                              : fmt::format(
                                    "agree in {} on {} sets of inputs, largest error {:.2g} of the "
                                    "largest element",
                                    name_, samples, error);
  return out;
}

}  // namespace isomer::recipes
