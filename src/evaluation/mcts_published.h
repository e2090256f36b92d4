// The numbers of Hartmann, He and Yoneki (PACT 2024), tables 1 to 4, to be printed beside ours: run times of
// TASO's kernels on an NVIDIA A100 and P100, means and standard deviations of five runs. Not comparable as
// milliseconds (ours are analytic); what is compared is who wins by how much, and the optimisation time.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace isomer::evaluation {

struct PublishedModel {
  std::string_view model, title;
  uint32_t k_multi;  ///< of TENSAT: raised until its e-graph is saturated or at 2,000 nodes
};

/// One row of tables 2 and 4.
struct PublishedRun {
  std::string_view device;  ///< a100, p100
  std::string_view model;
  std::string_view pair;  ///< main/final extraction: default, ours, ilp; or "tensat"
  double original_ms, optimised_ms, speedup, speedup_deviation, seconds, seconds_deviation;
};

/// One column of tables 1 and 3.
struct PublishedFirst {
  std::string_view device, model;
  double exact, tree, sharing;
};

/// In the paper's order.
std::span<const PublishedModel> published_models();
/// By its name alone. This and the others return nullptr where the paper has nothing.
const PublishedModel* published_model(std::string_view model);
/// A name may go on after a hyphen: "vit_large-4layers" is a variant, of fewer layers, of the model that this
/// returns, and beside it stand that model's numbers. Times of a smaller program are not comparable.
const PublishedModel* published_whole(std::string_view model);
const PublishedRun* published_run(std::string_view device, std::string_view model, std::string_view pair);
const PublishedFirst* published_first(std::string_view device, std::string_view model);

}  // namespace isomer::evaluation
