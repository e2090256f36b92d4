#include "mugraph/subexpression.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "egraph/run.h"
#include "egraph/symbols.h"

namespace isomer::mugraph {
namespace {

using egraph::ClassId;
using egraph::NodeId;

constexpr int64_t kUnknown = -2, kAbsent = -1;

/// A_eq, by its numbers in the reference; 1 and 2 for sums and products.
constexpr const char* kAxioms = R"(
(add ?x ?y)=>(add ?y ?x)
(mul ?x ?y)=>(mul ?y ?x)
(add (add ?x ?y) ?z)<=>(add ?x (add ?y ?z))
(mul (mul ?x ?y) ?z)<=>(mul ?x (mul ?y ?z))
(add (mul ?x ?z) (mul ?y ?z))<=>(mul (add ?x ?y) ?z)
(add (div ?x ?z) (div ?y ?z))<=>(div (add ?x ?y) ?z)
(mul ?x (div ?y ?z))<=>(div (mul ?x ?y) ?z)
(div (div ?x ?y) ?z)<=>(div ?x (mul ?y ?z))
(sum ?i (sum ?j ?x))=>(sum ?j (sum ?i ?x))
(sum ?i (add ?x ?y))<=>(add (sum ?i ?x) (sum ?i ?y))
(sum ?i (mul ?x ?y))<=>(mul (sum ?i ?x) ?y)
(sum ?i (div ?x ?y))<=>(div (sum ?i ?x) ?y)
(mul (exp ?x) (exp ?y))<=>(exp (add ?x ?y))
(mul (sqrt ?x) (sqrt ?y))<=>(sqrt (mul ?x ?y))
)";

/// How the axioms write it.
std::string_view symbol_of(std::string_view of_term) {
  if (of_term == "+") return "add";
  if (of_term == "*") return "mul";
  if (of_term == "/") return "div";
  return of_term;
}

std::string degree_name(int64_t degree) { return fmt::format("n{}", degree); }

void collect_degrees(const Terms& terms, TermId id, std::set<TermId>& seen, std::set<int64_t>& degrees) {
  if (!seen.insert(id).second) return;
  const Term t = terms.get(id);
  if (t.is_sum()) degrees.insert(t.degree);
  for (TermId c : t.children) collect_degrees(terms, c, seen, degrees);
}

/// sum(p m, x) = sum(p, sum(m, x)) for the divisors of the product of all degrees and the factor.
std::string factorisations(const std::set<int64_t>& degrees, int64_t factor) {
  int64_t all = factor;
  for (int64_t d : degrees)
    if (all < (int64_t{1} << 40) / d) all *= d;
  std::vector<int64_t> primes, divisors;
  int64_t rest = all;
  for (int64_t p = 2; p * p <= rest; ++p)
    while (rest % p == 0) {
      if (primes.empty() || primes.back() != p) primes.push_back(p);
      rest /= p;
    }
  if (rest > 1 && (primes.empty() || primes.back() != rest)) primes.push_back(rest);
  divisors = {1};
  for (int64_t p : primes) {
    const size_t before = divisors.size();
    for (int64_t power = p; all % power == 0; power *= p)
      for (size_t i = 0; i < before; ++i) divisors.push_back(divisors[i] * power);
  }
  std::string out;
  for (int64_t p : primes)
    for (int64_t m : divisors)
      if (m > 1 && all % (p * m) == 0)
        out += fmt::format("(sum {} ?x)<=>(sum {} (sum {} ?x))\n", degree_name(p * m), degree_name(p),
                           degree_name(m));
  return out;
}

}  // namespace

struct SubexpressionOracle::State {
  egraph::NoAnalysis none;
  egraph::EGraph<egraph::NoAnalysis> graph{none};
  egraph::SymbolTable symbols;
  std::map<std::string, uint32_t, std::less<>> known_symbols;  // once saturated
  std::vector<ClassId> targets;
  bool saturated = false;

  NodeId lookup(std::string_view symbol, std::span<const ClassId> children) const {
    const auto op = known_symbols.find(symbol);
    return op == known_symbols.end() ? NodeId() : graph.lookup(op->second, 0, children);
  }

  ClassId insert(const Terms& terms, TermId id) {
    const Term t = terms.get(id);
    std::vector<ClassId> children;
    if (t.is_sum()) children.push_back(graph.add(symbols.intern(degree_name(t.degree)), 0, {}));
    for (TermId c : t.children) children.push_back(insert(terms, c));
    return graph.add(symbols.intern(symbol_of(t.symbol)), 0, children);
  }
};

SubexpressionOracle::SubexpressionOracle(const Terms& terms, std::span<const TermId> targets,
                                         size_t node_limit, int64_t factor)
    : terms_(terms) {
  const auto state = std::make_shared<State>();
  state_ = state;
  std::set<TermId> seen;
  std::set<int64_t> degrees;
  for (TermId t : targets) {
    state->targets.push_back(state->insert(terms, t));
    collect_degrees(terms, t, seen, degrees);
  }
  const auto rules = egraph::parse_rules(kAxioms + factorisations(degrees, factor), state->symbols);
  egraph::RunOptions options;
  options.limits.nodes = node_limit;
  const egraph::RunReport report = egraph::run(state->graph, rules, options);
  state->saturated = report.stop_reason == StopReason::kSaturated;
  for (uint32_t op = 0; op < state->symbols.size(); ++op)
    state->known_symbols.emplace(state->symbols.name(op), op);
}

SubexpressionOracle::~SubexpressionOracle() = default;

int64_t SubexpressionOracle::class_of(TermId term) {
  ++queries_;
  if (known_.size() < terms_.size()) known_.resize(terms_.size(), kUnknown);
  if (known_[term] != kUnknown) return known_[term];
  const Term t = terms_.get(term);
  std::vector<ClassId> children;
  int64_t found = kAbsent;
  bool all = true;
  if (t.is_sum()) {
    const NodeId degree = state_->lookup(degree_name(t.degree), {});
    all = degree.valid();
    if (all) children.push_back(state_->graph.class_of(degree));
  }
  for (size_t i = 0; i < t.children.size() && all; ++i) {
    const int64_t c = class_of(t.children[i]);
    all = c != kAbsent;
    if (all) children.emplace_back(static_cast<uint32_t>(c));
  }
  if (all) {
    const NodeId node = state_->lookup(symbol_of(t.symbol), children);
    if (node.valid()) found = state_->graph.class_of(node).v;
  }
  return known_[term] = found;
}

bool SubexpressionOracle::may_occur(TermId term) { return class_of(term) != kAbsent; }

bool SubexpressionOracle::equals_target(TermId term, size_t target) {
  return class_of(term) == target_class(target);
}

int64_t SubexpressionOracle::target_class(size_t target) const {
  return state_->graph.find(state_->targets[target]).v;
}

std::optional<uint32_t> SubexpressionOracle::symbol(std::string_view of_term) const {
  const auto op = state_->known_symbols.find(symbol_of(of_term));
  if (op == state_->known_symbols.end()) return std::nullopt;
  return op->second;
}

std::vector<ENode> SubexpressionOracle::nodes() const {
  const auto& graph = state_->graph;
  std::vector<ENode> out;
  for (uint32_t op = 0; op < state_->symbols.size(); ++op) {
    const std::string& name = state_->symbols.name(op);
    if (name.starts_with("n") && name.find_first_not_of("0123456789", 1) == std::string::npos) continue;
    for (const NodeId n : graph.nodes_with_op(op)) {
      const auto children = graph.children(n);
      ENode node{graph.class_of(n).v, op, {}, 0, name == kSum, name.starts_with("#")};
      for (size_t c = node.sum ? 1 : 0; c < children.size(); ++c)
        node.children.at(static_cast<size_t>(node.count++)) = graph.find(children[c]).v;
      out.push_back(node);
    }
  }
  return out;
}

bool SubexpressionOracle::has_symbol(std::string_view symbol) const {
  const auto op = state_->known_symbols.find(symbol_of(symbol));
  return op != state_->known_symbols.end() && !state_->graph.nodes_with_op(op->second).empty();
}

bool SubexpressionOracle::saturated() const { return state_->saturated; }
size_t SubexpressionOracle::e_nodes() const { return state_->graph.live_nodes(); }

}  // namespace isomer::mugraph
