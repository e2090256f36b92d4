#include "passes/pass.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ranges>

#include "passes/algebraic_simplifier.h"
#include "passes/cse.h"
#include "support/errors.h"

namespace isomer::passes {

const std::vector<std::shared_ptr<const Pass>>& all_passes() {
  static const std::vector<std::shared_ptr<const Pass>> kAll = {
      algebraic_simplifier(),
      common_subexpressions(),
  };
  return kAll;
}

std::shared_ptr<const Pass> find_pass(std::string_view name) {
  const auto& all = all_passes();
  if (const auto at = std::ranges::find(all, name, [](const auto& p) { return p->name(); }); at != all.end())
    return *at;
  throw UsageError(fmt::format(
      "expected the name of a pass ({}), found {}",
      fmt::join(all | std::views::transform([](const auto& p) { return p->name(); }), ", "), name));
}

AlternativeGraph dry_run(Module module, std::span<const std::shared_ptr<const Pass>> passes) {
  AlternativeGraph out(std::move(module));
  for (const auto& pass : passes) pass->propose(out);
  return out;
}

RunResult run_to_end(Module module, std::span<const std::shared_ptr<const Pass>> passes, size_t most_sweeps) {
  RunResult out;
  out.module = std::move(module);
  for (; out.sweeps < most_sweeps; ++out.sweeps) {
    const AlternativeGraph graph = dry_run(std::move(out.module), passes);
    const auto decisions = graph.first_of_each();
    if (decisions.empty()) {
      // What nobody needs is left out, as after any other sweep.
      out.module = graph.apply({}).module;
      out.at_rest = true;
      return out;
    }
    Applied next = graph.apply(decisions);
    out.taken += decisions.size() - next.refused.size();
    out.module = std::move(next.module);
  }
  return out;
}

}  // namespace isomer::passes
