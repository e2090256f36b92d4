#include "egraph/rule_plan.h"

#include <algorithm>

#include "support/errors.h"

namespace isomer::egraph {

namespace {
constexpr uint32_t kNodes = 0x40000000u;  // while planning: operands from here on are nodes
constexpr size_t kBlock = 16384;          // words
}  // namespace

RightSide right_side_of(const Pattern& right, uint32_t variables) {
  RightSide out;
  out.variables = variables;
  std::vector<uint32_t> place;
  for (uint32_t i = 0; i < right.nodes.size(); ++i) {
    const PatternNode& node = right.nodes[i];
    if (node.is_variable) {
      place.push_back(node.variable);
      continue;
    }
    const auto first = static_cast<uint32_t>(out.operands.size());
    for (uint32_t c : node.children) out.operands.push_back(place[c]);
    place.push_back(variables + static_cast<uint32_t>(out.nodes.size()));
    out.nodes.push_back({node.op, node.payload, first, static_cast<uint32_t>(out.operands.size()), i});
  }
  out.root = place.back();
  return out;
}

RulePlan::RulePlan(const std::vector<Rewrite>& rules) {
  for (const Rewrite& rewrite : rules) {
    const PatternSet::Use use = patterns_.add(rewrite.left);
    lefts_.resize(patterns_.size());
    Rule rule{.left = use.program,
              .right = {},
              .class_variables = std::max(rewrite.left.class_variables, rewrite.right.class_variables),
              .attr_variables = std::max(rewrite.left.attr_variables, rewrite.right.attr_variables),
              .class_register = {},
              .attr_register = {}};
    rule.right = right_side_of(rewrite.right, rule.class_variables);
    rule.class_register.assign(rule.class_variables, kUnbound);
    rule.attr_register.assign(rule.attr_variables, kUnbound);
    const Program& program = tree().program(use.program);
    for (size_t v = 0; v < use.class_variable.size(); ++v)
      rule.class_register[use.class_variable[v]] = program.class_register[v];
    for (size_t v = 0; v < use.attr_variable.size(); ++v)
      rule.attr_register[use.attr_variable[v]] = program.attr_register[v];
    rules_.push_back(std::move(rule));
    const bool can_look_up = std::ranges::all_of(rewrite.right.nodes, [](const PatternNode& n) {
      return n.is_variable || n.payload != PatternNode::kAnyPayload;
    });
    const auto number = static_cast<uint32_t>(rules_.size() - 1);
    if (can_look_up)
      plan_right(number, rewrite, use);
    else
      lefts_[use.program].others.push_back(number);
  }
  // Operands were registers below kNodes; now they are positions in a record.
  for (LeftSide& left : lefts_) {
    const auto place = [&](uint32_t& operand) {
      if ((operand & kConstant) != 0) return;
      if (operand >= kNodes) {
        operand = operand - kNodes + static_cast<uint32_t>(left.kept.size());
        return;
      }
      operand = static_cast<uint32_t>(std::ranges::find(left.kept, operand) - left.kept.begin());
    };
    const auto keep = [&](uint32_t operand) {
      if (operand < kNodes && std::ranges::find(left.kept, operand) == left.kept.end())
        left.kept.push_back(operand);
    };
    for (const Node& n : left.nodes) std::ranges::for_each(n.operands, keep);
    for (const LeftSide::Right& r : left.rights) keep(r.root);
    for (Node& n : left.nodes) std::ranges::for_each(n.operands, place);
    for (LeftSide::Right& r : left.rights) place(r.root);
  }
}

void RulePlan::plan_right(uint32_t number, const Rewrite& rewrite, const PatternSet::Use& use) {
  const Program& program = tree().program(use.program);
  LeftSide& left = lefts_[use.program];
  // Terms that the left side has bound need no look-up: in order of the pattern, so that operands are known.
  std::vector<std::pair<Node, uint32_t>> bound;
  const Pattern& pattern = patterns_.pattern(use.program);
  for (size_t i = 0; i < pattern.nodes.size(); ++i) {
    const PatternNode& node = pattern.nodes[i];
    if (node.is_variable || node.payload == PatternNode::kAnyPayload || program.node_register[i] == kUnbound)
      continue;
    Node term{node.op, node.payload, {}};
    for (uint32_t c : node.children) term.operands.push_back(program.node_register[c]);
    if (std::ranges::find(term.operands, kUnbound) == term.operands.end())
      bound.emplace_back(std::move(term), program.node_register[i]);
  }
  LeftSide::Right right{number, 0, {}};
  std::vector<uint32_t> place;
  for (const PatternNode& node : rewrite.right.nodes) {
    if (node.is_variable) {
      place.push_back(rules_[number].class_register[node.variable]);
      continue;
    }
    Node term{node.op, node.payload, {}};
    for (uint32_t c : node.children) term.operands.push_back(place[c]);
    arity_ = std::max(arity_, term.operands.size());
    const auto in_left = std::ranges::find(bound, term, &std::pair<Node, uint32_t>::first);
    if (in_left != bound.end()) {
      place.push_back(in_left->second);
    } else if (std::ranges::all_of(term.operands, [](uint32_t o) { return (o & kConstant) != 0; })) {
      GroundTerm constant{term.op, term.payload, {}};
      for (uint32_t o : term.operands) constant.children.push_back(o & ~kConstant);
      const auto known = std::ranges::find(constants_, constant);
      place.push_back(static_cast<uint32_t>(known - constants_.begin()) | kConstant);
      if (known == constants_.end()) constants_.push_back(std::move(constant));
    } else {
      const auto known = std::ranges::find(left.nodes, term);
      right.needs.push_back(static_cast<uint32_t>(known - left.nodes.begin()));
      place.push_back(kNodes + right.needs.back());
      if (known == left.nodes.end()) left.nodes.push_back(std::move(term));
    }
  }
  right.root = place.back();
  left.rights.push_back(std::move(right));
}

/// Looks right sides up as left sides are matched.
class PlanSink {
 public:
  PlanSink(const RulePlan& plan, const Store& store, const SearchRound& round, bool write_all,
           RulePlan::Found& out)
      : plan_(plan), store_(store), round_(round), write_all_(write_all), out_(out) {
    out.matches.assign(plan.lefts_.size(), 0);
    std::vector<ClassId> children;
    for (const GroundTerm& term : plan.constants_) {
      children.clear();
      for (uint32_t c : term.children) children.push_back(constants_[c]);
      const bool known = std::ranges::all_of(children, [](ClassId c) { return c.valid(); });
      const NodeId n = known ? store.lookup_canonical(term.op, term.payload, children) : NodeId();
      constants_.push_back(n.valid() ? store.clean_class_of(n) : ClassId());
    }
    children_.resize(plan.arity());
  }

  bool operator()(uint32_t pattern, const ClassId* registers, const uint32_t* attrs) {
    if (++out_.matches[pattern] > round_.limits[pattern]) return false;
    const RulePlan::LeftSide& left = plan_.lefts_[pattern];
    if (write_all_) {
      for (const auto& right : left.rights) write(right.rule, registers, attrs);
    } else if (!left.rights.empty()) {
      look_up(pattern, left, registers);
    }
    for (uint32_t rule : left.others) write(rule, registers, attrs);
    return true;
  }

 private:
  ClassId value(uint32_t operand) const {
    return (operand & RulePlan::kConstant) != 0 ? constants_[operand & ~RulePlan::kConstant]
                                                : values_[operand];
  }

  void look_up(uint32_t pattern, const RulePlan::LeftSide& left, const ClassId* registers) {
    const size_t kept = left.kept.size();
    if (values_.size() < kept + left.nodes.size()) values_.resize(kept + left.nodes.size());
    for (size_t i = 0; i < kept; ++i) values_[i] = registers[left.kept[i]];
    for (size_t i = 0; i < left.nodes.size(); ++i) {
      const RulePlan::Node& node = left.nodes[i];
      const size_t arity = node.operands.size();
      bool known = true;
      for (size_t k = 0; k < arity && known; ++k) {
        children_[k] = value(node.operands[k]);
        known = children_[k].valid();
      }
      const NodeId n =
          known ? store_.lookup_canonical(node.op, node.payload, {children_.data(), arity}) : NodeId();
      values_[kept + i] = n.valid() ? store_.clean_class_of(n) : ClassId();
    }
    bool missing = false;
    for (const auto& right : left.rights) {
      if (!round_.wanted[right.rule]) continue;
      const ClassId root = value(right.root);
      if (!root.valid())
        missing = true;
      else if (root != registers[0])
        out_.unions.push_back({right.rule, registers[0], root});
    }
    if (!missing) return;
    if (out_.missing.empty() || out_.missing.back().capacity() - out_.missing.back().size() < left.record()) {
      out_.missing.emplace_back();
      out_.missing.back().reserve(std::max(kBlock, left.record()));
    }
    std::vector<uint32_t>& block = out_.missing.back();
    const size_t at = block.size();
    block.resize(at + left.record());
    uint32_t* record = block.data() + at;
    record[0] = pattern;
    record[1] = registers[0].v;
    for (size_t i = 0; i < kept + left.nodes.size(); ++i) record[2 + i] = values_[i].v;
  }

  void write(uint32_t rule, const ClassId* registers, const uint32_t* attrs) {
    if (!round_.wanted[rule]) return;
    const RulePlan::Rule& r = plan_.rules_[rule];
    out_.written.push_back(rule);
    out_.written.push_back(registers[0].v);
    for (uint32_t reg : r.class_register)
      out_.written.push_back(reg == kUnbound ? kUnbound : registers[reg].v);
    for (uint32_t reg : r.attr_register) out_.written.push_back(reg == kUnbound ? kUnbound : attrs[reg]);
  }

  const RulePlan& plan_;
  const Store& store_;
  const SearchRound& round_;
  const bool write_all_;
  RulePlan::Found& out_;
  std::vector<ClassId> constants_, values_, children_;
};

std::vector<uint32_t> RulePlan::lefts() const {
  std::vector<uint32_t> out;
  for (const Rule& rule : rules_) out.push_back(rule.left);
  return out;
}

std::vector<RulePlan::Found> RulePlan::search(const Store& store, const Language* language,
                                              const SearchRound& round, unsigned threads,
                                              bool write_all) const {
  // A variable matches every class: if they are too many for its rules, they need not be gone through.
  std::vector<SearchMode> modes = round.modes;
  for (size_t p = 0; p < modes.size(); ++p)
    if (tree().program(p).code.empty() && store.live_classes() > round.limits[p]) modes[p] = SearchMode::kOff;
  const Search search(store, language, tree(), modes);
  std::vector<Found> found(search_ranges(store, threads));
  for_each_range(store, threads, found.size(), [&](size_t r, NodeId first, NodeId last) {
    PlanSink sink(*this, store, round, write_all, found[r]);
    search.walk(first, last, sink);
  });
  for (size_t p = 0; p < modes.size(); ++p)
    if (modes[p] != round.modes[p]) found[0].matches[p] = round.limits[p] + 1;
  return found;
}

}  // namespace isomer::egraph
