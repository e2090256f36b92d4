#include "recipes/cost_choice.h"

#include <fmt/format.h>

#include "cost/roofline.h"
#include "runtime/calibrate.h"
#include "support/errors.h"

namespace isomer::recipes {

std::unique_ptr<cost::CostModel> choose_cost_model(const std::string& name, int threads,
                                                   const StopToken& stop, ProgressSink& progress) {
  if (name == "onnxruntime")
    throw UsageError(
        "--cost onnxruntime: costs measured operator by operator are not part of this version; use "
        "roofline:local, which is calibrated on ONNX Runtime");
  if (name != "roofline:local") return cost::make_cost_model(name);
  runtime::OnnxRuntime runtime;
  Store store = Store::of_user();
  runtime::CalibrationOptions options;
  options.threads = threads;
  options.store = &store;
  runtime::Wait wait;
  wait.timeout_seconds = 120;
  wait.stop = stop;
  wait.progress = [&progress](double fraction, const std::string& note) {
    Progress p;
    p.phase = "calibrate";
    p.fraction = fraction;
    p.note = note;
    progress.update(p);
  };
  const auto profile = runtime::local_profile(runtime, options, wait);
  if (!profile)
    throw Error(profile.failure().kind == runtime::FailureKind::kStopped ? ExitStatus::kInterrupted
                                                                         : ExitStatus::kRuntimeMissing,
                fmt::format("roofline:local could not be calibrated: the runtime {}: {}",
                            runtime::to_string(profile.failure().kind), profile.failure().message));
  return std::make_unique<cost::RooflineCost>(*profile);
}

}  // namespace isomer::recipes
