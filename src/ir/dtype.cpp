#include "ir/dtype.h"

#include <array>
#include <limits>

namespace isomer::ir {
namespace {

struct Row {
  std::string_view name;
  int bits;
  char family;  // f = float, i = integer or bool, o = other
};

constexpr std::array<Row, 27> kRows = {{
    {"?", 0, 'o'},          {"f32", 32, 'f'},     {"u8", 8, 'i'},         {"i8", 8, 'i'},
    {"u16", 16, 'i'},       {"i16", 16, 'i'},     {"i32", 32, 'i'},       {"i64", 64, 'i'},
    {"string", 0, 'o'},     {"bool", 8, 'i'},     {"f16", 16, 'f'},       {"f64", 64, 'f'},
    {"u32", 32, 'i'},       {"u64", 64, 'i'},     {"c64", 64, 'o'},       {"c128", 128, 'o'},
    {"bf16", 16, 'f'},      {"f8e4m3fn", 8, 'f'}, {"f8e4m3fnuz", 8, 'f'}, {"f8e5m2", 8, 'f'},
    {"f8e5m2fnuz", 8, 'f'}, {"u4", 4, 'i'},       {"i4", 4, 'i'},         {"f4e2m1", 4, 'f'},
    {"f8e8m0", 8, 'f'},     {"u2", 2, 'i'},       {"i2", 2, 'i'},
}};

const Row& row(DType type) {
  const auto i = static_cast<size_t>(type);
  return kRows[i < kRows.size() ? i : 0];
}

}  // namespace

int bit_width(DType type) { return row(type).bits; }
int64_t byte_size(DType type, int64_t count) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  const int64_t bits = row(type).bits;
  return count > kMost / 256 ? kMost : (count * bits + 7) / 8;
}
std::string_view name(DType type) { return row(type).name; }

std::optional<DType> parse_dtype(std::string_view text) {
  for (size_t i = 1; i < kRows.size(); ++i)
    if (kRows[i].name == text) return static_cast<DType>(i);
  return std::nullopt;
}

bool is_float(DType type) { return row(type).family == 'f'; }
bool is_integer(DType type) { return row(type).family == 'i'; }

}  // namespace isomer::ir
