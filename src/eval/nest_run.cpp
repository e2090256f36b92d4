#include "eval/nest_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace isomer::eval {

void fail_out_of_bounds(std::string_view what, const meaning::CompiledRead& read,
                        std::span<const int64_t> index) {
  throw ReadOutOfBounds(fmt::format("{}: reads element [{}] of operand {}, whose shape is [{}]", what,
                                    fmt::join(index, ","), read.input, fmt::join(read.extents, ",")));
}

void fail_out_of_bounds(std::string_view what, size_t dimension, int64_t place, int64_t extent) {
  throw ReadOutOfBounds(
      fmt::format("{}: writes at {} of dimension {}, which has {}", what, place, dimension, extent));
}

}  // namespace isomer::eval
