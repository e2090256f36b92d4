// Reductions, of axes and of windows, whose combiner is a region of scalars, over several tensors at once
// (XLA's variadic reduce and reduce-window): an index beside a maximum, a mean beside a variance. The region
// becomes the step of the nest's accumulators, so that the operator is a loop nest like others.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "ir/constant_data.h"
#include "ir/constant_of.h"
#include "ir/graph.h"
#include "ir/op_table.h"
#include "ir/ops/axes.h"
#include "ir/ops/declare.h"
#include "ir/ops/families.h"
#include "ir/ops/regions.h"
#include "ir/ops/window.h"
#include "ir/ops/xla_words.h"

namespace isomer::ir::ops {
namespace {

/// `expr` with expressions in the place of its reads.
ScalarExpr with_reads(const ScalarExpr& expr, std::span<const ScalarExpr> reads) {
  std::vector<ScalarExpr> stack;
  for (const ScalarExpr::Instr& in : expr.code()) {
    const auto count = static_cast<size_t>(operand_count(in.op));
    if (in.op == ScalarOp::kRead) {
      stack.push_back(reads[static_cast<size_t>(in.index)]);
    } else if (count == 0) {
      stack.emplace_back(in);
    } else {
      const std::vector<ScalarExpr> operands(stack.end() - static_cast<std::ptrdiff_t>(count), stack.end());
      stack.resize(stack.size() - count);
      stack.emplace_back(in.op, operands, in.dtype);
    }
  }
  return stack.back();
}

/// As it is where it is stored: integers wrap. Numbers are real, and int64 wraps by itself.
ScalarExpr stored(DType dtype, const ScalarExpr& x) {
  return is_integer(dtype) && dtype != DType::kBool && bit_width(dtype) < 64 ? scalar::cast(dtype, x) : x;
}

/// What a region of scalars gives, of what its inputs are; empty where it does more than compute element by
/// element.
std::vector<ScalarExpr> scalars_of(const Graph& region, std::span<const ScalarExpr> inputs) {
  std::vector<ScalarExpr> values(region.size());
  for (size_t i = 0; i < inputs.size(); ++i) values[region.inputs()[i].index()] = inputs[i];
  for (size_t i = 0; i < region.size(); ++i) {
    const ValueId v(i);
    const OpDef& def = region.def(v);
    const Type& type = region.type(v);
    if (!type.is_static_tensor() || !type.shape.empty()) return {};
    if (def.is(Core::kInput)) continue;
    if (def.is(Core::kConstant)) {
      const auto bytes = constant_of(region, v).bytes();
      values[i] = is_integer(type.dtype) ? scalar::integer(load_integer(type.dtype, bytes, 0))
                                         : scalar::number(load_number(type.dtype, bytes, 0));
      continue;
    }
    if (def.kind != MeaningKind::kPointwise) return {};
    std::vector<TypeId> types;
    std::vector<ScalarExpr> operands;
    for (ValueId o : region.operands(v)) {
      types.push_back(region.type_id(o));
      operands.push_back(values[o.index()]);
    }
    const std::vector<LoopNest> nests =
        def.nests(OpInstance(region.context(), def, region.attrs(v), types, region.type_id(v)));
    values[i] = stored(type.dtype, with_reads(nests[0].result, operands));
  }
  std::vector<ScalarExpr> out;
  for (ValueId o : region.outputs()) out.push_back(values[o.index()]);
  return out;
}

/// What the combiner makes of accumulators and elements of `count` tensors.
std::vector<ScalarExpr> step_of(const OpInstance& op, size_t count) {
  std::vector<ScalarExpr> inputs;
  for (size_t i = 0; i < count; ++i) inputs.push_back(scalar::acc(static_cast<int>(i)));
  for (size_t i = 0; i < count; ++i) inputs.push_back(scalar::read(static_cast<int>(i)));
  return scalars_of(region(op, AttrRole::kCombiner), inputs);
}

/// Empty, or that there are not as many scalars as tensors.
std::string check_pairs(const OpInstance& op) {
  if (op.inputs.empty() || op.inputs.size() % 2 != 0)
    return "expected tensors, and as many scalars to begin with";
  for (size_t i = 0; i < op.inputs.size(); ++i)
    if (auto bad = check_operand(op, i, Takes::kAny); !bad.empty()) return bad;
  return {};
}

/// What the combiner makes of tensors of one shape and their scalars is of this shape.
Inferred combined_type(const OpInstance& op, const Shape& shape) {
  const size_t count = op.inputs.size() / 2;
  const Graph& combiner = region(op, AttrRole::kCombiner);
  if (combiner.inputs().size() != 2 * count || combiner.outputs().size() != count)
    return Inferred::fail(fmt::format("expected a combiner from {} to {} scalars, got one from {} to {}",
                                      2 * count, count, combiner.inputs().size(), combiner.outputs().size()));
  std::vector<TypeId> types;
  for (size_t i = 0; i < count; ++i) {
    if (auto bad = check_shape(op, i, op.in_shape(0)); !bad.empty()) return Inferred::fail(bad);
    const TypeId scalar = op.ctx.tensor_type(op.in_dtype(i), {});
    if (op.inputs[count + i] != scalar)
      return Inferred::fail(fmt::format("operand {}: expected {}, got {}", count + i, print(op.ctx, scalar),
                                        print(op.ctx, op.inputs[count + i])));
    for (ValueId v : {combiner.inputs()[i], combiner.inputs()[count + i], combiner.outputs()[i]})
      if (combiner.type_id(v) != scalar)
        return Inferred::fail(fmt::format("the combiner: expected {} for operand {}, got {}",
                                          print(op.ctx, scalar), i, print(op.ctx, combiner.type_id(v))));
    types.push_back(op.ctx.tensor_type(op.in_dtype(i), shape));
  }
  if (step_of(op, count).empty()) return Inferred::fail("expected a combiner of pointwise operators");
  return several(op, std::move(types));
}

/// The nest's results: of each tensor what the combiner reaches, step by step. Integers wrap at each.
LoopNest combined(const OpInstance& op, LoopNest nest, const std::vector<ScalarExpr>& step) {
  const size_t count = op.inputs.size() / 2;
  for (size_t i = 0; i < count; ++i) {
    nest.accumulators.push_back({step[i], Combiner::kStep, scalar::read(static_cast<int>(count + i))});
    if (is_integer(op.in_dtype(i))) nest.accumulators.back().dtype = op.in_dtype(i);
    (i == 0 ? nest.result : nest.further.emplace_back()) = scalar::acc(static_cast<int>(i));
  }
  nest.ordered = true;
  return nest;
}

Inferred reduce_type(const OpInstance& op) {
  if (auto bad = check_pairs(op); !bad.empty()) return Inferred::fail(bad);
  if (auto bad = check_axes(op.ints("axes"), op.in_shape(0).size()); !bad.empty()) return Inferred::fail(bad);
  Shape shape;
  for (size_t d = 0; d < op.in_shape(0).size(); ++d)
    if (!is_among(op.ints("axes"), d)) shape.push_back(op.in_shape(0)[d]);
  return combined_type(op, shape);
}

std::vector<LoopNest> reduce_nest(const OpInstance& op) {
  const size_t count = op.inputs.size() / 2;
  std::vector<size_t> tensors(count);
  std::iota(tensors.begin(), tensors.end(), size_t{0});
  LoopNest nest = nest_of(op, summed_over(op.ints("axes"), op.in_extents(0), tensors, false));
  return {combined(op, std::move(nest), step_of(op, count))};
}

Inferred reduce_window_type(const OpInstance& op) {
  if (auto bad = check_pairs(op); !bad.empty()) return Inferred::fail(bad);
  const Shape& in = op.in_shape(0);
  constexpr int64_t kMost = int64_t{1} << 40;  // with gaps they are within 64 bits
  if (!is_static(in) || std::ranges::any_of(in, [](Dim d) { return d.size() > kMost; }))
    return Inferred::fail("expected fixed sizes of at most 2^40, got " + print_shape(op.ctx, in));
  if (auto bad = check_count(op, "kernel", in.size()); !bad.empty()) return Inferred::fail(bad);
  if (auto bad = check_kernel(op.ints("kernel")); !bad.empty()) return Inferred::fail(bad);
  if (auto bad = check_dilated_window_attrs(op, in.size()); !bad.empty()) return Inferred::fail(bad);
  const Window window = window_of(op, op.ints("kernel"));
  Shape out;
  for (size_t i = 0; i < in.size(); ++i) out.emplace_back(dilated_places(op, window, i, in[i].size()));
  return combined_type(op, out);
}

std::vector<LoopNest> reduce_window_nest(const OpInstance& op) {
  const size_t count = op.inputs.size() / 2;
  const Window window = window_of(op, op.ints("kernel"));
  const AxisRole axes = {window.rank(), true, as_sizes(window.kernel),
                         [&](const Axis& axis, std::vector<Read>& reads) {
                           for (size_t i = 0; i < count; ++i)
                             append_dilated_index(op, window, axis, reads[i]);
                         }};
  LoopNest nest = nest_of(op, std::array{axes});
  for (size_t i = 0; i < count; ++i) guard(nest.reads[i]);
  std::vector<ScalarExpr> step = step_of(op, count);
  for (size_t i = 0; i < count; ++i)
    step[i] = scalar::select(scalar::valid(0), step[i], scalar::acc(static_cast<int>(i)));
  return {combined(op, std::move(nest), step)};
}

}  // namespace

void register_reduce_region(OpTable& table) {
  OpDef reduce =
      operation("reduce", MeaningKind::kContraction, 2, -1,
                "Tensors x1 .. xk of one shape, scalars a1 .. ak: over `axes`, in row-major order, "
                "`combiner` (a region from 2k scalars to k) takes what was reached, which begins with "
                "the scalars, and the next elements to the next ones. A tuple where k > 1.",
                {ints_attr("axes", AttrRole::kAxes), region_attr("combiner", AttrRole::kCombiner)});
  reduce.infer = reduce_type;
  reduce.nests = reduce_nest;
  reduce.older_words = reduce_in_words;
  table.add(std::move(reduce));

  OpDef windows = operation(
      "reduce_window", MeaningKind::kContraction, 2, -1,
      "As `reduce`, but over a window of `kernel` elements, `dilations` apart, that goes in `strides` over "
      "all dimensions. The input has input_dilations - 1 gaps between elements, then pads (begins, then "
      "ends; "
      "negative ones cut); gaps and pads are left out. A tuple where k > 1.",
      {ints_attr("kernel", AttrRole::kKernel), ints_attr("strides", AttrRole::kStrides),
       ints_attr("dilations", AttrRole::kDilations), ints_attr("input_dilations", AttrRole::kDilations),
       ints_attr("pads", AttrRole::kWindowPads), region_attr("combiner", AttrRole::kCombiner)});
  windows.infer = reduce_window_type;
  windows.nests = reduce_window_nest;
  windows.older_words = reduce_window_in_words;
  table.add(std::move(windows));
}

}  // namespace isomer::ir::ops
