// Reductions, of axes and of windows. What sums, products, maxima and minima alone make is what ONNX calls
// so; other combiners are regions.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "formats/hlo_lowering.h"
#include "hlo/window.h"

namespace isomer::formats {

using hlo::AttributeName;
using hlo::ComputationId;
using hlo::Opcode;
using hlo::Primitive;
using hlo::WindowDim;
using ir::ValueId;

namespace {

bool is_trivial(const WindowDim& w) {
  return w.size == 1 && w.stride == 1 && w.low == 0 && w.high == 0 && w.base_dilation == 1;
}

/// What a window that moves over all dimensions says, by kind.
std::vector<ir::NamedAttr> attributes_of(const std::vector<WindowDim>& window) {
  std::vector<int64_t> kernel, strides, dilations, gaps, low, high;
  for (const WindowDim& w : window) {
    kernel.push_back(w.size);
    strides.push_back(w.stride);
    dilations.push_back(w.window_dilation);
    gaps.push_back(w.base_dilation);
    low.push_back(w.low);
    high.push_back(w.high);
  }
  return {{"kernel", kernel},
          {"strides", strides},
          {"dilations", dilations},
          {"input_dilations", gaps},
          {"pads", joined(low, high)}};
}

}  // namespace

/// Of a window that is not said, a single element.
std::vector<WindowDim> HloLowering::window(size_t rank) const {
  std::vector<WindowDim> out = hlo::window_dims(m_.list(at_, AttributeName::kWindow), rank);
  if (std::ranges::any_of(out, [](const WindowDim& w) { return w.reversal != 0; }))
    fail("expected a window that is not reversed");
  return out;
}

HloLowering::Values HloLowering::reduce(const Values& x) {
  const ComputationId by = called(AttributeName::kToApply);
  std::vector<int64_t> axes = list(AttributeName::kDimensions);
  std::ranges::sort(axes);
  if (const auto one = m_.binary_function(by); one && x.size() == 2)
    if (const ValueId out = reduce_plainly(*one, x, axes); out.valid()) return {out};
  return parts(b_.add("reduce", x, {{"axes", axes}, {"combiner", static_cast<int64_t>(region(by).v)}}),
               x.size() / 2);
}

/// None where it takes a region to say it.
ValueId HloLowering::reduce_plainly(Opcode by, const Values& x, const std::vector<int64_t>& axes) {
  const auto over = [&](std::string_view op, ValueId v) { return ir::reduce(b_, op, v, axes, false); };
  const bool all = by == Opcode::kAnd || by == Opcode::kMinimum || by == Opcode::kMultiply;
  const bool any = by == Opcode::kOr || by == Opcode::kMaximum || by == Opcode::kAdd;
  if (element_of(0) == Primitive::kPred) {
    if (!all && !any) return {};
    const ValueId reached = over(all ? "reduce_min" : "reduce_max", cast(x[0], ir::DType::kI32));
    return combined(all ? "and" : "or", all ? 1 : 0, cast(reached, ir::DType::kBool), x[1]);
  }
  switch (by) {
    case Opcode::kAdd: return combined("add", 0, over("reduce_sum", x[0]), x[1]);
    case Opcode::kMultiply: return combined("mul", 1, over("reduce_prod", x[0]), x[1]);
    case Opcode::kMaximum: return combined("max", -HUGE_VAL, over("reduce_max", x[0]), x[1]);
    case Opcode::kMinimum: return combined("min", HUGE_VAL, over("reduce_min", x[0]), x[1]);
    default: return {};
  }
}

/// What a reduction reached and what it began with; the latter changes nothing where it is neutral.
ValueId HloLowering::combined(std::string_view op, double neutral, ValueId reached, ValueId initial) {
  if (is_constant(1, neutral)) return reached;
  return b_.add(op, {reached, ir::broadcast(b_, initial, ir::sizes_of(b_, reached))});
}

HloLowering::Values HloLowering::reduce_window(const Values& x) {
  const ComputationId by = called(AttributeName::kToApply);
  const std::vector<WindowDim> moved = window(sizes(operand_shape(0)).size());
  if (const auto one = m_.binary_function(by); one && x.size() == 2 && element_of(0) != Primitive::kPred) {
    if (*one == Opcode::kAdd && is_constant(1, 0))
      if (const ValueId out = running_sum(x, moved); out.valid()) return {out};
    if (*one == Opcode::kMaximum && is_constant(1, -HUGE_VAL))
      if (const ValueId out = pooled_maximum(x, moved); out.valid()) return {out};
  }
  std::vector<ir::NamedAttr> attrs = attributes_of(moved);
  attrs.push_back({"combiner", static_cast<int64_t>(region(by).v)});
  return parts(b_.add("reduce_window", x, attrs), x.size() / 2);
}

/// Sums so far, which XLA's front ends say by a window of all elements that begins, or ends, outside.
ValueId HloLowering::running_sum(const Values& x, const std::vector<WindowDim>& window) {
  const Sizes in = sizes(operand_shape(0));
  std::vector<int64_t> moved;
  for (size_t i = 0; i < window.size(); ++i)
    if (!is_trivial(window[i])) moved.push_back(static_cast<int64_t>(i));
  if (moved.size() != 1) return {};
  const WindowDim& w = window[static_cast<size_t>(moved[0])];
  const int64_t before = in[static_cast<size_t>(moved[0])] - 1;
  const bool forward = w.low == before && w.high == 0, backward = w.low == 0 && w.high == before;
  if (w.size != before + 1 || w.stride != 1 || w.base_dilation != 1 || w.window_dilation != 1 ||
      (!forward && !backward))
    return {};
  return b_.add("cumsum", {x[0]}, {{"axis", moved[0]}, {"reverse", int64_t{backward && !forward}}});
}

/// ONNX's MaxPool, where two dimensions are left alone: they are its batch and channels.
ValueId HloLowering::pooled_maximum(const Values& x, const std::vector<WindowDim>& window) {
  const Sizes in = sizes(operand_shape(0));
  std::vector<int64_t> still;
  for (size_t i = 0; i < window.size(); ++i) {
    const WindowDim& w = window[i];
    if (w.base_dilation != 1 || w.low < 0 || w.high < 0) return {};
    const int64_t extent = (w.size - 1) * w.window_dilation + 1;
    if (w.low >= extent || w.high >= extent || extent > in[i] + w.low + w.high) return {};
    if (is_trivial(w)) still.push_back(static_cast<int64_t>(i));
  }
  if (still.size() < 2 || window.size() < 3 || window.size() > 5 || !ir::is_float(dtype(element_of(0))))
    return {};
  const std::vector<int64_t> kept = {still.front(), still.back()};
  const std::vector<int64_t> order = joined(kept, other_dims(window.size(), kept));
  std::vector<WindowDim> spatial;
  for (size_t i = 2; i < order.size(); ++i) spatial.push_back(window[static_cast<size_t>(order[i])]);
  std::vector<ir::NamedAttr> attrs = attributes_of(spatial);
  std::erase_if(attrs, [](const ir::NamedAttr& a) { return a.name == "input_dilations"; });
  return ir::transpose(b_, b_.add("max_pool", {ir::transpose(b_, x[0], order)}, attrs), inverse(order));
}

/// Of two elements with their places the one that is selected; any before none, whose place is -1.
ir::RegionId HloLowering::first_selected(ir::DType type) {
  const ComputationId select = called(AttributeName::kSelect);
  HloLowering inner(*this, m_[select].name);
  ir::Builder& b = inner.b_;
  const ir::TypeId element = ctx_.tensor_type(type, {}), place = ctx_.tensor_type(ir::DType::kI64, {});
  const ValueId kept = b.input("kept", element), kept_at = b.input("kept_at", place);
  const ValueId next = b.input("next", element), next_at = b.input("next_at", place);
  const ValueId none = b.add("less", {kept_at, inner.integers(ir::DType::kI64, {}, {0})});
  const ValueId selected = inner.computation(select, {{kept}, {next}})[0];
  const ValueId keeps = b.add("and", {b.add("not", {none}), selected});
  return add_region(
      b.finish({b.add("where", {keeps, kept, next}), b.add("where", {keeps, kept_at, next_at})}));
}

/// Each window's place of the selected element, then a scatter to these places.
ValueId HloLowering::select_and_scatter(const Values& x) {
  const Sizes in = sizes(operand_shape(0));
  const ir::DType type = dtype(element_of(0));
  const int64_t count = ir::element_count(in);
  const ValueId at = ir::reshape(b_, counted(ir::DType::kI64, {count}, 0), in);
  const ValueId nowhere = integers(ir::DType::kI64, {}, {-1});
  const ValueId none = b_.constant(type, {}, {0});
  std::vector<ir::NamedAttr> attrs = attributes_of(window(in.size()));
  attrs.push_back({"combiner", static_cast<int64_t>(first_selected(type).v)});
  const ValueId found = b_.add("reduce_window", {x[0], at, none, nowhere}, attrs);
  const int64_t windows = ir::element_count(sizes(operand_shape(1)));
  const ValueId places = ir::reshape(b_, b_.get(found, 1), {windows, 1});
  const ValueId valid = all_equal(places, clamped(places, {count - 1}));
  const ValueId start = ir::broadcast(b_, x[2], {count});
  const std::string by = scatter_reduction(called(AttributeName::kScatter), element_of(0));
  return ir::reshape(b_, scattered(start, places, valid, ir::reshape(b_, x[1], {windows}), by), in);
}

}  // namespace isomer::formats
