// Steps 5 and 6 of the main job in the target runtime: original and candidate timed against each other, then
// run on the same inputs and compared. The runtime is a process of its own; its refusals and crashes are
// results.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "recipes/deciders.h"
#include "recipes/run_memory.h"
#include "recipes/unrepeatable.h"
#include "runtime/onnxruntime.h"
#include "support/deadline.h"
#include "support/progress.h"

namespace isomer::recipes {

/// Weight bytes from which on a load takes seconds.
inline constexpr uint64_t kVeryLarge = uint64_t{1} << 30;
/// Milliseconds of a run that computes much, and so holds much: timing it takes seconds.
inline constexpr double kLongMs = 30;

struct TrialOptions {
  int threads = 1;
  int pairs = 60;
  runtime::InputSpec inputs;
  RunMemory memory;     ///< of the original; from weights of 1.5 GiB on one is held at a time
  double about_ms = 0;  ///< a run of the original, by its cost; 0: not known
  double tolerance = 1e-4;
  std::vector<runtime::Choice> choices;  ///< outputs that are places of numbers
  /// Sizes of dynamic dimensions at which the programs are compared, as they are told: those of `inputs`
  /// first, then, if any, those of `other_inputs`.
  std::vector<std::map<std::string, int64_t>> sizes = {};
  runtime::InputSpec other_inputs = {};
  OutputSet random = {};  ///< outputs that differ from run to run
  OutputSet shares = {};  ///< outputs between 0 and 1
  /// Of inputs, in further runs of a comparison, one for each: other branches of Ifs are taken there.
  std::vector<InputBounds> branches = {};
};

/// A first, short round.
struct Screening {
  size_t fastest = 0;  ///< of the candidates, by number
  std::string why;     ///< what was seen
};

/// The original against a candidate. With one thread CPU time counts, with several, or a provider beside
/// CPU's, wall time.
struct TimedPair {
  struct Figures {
    double before_ms, after_ms;  ///< median latencies
    double speedup, low, high;   ///< the paired median, and its 95 % interval
  };
  bool faster = false;             ///< the interval lies above 1
  std::string why;                 ///< what decided
  std::optional<Figures> figures;  ///< nothing where the pairs are too few to claim anything
};

/// The original against a candidate where the runtime takes all cores: wall time.
struct OnAllCores {
  int cores;
  bool slower;  ///< the interval lies below 1
  double speedup, low, high;
};

/// kRefused: the runtime loads the original, but not the candidate.
enum class Agreement : uint8_t { kAgree, kDiffer, kCannotRun, kRefused, kNoTime };

/// Same inputs, all outputs.
struct Compared {
  Agreement agreement = Agreement::kCannotRun;
  std::string how;     ///< it ended
  bool fails = false;  ///< kDiffer: the candidate is loaded, but does not run on what the original runs on
  /// The largest error, relative to the largest element of its output; NaN where nothing was compared.
  double max_relative_error = std::numeric_limits<double>::quiet_NaN();
  std::vector<std::string> not_compared;              ///< outputs that were compared by their types alone
  std::vector<std::map<std::string, int64_t>> sizes;  ///< of dynamic dimensions at which they agree
};

class Trial {
 public:
  /// Throws MissingRuntimeError when the runtime is not installed; one that does not answer in time is asked
  /// again by what follows.
  Trial(std::shared_ptr<runtime::OnnxRuntime> runtime, const TrialOptions& options, const Deadline& until,
        ProgressSink& progress);

  const std::string& runtime() const { return name_; }
  /// How many operators of the model each provider computes, where one is named; nothing where that could not
  /// be seen.
  std::map<std::string, uint64_t> computed_by(const std::string& model, const Deadline& until);
  /// At which programs are compared.
  const std::vector<std::map<std::string, int64_t>>& sizes() const { return options_.sizes; }
  /// Which of several candidates is fastest, each beside the original; those of long runs two at a time, of
  /// slow ones each alone, of large weights as many as may be held. Those that the runtime refuses with the
  /// others are taken as equals: then the first is.
  Screening fastest(const std::string& original, const std::vector<std::string>& candidates,
                    const Deadline& until);
  /// Where the deadline or the user's stop ends it, the pairs that there are decide, those of `fastest`
  /// included.
  TimedPair time(const std::string& original, const std::string& candidate, const Deadline& until);
  /// Timed only until it is clear that it is not slower; nothing where there is one core, where programs are
  /// timed with several threads anyhow, or where no interval came of it.
  std::optional<OnAllCores> on_all_cores(const std::string& original, const std::string& candidate,
                                         const Deadline& until);
  /// What the runtime says against the model when it loads and runs it by itself; nothing when it does.
  std::optional<std::string> refuses(const std::string& model, const Deadline& until);
  /// Whether timing failed, for another reason than its end, since this was asked last.
  bool failed();
  /// Outputs that differ between two runs of the original are compared by their types alone. A stop does not
  /// end it.
  Compared compare(const std::string& original, const std::string& candidate, const Deadline& until);
  /// The same where the runtime rewrites nothing itself: what only `compare` tells apart is its own doing.
  Compared compare_as_written(const std::string& original, const std::string& candidate,
                              const Deadline& until);

 private:
  TrialOptions options_;
  ProgressSink& progress_;
  std::shared_ptr<runtime::OnnxRuntime> runtime_;
  std::string name_;
  int cores_ = 1;
  std::optional<runtime::PairedTiming> screened_;  ///< of the candidate that `fastest` chose
  bool failed_ = false;
  OutputSet unrepeated_;  ///< beside those that are known to be random

  /// Two programs that are to be told apart, and how they are run.
  struct Pair {
    const std::string &original, &candidate;
    const char* optimisation;  ///< the runtime's own
  };

  Compared compare_everywhere(const Pair& pair, const Deadline& until);
  Compared compare_on(const runtime::InputSpec& inputs, int samples, const Pair& pair, const Deadline& until);
  runtime::Comparison in_scale(runtime::Comparison comparison) const;
  /// An output of a Sigmoid that is apart by no more than the last digits of 1 is judged by what both models
  /// compute it of. `again`: runs them once more, with inner values.
  runtime::Comparison sigmoids_judged(
      runtime::Comparison seen, const Pair& pair,
      const std::function<runtime::OrFailure<runtime::Comparison>(const runtime::CompareExtras&)>& again)
      const;
  Compared judged(const runtime::Comparison& seen, int samples) const;
  /// Models take the memory that they compute in from one place, of which each gives back what it took.
  bool shares_memory(size_t models) const;
  bool one_at_a_time(size_t models) const;
  /// Candidates that are screened in one group.
  size_t at_once() const;
  runtime::TimingOptions timing(size_t models, const Deadline& until) const;
  runtime::TimingOptions screening(size_t models, const Deadline& until) const;
  runtime::Wait wait(const std::string& phase, const Deadline& until);
  /// So little that more of it would not be worth its time.
  bool shows_no_gain(const runtime::PairedTiming& timing) const;
  bool counts_cpu_time() const { return runtime_->counts_cpu_time(options_.threads); }
  /// By the clock that counts.
  const runtime::MedianInterval& ratio_of(const runtime::PairedTiming& timing) const;
  /// Nothing where there are too few rounds for an interval.
  std::optional<TimedPair::Figures> figures_of(const runtime::PairedTiming& timing) const;
  TimedPair decide(const runtime::PairedTiming& timing, const Deadline& until) const;
};

}  // namespace isomer::recipes
