#include "rewrite/rule_expr.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "ir/constant_data.h"
#include "ir/size_case.h"
#include "ir/size_formula.h"
#include "ir/size_sums.h"
#include "rewrite/float_range.h"
#include "rewrite/rule_lists.h"
#include "rewrite/rule_values.h"

namespace isomer::rewrite {
namespace {

using ir::Size;

bool is_permutation(const Ints& p) {
  std::vector<bool> seen(p.size());
  for (int64_t i : p) {
    if (i < 0 || i >= static_cast<int64_t>(p.size()) || seen[static_cast<size_t>(i)]) return false;
    seen[static_cast<size_t>(i)] = true;
  }
  return true;
}

Value arithmetic(const ir::Context& ctx, Function op, const Value& a, const Value& b) {
  const auto x = as_int(a);
  const auto y = as_int(b);
  if (x && y) return of_integer(integer_arithmetic(op, *x, *y));
  if (const auto lists = list_arithmetic(op, a, b)) return *lists;
  const auto u = as_float(a);
  const auto v = as_float(b);
  if (!u || !v) {
    const auto p = as_size(ctx, a), q = as_size(ctx, b);
    return p && q ? from_size(size_arithmetic(op, *p, *q)) : Value();
  }
  switch (op) {
    case Function::kPlus: return ir::AttrValue(*u + *v);
    case Function::kMinus: return ir::AttrValue(*u - *v);
    case Function::kTimes: return ir::AttrValue(*u * *v);
    case Function::kOver: return *v == 0 ? Value() : ir::AttrValue(*u / *v);
    default: return std::nullopt;
  }
}

std::optional<bool> equal(const ir::Context& ctx, const Value& a, const Value& b) {
  if (!a || !b) return std::nullopt;
  if (const auto x = as_float(a), y = as_float(b); x && y) return *x == *y;
  const auto list = as_list(a), other = as_list(b);
  if (list && other) return equal_shapes(ctx, *list, *other);
  if (list || other) return std::nullopt;  // of numbers no list is one, of names one may be written so
  if (const auto x = as_size(ctx, a), y = as_size(ctx, b); x && y) {
    const auto apart = sum(*x, *y, -1);
    return apart ? ir::SizeFacts().decide(*apart, ir::kZero) : std::nullopt;
  }
  // A named size may be the number that a float is.
  if ((as_float(a) && as_size(ctx, b)) || (as_size(ctx, a) && as_float(b))) return std::nullopt;
  const auto *x = std::get_if<ir::AttrValue>(&*a), *y = std::get_if<ir::AttrValue>(&*b);
  return x != nullptr && y != nullptr && x->index() == y->index() && ir::identical(*x, *y);
}

Value bound(const ir::Context& ctx, Function f, const Value& a, const Value& b) {
  if (const auto x = as_float(a), y = as_float(b); x && y) return truth(compares(f, *x, *y));
  const auto x = as_size(ctx, a), y = as_size(ctx, b);
  if (!x || !y) return std::nullopt;
  const ir::Signs which = f == Function::kLess      ? ir::kNegative
                          : f == Function::kAtMost  ? ir::kNegative | ir::kZero
                          : f == Function::kGreater ? ir::kPositive
                                                    : ir::kNotNegative;
  return truth_of_signs(sum(*x, *y, -1), which);
}

class Evaluator {
 public:
  explicit Evaluator(const ExprScope& scope) : scope_(scope) {}

  Value run(const Expr& e) {
    switch (e.kind) {
      case Expr::Kind::kLiteral: return e.value;
      case Expr::Kind::kAttr: {
        const ir::AttrId id = scope_.attributes[e.index];
        return id.valid() ? Value(scope_.ctx.get(id)) : std::nullopt;
      }
      case Expr::Kind::kCall: return call(e);
      default: return std::nullopt;
    }
  }

 private:
  const TensorFacts* facts(const Expr& e) const {
    if (e.kind == Expr::Kind::kTensor) return &scope_.tensors[e.index];
    if (e.kind == Expr::Kind::kRoot) return &scope_.roots[e.index];
    return nullptr;
  }
  const ir::Type* ranked(const Expr& e) const {
    const TensorFacts* f = facts(e);
    if (!f || !f->type.valid()) return nullptr;
    const ir::Type& type = scope_.ctx.get(f->type);
    return type.is_ranked_tensor() ? &type : nullptr;
  }

  Value call(const Expr& e) {
    const Function f = e.function;
    if (f == Function::kAnd || f == Function::kOr) return joined(f, e);
    if (f == Function::kNot) {
      const auto holds = truth_of(e.args[0]);
      return holds ? truth(!*holds) : Value();
    }
    if (f == Function::kAbsent)
      return truth(e.args[0].kind == Expr::Kind::kAttr && !scope_.attributes[e.args[0].index].valid());
    if (!e.args.empty() && facts(e.args[0])) return of_tensor(e);
    if (f == Function::kList) return list(e);
    if (f == Function::kScalar) return scalar(e);
    if (f == Function::kVector) return vector(e);
    std::vector<Value> args;
    for (const Expr& a : e.args) {
      args.push_back(run(a));
      if (!args.back()) return std::nullopt;
    }
    if (f >= Function::kPlus && f <= Function::kRest) return arithmetic(scope_.ctx, f, args[0], args[1]);
    if (f >= Function::kEqual && f <= Function::kAtLeast)
      if (const auto lists = list_comparison(f, args[0], args[1])) return *lists;
    if (f == Function::kEqual || f == Function::kUnequal) {
      const auto same = equal(scope_.ctx, args[0], args[1]);
      return same ? truth(*same == (f == Function::kEqual)) : Value();
    }
    if (row(f).bound) return bound(scope_.ctx, f, args[0], args[1]);
    return of_lists(f, args);
  }

  /// Nothing where it has no value; what is no number is not true and not false.
  std::optional<bool> truth_of(const Expr& e) {
    const auto v = as_int(run(e));
    return v ? std::optional(*v != 0) : std::nullopt;
  }
  /// One side that decides is enough (Kleene's three values): the other may have no value.
  Value joined(Function f, const Expr& e) {
    const bool deciding = f == Function::kOr;
    const auto first = truth_of(e.args[0]);
    if (first == deciding) return truth(deciding);
    const auto second = truth_of(e.args[1]);
    if (second == deciding) return truth(deciding);
    return first && second ? truth(!deciding) : Value();
  }

  Value of_tensor(const Expr& e) {
    const Function f = e.function;
    const TensorFacts& x = *facts(e.args[0]);
    if (f == Function::kConstant) return truth(x.is_weight);
    if (f == Function::kPositive) return truth(range_at(scope_.ctx, x.range).low > 0);
    if (f == Function::kSplat) return x.splat.valid() ? Value(scope_.ctx.get(x.splat)) : std::nullopt;
    if (f == Function::kSameType) {
      const TensorFacts* y = facts(e.args[1]);
      if (y && x.type != y->type && ranked(e.args[0]) && ranked(e.args[1])) return different_types(e);
      return y ? truth(x.type == y->type) : Value();
    }
    const ir::Type* type = ranked(e.args[0]);
    if (!type) return std::nullopt;
    if (f == Function::kRank) return ir::AttrValue(static_cast<int64_t>(type->shape.size()));
    if (f == Function::kLowest || f == Function::kHighest) {
      const auto extreme = extreme_of(type->dtype, f == Function::kHighest);
      return extreme ? Value(ir::AttrValue(*extreme)) : std::nullopt;
    }
    if (f == Function::kDtype) return ir::AttrValue(static_cast<int64_t>(type->dtype));
    if (f == Function::kShape) {
      for (ir::Dim d : type->shape)
        if (d.is_unknown()) return std::nullopt;
      return from_list(type->shape);
    }
    if (f == Function::kElements) return from_size(count_of(scope_.ctx, type->shape));
    if (f == Function::kDim) {
      const auto i = as_int(run(e.args[1]));
      const auto rank = static_cast<int64_t>(type->shape.size());
      if (!i || *i < -rank || *i >= rank) return std::nullopt;
      return from_dim(scope_.ctx, type->shape[static_cast<size_t>(*i < 0 ? *i + rank : *i)]);
    }
    return f == Function::kSameShape ? same_shape(e) : std::nullopt;
  }

  Value different_types(const Expr& e) {
    const Value same = same_shape(e);
    return as_int(same) == 1 ? truth(false) : same;  // where all is the same, layouts differ
  }
  Value same_shape(const Expr& e) {
    const ir::Type *a = ranked(e.args[0]), *b = ranked(e.args[1]);
    if (a == nullptr || b == nullptr) return std::nullopt;
    if (a->dtype != b->dtype) return truth(false);
    return truth(equal_shapes(scope_.ctx, a->shape, b->shape));
  }

  Value list(const Expr& e) {
    ir::Shape out;
    for (const Expr& a : e.args) {
      const Value v = run(a);
      if (const auto i = as_int(v); i && *i < 0) return negative_list(e);
      const auto d = as_one(v);
      if (!d) return std::nullopt;
      out.push_back(*d);
    }
    return from_list(std::move(out));
  }

  /// What stands in a list: a size, or a list of one, which is not put into another.
  std::optional<ir::Dim> as_one(const Value& v) const {
    const auto list = as_list(v);
    if (list) return list->size() == 1 ? std::optional((*list)[0]) : std::nullopt;
    return as_dim(scope_.ctx, v);
  }

  Value negative_list(const Expr& e) {
    Ints out;
    for (const Expr& a : e.args) {
      const auto i = as_int(run(a));
      if (!i) return std::nullopt;
      out.push_back(*i);
    }
    return ir::AttrValue(out);
  }

  Value scalar(const Expr& e) {
    const auto v = as_float(run(e.args[0]));
    const TensorFacts* x = facts(e.args[1]);
    if (!v || !x || !x->type.valid() || !scope_.ctx.get(x->type).is_tensor()) return std::nullopt;
    const ir::ConstantId id =
        ir::add_constant(scope_.ctx, scope_.ctx.get(x->type).dtype, {}, std::vector<double>{*v});
    return ir::AttrValue(static_cast<int64_t>(id.v));
  }

  /// The constant of such integers, for constant{id=...}.
  Value vector(const Expr& e) {
    const auto list = as_ints(run(e.args[0]));
    if (!list) return std::nullopt;
    const ir::ConstantId id =
        ir::add_constant(scope_.ctx, ir::DType::kI64, {static_cast<int64_t>(list->size())}, *list);
    return ir::AttrValue(static_cast<int64_t>(id.v));
  }

  /// What lists of integers, which may be negative, can do and shapes cannot; nullopt: not one of these.
  std::optional<Value> of_integers(Function f, const Ints& l, const std::vector<Value>& args) {
    const auto size = static_cast<int64_t>(l.size());
    if (f == Function::kSum) return Value(ir::AttrValue(std::accumulate(l.begin(), l.end(), int64_t{0})));
    if (f == Function::kContains) {
      const auto v = as_int(args[1]);
      return v ? truth(std::ranges::find(l, *v) != l.end()) : Value();
    }
    if (std::ranges::all_of(l, [](int64_t e) { return e >= 0; })) return std::nullopt;
    if (f == Function::kLength) return Value(ir::AttrValue(size));
    const int64_t i = args.size() > 1 ? as_int(args[1]).value_or(size) : size;
    const int64_t from = i < 0 ? i + size : i;
    if (f == Function::kAt)
      return from < 0 || from >= size ? Value() : Value(ir::AttrValue(l[static_cast<size_t>(from)]));
    if (f == Function::kSlice) {
      const int64_t j = as_int(args[2]).value_or(-1 - size);
      const int64_t to = j < 0 ? j + size : j;
      if (from < 0 || to > size || from > to) return Value();
      return Value(ir::AttrValue(Ints(l.begin() + from, l.begin() + to)));
    }
    return std::nullopt;
  }

  /// The axis of `to` that has the elements of axis `i` of `from`: as many before it, and of its size.
  static Value same_axis(const ir::Context& ctx, const std::vector<Value>& args) {
    const auto from = as_list(args[0]), to = as_list(args[2]);
    const auto i = as_int(args[1]);
    if (!from || !to || !i || *i < 0 || *i >= static_cast<int64_t>(from->size())) return std::nullopt;
    const auto wanted = count_of(ctx, ir::Shape(from->begin(), from->begin() + *i));
    if (!wanted || (wanted->is_number() && wanted->number() == 0)) return std::nullopt;
    std::optional<Size> places = 1;
    for (size_t k = 0; k < to->size() && places; ++k) {
      const ir::Dim d = (*to)[k];
      if (d.same((*from)[static_cast<size_t>(*i)]) && places->identical(*wanted))
        return ir::AttrValue(static_cast<int64_t>(k));
      places = d.is_unknown() ? std::nullopt : product(*places, size_of(ctx, d));
    }
    return std::nullopt;
  }

  /// Whether a permutation leaves the dimensions of a shape that are not 1 in their order. One that is named
  /// may be 1: where that decides there is no answer.
  static Value keeps_order(const std::vector<Value>& args) {
    const auto shape = as_list(args[0]);
    const auto perm = as_ints(args[1]);
    if (!shape || !perm || perm->size() != shape->size() || !is_permutation(*perm)) return std::nullopt;
    int64_t last = -1, last_fixed = -1;
    bool kept = true;
    for (int64_t axis : *perm) {
      const ir::Dim d = (*shape)[static_cast<size_t>(axis)];
      if (d == ir::Dim(1)) continue;
      if (d.is_static() && axis < last_fixed) return truth(false);
      kept = kept && axis > last;
      last = std::max(last, axis);
      if (d.is_static()) last_fixed = std::max(last_fixed, axis);
    }
    return kept ? truth(true) : Value();
  }

  static Value of_permutations(Function f, const std::vector<Value>& args) {
    const auto p = as_ints(args[0]);
    if (!p) return std::nullopt;
    if (f == Function::kIsPermutation) return truth(is_permutation(*p));
    if (!is_permutation(*p)) return std::nullopt;
    Ints out(p->size());
    if (f == Function::kIsIdentity) {
      std::iota(out.begin(), out.end(), 0);
      return truth(out == *p);
    }
    if (f == Function::kInverse) {
      for (size_t i = 0; i < p->size(); ++i) out[static_cast<size_t>((*p)[i])] = static_cast<int64_t>(i);
      return ir::AttrValue(out);
    }
    const auto q = as_ints(args[1]);
    if (!q || q->size() != p->size() || !is_permutation(*q)) return std::nullopt;
    for (size_t i = 0; i < q->size(); ++i) out[i] = (*p)[static_cast<size_t>((*q)[i])];
    return ir::AttrValue(out);
  }

  /// Functions of numbers; nothing for others.
  std::optional<Value> of_numbers(Function f, const std::vector<Value>& args) {
    if (f == Function::kIota) {
      const auto n = as_int(args[0]);
      if (!n || *n < 0 || *n > 64) return Value();
      Ints out(static_cast<size_t>(*n));
      std::iota(out.begin(), out.end(), 0);
      return ir::AttrValue(out);
    }
    if (f == Function::kNear) {
      const auto x = as_float(args[0]), y = as_float(args[1]);
      if (!x || !y) return Value();
      return truth(are_near(*x, *y));
    }
    if (f == Function::kInteger) {
      if (!as_float(args[0]) && as_size(scope_.ctx, args[0])) return args[0];
      const auto v = as_float(args[0]);
      if (!v || std::abs(*v) > 1e15 || *v != std::floor(*v)) return Value();
      return ir::AttrValue(static_cast<int64_t>(*v));
    }
    if (f == Function::kMin || f == Function::kMax) {
      if (const auto x = as_int(args[0]), y = as_int(args[1]); x && y)
        return of_integer(integer_arithmetic(f, *x, *y));
      if (auto lists = list_arithmetic(f, args[0], args[1])) return lists;
      const auto x = as_float(args[0]), y = as_float(args[1]);
      if (!x || !y) return Value(extreme(f, as_size(scope_.ctx, args[0]), as_size(scope_.ctx, args[1])));
      if (std::isnan(*x) || std::isnan(*y)) return Value();
      return ir::AttrValue(f == Function::kMin ? std::min(*x, *y) : std::max(*x, *y));
    }
    if (f == Function::kClamp) {
      const auto i = as_int(args[0]), n = as_int(args[1]);
      if (i && !n) return Value(clamped(*i, as_size(scope_.ctx, args[1])));
      if (!i || !n || *n < 0) return Value();
      return ir::AttrValue(std::clamp(*i < 0 ? *i + *n : *i, int64_t{0}, *n));
    }
    return std::nullopt;
  }

  Value extreme(Function f, const std::optional<Size>& x, const std::optional<Size>& y) {
    if (!x || !y) return std::nullopt;
    return from_size(f == Function::kMin ? smaller(*x, *y) : larger(*x, *y));
  }
  Value clamped(int64_t i, const std::optional<Size>& n) {
    const auto at = n && i < 0 ? sum(*n, i) : std::optional<Size>(i);
    if (!n || !at || ir::SizeFacts().decide(*n, ir::kNegative) != false) return std::nullopt;
    return i < 0 ? extreme(Function::kMax, at, Size(0)) : extreme(Function::kMin, at, n);
  }

  Value of_lists(Function f, const std::vector<Value>& args) {
    if (f == Function::kCompose || f == Function::kInverse || f == Function::kIsIdentity ||
        f == Function::kIsPermutation)
      return of_permutations(f, args);
    if (f == Function::kSameAxis) return same_axis(scope_.ctx, args);
    if (f == Function::kKeepsOrder) return keeps_order(args);
    if (const auto v = of_numbers(f, args)) return *v;
    if (const auto v = of_number_lists(f, args)) return *v;
    if (const auto* ints = held_as<Ints>(args[0]))
      if (const auto v = of_integers(f, *ints, args)) return *v;
    const auto l = as_list(args[0]);
    if (!l) return std::nullopt;
    if (f == Function::kLength) return ir::AttrValue(static_cast<int64_t>(l->size()));
    if (const auto v = f == Function::kContains && ir::is_static(*l) ? as_int(args[1]) : std::nullopt)
      return truth(std::ranges::any_of(*l, [&](ir::Dim d) { return d.size() == *v; }));
    if (f == Function::kProduct) return from_size(count_of(scope_.ctx, *l));
    if (f == Function::kSum) {
      std::optional<Size> out = 0;
      for (ir::Dim d : *l)
        if (out) out = sum(*out, size_of(scope_.ctx, d));
      return from_size(out);
    }
    if (f == Function::kJoin) {
      const auto m = as_list(args[1]);
      if (!m || l->size() + m->size() > kLongestList) return std::nullopt;
      ir::Shape out = *l;
      out.insert(out.end(), m->begin(), m->end());
      return from_list(std::move(out));
    }
    return at_a_place(f, *l, args);
  }

  /// at, slice, replace: the second argument is a place, from the end if it is below 0.
  Value at_a_place(Function f, const ir::Shape& l, const std::vector<Value>& args) {
    const auto size = static_cast<int64_t>(l.size());
    const auto i = args.size() > 1 ? as_int(args[1]) : std::nullopt;
    if (!i) return std::nullopt;
    const int64_t from = *i < 0 ? *i + size : *i;
    if (f == Function::kAt)
      return from < 0 || from >= size ? Value() : from_dim(scope_.ctx, l[static_cast<size_t>(from)]);
    if (f == Function::kSlice) {
      const auto j = as_int(args[2]);
      if (!j) return std::nullopt;
      const int64_t to = *j < 0 ? *j + size : *j;
      if (from < 0 || to > size || from > to) return std::nullopt;
      return from_list(ir::Shape(l.begin() + from, l.begin() + to));
    }
    if (f != Function::kReplace || from < 0 || from >= size) return std::nullopt;
    ir::Shape out = l;
    const auto d = as_one(args[2]);
    if (!d) return std::nullopt;
    out[static_cast<size_t>(from)] = *d;
    return from_list(std::move(out));
  }

  const ExprScope& scope_;
};

}  // namespace

std::optional<ir::AttrValue> evaluate(const Expr& expr, const ExprScope& scope) {
  const Value v = Evaluator(scope).run(expr);
  if (const auto* attr = v ? std::get_if<ir::AttrValue>(&*v) : nullptr) return *attr;
  const auto dim = as_dim(scope.ctx, v);
  return dim ? std::optional(ir::AttrValue(ir::Shape{*dim})) : std::nullopt;
}

bool holds(const Expr& condition, const ExprScope& scope) {
  return as_int(Evaluator(scope).run(condition)).value_or(0) != 0;
}

}  // namespace isomer::rewrite
