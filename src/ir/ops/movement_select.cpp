// Movement that picks, places or hides elements: slice, pad, gather, trilu, the exchange of depth and space,
// and the shape of a tensor as values.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "ir/graph.h"
#include "ir/op_table.h"
#include "ir/ops/composed.h"
#include "ir/ops/declare.h"
#include "ir/ops/dims.h"
#include "ir/ops/families.h"
#include "ir/slice_bounds.h"

namespace isomer::ir::ops {
namespace {

Size clamped(const Size& at, const Size& low, const Size& high) {
  return at >= high ? high : at <= low ? low : at;
}

/// Bounds beyond all sizes are held where sums with sizes stay within 64 bits.
int64_t near(int64_t bound) {
  constexpr int64_t kFar = int64_t{1} << 62;
  return std::clamp(bound, -kFar, kFar);
}

/// The first position that start:end:step takes of `size` elements. ONNX's rule is numpy's but for a start
/// before the first element when going backwards, which numpy takes as nothing and ONNX as the first.
Size slice_first(int64_t start, int64_t step, const Size& size) {
  if ((start == 0 && step > 0) || size == 0) return 0;
  return clamped(start < 0 ? near(start) + size : Size(near(start)), 0, step > 0 ? size : size - 1);
}

/// Empty, or what is wrong with axes in any order.
std::string check_distinct(std::vector<int64_t> axes, size_t rank) {
  std::ranges::sort(axes);
  return check_axes(axes, rank);
}

/// How many it takes: a number, or a formula over `size`.
std::optional<Size> slice_count(int64_t start, int64_t end, int64_t step, const Size& size) {
  const auto place = [&](int64_t at, const Size& low, const Size& high) -> std::optional<Size> {
    const std::optional<Size> from_start = at < 0 ? sum(size, near(at)) : Size(near(at));
    const std::optional<Size> risen = from_start ? larger(*from_start, low) : std::nullopt;
    return risen ? smaller(*risen, high) : std::nullopt;
  };
  const bool rises = step > 0;
  const auto final = rises ? std::optional(size) : sum(size, -1);
  const auto first = final ? place(start, 0, *final) : std::nullopt;
  const bool to_the_end = rises && end >= kBeyondEverySize && !size.is_number();
  const auto last = to_the_end ? final : final ? place(end, rises ? 0 : -1, *final) : std::nullopt;
  if (!first || !last) return std::nullopt;
  const int64_t pace = rises ? step : -step;
  const std::optional<Size> span = rises ? sum(*last, *first, -1) : sum(*first, *last, -1);
  const std::optional<Size> before_last = span ? sum(*span, -1) : std::nullopt;
  const std::optional<Size> steps = before_last ? floor_quotient(*before_last, pace) : std::nullopt;
  const std::optional<Size> all = steps ? sum(*steps, 1) : std::nullopt;
  return all ? larger(*all, 0) : std::nullopt;
}

/// `count` elements along an axis, `step` apart, without steps: one of each group of so many; where the
/// last group is not whole or the step goes backwards, those at these places.
ValueId taken_apart(Compose& c, ValueId x, int64_t axis, int64_t first, int64_t step, int64_t count) {
  if (count == 0) return c.slice(x, axis, 0, 0);
  const auto known = [](const Dim& d) { return d.is_static() && d.size() > 0; };
  const int64_t size = c.size(x, axis);
  if (step < 0 || count > size / step || !std::ranges::all_of(c.shape(x), known)) {
    std::vector<double> places;
    for (int64_t n = 0; n < count; ++n) places.push_back(static_cast<double>(first + n * step));
    return c.call("gather", {x, c.constant(DType::kI64, {count}, places)}, {{"axis", axis}});
  }
  // Within its group, so that the last group ends where the axis does, or before.
  const int64_t place = std::max<int64_t>(0, first + step * count - size);
  Shape groups = c.shape(x);
  groups[static_cast<size_t>(axis)] = Dim(count);
  groups.insert(groups.begin() + static_cast<std::ptrdiff_t>(axis) + 1, Dim(step));
  const ValueId whole = c.slice(x, axis, first - place, first - place + step * count);
  return c.squeeze(c.slice(c.reshape(whole, std::move(groups)), axis + 1, place, place + 1), {axis + 1});
}

/// Where slices have no steps. An axis of unknown size is left as it is, since that cannot be said there.
ValueId slice_without_steps(Builder& builder, const OpInstance& op, std::span<const ValueId> in) {
  Compose c(builder);
  std::array<std::vector<int64_t>, 4> kept;  // axes, starts, ends, steps
  struct Apart {
    int64_t axis, first, step, count;
  };
  std::vector<Apart> apart;
  const std::vector<Size> of_input = op.in_extents(0), of_result = op.out_extents();
  for (size_t n = 0; n < op.ints("axes").size(); ++n) {
    const int64_t axis = op.ints("axes")[n], start = op.ints("starts")[n], step = op.ints("steps")[n];
    const Size &size = of_input[static_cast<size_t>(axis)], &count = of_result[static_cast<size_t>(axis)];
    if (step != 1 && size.is_number() && count.is_number()) {
      apart.push_back({axis, slice_first(start, step, size).number(), step, count.number()});
      continue;
    }
    const std::array<int64_t, 4> said = {axis, start, op.ints("ends")[n], step};
    for (size_t i = 0; i < said.size(); ++i) kept[i].push_back(said[i]);
  }
  ValueId out = in[0];
  if (!kept[0].empty())
    out = c.call("slice", {out},
                 {{"axes", kept[0]}, {"starts", kept[1]}, {"ends", kept[2]}, {"steps", kept[3]}});
  for (const Apart& a : apart) out = taken_apart(c, out, a.axis, a.first, a.step, a.count);
  return out;
}

OpDef slice() {
  OpDef def = operation(
      "slice", MeaningKind::kMovement, 1, {},
      "start:end:step of each of `axes`, clamped as ONNX does (negative bounds count from the end).",
      {ints_attr("axes", AttrRole::kSliced), ints_attr("starts", AttrRole::kStarts),
       ints_attr("ends", AttrRole::kEnds), ints_attr("steps", AttrRole::kSteps)});
  def.infer = [](const OpInstance& op) {
    if (auto bad = check_operand(op, 0, Takes::kAny); !bad.empty()) return Inferred::fail(bad);
    Shape out = op.in_shape(0);
    const std::vector<int64_t>& axes = op.ints("axes");
    if (auto bad = check_distinct(axes, out.size()); !bad.empty()) return Inferred::fail(bad);
    for (const char* attr : {"starts", "ends", "steps"})
      if (auto bad = check_count(op, attr, axes.size()); !bad.empty()) return Inferred::fail(bad);
    for (size_t n = 0; n < axes.size(); ++n) {
      const int64_t start = op.ints("starts")[n], end = op.ints("ends")[n], step = op.ints("steps")[n];
      Dim& d = out[static_cast<size_t>(axes[n])];
      if (step == 0 || step == INT64_MIN)
        return Inferred::fail(fmt::format("expected a step other than {}", step));
      if (step < 0 && end >= INT32_MAX)  // numpy: nothing; ONNX Runtime: to the beginning
        return Inferred::fail(fmt::format("expected an end below 2^31 - 1 for step {}, got {}", step, end));
      if (!set_dim(op, d, slice_count(start, end, step, size_of(op, d))))
        return Inferred::fail(fmt::format("bounds of dimension {} are beyond 64 bits", axes[n]));
    }
    return tensor_like(op, std::move(out));
  };
  def.nests = [](const OpInstance& op) {
    const std::vector<Size> in = op.in_extents(0);
    std::vector<IndexExpr> index = index_vars(0, static_cast<int>(in.size()));
    for (size_t n = 0; n < op.ints("axes").size(); ++n) {
      const auto axis = static_cast<size_t>(op.ints("axes")[n]);
      const int64_t step = op.ints("steps")[n];
      index[axis] = index[axis] * step + slice_first(op.ints("starts")[n], step, in[axis]);
    }
    return std::vector<LoopNest>{movement(op.out_extents(), read_at(0, std::move(index)))};
  };
  const auto steps = [](const OpInstance& op) {
    const bool all_one = std::ranges::all_of(op.ints("steps"), [](int64_t s) { return s == 1; });
    return all_one ? "" : "it has steps";
  };
  def.spellings = {refusing(typed(onnx_irregular("Slice", 1, 9), all_bfloat_since_13()), steps),
                   typed(onnx_irregular("Slice", 10), all_bfloat_since_13())};
  def.older_words = slice_without_steps;
  def.moves = Moves::kSelects;
  def.range = RangeKind::kPart;
  return def;
}

Inferred pad_type(const OpInstance& op) {
  if (auto bad = check_operand(op, 0, Takes::kAny); !bad.empty()) return Inferred::fail(bad);
  const std::string& mode = op.s("mode");
  Shape out = op.in_shape(0);
  if (auto bad = check_count(op, "pads", 2 * out.size()); !bad.empty()) return Inferred::fail(bad);
  for (size_t i = 0; i < out.size(); ++i) {
    const int64_t begin = op.ints("pads")[i], end = op.ints("pads")[i + out.size()];
    if (begin == 0 && end == 0) continue;
    if (mode != "constant" && (begin < 0 || end < 0))
      return Inferred::fail(
          fmt::format("expected pads of at least 0 for mode {}, got {} and {}", mode, begin, end));
    const Size size = size_of(op, out[i]);
    if (mode != "constant" && always_zero(size))
      return Inferred::fail(fmt::format("dimension {} is empty: mode {} has nothing to pad with", i, mode));
    const std::optional<Size> begun = sum(size, begin), all = begun ? sum(*begun, end) : std::nullopt;
    const std::optional<Size> shorter = sum(size, std::min(begin, int64_t{0}));
    const std::optional<Size> kept = shorter ? sum(*shorter, std::min(end, int64_t{0})) : std::nullopt;
    if (!kept || always_negative(*kept) || !set_dim(op, out[i], all))
      return Inferred::fail(fmt::format("pads {} and {} cut more than dimension {} has", begin, end, i));
  }
  return tensor_like(op, std::move(out));
}

std::vector<LoopNest> pad_nest(const OpInstance& op) {
  const std::vector<Size> in = op.in_extents(0);
  const std::string& mode = op.s("mode");
  std::vector<IndexExpr> index;
  for (size_t i = 0; i < in.size(); ++i) {
    const int64_t begin = op.ints("pads")[i], end = op.ints("pads")[i + in.size()];
    const IndexExpr at = IndexExpr::var(static_cast<int>(i)) - begin;
    if (mode == "constant" || (begin == 0 && end == 0)) {
      index.push_back(at);
    } else if (mode == "edge") {
      index.push_back(min(max(at, 0), in[i] - 1));
    } else if (mode == "wrap") {
      index.push_back(at.mod(in[i]));
    } else {  // reflect: a wave of period 2 (size - 1)
      const Size period = in[i] > 1 ? 2 * (in[i] - 1) : Size(1);
      const IndexExpr phase = at.mod(period);
      index.push_back(min(phase, IndexExpr(2 * (in[i] - 1)) - phase));
    }
  }
  if (mode != "constant") return {movement(op.out_extents(), read_at(0, std::move(index)))};
  LoopNest nest = movement(op.out_extents(), read_guarded(0, std::move(index)));
  nest.result = scalar::select(scalar::valid(0), scalar::read(0), literal(op.in_dtype(0), op.f("value")));
  return {std::move(nest)};
}

OpDef pad() {
  OpDef def = operation(
      "pad", MeaningKind::kMovement, 1, {},
      "x with pads[i] elements before and pads[rank + i] after it in dimension i: `value`, the edge, the "
      "mirror image without the edge, or x again. Negative pads cut (mode constant only).",
      {ints_attr("pads", AttrRole::kAllPads),
       string_attr("mode", "constant", {"constant", "edge", "reflect", "wrap"}), float_attr("value", 0.0f)});
  def.infer = pad_type;
  def.nests = pad_nest;
  const std::vector<TypesSince> types = {{7, kOnnxFloats}, {11, kOnnxFloats | kOnnxIntegers}, {13, kOnnxAll}};
  const auto wraps = [](const OpInstance& op) { return op.s("mode") == "wrap" ? "it wraps" : ""; };
  def.spellings = {refusing(typed(onnx_irregular("Pad", 2, 18), types), wraps),
                   typed(onnx_irregular("Pad", 19), types)};
  return def;
}

OpDef gather() {
  OpDef def = operation(
      "gather", MeaningKind::kMovement, 2, {},
      "Slices of x along `axis` at the positions that the second operand (i32 or i64; negative ones count "
      "from the end) holds; its dimensions take the place of that axis.",
      {axis_attr(0)});
  def.infer = [](const OpInstance& op) {
    if (auto bad = check_operand(op, 0, Takes::kAny); !bad.empty()) return Inferred::fail(bad);
    if (auto bad = check_operand(op, 1, Takes::kIntegers); !bad.empty()) return Inferred::fail(bad);
    if (op.in_dtype(1) != DType::kI32 && op.in_dtype(1) != DType::kI64)
      return Inferred::fail(fmt::format("operand 1: expected i32 or i64, got {}", name(op.in_dtype(1))));
    const Shape &data = op.in_shape(0), &indices = op.in_shape(1);
    if (auto bad = check_axis(op.i("axis"), data.size()); !bad.empty()) return Inferred::fail(bad);
    const auto axis = static_cast<std::ptrdiff_t>(op.i("axis"));
    Shape out(data.begin(), data.begin() + axis);
    out.insert(out.end(), indices.begin(), indices.end());
    out.insert(out.end(), data.begin() + axis + 1, data.end());
    return tensor_like(op, std::move(out));
  };
  def.nests = [](const OpInstance& op) {
    const std::vector<Size> data = op.in_extents(0);
    const auto axis = static_cast<int>(op.i("axis"));
    const auto rank = static_cast<int>(op.in_shape(1).size());
    std::vector<IndexExpr> index = index_vars(0, axis);
    index.push_back(IndexExpr::load(1, data[static_cast<size_t>(axis)]));
    for (int i = axis + 1; i < static_cast<int>(data.size()); ++i)
      index.push_back(IndexExpr::var(i - 1 + rank));
    LoopNest nest = movement(op.out_extents(), read_at(0, std::move(index)));
    nest.reads.push_back(read_at(1, index_vars(axis, rank)));
    return std::vector<LoopNest>{std::move(nest)};
  };
  def.spellings = {typed(onnx("Gather", 1), all_bfloat_since_13())};
  def.elements = {Elements::kAny, Elements::kIndices};
  def.range = RangeKind::kGather;
  return def;
}

std::string check_blocks(const OpInstance& op) {
  if (auto bad = check_operand(op, 0, Takes::kAny); !bad.empty()) return bad;
  if (auto bad = check_rank(op, 0, 4); !bad.empty()) return bad;
  constexpr int64_t kMostBlock = 1 << 16;  // its square is a size
  if (op.i("blocksize") < 1 || op.i("blocksize") > kMostBlock)
    return fmt::format("expected blocksize of 1 to {}, got {}", kMostBlock, op.i("blocksize"));
  return {};
}

/// Whether `by` divides the size at some size of what is named.
bool may_divide(const Size& size, int64_t by) { return !size.is_number() || size.number() % by == 0; }

OpDef depth_to_space() {
  OpDef def =
      operation("depth_to_space", MeaningKind::kMovement, 1, {},
                "[N, b b C, H, W] to [N, C, b H, b W]; mode DCR: depth index = (row, column, channel), CRD: "
                "(channel, row, column).",
                {int_attr("blocksize"), string_attr("mode", "DCR", {"DCR", "CRD"})});
  def.infer = [](const OpInstance& op) {
    if (auto bad = check_blocks(op); !bad.empty()) return Inferred::fail(bad);
    Shape out = op.in_shape(0);
    const int64_t block = op.i("blocksize");
    const Size channels = size_of(op, out[1]);
    if (!may_divide(channels, block * block))
      return Inferred::fail(
          fmt::format("expected channels that {} divides, got {}", block * block, channels.number()));
    bool fits = set_dim(op, out[1], floor_quotient(channels, block * block));
    for (size_t i : {2, 3}) fits = fits && set_dim(op, out[i], product(size_of(op, out[i]), block));
    return fits ? tensor_like(op, std::move(out)) : Inferred::fail("height or width beyond 64 bits");
  };
  def.nests = [](const OpInstance& op) {
    const int64_t b = op.i("blocksize");
    const std::vector<Size> out = op.out_extents();
    const IndexExpr n = IndexExpr::var(0), c = IndexExpr::var(1), h = IndexExpr::var(2),
                    w = IndexExpr::var(3);
    const IndexExpr block = h.mod(b) * b + w.mod(b);
    const IndexExpr depth = op.s("mode") == "DCR" ? block * out[1] + c : c * (b * b) + block;
    return std::vector<LoopNest>{movement(out, read_at(0, {n, depth, h.floor_div(b), w.floor_div(b)}))};
  };
  def.spellings = {said(typed(onnx("DepthToSpace", 1), all_bfloat_since_13()),
                        {{.ours = "blocksize"}, {.ours = "mode", .since = 11}})};
  def.moves = Moves::kSelects;
  def.range = RangeKind::kMove;
  return def;
}

OpDef space_to_depth() {
  OpDef def = operation("space_to_depth", MeaningKind::kMovement, 1, {},
                        "[N, C, b H, b W] to [N, b b C, H, W]: depth index = (row, column, channel).",
                        {int_attr("blocksize")});
  def.infer = [](const OpInstance& op) {
    if (auto bad = check_blocks(op); !bad.empty()) return Inferred::fail(bad);
    Shape out = op.in_shape(0);
    const int64_t block = op.i("blocksize");
    if (!may_divide(size_of(op, out[2]), block) || !may_divide(size_of(op, out[3]), block))
      return Inferred::fail(
          fmt::format("expected height and width that {} divides, got {}", block, print_shape(op.ctx, out)));
    bool fits = set_dim(op, out[1], product(size_of(op, out[1]), block * block));
    for (size_t i : {2, 3}) fits = fits && set_dim(op, out[i], floor_quotient(size_of(op, out[i]), block));
    return fits ? tensor_like(op, std::move(out)) : Inferred::fail("channels beyond 64 bits");
  };
  def.nests = [](const OpInstance& op) {
    const int64_t b = op.i("blocksize");
    const Size channels = divisor_of(op.in_extents(0)[1]);
    const IndexExpr n = IndexExpr::var(0), d = IndexExpr::var(1), h = IndexExpr::var(2),
                    w = IndexExpr::var(3);
    const IndexExpr block = d.floor_div(channels);
    return std::vector<LoopNest>{
        movement(op.out_extents(),
                 read_at(0, {n, d.mod(channels), h * b + block.floor_div(b), w * b + block.mod(b)}))};
  };
  def.spellings = {typed(onnx("SpaceToDepth", 1), all_bfloat_since_13())};
  def.moves = Moves::kSelects;
  def.range = RangeKind::kMove;
  return def;
}

OpDef upsample() {
  OpDef def = operation("upsample", MeaningKind::kMovement, 1, {},
                        "Each element `factors` times along each dimension: out[i] = x[i / factor].",
                        {ints_attr("factors")});
  def.infer = [](const OpInstance& op) {
    if (auto bad = check_operand(op, 0, Takes::kAny); !bad.empty()) return Inferred::fail(bad);
    Shape out = op.in_shape(0);
    if (auto bad = check_count(op, "factors", out.size()); !bad.empty()) return Inferred::fail(bad);
    for (size_t i = 0; i < out.size(); ++i) {
      const int64_t factor = op.ints("factors")[i];
      if (factor < 1) return Inferred::fail(fmt::format("expected factors of at least 1, got {}", factor));
      if (factor == 1) continue;
      if (!set_dim(op, out[i], product(size_of(op, out[i]), factor)))
        return Inferred::fail(fmt::format("dimension {} has more than 64 bits hold", i));
    }
    return tensor_like(op, std::move(out));
  };
  def.nests = [](const OpInstance& op) {
    std::vector<IndexExpr> index = index_vars(0, static_cast<int>(op.in_shape(0).size()));
    for (size_t i = 0; i < index.size(); ++i)
      if (op.ints("factors")[i] > 1) index[i] = index[i].floor_div(op.ints("factors")[i]);
    return std::vector<LoopNest>{movement(op.out_extents(), read_at(0, std::move(index)))};
  };
  constexpr DTypeSet kFirst = kOnnxFloats | dtype_set(DType::kI32);
  def.spellings = {typed(onnx_irregular("Resize", 11), {{11, kFirst}, {13, kFirst | kOnnxBytes}})};
  def.moves = Moves::kSelects;
  def.range = RangeKind::kMove;
  return def;
}

OpDef trilu() {
  OpDef def = operation(
      "trilu", MeaningKind::kMovement, 1, {},
      "The upper (column - row >= k) or lower (<= k) triangle of the last two dimensions, 0 elsewhere.",
      {int_attr("upper", 1), int_attr("k", 0)});
  def.infer = [](const OpInstance& op) {
    if (auto bad = check_operand(op, 0, Takes::kAny); !bad.empty()) return Inferred::fail(bad);
    if (op.in_shape(0).size() < 2)
      return Inferred::fail("expected a matrix, got " + print_shape(op.ctx, op.in_shape(0)));
    return Inferred::ok(op.inputs[0]);
  };
  def.nests = [](const OpInstance& op) {
    const int rank = static_cast<int>(op.in_shape(0).size());
    LoopNest nest = movement(op.out_extents(), read_all(0, static_cast<size_t>(rank)));
    const ScalarExpr diagonal = scalar::var(rank - 2) + scalar::integer(op.i("k")),
                     column = scalar::var(rank - 1);
    const ScalarExpr inside = op.i("upper") ? scalar::apply(ScalarOp::kLessEqual, diagonal, column)
                                            : scalar::apply(ScalarOp::kLessEqual, column, diagonal);
    nest.result = scalar::select(inside, scalar::read(0), literal(op.in_dtype(0), 0));
    return std::vector<LoopNest>{std::move(nest)};
  };
  def.spellings = {
      said(typed(onnx("Trilu", 14), {{14, kOnnxAll}}), {{.ours = "k", .input = 1, .scalar = true}})};
  def.range = RangeKind::kMoveOrZero;
  return def;
}

/// The first dimension that is asked for, and how many.
std::pair<int64_t, int64_t> shape_range(const OpInstance& op) {
  const auto rank = static_cast<int64_t>(op.in_shape(0).size());
  const std::optional<Size> count = slice_count(op.i("start"), op.i("end"), 1, rank);
  return {slice_first(op.i("start"), 1, rank).number(), count ? count->number() : 0};
}

std::string part_of_shape(const OpInstance& op) {
  const Type& x = op.type(0);
  const bool whole =
      x.is_ranked_tensor() && op.i("start") == 0 && op.i("end") == static_cast<int64_t>(x.shape.size());
  return whole ? "" : "it is of some dimensions";
}

OpDef shape() {
  OpDef def = operation("shape", MeaningKind::kMovement, 1, {},
                        "Dimensions start to end of x, as i64 [count]; bounds as those of slice.",
                        {int_attr("start", 0), int_attr("end")});
  def.infer = [](const OpInstance& op) {
    if (auto bad = check_operand(op, 0, Takes::kAny); !bad.empty()) return Inferred::fail(bad);
    return Inferred::ok(op.ctx.tensor_type(DType::kI64, {Dim(shape_range(op).second)}));
  };
  def.nests = [](const OpInstance& op) {
    const auto [first, count] = shape_range(op);
    const std::vector<Size> in = op.in_extents(0);
    LoopNest nest;
    nest.space = {count};
    nest.result = scalar::integer(0);
    for (int64_t i = count; i-- > 0;) {
      const ScalarExpr size = scalar::integer(in[static_cast<size_t>(first + i)]);
      nest.result = scalar::select(scalar::apply(ScalarOp::kEqual, scalar::var(0), scalar::integer(i)), size,
                                   nest.result);
    }
    return std::vector<LoopNest>{std::move(nest)};
  };
  def.spellings = {refusing(onnx_irregular("Shape", 1, 14), part_of_shape), onnx_irregular("Shape", 15)};
  def.moves = Moves::kAsksShape;
  return def;
}

OpDef element_count() {
  OpDef def =
      operation("element_count", MeaningKind::kMovement, 1, {}, "How many elements x has, as i64 [].");
  def.infer = [](const OpInstance& op) {
    const std::string bad = check_operand(op, 0, Takes::kAny);
    return bad.empty() ? Inferred::ok(op.ctx.tensor_type(DType::kI64, {})) : Inferred::fail(bad);
  };
  def.nests = [](const OpInstance& op) {
    Size count = 1;
    for (const Size& size : op.in_extents(0)) count *= size;
    LoopNest nest;
    nest.result = scalar::integer(count);
    return std::vector<LoopNest>{std::move(nest)};
  };
  def.spellings = {onnx("Size", 1)};
  return def;
}

}  // namespace

void register_movement_select(OpTable& table) {
  table.add(slice());
  table.add(pad());
  table.add(gather());
  table.add(depth_to_space());
  table.add(space_to_depth());
  table.add(upsample());
  table.add(trilu());
  table.add(shape());
  table.add(element_count());
}

}  // namespace isomer::ir::ops
