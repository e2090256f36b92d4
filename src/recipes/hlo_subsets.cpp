#include "recipes/hlo_subsets.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>

#include "hlo/print.h"
#include "hlo/verify.h"
#include "passes/pass.h"
#include "search/factored.h"
#include "support/errors.h"
#include "support/hash.h"
#include "support/possible.h"

namespace isomer::recipes {
namespace {

class Filter {
 public:
  explicit Filter(const HloFilter& options) : o_(options), passes_(passes::find_passes(options.passes)) {
    for (const std::string& name : options.without) {
      const auto opcode = hlo::parse_opcode(name);
      if (!opcode) throw UsageError(fmt::format("expected an opcode of HLO, found {}", name));
      without_.push_back(*opcode);
    }
  }

  /// Why it does not pass; nothing where it does.
  std::string refusal(const hlo::Module& m) const {
    if (m.instructions.size() < o_.least) return "too small";
    if (m.instructions.size() > o_.most) return "too large";
    for (const hlo::Instruction& i : m.instructions)
      if (std::ranges::find(without_, i.opcode) != without_.end())
        return fmt::format("has {}", hlo::name(i.opcode));
    if (passes_.empty()) return {};
    const std::vector<uint32_t> factors = passes::dry_run(m, passes_).factors();
    if (factors.empty()) return "nothing proposed";
    // The action that does nothing is one of the space, though joint_actions() leaves it out.
    if (o_.most_actions && !search::joint_actions(factors, *o_.most_actions - 1)) return "too many actions";
    return {};
  }

 private:
  const HloFilter& o_;
  std::vector<std::shared_ptr<const passes::Pass>> passes_;
  std::vector<hlo::Opcode> without_;
};

/// What both jobs do with what they come upon.
class Job {
 public:
  Job(const std::string& folder, const HloSubsetOptions& options)
      : set_(folder), filter_(options.filter), options_(options) {}

  bool goes_on() {
    if (options_.stop.requested()) out_.stop_reason = StopReason::kInterrupted;
    if (out_.added >= options_.count) out_.stop_reason = StopReason::kIterationLimit;
    return out_.stop_reason == StopReason::kRunning;
  }

  /// A module whose types fit; nothing, counted as left out, where it is none.
  std::optional<hlo::Module> read(const HloSource& source, std::string& text, size_t of) {
    ++out_.modules;
    Progress p;
    p.fraction = static_cast<double>(out_.modules) / static_cast<double>(of);
    p.note = fmt::format("{} added", out_.added);
    options_.progress->update(p);
    text = read_file(source.path);
    auto module = possible([&] { return hlo::parse_valid(text, source.path); });
    if (!module) ++out_.left_out["not read"];
    return std::move(module.value);
  }

  void consider(const hlo::Module& module, const std::string& text, const HloOrigin& origin) {
    if (const std::string why = filter_.refusal(module); !why.empty()) {
      ++out_.left_out[why];
      return;
    }
    if (set_.add(module, text, origin) == HloAdded::kNew)
      ++out_.added;
    else
      ++out_.left_out["there already"];
  }

  HloSubset& out() { return out_; }
  HloSubset end() {
    if (out_.stop_reason == StopReason::kRunning) out_.stop_reason = StopReason::kSaturated;
    return std::move(out_);
  }

 private:
  HloDataset set_;
  Filter filter_;
  const HloSubsetOptions& options_;
  HloSubset out_;
};

uint64_t number_of(const HloSource& source, uint64_t seed) {
  return hash_string(std::filesystem::path(source.path).filename().string(), mix64(seed + 1));
}

}  // namespace

HloSubset hlo_filter(const std::vector<std::string>& paths, const std::string& folder,
                     const HloSubsetOptions& options) {
  Job job(folder, options);
  const std::vector<HloSource> sources = hlo_sources(paths);
  for (const HloSource& source : sources) {
    if (!job.goes_on()) break;
    std::string text;
    if (const auto module = job.read(source, text, sources.size()))
      job.consider(*module, text, source.origin);
  }
  return job.end();
}

HloSubset hlo_subgraphs(const std::vector<std::string>& paths, const std::string& folder,
                        const HloSubgraphOptions& options) {
  Job job(folder, options);
  const auto simplifying = passes::find_passes(std::vector<std::string>{"call-inliner", "tuple-simplifier"});
  std::vector<HloSource> sources = hlo_sources(paths);
  std::ranges::sort(sources, {}, [&](const HloSource& s) { return number_of(s, options.seed); });
  for (const HloSource& source : sources) {
    if (!job.goes_on()) break;
    std::string text;
    std::optional<hlo::Module> module = job.read(source, text, sources.size());
    if (!module) continue;
    Rng rng(number_of(source, options.seed));
    const hlo::Module inlined = passes::run_to_end(std::move(*module), simplifying).module;
    HloOrigin origin = source.origin;
    origin.part_of = std::filesystem::path(source.path).stem().string();
    for (uint64_t i = 0; i < options.tries && job.goes_on(); ++i) {
      const std::optional<hlo::Module> part = passes::random_subgraph(inlined, options.size, rng);
      if (!part) continue;
      ++job.out().drawn;
      job.consider(*part, hlo::print(*part, hlo::Dialect::kShort), origin);
    }
  }
  return job.end();
}

}  // namespace isomer::recipes
