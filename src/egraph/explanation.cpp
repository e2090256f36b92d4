#include "egraph/explanation.h"

#include <unordered_map>

#include "support/errors.h"

namespace isomer::egraph {

Explainer::Explainer(const Store& store, std::span<const Rewrite> rules) : rules_(rules), closure_(bank_) {
  const Derivation* log = store.derivation();
  REQUIRE(log != nullptr, "the e-graph did not record its derivation");
  std::vector<TermId> children;
  for (uint32_t n = 0; n < log->nodes(); ++n) {
    children.clear();
    for (ClassId c : log->children(NodeId(n))) children.push_back(term_of_[c.index()]);
    term_of_.push_back(bank_.term(store.op(NodeId(n)), store.payload(NodeId(n)), children));
    closure_.mention(term_of_.back());
  }
  for (const Derivation::Equation& e : log->equations()) {
    const auto label = static_cast<uint32_t>(rule_of_.size());
    rule_of_.push_back(e.why.rule);
    if (e.why.record == Justification::kNone) {
      closure_.equate(term(e.a), term(e.b), label);
    } else {
      const std::span<const uint32_t> bindings = log->bindings(e.why.record);
      const Rewrite& rule = rules_[e.why.rule];
      closure_.equate(instantiate(rule.left, bindings), instantiate(rule.right, bindings), label);
    }
  }
}

TermId Explainer::instantiate(const Pattern& pattern, std::span<const uint32_t> bindings) {
  std::vector<TermId> made, children;
  for (const PatternNode& node : pattern.nodes) {
    if (node.is_variable) {
      made.push_back(term_of_[bindings[node.variable]]);
      continue;
    }
    REQUIRE(node.payload != PatternNode::kAnyPayload || node.attrs.empty(), "a rule with attributes");
    children.clear();
    for (uint32_t c : node.children) children.push_back(made[c]);
    made.push_back(
        bank_.term(node.op, node.payload == PatternNode::kAnyPayload ? 0 : node.payload, children));
  }
  return made.back();
}

bool Explainer::equal(TermId a, TermId b) {
  closure_.mention(a);
  closure_.mention(b);
  return closure_.same(a, b);
}

// Appends the steps from a to b, as if a were the whole term.
bool Explainer::unfold(TermId a, TermId b, size_t most, std::vector<ExplanationStep>& out) {
  if (a == b) return true;
  for (const CongruenceClosure::Edge& e : closure_.explain(a, b)) {
    if (e.label != CongruenceClosure::kCongruence) {
      out.push_back({rule_of_[e.label], e.backward, e.from, e.to, e.to});
      if (out.size() > most) return false;
      continue;
    }
    std::vector<TermId> children(bank_.children(e.from).begin(), bank_.children(e.from).end());
    for (size_t i = 0; i < children.size(); ++i) {
      size_t at = out.size();
      if (!unfold(children[i], bank_.children(e.to)[i], most, out)) return false;
      for (; at < out.size(); ++at) {
        children[i] = out[at].after;
        out[at].after = bank_.term(bank_.op(e.from), bank_.payload(e.from), children);
      }
    }
  }
  return true;
}

std::optional<std::vector<ExplanationStep>> Explainer::explain(TermId a, TermId b, size_t most_steps) {
  std::vector<ExplanationStep> steps;
  if (!equal(a, b) || !unfold(a, b, most_steps, steps)) return std::nullopt;
  std::unordered_map<uint32_t, size_t> last{{a.v, 0}};  // a term, and the steps that lead to it at last
  for (size_t i = 0; i < steps.size(); ++i) last[steps[i].after.v] = i + 1;
  std::vector<ExplanationStep> out;
  for (size_t at = last[a.v]; at < steps.size();) {
    out.push_back(steps[at]);
    at = last[steps[at].after.v];
  }
  return out;
}

}  // namespace isomer::egraph
