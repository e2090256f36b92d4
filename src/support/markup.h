// Text that stands within HTML or SVG, or between quotes.
#pragma once

#include <string>
#include <string_view>

namespace isomer {

/// With <, > and & as entities; not for attribute values.
std::string markup_text(std::string_view text);
/// With a backslash before each quote and backslash, as in Graphviz's language.
std::string quoted_text(std::string_view text);

}  // namespace isomer
