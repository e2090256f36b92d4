// The symbol language: operators are names, there are no payloads, literals and integers are operators
// without children. Other people's terms and rules run on the engine this way, and the engine is tested
// without tensors.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "egraph/pattern.h"
#include "egraph/rule_plan.h"
#include "egraph/run.h"

namespace isomer::egraph {

class SymbolTable {
 public:
  uint32_t intern(std::string_view name);
  const std::string& name(uint32_t op) const { return names_[op]; }
  size_t size() const { return names_.size(); }

 private:
  std::deque<std::string> names_;
  std::unordered_map<std::string_view, uint32_t> index_;
};

/// "(ewadd ?x (relu ?y))", "?x", "0". Variables are numbered through `variables` (name without ?), which
/// several patterns of one rule share. InputError with file, line and column.
Pattern parse_pattern(std::string_view text, SymbolTable& symbols, std::vector<std::string>& variables,
                      const std::string& file = "", int line = 1);

/// "LEFT=>RIGHT" or "LEFT<=>RIGHT" (which gives two). Every variable of a right side must be in its left
/// side.
std::vector<Rewrite> parse_rule(std::string_view text, SymbolTable& symbols, const std::string& file = "",
                                int line = 1);

/// One rule a line; empty lines and lines that begin with ; or # are skipped. Rules are named by line number.
std::vector<Rewrite> parse_rules(std::string_view text, SymbolTable& symbols, const std::string& file = "");

/// A pattern without variables, as a term.
template <class A>
ClassId add_term(EGraph<A>& g, const Pattern& term) {
  return g.find(as_class(add_pattern(g, term, Subst{}, nullptr)));
}

/// TENSAT's .dag format: one node a line, children before parents, "op child child ..." with 0-based line
/// numbers.
struct DagNode {
  uint32_t op;
  std::vector<uint32_t> children;
};
std::vector<DagNode> parse_dag(std::string_view text, SymbolTable& symbols, const std::string& file = "");

/// Adds all lines; returns the class of the last one.
template <class A>
ClassId add_dag(EGraph<A>& g, const std::vector<DagNode>& dag) {
  std::vector<ClassId> made;
  for (const DagNode& node : dag) {
    std::vector<ClassId> children;
    for (uint32_t c : node.children) children.push_back(made[c]);
    made.push_back(g.add(node.op, 0, children));
  }
  return made.back();
}

}  // namespace isomer::egraph
