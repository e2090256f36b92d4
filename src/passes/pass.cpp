#include "passes/pass.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <utility>

#include "passes/algebraic_simplifier.h"
#include "passes/cse.h"
#include "passes/known_passes.h"
#include "support/errors.h"
#include "support/unknown_word.h"

namespace isomer::passes {

namespace {

std::vector<std::shared_ptr<const Pass>>& table() {
  static std::vector<std::shared_ptr<const Pass>> all = {
      algebraic_simplifier(),
      all_gather_of_broadcast(),
      all_gather_combiner(),
      all_reduce_combiner(),
      all_reduce_folder(),
      all_reduce_reassociate(),
      call_inliner(),
      constant_folding(),
      contraction_order(),
      common_subexpressions(),
      gemm_broadcast_folding(),
      gemm_rewriter(),
      gemm_padding(),
      convolution_vectorizer(),
      defuser(),
      dot_merger(),
      dots_of_scans(),
      instruction_fusion(),
      fusion_merger(),
      general_fusion(),
      horizontal_input_fusion(),
      horizontal_loop_fusion(),
      multi_output_fusion(),
      reduce_scatter_combiner(),
      reshape_mover(),
      simplify_conditional(),
      simplify_sorts(),
      simplify_while_loops(),
      transpose_folding(),
      tree_reduction(),
      tuple_simplifier(),
      loop_invariant_motion(),
      zero_sized_elimination(),
  };
  return all;
}

}  // namespace

const std::vector<std::shared_ptr<const Pass>>& all_passes() { return table(); }

void add_pass(std::shared_ptr<const Pass> pass) {
  for (const auto& known : table())
    if (known->name() == pass->name())
      throw UsageError(fmt::format("pass {}: the name is taken", pass->name()));
  table().push_back(std::move(pass));
}

std::shared_ptr<const Pass> find_pass(std::string_view name) {
  const auto& all = all_passes();
  if (const auto at = std::ranges::find(all, name, [](const auto& p) { return p->name(); }); at != all.end())
    return *at;
  std::vector<std::string> names;
  for (const auto& pass : all) names.emplace_back(pass->name());
  throw unknown_word("pass", name, names);
}

std::vector<std::shared_ptr<const Pass>> find_passes(std::span<const std::string> names) {
  std::vector<std::shared_ptr<const Pass>> out;
  for (const std::string& name : names) out.push_back(find_pass(name));
  return out;
}

AlternativeGraph dry_run(Module module, std::span<const std::shared_ptr<const Pass>> passes) {
  AlternativeGraph out(std::move(module));
  for (const auto& pass : passes) pass->propose(out);
  return out;
}

RunResult run_to_end(Module module, std::span<const std::shared_ptr<const Pass>> passes, size_t most_sweeps,
                     const Taken& taken, LimitWatch* watch) {
  RunResult out;
  out.module = std::move(module);
  for (; out.sweeps < most_sweeps; ++out.sweeps) {
    if (watch != nullptr && watch->check_now() != StopReason::kRunning) break;
    const AlternativeGraph graph = dry_run(std::move(out.module), passes);
    const std::vector<uint32_t> decisions = graph.first_of_each(taken);
    const auto many = static_cast<size_t>(std::ranges::count_if(decisions, [](uint32_t d) { return d > 0; }));
    // What nobody needs is left out, also by the last one.
    Applied next = graph.apply(decisions);
    out.module = std::move(next.module);
    out.taken += many - next.refused.size();
    if (many == next.refused.size()) {
      out.at_rest = true;
      return out;
    }
  }
  return out;
}

}  // namespace isomer::passes
