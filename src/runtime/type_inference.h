// ONNX's own shape inference, in a worker process (workers/onnx_types_worker.py). What it says is a claim:
// see formats/onnx_opaque_types.h for what is made of it. Without the Python package `onnx`, or when the
// process crashes or hangs, there are no claims, and `failure` says why; nothing else depends on it.
#pragma once

#include <string>
#include <vector>

#include "runtime/worker.h"

namespace isomer::runtime {

class TypeInference {
 public:
  /// All questions together get this long; then there are no more answers.
  explicit TypeInference(double seconds, StopToken stop = {});

  /// formats::InferTypes. The process starts at the first question. After it was lost it is not asked again.
  std::vector<std::string> infer(const std::string& model);
  /// Why there were no more answers; empty: nothing went wrong. (That one node was beyond it is no failure.)
  const std::string& failure() const { return failure_; }

 private:
  Worker worker_;
  double seconds_left_;
  StopToken stop_;
  std::string failure_;
};

}  // namespace isomer::runtime
