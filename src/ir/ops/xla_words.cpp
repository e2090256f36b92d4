#include "ir/ops/xla_words.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "ir/constant_of.h"
#include "ir/op_table.h"
#include "ir/ops/axes.h"
#include "ir/ops/regions.h"

namespace isomer::ir::ops {
namespace {

using Ints = std::vector<int64_t>;
using Tensors = std::vector<ValueId>;

constexpr int64_t kMostPairs = int64_t{1} << 22;   // of elements that a sort holds to each other
constexpr int64_t kMostPlaces = int64_t{1} << 10;  // of a window

/// What a region of scalars gives of tensors of one shape, element by element; nothing where it does more.
Tensors element_by_element(Compose& c, const Graph& region, const Tensors& in, const Shape& shape) {
  Tensors values(region.size());
  for (size_t i = 0; i < in.size(); ++i) values[region.inputs()[i].index()] = in[i];
  for (size_t i = 0; i < region.size(); ++i) {
    const ValueId v(i);
    const OpDef& def = region.def(v);
    if (values[i].valid()) continue;
    if (region.type(v).shape != Shape{}) return {};
    if (def.is(Core::kConstant)) {
      values[i] = c.spread(c.builder().constant(constant_id(region, v)), shape);
      continue;
    }
    if (def.kind != MeaningKind::kPointwise) return {};
    Tensors operands;
    for (const ValueId o : region.operands(v)) operands.push_back(values[o.index()]);
    values[i] = c.builder().add(region.op(v), region.payload(v), operands);
  }
  Tensors out;
  for (const ValueId o : region.outputs()) out.push_back(values[o.index()]);
  return out;
}

/// The tensor that a comparator goes by alone, and whether its largest element comes first.
std::optional<std::pair<size_t, bool>> only_key(const Graph& comparator) {
  const ValueId answer = comparator.outputs()[0];
  const std::string& op = comparator.def(answer).name;
  if (op != "less" && op != "greater") return std::nullopt;
  const auto operands = comparator.operands(answer);
  for (size_t i = 0; i + 1 < comparator.inputs().size(); i += 2) {
    const ValueId one = comparator.inputs()[i], other = comparator.inputs()[i + 1];
    if (operands[0] == one && operands[1] == other) return std::pair(i / 2, op == "greater");
    if (operands[0] == other && operands[1] == one) return std::pair(i / 2, op == "less");
  }
  return std::nullopt;
}

/// NaN, which such a comparator orders nowhere, stands for infinity: runtimes' TopK lose the order of numbers
/// beside it. They have no kernels for all types: those that i64 or f32 holds are ordered as such.
ValueId sort_by_key(Compose& c, const OpInstance& op, Values in, std::pair<size_t, bool> key) {
  const int64_t axis = op.i("axis"), size = op.in_sizes(0)[static_cast<size_t>(axis)];
  const DType type = op.in_dtype(key.first);
  ValueId by = in[key.first];
  if (is_float(type)) {
    if (bit_width(type) < 32) by = c.cast(by, DType::kF32);
    const ValueId most = c.constant(c.dtype(by), {}, {std::numeric_limits<double>::infinity()});
    by = c.where(c.call("is_nan", {by}), most, by);
  } else if (type != DType::kI32) {
    by = c.cast(by, DType::kI64);
  }
  const ValueId all = c.call("top_k", {by}, {{"axis", axis}, {"k", size}, {"largest", int64_t{key.second}}});
  const ValueId places = c.call("get", {all}, {{"index", int64_t{1}}});
  Tensors out;
  for (size_t i = 0; i < in.size(); ++i)
    out.push_back(i == key.first && by == in[i]
                      ? c.call("get", {all}, {{"index", int64_t{0}}})
                      : c.call("gather_elements", {in[i], places}, {{"axis", axis}}));
  return several(c.builder(), out);
}

/// The place of each element along the last dimension: by how many the comparator has before it and not
/// behind it, of equally many the earlier one first. That is the order itself where there is one, and no two
/// places are equal where there is none: beside NaN, or where equal elements come before each other.
ValueId ranks(Compose& c, const Graph& comparator, const Tensors& lines) {
  Shape pairs = c.shape(lines[0]);
  const auto rank = static_cast<int64_t>(pairs.size());
  const int64_t size = pairs.back().size();
  pairs.push_back(pairs.back());
  Tensors operands;
  for (const ValueId x : lines)
    for (const int64_t axis : {rank, rank - 1}) operands.push_back(c.spread(c.unsqueeze(x, {axis}), pairs));
  const Tensors before = element_by_element(c, comparator, operands, pairs);
  if (before.empty()) return {};
  const auto count = [&](ValueId truths) {  // over the elements that are held to each one
    return c.reduce("reduce_sum", c.cast(truths, DType::kI64), {rank - 1}, false);
  };
  const ValueId strictly = c.call("and", {before[0], c.call("not", {c.transpose_matrix(before[0])})});
  const ValueId ahead = count(strictly), of_all = c.unsqueeze(ahead, {rank - 1}),
                of_each = c.unsqueeze(ahead, {rank});
  const ValueId is_earlier =
      c.both("less", c.count_along(DType::kI64, size, 0, 2), c.count_along(DType::kI64, size, 1, 2));
  const ValueId stays = c.both("and", c.both("equal", of_each, of_all), is_earlier);
  return count(c.call("or", {c.both("less", of_each, of_all), stays}));
}

/// The start along dimension `d` that fits, one element.
ValueId start(Compose& c, ValueId starts, size_t d, int64_t most) {
  const ValueId one =
      c.cast(c.slice(starts, 0, static_cast<int64_t>(d), static_cast<int64_t>(d) + 1), DType::kI64);
  return c.with("min", c.with("max", one, 0), static_cast<double>(most));
}

/// Slices of the padded tensor, one for each place in the window.
struct Places {
  Ints low, in, out, strides, dilations, steps;

  bool is_inside(size_t d, int64_t at, int64_t place) const {
    const int64_t i = at * strides[d] + place * dilations[d] - low[d];
    return i >= 0 && i % steps[d] == 0 && i / steps[d] < in[d];
  }
  /// Whether all results find an element there: their places in the input have a period, and ends.
  bool all_inside(const Ints& place) const {
    for (size_t d = 0; d < in.size(); ++d) {
      for (int64_t at = 0; at < std::min(out[d], steps[d]); ++at)
        if (!is_inside(d, at, place[d])) return false;
      if (!is_inside(d, out[d] - 1, place[d])) return false;
    }
    return true;
  }
};

}  // namespace

ValueId sort_in_words(Builder& builder, const OpInstance& op, Values in) {
  Compose c(builder);
  const Graph& comparator = region(op, AttrRole::kComparator);
  const Ints sizes = op.in_sizes(0);
  const int64_t axis = op.i("axis"), rank = static_cast<int64_t>(sizes.size());
  int64_t pairs = sizes[static_cast<size_t>(axis)];
  for (const int64_t n : sizes) pairs *= n;
  if (pairs == 0) return several(builder, {in.begin(), in.end()});
  const auto key = only_key(comparator);
  if (key && op.in_dtype(key->first) != DType::kU64) return sort_by_key(c, op, in, *key);
  if (pairs > kMostPairs) return {};
  Ints turned = counted(rank);
  std::swap(turned[static_cast<size_t>(axis)], turned.back());
  Tensors lines, out;
  for (const ValueId x : in) lines.push_back(c.transpose(x, turned));
  const ValueId places = ranks(c, comparator, lines);
  if (!places.valid()) return {};
  for (const ValueId x : lines)
    out.push_back(c.transpose(
        c.call("scatter_elements", {x, places, x}, {{"axis", rank - 1}, {"reduction", std::string("none")}}),
        turned));
  return several(builder, out);
}

ValueId reduce_in_words(Builder& builder, const OpInstance& op, Values in) {
  Compose c(builder);
  const Graph& combiner = region(op, AttrRole::kCombiner);
  const size_t count = in.size() / 2;
  const Ints sizes = op.in_sizes(0);
  Ints order = op.ints("axes");
  std::ranges::sort(order);
  Shape rest;
  int64_t left = 1;
  for (const int64_t axis : order) left *= sizes[static_cast<size_t>(axis)];
  for (size_t d = 0; d < sizes.size(); ++d)
    if (!is_among(op.ints("axes"), d)) {
      order.push_back(static_cast<int64_t>(d));
      rest.emplace_back(sizes[d]);
    }
  const auto rows = [&](std::initializer_list<int64_t> first) {
    Shape out;
    for (const int64_t n : first) out.emplace_back(n);
    out.insert(out.end(), rest.begin(), rest.end());
    return out;
  };
  Tensors begun, reached;
  for (size_t i = 0; i < count; ++i) begun.push_back(c.spread(in[count + i], rest));
  if (left == 0) return several(builder, begun);
  for (size_t i = 0; i < count; ++i)
    reached.push_back(c.reshape(order.empty() ? in[i] : c.transpose(in[i], order), rows({left})));
  for (; left > 1; left = (left + 1) / 2) {
    const int64_t half = left / 2;
    Tensors both;
    for (const int64_t side : {0, 1})
      for (const ValueId x : reached) {
        const ValueId even = left % 2 == 0 ? x : c.slice(x, 0, 0, 2 * half);
        both.push_back(c.squeeze(c.slice(c.reshape(even, rows({half, 2})), 1, side, side + 1), {1}));
      }
    Tensors next = element_by_element(c, combiner, both, rows({half}));
    if (next.empty()) return {};
    for (size_t i = 0; left % 2 != 0 && i < count; ++i)
      next[i] = c.concat({next[i], c.slice(reached[i], 0, left - 1, left)}, 0);
    reached = std::move(next);
  }
  for (const ValueId x : reached) begun.push_back(c.reshape(x, rest));
  const Tensors out = element_by_element(c, combiner, begun, rest);
  return out.empty() ? ValueId() : several(builder, out);
}

ValueId reduce_window_in_words(Builder& builder, const OpInstance& op, Values in) {
  Compose c(builder);
  const Graph& combiner = region(op, AttrRole::kCombiner);
  const size_t count = in.size() / 2, rank = op.in_sizes(0).size();
  const Ints &kernel = op.ints("kernel"), &pads = op.ints("pads");
  int64_t places = 1;
  for (const int64_t n : kernel) places *= n;
  if (places > kMostPlaces) return {};
  const Type& type = op.ctx.get(op.output);
  const Shape shape = (type.is_tensor() ? type : op.ctx.get(type.elements[0])).shape;
  Tensors reached;
  const Places window = {{pads.begin(), pads.begin() + static_cast<std::ptrdiff_t>(rank)},
                         op.in_sizes(0),
                         ir::sizes(shape),
                         op.ints("strides"),
                         op.ints("dilations"),
                         op.ints("input_dilations")};
  Ints gaps = window.steps;
  for (int64_t& n : gaps) --n;
  const auto pad = [&](ValueId x, ValueId filling) {
    return c.call("dilated_pad", {x, filling}, {{"pads", pads}, {"interior", gaps}});
  };
  const auto cut = [&](ValueId x, const Ints& starts, const Ints& ends) {
    return c.call("slice", {x},
                  {{"axes", counted(static_cast<int64_t>(rank))},
                   {"starts", starts},
                   {"ends", ends},
                   {"steps", window.strides}});
  };
  Tensors padded;
  for (size_t i = 0; i < count; ++i) {
    reached.push_back(c.spread(in[count + i], shape));
    padded.push_back(pad(in[i], in[count + i]));
  }
  const auto truth = [&](double value) { return c.constant(DType::kBool, {}, {value}); };
  const ValueId is_element = pad(c.spread(truth(1), op.in_shape(0)), truth(0));
  if (element_count(shape) == 0) return several(builder, reached);
  Ints place(rank, 0);
  for (int64_t n = 0; n < places; ++n) {
    Ints starts, ends;
    for (size_t d = 0; d < rank; ++d) {
      starts.push_back(place[d] * window.dilations[d]);
      ends.push_back(starts[d] + (window.out[d] - 1) * window.strides[d] + 1);
    }
    Tensors operands = reached;
    for (const ValueId x : padded) operands.push_back(cut(x, starts, ends));
    const Tensors next = element_by_element(c, combiner, operands, shape);
    if (next.empty()) return {};
    const bool all = window.all_inside(place);
    const ValueId inside = all ? ValueId() : cut(is_element, starts, ends);
    for (size_t i = 0; i < count; ++i) reached[i] = all ? next[i] : c.where(inside, next[i], reached[i]);
    for (size_t d = rank; d-- > 0;) {
      if (++place[d] < kernel[d]) break;
      place[d] = 0;
    }
  }
  return several(builder, reached);
}

ValueId dilated_pad_in_words(Builder& builder, const OpInstance& op, Values in) {
  Compose c(builder);
  ValueId x = in[0];
  const auto filling = [&](size_t d, int64_t count) {
    Shape shape = c.shape(x);
    shape[d] = Dim(count);
    return c.spread(in[1], shape);
  };
  const size_t rank = op.in_sizes(0).size();
  for (size_t d = 0; d < rank; ++d) {
    const auto axis = static_cast<int64_t>(d);
    const int64_t gap = op.ints("interior")[d], low = op.ints("pads")[d], high = op.ints("pads")[rank + d];
    if (const int64_t n = c.size(x, axis); gap > 0 && n > 1) {
      Shape spread = c.shape(x);
      spread[d] = Dim(n * (1 + gap));
      x = c.unsqueeze(x, {axis + 1});
      x = c.slice(c.reshape(c.concat({x, filling(d + 1, gap)}, axis + 1), spread), axis, 0,
                  n + (n - 1) * gap);
    }
    Tensors parts = {x};
    if (low > 0) parts.insert(parts.begin(), filling(d, low));
    if (high > 0) parts.push_back(filling(d, high));
    x = c.concat(parts, axis);
    if (low < 0 || high < 0)
      x = c.slice(x, axis, std::max(-low, int64_t{0}), c.size(x, axis) + std::min(high, int64_t{0}));
  }
  return x;
}

ValueId dilated_conv_in_words(Builder& builder, const OpInstance& op, Values in) {
  Compose c(builder);
  const size_t rank = op.in_sizes(0).size(), of_space = rank - 2;
  Ints pads(2 * rank, 0), gaps(rank, 0);
  for (size_t d = 0; d < of_space; ++d) {
    gaps[d + 2] = op.ints("input_dilations")[d] - 1;
    pads[d + 2] = op.ints("pads")[d];
    pads[rank + d + 2] = op.ints("pads")[of_space + d];
  }
  const ValueId zero = c.constant(op.in_dtype(0), {}, {0});
  const ValueId x = c.call("dilated_pad", {in[0], zero}, {{"pads", pads}, {"interior", gaps}});
  return c.call("conv", {x, in[1]},
                {{"strides", op.ints("strides")},
                 {"dilations", op.ints("dilations")},
                 {"pads", Ints(2 * of_space, 0)},
                 {"group", int64_t{1}}});
}

ValueId dynamic_slice_in_words(Builder& builder, const OpInstance& op, Values in) {
  Compose c(builder);
  const Ints sizes = op.in_sizes(0);
  const Ints& taken = op.ints("sizes");
  ValueId x = in[0];
  for (size_t d = 0; d < sizes.size(); ++d)
    if (taken[d] != sizes[d]) {
      const ValueId places =
          c.both("add", start(c, in[1], d, sizes[d] - taken[d]), c.count_along(DType::kI64, taken[d], 0, 1));
      x = c.call("gather", {x, places}, {{"axis", static_cast<int64_t>(d)}});
    }
  return x;
}

/// Scattered to tuples of places of the dimensions up to the last one that is not put as a whole.
ValueId dynamic_update_slice_in_words(Builder& builder, const OpInstance& op, Values in) {
  Compose c(builder);
  const Ints sizes = op.in_sizes(0), put = op.in_sizes(1);
  size_t told = sizes.size();
  while (told > 0 && put[told - 1] == sizes[told - 1]) --told;
  if (told == 0) return in[1];
  if (std::ranges::find(put, 0) != put.end()) return in[0];
  const auto rank = static_cast<int64_t>(told);
  Shape each;
  for (size_t d = 0; d < told; ++d) each.emplace_back(put[d]);
  Tensors columns;
  for (size_t d = 0; d < told; ++d) {
    const ValueId along = c.count_along(DType::kI64, put[d], static_cast<int64_t>(d), rank);
    const ValueId place =
        put[d] == sizes[d] ? along : c.both("add", along, start(c, in[2], d, sizes[d] - put[d]));
    columns.push_back(c.unsqueeze(c.spread(place, each), {rank}));
  }
  return c.call("scatter_nd", {in[0], c.concat(columns, rank), in[1]}, {{"reduction", std::string("none")}});
}

ValueId gather_nd_in_words(Builder& builder, const OpInstance& op, Values in) {
  Compose c(builder);
  return c.call("gather_nd", {in[0], c.cast(in[1], DType::kI64)}, {{"batch_dims", op.i("batch_dims")}});
}

ValueId scatter_nd_in_words(Builder& builder, const OpInstance& op, Values in) {
  Compose c(builder);
  return c.call("scatter_nd", {in[0], c.cast(in[1], DType::kI64), in[2]}, {{"reduction", op.s("reduction")}});
}

}  // namespace isomer::ir::ops
