#include "rewrite/term_dag.h"

#include <algorithm>

#include "ir/needed.h"
#include "support/errors.h"
#include "support/hash.h"

namespace isomer::rewrite {
namespace {

constexpr DagTermId kNoTerm = 0xFFFFFFFFu;
constexpr uint32_t kFree = egraph::kUnbound;
constexpr double kFreeOfCharge = 0;

bool bind(std::vector<uint32_t>& bindings, uint32_t variable, uint32_t value) {
  if (bindings[variable] == kFree) bindings[variable] = value;
  return bindings[variable] == value;
}

void insert_unique(std::vector<DagTermId>& list, DagTermId t) {
  if (std::find(list.begin(), list.end(), t) == list.end()) list.push_back(t);
}

}  // namespace

TermDag::TermDag(const ir::Graph& graph, const RuleSet& rules, cost::CostModel& model,
                 ir::OpId free_when_made)
    : source_(graph),
      ctx_(graph.context()),
      pricer_(ctx_, model, {.weights_free = false}),
      free_when_made_(free_when_made),
      analysis_(ctx_),
      right_(analysis_),
      term_of_(graph.size(), kNoTerm) {
  const std::vector<bool> needed = ir::needed_values(graph);
  std::vector<DagTermId> operands;
  for (size_t i = 0; i < graph.size(); ++i) {
    if (!needed[i]) continue;
    const ir::ValueId v(i);
    operands.clear();
    std::vector<TensorFacts> facts;
    for (ir::ValueId o : graph.operands(v)) {
      operands.push_back(term_of_[o.index()]);
      facts.push_back(terms_[operands.back()].facts);
    }
    TensorFacts own = analysis_.make(graph.op(v).v, graph.payload(v).v, facts);
    own.type = graph.type_id(v);  // the reader may know more than the type rule does
    term_of_[i] = add(graph.op(v).v, graph.payload(v).v, operands, &own, nullptr);
  }
  for (ir::ValueId o : graph.outputs()) source_roots_.push_back(term_of_[o.index()]);

  compiled_.reserve(rules.rules.size());
  for (const Rule& rule : rules.rules) {
    const auto number = static_cast<uint32_t>(compiled_.size());
    compiled_.push_back(compile(ctx_, rule, number));
    const CompiledRule& c = compiled_.back();
    REQUIRE(c.left.size() <= 2, "rules of more than two left sides are not searched on graphs");
    if (c.left.size() == 1) {
      REQUIRE(!c.left[0].root().is_variable, "a left side that is a bare variable");
      single_by_op_[c.left[0].root().op].push_back(number);
      continue;
    }
    MultiRule m{number, {side(c.left[0]), side(c.left[1])}, {}, {}, false};
    m.unordered = rule.symmetric && m.sides[0].pattern == m.sides[1].pattern;
    const auto both = [](const std::vector<uint32_t>& a, const std::vector<uint32_t>& b) {
      std::vector<uint32_t> out;
      for (uint32_t v : a)
        if (std::find(b.begin(), b.end(), v) != b.end()) out.push_back(v);
      return out;
    };
    m.shared_classes = both(m.sides[0].class_variable, m.sides[1].class_variable);
    m.shared_attributes = both(m.sides[0].attr_variable, m.sides[1].attr_variable);
    multi_.push_back(std::move(m));
  }
  pattern_matches_.resize(patterns_.size());
}

TermDag::Side TermDag::side(const egraph::Pattern& pattern) {
  egraph::CanonicalPattern canonical = egraph::canonical(pattern);
  auto it = std::find(patterns_.begin(), patterns_.end(), canonical.pattern);
  const auto number = static_cast<uint32_t>(it - patterns_.begin());
  if (it == patterns_.end()) patterns_.push_back(std::move(canonical.pattern));
  return {number, std::move(canonical.class_variable), std::move(canonical.attr_variable)};
}

DagTermId TermDag::add(uint32_t op, uint32_t payload, std::span<const DagTermId> children,
                       const TensorFacts* known_facts, const double* known_cost) {
  const DagTermId id = table_.term(op, payload, children);
  if (id < terms_.size()) return id;
  Term term;
  std::vector<TensorFacts> facts;
  std::vector<ir::TypeId> types;
  std::vector<cost::OperandFacts> operands;
  for (DagTermId c : children) {
    facts.push_back(terms_[c].facts);
    types.push_back(facts.back().type);
    operands.push_back(terms_[c].as_operand);
  }
  term.facts = known_facts ? *known_facts : analysis_.make(op, payload, facts);
  const ir::OpDef& def = ctx_.ops().get(ir::OpId(op));
  term.as_operand =
      cost::facts_of(def, term.facts.is_weight, types.empty() ? ir::TypeId() : types[0], operands);
  term.cost = known_cost
                  ? *known_cost
                  : pricer_.price({op, payload, term.facts.type, term.facts.is_weight, types, operands});
  std::vector<uint64_t> below;
  for (DagTermId c : children) below.push_back(terms_[c].deep_hash);
  term.deep_hash = deep_hash(id, below);
  terms_.push_back(term);
  return id;
}

uint64_t TermDag::deep_hash(DagTermId t, std::span<const uint64_t> children) const {
  uint64_t hash = hash_combine(table_.op(t), table_.payload(t));
  for (uint64_t c : children) hash = hash_combine(hash, c);
  return hash;
}

DagTermId TermDag::with_children(DagTermId t, std::span<const DagTermId> children) {
  const Term copy = terms_[t];
  return add(table_.op(t), table_.payload(t), children, &copy.facts, &copy.cost);
}

std::vector<DagTermId> TermDag::reachable(std::span<const DagTermId> roots) const {
  if (seen_.size() < terms_.size()) seen_.resize(terms_.size());
  std::vector<DagTermId> out, stack(roots.begin(), roots.end());
  while (!stack.empty()) {
    const DagTermId t = stack.back();
    stack.pop_back();
    if (seen_[t]) continue;
    seen_[t] = true;
    out.push_back(t);
    for (DagTermId c : children(t)) stack.push_back(c);
  }
  for (DagTermId t : out) seen_[t] = false;  // the table may be far larger than what is reached
  std::sort(out.begin(), out.end());         // a term's children were there before it
  return out;
}

bool TermDag::match(const egraph::Pattern& pattern, uint32_t node, DagTermId t, Bindings& found) const {
  const egraph::PatternNode& p = pattern.nodes[node];
  if (p.is_variable) return bind(found.classes, p.variable, t);
  const std::span<const DagTermId> below = children(t);
  if (op(t) != p.op || below.size() != p.children.size()) return false;
  const uint32_t payload = table_.payload(t);
  if (p.payload != egraph::PatternNode::kAnyPayload && p.payload != payload) return false;
  if (!p.attrs.empty()) {
    const auto slots = ctx_.get(ir::PayloadId(payload));
    if (slots.size() != p.attrs.size()) return false;
    for (size_t i = 0; i < slots.size(); ++i) {
      const egraph::AttrPattern& a = p.attrs[i];
      if (a.kind == egraph::AttrPattern::Kind::kLiteral && slots[i].v != a.value) return false;
      if (a.kind == egraph::AttrPattern::Kind::kVariable && !bind(found.attributes, a.value, slots[i].v))
        return false;
    }
  }
  insert_unique(found.matched, t);
  for (size_t i = 0; i < p.children.size(); ++i)
    if (!match(pattern, p.children[i], below[i], found)) return false;
  return true;
}

bool TermDag::instantiate(uint32_t number, std::span<const uint32_t> classes,
                          std::span<const uint32_t> attributes, Match& match) {
  const CompiledRule& rule = compiled_[number];
  Instance& at = right_.instance;
  at.attributes.assign(rule.attributes, ir::AttrId());
  for (uint32_t i = 0; i < rule.matched_attributes; ++i) at.attributes[i] = ir::AttrId(attributes[i]);
  at.tensors.clear();
  for (uint32_t i = 0; i < rule.tensors; ++i) at.tensors.push_back(terms_[classes[i]].facts);
  at.roots.clear();
  for (DagTermId t : match.roots) at.roots.push_back(terms_[t].facts);
  if (right_.prepare(rule) != Applied::kChanged) return false;
  std::vector<DagTermId> made;
  rule.right.build<DagTermId>(classes, made,
                              [&](size_t i, const FragmentNode& n, std::span<const DagTermId> operands) {
                                return add(n.op.v, right_.payload(i).v, operands, &right_.facts(i),
                                           n.op == free_when_made_ ? &kFreeOfCharge : nullptr);
                              });
  match.rule = number;
  match.results.clear();
  for (uint32_t r : rule.right.roots) match.results.push_back(made[r]);
  match.variables.assign(classes.begin(), classes.begin() + rule.tensors);
  return match.results != match.roots;
}

const std::vector<TermDag::Match>& TermDag::matches(DagTermId t) {
  if (single_matches_.size() <= t) single_matches_.resize(terms_.size());
  if (single_matches_[t]) return *single_matches_[t];
  std::vector<Match> out;
  if (const auto rules = single_by_op_.find(op(t)); rules != single_by_op_.end())
    for (uint32_t number : rules->second) {
      const CompiledRule& rule = compiled_[number];
      const egraph::Pattern& pattern = rule.left[0];
      Bindings found{t, std::vector(rule.tensors, kFree), std::vector(rule.matched_attributes, kFree), {}};
      if (!match(pattern, static_cast<uint32_t>(pattern.nodes.size() - 1), t, found)) continue;
      Match m{number, std::move(found.matched), {}, {t}, {}};
      if (instantiate(number, found.classes, found.attributes, m)) out.push_back(std::move(m));
    }
  if (single_matches_.size() <= t) single_matches_.resize(terms_.size());
  single_matches_[t] = std::move(out);
  return *single_matches_[t];
}

const TermDag::Bindings* TermDag::pattern_match(uint32_t number, DagTermId t) {
  std::vector<uint32_t>& known = pattern_matches_[number];
  if (known.size() <= t) known.resize(terms_.size());
  if (known[t] == 0) {
    known[t] = 1;
    const egraph::Pattern& pattern = patterns_[number];
    Bindings found{
        t, std::vector(pattern.class_variables, kFree), std::vector(pattern.attr_variables, kFree), {}};
    if (match(pattern, static_cast<uint32_t>(pattern.nodes.size() - 1), t, found)) {
      known[t] = 2 + static_cast<uint32_t>(bindings_.size());
      bindings_.push_back(std::move(found));
    }
  }
  return known[t] == 1 ? nullptr : &bindings_[known[t] - 2];
}

std::vector<const TermDag::Match*> TermDag::all_matches(std::span<const DagTermId> terms) {
  std::vector<const Match*> out;
  for (DagTermId t : terms)
    for (const Match& m : matches(t)) out.push_back(&m);
  multi_matches(terms, out);
  return out;
}

void TermDag::multi_matches(std::span<const DagTermId> terms, std::vector<const Match*>& out) {
  std::vector<std::vector<const Bindings*>> found(patterns_.size());
  for (uint32_t p = 0; p < patterns_.size(); ++p)
    for (DagTermId t : terms)
      if (op(t) == patterns_[p].root().op)
        if (const Bindings* b = pattern_match(p, t)) found[p].push_back(b);
  for (const MultiRule& m : multi_) {
    const CompiledRule& rule = compiled_[m.rule];
    const auto spread = [&](const Side& s, const Bindings& b, std::vector<uint32_t>& classes,
                            std::vector<uint32_t>& attributes) {
      for (size_t i = 0; i < s.class_variable.size(); ++i) classes[s.class_variable[i]] = b.classes[i];
      for (size_t i = 0; i < s.attr_variable.size(); ++i) attributes[s.attr_variable[i]] = b.attributes[i];
    };
    std::vector<uint32_t> classes(rule.tensors, kFree), attributes(rule.matched_attributes, kFree);
    const auto key_of = [&](const Side& s, const Bindings& b) {
      spread(s, b, classes, attributes);
      uint64_t key = 0;
      for (uint32_t v : m.shared_classes) key = hash_combine(key, classes[v]);
      for (uint32_t v : m.shared_attributes) key = hash_combine(key, attributes[v]);
      return key;
    };
    using Keyed = std::pair<uint64_t, const Bindings*>;
    std::vector<Keyed> second;
    for (const Bindings* b : found[m.sides[1].pattern]) second.emplace_back(key_of(m.sides[1], *b), b);
    std::ranges::stable_sort(second, {}, &Keyed::first);
    for (const Bindings* a : found[m.sides[0].pattern]) {
      for (const auto& [key, b] :
           std::ranges::equal_range(second, key_of(m.sides[0], *a), {}, &Keyed::first)) {
        if (a->root == b->root || (m.unordered && a->root > b->root)) continue;
        const uint64_t memo_key = hash_combine(hash_combine(m.rule, a->root), b->root);
        auto [memo, fresh] = multi_memo_.try_emplace(memo_key);
        if (fresh) {
          std::vector<uint32_t> joint(rule.tensors, kFree), joint_attributes(rule.matched_attributes, kFree);
          spread(m.sides[1], *b, joint, joint_attributes);
          const auto shared_classes = joint, shared_attributes = joint_attributes;
          spread(m.sides[0], *a, joint, joint_attributes);
          const bool agree = std::ranges::all_of(m.shared_classes,
                                                 [&](uint32_t v) { return joint[v] == shared_classes[v]; }) &&
                             std::ranges::all_of(m.shared_attributes, [&](uint32_t v) {
                               return joint_attributes[v] == shared_attributes[v];
                             });
          Match match{m.rule, a->matched, {}, {a->root, b->root}, {}};
          for (DagTermId t : b->matched) insert_unique(match.matched, t);
          if (agree && instantiate(m.rule, joint, joint_attributes, match)) memo->second = std::move(match);
        }
        if (memo->second) out.push_back(&*memo->second);
      }
    }
  }
}

ir::Graph TermDag::to_graph(std::span<const DagTermId> roots) const {
  ir::Builder builder(ctx_, source_.title());
  std::unordered_map<DagTermId, ir::ValueId> made, named;
  for (ir::ValueId i : source_.inputs()) {
    const ir::ValueId v = builder.input(source_.name(i), source_.type_id(i));
    if (term_of_[i.index()] != kNoTerm) made.emplace(term_of_[i.index()], v);
  }
  for (size_t i = 0; i < source_.size(); ++i)
    if (term_of_[i] != kNoTerm) named.emplace(term_of_[i], ir::ValueId(i));
  for (DagTermId t : reachable(roots)) {
    if (made.contains(t)) continue;
    std::vector<ir::ValueId> operands;
    for (DagTermId c : children(t)) operands.push_back(made.at(c));
    const ir::ValueId v =
        builder.add_typed(ir::OpId(op(t)), ir::PayloadId(table_.payload(t)), operands, terms_[t].facts.type);
    if (const auto it = named.find(t); it != named.end() && !source_.name(it->second).empty())
      builder.set_name(v, source_.name(it->second));
    made.emplace(t, v);
  }
  std::vector<ir::ValueId> outputs;
  for (size_t i = 0; i < source_.outputs().size(); ++i) outputs.push_back(made.at(roots[i]));
  builder.donate_as(source_);
  return builder.finish(std::move(outputs));
}

}  // namespace isomer::rewrite
