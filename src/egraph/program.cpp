#include "egraph/program.h"

#include <algorithm>

#include "support/errors.h"

namespace isomer::egraph {

namespace {

class Compiler {
 public:
  Compiler(const Pattern& pattern, std::vector<GroundTerm>& ground, uint32_t class_variables,
           uint32_t attr_variables)
      : pattern_(pattern), ground_(ground), is_ground_(pattern.nodes.size()), depth_(pattern.nodes.size()) {
    REQUIRE(!pattern.nodes.empty(), "a pattern has a root");
    out_.class_register.assign(std::max(class_variables, pattern.class_variables), kUnbound);
    out_.attr_register.assign(std::max(attr_variables, pattern.attr_variables), kUnbound);
    out_.node_register.assign(pattern.nodes.size(), kUnbound);
    out_.root_is_variable = pattern.root().is_variable;
    for (size_t i = 0; i < pattern.nodes.size(); ++i) {
      const PatternNode& node = pattern.nodes[i];
      is_ground_[i] = !node.is_variable && node.payload != PatternNode::kAnyPayload &&
                      std::ranges::all_of(node.children, [&](uint32_t c) { return is_ground_[c]; });
      for (uint32_t c : node.children) depth_[i] = std::max(depth_[i], depth_[c]);
      depth_[i] += !node.is_variable;
    }
    out_.depth = depth_.back();
  }

  Program run() {
    visit(static_cast<uint32_t>(pattern_.nodes.size() - 1), 0);
    while (!todo_.empty()) step();
    return std::move(out_);
  }

 private:
  struct Todo {
    uint32_t node;
    uint32_t reg;
  };

  bool bound(uint32_t node) const { return out_.node_register[node] != kUnbound; }
  bool can_look_up(const PatternNode& node) const {
    return node.payload != PatternNode::kAnyPayload &&
           std::ranges::all_of(node.children, [&](uint32_t c) { return bound(c); });
  }
  void compare(uint32_t reg, uint32_t other) {
    out_.code.push_back({.kind = Instruction::Kind::kCompareClasses, .reg = reg, .other = other});
  }

  uint32_t number_ground(uint32_t i) {
    GroundTerm term{pattern_.nodes[i].op, pattern_.nodes[i].payload, {}};
    for (uint32_t c : pattern_.nodes[i].children) term.children.push_back(number_ground(c));
    const auto known = std::ranges::find(ground_, term);
    const auto number = static_cast<uint32_t>(known - ground_.begin());
    if (known == ground_.end()) ground_.push_back(std::move(term));
    return number;
  }

  /// What can be decided at once is decided at once; the rest waits its turn.
  void visit(uint32_t i, uint32_t reg) {
    const PatternNode& node = pattern_.nodes[i];
    if (bound(i)) {
      compare(reg, out_.node_register[i]);
    } else if (node.is_variable) {
      out_.class_register[node.variable] = out_.node_register[i] = reg;
    } else if (is_ground_[i]) {
      out_.code.push_back({.kind = Instruction::Kind::kCompareGround, .reg = reg, .other = number_ground(i)});
      out_.node_register[i] = reg;
    } else {
      todo_.push_back({i, reg});
    }
  }

  void step() {
    // Terms that a look-up decides go first; else the latest, which keeps the walk depth first.
    size_t chosen = todo_.size() - 1;
    bool look_up = false;
    for (size_t t = 0; t < todo_.size() && !look_up; ++t) {
      look_up = can_look_up(pattern_.nodes[todo_[t].node]);
      if (look_up) chosen = t;
    }
    const Todo next = todo_[chosen];
    todo_.erase(todo_.begin() + static_cast<std::ptrdiff_t>(chosen));
    if (bound(next.node)) return compare(next.reg, out_.node_register[next.node]);  // bound meanwhile
    const PatternNode& node = pattern_.nodes[next.node];
    out_.node_register[next.node] = next.reg;
    Instruction in{.reg = next.reg,
                   .op = node.op,
                   .payload = node.payload,
                   .arity = static_cast<uint32_t>(node.children.size()),
                   .depth = depth_[next.node]};
    if (look_up && !out_.code.empty()) {
      in.kind = Instruction::Kind::kLookup;
      for (uint32_t c : node.children) in.operands.push_back(out_.node_register[c]);
      out_.code.push_back(std::move(in));
      return;
    }
    in.other = out_.registers;
    if (node.payload == PatternNode::kAnyPayload) {
      in.slots = static_cast<uint32_t>(node.attrs.size());
      in.has_attrs = !node.attrs.empty();
      for (uint32_t slot = 0; slot < node.attrs.size(); ++slot) check(in, slot, node.attrs[slot]);
    }
    out_.code.push_back(std::move(in));
    const uint32_t base = out_.registers;
    out_.registers += static_cast<uint32_t>(node.children.size());
    const size_t before = todo_.size();
    for (uint32_t k = 0; k < node.children.size(); ++k) visit(node.children[k], base + k);
    std::reverse(todo_.begin() + static_cast<std::ptrdiff_t>(before), todo_.end());
  }

  void check(Instruction& in, uint32_t slot, const AttrPattern& attr) {
    if (attr.kind == AttrPattern::Kind::kLiteral) {
      in.attrs.push_back({AttrCheck::Kind::kLiteral, slot, attr.value});
    } else if (attr.kind == AttrPattern::Kind::kVariable) {
      uint32_t& reg = out_.attr_register[attr.value];
      const auto kind = reg == kUnbound ? AttrCheck::Kind::kBind : AttrCheck::Kind::kCompare;
      if (reg == kUnbound) reg = out_.attr_registers++;
      in.attrs.push_back({kind, slot, reg});
    }
  }

  const Pattern& pattern_;
  std::vector<GroundTerm>& ground_;
  std::vector<bool> is_ground_;
  std::vector<uint32_t> depth_;
  std::vector<Todo> todo_;
  Program out_;
};

}  // namespace

Program compile(const Pattern& pattern, std::vector<GroundTerm>& ground, uint32_t class_variables,
                uint32_t attr_variables) {
  return Compiler(pattern, ground, class_variables, attr_variables).run();
}

}  // namespace isomer::egraph
