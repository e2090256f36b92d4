#include "rewrite/rule_definitions.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "rewrite/rule_mutation.h"

namespace isomer::rewrite {
namespace {

constexpr double kBounds = 0.1;                        // of them are taken for equations
constexpr double kChoices = 0.6;                       // of them are made
constexpr int64_t kLargestProduct = int64_t{1} << 12;  // that is taken apart

bool is_call(const Expr& e, Function function) {
  return e.kind == Expr::Kind::kCall && e.function == function;
}

/// Whether a tensor or an attribute stands in both.
bool shares_a_variable(const Expr& a, const Expr& b) {
  if (a.kind == Expr::Kind::kAttr || a.kind == Expr::Kind::kTensor) {
    if (a.kind == b.kind && a.index == b.index) return true;
    return std::ranges::any_of(b.args, [&](const Expr& arg) { return shares_a_variable(a, arg); });
  }
  return std::ranges::any_of(a.args, [&](const Expr& arg) { return shares_a_variable(arg, b); });
}

std::optional<double> number_of(const ir::AttrValue& value) {
  if (const auto* whole = std::get_if<int64_t>(&value)) return static_cast<double>(*whole);
  if (const auto* real = std::get_if<double>(&value)) return *real;
  return std::nullopt;
}

class Definitions {
 public:
  Definitions(ir::Context& ctx, const CompiledRule& rule, const RuleRelations& relations, Rng& rng,
              Instance& instance)
      : ctx_(ctx), rule_(rule), relations_(relations), rng_(rng), instance_(instance) {}

  void read(const Expr& condition) {
    if (condition.kind != Expr::Kind::kCall) return;
    if (condition.function == Function::kAnd)
      for (const Expr& part : condition.args) read(part);
    if (condition.function == Function::kOr && rng_.chance(kChoices)) {
      std::vector<const Expr*> choices;
      add_choices(condition, choices);
      read(*choices[rng_.below(choices.size())]);
    }
    if (condition.function != Function::kEqual && !(row(condition.function).bound && rng_.chance(kBounds)))
      return;
    const size_t first = rng_.below(2);  // what is defined first may be what was just changed
    defined_by(condition.args[first], condition.args[1 - first]);
    defined_by(condition.args[1 - first], condition.args[first]);
  }

 private:
  /// What is joined by "or", each as likely as the next however they are nested.
  static void add_choices(const Expr& e, std::vector<const Expr*>& out) {
    if (!is_call(e, Function::kOr)) return out.push_back(&e);
    for (const Expr& part : e.args) add_choices(part, out);
  }

  void defined_by(const Expr& what, const Expr& by) {
    if (shares_a_variable(what, by)) return;
    if (const auto value = value_of(by)) set(what, *value);
  }

  std::optional<ir::AttrValue> value_of(const Expr& e) const {
    return evaluate(e, {ctx_, instance_.attributes, instance_.tensors, instance_.roots});
  }

  /// Where `what` is one number, or a whole attribute, or made of such.
  void set(const Expr& what, const ir::AttrValue& value) {
    if (what.kind == Expr::Kind::kAttr && what.index < rule_.matched_attributes) {
      ir::AttrId& id = instance_.attributes[what.index];
      if (id.valid() && ctx_.get(id).index() == value.index()) id = ctx_.intern(value);
    }
    if (what.kind != Expr::Kind::kCall) return;
    if (is_call(what, Function::kSplat)) return set_splat(what, value);
    const auto* number = std::get_if<int64_t>(&value);
    if (number == nullptr) return;
    if (what.args.size() == 2 && what.args[1].kind == Expr::Kind::kLiteral) {
      const auto* axis = std::get_if<int64_t>(&what.args[1].value);
      if (axis != nullptr && *axis >= 0 &&
          (what.function == Function::kDim || what.function == Function::kAt))
        return set_place(what, static_cast<size_t>(*axis), *number);
    }
    if (is_call(what, Function::kElements) && what.args[0].kind == Expr::Kind::kTensor)
      return set_elements(instance_.tensors[what.args[0].index], *number);
    if (what.args.size() != 2) return;
    const size_t one = rng_.below(2);
    if (is_call(what, Function::kTimes)) return set_product(what.args[one], what.args[1 - one], *number);
    if (is_call(what, Function::kPlus)) return set_term(what.args[one], what.args[1 - one], *number);
  }

  void set_splat(const Expr& what, const ir::AttrValue& value) {
    if (what.args[0].kind != Expr::Kind::kTensor) return;
    TensorFacts& facts = instance_.tensors[what.args[0].index];
    if (const auto real = number_of(value); real && facts.splat.valid())
      facts.splat = ctx_.intern(ir::AttrValue(held_by(ctx_.get(facts.type).dtype, *real)));
  }

  void set_place(const Expr& what, size_t at, int64_t number) {
    const Expr& of = what.args[0];
    if (what.function == Function::kDim && of.kind == Expr::Kind::kTensor && number >= 0)
      return set_size(of.index, at, number);
    if (what.function != Function::kAt || of.kind != Expr::Kind::kAttr ||
        of.index >= rule_.matched_attributes || !instance_.attributes[of.index].valid())
      return;
    ir::AttrValue list = ctx_.get(instance_.attributes[of.index]);
    auto* entries = std::get_if<std::vector<int64_t>>(&list);
    if (entries == nullptr || at >= entries->size()) return;
    (*entries)[at] = number;
    instance_.attributes[of.index] = ctx_.intern(list);
  }

  void set_size(uint32_t tensor, size_t axis, int64_t size) {
    const ir::Type type = ctx_.get(instance_.tensors[tensor].type);
    if (!type.is_static_tensor() || axis >= type.shape.size()) return;
    if (rng_.chance(0.5)) {
      Instance trial = instance_;
      if (relations_.change(ctx_, trial, RuleRelations::place_of(ctx_, instance_, tensor, axis), size)) {
        instance_ = std::move(trial);
        return;
      }
    }
    ir::Shape shape = type.shape;
    shape[axis] = ir::Dim(size);
    instance_.tensors[tensor].type = ctx_.tensor_type(type.dtype, std::move(shape));
  }

  /// As many elements as wanted, by one axis, or by two of which one takes a divisor.
  void set_elements(TensorFacts& facts, int64_t number) {
    const ir::Type& type = ctx_.get(facts.type);
    if (!type.is_static_tensor() || type.shape.empty() || number < 0) return;
    ir::Shape shape(type.shape.size(), ir::Dim(1));
    const int64_t part = rng_.chance(0.5) ? 1 : divisor(number);
    shape[rng_.below(shape.size())] = ir::Dim(part);
    ir::Dim& rest = shape[rng_.below(shape.size())];
    rest = ir::Dim(rest.size() * (number / part));
    facts.type = ctx_.tensor_type(type.dtype, std::move(shape));
  }

  void set_product(const Expr& one, const Expr& other, int64_t product) {
    const auto now = value_of(other);
    const auto* by = now ? std::get_if<int64_t>(&*now) : nullptr;
    if (by != nullptr && *by > 0 && product % *by == 0 && rng_.chance(0.5)) return set(one, product / *by);
    if (other.kind == Expr::Kind::kLiteral) return;
    const int64_t part = divisor(product);
    set(one, part);
    set(other, product / part);
  }

  void set_term(const Expr& one, const Expr& other, int64_t sum) {
    const auto now = value_of(other);
    const auto* by = now ? std::get_if<int64_t>(&*now) : nullptr;
    if (by != nullptr && (sum ^ *by) >= 0) set(one, sum - *by);  // of one sign: no overflow
  }

  int64_t divisor(int64_t number) {
    if (number < 2 || number > kLargestProduct) return 1;
    std::vector<int64_t> all;
    for (int64_t d = 1; d <= number; ++d)
      if (number % d == 0) all.push_back(d);
    return all[rng_.below(all.size())];
  }

  ir::Context& ctx_;
  const CompiledRule& rule_;
  const RuleRelations& relations_;
  Rng& rng_;
  Instance& instance_;
};

}  // namespace

void define(ir::Context& ctx, const CompiledRule& rule, const RuleRelations& relations, Rng& rng,
            Instance& instance) {
  Definitions definitions(ctx, rule, relations, rng, instance);
  for (const Expr& condition : rule.rule->conditions) definitions.read(condition);
}

}  // namespace isomer::rewrite
