// The roofline profile of this machine, found by a short calibration on the runtime that will run the result:
// a matrix product for the peak, an addition of 16 MiB tensors for the bandwidth, a chain of tiny operators
// for the fixed cost of a node. Crude on purpose: it stands where measured costs are too dear.
#pragma once

#include <filesystem>
#include <optional>

#include "cost/roofline.h"
#include "runtime/onnxruntime.h"

namespace isomer::runtime {

struct CalibrationOptions {
  int threads = 1;
  double seconds = 1.5;  ///< of timing, shared by the three measurements
  /// Where profiles are kept: "" for $XDG_CACHE_HOME/isomer (else ~/.cache/isomer); nothing is kept without
  /// it.
  std::filesystem::path cache_folder;
  bool use_cache = true;
};

/// The profile named "local". From the cache when CPU model, runtime version and threads are the same, else
/// measured and kept there. Throws MissingRuntimeError when there is no runtime.
Outcome<cost::DeviceProfile> local_profile(OnnxRuntime& runtime, const CalibrationOptions& options = {},
                                           const Wait& wait = {});

/// The user's cache folder for Isomer; nothing when no home is known.
std::optional<std::filesystem::path> user_cache_folder();

}  // namespace isomer::runtime
