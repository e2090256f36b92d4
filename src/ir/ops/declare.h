// What the declarations of operators are put together from: attribute and spelling rows, checks of operands
// that say what was expected, and the parts of loop nests that recur.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/op.h"

namespace isomer::ir::ops {

/// Rounds of a loop that is evaluated; more are an error.
inline constexpr int64_t kMostRounds = 1 << 17;

/// An operator of `kind` with `inputs` operands (`max_inputs` -1: any number above; absent: exactly
/// `inputs`).
OpDef operation(std::string name, MeaningKind kind, int inputs, std::optional<int> max_inputs,
                std::string doc, std::vector<AttrSpec> attrs = {});

AttrSpec int_attr(std::string name, std::optional<int64_t> fallback = {}, AttrRole role = AttrRole::kPlain);
AttrSpec ints_attr(std::string name, AttrRole role = AttrRole::kPlain);
AttrSpec region_attr(std::string name, AttrRole role);
/// `axis`, a dimension of operand 0.
AttrSpec axis_attr(std::optional<int64_t> fallback = {});
AttrSpec string_attr(std::string name, std::optional<std::string> fallback = {},
                     std::vector<std::string> choices = {});
/// ONNX keeps floats in 32 bits: fallbacks are given as float, so that they equal what a reader finds written
/// out.
AttrSpec float_attr(std::string name, std::optional<float> fallback = {});
AttrSpec optional_float_attr(std::string name);
AttrSpec shape_attr(std::string name);
/// `approximate` of GELUs: "none" or "tanh".
AttrSpec gelu_form();

constexpr int kNewestOpset = 1 << 20;
Spelling onnx(std::string name, int since, int until = kNewestOpset);
Spelling onnx_irregular(std::string name, int since, int until = kNewestOpset);
/// With the element types that ONNX's schemas allow.
Spelling typed(Spelling spelling, std::vector<TypesSince> types);
/// One of ONNX Runtime's own operators; their CPU kernels know f32 only.
Spelling contrib(std::string name);
Spelling contrib_irregular(std::string name);
/// With rows for the attributes that are said otherwise than under their names.
Spelling said(Spelling spelling, std::vector<AttrSpelling> attrs);
/// With what cannot be said so (Spelling::refuses), and with its flags.
Spelling refusing(Spelling spelling, std::function<std::string(const OpInstance&)> refuses);
Spelling strict(Spelling spelling);
Spelling folding(Spelling spelling);

// Element types of ONNX's schemas, operator sets 7 to 28, as far as operators compute in them.
constexpr DTypeSet kOnnxFloats = dtype_set(DType::kF16) | dtype_set(DType::kF32) | dtype_set(DType::kF64);
constexpr DTypeSet kOnnxBFloats = kOnnxFloats | dtype_set(DType::kBF16);
constexpr DTypeSet kOnnxWide =
    dtype_set(DType::kI32) | dtype_set(DType::kI64) | dtype_set(DType::kU32) | dtype_set(DType::kU64);
constexpr DTypeSet kOnnxBytes = dtype_set(DType::kI8) | dtype_set(DType::kU8);
constexpr DTypeSet kOnnxIntegers = kOnnxWide | kOnnxBytes | dtype_set(DType::kI16) | dtype_set(DType::kU16);
constexpr DTypeSet kOnnxSigned =
    dtype_set(DType::kI8) | dtype_set(DType::kI16) | dtype_set(DType::kI32) | dtype_set(DType::kI64);
constexpr DTypeSet kOnnxAll = kOnnxBFloats | kOnnxIntegers | dtype_set(DType::kBool);
/// Floats, from `bfloat` on bfloat16 too.
inline std::vector<TypesSince> floats_bfloat_since(int bfloat) {
  return {{7, kOnnxFloats}, {bfloat, kOnnxBFloats}};
}
/// Floats and integers, bfloat16 from operator set 13 on; and where integers came with 12.
inline std::vector<TypesSince> numbers_bfloat_since_13() {
  return {{7, kOnnxFloats | kOnnxIntegers}, {13, kOnnxBFloats | kOnnxIntegers}};
}
inline std::vector<TypesSince> numbers_integers_since_12() {
  return {{7, kOnnxFloats}, {12, kOnnxFloats | kOnnxIntegers}, {13, kOnnxBFloats | kOnnxIntegers}};
}
/// Everything, bfloat16 from operator set 13 on, from 21 on the narrow types too.
inline std::vector<TypesSince> all_narrow_since_21() {
  return {{7, kOnnxAll & ~dtype_set(DType::kBF16)}, {13, kOnnxAll}, {21, ~DTypeSet{0}}};
}
/// Everything, bfloat16 from operator set 13 on.
inline std::vector<TypesSince> all_bfloat_since_13() {
  return {{7, kOnnxAll & ~dtype_set(DType::kBF16)}, {13, kOnnxAll}};
}

/// Mirage's names of an operator at the levels at which it stands: kn_NAME_op as a kernel, tb_NAME_op in a
/// block.
void in_mirage(OpDef& def, const std::string& name);
/// The names of its first age, which hold an axis: tb_NAME_1_op.
void in_mirage_by_axis(OpDef& def, const std::string& name);

/// Element types that an operator takes.
enum class Takes : uint8_t {
  kFloats,    ///< f16, bf16, f32, f64: what arithmetic is defined on
  kNumbers,   ///< those and integers of 8 to 64 bits
  kOrdered,   ///< those without u64, which the scalar language keeps as signed: its order is not theirs
  kIntegers,  ///< integers of 8 to 64 bits
  kBools,
  kAny,  ///< all that the interpreter stores, narrow floats and integers and bool included
};
bool takes(Takes set, DType dtype);

/// Empty, or what was expected of operand `input`: a tensor of known rank without unknown sizes, of such
/// elements.
std::string check_operand(const OpInstance& op, size_t input, Takes set);
/// check_operand for all operands, and that their element types are equal.
std::string check_operands(const OpInstance& op, Takes set);
std::string check_rank(const OpInstance& op, size_t input, size_t rank);
/// That operand `input` has exactly this shape.
std::string check_shape(const OpInstance& op, size_t input, const Shape& expected);
/// That an axis lies in [0, rank).
std::string check_axis(int64_t axis, size_t rank);
/// That axes lie in [0, rank), each larger than the one before.
std::string check_axes(const std::vector<int64_t>& axes, size_t rank);
/// That a list attribute has this many entries.
std::string check_count(const OpInstance& op, std::string_view attr, size_t count);

/// That each entry of a list attribute lies in [low, high].
std::string check_entries(const OpInstance& op, std::string_view attr, int64_t low, int64_t high);

/// The operator's region of that role.
const Graph& region(const OpInstance& op, AttrRole role);
/// That the region takes operands of exactly these types.
std::string check_region(const OpInstance& op, const Graph& region);

std::string print_shape(const Context& ctx, const Shape& shape);
/// A tensor with the element type of operand 0.
Inferred tensor_like(const OpInstance& op, Shape shape);

/// A read of operand `input` at the output's own index, and at a given one.
Read read_all(int input, size_t rank);
Read read_at(int input, std::vector<IndexExpr> index);
/// As read_at where the index may lie outside; the element is then `fill`.
Read read_guarded(int input, std::vector<IndexExpr> index, double fill = 0);
/// Makes it such a read.
void guard(Read& read, double fill = 0);
/// A nest without reduction whose result is one read.
LoopNest movement(std::vector<Size> space, Read read);
/// The scalar constant `value` in the sort of `dtype` (rounded towards zero and held to the 64-bit range for
/// integers).
ScalarExpr literal(DType dtype, double value);
/// A size in the sort of `dtype`.
ScalarExpr size_literal(DType dtype, const Size& size);
/// The scalar `value` as a tensor of `shape`.
ValueId filled(Builder& builder, DType dtype, double value, const Shape& shape);

}  // namespace isomer::ir::ops
