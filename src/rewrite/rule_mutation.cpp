#include "rewrite/rule_mutation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "ir/constant_data.h"
#include "rewrite/rule_check.h"
#include "rewrite/rule_definitions.h"

namespace isomer::rewrite {
namespace {

constexpr int64_t kMostElements = 8192;
constexpr int64_t kOtherSizes[] = {0, 1, 2, 2, 3, 4, 5, 6, 7, 9, 11, 257, 2053};
constexpr double kMostSplat = 64;  // exponentials of larger ones overflow: that is measured elsewhere

class Mutation {
 public:
  Mutation(ir::Context& ctx, const CompiledRule& rule, const RuleHints& hints, const RuleRelations& relations,
           Rng& rng, Instance& instance)
      : ctx_(ctx), rule_(rule), hints_(hints), relations_(relations), rng_(rng), instance_(instance) {}

  void run() {
    const uint64_t what = rng_.below(10);
    if (what < 3)
      rename_size();
    else if (what == 3)
      change_splat();
    else if (what < 6)
      change_together();
    else
      change_attribute();
    if (rng_.chance(0.8)) define(ctx_, rule_, relations_, rng_, instance_);
  }

 private:
  template <class T>
  const T& some(const std::vector<T>& list) {
    return list[rng_.below(list.size())];
  }

  /// One size (seldom, all above 1) for another: at one place of one tensor, or wherever it stands in types
  /// and shapes, and half of the time in attributes.
  void rename_size() {
    std::vector<int64_t> sizes;
    for (const TensorFacts& f : instance_.tensors)
      if (const ir::Type& type = ctx_.get(f.type); type.is_static_tensor())
        for (const ir::Dim d : type.shape) sizes.push_back(d.size());
    if (sizes.empty()) return;
    const int64_t from = some(sizes);
    const bool named = !hints_.sizes.empty() && rng_.chance(0.3);
    int64_t to = named              ? some(hints_.sizes)
                 : rng_.chance(0.5) ? some(sizes)
                                    : kOtherSizes[rng_.below(std::size(kOtherSizes))];
    if (rng_.chance(0.15)) to += rng_.chance(0.5) || to == 0 ? 1 : -1;  // next to another
    if (rng_.chance(0.15)) return resize_beside();
    if (rng_.chance(0.1)) return spread_one(sizes);
    if (rng_.chance(0.1)) return swap_axes();
    if (rng_.chance(0.05)) return move_between();
    if (rng_.chance(0.3)) return resize_one(to);
    const bool attributes = rng_.chance(0.5);
    const bool all = rng_.chance(0.1) && to > 1 && to < 5;  // equal sizes: types tell no axes apart
    const auto renamed = [&](int64_t size) { return size == from || (all && size > 1); };
    for (TensorFacts& f : instance_.tensors) {
      const ir::Type& type = ctx_.get(f.type);
      if (!type.is_static_tensor()) continue;
      ir::Shape shape = type.shape;
      for (ir::Dim& d : shape)
        if (renamed(d.size())) d = ir::Dim(to);
      f.type = ctx_.tensor_type(type.dtype, std::move(shape));
    }
    for (uint32_t a = 0; a < rule_.matched_attributes; ++a) {
      ir::AttrId& id = instance_.attributes[a];
      if (!id.valid()) continue;
      ir::AttrValue value = ctx_.get(id);
      if (auto* shape = std::get_if<ir::Shape>(&value)) {
        for (ir::Dim& d : *shape)
          if (d.is_static() && renamed(d.size())) d = ir::Dim(to);
      } else if (auto* list = std::get_if<std::vector<int64_t>>(&value); list && attributes) {
        std::ranges::replace(*list, from, to);
      }
      id = ctx_.intern(value);
    }
  }

  /// One number, and those that hang together with it.
  void change_together() {
    const std::vector<int64_t> values = relations_.values(ctx_, instance_);
    if (values.empty()) return;
    const size_t place = rng_.below(values.size());
    const int64_t from = std::clamp<int64_t>(values[place], -kMostElements, kMostElements);
    const int64_t to = rng_.chance(0.4)   ? from * rng_.between(2, 3)
                       : rng_.chance(0.6) ? from + rng_.between(1, 2)
                       : rng_.chance(0.5) ? from - 1
                                          : rng_.between(1, 6);
    Instance trial = instance_;
    if (relations_.change(ctx_, trial, place, to)) instance_ = std::move(trial);
  }

  void resize_one(int64_t to) {
    TensorFacts& f = instance_.tensors[rng_.below(instance_.tensors.size())];
    const ir::Type& type = ctx_.get(f.type);
    if (!type.is_static_tensor() || type.shape.empty()) return;
    ir::Shape shape = type.shape;
    shape[rng_.below(shape.size())] = ir::Dim(to);
    f.type = ctx_.tensor_type(type.dtype, std::move(shape));
  }

  /// One tensor's axis as long as the same axis of another, give or take one: where windows begin or cease
  /// to reach what is around an image.
  void resize_beside() {
    std::vector<const ir::Shape*> shapes;
    for (const TensorFacts& f : instance_.tensors)
      if (const ir::Type& type = ctx_.get(f.type); type.is_static_tensor() && !type.shape.empty())
        shapes.push_back(&type.shape);
    if (shapes.empty()) return;
    TensorFacts& f = instance_.tensors[rng_.below(instance_.tensors.size())];
    const ir::Type& type = ctx_.get(f.type);
    const ir::Shape& other = *some(shapes);
    if (!type.is_static_tensor() || type.shape.size() != other.size()) return;
    const size_t axis = rng_.chance(0.5) ? other.size() - 1 : rng_.below(other.size());
    ir::Shape shape = type.shape;
    shape[axis] = ir::Dim(std::max<int64_t>(0, other[axis].size() + rng_.between(-1, 1)));
    f.type = ctx_.tensor_type(type.dtype, std::move(shape));
  }

  /// One tensor of ones and of sizes that others have: what is broadcast may lie along any axes.
  void spread_one(const std::vector<int64_t>& sizes) {
    TensorFacts& f = instance_.tensors[rng_.below(instance_.tensors.size())];
    const ir::Type& type = ctx_.get(f.type);
    if (!type.is_static_tensor()) return;
    ir::Shape shape = type.shape;
    for (ir::Dim& d : shape) d = ir::Dim(rng_.chance(0.5) ? 1 : some(sizes));
    f.type = ctx_.tensor_type(type.dtype, std::move(shape));
  }

  /// Two axes of one tensor: it has as many elements as before, along others.
  void swap_axes() {
    TensorFacts& f = instance_.tensors[rng_.below(instance_.tensors.size())];
    const ir::Type& type = ctx_.get(f.type);
    if (!type.is_static_tensor() || type.shape.empty()) return;
    ir::Shape shape = type.shape;
    std::swap(shape[rng_.below(shape.size())], shape[rng_.below(shape.size())]);
    f.type = ctx_.tensor_type(type.dtype, std::move(shape));
  }

  /// What one tensor's axis loses another's same axis gains: others may hang on the sum of both.
  void move_between() {
    const size_t i = rng_.below(instance_.tensors.size()), j = rng_.below(instance_.tensors.size());
    const ir::Type &a = ctx_.get(instance_.tensors[i].type), &b = ctx_.get(instance_.tensors[j].type);
    if (i == j || !a.is_static_tensor() || !b.is_static_tensor()) return;
    ir::Shape less = a.shape, more = b.shape;
    if (less.empty() || less.size() != more.size()) return;
    const size_t axis = rng_.below(less.size());
    if (less[axis].size() == 0) return;
    const int64_t moved = rng_.between(1, less[axis].size());
    less[axis] = ir::Dim(less[axis].size() - moved);
    more[axis] = ir::Dim(more[axis].size() + moved);
    const ir::DType of_a = a.dtype, of_b = b.dtype;
    instance_.tensors[i].type = ctx_.tensor_type(of_a, std::move(less));
    instance_.tensors[j].type = ctx_.tensor_type(of_b, std::move(more));
  }

  void change_splat() {
    std::vector<size_t> known;
    for (size_t i = 0; i < instance_.tensors.size(); ++i)
      if (instance_.tensors[i].splat.valid()) known.push_back(i);
    if (known.empty()) return change_attribute();
    TensorFacts& f = instance_.tensors[some(known)];
    f.splat = ctx_.intern(
        ir::AttrValue(held_by(ctx_.get(f.type).dtype, std::clamp(changed(std::get<double>(ctx_.get(f.splat))),
                                                                 -kMostSplat, kMostSplat))));
  }

  static int64_t sum(const std::vector<int64_t>& parts) {
    return std::accumulate(parts.begin(), parts.end(), int64_t{0});
  }

  /// By one, an axis of that size: one of the parts that it is cut into may be longer then than the others.
  bool lengthen_axis(int64_t size) {
    for (TensorFacts& f : instance_.tensors) {
      const ir::Type& type = ctx_.get(f.type);
      if (!type.is_static_tensor()) continue;
      ir::Shape shape = type.shape;
      const auto axis = std::ranges::find(shape, ir::Dim(size));
      if (axis == shape.end()) continue;
      *axis = ir::Dim(size + 1);
      f.type = ctx_.tensor_type(type.dtype, std::move(shape));
      return true;
    }
    return false;
  }

  double changed(double x) {
    switch (rng_.below(5)) {
      case 0: return -x;
      case 1: return x / 128;
      case 2: return x * 128;
      case 3: return x + 1;
      default: return x - 1;
    }
  }

  int64_t changed(int64_t i) {
    static constexpr int64_t kFar[] = {-1000, -9, 9, 1000};
    switch (rng_.below(6)) {
      case 0: return -i;
      case 1: return kFar[rng_.below(std::size(kFar))];
      case 2: return rng_.between(-3, 4);
      case 3: return i - 1;
      default: return i + 1;
    }
  }

  /// Of the first tensor.
  ir::DType element_type() const {
    for (const TensorFacts& f : instance_.tensors)
      if (const ir::Type& type = ctx_.get(f.type); type.is_tensor()) return type.dtype;
    return ir::DType::kF32;
  }

  void change_attribute() {
    std::vector<uint32_t> set;
    for (uint32_t a = 0; a < rule_.matched_attributes; ++a)
      if (instance_.attributes[a].valid()) set.push_back(a);
    if (set.empty()) return rename_size();
    ir::AttrId& id = instance_.attributes[some(set)];
    ir::AttrValue value = ctx_.get(id);
    if (auto* i = std::get_if<int64_t>(&value)) *i = changed(*i);
    if (auto* d = std::get_if<double>(&value)) {
      const bool half = element_type() == ir::DType::kF16;  // which products of such numbers leave
      const double most = half ? kMostSplat : std::numeric_limits<double>::max();
      *d = held_by(element_type(), std::clamp(changed(*d), -most, most));
    }
    if (auto* list = std::get_if<std::vector<int64_t>>(&value); list && !list->empty()) {
      const size_t at = rng_.below(list->size());
      if (list->size() > 2 && rng_.chance(0.3) && lengthen_axis(sum(*list)))
        ++(*list)[at];
      else if (list->size() > 1 && rng_.chance(0.4))
        std::swap((*list)[at], (*list)[rng_.below(list->size())]);
      else
        (*list)[at] = changed((*list)[at]);
    }
    if (auto* shape = std::get_if<ir::Shape>(&value); shape && !shape->empty()) {
      const size_t at = rng_.below(shape->size());
      if (rng_.chance(0.3))
        (*shape)[at] = ir::Dim(kOtherSizes[rng_.below(std::size(kOtherSizes))]);
      else
        std::swap((*shape)[at], (*shape)[rng_.below(shape->size())]);
    }
    id = ctx_.intern(value);
  }

  ir::Context& ctx_;
  const CompiledRule& rule_;
  const RuleHints& hints_;
  const RuleRelations& relations_;
  Rng& rng_;
  Instance& instance_;
};

}  // namespace

bool has_at_most(const ir::Shape& shape, int64_t elements) {
  double count = 1;
  for (const ir::Dim d : shape) count *= static_cast<double>(d.size());
  return count <= static_cast<double>(elements);
}

bool has_at_most(const ir::Context& ctx, const Instance& instance, int64_t elements) {
  const auto few = [&](const TensorFacts& f) {
    const ir::Type& type = ctx.get(f.type);
    return !type.is_static_tensor() || has_at_most(type.shape, elements);
  };
  return std::ranges::all_of(instance.tensors, few) && std::ranges::all_of(instance.roots, few);
}

double held_by(ir::DType dtype, double x) {
  const double least = dtype == ir::DType::kU64 ? 0 : -1e15;  // it is kept as a signed one
  if (!ir::is_float(dtype))
    return static_cast<double>(ir::wrap_to(dtype, static_cast<int64_t>(std::clamp(x, least, 1e15))));
  if (std::isinf(x)) return x;  // asked for, not rounded to
  const double y = ir::round_to(dtype, x);
  return std::isfinite(y) ? y : x < 0 ? -1 : 1;
}

std::optional<Instance> mutate(ir::Context& ctx, const CompiledRule& rule, const RuleHints& hints,
                               const RuleRelations& relations, Rng& rng, const Instance& instance) {
  Instance out = instance;
  Mutation(ctx, rule, hints, relations, rng, out).run();
  if (out.tensors == instance.tensors && out.attributes == instance.attributes) return std::nullopt;
  const auto fits = [&] { return has_at_most(ctx, out, kMostElements); };
  if (!fits() || !refit(ctx, rule, out) || !fits()) return std::nullopt;
  return out;
}

std::optional<Instance> retyped(ir::Context& ctx, const CompiledRule& rule, const Instance& instance,
                                ir::DType dtype) {
  Instance out = instance;
  for (TensorFacts& f : out.tensors) {
    const ir::Type& type = ctx.get(f.type);
    if (!type.is_tensor() || !ir::is_float(type.dtype)) continue;
    f.type = ctx.tensor_type(dtype, ir::Shape(type.shape));
    if (f.splat.valid())
      f.splat = ctx.intern(ir::AttrValue(held_by(dtype, std::get<double>(ctx.get(f.splat)))));
  }
  if (out.tensors == instance.tensors || !refit(ctx, rule, out)) return std::nullopt;
  return out;
}

}  // namespace isomer::rewrite
