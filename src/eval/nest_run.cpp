#include "eval/nest_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace isomer::eval {

void fail_out_of_bounds(std::string_view what, const meaning::CompiledRead& read,
                        std::span<const int64_t> index) {
  throw ReadOutOfBounds(fmt::format("{}: reads element [{}] of operand {}, whose shape is [{}]", what,
                                    fmt::join(index, ","), read.input, fmt::join(read.extents, ",")));
}

}  // namespace isomer::eval
