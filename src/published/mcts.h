// The numbers of Hartmann, He and Yoneki (PACT 2024), tables 1 to 4, to be printed beside ours: run times of
// TASO's kernels on an NVIDIA A100 and P100, means and standard deviations of five runs. Not comparable as
// milliseconds (ours are analytic); what is compared is who wins by how much, and the optimisation time.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace isomer::published::mcts {

struct Model {
  std::string_view model, title;
  uint32_t k_multi;  ///< of TENSAT: raised until its e-graph is saturated or at 2,000 nodes
};

/// One row of tables 2 and 4.
struct Run {
  std::string_view device;  ///< a100, p100
  std::string_view model;
  std::string_view pair;  ///< main/final extraction: default, ours, ilp; or "tensat"
  double original_ms, optimised_ms, speedup, speedup_deviation, seconds, seconds_deviation;
};

/// One column of tables 1 and 3.
struct First {
  std::string_view device, model;
  double exact, tree, sharing;
};

/// Distinct rules that an approach used on all models.
struct RulesUsed {
  std::string_view pair;
  int rules;
};
constexpr RulesUsed kRulesUsed[] = {{"tensat", 38}, {"ilp/ilp", 32}, {"ours/ilp", 33}};

/// The table that holds the runs on a device.
constexpr int table_of_runs(std::string_view device) { return device == "p100" ? 4 : 2; }

/// In the paper's order.
std::span<const Model> models();
/// By its name alone. This and the others return nullptr where the paper has nothing.
const Model* model_of(std::string_view model);
/// A name may go on after a hyphen: "vit_large-4layers" is a variant, of fewer layers, of the model that this
/// returns, and beside it stand that model's numbers. Times of a smaller program are not comparable.
const Model* whole_model(std::string_view model);
const Run* run_of(std::string_view device, std::string_view model, std::string_view pair);
const First* first_of(std::string_view device, std::string_view model);

}  // namespace isomer::published::mcts
