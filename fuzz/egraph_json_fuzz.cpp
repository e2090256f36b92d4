// Any bytes are either an e-graph or an InputError; an e-graph that was read can be written and read again,
// greedy extraction from it passes the checker, and preprocessing agrees on whether there is anything to
// extract.
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
  const extract::Extraction dag = extract::extract(g.problem, extract::Extractor::kDagGreedy);
  if (tree.found != dag.found || (dag.found && !extract::check(g.problem, dag.selection).valid)) {
    std::cerr << "the extractors disagree\n";
    std::abort();
  }
  return 0;
}
