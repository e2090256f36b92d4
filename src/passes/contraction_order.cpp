// Products of several arrays and sums over them in the order that costs least: `(A B) x` as `A (B x)`, a sum
// over a product as a product with a sum, a sum of products element by element as a dot, what is multiplied
// by a diagonal or an identity without it, the trace of a product without the product. Finding the cheapest
// order by dynamic programming over sets of factors is of Lam, Sadayappan and Wenger (1997) and known from
// opt_einsum; XLA has nothing of it. Ours reads the factors off the instructions (sum_of_products.h), whoever
// wrote them and however, and proposes an order only where it costs less by a margin. The other rule takes a
// common factor of two dots out of their sum. Both are right in exact arithmetic: sums are rounded in
// another order, and 0 * infinity beside a diagonal is left out.
#include <algorithm>
#include <bit>

#include "passes/known_passes.h"
#include "passes/rule_pass.h"
#include "passes/sum_of_products.h"

namespace isomer::passes {
namespace {

using enum Opcode;
/// Bit i: factor i.
using FactorSet = uint32_t;

/// The cheapest order for each set of factors.
class Order {
 public:
  explicit Order(const SumOfProducts& of) : of_(of), plans_(size_t{1} << of.factors.size()) {
    for (const Label l : of.result) result_ |= LabelSet{1} << l;
    for (FactorSet set = 1; set < plans_.size(); ++set) plan(set);
  }

  double cost() const { return plans_.back().cost; }
  /// 0: a factor.
  FactorSet left_of(FactorSet set) const { return plans_[set].left; }
  /// Of what the factors of a set amount to: those that the result or other factors have as well.
  LabelSet labels(FactorSet set) const { return plans_[set].labels; }
  FactorSet all() const { return static_cast<FactorSet>(plans_.size() - 1); }
  bool is_dot(LabelSet a, LabelSet b, LabelSet result) const {
    const LabelSet both = a & b;
    return (both & ~result) != 0 && ((a | b) & ~both) != 0;
  }

 private:
  struct Plan {
    double cost = 0;
    LabelSet labels = 0;
    FactorSet left = 0;
  };

  void plan(FactorSet set) {
    Plan& plan = plans_[set];
    LabelSet inside = 0, outside = result_;
    for (size_t i = 0; i < of_.factors.size(); ++i)
      ((set >> i & 1) != 0 ? inside : outside) |= of_.factors[i].set();
    plan.labels = inside & outside;
    if (std::has_single_bit(set)) {
      plan.cost = inside == plan.labels ? 0 : of_.elements(inside);
      return;
    }
    plan.cost = -1;
    for (FactorSet left = (set - 1) & set; left > 0; left = (left - 1) & set) {
      if (left < (set & ~left)) break;  // each pair once
      const double cost = plans_[left].cost + plans_[set & ~left].cost + step(left, set & ~left, plan.labels);
      if (plan.cost < 0 || cost < plan.cost) {
        plan.cost = cost;
        plan.left = left;
      }
    }
  }

  double step(FactorSet left, FactorSet right, LabelSet result) const {
    const LabelSet a = labels(left), b = labels(right);
    const double product = of_.elements(a | b);
    if (is_dot(a, b, result))
      return cost_of_dot(product, of_.elements(a) + of_.elements(b) + of_.elements(result));
    return (a | b) == result ? product : 2 * product;
  }

  const SumOfProducts& of_;
  std::vector<Plan> plans_;
  LabelSet result_ = 0;
};

class Build {
 public:
  Build(const Site& s, const SumOfProducts& of, const Order& order)
      : s_(s), of_(of), order_(order), type_(s.element(s.at)), dims_(s.dims(s.at)) {}

  InstructionId build() {
    Factor whole = build(order_.all());
    std::vector<Label> wanted;
    Dims places;
    for (size_t d = 0; d < of_.result.size(); ++d) {
      if (std::ranges::count(whole.labels, of_.result[d]) == 0) continue;
      wanted.push_back(of_.result[d]);
      places.push_back(static_cast<int64_t>(d));
    }
    whole = arranged(whole, wanted);
    if (s_.elements(whole.value) == s_.elements(s_.at))
      return s_.rank(whole.value) == dims_.size() ? whole.value : s_.w.reshape(whole.value, dims_);
    return s_.w.broadcast(whole.value, dims_, places);
  }

 private:
  Factor build(FactorSet set) {
    const LabelSet labels = order_.labels(set);
    const FactorSet left = order_.left_of(set);
    if (left == 0) return summed(leaf(of_.factors[static_cast<size_t>(std::countr_zero(set))]), labels);
    const Factor a = build(left), b = build(set & ~left);
    if (!order_.is_dot(a.set(), b.set(), labels)) return summed(product(a, b), labels);
    // So that the result's dimensions come in the order in which they are wanted, if they can.
    const LabelSet both = a.set() & b.set();
    const bool b_first = std::countr_zero(b.set() & ~both) < std::countr_zero(a.set() & ~both);
    return b_first ? dot(b, a, labels) : dot(a, b, labels);
  }

  Dims sizes(const std::vector<Label>& labels) const {
    Dims out;
    for (const Label l : labels) out.push_back(of_.sizes[static_cast<size_t>(l)]);
    return out;
  }

  Factor leaf(const Factor& factor) {
    if (s_.rank(factor.value) == factor.labels.size()) return factor;
    return {s_.w.reshape(factor.value, sizes(factor.labels)), factor.labels};
  }

  Factor summed(const Factor& a, LabelSet kept) {
    Factor out;
    Dims dims;
    for (size_t i = 0; i < a.labels.size(); ++i) {
      if ((kept >> a.labels[i] & 1) != 0)
        out.labels.push_back(a.labels[i]);
      else
        dims.push_back(static_cast<int64_t>(i));
    }
    if (dims.empty()) return a;
    out.value = s_.w.reduce(a.value, s_.w.constant(type_, 0), dims, s_.w.combiner(kAdd, type_));
    return out;
  }

  Factor dot(const Factor& a, const Factor& b, LabelSet result) {
    DotDims d;
    std::vector<Label> batch, free;
    for (size_t i = 0; i < a.labels.size(); ++i) {
      const Label l = a.labels[i];
      const auto there = std::ranges::find(b.labels, l);
      if (there == b.labels.end()) {
        free.push_back(l);
        continue;
      }
      const bool stays = (result >> l & 1) != 0;
      (stays ? d.left_batch : d.left_contracting).push_back(static_cast<int64_t>(i));
      (stays ? d.right_batch : d.right_contracting).push_back(there - b.labels.begin());
      if (stays) batch.push_back(l);
    }
    for (const Label l : b.labels)
      if (std::ranges::count(a.labels, l) == 0) free.push_back(l);
    batch.insert(batch.end(), free.begin(), free.end());
    return {s_.w.dot(a.value, b.value, d, type_, of_.precision), batch};
  }

  Factor product(const Factor& a, const Factor& b) {
    std::vector<Label> labels = a.labels;
    for (const Label l : b.labels)
      if (std::ranges::count(labels, l) == 0) labels.push_back(l);
    std::ranges::sort(labels);
    return {s_.w.binary(kMultiply, spread(a, labels), spread(b, labels)), labels};
  }

  InstructionId spread(const Factor& a, const std::vector<Label>& labels) {
    std::vector<Label> own;
    Dims places;
    for (size_t i = 0; i < labels.size(); ++i) {
      if (std::ranges::count(a.labels, labels[i]) == 0) continue;
      own.push_back(labels[i]);
      places.push_back(static_cast<int64_t>(i));
    }
    const Factor sorted = arranged(a, own);
    return own == labels ? sorted.value : s_.w.broadcast(sorted.value, sizes(labels), places);
  }

  Factor arranged(const Factor& a, const std::vector<Label>& labels) {
    if (a.labels == labels) return a;
    Dims permutation;
    for (const Label l : labels) permutation.push_back(std::ranges::find(a.labels, l) - a.labels.begin());
    return {s_.w.transpose(a.value, permutation), labels};
  }

  const Site& s_;
  const SumOfProducts& of_;
  const Order& order_;
  Primitive type_;
  Dims dims_;
};

/// Costs are guesses: a step that is hardly cheaper is none.
constexpr double kMargin = 0.8;

InstructionId cheaper_order(const Site& s) {
  const auto of = sum_of_products(s);
  if (!of) return {};
  const Order order(*of);
  if (order.cost() > kMargin * of->cost) return {};
  return Build(s, *of, order).build();
}

/// A x + B x is (A + B) x, where both products are used here alone.
InstructionId common_factor(const Site& s) {
  const InstructionId x = s.in(0), y = s.in(1);
  if (!is_wide(s, s.at)) return {};  // A + B may overflow where no product did
  if (x == y || !s.is(x, kDot) || !s.is(y, kDot) || !s.has_one_user(x) || !s.has_one_user(y)) return {};
  if (!may_be_replaced(s.m, x) || !may_be_replaced(s.m, y)) return {};
  if (!same_attributes(s, x, y)) return {};
  for (const size_t shared : {size_t{0}, size_t{1}}) {
    const size_t other = 1 - shared;
    if (s.in(x, shared) != s.in(y, shared) || !s.same_shape(s.in(x, other), s.in(y, other))) continue;
    if (s.element(s.in(x, other)) != s.element(s.at)) continue;
    InstructionId operands[2];
    operands[shared] = s.in(x, shared);
    operands[other] = s.w.binary(s.op(s.at), s.in(x, other), s.in(y, other));
    return s.w.again(x, s.m.shape(s.at), operands);
  }
  return {};
}

constexpr Rule kContractionOrderRules[] = {
    {kDot, "cheaper-order", cheaper_order},
    {kReduce, "cheaper-order", cheaper_order},
    {kGather, "cheaper-order", cheaper_order},
    {kAdd, "common-factor-of-dots", common_factor},
    {kSubtract, "common-factor-of-dots", common_factor},
};

}  // namespace

std::shared_ptr<const Pass> contraction_order() {
  static const auto kPass = std::make_shared<const RulePass>("contraction-order", kContractionOrderRules);
  return kPass;
}

}  // namespace isomer::passes
