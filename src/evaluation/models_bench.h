// The main job over a table: each model by each search, cost and target. A cell of it is one run of `isomer
// optimize`; what is known of a cell is one line of a record, so that a bench goes on where it was ended.
#pragma once

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "evaluation/keyed_record.h"
#include "isomer/isomer.h"
#include "report/json_value.h"

namespace isomer::evaluation {

struct ModelsBenchOptions {
  std::vector<std::string> paths;  ///< models; folders, of which all .onnx; patterns with * ? [ ]
  std::vector<std::string> searches, costs, targets;
  OptimizeOptions others;  ///< what all cells have in common
  std::string version;     ///< of Isomer
  std::string keep;        ///< a folder for results and their reports; empty: none are kept
};

/// What tells cells apart. One that is known by the same key is not run again, unless the result that it is
/// to keep is not there.
struct ModelsBenchKey {
  std::string model, search, cost, target;
  std::string settings;  ///< the other options that are not the defaults, as flags
  std::string inputs;    ///< a hash of the model's file; of weights beside it nothing
  std::string version;   ///< of Isomer

  auto operator<=>(const ModelsBenchKey&) const = default;
};

struct ModelsBenchTask {
  ModelsBenchKey key;
  OptimizeOptions options;
  std::vector<std::string> words;  ///< of `isomer` for this cell alone
};

/// What came of one. A failure is a result too.
struct ModelsBenchRun : ModelsBenchKey {
  int status = 0;       ///< the exit status of `isomer optimize`
  std::string failure;  ///< why it is not 0; else empty
  report::Json result;  ///< as `--json` prints it; null where nothing is known
};

/// The files that the paths stand for, in their order, each once. What Isomer wrote by itself
/// (MODEL.isomer.onnx) is not looked for in folders. Throws InputError where a path stands for none.
std::vector<std::string> model_files(std::span<const std::string> paths);

/// All cells, model by model. Throws UsageError for words that the main job does not take.
std::vector<ModelsBenchTask> plan(const ModelsBenchOptions& options);

/// The record's lines (record_file.h).
report::Json json_of(const ModelsBenchRun& run);
report::Json json_of(const ModelsBenchTask& task);

class ModelsRecord : public KeyedRecord<ModelsBenchKey, ModelsBenchRun> {
 public:
  ModelsRecord();
};

/// `optimize` does the main job, with what is known where it fails. Nothing where the user's stop ended it:
/// a cell that was cut short is no result. Throws what is no Error, and InputError for the folder of results.
using MainJob =
    std::function<OptimizeResult(const OptimizeOptions&, std::function<void(const OptimizeResult&)> failed)>;
std::optional<ModelsBenchRun> run(const ModelsBenchTask& task, const MainJob& optimize);

/// The cells of one search, cost and target. Means are geometric, what is not known is NaN.
struct ModelsBenchSummary {
  std::string search, cost, target;
  size_t cells = 0, ended = 0, failed = 0, changed = 0;
  double speedup =
      kNotDetermined;  ///< what was written as it was counts 1; known where all others were timed
  double cheaper = kNotDetermined;  ///< cost before over after
  double median_seconds = kNotDetermined, most_seconds = kNotDetermined;
};
/// `runs`: of each task, null where it did not end.
std::vector<ModelsBenchSummary> summaries(std::span<const ModelsBenchTask> tasks,
                                          std::span<const ModelsBenchRun* const> runs);
report::Json json_of(const ModelsBenchSummary& summary);

}  // namespace isomer::evaluation
