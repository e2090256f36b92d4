#include "egraph/pattern.h"

#include <algorithm>
#include <functional>

#include "support/errors.h"

namespace isomer::egraph {

uint32_t Pattern::variable(uint32_t v) {
  for (uint32_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].is_variable && nodes[i].variable == v) return i;
  }
  PatternNode node;
  node.is_variable = true;
  node.variable = v;
  nodes.push_back(std::move(node));
  class_variables = std::max(class_variables, v + 1);
  return static_cast<uint32_t>(nodes.size() - 1);
}

uint32_t Pattern::apply(uint32_t op, std::vector<uint32_t> children, std::vector<AttrPattern> attrs,
                        uint32_t payload) {
  for (uint32_t c : children) REQUIRE(c < nodes.size(), "a pattern's children come before their parent");
  for (const AttrPattern& a : attrs) {
    if (a.kind == AttrPattern::Kind::kVariable) attr_variables = std::max(attr_variables, a.value + 1);
  }
  PatternNode node;
  node.op = op;
  node.payload = payload;
  node.attrs = std::move(attrs);
  node.children = std::move(children);
  nodes.push_back(std::move(node));
  return static_cast<uint32_t>(nodes.size() - 1);
}

CanonicalPattern canonical(const Pattern& pattern) {
  REQUIRE(!pattern.nodes.empty(), "a pattern has a root");
  CanonicalPattern result;
  const auto renumber = [](std::vector<uint32_t>& names, uint32_t v) {
    const auto known = std::ranges::find(names, v);
    if (known != names.end()) return static_cast<uint32_t>(known - names.begin());
    names.push_back(v);
    return static_cast<uint32_t>(names.size() - 1);
  };
  // Numbers first, in preorder; then the nodes, in postorder, so that the layout is canonical as well.
  std::vector<uint32_t> class_number(pattern.class_variables, kUnbound);
  std::vector<uint32_t> attr_number(pattern.attr_variables, kUnbound);
  const std::function<void(uint32_t)> number = [&](uint32_t i) {
    const PatternNode& node = pattern.nodes[i];
    if (node.is_variable) {
      class_number[node.variable] = renumber(result.class_variable, node.variable);
      return;
    }
    for (const AttrPattern& a : node.attrs) {
      if (a.kind == AttrPattern::Kind::kVariable)
        attr_number[a.value] = renumber(result.attr_variable, a.value);
    }
    for (uint32_t c : node.children) number(c);
  };
  const std::function<uint32_t(uint32_t)> copy = [&](uint32_t i) {
    const PatternNode& node = pattern.nodes[i];
    if (node.is_variable) return result.pattern.variable(class_number[node.variable]);
    std::vector<AttrPattern> attrs = node.attrs;
    for (AttrPattern& a : attrs) {
      if (a.kind == AttrPattern::Kind::kVariable) a.value = attr_number[a.value];
    }
    std::vector<uint32_t> children;
    for (uint32_t c : node.children) children.push_back(copy(c));
    return result.pattern.apply(node.op, std::move(children), std::move(attrs), node.payload);
  };
  const uint32_t root = static_cast<uint32_t>(pattern.nodes.size() - 1);
  number(root);
  copy(root);
  return result;
}

uint32_t make_payload(const PatternNode& node, const Subst& subst, Language* language) {
  if (node.payload != PatternNode::kAnyPayload) return node.payload;
  REQUIRE(language != nullptr, "attribute patterns need a language");
  std::vector<uint32_t> slots;
  slots.reserve(node.attrs.size());
  for (const AttrPattern& a : node.attrs) {
    REQUIRE(a.kind != AttrPattern::Kind::kAny, "a right side must say what goes into each slot");
    slots.push_back(a.kind == AttrPattern::Kind::kLiteral ? a.value : subst.attr_at(a.value));
  }
  return language->payload(node.op, slots);
}

}  // namespace isomer::egraph
