// Integers that stand for real numbers, (q - zero point) scale, and products of them. Quotients and sums are
// in f32, integers of products in i32, as ONNX has them; scales and zero points are of the whole tensor, of
// each place along an axis, or of blocks along it.
#include <fmt/format.h>

#include <cmath>

#include "ir/op_table.h"
#include "ir/ops/composed.h"
#include "ir/ops/families.h"
#include "ir/ops/given.h"

namespace isomer::ir::ops {
namespace {

bool is_single(const Shape& shape) { return shape.empty() || (shape.size() == 1 && shape[0] == Dim(1)); }

/// A scale or zero point, spread over x.
ValueId over(Compose& c, ValueId v, ValueId x, int64_t axis, int64_t block) {
  const Shape& to = c.shape(x);
  if (is_single(c.shape(v))) return c.spread(c.reshape(v, {}), to);
  axis = from_start(axis, c.rank(x));
  if (block == 0) {
    std::vector<int64_t> others = counted(c.rank(x));
    others.erase(others.begin() + axis);
    return c.spread(c.unsqueeze(v, others), to);
  }
  std::vector<int64_t> factors(to.size(), 1);
  factors[static_cast<size_t>(axis)] = block;
  const ValueId repeated = c.call("upsample", {v}, {{"factors", factors}});
  return c.shape(repeated) == to ? repeated : c.slice(repeated, axis, 0, c.size(x, axis));
}

std::string check_axis_and_block(const OpInstance& op, const Shape& x, const Shape& scale) {
  if (is_single(scale)) return {};
  const auto rank = static_cast<int64_t>(x.size());
  const int64_t axis = from_start(op.i("axis"), rank), block = op.i("block_size");
  if (axis < 0 || axis >= rank)
    return fmt::format("expected an axis of {} dimensions, got {}", rank, op.i("axis"));
  if (block < 0) return fmt::format("expected a block_size of at least 0, got {}", block);
  const Dim size = x[static_cast<size_t>(axis)];
  if (block == 0) {
    const bool fits = scale.size() == 1 && scale[0].same(size);
    return fits ? "" : "operand 1: expected a scale for each place along the axis";
  }
  if (scale.size() != x.size() || !size.is_static() || !scale[static_cast<size_t>(axis)].is_static())
    return "operand 1: expected a scale for each block along an axis of known size";
  const int64_t blocks = (size.size() + block - 1) / block;
  return scale[static_cast<size_t>(axis)] == Dim(blocks) ? "" : "operand 1: expected a scale for each block";
}

std::string check_zero_point(const OpInstance& op, size_t scale, size_t zero_point) {
  if (op.inputs.size() <= zero_point) return {};
  const Shape &a = op.in_shape(scale), &b = op.in_shape(zero_point);
  if ((is_single(a) && is_single(b)) || same_shape(a, b)) return {};
  return fmt::format("operand {}: expected a zero point for each scale", zero_point);
}

DType quantized_type(const OpInstance& op) {
  if (op.inputs.size() > 2) return op.in_dtype(2);
  const auto asked = static_cast<DType>(op.i("output_dtype"));
  return asked == DType::kUndefined ? DType::kU8 : asked;
}

/// Least and largest integer of a type of at most 16 bits.
std::pair<double, double> bounds(DType dtype) {
  const double beyond = std::ldexp(1, value_bits(dtype));
  return {has_sign(dtype) ? -beyond : 0, beyond - 1};
}

/// Numbers (f32) rounded, moved by the zero point (f32, may be none) and held to the range of the type.
ValueId quantized(Compose& c, ValueId x, ValueId zero_point, DType to) {
  x = c.call("round", {x});
  if (zero_point.valid()) x = c.call("add", {x, zero_point});
  const auto [least, largest] = bounds(to);
  return c.cast(c.call("clip", {x}, {{"min", least}, {"max", largest}}), to);
}

ValueId expand_quantize(Builder& b, const OpInstance& op, Values in) {
  Compose c(b);
  const int64_t axis = op.i("axis"), block = op.i("block_size");
  const DType to = quantized_type(op);
  const ValueId scale = over(c, in[1], in[0], axis, block);
  const ValueId x = c.cast(c.call("div", {c.cast(in[0], c.dtype(scale)), scale}), DType::kF32);
  ValueId zero;
  if (in.size() > 2) zero = c.cast(over(c, in[2], in[0], axis, block), DType::kF32);
  if (is_integer(to)) return quantized(c, x, zero, to);
  return c.cast(zero.valid() ? c.call("add", {x, zero}) : x, to);
}

std::string check_quantize(const OpInstance& op) {
  if (!takes(Takes::kFloats, op.in_dtype(0)) && op.in_dtype(0) != DType::kI32)
    return fmt::format("operand 0: expected floats or i32, got {}", name(op.in_dtype(0)));
  if (auto bad = check_operand(op, 1, Takes::kFloats); !bad.empty()) return bad;
  if (auto bad = check_axis_and_block(op, op.in_shape(0), op.in_shape(1)); !bad.empty()) return bad;
  const DType to = quantized_type(op);
  if (bit_width(to) > 16 || to == DType::kBool || to == DType::kUndefined || is_half(to))
    return fmt::format("expected a type of at most 16 bits to quantise to, got {}", name(to));
  return check_zero_point(op, 1, 2);
}

ValueId expand_dequantize(Builder& b, const OpInstance& op, Values in) {
  Compose c(b);
  const int64_t axis = op.i("axis"), block = op.i("block_size");
  const bool whole = is_integer(c.dtype(in[0]));
  ValueId x = whole ? c.cast(in[0], DType::kI32) : c.cast(in[0], DType::kF32);
  if (in.size() > 2) {
    const ValueId zero = c.cast(in[2], c.dtype(x));
    x = c.call("sub", {x, over(c, zero, in[0], axis, block)});
  }
  const ValueId scale = c.cast(over(c, in[1], in[0], axis, block), DType::kF32);
  const auto asked = static_cast<DType>(op.i("output_dtype"));
  return c.cast(c.call("mul", {c.cast(x, DType::kF32), scale}),
                asked == DType::kUndefined ? c.dtype(in[1]) : asked);
}

std::string check_dequantize(const OpInstance& op) {
  const DType from = op.in_dtype(0);
  if (from == DType::kBool || (is_integer(from) && bit_width(from) > 16 && from != DType::kI32) ||
      (is_float(from) && takes(Takes::kFloats, from)))
    return fmt::format("operand 0: expected what is quantised to, got {}", name(from));
  if (auto bad = check_operand(op, 1, Takes::kFloats); !bad.empty()) return bad;
  if (op.inputs.size() > 2 && op.in_dtype(2) != from)
    return fmt::format("operand 2: expected {} as operand 0 has, got {}", name(from), name(op.in_dtype(2)));
  if (auto bad = check_axis_and_block(op, op.in_shape(0), op.in_shape(1)); !bad.empty()) return bad;
  return check_zero_point(op, 1, 2);
}

std::vector<AttrSpec> quantize_attrs() {
  return {int_attr("axis", 1), int_attr("block_size", 0), int_attr("output_dtype", 0, AttrRole::kDType)};
}

std::vector<AttrSpelling> quantize_rows(int output_dtype_since) {
  return {{.ours = "axis", .since = 13, .quiet = true},
          {.ours = "block_size", .since = 21, .quiet = true},
          {.ours = "output_dtype", .since = output_dtype_since, .quiet = true},
          {.name = "saturate", .unsaid = 1, .why = "it does not saturate"},
          {.name = "precision", .unsaid = 0, .why = "it divides in another type"}};
}

/// In words of the operands' types: those that ONNX lets be quantised to.
std::string newer_types(const OpInstance& op, DType quantised, int opset) {
  const bool bytes = quantised == DType::kI8 || quantised == DType::kU8 || quantised == DType::kI32;
  const bool eights = is_float(quantised) && bit_width(quantised) == 8;
  if (bytes || opset >= 21 || (eights && opset >= 19)) return {};
  return fmt::format("it has no {} there", name(op.inputs.empty() ? DType::kUndefined : quantised));
}

void add_linear(OpTable& table) {
  OpDef quantize = composed(
      "quantize_linear", 2, 3,
      "round(x / scale) + zero point, held to the range of the type of the zero point (operands x, scale, "
      "optional zero point), else of output_dtype or u8; to narrow floats: x / scale in that type.",
      quantize_attrs(), check_quantize, expand_quantize);
  OpDef dequantize =
      composed("dequantize_linear", 2, 3,
               "(x - zero point) scale, in the scale's type or output_dtype (operands x, scale, "
               "optional zero point).",
               quantize_attrs(), check_dequantize, expand_dequantize);
  dequantize.decodes = true;
  for (const auto& [since, until] : {std::pair{10, 18}, {19, 20}, {21, kNewestOpset}}) {
    const int opset = since;
    quantize.spellings.push_back(
        refusing(said(onnx("QuantizeLinear", since, until), quantize_rows(21)),
                 [opset](const OpInstance& op) { return newer_types(op, quantized_type(op), opset); }));
    dequantize.spellings.push_back(
        refusing(said(onnx("DequantizeLinear", since, until), quantize_rows(23)),
                 [opset](const OpInstance& op) { return newer_types(op, op.in_dtype(0), opset); }));
  }
  table.add(std::move(quantize));
  table.add(std::move(dequantize));
}

ValueId expand_dynamic(Builder& b, const OpInstance&, Values in) {
  Compose c(b);
  const ValueId low = c.with("min", c.reduce_all("reduce_min", in[0]), 0);
  const ValueId high = c.with("max", c.reduce_all("reduce_max", in[0]), 0);
  // Of zeros alone it is 1, as in ONNX Runtime, where the text would divide by 0.
  const ValueId none = c.cast(c.call("equal", {high, low}), DType::kF32);
  const ValueId scale = c.call("add", {c.with("div", c.call("sub", {high, low}), 255), none});
  const ValueId middle = c.call("div", {c.call("neg", {low}), scale});
  const ValueId zero =
      c.cast(c.call("round", {c.call("clip", {middle}, {{"min", 0.0}, {"max", 255.0}})}), DType::kU8);
  const ValueId x = c.call("div", {in[0], c.spread(scale, c.shape(in[0]))});
  const ValueId moved = c.spread(c.cast(zero, DType::kF32), c.shape(in[0]));
  return c.call("tuple", {quantized(c, x, moved, DType::kU8), scale, zero});
}

void add_dynamic(OpTable& table) {
  OpDef def = composed(
      "dynamic_quantize_linear", 1, {},
      "A triple: x as u8, its scale (the range from the least to the largest element and 0, by 255) and its "
      "zero point.",
      {},
      [](const OpInstance& op) {
        return op.in_dtype(0) == DType::kF32
                   ? std::string()
                   : fmt::format("operand 0: expected f32, got {}", name(op.in_dtype(0)));
      },
      expand_dynamic);
  def.spellings = {onnx("DynamicQuantizeLinear", 11)};
  table.add(std::move(def));
}

std::string check_bytes(const OpInstance& op, size_t input) {
  const DType dtype = op.in_dtype(input);
  if (dtype == DType::kI8 || dtype == DType::kU8) return {};
  return fmt::format("operand {}: expected i8 or u8, got {}", input, name(dtype));
}

/// x - zero point in integers of 32 bits; a zero point of several places lies along that dimension of x.
ValueId centred(Compose& c, ValueId x, ValueId zero_point, int64_t axis) {
  x = c.cast(x, DType::kI32);
  if (!zero_point.valid()) return x;
  return c.call("sub", {x, over(c, c.cast(zero_point, DType::kI32), x, axis, 0)});
}

std::string check_along(const OpInstance& op, size_t input, const Shape& x, int64_t axis) {
  const Shape& shape = op.in_shape(input);
  const bool fits = is_single(shape) || (shape.size() == 1 && axis < static_cast<int64_t>(x.size()) &&
                                         shape[0].same(x[static_cast<size_t>(axis)]));
  return fits ? "" : fmt::format("operand {}: expected one element, or one for each place", input);
}

int64_t rows_of(const Shape& a) { return static_cast<int64_t>(a.size()) - 2; }
int64_t columns_of(const Shape& b) { return static_cast<int64_t>(b.size()) - 1; }

OpDef matmul_integer() {
  OpDef def = composed(
      "matmul_integer", 2, 4,
      "(a - zero point) (b - zero point) in i32 of a and b in 8 bits; zero points of the whole or of each "
      "row "
      "of a and column of b. `given`: which of a, b and the two zero points the operands are.",
      {ints_attr("given")},
      [](const OpInstance& op) {
        if (auto bad = check_given(op, 2, 3); !bad.empty()) return bad;
        for (size_t i : {0, 1}) {
          if (auto bad = check_bytes(op, i); !bad.empty()) return bad;
          if (op.in_shape(i).size() < 2) return fmt::format("operand {}: expected a matrix", i);
          const int zero = operand_of(op, static_cast<int64_t>(i) + 2);
          const Shape& x = op.in_shape(i);
          if (zero < 0) continue;
          if (auto bad = check_along(op, static_cast<size_t>(zero), x, i == 0 ? rows_of(x) : columns_of(x));
              !bad.empty())
            return bad;
        }
        return std::string();
      },
      [](Builder& b, const OpInstance& op, Values in) {
        Compose c(b);
        return c.call("matmul", {centred(c, in[0], operand_of(op, in, 2), rows_of(c.shape(in[0]))),
                                 centred(c, in[1], operand_of(op, in, 3), columns_of(c.shape(in[1])))});
      });
  def.spellings = {said(onnx("MatMulInteger", 10), {{.ours = "given", .rule = Unsaid::kPresent}})};
  return def;
}

std::vector<AttrSpec> conv_attrs() {
  return {ints_attr("strides", AttrRole::kStrides), ints_attr("dilations", AttrRole::kDilations),
          ints_attr("pads", AttrRole::kWindowPads), int_attr("group", 1, AttrRole::kGroups)};
}
std::vector<AttrSpelling> conv_rows() { return {{.name = "kernel_shape", .rule = Unsaid::kKernel}}; }

/// Of integers, in f64, which holds all sums that i32 does.
ValueId convolved(Compose& c, const OpInstance& op, ValueId x, ValueId w) {
  const ValueId product = c.call("conv", {c.cast(x, DType::kF64), c.cast(w, DType::kF64)},
                                 {{"strides", op.ints("strides")},
                                  {"dilations", op.ints("dilations")},
                                  {"pads", op.ints("pads")},
                                  {"group", op.i("group")}});
  return c.cast(product, DType::kI32);
}

OpDef conv_integer() {
  std::vector<AttrSpec> attrs = conv_attrs();
  attrs.push_back(ints_attr("given"));
  OpDef def = composed(
      "conv_integer", 2, 4,
      "conv(x - zero point, w - zero point) in i32 of x and w in 8 bits, padding being the zero point. "
      "`given`: which of x, w and the two zero points the operands are.",
      std::move(attrs),
      [](const OpInstance& op) {
        if (auto bad = check_given(op, 2, 3); !bad.empty()) return bad;
        for (size_t i : {0, 1})
          if (auto bad = check_bytes(op, i); !bad.empty()) return bad;
        for (const int64_t input : {2, 3})
          if (const int zero = operand_of(op, input); zero >= 0)
            if (auto bad =
                    check_along(op, static_cast<size_t>(zero), input == 2 ? Shape() : op.in_shape(1), 0);
                !bad.empty())
              return bad;
        return std::string();
      },
      [](Builder& b, const OpInstance& op, Values in) {
        Compose c(b);
        return convolved(c, op, centred(c, in[0], operand_of(op, in, 2), 0),
                         centred(c, in[1], operand_of(op, in, 3), 0));
      });
  std::vector<AttrSpelling> rows = conv_rows();
  rows.push_back({.ours = "given", .rule = Unsaid::kPresent});
  def.spellings = {said(onnx("ConvInteger", 10), std::move(rows))};
  def.images = def.windowed = true;
  return def;
}

/// round(product scales) + zero point: the operands are x, scale, zero point, y, scale, zero point, and scale
/// and zero point of the result; scales of several places lie along `axis`.
ValueId rescaled(Compose& c, Values in, ValueId product, int64_t axis) {
  const auto scale = [&](size_t at) { return c.cast(over(c, in[at], product, axis, 0), DType::kF32); };
  const ValueId factor = c.call("div", {c.call("mul", {scale(1), scale(4)}), scale(6)});
  const ValueId x = c.call("mul", {c.cast(product, DType::kF32), factor});
  return quantized(c, x, c.cast(over(c, in[7], product, axis, 0), DType::kF32), c.dtype(in[7]));
}

std::string check_qlinear(const OpInstance& op) {
  for (size_t i : {0, 2, 3, 5, 7})
    if (auto bad = check_bytes(op, i); !bad.empty()) return bad;
  for (size_t i : {1, 4, 6})
    if (auto bad = check_operand(op, i, Takes::kFloats); !bad.empty()) return bad;
  for (size_t i : {1, 2, 6, 7})
    if (!is_single(op.in_shape(i))) return fmt::format("operand {}: expected one element", i);
  return {};
}

OpDef qlinear_matmul() {
  OpDef def = composed(
      "qlinear_matmul", 8, {},
      "quantize_linear of the product of dequantised matrices in 8 bits: operands a, scale, zero point, b, "
      "scale, zero point, scale and zero point of the result.",
      {},
      [](const OpInstance& op) {
        if (auto bad = check_qlinear(op); !bad.empty()) return bad;
        for (size_t i : {4, 5})
          if (auto bad = check_along(op, i, op.in_shape(3), columns_of(op.in_shape(3))); !bad.empty())
            return bad;
        return std::string();
      },
      [](Builder& b, const OpInstance&, Values in) {
        Compose c(b);
        const ValueId product = c.call(
            "matmul", {centred(c, in[0], in[2], 0), centred(c, in[3], in[5], columns_of(c.shape(in[3])))});
        return rescaled(c, in, product, c.rank(product) - 1);
      });
  def.spellings = {onnx("QLinearMatMul", 10)};
  return def;
}

OpDef qlinear_conv() {
  OpDef def = composed(
      "qlinear_conv", 8, 9,
      "quantize_linear of the convolution of dequantised tensors in 8 bits: operands x, scale, zero point, "
      "w, "
      "scale, zero point, scale and zero point of the result, optional bias in i32 by both scales.",
      conv_attrs(),
      [](const OpInstance& op) {
        if (auto bad = check_qlinear(op); !bad.empty()) return bad;
        for (size_t i : {4, 5})
          if (auto bad = check_along(op, i, op.in_shape(3), 0); !bad.empty()) return bad;
        if (op.inputs.size() > 8 && op.in_dtype(8) != DType::kI32)
          return fmt::format("operand 8: expected i32, got {}", name(op.in_dtype(8)));
        return std::string();
      },
      [](Builder& b, const OpInstance& op, Values in) {
        Compose c(b);
        ValueId product = convolved(c, op, centred(c, in[0], in[2], 0), centred(c, in[3], in[5], 0));
        if (in.size() > 8) product = c.call("add", {product, over(c, in[8], product, 1, 0)});
        return rescaled(c, in, product, 1);
      });
  def.spellings = {said(onnx("QLinearConv", 10), conv_rows())};
  def.images = def.windowed = true;
  return def;
}

}  // namespace

void register_quantized(OpTable& table) {
  add_linear(table);
  add_dynamic(table);
  table.add(matmul_integer());
  table.add(conv_integer());
  table.add(qlinear_matmul());
  table.add(qlinear_conv());
}

}  // namespace isomer::ir::ops
