#include "rewrite/rule_draws.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <numeric>
#include <string>

#include "rewrite/rule_mutation.h"

namespace isomer::rewrite {

std::vector<uint32_t> nodes_beside(const Term& term) {
  std::vector<uint32_t> out(term.nodes.size(), kNoNode);
  for (const TermNode& n : term.nodes)
    for (size_t c = 1; c < n.children.size(); ++c)
      if (const uint32_t before = n.children[c - 1];
          before < n.children[c] && !term.nodes[before].is_variable)
        out[n.children[c]] = before;
  return out;
}

std::optional<ir::Shape> trailing_shape(ir::Context& ctx, const ir::OpDef& def,
                                        std::span<const ir::AttrId> attrs,
                                        const std::vector<int64_t>& first) {
  const auto spec = std::ranges::find(def.attrs, ir::AttrRole::kAxis, &ir::AttrSpec::role);
  if (def.kind != ir::MeaningKind::kComposite || def.max_inputs < 2 || spec == def.attrs.end()) return {};
  const ir::AttrId id = attrs[static_cast<size_t>(spec - def.attrs.begin())];
  const auto* axis = id.valid() ? std::get_if<int64_t>(&ctx.get(id)) : nullptr;
  if (axis == nullptr || *axis < 0 || *axis >= static_cast<int64_t>(first.size())) return {};
  return ir::static_shape({first.begin() + *axis, first.end()});
}

std::optional<ir::AttrValue> AttributeDraws::attribute(const ir::OpDef& def, const ir::AttrSpec& spec,
                                                       const std::vector<int64_t>& sizes, const Near& near) {
  if (spec.optional && rng_.chance(0.5)) return std::nullopt;
  if (spec.fallback && rng_.chance(0.2)) {
    const auto* number = std::get_if<double>(&*spec.fallback);
    return number ? ir::AttrValue(held_as_attribute(*number)) : *spec.fallback;
  }
  const auto rank = static_cast<int64_t>(sizes.size());
  switch (spec.kind) {
    case ir::AttrKind::kInt:
      // Without operands the axis is one of the shape that is made; which ranks there are is drawn there.
      return ir::AttrValue(
          integer(spec.role, def.max_inputs == 0 ? static_cast<int64_t>(1 + rng_.below(3)) : rank));
    case ir::AttrKind::kFloat: return ir::AttrValue(number());
    case ir::AttrKind::kString: {
      const std::vector<std::string>& words = spec.choices;
      return words.empty() ? spec.fallback.value_or(ir::AttrValue(std::string()))
                           : ir::AttrValue(words[rng_.below(words.size())]);
    }
    case ir::AttrKind::kInts:
      if (spec.role == ir::AttrRole::kPlaces) return ir::AttrValue(places_of(sizes));
      return ir::AttrValue(integers(spec.role, sizes));
    case ir::AttrKind::kShape: return ir::AttrValue(shape(def, sizes, near));
    case ir::AttrKind::kFloats: return ir::AttrValue(std::vector<double>{});
    case ir::AttrKind::kStrings: return ir::AttrValue(std::vector<std::string>{});
  }
  return std::nullopt;
}

void AttributeDraws::slice_axes(const std::vector<int64_t>& axes, const std::vector<int64_t>& sizes) {
  sliced = axes.size();
  ways.resize(axes.size(), 1);
  note_sizes_along(axes, sizes);
}

void AttributeDraws::note_sizes_along(const std::vector<int64_t>& axes, const std::vector<int64_t>& sizes) {
  sliced_sizes_.clear();
  for (const int64_t axis : axes)
    sliced_sizes_.push_back(
        axis >= 0 && axis < static_cast<int64_t>(sizes.size()) ? sizes[static_cast<size_t>(axis)] : 1);
}

/// Ascending places for the operand's dimensions among a few more.
std::vector<int64_t> AttributeDraws::places_of(const std::vector<int64_t>& sizes) {
  std::vector<int64_t> all(sizes.size() + rng_.below(3));
  std::iota(all.begin(), all.end(), 0);
  shuffle(all);
  all.resize(sizes.size());
  std::ranges::sort(all);
  placed_ = all;
  return all;
}

/// A shape that has the operand's sizes at the places that were drawn.
ir::Shape AttributeDraws::around(const std::vector<int64_t>& sizes) {
  const size_t least = placed_.empty() ? 0 : static_cast<size_t>(placed_.back()) + 1;
  ir::Shape out;
  for (size_t i = least + rng_.below(3); i > 0; --i)
    out.emplace_back(rng_.between(style == Style::kEmpty ? 0 : 1, 4));
  for (size_t i = 0; i < std::min(placed_.size(), sizes.size()); ++i)
    out[static_cast<size_t>(placed_[i])] = ir::Dim(sizes[i]);
  return out;
}

int64_t AttributeDraws::integer(ir::AttrRole role, int64_t rank) {
  if (role == ir::AttrRole::kDType) return static_cast<int64_t>(rng_.chance(0.6) ? dtype : some_type());
  if (role == ir::AttrRole::kAxis)
    return static_cast<int64_t>(rng_.below(static_cast<uint64_t>(std::max<int64_t>(rank, 1))));
  if (role == ir::AttrRole::kGroups)
    return rng_.chance(0.7) ? group : rng_.chance(0.6) ? 1 : rng_.between(2, 4);
  if (!hints_.sizes.empty() && rng_.chance(0.15)) return near_a_size() * (rng_.chance(0.5) ? 1 : -1);
  return rng_.chance(0.7) ? static_cast<int64_t>(rng_.below(4)) : rng_.between(-4, 6);
}

ir::DType AttributeDraws::some_type() {
  using enum ir::DType;
  if (rng_.chance(0.4)) return rng_.chance(0.5) ? kI8 : kU8;  // what counts least
  if (rng_.chance(0.1)) return kKeptTypes[rng_.below(std::size(kKeptTypes))];
  return kDrawnTypes[rng_.below(std::size(kDrawnTypes))];
}

ir::AttrValue AttributeDraws::steered(ir::AttrValue value, const ir::OpDef& def, uint32_t attribute) {
  const bool solved = !hints_.solutions[attribute].empty() && rng_.chance(0.5);
  const std::vector<double>& wanted = solved ? hints_.solutions[attribute] : hints_.numbers[attribute];
  if (wanted.empty() || rng_.chance(0.3)) return value;
  const auto some = [&] { return wanted[rng_.below(wanted.size())]; };
  const auto some_integer = [&](int64_t otherwise) {
    const double x = some();
    return std::abs(x) < 0x1p62 ? static_cast<int64_t>(x) : otherwise;
  };
  if (auto* d = std::get_if<double>(&value)) *d = held_as_attribute(some());
  if (auto* i = std::get_if<int64_t>(&value)) *i = some_integer(*i);
  if (auto* list = std::get_if<std::vector<int64_t>>(&value))
    for (int64_t& i : *list)
      if (rng_.chance(0.4)) i = some_integer(i);
  if (auto* shape = std::get_if<ir::Shape>(&value); shape && def.moves != ir::Moves::kReshapes)
    for (ir::Dim& d : *shape)
      if (const int64_t size = some_integer(0); size > 0 && rng_.chance(0.4)) d = ir::Dim(size);
  return value;
}

ir::DType AttributeDraws::element_type(uint32_t variable, ir::Elements elements, bool lost) {
  static constexpr auto kSome = std::span(kDrawnTypes).first<11>();  // f64 is what f32 is
  const auto one_of = [&](auto types) { return types[rng_.below(types.size())]; };
  if (const auto& wanted = hints_.dtypes[variable]; !wanted.empty() && rng_.chance(0.9))
    return wanted[rng_.below(wanted.size())];
  switch (elements) {
    case ir::Elements::kBools: return ir::DType::kBool;
    case ir::Elements::kIndices: return lost && rng_.chance(0.3) ? ir::DType::kI32 : ir::DType::kI64;
    case ir::Elements::kUnsigned: {
      if (ir::is_integer(dtype) && dtype != ir::DType::kBool && !lost)
        return dtype;  // a rule may ask for a sign
      ir::DType out = one_of(kDrawnIntegers);
      while (ir::has_sign(out)) out = one_of(kDrawnIntegers);
      return out;
    }
    case ir::Elements::kIntegers: return ir::is_integer(dtype) && !lost ? dtype : one_of(kDrawnIntegers);
    case ir::Elements::kConverted:
      return rng_.chance(0.5) ? dtype : rng_.chance(0.1) ? one_of(std::span(kKeptTypes)) : one_of(kSome);
    default: return lost ? one_of(kSome) : dtype;
  }
}

ir::DType AttributeDraws::some_float() {
  return rng_.chance(0.8) ? ir::DType::kF32 : kOtherFloats[rng_.below(std::size(kOtherFloats))];
}

double AttributeDraws::number() {
  static constexpr double kValues[] = {0, -1, -0.5, 2, -2, 3, 0.25, 1e-3, -1e-3, 100, 1e10, -1e10, 1e-10};
  if (rng_.chance(0.6)) return rng_.chance(0.5) ? 1.0 : 0.5;
  return held_as_attribute(kValues[rng_.below(std::size(kValues))]);
}
double AttributeDraws::held_as_attribute(double x) const { return held_by(dtype, x); }
int64_t AttributeDraws::near_a_size() {
  const int64_t aside = rng_.chance(0.4) ? 0 : rng_.between(-1, 2);
  return std::max<int64_t>(1, hints_.sizes[rng_.below(hints_.sizes.size())] + aside);
}

/// Of one axis mostly, which is what most rules speak of.
std::vector<int64_t> AttributeDraws::slice_part(ir::AttrRole role, const std::vector<int64_t>& sizes) {
  using enum ir::AttrRole;
  std::vector<int64_t> out;
  if (role == kSliced) {
    out.resize(std::max<size_t>(sizes.size(), 1));
    std::iota(out.begin(), out.end(), 0);
    shuffle(out);
    out.resize(std::min(sliced, out.size()));
    note_sizes_along(out, sizes);
    return out;
  }
  if (taken == Taken::kWithin) {
    for (size_t i = 0; i < sliced; ++i) {
      const int64_t n = std::max<int64_t>(i < sliced_sizes_.size() ? sliced_sizes_[i] : 3, 1);
      out.push_back(role == kStarts ? rng_.between(-n, n - 1)
                    : role == kEnds ? rng_.between(rng_.chance(0.5) ? 0 : -n, n)
                                    : ways[i] * (rng_.chance(0.3) ? 1 : rng_.between(2, n + 1)));
    }
    return out;
  }
  const int64_t far = style == Style::kSmall ? 3 : 9;
  if (taken == Taken::kAll) {
    for (const int64_t way : ways)
      out.push_back(role == kStarts ? (way < 0            ? -1
                                       : rng_.chance(0.8) ? 0
                                                          : 1)
                    : role == kEnds ? way * 9000
                                    : way * (rng_.chance(0.4) ? 1 : rng_.between(2, 4)));
    return out;
  }
  while (out.size() < sliced)
    out.push_back(role == kStarts    ? (rng_.chance(0.6) ? rng_.between(-1, 1) : rng_.between(-far, far))
                  : role == kSteps   ? (rng_.chance(0.6)   ? 1
                                        : rng_.chance(0.4) ? -1
                                                           : rng_.between(-3, 4))
                  : rng_.chance(0.2) ? -100
                  : rng_.chance(0.3) ? far * 1000
                                     : rng_.between(rng_.chance(0.3) ? -far : 0, far));
  return out;
}

std::vector<int64_t> AttributeDraws::integers(ir::AttrRole role, const std::vector<int64_t>& sizes) {
  using enum ir::AttrRole;
  const size_t rank = sizes.size();
  std::vector<int64_t> out;
  if (role == kSliced || role == kStarts || role == kEnds || role == kSteps) return slice_part(role, sizes);
  if (role == kPermutation) {
    out.resize(rank);
    std::iota(out.begin(), out.end(), 0);
    if (rng_.chance(0.8)) shuffle(out);
  } else if (role == kStrides || role == kDilations) {
    out.assign(rank > 2 ? rank - 2 : 1, 1);
    if (rng_.chance(0.6))
      for (int64_t& i : out) i = rng_.between(1, 3);  // apart on each axis
  } else if (role == kWindowPads) {
    out.assign(rank > 2 ? 2 * (rank - 2) : 2, rng_.chance(0.5) ? 0 : 1);
    if (rng_.chance(0.4))
      for (int64_t& i : out) i = rng_.between(0, 2);  // begin and end too
  } else if (role == kAllPads) {
    out.assign(2 * rank, 0);
    for (int64_t& i : out)
      if (rng_.chance(0.4)) i = rng_.between(-1, rng_.chance(0.2) ? 7 : 2);  // mirrored more than once
  } else if (role == kKernel) {
    out.assign(rank > 2 ? rank - 2 : 1, rng_.between(1, 2));
    if (rng_.chance(0.4))
      for (int64_t& i : out) i = rng_.between(1, rng_.chance(0.3) ? 5 : 3);
  } else if (role == kAxes || role == kNewAxes) {
    const size_t limit = role == kNewAxes ? rank + 1 : rank;
    const bool nothing = std::ranges::count(sizes, 0) > 0 && rng_.chance(0.5);  // is what they have
    for (size_t i = 0; i < limit; ++i)
      if (nothing ? i < rank && sizes[i] == 0 : rng_.chance(0.4)) out.push_back(static_cast<int64_t>(i));
  } else if (rank > 0 && rng_.chance(0.5)) {
    out = parts_of(sizes[rng_.below(rank)]);
  } else {
    const size_t windows = rank > 2 ? rank - 2 : 1;
    const size_t count = rng_.chance(0.3) ? windows : rng_.chance(0.5) ? rank : 2;
    for (size_t i = 0; i < count; ++i) out.push_back(rng_.between(0, 3));
  }
  return out;
}

std::vector<int64_t> AttributeDraws::parts_of(int64_t size) {
  const int64_t count = rng_.between(2, 4);
  std::vector<int64_t> out(static_cast<size_t>(count), size / count);
  out[rng_.below(out.size())] += size % count;
  int64_t &less = out[rng_.below(out.size())], &more = out[rng_.below(out.size())];
  if (less > 0 && rng_.chance(0.5)) --less, ++more;
  return out;
}

int64_t AttributeDraws::divisor(int64_t number) {
  const bool proper = rng_.chance(0.5);  // neither one nor all, where there is such
  std::vector<int64_t> divisors;
  for (int64_t d = 1; d <= number; ++d)
    if (number % d == 0) divisors.push_back(d);
  if (proper && divisors.size() > 2) return divisors[1 + rng_.below(divisors.size() - 2)];
  return divisors.empty() ? 1 : divisors[rng_.below(divisors.size())];
}

/// Dimensions taken apart, and neighbours put together: as many as are wanted, or a few. Seldom two of them
/// the other way round.
ir::Shape AttributeDraws::regrouped(std::vector<int64_t> sizes) {
  const auto at = [&](size_t i) { return sizes.begin() + static_cast<std::ptrdiff_t>(i); };
  const size_t wanted =
      length != 0 ? length : std::max<size_t>(1, sizes.size() + rng_.below(3) - (sizes.empty() ? 0 : 1));
  for (bool more = rng_.chance(0.3); sizes.size() != wanted || more;) {
    const bool apart = sizes.size() < wanted || (sizes.size() == wanted && sizes.size() < 2);
    if (sizes.size() == wanted) more = false;
    if (sizes.empty()) sizes.push_back(1);
    if (apart || (sizes.size() == wanted && rng_.chance(0.5))) {
      const size_t axis = rng_.below(sizes.size());
      const int64_t part = divisor(sizes[axis]);
      sizes[axis] /= part;
      sizes.insert(at(axis + (rng_.chance(0.5) ? 1 : 0)), part);
    } else {
      const size_t axis = rng_.below(sizes.size() - 1);
      sizes[axis] *= sizes[axis + 1];
      sizes.erase(at(axis + 1));
    }
  }
  if (rng_.chance(0.1)) std::swap(*at(rng_.below(sizes.size())), *at(rng_.below(sizes.size())));
  return ir::static_shape(sizes);
}

ir::Shape AttributeDraws::shape(const ir::OpDef& op, const std::vector<int64_t>& sizes,
                                const Near& some_shape) {
  if (op.has_role(ir::AttrRole::kPlaces) && rng_.chance(0.8)) return around(sizes);
  if (op.moves == ir::Moves::kReshapes) {
    if (rng_.chance(length != 0 ? 0.8 : 0.3)) return regrouped(sizes);
    int64_t left = std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<>());
    ir::Shape out;
    if (left == 0 || rng_.chance(0.3)) return ir::static_shape(std::vector<int64_t>(sizes));
    if (const ir::Shape* near = some_shape(); near && rng_.chance(0.3))
      if (ir::is_static(*near) && ir::element_count(*near) == left) return *near;
    if (!sizes.empty() && rng_.chance(0.3)) {  // one dimension as two
      const size_t axis = rng_.below(sizes.size());
      for (size_t i = 0; i < sizes.size(); ++i) {
        const int64_t part = i == axis && sizes[i] % 2 == 0 && rng_.chance(0.7) ? 2 : 1;
        if (i == axis) out.emplace_back(part);
        out.emplace_back(sizes[i] / part);
      }
      return out;
    }
    for (uint64_t parts = rng_.below(3); parts > 0; --parts) {
      const int64_t d = divisor(left);
      out.emplace_back(d);
      left /= d;
    }
    out.emplace_back(left);
    return out;
  }
  const ir::Shape* near = some_shape();
  if (near && rng_.chance(*near == ir::static_shape(sizes) ? 0.1 : 0.7)) return *near;  // seldom to itself
  ir::Shape out;  // what `sizes` broadcasts to
  const int64_t least = style == Style::kEmpty ? 0 : 1;
  const uint64_t more =
      length >= sizes.size() && length > 0 ? length - sizes.size() : rng_.below(rng_.chance(0.7) ? 3 : 5);
  for (uint64_t i = more; i > 0; --i) out.emplace_back(rng_.between(least, 3));
  for (int64_t s : sizes) out.emplace_back(s == 1 ? rng_.between(least, 4) : s);
  return out;
}

ir::Shape AttributeDraws::along_other_axes(ir::Shape shape, const std::vector<int64_t>& whole) {
  constexpr size_t kMostAxes = 8;
  std::vector<ir::Shape> some;
  for (size_t kept = 0; whole.size() <= kMostAxes && kept < size_t{1} << whole.size(); ++kept) {
    std::vector<int64_t> sizes = whole;
    for (size_t i = 0; i < sizes.size(); ++i)
      if ((kept >> i & 1) == 0) sizes[i] = 1;
    ir::Shape spread = ir::static_shape(sizes);
    if (!shape.empty() && ir::element_count(spread) == ir::element_count(shape)) some.push_back(spread);
  }
  if (!some.empty() && rng_.chance(0.8)) return some[rng_.below(some.size())];
  if (rng_.chance(0.2)) shuffle(shape);
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(rng_.below(shape.size() + 1)), ir::Dim(1));
  return shape;
}

ir::Shape AttributeDraws::kernel_shape(bool transposed, bool groups, const std::vector<int64_t>& image) {
  const int64_t channels = image[1];
  group = groups && rng_.chance(0.6) ? divisor(channels) : 1;
  const bool named = !hints_.sizes.empty() && rng_.chance(0.3);
  const int64_t each =
      named ? std::min<int64_t>(hints_.sizes[rng_.below(hints_.sizes.size())], 16) : rng_.between(1, 2);
  std::vector<int64_t> shape = {each * group, channels / group};
  if (transposed) shape = {channels, each};
  for (size_t i = 2; i < image.size(); ++i)
    shape.push_back(rng_.between(1, std::min<int64_t>(3, std::max<int64_t>(image[i], 1))));
  return ir::static_shape(shape);
}

ir::Shape AttributeDraws::image_shape(bool transposed, bool groups, const std::vector<int64_t>& weights) {
  group = groups && rng_.chance(0.7) ? divisor(weights[0]) : 1;
  std::vector<int64_t> shape = {rng_.between(1, 2), transposed ? weights[0] : weights[1] * group};
  for (size_t i = 2; i < weights.size(); ++i) shape.push_back(weights[i] + rng_.between(0, 3));
  return ir::static_shape(shape);
}

}  // namespace isomer::rewrite
