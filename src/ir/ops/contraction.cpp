// Contractions: sums of products. Bare: an activation or a scaled product is a composite of these.
//
// conv_transpose is stated as a gather: output position p receives tap k from input (p + begin - k dilation)
// / stride where that is whole: the read is valid only where the remainder is 0.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "ir/graph.h"
#include "ir/op_table.h"
#include "ir/ops/axes.h"
#include "ir/ops/declare.h"
#include "ir/ops/dims.h"
#include "ir/ops/families.h"
#include "ir/ops/window.h"

namespace isomer::ir::ops {
namespace {

Inferred matmul_type(const OpInstance& op) {
  if (auto bad = check_operands(op, Takes::kNumbers); !bad.empty()) return Inferred::fail(bad);
  const Shape &a = op.in_shape(0), &b = op.in_shape(1);
  if (a.size() < 2 || b.size() < 2)
    return Inferred::fail(fmt::format("expected operands of rank 2 or more, got {} and {}",
                                      print_shape(op.ctx, a), print_shape(op.ctx, b)));
  const auto mismatch = [&](const char* what) {
    return Inferred::fail(fmt::format("expected equal {}, got {} and {}", what, print_shape(op.ctx, a),
                                      print_shape(op.ctx, b)));
  };
  if (!a.back().same(b[b.size() - 2])) return mismatch("inner dimensions");
  const Shape batch_a(a.begin(), a.end() - 2), batch_b(b.begin(), b.end() - 2);
  if (!batch_a.empty() && !batch_b.empty() && !same_shape(batch_a, batch_b))
    return mismatch("batch dimensions");
  Shape out = batch_a.empty() ? batch_b : batch_a;
  out.push_back(a[a.size() - 2]);
  out.push_back(b.back());
  return tensor_like(op, std::move(out));
}

std::vector<LoopNest> matmul_nest(const OpInstance& op) {
  std::vector<size_t> in_batches;
  for (const size_t i : {0, 1})
    if (op.in_shape(i).size() > 2) in_batches.push_back(i);
  const AxisRole batch = kept(op.out_type().shape.size() - 2, std::move(in_batches));
  const AxisRole rows = kept(1, {0}), inner = summed({op.in_extents(0).back()}, {0, 1}),
                 columns = kept(1, {1});
  return {product_nest(op, std::array{batch, rows, inner, columns})};
}

Inferred gemm_type(const OpInstance& op) {
  if (auto bad = check_operands(op, Takes::kFloats); !bad.empty()) return Inferred::fail(bad);
  for (size_t i = 0; i < op.inputs.size(); ++i)
    if (auto bad = check_rank(op, i, 2); !bad.empty()) return Inferred::fail(bad);
  const bool trans_a = op.i("trans_a") != 0, trans_b = op.i("trans_b") != 0;
  const Shape &a = op.in_shape(0), &b = op.in_shape(1);
  if (!a[trans_a ? 0 : 1].same(b[trans_b ? 1 : 0]))
    return Inferred::fail(fmt::format("expected equal inner dimensions, got {}{} and {}{}",
                                      print_shape(op.ctx, a), trans_a ? " transposed" : "",
                                      print_shape(op.ctx, b), trans_b ? " transposed" : ""));
  Shape out = {a[trans_a ? 1 : 0], b[trans_b ? 0 : 1]};
  if (op.inputs.size() == 3)
    if (auto bad = check_shape(op, 2, out); !bad.empty()) return Inferred::fail(bad);
  return tensor_like(op, std::move(out));
}

ValueId gemm_expand(Builder& b, const OpInstance& op, std::span<const ValueId> in) {
  const std::vector<NamedAttr> swap = {{"perm", std::vector<int64_t>{1, 0}}};
  const auto scaled = [&](ValueId v, double factor) {
    if (factor == 1) return v;
    return b.add("mul", {v, filled(b, op.in_dtype(0), factor, b.type(v).shape)});
  };
  const ValueId a = op.i("trans_a") ? b.add("transpose", {in[0]}, swap) : in[0];
  const ValueId c = op.i("trans_b") ? b.add("transpose", {in[1]}, swap) : in[1];
  const ValueId product = scaled(b.add("matmul", {a, c}), op.f("alpha"));
  return in.size() == 2 ? product : b.add("add", {product, scaled(in[2], op.f("beta"))});
}

/// What conv and conv_transpose demand alike: ranks, one to three spatial dimensions, a fixed kernel, the
/// group.
std::string check_convolution(const OpInstance& op) {
  if (auto bad = check_operands(op, Takes::kFloats); !bad.empty()) return bad;
  const Shape &x = op.in_shape(0), &w = op.in_shape(1);
  if (x.size() < 3 || x.size() > 5)
    return fmt::format("operand 0: expected 1 to 3 spatial dimensions, got {}", print_shape(op.ctx, x));
  if (auto bad = check_rank(op, 1, x.size()); !bad.empty()) return bad;
  if (!is_static(w) || !x[1].is_static())
    return fmt::format("expected fixed channels and kernel, got {} and {}", print_shape(op.ctx, x),
                       print_shape(op.ctx, w));
  if (auto bad = check_kernel(sizes(Shape(w.begin() + 2, w.end()))); !bad.empty()) return bad;
  if (op.i("group") < 1) return fmt::format("expected group of at least 1, got {}", op.i("group"));
  return check_window_attrs(op, x.size() - 2);
}

std::vector<int64_t> kernel_of(const OpInstance& op) {
  const std::vector<int64_t> w = op.in_sizes(1);
  return {w.begin() + 2, w.end()};
}

Inferred conv_type(const OpInstance& op) {
  if (auto bad = check_convolution(op); !bad.empty()) return Inferred::fail(bad);
  const Shape &x = op.in_shape(0), &w = op.in_shape(1);
  const int64_t group = op.i("group");
  if (const std::optional<Size> all = product(w[1].size(), group); !all || all->number() != x[1].size())
    return Inferred::fail(
        fmt::format("expected channels = {} groups of {}, got {}", group, w[1].size(), x[1].size()));
  if (w[0].size() % group != 0)
    return Inferred::fail(
        fmt::format("expected output channels that {} groups divide, got {}", group, w[0].size()));
  if (op.inputs.size() == 3)
    if (auto bad = check_shape(op, 2, {w[0]}); !bad.empty()) return Inferred::fail(bad);
  Shape out = {x[0], w[0]};
  const std::string bad =
      append_window_output(op, window_of(op, kernel_of(op)), std::span(x).subspan(2), out);
  return bad.empty() ? tensor_like(op, std::move(out)) : Inferred::fail(bad);
}

/// Sums of products over channels and taps, with what is added to each channel.
LoopNest convolution(const OpInstance& op, AxisRole channels, AxisRole spatial) {
  channels.along = [along = std::move(channels.along)](const Axis& axis, std::vector<Read>& reads) {
    along(axis, reads);
    if (reads.size() > 2) reads[2].index.push_back(axis.at);
  };
  LoopNest nest = product_nest(op, std::array{kept(1, {0}), std::move(channels), std::move(spatial)});
  if (nest.reads.size() > 2) nest.result = nest.result + scalar::read(2);
  return nest;
}

std::vector<LoopNest> conv_nest(const OpInstance& op) {
  const Window window = window_of(op, kernel_of(op));
  const std::vector<int64_t> w = op.in_sizes(1);
  const int64_t group = op.i("group"), inner = w[1];
  const int64_t per_group = std::max<int64_t>(w[0] / group, 1);  // of none: any
  const auto channel = [=](const Axis& axis, std::vector<Read>& reads) {
    const bool grouped = group > 1;
    reads[0].index.push_back(grouped ? axis.at.floor_div(per_group) * inner + axis.step : axis.step);
    reads[1].index.insert(reads[1].index.end(), {axis.at, axis.step});
  };
  const auto tap = [window](const Axis& axis, Read& x) { x.index.push_back(window_index(window, axis)); };
  LoopNest nest = convolution(op, {1, true, {inner}, channel}, window_and_taps(window, tap));
  if (window.sticks_out()) guard(nest.reads[0]);
  return {std::move(nest)};
}

Inferred conv_transpose_type(const OpInstance& op) {
  if (auto bad = check_convolution(op); !bad.empty()) return Inferred::fail(bad);
  const Shape &x = op.in_shape(0), &w = op.in_shape(1);
  const int64_t group = op.i("group");
  if (!x[1].same(w[0]))
    return Inferred::fail(fmt::format("expected as many channels as the kernel's first dimension, {}, got {}",
                                      w[0].size(), x[1].size()));
  if (w[0].size() % group != 0)
    return Inferred::fail(fmt::format("expected channels that {} groups divide, got {}", group, w[0].size()));
  const Window window = window_of(op, kernel_of(op));
  if (auto bad = check_count(op, "output_padding", window.rank()); !bad.empty()) return Inferred::fail(bad);
  Shape out = {x[0], w[1]};
  if (!set_dim(op, out[1], product(w[1].size(), group)))
    return Inferred::fail("output channels beyond 64 bits");
  if (op.inputs.size() == 3)
    if (auto bad = check_shape(op, 2, {out[1]}); !bad.empty()) return Inferred::fail(bad);
  for (size_t i = 0; i < window.rank(); ++i) {
    const int64_t extra = op.ints("output_padding")[i];
    if (extra < 0 || extra >= std::max(window.strides[i], window.dilations[i]))
      return Inferred::fail(fmt::format("expected output_padding below stride or dilation, got {}", extra));
    const int64_t more = extra + window.extent(i) - window.begins[i] - window.ends[i] - window.strides[i];
    const std::optional<Size> steps = product(size_of(op, x[2 + i]), window.strides[i]);
    const std::optional<Size> size = steps ? sum(*steps, more) : std::nullopt;
    out.emplace_back();
    if (!size || !may_be_positive(*size) || !set_dim(op, out.back(), size))
      return Inferred::fail(fmt::format("spatial dimension {}: pads leave no size", i));
  }
  return tensor_like(op, std::move(out));
}

std::vector<LoopNest> conv_transpose_nest(const OpInstance& op) {
  const Window window = window_of(op, kernel_of(op));
  const std::vector<int64_t> w = op.in_sizes(1);
  const int64_t channels = w[0] / op.i("group"), per_group = std::max<int64_t>(w[1], 1);
  const auto channel = [=](const Axis& axis, std::vector<Read>& reads) {
    const IndexExpr from = axis.at.floor_div(per_group) * channels + axis.step;
    reads[0].index.push_back(from);
    reads[1].index.insert(reads[1].index.end(), {from, axis.at.mod(per_group)});
  };
  const auto tap = [window](const Axis& axis, Read& x) {
    const size_t i = axis.number;
    const IndexExpr scaled = axis.at + window.begins[i] - axis.step * window.dilations[i];
    x.index.push_back(scaled.floor_div(window.strides[i]));
    if (window.strides[i] > 1) x.zero.push_back(scaled.mod(window.strides[i]));
  };
  LoopNest nest = convolution(op, {1, true, {channels}, channel}, window_and_taps(window, tap));
  guard(nest.reads[0]);
  return {std::move(nest)};
}

std::vector<TypesSince> products() {
  return {{7, kOnnxFloats}, {9, kOnnxFloats | kOnnxWide}, {13, kOnnxBFloats | kOnnxWide}};
}

std::string vector_operand(const OpInstance& op) {
  for (size_t i = 0; i < 2; ++i) {
    if (!op.type(i).is_ranked_tensor()) return "the shape of an operand is not known";
    if (op.in_shape(i).size() < 2) return "an operand is a vector";
  }
  return {};
}

std::vector<Spelling> gemm_spellings() {
  const std::vector<AttrSpelling> rows = {{.ours = "alpha"},
                                          {.ours = "beta"},
                                          {.ours = "trans_a", .name = "transA", .flag = true},
                                          {.ours = "trans_b", .name = "transB", .flag = true}};
  const auto matrices = [](const OpInstance& op) {
    return op.in_shape(0).size() == 2 && op.in_shape(1).size() == 2 ? "" : "expected matrices";
  };
  const auto three = [matrices](const OpInstance& op) {
    return op.inputs.size() == 3 ? matrices(op) : "expected three operands";
  };
  return {strict(refusing(said(typed(onnx("Gemm", 7, 10), products()), rows), three)),
          strict(refusing(said(typed(onnx("Gemm", 11), products()), rows), matrices))};
}

/// What convolutions say of their windows.
std::vector<AttrSpelling> window_rows() {
  return {{.ours = "dilations"},
          {.ours = "group"},
          {.name = "kernel_shape", .rule = Unsaid::kKernel},
          {.ours = "pads"},
          {.ours = "strides"}};
}

}  // namespace

void register_contraction(OpTable& table) {
  OpDef matmul = operation(
      "matmul", MeaningKind::kContraction, 2, {},
      "a [batch.., m, k] times b [batch.., k, n] to [batch.., m, n]: equal batch dimensions, or one "
      "operand of rank 2 that all batches share.");
  matmul.infer = matmul_type;
  matmul.nests = matmul_nest;
  matmul.spellings = {strict(refusing(typed(onnx("MatMul", 1), products()), vector_operand))};
  matmul.meets = Meets::kBatches;
  matmul.range = RangeKind::kProduct;
  matmul.levels = kAllLevels;
  in_mirage(matmul, "matmul");
  table.add(std::move(matmul));

  OpDef gemm = operation(
      "gemm", MeaningKind::kComposite, 2, 3,
      "alpha a b + beta c: a [m, k] (trans_a: [k, m]), b [k, n] (trans_b: [n, k]), optional c [m, n].",
      {float_attr("alpha", 1.0f), float_attr("beta", 1.0f), int_attr("trans_a", 0), int_attr("trans_b", 0)});
  gemm.infer = gemm_type;
  gemm.expand = gemm_expand;
  gemm.spellings = gemm_spellings();
  gemm.meets = Meets::kLastAlone;
  table.add(std::move(gemm));

  OpDef conv =
      operation("conv", MeaningKind::kContraction, 2, 3,
                "x [N, C, d..], w [O, C / group, k..], optional bias [O] to [N, O, e..]; 1 to 3 spatial "
                "dimensions; pads = begins, then ends; outside of x it is 0.",
                {ints_attr("strides", AttrRole::kStrides), ints_attr("dilations", AttrRole::kDilations),
                 ints_attr("pads", AttrRole::kWindowPads), int_attr("group", 1, AttrRole::kGroups)});
  conv.infer = conv_type;
  conv.nests = conv_nest;
  conv.spellings = {strict(said(typed(onnx("Conv", 1), floats_bfloat_since(22)), window_rows()))};
  conv.images = conv.windowed = true;
  conv.range = RangeKind::kConvolution;
  table.add(std::move(conv));

  OpDef transposed = operation(
      "conv_transpose", MeaningKind::kContraction, 2, 3,
      "x [N, C, d..], w [C, O / group, k..], optional bias [O] to [N, O, e..] with e = stride (d - 1) + "
      "output_padding + dilation (k - 1) + 1 - pads.",
      {ints_attr("strides", AttrRole::kStrides), ints_attr("dilations", AttrRole::kDilations),
       ints_attr("pads", AttrRole::kWindowPads), ints_attr("output_padding"),
       int_attr("group", 1, AttrRole::kGroups)});
  transposed.infer = conv_transpose_type;
  transposed.nests = conv_transpose_nest;
  transposed.images = true;
  std::vector<AttrSpelling> rows = window_rows();
  rows.push_back({.ours = "output_padding", .rule = Unsaid::kZeros});
  rows.push_back({.name = "output_shape", .why = "output_shape is given"});
  transposed.spellings = {said(typed(onnx("ConvTranspose", 1), floats_bfloat_since(22)), std::move(rows))};
  table.add(std::move(transposed));
}

}  // namespace isomer::ir::ops
