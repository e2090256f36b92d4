// A cost model by the name a user gives it, those that need a runtime included.
#pragma once

#include <memory>
#include <string>

#include "cost/cost_model.h"
#include "recipes/choices.h"
#include "runtime/measured_cost.h"
#include "support/deadline.h"
#include "support/limits.h"
#include "support/progress.h"
#include "support/store.h"

namespace isomer::recipes {

/// A cost model with what it lives on, which copies share.
struct CostChoice {
  std::shared_ptr<Store> store;
  std::shared_ptr<runtime::OnnxRuntime> runtime;
  std::shared_ptr<cost::CostModel> model;
  /// What `model` asks when costs are measured, else null.
  std::shared_ptr<runtime::MeasuredCost> measured;
  /// Beside measured costs: the roofline of the same machine, which knows all operators.
  std::shared_ptr<cost::CostModel> roofline;
  std::string note;  ///< why the model is not the one that is best on this machine; else empty
};

/// kMeasured: operator by operator (dialect: of the operators' spelling). kAuto: measured so in `runtime`
/// where that is installed and can be calibrated in the time, else "roofline:cpu". kCalibrated: on `runtime`,
/// once. `weight_bytes`: of the program, which says how cold its weights are when they are read. Throws
/// MissingRuntimeError when a model that was named needs a runtime and there is none.
/// `sizes`: what symbols count as; others have a nominal size. `runtime`: the target, which may have been
/// started; null: a fresh ONNX Runtime.
CostChoice choose_cost(const CostSource& source, int threads, const formats::Dialect& dialect,
                       uint64_t weight_bytes, const Deadline& until, ProgressSink& progress,
                       const cost::SymbolSizes& sizes = {},
                       std::shared_ptr<runtime::OnnxRuntime> runtime = nullptr);

/// Measured costs as TASO and TENSAT have them: of each operator when it is first asked for, whatever comes
/// of it. Knows one context only. REQUIREs that the choice measures.
std::shared_ptr<cost::CostModel> measured_at_first_use(CostChoice choice, const StopToken& stop);

}  // namespace isomer::recipes
