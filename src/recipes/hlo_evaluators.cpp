#include <fmt/format.h>

#include <algorithm>

#include "cost/hlo_analysis.h"
#include "hlo/print.h"
#include "hlo/verify.h"
#include "machine/device.h"
#include "recipes/hlo_search.h"
#include "runtime/xla.h"
#include "support/errors.h"
#include "support/unknown_word.h"

namespace isomer::recipes {
namespace {

constexpr std::string_view kRoofline = "roofline:";

class Roofline : public problems::HloEvaluator {
 public:
  explicit Roofline(const machine::Device& device) : device_(device) {}
  std::string name() const override { return fmt::format("{}{}", kRoofline, device_.name); }
  std::vector<double> costs(std::span<const hlo::Module* const> modules) override {
    std::vector<double> out;
    for (const hlo::Module* module : modules)
      out.push_back(cost::hlo_roofline_seconds(*module, *device_.profile));
    return out;
  }

 private:
  const machine::Device& device_;
};

/// Modules are timed beside the first one, a few at a time: what makes the machine slow for a while makes
/// both slow.
class XlaTimes : public problems::HloEvaluator {
 public:
  XlaTimes(const hlo::Module& module, const HloEvaluatorOptions& options)
      : options_(options), text_(hlo::print(module, hlo::Dialect::kShort)) {
    hlo::require_contents(module);
    limits_.threads = options.threads;
    limits_.rounds = options.rounds;
    limits_.seed = options.seed;
    limits_.disabled = options.disabled;
    limits_.stop = options.stop;
    version_ = xla_.version(limits_);
  }
  std::string name() const override { return "xla " + version_; }

  std::vector<double> costs(std::span<const hlo::Module* const> modules) override {
    constexpr size_t kAtOnce = 4;
    std::vector<double> out;
    for (size_t first = 0; first < modules.size(); first += kAtOnce) {
      const size_t end = std::min(modules.size(), first + kAtOnce);
      std::vector<std::string> texts = {text_};
      for (size_t i = first; i < end; ++i) {
        hlo::require_valid(*modules[i]);
        texts.push_back(hlo::print(*modules[i], hlo::Dialect::kShort));
      }
      const std::vector<runtime::XlaProgram> ran = xla_.race(texts, limits_);
      if (!ran[0].ran()) throw InputError("XLA does not run the module: " + ran[0].error);
      if (first_seconds_ == 0) first_seconds_ = kMicrosecond * ran[0].asynchronous_us;
      for (size_t i = 1; i < ran.size(); ++i) {
        const bool right = ran[i].ran() && ran[i].difference && *ran[i].difference <= options_.tolerance;
        const double ratio = right ? ran[i].asynchronous_us / ran[0].asynchronous_us : kRefused;
        out.push_back(first_seconds_ * (texts[i] == text_ ? 1 : ratio));
      }
    }
    return out;
  }

 private:
  static constexpr double kMicrosecond = 1e-6;
  HloEvaluatorOptions options_;
  std::string text_, version_;
  double first_seconds_ = 0;
  runtime::XlaOptions limits_;
  runtime::Xla xla_;
};

}  // namespace

std::unique_ptr<problems::HloEvaluator> hlo_evaluator(const std::string& name, const hlo::Module& module,
                                                      const HloEvaluatorOptions& options) {
  if (name == "xla") return std::make_unique<XlaTimes>(module, options);
  if (name.starts_with(kRoofline)) {
    const machine::Device* device = machine::find_device(name.substr(kRoofline.size()));
    if (device != nullptr && device->profile != nullptr) return std::make_unique<Roofline>(*device);
  }
  std::vector<std::string> known = {"xla"};
  for (const machine::Device& device : machine::devices())
    if (device.profile != nullptr) known.push_back(fmt::format("{}{}", kRoofline, device.name));
  throw unknown_word("--evaluator", name, known);
}

}  // namespace isomer::recipes
