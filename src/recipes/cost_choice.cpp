#include "recipes/cost_choice.h"

#include <fmt/format.h>

#include <limits>

#include "cost/roofline.h"
#include "mugraph/scheduled_cost.h"
#include "runtime/calibrate.h"
#include "support/errors.h"

namespace isomer::recipes {
namespace {

struct Calibrated {
  std::shared_ptr<Store> store;
  cost::DeviceProfile profile;
};

Calibrated calibrated(runtime::OnnxRuntime& runtime, int threads, const Deadline& until,
                      ProgressSink& progress) {
  const auto store = std::make_shared<Store>(Store::of_user());
  runtime::CalibrationOptions options;
  options.threads = threads;
  options.store = store.get();
  constexpr double kLongest = 120;
  runtime::Wait wait = runtime::wait_until(until, kLongest);
  wait.progress = [&progress](double fraction, const std::string& note) {
    progress.update({.phase = "calibrate", .fraction = fraction, .note = note});
  };
  const auto profile = runtime::local_profile(runtime, options, wait);
  if (!profile)
    throw Error(
        until.reason() == StopReason::kInterrupted ? ExitStatus::kInterrupted : ExitStatus::kRuntimeMissing,
        fmt::format("the runtime could not be calibrated: it {}: {}",
                    runtime::to_string(profile.failure().kind), profile.failure().message));
  return {store, *profile};
}

/// As it prices kernels with a schedule, where the device is one whose kernels can be priced.
std::unique_ptr<cost::CostModel> at_sizes(std::unique_ptr<cost::CostModel> model,
                                          const cost::SymbolSizes& sizes) {
  model = mugraph::with_schedules(std::move(model));
  return sizes.empty() ? std::move(model) : std::make_unique<cost::SizedCost>(std::move(model), sizes);
}

class AtFirstUse final : public cost::CostModel {
 public:
  AtFirstUse(CostChoice choice, const StopToken& stop) : choice_(std::move(choice)) { wait_.stop = stop; }
  std::string name() const override { return choice_.model->name(); }
  double cost(const cost::NodeCostQuery& query) override {
    choice_.measured->want(query);
    if (choice_.measured->wanted() > 0)
      choice_.measured->measure(std::numeric_limits<double>::infinity(), wait_);
    return choice_.measured->cost(query);
  }

 private:
  CostChoice choice_;
  runtime::Wait wait_;
};

}  // namespace

std::shared_ptr<cost::CostModel> measured_at_first_use(CostChoice choice, const StopToken& stop) {
  REQUIRE(choice.measured != nullptr, "these costs are not measured");
  return std::make_shared<AtFirstUse>(std::move(choice), stop);
}

namespace {

/// `name`: of kModel.
CostChoice choose_of(CostKind kind, const std::string& name, int threads, const formats::Dialect& dialect,
                     uint64_t weight_bytes, const Deadline& until, ProgressSink& progress,
                     const cost::SymbolSizes& sizes, const std::shared_ptr<runtime::OnnxRuntime>& runtime) {
  CostChoice choice;
  choice.runtime = runtime;
  if (kind == CostKind::kAuto) {
    const auto ordinary = [&](const std::string& why) {
      choice.model = at_sizes(cost::make_cost_model("roofline:cpu"), sizes);
      choice.note = why + ": they are those of an ordinary CPU (roofline:cpu)";
    };
    try {
      return choose_of(CostKind::kMeasured, name, threads, dialect, weight_bytes, until, progress, sizes,
                       runtime);
    } catch (const MissingRuntimeError&) {
      ordinary("no runtime to measure costs on");
    } catch (const Error&) {
      if (!until.passed()) throw;
      ordinary(until.reason() == StopReason::kInterrupted ? "interrupted before costs could be measured"
                                                          : "no time was left to measure costs");
    }
  } else if (kind == CostKind::kCalibrated) {
    Calibrated local = calibrated(*runtime, threads, until, progress);
    choice.store = std::move(local.store);
    choice.model = at_sizes(std::make_unique<cost::RooflineCost>(std::move(local.profile)), sizes);
  } else if (kind == CostKind::kMeasured) {
    const auto [store, profile] = calibrated(*runtime, threads, until, progress);
    choice.store = store;
    runtime::MeasuredOptions options;
    options.threads = threads;
    options.opset = dialect.opset;
    options.contrib = dialect.contrib;
    options.weight_bytes = weight_bytes;
    options.sizes = sizes;
    options.store = choice.store.get();
    choice.measured = std::make_shared<runtime::MeasuredCost>(*choice.runtime, profile, options);
    choice.model = choice.measured;
    choice.roofline = at_sizes(std::make_unique<cost::RooflineCost>(profile), sizes);
    if (!choice.store->problem().empty())
      choice.note = "measured costs are not kept: " + choice.store->problem();
  } else {
    choice.model = at_sizes(cost::make_cost_model(name), sizes);
  }
  return choice;
}

}  // namespace

CostChoice choose_cost(const CostSource& source, int threads, const formats::Dialect& dialect,
                       uint64_t weight_bytes, const Deadline& until, ProgressSink& progress,
                       const cost::SymbolSizes& sizes, std::shared_ptr<runtime::OnnxRuntime> runtime) {
  if (!runtime) runtime = std::make_shared<runtime::OnnxRuntime>();
  if (const runtime::RuntimeKind& kind = source.priced_on(runtime->kind()); &kind != &runtime->kind())
    runtime = std::make_shared<runtime::OnnxRuntime>(kind);
  return choose_of(source.kind, source.name, threads, dialect, weight_bytes, until, progress, sizes, runtime);
}

}  // namespace isomer::recipes
