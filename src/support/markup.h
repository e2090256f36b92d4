// Text that stands within HTML or SVG.
#pragma once

#include <string>
#include <string_view>

namespace isomer {

/// With <, > and & as entities; not for attribute values.
std::string markup_text(std::string_view text);

}  // namespace isomer
