// Any bytes are either an e-graph or an InputError; an e-graph that was read can be written and read again,
// greedy extraction from it passes the checker, and preprocessing agrees on whether there is anything to
// extract. Small e-graphs also go through every extractor, and each that calls its answer optimal has found
// the same cost.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string_view>

#include "extract/check.h"
#include "extract/egraph_json.h"
#include "extract/extract.h"
#include "support/errors.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace isomer;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  extract::SerializedEGraph g;
  try {
    g = extract::parse_egraph_json(text, "fuzz.json");
  } catch (const InputError&) {
    return 0;
  }
  const extract::SerializedEGraph again =
      extract::parse_egraph_json(extract::write_egraph_json(g), "written.json");
  if (again.problem.nodes() != g.problem.nodes() || again.problem.edges() != g.problem.edges()) {
    std::cerr << "reading what was written gives another e-graph\n";
    std::abort();
  }
  const extract::Extraction tree = extract::extract(g.problem, extract::Extractor::kTreeGreedy);
  if (tree.found &&
      extract::parse_selection_json(g, extract::write_selection_json(g, tree.selection)) != tree.selection) {
    std::cerr << "reading the selection that was written gives another one\n";
    std::abort();
  }
  const extract::Extraction dag = extract::extract(g.problem, extract::Extractor::kDagGreedy);
  if (tree.found != dag.found || (dag.found && !extract::check(g.problem, dag.selection).valid)) {
    std::cerr << "the extractors disagree\n";
    std::abort();
  }
  if (!dag.found || g.problem.nodes() > 60 || g.problem.edges() > 200) return 0;
  Limits limits;
  limits.nodes = 1000;
  limits.seconds = 2;
  double least = -INFINITY;
  double most = INFINITY;  // of all answers
  for (std::string_view name : extract::extractor_names()) {
    const extract::Extraction e = extract::extract(g.problem, *extract::extractor_from_name(name), limits);
    if (!e.found || !extract::check(g.problem, e.selection).valid) {
      std::cerr << name << ": no valid selection\n";
      std::abort();
    }
    least = std::max(least, e.bound);
    most = std::min(most, e.dag_cost);
  }
  // Costs of different sizes cannot be told apart by a solver in doubles.
  double scale = 1;
  for (uint32_t n = 0; n < g.problem.nodes(); ++n)
    scale = std::max(scale, std::abs(g.problem.cost(extract::NodeId(n))));
  if (scale < 1e6 && least > most + 1e-5 * scale) {
    std::cerr << "a bound of " << least << " although there is a selection of " << most << "\n";
    std::abort();
  }
  return 0;
}
