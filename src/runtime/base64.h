// Bytes in the text of frames (RFC 4648, with padding).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace isomer::runtime {

std::string to_base64(std::string_view bytes);
/// Nothing when the text is no base64.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace isomer::runtime
