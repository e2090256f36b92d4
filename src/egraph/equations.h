// Proving equations by axioms: both sides of every equation go into one e-graph, the axioms saturate it, and
// an equation is proved when its sides have met. TASO's verifier asks a solver about each equation by itself
// (Jia et al., SOSP 2019, section 4); TENSAT's puts all of them into one e-graph, as here. Most meet within
// few iterations, while the e-graph grows with each: so the first run is short, and each following one, twice
// as long, has only what is still open.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "egraph/run.h"
#include "egraph/symbols.h"

namespace isomer::egraph {

/// Terms without variables.
struct Equation {
  Pattern left, right;
};

/// TASO's functional notation: "f(a,g(b))==h(c)" one after the other, with or without white space between.
/// InputError with file, line, column.
std::vector<Equation> parse_equations(std::string_view text, SymbolTable& symbols,
                                      const std::string& file = "");

struct ProveOptions {
  uint64_t nodes = 10'000;        ///< of each run
  uint64_t iterations = 30;       ///< of the longest run
  uint64_t first_iterations = 3;  ///< of the first one
  SchedulerOptions scheduler = {.kind = SchedulerKind::kBackoff};
  unsigned threads = 1;
};

struct Proofs {
  std::vector<bool> proved;     ///< by equation
  std::vector<RunReport> runs;  ///< each over what the ones before it left open
  double cpu_seconds = 0;       ///< of all runs, adding the terms included
  size_t count() const;
};

Proofs prove(const std::vector<Equation>& equations, const std::vector<Rewrite>& axioms,
             const ProveOptions& options = {});

}  // namespace isomer::egraph
