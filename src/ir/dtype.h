// Element types. The numbers are those of ONNX's TensorProto.DataType, so that no table is needed there.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace isomer::ir {

enum class DType : uint8_t {
  kUndefined = 0,
  kF32 = 1,
  kU8 = 2,
  kI8 = 3,
  kU16 = 4,
  kI16 = 5,
  kI32 = 6,
  kI64 = 7,
  kString = 8,
  kBool = 9,
  kF16 = 10,
  kF64 = 11,
  kU32 = 12,
  kU64 = 13,
  kC64 = 14,
  kC128 = 15,
  kBF16 = 16,
  kF8E4M3FN = 17,
  kF8E4M3FNUZ = 18,
  kF8E5M2 = 19,
  kF8E5M2FNUZ = 20,
  kU4 = 21,
  kI4 = 22,
  kF4E2M1 = 23,
  kF8E8M0 = 24,
  kU2 = 25,
  kI2 = 26,
};

/// Sets of element types are bits of a word.
constexpr uint32_t dtype_set(DType type) { return uint32_t{1} << static_cast<int>(type); }

/// Bits of one element as stored (4-bit types are packed two to a byte); 0 for strings and undefined.
int bit_width(DType type);
/// Bytes of `count` elements.
int64_t byte_size(DType type, int64_t count);
/// Short name: f32, i64, bool, ...; "?" for undefined and for numbers this build does not know.
std::string_view name(DType type);
std::optional<DType> parse_dtype(std::string_view name);
/// f16, bf16, f32, f64 and the 8-bit floats: what a real number is computed in.
bool is_float(DType type);
/// Signed and unsigned integers and bool: what the interpreter keeps as 64-bit integers.
bool is_integer(DType type);

}  // namespace isomer::ir
