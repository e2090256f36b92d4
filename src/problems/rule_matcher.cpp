#include "problems/rule_matcher.h"

#include <algorithm>
#include <limits>

#include "egraph/append_match.h"

namespace isomer::problems {

using egraph::ClassId;
using egraph::NodeId;

void OperatorIndex::build(const egraph::Store& store) {
  const auto slots = static_cast<uint32_t>(store.slots());
  uint32_t ops = 0, payloads = 0;
  for (uint32_t n = 0; n < slots; ++n) {
    if (!store.usable(NodeId(n))) continue;
    ops = std::max(ops, store.op(NodeId(n)) + 1);
    payloads = std::max(payloads, store.payload(NodeId(n)) + 1);
  }
  first_.assign(ops + 1, 0);
  seen_.assign(payloads, 0);
  for (uint32_t n = 0; n < slots; ++n) {
    if (!store.usable(NodeId(n))) continue;
    ++first_[store.op(NodeId(n)) + 1];
    seen_[store.payload(NodeId(n))] = 1;
  }
  for (uint32_t op = 0; op < ops; ++op) first_[op + 1] += first_[op];
  at_.assign(first_.begin(), first_.end());
  nodes_.resize(first_.back());
  for (uint32_t n = 0; n < slots; ++n)
    if (store.usable(NodeId(n))) nodes_[at_[store.op(NodeId(n))]++] = NodeId(n);
}

namespace {

/// Writes matches down, up to a number.
struct Sink {
  const egraph::Program& program;
  egraph::Matches& found;
  size_t most;

  bool operator()(uint32_t, const ClassId* registers, const uint32_t* attrs) {
    egraph::append_match(found, program, registers, attrs);
    return found.size() < most;
  }
};

}  // namespace

/// A search that goes from e-graph to e-graph: its memory is most of the cost of a search that finds little.
struct RuleMatcher::Walk {
  Walk(const egraph::Store& store, const egraph::Language& language, const egraph::CodeTree& tree,
       egraph::Matches& found)
      : sink{tree.program(0), found, 0},
        search(store, &language, tree, {egraph::SearchMode::kFull}, false),
        walk(search, sink) {}
  Sink sink;
  egraph::Search search;
  egraph::TreeWalk<Sink> walk;
};

RuleMatcher::RuleMatcher(ir::Context& ctx, const rewrite::RuleSet& rules) : language_(ctx) {
  for (const rewrite::Rule& rule : rules.rules) {
    rewrite::CompiledRule compiled = rewrite::compile(ctx, rule, static_cast<uint32_t>(rules_.size()));
    egraph::MultiPattern pattern(compiled.left, patterns_, {.unordered_if_same = rule.symmetric});
    std::vector<uint32_t> lefts;
    for (size_t part = 0; part < pattern.parts(); ++part) lefts.push_back(pattern.program(part));
    std::ranges::sort(lefts);
    lefts.erase(std::unique(lefts.begin(), lefts.end()), lefts.end());
    std::vector<std::vector<uint32_t>> used(pattern.parts());
    for (size_t part = 0; part < pattern.parts(); ++part) {
      const std::span<const uint32_t> places = pattern.places(part);
      for (uint32_t v = 0; v < patterns_.pattern(pattern.program(part)).class_variables; ++v)
        if (std::ranges::any_of(compiled.right.nodes, [&](const rewrite::FragmentNode& n) {
              return n.is_variable && n.variable == places[v];
            }))
          used[part].push_back(v);
    }
    rules_.push_back({std::move(compiled), std::move(pattern), std::move(lefts), std::move(used)});
  }
  for (size_t i = 0; i < patterns_.size(); ++i) {
    const egraph::Pattern& pattern = patterns_.pattern(i);
    Left& left = lefts_.emplace_back();
    left.tree.add(pattern);
    left.bare = left.tree.program(0).code.empty() || pattern.root().is_variable;
    for (const egraph::PatternNode& n : pattern.nodes) {
      if (n.is_variable) continue;
      left.ops.push_back(n.op);
      left.operators |= bit(n.op);
      if (n.payload != egraph::PatternNode::kAnyPayload) left.payloads.push_back(n.payload);
    }
    const egraph::Program& program = left.tree.program(0);
    found_.emplace_back(static_cast<uint32_t>(program.class_register.size()),
                        static_cast<uint32_t>(program.attr_register.size()));
  }
}

RuleMatcher::~RuleMatcher() = default;

bool RuleMatcher::possible(const OperatorIndex& index, const Left& left) const {
  return std::ranges::none_of(left.ops, [&](uint32_t op) { return index.nodes(op).empty(); }) &&
         std::ranges::all_of(left.payloads, [&](uint32_t p) { return index.has_payload(p); });
}

void RuleMatcher::search(const egraph::Store& store, const OperatorIndex& index, uint32_t number,
                         size_t most) {
  Left& left = lefts_[number];
  found_[number].clear();
  if (!possible(index, left)) return;
  if (left.walk == nullptr) left.walk = std::make_unique<Walk>(store, language_, left.tree, found_[number]);
  Walk& w = *left.walk;
  w.search.look_at(store);
  w.sink.most = most;
  if (left.bare || left.tree.program(0).code[0].kind != egraph::Instruction::Kind::kBind) {
    w.search.walk(NodeId(0u), NodeId(store.slots()), w.sink);
    return;
  }
  w.walk.restart();
  for (NodeId n : index.nodes(left.tree.program(0).code[0].op)) {
    w.walk.root(n);
    if (found_[number].size() >= most) return;
  }
}

bool RuleMatcher::represented(const egraph::Store& store, const OperatorIndex& index, uint32_t left) {
  search(store, index, left, 1);
  return !found_[left].empty();
}

std::vector<ClassId> RuleMatcher::roots(const egraph::Store& store, const OperatorIndex& index,
                                        uint32_t left) {
  search(store, index, left, std::numeric_limits<size_t>::max());
  std::vector<ClassId> out;
  for (size_t i = 0; i < found_[left].size(); ++i) out.push_back(found_[left].root(i));
  return out;
}

void RuleMatcher::find(const egraph::Store& store, const OperatorIndex& index, uint32_t rule) {
  for (uint32_t left : rules_[rule].lefts) search(store, index, left, std::numeric_limits<size_t>::max());
}

}  // namespace isomer::problems
