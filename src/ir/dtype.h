// Element types. What is known of one is its row in one table: how it stores numbers, what computes in it,
// how near two results in it must be, and what ONNX calls it. Who needs to know something of a type asks its
// row or what follows from it below; a type that is added while the program runs needs a row and nothing
// else.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace isomer::ir {

/// The numbers are ours: formats have their own (DTypeRow::onnx). At most 64.
enum class DType : uint8_t {
  kUndefined,
  kBool,
  kI2,
  kI4,
  kI8,
  kI16,
  kI32,
  kI64,
  kU2,
  kU4,
  kU8,
  kU16,
  kU32,
  kU64,
  kF4E2M1,
  kF8E4M3FN,
  kF8E4M3FNUZ,
  kF8E5M2,
  kF8E5M2FNUZ,
  kF8E8M0,
  kF16,
  kBF16,
  kF32,
  kF64,
  kC64,
  kC128,
  kString,
};

enum class DTypeKind : uint8_t { kOther, kFloat, kInteger, kBool };

/// What the patterns of a float that are no finite numbers mean.
enum class FloatSpecials : uint8_t {
  kIeee,            ///< the highest exponent: infinities and NaN
  kNanAllOnes,      ///< one NaN of each sign, no infinity
  kNanIsMinusZero,  ///< one NaN in the place of -0, no infinity
  kNone,
};

/// A float of a sign, an exponent and the bits behind the leading one.
struct FloatFormat {
  int exponent_bits = 0;
  int mantissa_bits = 0;
  int bias = 0;
  double largest = 0;  ///< finite
  FloatSpecials specials = FloatSpecials::kIeee;
  /// What is larger becomes the largest, as ONNX's Cast does by default; else infinite.
  bool saturates = false;
};

struct DTypeRow {
  const char* name = "?";  ///< f32, i64, bool, ...
  int bits = 0;  ///< of an element as stored (types of fewer than 8 bits share bytes); 0: not so stored
  DTypeKind kind = DTypeKind::kOther;
  bool sign = false;      ///< integers below 0
  bool computed = false;  ///< operators compute in it; in others elements are only kept and converted
  FloatFormat format = {};
  /// Of computed floats: by which part of the largest element two results may differ.
  double tolerance = 0;
  /// Of computed floats: programs usually hold magnitudes from 2^first to 2^second.
  std::pair<int, int> usual = {0, 0};
  int onnx = 0;  ///< TensorProto.DataType; 0: it has no name there
};

const DTypeRow& row(DType type);
/// All are below it, kUndefined too.
int dtype_count();
/// To be called before any other thread reads the table. MisuseError where the name is taken, or no type is
/// free.
DType add_dtype(DTypeRow row);

/// Sets of element types are bits of a word.
using DTypeSet = uint64_t;
constexpr DTypeSet dtype_set(DType type) { return DTypeSet{1} << static_cast<int>(type); }

/// Bits of one element as stored; 0 for strings and undefined.
int bit_width(DType type);
/// Bytes of `count` elements.
int64_t byte_size(DType type, int64_t count);
/// Short name; "?" for undefined and for numbers this build does not know.
std::string_view name(DType type);
std::optional<DType> parse_dtype(std::string_view name);
/// What a real number is stored in.
bool is_float(DType type);
/// Signed and unsigned integers and bool: what the interpreter keeps as 64-bit integers.
bool is_integer(DType type);
/// Whether an integer type counts below zero; false of bool.
bool has_sign(DType type);
/// Bits of an integer beside the sign: of i8 7, of u8 8. What is not below 2^that is out of its range.
int value_bits(DType type);

/// Floats of 16 bits that are computed in: runtimes for CPUs do so in f32 inside.
bool is_half(DType type);
/// Every value of `from` is one of `to`; both floats.
bool keeps_all(DType from, DType to);
/// Of a float: the distance from 1 to the next larger number; 0 of others.
double spacing_at_one(DType type);
/// The smallest positive numbers (that and one with all bits of its mantissa), and the largest power of two;
/// 0 of no floats.
double smallest_number(DType type);
double smallest_normal(DType type);
double largest_power(DType type);

}  // namespace isomer::ir
