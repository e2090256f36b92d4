// Why two terms are equal, as a chain that can be checked by hand: each step replaces one subterm by a rule,
// read in either direction. The idea of such proofs is egg's (Flatt, Coward, Willsey, Tatlock and Panchekha,
// "Small proofs from congruence closure", FMCAD 2022). Ours is made after the fact: each application that
// changed the e-graph is an equation between exact terms (derivation.h); proof-producing congruence closure
// over those gives the path, and congruences are unfolded child by child. Terms that the chain comes back to
// are cut out; no shorter chain is looked for. Programs of tensors have their own chains, which share steps
// (rewrite/explain_chain.h).
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "egraph/ground_terms.h"
#include "egraph/rule_plan.h"

namespace isomer::egraph {

struct ExplanationStep {
  uint32_t rule = 0;      ///< number of the rule; Justification::kNone: an equation that a caller stated
  bool backward = false;  ///< read from right to left
  TermId from, to;        ///< the subterm that is replaced, and what by
  TermId after;           ///< the whole term after the step
};

class Explainer {
 public:
  /// The store must have recorded its derivation (Store::record_derivation) under these rules, which must
  /// have no attribute patterns. Both must outlive this. Works through the whole derivation.
  Explainer(const Store& store, std::span<const Rewrite> rules);

  /// The term a node was created as.
  TermId term(NodeId n) const { return term_of_[n.index()]; }
  /// A term of one's own: given to explain, it counts as equal to whatever congruence makes it equal to.
  TermId term(uint32_t op, std::span<const TermId> children) { return bank_.term(op, 0, children); }
  const TermBank& bank() const { return bank_; }

  bool equal(TermId a, TermId b);
  /// The chain from a to b, empty if they are one term. Nothing if they are not equal by what was recorded,
  /// or if it would have more than `most_steps` steps before shortening.
  std::optional<std::vector<ExplanationStep>> explain(TermId a, TermId b, size_t most_steps = 100'000);

 private:
  TermId instantiate(const Pattern& pattern, std::span<const uint32_t> bindings);
  bool unfold(TermId a, TermId b, size_t most, std::vector<ExplanationStep>& out);

  std::span<const Rewrite> rules_;
  TermBank bank_;
  CongruenceClosure closure_;
  std::vector<TermId> term_of_;
  std::vector<uint32_t> rule_of_;  // by label of an equation
};

}  // namespace isomer::egraph
