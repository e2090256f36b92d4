#include "runtime/calibrate.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "runtime/worker.h"
#include "support/errors.h"

namespace isomer::runtime {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr int kCacheVersion = 1;  ///< of the measurements: raise it when they change

json read_cache(const fs::path& path) {
  std::ifstream file(path);
  json cache = file ? json::parse(file, nullptr, /*allow_exceptions=*/false) : json();
  return cache.is_object() ? cache : json::object();
}

// A cache that cannot be written costs time only, so failures are silent. Written beside and renamed: readers
// of other processes see the old file or the new one.
void write_cache(const fs::path& path, const json& cache) {
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  const fs::path draft = path.string() + fmt::format(".{}", getpid());
  {
    std::ofstream file(draft);
    file << cache.dump(1) << "\n";
    if (!file.good()) return;
  }
  fs::rename(draft, path, error);
  if (error) fs::remove(draft, error);
}

bool usable(const json& entry) {
  for (const char* key : {"flops_per_second", "bytes_per_second", "overhead_ms"})
    if (!entry.contains(key) || !entry[key].is_number() || !(entry[key].get<double>() > 0)) return false;
  return true;
}

}  // namespace

std::optional<fs::path> user_cache_folder() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache && *cache) return fs::path(cache) / "isomer";
  const char* home = std::getenv("HOME");
  if (home && *home) return fs::path(home) / ".cache" / "isomer";
  return std::nullopt;
}

Outcome<cost::DeviceProfile> local_profile(OnnxRuntime& runtime, const CalibrationOptions& options,
                                           const Wait& wait) {
  const RuntimeInfo info = runtime.info();
  const std::string key = fmt::format("{} | onnxruntime {} | {} threads | v{}", info.cpu, info.version,
                                      options.threads, kCacheVersion);
  std::optional<fs::path> folder = user_cache_folder();
  if (!options.cache_folder.empty()) folder = options.cache_folder;
  if (!options.use_cache) folder.reset();
  const auto profile = [&](const json& entry) {
    return cost::DeviceProfile{"local", entry["flops_per_second"], entry["bytes_per_second"],
                               entry["overhead_ms"], "calibrated: " + key};
  };

  const fs::path file = folder ? *folder / "profiles.json" : fs::path();
  if (folder)
    if (const json cache = read_cache(file); cache.contains(key) && usable(cache[key]))
      return profile(cache[key]);

  Outcome<KernelTimes> times = runtime.time_kernels(options.threads, options.seconds, wait);
  if (!times) return times.failure();
  const double seconds_of_product = times->product_ms / 1e3;
  const double seconds_of_addition = times->addition_ms / 1e3;
  const json entry = {{"flops_per_second", times->product_flops / seconds_of_product},
                      {"bytes_per_second", times->addition_bytes / seconds_of_addition},
                      {"overhead_ms", std::max(times->node_ms, 1e-5)}};
  if (!usable(entry))
    return Failure{FailureKind::kRefused, "the calibration measured nothing: " + entry.dump()};
  if (folder) {
    json cache = read_cache(file);
    cache[key] = entry;
    write_cache(file, cache);
  }
  return profile(entry);
}

}  // namespace isomer::runtime
