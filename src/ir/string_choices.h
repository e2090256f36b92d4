// What attributes that are words may be.
#pragma once

#include <span>
#include <string_view>

namespace isomer::ir {

/// The words that an attribute of an operator takes; empty: it has no such list.
std::span<const std::string_view> string_choices(std::string_view op, std::string_view attribute);

}  // namespace isomer::ir
