// Patterns: terms with variables. Class variables stand for e-classes, attribute variables for single
// attribute slots of payloads; the two are numbered apart. All patterns of one rule (its left sides and its
// right sides) share the numbering.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "egraph/egraph.h"

namespace isomer::egraph {

/// What payload numbers mean: a sequence of attribute slots, each an interned number. Patterns see slots only
/// through this.
class Language {
 public:
  virtual ~Language() = default;
  /// The attribute slots of a payload; the same span for the language's whole life.
  virtual std::span<const uint32_t> slots(uint32_t payload) const = 0;
  /// The payload with these slots, interned.
  virtual uint32_t payload(uint32_t op, std::span<const uint32_t> slots) = 0;
};

/// What a pattern asks of one attribute slot, or (on a right side) puts there.
struct AttrPattern {
  enum class Kind : uint8_t { kAny, kLiteral, kVariable };
  Kind kind = Kind::kAny;
  uint32_t value = 0;  ///< the literal's number, or the attribute variable's

  static AttrPattern any() { return {}; }
  static AttrPattern literal(uint32_t id) { return {Kind::kLiteral, id}; }
  static AttrPattern variable(uint32_t v) { return {Kind::kVariable, v}; }
  bool operator==(const AttrPattern&) const = default;
};

/// A variable, or an operator over earlier nodes of its pattern.
struct PatternNode {
  static constexpr uint32_t kAnyPayload = 0xFFFFFFFFu;

  bool is_variable = false;
  uint32_t variable = 0;  ///< class variable

  uint32_t op = 0;
  uint32_t payload = kAnyPayload;  ///< the whole payload, where the pattern fixes it
  std::vector<AttrPattern> attrs;  ///< one per slot; empty: slots are not looked at
  std::vector<uint32_t> children;  ///< positions in Pattern::nodes, smaller than this node's own
  bool operator==(const PatternNode&) const = default;
};

/// Children before parents; the root is last.
struct Pattern {
  std::vector<PatternNode> nodes;
  uint32_t class_variables = 0;  ///< 1 + the largest class variable in use
  uint32_t attr_variables = 0;   ///< 1 + the largest attribute variable in use

  /// Both return the new node's position. A variable gets one node, however often it is asked for.
  uint32_t variable(uint32_t v);
  uint32_t apply(uint32_t op, std::vector<uint32_t> children, std::vector<AttrPattern> attrs = {},
                 uint32_t payload = PatternNode::kAnyPayload);

  const PatternNode& root() const { return nodes.back(); }
  bool operator==(const Pattern&) const = default;
};

/// A pattern with its variables numbered in order of first occurrence (walking from the root, children from
/// left to right, a node's attributes before its children), so that patterns which differ in names only are
/// equal.
struct CanonicalPattern {
  Pattern pattern;
  std::vector<uint32_t> class_variable;  ///< canonical number -> number in the original
  std::vector<uint32_t> attr_variable;
};
CanonicalPattern canonical(const Pattern& pattern);

/// What a match binds: class variables first (canonical class ids), then attribute variables (slot numbers).
/// A variable that the pattern does not have is kUnbound.
inline constexpr uint32_t kUnbound = 0xFFFFFFFFu;

/// A view of bindings with the two index spaces apart.
struct Subst {
  std::span<const uint32_t> values;
  uint32_t class_variables = 0;

  ClassId class_at(uint32_t v) const { return ClassId(values[v]); }
  uint32_t attr_at(uint32_t v) const { return values[class_variables + v]; }
};

/// The payload of a right-side node: its literal payload, or one made from its attribute patterns (which must
/// not be kAny).
uint32_t make_payload(const PatternNode& node, const Subst& subst, Language* language);

/// Buffers that add_pattern may use again, for those who add many.
struct AddScratch {
  std::vector<ClassId> made;
  std::vector<ClassId> children;
};

/// Adds a right side under a substitution; returns the root's node (as_class(result) names its class for
/// unite). `language` may be null if no node of the pattern has attribute patterns. A pattern that is a bare
/// variable returns that class's own node.
template <class A>
NodeId add_pattern(EGraph<A>& g, const Pattern& pattern, const Subst& subst, Language* language,
                   AddScratch& scratch) {
  scratch.made.resize(pattern.nodes.size());
  for (size_t i = 0; i < pattern.nodes.size(); ++i) {
    const PatternNode& node = pattern.nodes[i];
    if (node.is_variable) {
      scratch.made[i] = subst.class_at(node.variable);
      continue;
    }
    scratch.children.clear();
    for (uint32_t c : node.children) scratch.children.push_back(scratch.made[c]);
    const uint32_t payload =
        node.payload != PatternNode::kAnyPayload ? node.payload : make_payload(node, subst, language);
    scratch.made[i] = as_class(g.add_node(node.op, payload, scratch.children));
  }
  return as_node(scratch.made.back());
}
template <class A>
NodeId add_pattern(EGraph<A>& g, const Pattern& pattern, const Subst& subst, Language* language) {
  AddScratch scratch;
  return add_pattern(g, pattern, subst, language, scratch);
}

/// The dry run of add_pattern: what the analysis says of each node of the pattern, children first, without
/// touching the e-graph. `accept(data)` is asked about every node that is not a variable, and stops the run
/// by false. A node that is already in the e-graph has its class's value.
template <class A, class Accept>
bool dry_run(const EGraph<A>& g, const Pattern& pattern, const Subst& subst, Language* language,
             Accept&& accept) {
  std::vector<typename A::Data> data(pattern.nodes.size());
  std::vector<ClassId> known(pattern.nodes.size());
  std::vector<typename A::Data> values;
  std::vector<ClassId> children;
  for (size_t i = 0; i < pattern.nodes.size(); ++i) {
    const PatternNode& node = pattern.nodes[i];
    if (node.is_variable) {
      known[i] = subst.class_at(node.variable);
      data[i] = g.data(known[i]);
      continue;
    }
    const uint32_t payload = make_payload(node, subst, language);
    values.clear();
    children.clear();
    bool all_known = true;
    for (uint32_t c : node.children) {
      values.push_back(data[c]);
      children.push_back(known[c]);
      all_known = all_known && known[c].valid();
    }
    if (all_known) {
      const NodeId n = g.lookup(node.op, payload, children);
      if (n.valid()) known[i] = as_class(n);
    }
    data[i] = known[i].valid() ? g.data(known[i]) : g.analysis().make(node.op, payload, values);
    if (!accept(data[i])) return false;
  }
  return true;
}

}  // namespace isomer::egraph
