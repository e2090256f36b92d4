// The roofline profile of this machine, found by a short calibration on the runtime that will run the result:
// a matrix product for the peak, an addition of 16 MiB tensors for the bandwidth, a chain of tiny operators
// for the fixed cost of a node. Crude on purpose: it stands where measured costs are too dear.
#pragma once

#include "cost/roofline.h"
#include "runtime/onnxruntime.h"
#include "support/store.h"

namespace isomer::runtime {

struct CalibrationOptions {
  int threads = 1;
  double seconds = 0.5;    ///< of timing, shared by the three measurements
  Store* store = nullptr;  ///< where profiles are kept between runs; nothing is kept without one
};

/// The profile named "local". From the store when CPU model, runtime version and threads are the same, else
/// measured and kept there. Throws MissingRuntimeError when there is no runtime.
OrFailure<cost::DeviceProfile> local_profile(OnnxRuntime& runtime, const CalibrationOptions& options = {},
                                             const Wait& wait = {});

}  // namespace isomer::runtime
