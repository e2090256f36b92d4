// The page that `isomer optimize` writes beside its result: one file, no network, no run-time files. Data is
// JSON within it (page_json); what is shown of it, and how, is assets/page.js, with D3 and dagre
// (assets/vendor).
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "ir/graph.h"
#include "isomer/isomer.h"
#include "support/run_record.h"

namespace isomer::report {

struct PageInput {
  const OptimizeOptions& options;
  const OptimizeResult& result;
  const RunRecord& record;
  const ir::Graph* before = nullptr;       ///< the program that was read
  const ir::Graph* after = nullptr;        ///< what was found, written or not; null: nothing was
  std::span<const double> before_costs{};  ///< by value, milliseconds; may be empty
  std::span<const double> after_costs{};
  std::string version;
  size_t most_drawn = 20'000;  ///< boxes of a graph: where one has more, none is drawn, and the page says so
};

/// One JSON object; keys are those of `--json` and `--record` where they say the same.
std::string page_json(const PageInput& input);
std::string html(const PageInput& input);

/// Where the page goes when the user does not say: model.isomer.onnx -> model.isomer.html, and out.onnx ->
/// out.isomer.html, since out.html may be somebody's.
std::string default_page(const std::string& output);

}  // namespace isomer::report
