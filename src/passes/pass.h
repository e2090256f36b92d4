// A pass is a source of alternatives: it looks at a module and proposes, and never changes it. Run to the end
// (`run_to_end`) by taking its first proposal everywhere until it has none, it is an ordinary pass. Passes of
// XLA have the names by which XLA's own flags know them.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "passes/alternatives.h"
#include "support/limits.h"

namespace isomer::passes {

class Pass {
 public:
  virtual ~Pass() = default;
  virtual std::string_view name() const = 0;
  virtual void propose(AlternativeGraph& graph) const = 0;
};

/// All that are known: ours in the order of their names, then those that were added.
const std::vector<std::shared_ptr<const Pass>>& all_passes();
/// A further one for as long as the program runs, known by its name to all that ask for passes. To be called
/// before others read the list. Throws UsageError where the name is taken.
void add_pass(std::shared_ptr<const Pass> pass);
/// Throws UsageError that names those there are.
std::shared_ptr<const Pass> find_pass(std::string_view name);
/// Each of them, in the order of their names.
std::vector<std::shared_ptr<const Pass>> find_passes(std::span<const std::string> names);

/// A hash of the sources of passes/ and hlo/: what is kept of passes' results holds while it stays.
std::string_view version();

/// The proposals of these passes, one after another.
AlternativeGraph dry_run(Module module, std::span<const std::shared_ptr<const Pass>> passes);

struct RunResult {
  Module module;
  size_t sweeps = 0, taken = 0;
  bool at_rest = false;  ///< no proposals were left (else `most_sweeps` was met)
};
constexpr size_t kMostSweeps = 100;
/// Which rules' proposals are taken; empty: all.
using Taken = std::function<bool(std::string_view rule)>;
/// Takes the first proposal of each choice that may be taken, again until there are none, or the watch (null:
/// none) says to stop; the sweeps until then stand.
RunResult run_to_end(Module module, std::span<const std::shared_ptr<const Pass>> passes,
                     size_t most_sweeps = kMostSweeps, const Taken& taken = {}, LimitWatch* watch = nullptr);

}  // namespace isomer::passes
