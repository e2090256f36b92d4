// Evaluation of the expressions in rules: conditions, `let`, and computed attributes of right sides.
//
//   constant(x) rank(x) shape(x) dim(x,i) dtype(x) elements(x) splat(x) same_shape(x,y) same_type(x,y)
//   compose(p,q) inverse(p) is_identity(p) is_permutation(p) iota(n)
//   length(l) at(l,i) slice(l,from,to) join(l,m) replace(l,i,v) product(l) [a, b, ...]
//   sum(l) contains(l,v) min(i,j) max(i,j) integer(v): v, if it is whole
//   keeps_order(s,p): permutation p moves only dimensions of size 1 of shape s
//   near(v,w): v is w to one part in a million, as constants are that were rounded to float32
//   clamp(i,n): i, counted from the end if negative, held within 0 and n
//   same_axis(s,i,t): the axis of shape t that axis i of shape s becomes under a reshape from s to t
//   positive(x): no element is zero or below, as far as ranges are followed (a `finite` clause)
//   scalar(v,x): the number of a rank-0 constant of value v and x's dtype, for constant{id=...}
//   marks(l,n): n numbers, 1 at the places that l lists, else 0; places(l): where l is not 0, ascending
//   vector(l): the number of a constant of these integers; lowest(x), highest(x): of x's element type,
//   infinities of floats
//   + - * / % min max, comparisons with a list: at every element (rule_lists.h); at(l,m) of a list m: all of
//   these
//   + - * / % (integers, / exact or failing; floats), == != < <= > >=, && || !, absent(?a)
//
// compose(p,q) is the permutation that transposes by p first, then by q. Anything that has no value (an
// unknown dimension, an index out of range, a division with a remainder) makes the rule not apply.
#pragma once

#include <functional>
#include <optional>
#include <span>

#include "ir/context.h"
#include "rewrite/rule.h"

namespace isomer::rewrite {

/// What is known of a tensor where a rule is applied.
struct TensorFacts {
  ir::TypeId type;
  ir::AttrId splat;        ///< the one value of all elements (a float attribute), if known
  bool is_weight = false;  ///< computed from constants and weights alone
  ir::AttrId range{};      ///< of its floats (float_range.h), where these are followed

  bool operator==(const TensorFacts&) const = default;
};

struct ExprScope {
  ir::Context& ctx;
  std::span<const ir::AttrId> attributes;  ///< by attribute variable
  std::span<const TensorFacts> tensors;    ///< by class variable
  std::span<const TensorFacts> roots;      ///< of the left sides
};

/// nullopt: no value. Truth is an integer that is not 0.
std::optional<ir::AttrValue> evaluate(const Expr& expr, const ExprScope& scope);
bool holds(const Expr& condition, const ExprScope& scope);

}  // namespace isomer::rewrite
