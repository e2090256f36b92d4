// Pipelines of passes as data: which pass stands where, and of each position, or group, whether it runs, is
// left out, or is decided ("dry": its proposals are a search's or an agent's). That one instance of a pass is
// controlled by its position while others run or are off is HloEnv's (section 3, and its experiments); the
// text is ours:
//
//   without algsimp;              # passes that XLA leaves out, where it runs what comes out
//   call-inliner;
//   off algsimp;
//   { algsimp, cse; "mine.rules"; }   # again until nothing changes; a comma: together; a file of rules
//   dry algsimp;
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "passes/pass.h"

namespace isomer::passes {

enum class StageMode : uint8_t { kOn, kOff, kDry };

struct Stage {
  StageMode mode = StageMode::kOn;
  std::vector<std::shared_ptr<const Pass>> passes;  ///< together, to their end; empty: a group
  std::vector<Stage> group;                         ///< one after another, again until nothing changes
};

struct Pipeline {
  std::vector<Stage> stages;
  std::vector<std::string> without;  ///< names of XLA's passes
};

/// A pass that is no known one, from its name in quotation marks.
using QuotedPass = std::function<std::shared_ptr<const Pass>(const std::string&)>;

/// Throws InputError with line and column: a pass that there is not, a stage without its `;`, dry within what
/// is off or dry; and what `quoted` throws. Without it there are no quoted names.
Pipeline parse_pipeline(std::string_view text, const std::string& file, const QuotedPass& quoted = {});

/// Passes together, as a pipeline of one stage, which is dry.
Pipeline only(std::vector<std::shared_ptr<const Pass>> passes);

struct Preset {
  std::string_view name, about, text;
};
/// Those of HloEnv's experiments.
std::span<const Preset> presets();

/// All of these stages that are not off, each as often as it stands there.
std::vector<std::shared_ptr<const Pass>> passes_of(std::span<const Stage> stages);

/// What a dry stage decides about: before it, its passes, after it.
struct Decided {
  std::vector<Stage> before;
  std::vector<std::shared_ptr<const Pass>> passes;
  std::vector<Stage> after;
};
/// At the one dry stage, which stands in no group. Throws UsageError where there is none, or another.
Decided decided(const Pipeline& pipeline);

/// Each stage that is not off, in order; a dry one takes its first proposals, as an ordinary pass does. The
/// watch ends it as it ends run_to_end; passes that stand together go over the module so often at most.
RunResult run(Module module, std::span<const Stage> stages, LimitWatch* watch = nullptr,
              size_t most_sweeps = kMostSweeps);

}  // namespace isomer::passes
