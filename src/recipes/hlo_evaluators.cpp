#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include "cost/hlo_analysis.h"
#include "hlo/dag_hash.h"
#include "hlo/print.h"
#include "hlo/verify.h"
#include "machine/device.h"
#include "recipes/hlo_search.h"
#include "runtime/xla_pool.h"
#include "support/errors.h"
#include "support/unknown_word.h"

namespace isomer::recipes {
namespace {

constexpr std::string_view kXla = "xla", kRoofline = "roofline:";

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

/// Times that were taken before, here or in another run, by the hashes of both modules.
class KeptTimes {
 public:
  KeptTimes(std::shared_ptr<Store> store, const runtime::Xla::About& about, const HloEvaluatorOptions& o,
            uint64_t module)
      : store_(std::move(store)),
        prefix_(
            fmt::format("xla {} | {} | {} threads | without {} | seed {} | {} rounds | {:.3g} | {:016x} | ",
                        about.version, about.cpu, o.threads, fmt::join(o.disabled, ","), o.seed, o.rounds,
                        o.tolerance, module)) {
    if (store_ && o.find_kept) known_ = store_->numbers(kSpace, prefix_);
    std::erase_if(known_, [](const auto& kept) { return !(kept.second > 0); });
  }
  std::optional<double> find(uint64_t module) const {
    const auto found = known_.find(fmt::format("{:016x}", module));
    return found == known_.end() ? std::nullopt : std::optional(found->second);
  }
  /// `lasting`: between runs too.
  void keep(uint64_t module, double number, bool lasting) {
    const std::string name = fmt::format("{:016x}", module);
    known_[name] = number;
    if (store_ && lasting) store_->put(kSpace, prefix_ + name, fmt::format("{:.9g}", number));
  }

 private:
  /// With the version of the way of measuring: raise it when that changes.
  static constexpr const char* kSpace = "hlo times/1";
  std::shared_ptr<Store> store_;
  std::string prefix_;
  std::unordered_map<std::string, double> known_;
};

/// Modules are timed beside the first one, a few at a time: what makes the machine slow for a while makes
/// both slow. Ratios to the first one's time are kept, and under its own hash that time.
class XlaTimes : public problems::HloEvaluator {
 public:
  XlaTimes(const hlo::Module& module, const HloEvaluatorOptions& options)
      : options_(options),
        text_(hlo::print(module, hlo::Dialect::kShort)),
        hash_(hlo::dag_hash(module)),
        pool_(options.pool ? options.pool
                           : std::make_shared<runtime::XlaPool>(options.workers, options.threads)) {
    hlo::require_contents(module);
    if (pool_->threads_of_each() != options.threads)
      throw UsageError(fmt::format("the pool's processes have {} threads each, expected {}",
                                   pool_->threads_of_each(), options.threads));
    limits_.threads = options.threads;
    limits_.rounds = options.rounds;
    limits_.seed = options.seed;
    limits_.disabled = options.disabled;
    limits_.stop = options.stop;
    const runtime::Xla::About about = pool_->about(limits_);
    version_ = about.version;
    kept_.emplace(options.store, about, options, hash_);
  }
  std::string name() const override { return "xla " + version_; }

  std::vector<double> costs(std::span<const hlo::Module* const> modules) override {
    constexpr size_t kMost = 4;
    std::vector<uint64_t> hashes, fresh;
    std::vector<std::string> texts;
    for (const hlo::Module* module : modules) {
      hashes.push_back(hlo::dag_hash(*module));
      if (first_seconds() && kept_->find(hashes.back())) continue;
      if (std::ranges::find(fresh, hashes.back()) != fresh.end()) continue;
      hlo::require_valid(*module);
      texts.push_back(hlo::print(*module, hlo::Dialect::kShort));
      fresh.push_back(hashes.back());
    }
    const auto workers = static_cast<size_t>(pool_->workers());
    const size_t at_once = std::clamp<size_t>((fresh.size() + workers - 1) / workers, 1, kMost);
    std::vector<std::vector<std::string>> groups;
    for (size_t i = 0; i < texts.size(); ++i) {
      if (i % at_once == 0) groups.push_back({text_});
      groups.back().push_back(std::move(texts[i]));
    }
    const auto ran = pool_->race(groups, limits_);
    for (size_t g = 0; g < ran.size(); ++g) keep(ran[g], std::span(fresh).subspan(g * at_once));
    std::vector<double> out;
    for (const uint64_t hash : hashes)
      out.push_back(*first_seconds() * (hash == hash_ ? 1 : *kept_->find(hash)));
    return out;
  }

 private:
  static constexpr double kMicrosecond = 1e-6;

  std::optional<double> first_seconds() const { return kept_->find(hash_); }

  void keep(const std::vector<runtime::XlaProgram>& ran, std::span<const uint64_t> hashes) {
    if (!ran[0].ran() && !(options_.stop.requested() && first_seconds()))
      throw InputError("XLA does not run the module: " + ran[0].error);
    // What was interrupted, or died, says nothing of the next run.
    const auto whole = [&](const runtime::XlaProgram& one) {
      return one.ran() ? one.samples.wall_ms.size() >= static_cast<size_t>(options_.rounds) : one.refused;
    };
    if (!first_seconds()) kept_->keep(hash_, kMicrosecond * ran[0].asynchronous_us, whole(ran[0]));
    for (size_t i = 1; i < ran.size(); ++i) {
      if (hashes[i - 1] == hash_) continue;
      const bool right = ran[i].ran() && ran[i].difference && *ran[i].difference <= options_.tolerance;
      kept_->keep(hashes[i - 1], right ? ran[i].asynchronous_us / ran[0].asynchronous_us : kRefused,
                  whole(ran[i]) && whole(ran[0]));
    }
  }

  HloEvaluatorOptions options_;
  std::string text_, version_;
  uint64_t hash_;
  runtime::XlaOptions limits_;
  std::shared_ptr<runtime::XlaPool> pool_;
  std::optional<KeptTimes> kept_;
};

}  // namespace

bool times_calls(std::string_view evaluator) { return evaluator == kXla; }

const machine::Device* roofline_device(const std::string& evaluator) {
  if (!evaluator.starts_with(kRoofline)) return nullptr;
  const machine::Device* device = machine::find_device(evaluator.substr(kRoofline.size()));
  return device != nullptr && device->profile != nullptr ? device : nullptr;
}

std::unique_ptr<problems::HloEvaluator> hlo_evaluator(const std::string& name, const hlo::Module& module,
                                                      const HloEvaluatorOptions& options) {
  if (times_calls(name)) return std::make_unique<XlaTimes>(module, options);
  if (const machine::Device* device = roofline_device(name)) return std::make_unique<Roofline>(*device);
  std::vector<std::string> known = {std::string(kXla)};
  for (const machine::Device& device : machine::devices())
    if (device.profile != nullptr) known.push_back(fmt::format("{}{}", kRoofline, device.name));
  throw unknown_word("--evaluator", name, known);
}

}  // namespace isomer::recipes
