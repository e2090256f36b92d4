// Reading and making the contents of constants: elements of any numeric dtype as doubles or 64-bit integers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ir/context.h"

namespace isomer::ir {

/// Element `index` of packed little-endian data. Floats (f16, bf16, f8 included) and integers as double.
double load_number(DType dtype, std::span<const std::byte> bytes, int64_t index);
/// Integers and bools, exactly; u64 wraps to signed.
int64_t load_integer(DType dtype, std::span<const std::byte> bytes, int64_t index);
/// The first out.size() elements, as load_number has them.
void load_numbers(DType dtype, std::span<const std::byte> bytes, std::span<double> out);
/// Rounds to nearest even (floats), wraps (integers); `bytes` must be large enough.
void store_number(DType dtype, std::span<std::byte> bytes, int64_t index, double value);
/// All of them, from element 0 on, as store_number does.
void store_numbers(DType dtype, std::span<std::byte> bytes, std::span<const double> values);
void store_integer(DType dtype, std::span<std::byte> bytes, int64_t index, int64_t value);
/// `value` rounded to what `dtype` can hold.
double round_to(DType dtype, double value);
/// `value` wrapped to the width of `dtype` (bool: != 0).
int64_t wrap_to(DType dtype, int64_t value);

ConstantId add_constant(Context& ctx, DType dtype, const std::vector<int64_t>& shape,
                        const std::vector<double>& values);
ConstantId add_constant(Context& ctx, DType dtype, const std::vector<int64_t>& shape,
                        const std::vector<int64_t>& values);
/// All elements; REQUIREs a numeric constant of at most `limit` elements.
std::vector<double> numbers(const Context& ctx, ConstantId id, int64_t limit = 1 << 20);
std::vector<int64_t> integers(const Context& ctx, ConstantId id, int64_t limit = 1 << 20);

}  // namespace isomer::ir
