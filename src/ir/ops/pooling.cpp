// Pooling: a maximum or a mean over a window that slides over the spatial dimensions.
#include <fmt/format.h>

#include <limits>
#include <numeric>

#include "ir/graph.h"
#include "ir/op_table.h"
#include "ir/ops/declare.h"
#include "ir/ops/families.h"
#include "ir/ops/window.h"

namespace isomer::ir::ops {
namespace {

Window pool_window(const OpInstance& op) {
  Window window = window_of(op, op.ints("kernel"));
  window.ceil = op.i("ceil_mode") != 0;
  return window;
}

bool is_pooled_maximum(DType dtype) {
  return takes(Takes::kFloats, dtype) || dtype == DType::kI8 || dtype == DType::kU8;
}

Inferred pool_type(const OpInstance& op, bool maximum) {
  if (auto bad = check_operand(op, 0, maximum ? Takes::kNumbers : Takes::kFloats); !bad.empty())
    return Inferred::fail(bad);
  if (!is_pooled_maximum(op.in_dtype(0)))
    return Inferred::fail(fmt::format("operand 0: expected floats, i8 or u8, got {}", name(op.in_dtype(0))));
  const Shape& x = op.in_shape(0);
  if (x.size() < 3 || x.size() > 5)
    return Inferred::fail("operand 0: expected 1 to 3 spatial dimensions, got " + print_shape(op.ctx, x));
  const size_t rank = x.size() - 2;
  if (auto bad = check_count(op, "kernel", rank); !bad.empty()) return Inferred::fail(bad);
  if (auto bad = check_kernel(op.ints("kernel")); !bad.empty()) return Inferred::fail(bad);
  if (auto bad = check_window_attrs(op, rank); !bad.empty()) return Inferred::fail(bad);
  const Window window = pool_window(op);
  for (size_t i = 0; i < rank; ++i)  // else a window could lie in the padding alone
    if (window.begins[i] >= window.extent(i) || window.ends[i] >= window.extent(i))
      return Inferred::fail(fmt::format("spatial dimension {}: expected pads below the window's extent {}", i,
                                        window.extent(i)));
  Shape out = {x[0], x[1]};
  const std::string bad = append_window_output(op, window, std::span(x).subspan(2), out);
  return bad.empty() ? tensor_like(op, std::move(out)) : Inferred::fail(bad);
}

/// The nest with its one read; accumulators and result are the caller's.
LoopNest pool_nest(const OpInstance& op, const Window& window, double fill) {
  const AxisRole roles[] = {kept(2, {0}), under_window(window)};  // batch and channels are kept
  LoopNest nest = nest_of(op, roles);
  if (window.sticks_out()) guard(nest.reads[0], fill);
  return nest;
}

std::vector<LoopNest> max_pool_nest(const OpInstance& op) {
  double least = -std::numeric_limits<double>::infinity();
  if (op.in_dtype(0) == DType::kI8) least = -128;
  if (op.in_dtype(0) == DType::kU8) least = 0;
  LoopNest nest = pool_nest(op, pool_window(op), least);
  nest.accumulators = {{scalar::read(0), Combiner::kMax}};
  nest.result = scalar::acc(0);
  return {std::move(nest)};
}

/// 1 where the tap lies within input and padding, which under ceil_mode need not be so: those taps do not
/// count.
ScalarExpr within_padding(const OpInstance& op, const Window& window) {
  const int rank = static_cast<int>(op.in_shape(0).size());
  ScalarExpr inside = scalar::number(1);
  for (size_t i = 0; i < window.rank(); ++i) {
    const ScalarExpr position =
        scalar::var(2 + static_cast<int>(i)) * scalar::integer(window.strides[i]) +
        scalar::var(rank + static_cast<int>(i)) * scalar::integer(window.dilations[i]);
    const Size end = op.in_extents(0)[2 + i] + window.begins[i] + window.ends[i];
    const ScalarExpr fits = scalar::apply(ScalarOp::kLess, position, scalar::integer(end));
    inside = inside * scalar::apply(ScalarOp::kToNumber, fits);
  }
  return inside;
}

std::vector<LoopNest> avg_pool_nest(const OpInstance& op) {
  const Window window = pool_window(op);
  LoopNest nest = pool_nest(op, window, 0);
  nest.accumulators = {{scalar::read(0), Combiner::kSum}};
  const bool with_pads = op.i("count_include_pad") != 0;
  if (window.sticks_out() && !with_pads) {
    nest.accumulators.push_back({scalar::apply(ScalarOp::kToNumber, scalar::valid(0)), Combiner::kSum});
  } else if (window.ceil) {
    nest.accumulators.push_back({within_padding(op, window), Combiner::kSum});
  } else {
    const auto taps = std::accumulate(window.kernel.begin(), window.kernel.end(), 1.0, std::multiplies<>());
    nest.result = scalar::acc(0) / scalar::number(taps);
    return {std::move(nest)};
  }
  nest.result = scalar::acc(0) / scalar::acc(1);
  return {std::move(nest)};
}

OpDef pool(const char* name, bool maximum, std::string doc, const char* onnx_name) {
  OpDef def = operation(name, MeaningKind::kContraction, 1, {}, std::move(doc),
                        {ints_attr("kernel", AttrRole::kKernel), ints_attr("strides", AttrRole::kStrides),
                         ints_attr("dilations", AttrRole::kDilations),
                         ints_attr("pads", AttrRole::kWindowPads), int_attr("ceil_mode", 0)});
  if (!maximum) def.attrs.push_back(int_attr("count_include_pad", 0));
  def.infer = [maximum](const OpInstance& op) { return pool_type(op, maximum); };
  def.nests = maximum ? max_pool_nest : avg_pool_nest;
  const std::vector<TypesSince> with_bytes = {
      {7, kOnnxFloats}, {12, kOnnxFloats | kOnnxBytes}, {22, kOnnxBFloats | kOnnxBytes}};
  std::vector<AttrSpelling> rows = {
      {.ours = "kernel", .name = "kernel_shape"},
      {.ours = "pads"},
      {.ours = "strides"},
      {.ours = "dilations", .rule = Unsaid::kOnes, .since = maximum ? 10 : 19, .quiet = true},
      {.ours = "ceil_mode", .since = 10, .quiet = true}};
  if (maximum)
    rows.push_back({.name = "storage_order"});  // the order of indices, which have no operator
  else
    rows.push_back({.ours = "count_include_pad", .quiet = true});
  def.spellings = {
      said(typed(onnx(onnx_name, maximum ? 1 : 7), maximum ? with_bytes : floats_bfloat_since(22)),
           std::move(rows))};
  def.images = def.windowed = true;
  def.range = maximum ? RangeKind::kPart : RangeKind::kMean;
  return def;
}

/// (sum of |x|^p)^(1/p) over the window.
std::vector<LoopNest> lp_pool_nest(const OpInstance& op) {
  const auto p = static_cast<double>(op.i("p"));
  LoopNest nest = pool_nest(op, pool_window(op), 0);
  const ScalarExpr size = scalar::apply(ScalarOp::kAbs, scalar::read(0));
  const auto power = [](const ScalarExpr& x, double to) {
    return scalar::apply(ScalarOp::kPow, x, scalar::number(to));
  };
  nest.accumulators = {{p == 1 ? size : p == 2 ? size * size : power(size, p), Combiner::kSum}};
  const ScalarExpr sum = scalar::acc(0);
  nest.result = p == 1 ? sum : p == 2 ? scalar::apply(ScalarOp::kSqrt, sum) : power(sum, 1 / p);
  return {std::move(nest)};
}

OpDef lp_pool() {
  OpDef def = operation(
      "lp_pool", MeaningKind::kContraction, 1, {}, "The p-norm of the window's elements, padding being 0.",
      {ints_attr("kernel", AttrRole::kKernel), ints_attr("strides", AttrRole::kStrides),
       ints_attr("dilations", AttrRole::kDilations), ints_attr("pads", AttrRole::kWindowPads),
       int_attr("ceil_mode", 0), int_attr("p", 2)});
  def.infer = [](const OpInstance& op) {
    if (op.i("p") < 1) return Inferred::fail(fmt::format("expected p of at least 1, got {}", op.i("p")));
    return pool_type(op, false);
  };
  def.nests = lp_pool_nest;
  def.spellings = {said(typed(onnx("LpPool", 2), floats_bfloat_since(22)),
                        {{.ours = "kernel", .name = "kernel_shape"},
                         {.ours = "pads"},
                         {.ours = "strides"},
                         {.ours = "dilations", .rule = Unsaid::kOnes, .since = 18, .quiet = true},
                         {.ours = "ceil_mode", .since = 18, .quiet = true},
                         {.ours = "p"}})};
  def.images = def.windowed = true;
  return def;
}

OpDef global_pool(const char* name, const char* reduction, const char* onnx_name, RangeKind range) {
  OpDef def = operation(name, MeaningKind::kComposite, 1, {},
                        fmt::format("{} over all spatial dimensions, which stay as 1.", reduction));
  def.infer = [](const OpInstance& op) {
    if (auto bad = check_operand(op, 0, Takes::kFloats); !bad.empty()) return Inferred::fail(bad);
    if (op.in_shape(0).size() < 3)
      return Inferred::fail("operand 0: expected spatial dimensions, got " +
                            print_shape(op.ctx, op.in_shape(0)));
    Shape out = op.in_shape(0);
    std::fill(out.begin() + 2, out.end(), Dim(1));
    return tensor_like(op, std::move(out));
  };
  def.expand = [reduction](Builder& b, const OpInstance& op, std::span<const ValueId> in) {
    std::vector<int64_t> axes(op.in_shape(0).size() - 2);
    std::iota(axes.begin(), axes.end(), 2);
    return b.add(reduction, {in[0]}, {{"axes", axes}, {"keepdims", int64_t{1}}});
  };
  def.spellings = {typed(onnx(onnx_name, 1), floats_bfloat_since(22))};
  def.range = range;
  def.images = true;
  return def;
}

}  // namespace

void register_pooling(OpTable& table) {
  table.add(pool("max_pool", true, "Maximum over the window; padding never wins.", "MaxPool"));
  table.add(pool(
      "avg_pool", false,
      "Mean over the window: over the taps within the input, or with count_include_pad over those within "
      "input and padding, padding being 0.",
      "AveragePool"));
  table.add(lp_pool());
  table.add(global_pool("global_avg_pool", "reduce_mean", "GlobalAveragePool", RangeKind::kMean));
  table.add(global_pool("global_max_pool", "reduce_max", "GlobalMaxPool", RangeKind::kPart));
}

}  // namespace isomer::ir::ops
