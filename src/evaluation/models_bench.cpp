#include "evaluation/models_bench.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <glob.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <set>
#include <string_view>
#include <utility>

#include "evaluation/record_file.h"
#include "recipes/check_options.h"
#include "recipes/choices.h"
#include "runtime/timing_statistics.h"
#include "support/errors.h"
#include "support/files.h"
#include "support/hash.h"
#include "support/temporaries.h"

namespace isomer::evaluation {

namespace fs = std::filesystem;
using report::Json;

namespace {

bool is_hidden(const fs::path& path) { return path.filename().string().starts_with("."); }

std::vector<std::string> models_in(const std::string& folder) {
  std::vector<std::string> out;
  std::error_code error;
  for (fs::recursive_directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const fs::path& path = it->path();
    if (is_hidden(path))
      it.disable_recursion_pending();
    else if (path.extension() == ".onnx" && path.stem().extension() != ".isomer" && it->is_regular_file())
      out.push_back(path.lexically_normal().string());
  }
  if (error) throw InputError(folder + ": cannot be read: " + error.message());
  std::ranges::sort(out);
  return out;
}

/// In alphabetical order.
std::vector<std::string> matches_of(const std::string& pattern) {
  glob_t found{};
  const int status = glob(pattern.c_str(), 0, nullptr, &found);
  std::vector<std::string> out;
  if (status == 0) out.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  globfree(&found);
  return out;
}

std::vector<std::string> models_of(const std::string& path) {
  if (kind_of(path) == FileKind::kDirectory) return models_in(path);
  if (kind_of(path) == FileKind::kNone && path.find_first_of("*?[") != std::string::npos)
    return matches_of(path);
  return {path};
}

/// Options as flags, where they are not what they would be anyway.
class Words {
 public:
  void put(std::string_view flag, bool value, bool usual) {
    if (value != usual) words_.emplace_back(flag);
  }
  void put(std::string_view flag, const std::vector<std::string>& values, const std::vector<std::string>&) {
    for (const std::string& value : values) words_.insert(words_.end(), {std::string(flag), value});
  }
  template <class T>
  void put(std::string_view flag, const T& value, const T& usual) {
    if (value != usual) words_.insert(words_.end(), {std::string(flag), fmt::format("{}", value)});
  }
  std::vector<std::string> take() { return std::move(words_); }

 private:
  std::vector<std::string> words_;
};

/// Without what a cell has of its own.
std::vector<std::string> settings_of(OptimizeOptions options) {
  const OptimizeOptions usual;
  options.search = usual.search;
  options.cost = usual.cost;
  options.target = usual.target;
  Words words;
#define ISOMER_OPTION(type, field, fallback, flag, help) words.put(flag, options.field, usual.field);
#include "isomer/optimize_options.inc"
#undef ISOMER_OPTION
  return words.take();
}

/// What the files that a cell keeps are named after; model_files() leaves them out by their ".isomer.onnx".
std::string stem_of(const ModelsBenchKey& key) {
  return file_stem(fmt::format("{}-{}-{}-{}-{:016x}", fs::path(key.model).stem().string(), key.search,
                               key.cost, key.target,
                               hash_string(key.settings, hash_string(key.model, hash_string(key.inputs)))));
}

ModelsBenchTask task_of(const ModelsBenchOptions& options, const ModelsBenchKey& key,
                        const std::vector<std::string>& settings) {
  ModelsBenchTask out{key, options.others, {"bench", "models", key.model}};
  out.options.input = key.model;
  out.options.search = key.search;
  out.options.cost = key.cost;
  out.options.target = key.target;
  out.words.insert(out.words.end(), {"--search", key.search, "--cost", key.cost, "--target", key.target});
  out.words.insert(out.words.end(), settings.begin(), settings.end());
  if (!options.keep.empty()) {
    out.words.insert(out.words.end(), {"--keep", options.keep});
    out.options.output = (fs::path(options.keep) / (stem_of(key) + ".isomer.onnx")).string();
  }
  return out;
}

Json json_of(const char* record, const ModelsBenchKey& key) {
  return {{"record", record},     {"model", key.model},    {"search", key.search},
          {"cost", key.cost},     {"target", key.target},  {"settings", key.settings},
          {"inputs", key.inputs}, {"version", key.version}};
}

std::string line_of(const ModelsBenchRun& run) { return report::text_of(json_of(run)); }

std::optional<ModelsBenchRun> run_of(const Json& j) {
  if (j.at("record") != "run") return {};
  ModelsBenchRun run{{j.at("model"), j.at("search"), j.at("cost"), j.at("target"), j.at("settings"),
                      j.at("inputs"), j.at("version")},
                     j.at("status"),
                     j.at("failure").is_null() ? std::string() : j["failure"].get<std::string>(),
                     j.at("result")};
  if (run.status == 0) (void)run.result.at("changed").get<bool>();  // what the tables read of each
  return run;
}

/// A number of a result, NaN where it is not known.
double figure(const Json& result, const char* key) {
  const auto at = result.find(key);
  return at != result.end() && at->is_number() ? at->get<double>() : kNotDetermined;
}

double geometric_mean(const std::vector<double>& values) {
  double sum = 0;
  for (double value : values) sum += std::log(value);
  return values.empty() ? kNotDetermined : std::exp(sum / static_cast<double>(values.size()));
}

}  // namespace

std::vector<std::string> model_files(std::span<const std::string> paths) {
  std::vector<std::string> out;
  std::set<std::string> seen;
  for (const std::string& path : paths) {
    const std::vector<std::string> found = models_of(path);
    if (found.empty()) throw InputError(path + ": there is no model; expected .onnx files");
    for (const std::string& file : found)
      if (seen.insert(file).second) out.push_back(file);
  }
  return out;
}

std::vector<ModelsBenchTask> plan(const ModelsBenchOptions& options) {
  recipes::check_options(options.others);
  const std::vector<std::string> settings = settings_of(options.others);
  std::vector<ModelsBenchTask> out;
  for (const std::string& model : model_files(options.paths)) {
    const std::string inputs = fmt::format("{:016x}", hash_string(read_file(model)));
    for (const std::string& search : options.searches)
      for (const std::string& cost : options.costs)
        for (const std::string& target : options.targets) {
          out.push_back(task_of(options,
                                {model, search, cost, target, fmt::format("{}", fmt::join(settings, " ")),
                                 inputs, options.version},
                                settings));
          recipes::ways_of(out.back().options);
        }
  }
  return out;
}

Json json_of(const ModelsBenchTask& task) {
  Json out = json_of("task", task.key);
  out["words"] = task.words;
  return out;
}

Json json_of(const ModelsBenchRun& run) {
  Json out = json_of("run", run);
  out["status"] = run.status;
  out["failure"] = run.failure.empty() ? Json() : Json(run.failure);
  out["result"] = run.result;
  return out;
}

ModelsRecord::ModelsRecord() : KeyedRecord("bench models", line_of, run_of) {}

std::optional<ModelsBenchRun> run(const ModelsBenchTask& task, const MainJob& optimize) {
  OptimizeOptions options = task.options;
  std::optional<TemporaryFolder> scratch;
  options.no_report = options.output.empty();
  if (options.output.empty()) {
    scratch.emplace(fs::temp_directory_path().string(), "a result");
    options.output = scratch->in("result.onnx");
  }
  ModelsBenchRun out{task.key, 0, {}, {}};
  try {
    const OptimizeResult result =
        optimize(options, [&out](const OptimizeResult& known) { out.result = report::json_of(known); });
    if (!result.interrupted.empty()) return std::nullopt;
    out.result = report::json_of(result);
  } catch (const Error& error) {
    if (error.status() == ExitStatus::kInterrupted) return std::nullopt;
    out.status = static_cast<int>(error.status());
    out.failure = error.what();
  }
  if (scratch && !out.result.is_null()) out.result["output"] = nullptr;  // it is gone
  return out;
}

namespace {

/// What is known of a summary's runs.
struct Figures {
  std::vector<double> speedups, costs, seconds;
  bool all_timed = true;

  void add(const Json& result) {
    const bool changed = result["changed"].get<bool>();
    const double speedup = changed ? figure(result, "speedup") : 1.0;
    all_timed = all_timed && std::isfinite(speedup);
    speedups.push_back(speedup);
    if (const double ratio = figure(result, "cost_before") / figure(result, "cost_after");
        std::isfinite(ratio) && ratio > 0)
      costs.push_back(ratio);
    seconds.push_back(figure(result, "seconds"));
  }
};

}  // namespace

std::vector<ModelsBenchSummary> summaries(std::span<const ModelsBenchTask> tasks,
                                          std::span<const ModelsBenchRun* const> runs) {
  REQUIRE(tasks.size() == runs.size(), "a run or null of each task");
  std::vector<ModelsBenchSummary> out;
  std::vector<Figures> figures;
  for (size_t i = 0; i < tasks.size(); ++i) {
    const ModelsBenchKey& key = tasks[i].key;
    auto at = std::ranges::find_if(out, [&](const ModelsBenchSummary& s) {
      return s.search == key.search && s.cost == key.cost && s.target == key.target;
    });
    if (at == out.end()) {
      at = out.insert(out.end(), {key.search, key.cost, key.target});
      figures.emplace_back();
    }
    ++at->cells;
    if (runs[i] == nullptr) continue;
    ++at->ended;
    if (runs[i]->status != 0) {
      ++at->failed;
      continue;
    }
    at->changed += runs[i]->result["changed"].get<bool>() ? 1 : 0;
    figures[static_cast<size_t>(at - out.begin())].add(runs[i]->result);
  }
  for (size_t i = 0; i < out.size(); ++i) {
    const Figures& f = figures[i];
    if (f.all_timed) out[i].speedup = geometric_mean(f.speedups);
    out[i].cheaper = geometric_mean(f.costs);
    if (f.seconds.empty()) continue;
    out[i].median_seconds = runtime::median(f.seconds);
    out[i].most_seconds = std::ranges::max(f.seconds);
  }
  return out;
}

Json json_of(const ModelsBenchSummary& s) {
  return {{"record", "summary"},
          {"search", s.search},
          {"cost", s.cost},
          {"target", s.target},
          {"cells", s.cells},
          {"ended", s.ended},
          {"failed", s.failed},
          {"changed", s.changed},
          {"speedup", report::number(s.speedup)},
          {"cheaper", report::number(s.cheaper)},
          {"median_seconds", report::number(s.median_seconds)},
          {"most_seconds", report::number(s.most_seconds)}};
}

}  // namespace isomer::evaluation
