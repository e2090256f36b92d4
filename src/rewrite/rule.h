// A rewrite rule over tensor programs, in the one parsed form that our rule files and TENSAT's share:
//
//   rule transpose-transpose {
//     origin "algebra";
//     (transpose{perm=?p} (transpose{perm=?q} ?x)) => (transpose{perm=compose(?q, ?p)} ?x);
//   }
//
// Several arrows are a multi-pattern rule: the left sides match in different classes and agree on shared
// variables. Class variables (tensors) and attribute variables are numbered apart. docs/rule_language.md is
// the reference.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ir/op.h"
#include "rewrite/rule_function.h"

namespace isomer::rewrite {

/// An expression over attributes and facts: literals, variables, and functions (rule_expr.h).
struct Expr {
  enum class Kind : uint8_t { kAbsent, kLiteral, kAttr, kTensor, kRoot, kCall };
  Kind kind = Kind::kAbsent;
  ir::AttrValue value;  ///< kLiteral
  uint32_t index = 0;   ///< kAttr, kTensor: number of the variable; kRoot: number of the left side
  Function function{};  ///< kCall
  std::vector<Expr> args;
};

/// A variable, or an operator over earlier nodes. `attrs` follows the operator's schema.
struct TermNode {
  bool is_variable = false;
  uint32_t variable = 0;
  ir::OpId op;
  std::vector<Expr> attrs;
  std::vector<uint32_t> children;
};

/// Children before parents, the root last.
struct Term {
  std::vector<TermNode> nodes;
};

/// How far floating-point results of the two sides can lie apart.
enum class Stability : uint8_t {
  kExact,         ///< the same operations on the same numbers
  kReassociates,  ///< sums or products in another order
  kUnstable,      ///< can overflow or cancel; off unless asked for
};

struct Rule {
  std::string name;
  std::string origin;
  std::string aim;  ///< what it achieves, for people: "moves of data are merged"; empty: not said
  std::string file;
  int line = 0;
  std::vector<std::string> tensors;     ///< names of class variables
  std::vector<std::string> attributes;  ///< names of attribute variables, those of `lets` last
  std::vector<Term> left;
  std::vector<Term> right;  ///< as many as left sides
  struct Let {
    uint32_t attribute;
    Expr value;
  };
  std::vector<Let> lets;
  std::vector<Expr> conditions;
  std::vector<Expr> finite_conditions;  ///< asked under FloatPromise::kFinite alone
  std::vector<ir::DType> dtypes;        ///< of the first root; empty: any
  Stability stability = Stability::kReassociates;
  /// Multi-pattern rules whose left sides are the same pattern: pairs are unordered, since the rule is
  /// symmetric.
  bool symmetric = true;

  bool is_multi() const { return left.size() > 1; }
};

struct RuleSet {
  std::vector<Rule> rules;

  void append(RuleSet more);
  /// nullptr when there is none of that name.
  const Rule* find(const std::string& name) const;
  /// UsageError, with the names that are near, when there is none of that name.
  void require(const std::string& name) const;
  /// Takes rules out, by name; UsageError when there is none of that name.
  void disable(const std::string& name);
};

}  // namespace isomer::rewrite
