// Why the result equals the original, for people: the rule applications that lead from one to the other, in
// an order in which each acts on the whole program that the one before left. The idea of proofs by replay is
// egg's (Flatt, Coward, Willsey, Tatlock and Panchekha, "Small proofs from congruence closure", FMCAD 2022).
// Ours works after the fact, so exploring pays nothing for it: each recorded application is one equation
// between exact terms; congruence closure finds which of them the result needs; what can be left out is left
// out (no step of the chain is superfluous, which is not to say that no shorter chain exists: finding that is
// NP-hard); and the proof, which is a tree over terms, is played on the program as a DAG: a rewrite of a
// shared value is one step, and where a step brings up a value that earlier steps have rewritten, it takes
// that one. (Replaying such values for each user was tried: twenty layers made more than 20,000 steps.)
// Unions without new nodes (x * 1 = x) are steps like all others; a proof may need a rule read from right to
// left.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "egraph/ground_terms.h"
#include "rewrite/tensor_extract.h"
#include "support/deadline.h"

namespace isomer::rewrite {

using egraph::TermBank;
using egraph::TermId;

/// A value that a step replaces.
struct ChainPlace {
  TermId before, after;
  std::string
      where;  ///< name of the value, or of the nearest named one that it helps to compute; may be empty
};

struct ChainStep {
  uint32_t instance = 0;  ///< number of the application (Alternatives::applications)
  bool backward = false;  ///< the rule read from right to left
  std::vector<ChainPlace> places;
  std::vector<TermId> roots;  ///< the program's outputs after the step
};

struct ExplainOptions {
  double seconds = 5;  ///< CPU time for leaving steps out; what is not tried by then stays
  size_t most_steps = 20'000;
  Deadline until = {};  ///< of everything; there is no chain once it has passed
};

class RewriteChain {
 public:
  std::vector<ChainStep> steps;
  /// The applications that the chain uses, each once, ascending.
  std::vector<uint32_t> instances;
  /// Each application is needed: without it, the others do not make result and original equal.
  bool minimal = false;

  /// The program after the first `count` steps: 0 gives the original, steps.size() the result (both without
  /// what no output needs).
  ir::Graph program(size_t count) const;

 private:
  friend class ChainFinder;
  const TensorEGraph* eg_ = nullptr;
  std::shared_ptr<const TermBank> bank_;
  std::vector<TermId> first_roots_;
  std::vector<ir::TypeId> types_;       ///< by term, where the operator's rule may not give it
  std::vector<ir::ValueId> source_of_;  ///< by term: the source's value that it equals, if any
};

/// From the program to what was extracted of it. Nothing when the e-graph knows equalities that no recorded
/// application accounts for (`why` says so). The saturation must outlive the chain.
std::optional<RewriteChain> explain_chain(const Saturation& saturation, const TensorExtraction& result,
                                          std::string& why, const ExplainOptions& options = {});

/// Both sides of a step's rule at its types and attributes, in the direction of the step:
/// "(mul ?x 1)" and "?x", several values separated by "; ".
struct StepText {
  std::string rule, before, after, variables;
};
StepText describe(const Saturation& saturation, const ChainStep& step);

}  // namespace isomer::rewrite
