#include "egraph/ematch.h"

#include <algorithm>

#include "support/errors.h"

namespace isomer::egraph {

namespace {

// A pattern node is ground if no variable is below it and every payload is fixed.
std::vector<bool> ground_nodes(const Pattern& pattern) {
  std::vector<bool> ground(pattern.nodes.size(), false);
  for (size_t i = 0; i < pattern.nodes.size(); ++i) {
    const PatternNode& node = pattern.nodes[i];
    ground[i] = !node.is_variable && node.payload != PatternNode::kAnyPayload &&
                std::ranges::all_of(node.children, [&](uint32_t c) { return ground[c]; });
  }
  return ground;
}

}  // namespace

Program::Program(const Pattern& pattern, uint32_t class_variables, uint32_t attr_variables)
    : class_variables_(std::max(class_variables, pattern.class_variables)),
      attr_variables_(std::max(attr_variables, pattern.attr_variables)) {
  REQUIRE(!pattern.nodes.empty(), "a pattern has a root");
  output_.assign(class_variables_, kUnbound);
  root_is_variable_ = pattern.root().is_variable;
  root_op_ = pattern.root().op;
  const std::vector<bool> ground = ground_nodes(pattern);
  std::vector<uint32_t> ground_number(pattern.nodes.size(), kUnbound);
  std::vector<bool> attr_bound(attr_variables_, false);

  std::vector<uint32_t> depth(pattern.nodes.size(), 0);
  for (size_t i = 0; i < pattern.nodes.size(); ++i) {
    for (uint32_t c : pattern.nodes[i].children) depth[i] = std::max(depth[i], depth[c]);
    depth[i] += !pattern.nodes[i].is_variable;
  }
  depth_ = depth.back();

  // A term whose variables are all bound by now, and whose payloads are fixed, needs no search: the hashcons
  // has it or not. Only one level is looked up at a time, so all children must be in registers.
  std::vector<uint32_t> in_register(pattern.nodes.size(), kUnbound);
  const auto number_ground = [&](auto&& self, uint32_t i) -> uint32_t {
    if (ground_number[i] != kUnbound) return ground_number[i];
    GroundNode node{pattern.nodes[i].op, pattern.nodes[i].payload, {}};
    for (uint32_t c : pattern.nodes[i].children) node.children.push_back(self(self, c));
    ground_.push_back(std::move(node));
    return ground_number[i] = static_cast<uint32_t>(ground_.size() - 1);
  };

  struct Todo {
    uint32_t node;
    uint32_t reg;
  };
  std::vector<Todo> todo;
  const auto visit = [&](uint32_t i, uint32_t reg) {
    // What can be decided at once is decided at once; the rest waits its turn.
    const PatternNode& node = pattern.nodes[i];
    if (node.is_variable) {
      if (output_[node.variable] == kUnbound) {
        output_[node.variable] = reg;
        in_register[i] = reg;
      } else {
        code_.push_back(
            {.kind = Instruction::Kind::kCompareClasses, .reg = reg, .other = output_[node.variable]});
      }
    } else if (in_register[i] != kUnbound) {
      code_.push_back({.kind = Instruction::Kind::kCompareClasses, .reg = reg, .other = in_register[i]});
    } else if (ground[i]) {
      const uint32_t number = number_ground(number_ground, i);
      code_.push_back({.kind = Instruction::Kind::kCompareGround, .reg = reg, .other = number});
    } else {
      todo.push_back({i, reg});
    }
  };
  visit(static_cast<uint32_t>(pattern.nodes.size() - 1), 0);
  while (!todo.empty()) {
    // Terms that a look-up decides go first; else the latest, which keeps the walk depth first.
    size_t chosen = todo.size() - 1;
    bool can_look_up = false;
    for (size_t t = 0; t < todo.size() && !can_look_up; ++t) {
      const PatternNode& node = pattern.nodes[todo[t].node];
      if (node.payload == PatternNode::kAnyPayload) continue;
      can_look_up =
          std::ranges::all_of(node.children, [&](uint32_t c) { return in_register[c] != kUnbound; });
      if (can_look_up) chosen = t;
    }
    const Todo next = todo[chosen];
    todo.erase(todo.begin() + static_cast<std::ptrdiff_t>(chosen));
    if (in_register[next.node] != kUnbound) {  // a shared term, bound meanwhile at its other place
      code_.push_back(
          {.kind = Instruction::Kind::kCompareClasses, .reg = next.reg, .other = in_register[next.node]});
      continue;
    }
    const PatternNode& node = pattern.nodes[next.node];
    Instruction instruction{.kind = Instruction::Kind::kBind,
                            .reg = next.reg,
                            .op = node.op,
                            .payload = node.payload,
                            .arity = static_cast<uint32_t>(node.children.size())};
    if (can_look_up && !code_.empty()) {
      instruction.kind = Instruction::Kind::kLookup;
      instruction.other = static_cast<uint32_t>(lookup_registers_.size());
      for (uint32_t c : node.children) lookup_registers_.push_back(in_register[c]);
      code_.push_back(instruction);
      in_register[next.node] = next.reg;
      continue;
    }
    instruction.other = registers_;
    instruction.first_attr = static_cast<uint32_t>(attr_checks_.size());
    instruction.slots = static_cast<uint32_t>(node.attrs.size());
    instruction.has_attrs = !node.attrs.empty() && node.payload == PatternNode::kAnyPayload;
    for (uint32_t slot = 0; slot < node.attrs.size() && instruction.has_attrs; ++slot) {
      const AttrPattern& a = node.attrs[slot];
      if (a.kind == AttrPattern::Kind::kLiteral) {
        attr_checks_.push_back({AttrCheck::Kind::kLiteral, slot, a.value});
      } else if (a.kind == AttrPattern::Kind::kVariable) {
        const auto kind = attr_bound[a.value] ? AttrCheck::Kind::kCompare : AttrCheck::Kind::kBind;
        attr_bound[a.value] = true;
        attr_checks_.push_back({kind, slot, class_variables_ + a.value});
      }
    }
    instruction.attr_count = static_cast<uint32_t>(attr_checks_.size()) - instruction.first_attr;
    code_.push_back(instruction);
    in_register[next.node] = next.reg;
    const uint32_t base = registers_;
    registers_ += instruction.arity;
    const size_t before = todo.size();
    for (uint32_t k = 0; k < instruction.arity; ++k) visit(node.children[k], base + k);
    std::reverse(todo.begin() + static_cast<std::ptrdiff_t>(before), todo.end());
  }
}

class Matcher {
 public:
  Matcher(const Store& store, const Language* language, const Program& program, Matches& out,
          size_t max_matches)
      : store_(store), language_(language), program_(program), out_(out), left_(max_matches) {
    REQUIRE(language != nullptr || program.attr_checks_.empty(), "attribute patterns need a language");
    registers_.resize(program.registers_);
    bindings_.assign(program.class_variables_ + program.attr_variables_, kUnbound);
  }

  /// False if a ground term of the pattern is nowhere, so that nothing can match.
  bool resolve_ground_terms() {
    std::vector<ClassId> children;
    for (const Program::GroundNode& node : program_.ground_) {
      children.clear();
      for (uint32_t c : node.children) children.push_back(ground_[c]);
      const NodeId n = store_.lookup(node.op, node.payload, children);
      if (!n.valid() || store_.filtered(n)) return false;
      ground_.push_back(store_.clean_class_of(n));
    }
    return true;
  }

  bool search_everywhere() {
    if (program_.root_is_variable_ || program_.code_.empty() ||
        program_.code_[0].kind != Program::Instruction::Kind::kBind) {
      bool going = true;
      store_.for_each_class([&](ClassId c) { going = going && search(c); });
      return going;
    }
    const Program::Instruction& first = program_.code_[0];
    for (NodeId n : store_.nodes_with_op(first.op)) {
      if (!store_.usable(n)) continue;
      registers_[0] = store_.clean_class_of(n);
      if (!bind(first, n, 0)) return false;
    }
    return true;
  }

  bool search(ClassId root) {
    registers_[0] = root;
    return run(0);
  }

 private:
  bool bind(const Program::Instruction& in, NodeId n, size_t pc) {
    if (in.payload != PatternNode::kAnyPayload && store_.payload(n) != in.payload) return true;
    const std::span<const ClassId> children = store_.children(n);
    if (children.size() != in.arity) return true;
    if (in.has_attrs && !check_attrs(in, store_.payload(n))) return true;
    std::copy(children.begin(), children.end(), registers_.begin() + in.other);
    return run(pc + 1);
  }

  bool check_attrs(const Program::Instruction& in, uint32_t payload) {
    const std::span<const uint32_t> slots = language_->slots(payload);
    if (slots.size() != in.slots) return false;
    for (uint32_t k = 0; k < in.attr_count; ++k) {
      const Program::AttrCheck& check = program_.attr_checks_[in.first_attr + k];
      const uint32_t value = slots[check.slot];
      switch (check.kind) {
        case Program::AttrCheck::Kind::kLiteral:
          if (value != check.value) return false;
          break;
        case Program::AttrCheck::Kind::kBind: bindings_[check.value] = value; break;
        case Program::AttrCheck::Kind::kCompare:
          if (value != bindings_[check.value]) return false;
          break;
      }
    }
    return true;
  }

  // False once the limit is reached and there is one match more.
  bool run(size_t pc) {
    for (; pc < program_.code_.size(); ++pc) {
      const Program::Instruction& in = program_.code_[pc];
      switch (in.kind) {
        case Program::Instruction::Kind::kBind:
          for (NodeId n : store_.nodes_in(registers_[in.reg], in.op)) {
            if (store_.usable(n) && !bind(in, n, pc)) return false;
          }
          return true;
        case Program::Instruction::Kind::kCompareClasses:
          if (registers_[in.reg] != registers_[in.other]) return true;
          break;
        case Program::Instruction::Kind::kCompareGround:
          if (registers_[in.reg] != ground_[in.other]) return true;
          break;
        case Program::Instruction::Kind::kLookup: {
          children_.resize(in.arity);
          for (uint32_t k = 0; k < in.arity; ++k) {
            children_[k] = registers_[program_.lookup_registers_[in.other + k]];
          }
          const NodeId n = store_.lookup(in.op, in.payload, children_);
          if (!n.valid() || store_.filtered(n) || store_.clean_class_of(n) != registers_[in.reg]) return true;
          break;
        }
      }
    }
    if (left_ == 0) return false;
    --left_;
    const std::span<uint32_t> match = out_.append();
    match[0] = registers_[0].v;
    for (uint32_t v = 0; v < program_.class_variables_; ++v) {
      const uint32_t reg = program_.output_[v];
      match[1 + v] = reg == kUnbound ? kUnbound : registers_[reg].v;
    }
    std::copy(bindings_.begin() + program_.class_variables_, bindings_.end(),
              match.begin() + 1 + program_.class_variables_);
    return true;
  }

  const Store& store_;
  const Language* language_;
  const Program& program_;
  Matches& out_;
  size_t left_;
  std::vector<ClassId> registers_;
  std::vector<uint32_t> bindings_;  // only the attribute part is used while searching
  std::vector<ClassId> ground_;
  std::vector<ClassId> children_;
};

bool match(const Store& store, const Language* language, const Program& program, Matches& out,
           size_t max_matches) {
  REQUIRE(store.clean(), "rebuild before matching");
  Matcher matcher(store, language, program, out, max_matches);
  return !matcher.resolve_ground_terms() || matcher.search_everywhere();
}

bool match_class(const Store& store, const Language* language, const Program& program, ClassId root,
                 Matches& out, size_t max_matches) {
  REQUIRE(store.clean(), "rebuild before matching");
  Matcher matcher(store, language, program, out, max_matches);
  return !matcher.resolve_ground_terms() || matcher.search(store.find(root));
}

}  // namespace isomer::egraph
