#include "evaluation/hlo_bench.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "hlo/dag_hash.h"
#include "hlo/verify.h"
#include "passes/pass.h"
#include "published/hloenv.h"
#include "recipes/hlo_dataset.h"
#include "recipes/hlo_modules.h"
#include "recipes/hlo_search.h"
#include "runtime/hlo_files.h"
#include "runtime/xla.h"
#include "support/errors.h"
#include "support/hash.h"
#include "support/possible.h"

namespace isomer::evaluation {
namespace {

using Json = nlohmann::ordered_json;

/// Passes that undo one another are ended so: XLA ends its own at 25 as well.
constexpr size_t kMostSweeps = 25;

Json json_of(const HloBenchEnd& end) {
  if (!end.error.empty()) return {{end.lost ? "lost" : "error", end.error}};
  return {{"hash", fmt::format("{:016x}", end.hash)}, {"seconds", end.seconds}};
}

HloBenchEnd end_of(const Json& j) {
  if (j.contains("error")) return {.error = j["error"]};
  if (j.contains("lost")) return {.error = j["lost"], .lost = true};
  return {hash_read(j.at("hash")), j.at("seconds")};
}

std::string line_of(const HloBenchModule& m) {
  Json j = {{"record", "module"}, {"side", m.side},         {"module", fmt::format("{:016x}", m.module)},
            {"file", m.file},     {"settings", m.settings}, {"whole", json_of(m.whole)}};
  j["without"] = Json::object();
  for (const auto& [pass, end] : m.without) j["without"][pass] = json_of(end);
  return j.dump();
}

std::optional<HloBenchModule> module_of(const Json& j) {
  HloBenchModule out;
  out.side = j.at("side");
  out.module = hash_read(j.at("module"));
  out.settings = j.at("settings");
  out.file = j.at("file");
  out.whole = end_of(j.at("whole"));
  for (const auto& [pass, end] : j.at("without").items()) out.without[pass] = end_of(end);
  return out;
}

/// Prices whatever module it is asked for.
std::unique_ptr<problems::HloEvaluator> roofline_of(const std::string& name) {
  if (!name.starts_with("roofline:"))
    throw UsageError(
        fmt::format("--evaluator: expected roofline:DEVICE, found {}: nothing is timed here", name));
  return recipes::hlo_evaluator(name, hlo::Module(), {});
}

bool is_among(std::string_view name, std::string_view with_commas) {
  return fmt::format(",{},", with_commas).find(fmt::format(",{},", name)) != std::string::npos;
}

/// What a pipeline makes of a module, or why it makes nothing.
struct Made {
  std::optional<hlo::Module> module;
  std::string error;
  bool lost = false;
};

/// One of the two sides: what makes of a module what its pipeline does without a pass ("": with all).
class Side {
 public:
  virtual ~Side() = default;
  virtual std::string name() const = 0;
  virtual std::string settings() const = 0;
  virtual std::string_view target(const published::hloenv::PublishedPass& pass) const = 0;
  virtual Made made(const runtime::HloFile& file, std::string_view without) = 0;
  HloBenchEnd run(const runtime::HloFile& file, std::string_view without) {
    const Made result = made(file, without);
    if (!result.module) return {.error = result.error, .lost = result.lost};
    return {hlo::dag_hash(*result.module), cost(*result.module)};
  }
  double cost(const hlo::Module& module) {
    const hlo::Module* const one[] = {&module};
    return price_.costs(one)[0];
  }

 protected:
  explicit Side(problems::HloEvaluator& price) : price_(price) {}
  std::string price() const { return price_.name(); }

 private:
  problems::HloEvaluator& price_;
};

class Ours : public Side {
 public:
  explicit Ours(problems::HloEvaluator& price) : Side(price) {}
  std::string name() const override { return "ours"; }
  std::string settings() const override {
    uint64_t hash = hash_string(passes::version());
    for (const std::vector<std::string>& stage : hlo_pipeline())
      hash = hash_string(fmt::format("{}", fmt::join(stage, ",")), hash);
    return fmt::format("pipeline {:016x}, {}", hash, price());
  }
  std::string_view target(const published::hloenv::PublishedPass& pass) const override { return pass.ours; }
  Made made(const runtime::HloFile& file, std::string_view without) override {
    hlo::Module module = file.module;
    for (const std::vector<std::string>& stage : hlo_pipeline()) {
      std::vector<std::shared_ptr<const passes::Pass>> passes = passes::find_passes(stage);
      std::erase_if(passes, [&](const auto& pass) { return is_among(pass->name(), without); });
      if (!passes.empty()) module = passes::run_to_end(std::move(module), passes, kMostSweeps).module;
    }
    return {std::move(module), {}, false};
  }
};

class Real : public Side {
 public:
  Real(problems::HloEvaluator& price, StopToken stop) : Side(price) {
    options_.stop = std::move(stop);
    version_ = xla_.version(options_);
  }
  const std::string& version() const { return version_; }
  std::string name() const override { return "xla"; }
  std::string settings() const override { return fmt::format("xla {}, {}", version_, price()); }
  std::string_view target(const published::hloenv::PublishedPass& pass) const override { return pass.xla; }
  Made made(const runtime::HloFile& file, std::string_view without) override {
    options_.disabled.clear();
    if (!without.empty()) options_.disabled.emplace_back(without);
    const std::string text = file.text_for_xla();
    runtime::XlaModule out = xla_.optimized(text, options_);
    if (out.lost) out = xla_.optimized(text, options_);
    if (!out.error.empty()) return {{}, out.error, out.lost};
    auto read = possible([&] { return hlo::parse_valid(out.text, "what XLA made"); });
    return {std::move(read.value), read.why_not, false};
  }

 private:
  runtime::XlaOptions options_;
  runtime::Xla xla_;
  std::string version_;
};

/// Nothing where XLA is not there.
std::unique_ptr<Real> real_xla(problems::HloEvaluator& price, const HloBenchOptions& options) {
  if (!options.xla) return nullptr;
  try {
    return std::make_unique<Real>(price, options.stop);
  } catch (const MissingRuntimeError& missing) {
    options.progress->message(fmt::format("XLA's own column is left out: {}", missing.what()));
    return nullptr;
  }
}

/// Nothing of what is no module: a set may have some, and the others count.
std::optional<runtime::HloFile> read(const std::string& path, ProgressSink& progress) {
  auto file = possible([&] { return runtime::read_hlo(path); });
  if (!file) progress.message(file.why_not);
  return std::move(file.value);
}

/// What there is of `known` stands, but for what was lost. Nothing where it was stopped on the way.
std::optional<HloBenchModule> run_module(Side& side, const runtime::HloFile& file,
                                         const HloBenchModule& known, LimitWatch& watch) {
  HloBenchModule out{known, file.module.file, known.whole, {}};
  if (out.whole.lost) out.whole = side.run(file, "");
  for (const published::hloenv::PublishedPass& pass : published::hloenv::passes()) {
    const std::string_view target = side.target(pass);
    if (target.empty() || !out.whole.error.empty()) continue;
    if (watch.check_now() != StopReason::kRunning) return std::nullopt;
    const auto before = known.without.find(std::string(pass.name));
    const bool stands = before != known.without.end() && !before->second.lost;
    out.without[std::string(pass.name)] = stands ? before->second : side.run(file, target);
  }
  // What was interrupted says nothing of the module.
  if (watch.check_now() == StopReason::kInterrupted) return std::nullopt;
  return out;
}

/// Whose cost without the pass is the least part of that with it; null where it is less on none.
const HloBenchModule* most_gaining(const HloBench& bench, const std::string& side, const std::string& pass) {
  constexpr double kLess = 1 - 1e-9;
  const HloBenchModule* out = nullptr;
  double least = kLess;
  for (const HloBenchModule& m : bench.ended) {
    const auto at = m.without.find(pass);
    if (m.side != side || at == m.without.end() || !at->second.error.empty() || m.whole.seconds <= 0)
      continue;
    if (const double ratio = at->second.seconds / m.whole.seconds; ratio < least) {
      least = ratio;
      out = &m;
    }
  }
  return out;
}

/// Nothing where the program was not made again, which the user is told.
std::optional<HloRemoval> made_again(Side& side, const published::hloenv::PublishedPass& pass,
                                     const HloBenchModule& most, ProgressSink& progress) {
  const std::optional<runtime::HloFile> file = read(most.file, progress);
  if (!file) return std::nullopt;
  Made whole = side.made(*file, ""), without = side.made(*file, side.target(pass));
  if (!whole.module || !without.module) {
    progress.message(fmt::format("{}: not made again without {}: {}", most.file, pass.name,
                                 whole.module ? without.error : whole.error));
    return std::nullopt;
  }
  return HloRemoval{side.name(),
                    std::string(pass.name),
                    most.file,
                    side.cost(file->module),
                    side.cost(*whole.module),
                    side.cost(*without.module),
                    std::move(*whole.module),
                    std::move(*without.module)};
}

void add_removals(HloBench& bench, std::span<Side* const> sides, LimitWatch& watch, ProgressSink& progress) {
  for (Side* side : sides)
    for (const published::hloenv::PublishedPass& pass : published::hloenv::passes()) {
      if (side->target(pass).empty()) continue;
      const HloBenchModule* most = most_gaining(bench, side->name(), std::string(pass.name));
      if (most == nullptr) continue;
      std::optional<HloRemoval> removal = made_again(*side, pass, *most, progress);
      if (const StopReason reason = watch.check_now(); reason != StopReason::kRunning) {
        bench.stop_reason = reason;
        bench.removals.clear();
        return;
      }
      if (removal) bench.removals.push_back(std::move(*removal));
    }
}

}  // namespace

const std::vector<std::vector<std::string>>& hlo_pipeline() {
  static const std::vector<std::vector<std::string>> kStages = {
      {"call-inliner"},
      {"all-gather-bcast-reorder", "all-reduce-folder", "all-reduce-reassociate"},
      {"algsimp", "simplify-sorts", "tree_reduction_rewriter", "zero_sized_hlo_elimination",
       "while-loop-invariant-code-motion", "tuple-simplifier", "simplify-while-loops", "reshape-mover",
       "constant_folding", "simplify-conditional"},
      {"dot-merger"},
      {"transpose-folding"},
      {"cse"},
      {"cudnn_vectorize_convolutions"},
      {"cublas-pad-for-gemms"},
      {"cublas-gemm-rewriter"},
      {"cublas-gemm-broadcast-folding-rewriter"},
      {"fusion"},
      {"fusion_merger"},
      {"multi_output_fusion"},
      {"horizontal_loop_fusion"},
      {"horizontal_input_fusion"},
      {"all-gather-combiner", "all-reduce-combiner", "reduce-scatter-combiner"},
  };
  return kStages;
}

bool HloBenchModule::has_lost() const {
  return whole.lost || std::ranges::any_of(without, [](const auto& end) { return end.second.lost; });
}

HloBenchRecord::HloBenchRecord() : KeyedRecord("bench hlo", line_of, module_of) {}

HloBench run_hlo_bench(const HloBenchOptions& options, HloBenchRecord& record) {
  const std::unique_ptr<problems::HloEvaluator> price = roofline_of(options.evaluator);
  const std::vector<recipes::HloSource> sources =
      recipes::hlo_sources(options.paths.empty() ? recipes::hlo_modules_of_isomer() : options.paths);
  Ours ours(*price);
  const std::unique_ptr<Real> real = real_xla(*price, options);
  std::vector<Side*> sides = {&ours};
  if (real) sides.push_back(real.get());
  HloBench out;
  if (real) out.xla = real->version();
  Limits limits;
  limits.seconds = options.time_limit;
  limits.stop = options.stop;
  LimitWatch watch(limits);
  std::set<uint64_t> seen;
  for (size_t i = 0; i < sources.size(); ++i) {
    options.progress->update({.phase = "bench hlo",
                              .fraction = static_cast<double>(i) / static_cast<double>(sources.size()),
                              .seconds_left = watch.remaining(),
                              .note = fmt::format("module {} of {}", i + 1, sources.size())});
    const std::optional<runtime::HloFile> file = read(sources[i].path, *options.progress);
    out.unread += !file;
    if (!file) continue;
    const uint64_t hash = hlo::dag_hash(file->module);
    if (!seen.insert(hash).second) continue;
    ++out.modules;
    for (Side* side : sides) {
      const HloBenchKey key{side->name(), hash, side->settings()};
      const HloBenchModule* known = record.find(key);
      if (known != nullptr && !known->has_lost()) {
        out.ended.push_back(*known);
        out.ended.back().file = file->module.file;  // the record's is that of the run which wrote it
        continue;
      }
      const HloBenchModule nothing{key, {}, {.lost = true}, {}};
      std::optional<HloBenchModule> ended;
      if (out.stop_reason == StopReason::kSaturated && watch.check_now() == StopReason::kRunning)
        ended = run_module(*side, *file, known != nullptr ? *known : nothing, watch);
      if (ended)
        record.add(*ended);
      else
        out.stop_reason = watch.check_now();
      // Stopped, it tells what the record has all the same.
      if (!ended && known != nullptr) ended = *known;
      if (ended) ended->file = file->module.file;
      if (ended) out.ended.push_back(std::move(*ended));
    }
  }
  if (options.removals && out.stop_reason == StopReason::kSaturated)
    add_removals(out, sides, watch, *options.progress);
  return out;
}

HloBenchRow hlo_bench_row(const HloBench& bench, const std::string& side, const std::string& pass) {
  HloBenchRow out;
  std::vector<double> all, changed;
  for (const HloBenchModule& m : bench.ended) {
    if (m.side != side) continue;
    const auto at = m.without.find(pass);
    if (at == m.without.end() || !at->second.error.empty()) {
      ++out.failed;
      continue;
    }
    const bool is_changed = at->second.hash != m.whole.hash;
    ++out.modules;
    out.changed += is_changed;
    if (m.whole.seconds <= 0) continue;
    all.push_back(at->second.seconds / m.whole.seconds);
    if (is_changed) changed.push_back(all.back());
  }
  const auto mean = [](const std::vector<double>& ratios) -> std::optional<double> {
    if (ratios.empty()) return std::nullopt;
    return std::accumulate(ratios.begin(), ratios.end(), 0.0) / static_cast<double>(ratios.size());
  };
  out.ratio = mean(all);
  out.ratio_changed = mean(changed);
  return out;
}

}  // namespace isomer::evaluation
