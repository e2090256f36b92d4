#include "runtime/calibrate.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace isomer::runtime {
namespace {

using nlohmann::json;

constexpr const char* kCalibrationSpace =
    "profiles/2";  ///< with the version of the measurements: raise it when they change

bool usable(const json& entry) {
  if (!entry.is_object()) return false;
  for (const char* key : {"flops_per_second", "bytes_per_second", "overhead_ms"})
    if (!entry.contains(key) || !entry[key].is_number() || !(entry[key].get<double>() > 0)) return false;
  return true;
}

}  // namespace

OrFailure<cost::DeviceProfile> local_profile(OnnxRuntime& runtime, const CalibrationOptions& options,
                                             const Wait& wait) {
  const OrFailure<RuntimeInfo> answer = runtime.hello(wait);
  if (!answer) return answer.failure();
  const RuntimeInfo& info = *answer;
  const std::string key = fmt::format("{} | {} | {} threads", info.cpu, info.name(), options.threads);
  const auto profile = [&](const json& entry) {
    return cost::DeviceProfile{"local", entry["flops_per_second"], entry["bytes_per_second"],
                               entry["overhead_ms"], "calibrated: " + key};
  };

  if (options.store != nullptr)
    if (const std::optional<std::string> kept = options.store->get(kCalibrationSpace, key))
      if (const json entry = json::parse(*kept, nullptr, /*allow_exceptions=*/false); usable(entry))
        return profile(entry);

  OrFailure<KernelTimes> times = runtime.time_kernels(options.threads, options.seconds, wait);
  if (!times) return times.failure();
  const double seconds_of_product = times->product_ms / 1e3;
  const double seconds_of_addition = times->addition_ms / 1e3;
  const json entry = {{"flops_per_second", times->product_flops / seconds_of_product},
                      {"bytes_per_second", times->addition_bytes / seconds_of_addition},
                      {"overhead_ms", times->node_ms}};
  if (!usable(entry))
    return Failure{FailureKind::kRefused, "the calibration measured nothing: " + entry.dump()};
  if (options.store != nullptr) options.store->put(kCalibrationSpace, key, entry.dump());
  return profile(entry);
}

}  // namespace isomer::runtime
