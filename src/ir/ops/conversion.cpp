// Conversions between element types.
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <utility>

#include "ir/op_table.h"
#include "ir/ops/declare.h"
#include "ir/ops/elementwise.h"
#include "ir/ops/families.h"

namespace isomer::ir::ops {
namespace {

ScalarExpr unary(ScalarOp op, const ScalarExpr& x) { return scalar::apply(op, x); }

/// Of u64, which is kept as signed: an integer from 2^63 on is twice its half, of which the last bit stands
/// for what is lost, so that it is rounded as the whole would be.
ScalarExpr unsigned_number(const ScalarExpr& x) {
  const ScalarExpr one = scalar::integer(1);
  const ScalarExpr half = scalar::apply(ScalarOp::kOr, scalar::apply(ScalarOp::kShiftRight, x, one),
                                        scalar::apply(ScalarOp::kAnd, x, one));
  const ScalarExpr large = unary(ScalarOp::kToNumber, half) * scalar::number(2);
  return scalar::select(scalar::apply(ScalarOp::kLess, x, scalar::integer(0)), large,
                        unary(ScalarOp::kToNumber, x));
}

/// And a number from 2^63 on what it is beyond, with the highest bit.
ScalarExpr unsigned_integer(const ScalarExpr& x) {
  const ScalarExpr bound = scalar::number(0x1p63), bit = scalar::integer(std::numeric_limits<int64_t>::min());
  const ScalarExpr large = scalar::apply(ScalarOp::kXor, unary(ScalarOp::kToInteger, x - bound), bit);
  return scalar::select(scalar::apply(ScalarOp::kLessEqual, bound, x), large, unary(ScalarOp::kToInteger, x));
}

ScalarExpr cast_element(DType from, DType to, const ScalarExpr& x) {
  if (is_float(from) && to == DType::kBool)  // NaN is not equal to 0, so it becomes true
    return unary(ScalarOp::kNot, scalar::apply(ScalarOp::kEqual, x, scalar::number(0)));
  if (is_float(from) && to == DType::kU64) return unsigned_integer(x);
  if (from == DType::kU64 && is_float(to)) return scalar::cast(to, unsigned_number(x));
  if (is_float(from) && is_integer(to)) return scalar::cast(to, unary(ScalarOp::kToInteger, x));
  if (keeps_all(from, to)) return x;
  if (is_integer(from) && is_float(to)) return scalar::cast(to, unary(ScalarOp::kToNumber, x));
  return scalar::cast(to, x);
}

/// Since which operator set the types of at most 8 bits are known, which are only kept and converted.
std::vector<Spelling> cast_spellings() {
  constexpr DTypeSet kEights = dtype_set(DType::kF8E4M3FN) | dtype_set(DType::kF8E4M3FNUZ) |
                               dtype_set(DType::kF8E5M2) | dtype_set(DType::kF8E5M2FNUZ);
  constexpr DTypeSet kFours = dtype_set(DType::kI4) | dtype_set(DType::kU4);
  const std::vector<std::pair<int, DTypeSet>> steps = {{6, kOnnxAll & ~dtype_set(DType::kBF16)},
                                                       {13, dtype_set(DType::kBF16)},
                                                       {19, kEights},
                                                       {21, kFours},
                                                       {23, dtype_set(DType::kF4E2M1)},
                                                       {24, dtype_set(DType::kF8E8M0)},
                                                       {25, dtype_set(DType::kI2) | dtype_set(DType::kU2)}};
  std::vector<Spelling> out;
  DTypeSet all = 0;
  for (size_t i = 0; i < steps.size(); ++i) {
    all |= steps[i].second;
    const int until = i + 1 < steps.size() ? steps[i + 1].first - 1 : kNewestOpset;
    const auto newer = [all](const OpInstance& op) {
      const DTypeSet to = dtype_set(static_cast<DType>(op.i("to")));
      return std::string((to & all) == 0 ? "its element type is newer" : "");
    };
    out.push_back(refusing(said(typed(onnx("Cast", steps[i].first, until), {{1, all}}),
                                {{.name = "saturate", .unsaid = 1, .why = "it does not saturate"},
                                 {.name = "round_mode", .unsaid = "up", .why = "it rounds otherwise"}}),
                           newer));
  }
  return out;
}

std::string check_conversion(DType to) {
  return takes(Takes::kAny, to) ? "" : fmt::format("expected floats, integers or bool, got {}", name(to));
}

OpDef cast() {
  OpDef def =
      operation("cast", MeaningKind::kPointwise, 1, {},
                "Conversion to element type `to`: floats to integers towards zero (undefined out of range), "
                "integers wrap, anything but 0 is true.",
                {int_attr("to", {}, AttrRole::kDType)});
  def.infer = [](const OpInstance& op) {
    if (auto bad = check_operand(op, 0, Takes::kAny); !bad.empty()) return Inferred::fail(bad);
    const auto to = static_cast<DType>(op.i("to"));
    if (auto bad = check_conversion(to); !bad.empty()) return Inferred::fail(bad);
    return Inferred::ok(op.ctx.tensor_type(to, op.in_shape(0)));
  };
  def.nests = [](const OpInstance& op) {
    return pointwise_nest(op, cast_element(op.in_dtype(0), op.out_type().dtype, scalar::read(0)));
  };
  def.spellings = cast_spellings();
  def.range = RangeKind::kCast;
  def.elements = {Elements::kConverted};
  return def;
}

/// Of an eight-bit float: what is not below rounds to no number of it.
double first_beyond(const FloatFormat& format) {
  const double spacing = std::ldexp(1, std::ilogb(format.largest) - format.mantissa_bits);
  const bool odd = std::fmod(format.largest / spacing, 2) != 0;
  const double middle = format.largest + spacing / 2;  // goes to the even neighbour
  return odd ? middle : std::nextafter(middle, std::numeric_limits<double>::infinity());
}

OpDef cast_unsaturated() {
  OpDef def =
      operation("cast_unsaturated", MeaningKind::kPointwise, 1, {},
                "Conversion to an eight-bit float `to`, of which what is too large becomes infinite, or "
                "NaN where the type has no infinity.",
                {int_attr("to", {}, AttrRole::kDType)});
  def.infer = [](const OpInstance& op) {
    if (auto bad = check_operand(op, 0, Takes::kFloats); !bad.empty()) return Inferred::fail(bad);
    const auto to = static_cast<DType>(op.i("to"));
    if (!takes(Takes::kAny, to) || !is_float(to) || !ir::row(to).format.saturates || bit_width(to) != 8)
      return Inferred::fail(fmt::format("expected a float of eight bits, got {}", name(to)));
    return Inferred::ok(op.ctx.tensor_type(to, op.in_shape(0)));
  };
  def.nests = [](const OpInstance& op) {
    const DType to = op.out_type().dtype;
    const FloatFormat& format = ir::row(to).format;
    const ScalarExpr x = scalar::read(0), size = unary(ScalarOp::kAbs, x);
    const ScalarExpr beyond = scalar::apply(ScalarOp::kLessEqual, scalar::number(first_beyond(format)), size);
    const double infinity = std::numeric_limits<double>::infinity();
    const ScalarExpr sign = scalar::apply(ScalarOp::kSign, x);
    const ScalarExpr instead = format.specials == FloatSpecials::kIeee
                                   ? sign * scalar::number(infinity)
                                   : scalar::number(std::numeric_limits<double>::quiet_NaN());
    return pointwise_nest(op, scalar::select(beyond, instead, scalar::cast(to, x)));
  };
  def.spellings = {onnx_irregular("Cast", 19)};
  def.elements = {Elements::kConverted};
  return def;
}

/// A nest and no composite: sizes are computed with it.
OpDef cast_like() {
  OpDef def = operation("cast_like", MeaningKind::kContraction, 2, {},
                        "x converted to the element type of the second operand, which is not looked at.");
  def.infer = [](const OpInstance& op) {
    for (size_t i : {0, 1})
      if (auto bad = check_operand(op, i, Takes::kAny); !bad.empty()) return Inferred::fail(bad);
    if (auto bad = check_conversion(op.in_dtype(1)); !bad.empty()) return Inferred::fail(bad);
    return Inferred::ok(op.ctx.tensor_type(op.in_dtype(1), op.in_shape(0)));
  };
  def.nests = [](const OpInstance& op) {
    LoopNest nest = movement(op.out_extents(), read_all(0, op.in_shape(0).size()));
    nest.result = cast_element(op.in_dtype(0), op.in_dtype(1), scalar::read(0));
    return std::vector<LoopNest>{std::move(nest)};
  };
  def.spellings = {onnx("CastLike", 15)};
  def.elements = {Elements::kConverted, Elements::kAny};
  return def;
}

}  // namespace

void register_conversion(OpTable& table) {
  table.add(cast());
  table.add(cast_unsaturated());
  table.add(cast_like());
}

}  // namespace isomer::ir::ops
