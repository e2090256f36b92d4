#include "runtime/base64.h"

#include <cstdint>

namespace isomer::runtime {
namespace {

constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::string to_base64(std::string_view bytes) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t word = 0;
    for (size_t j = 0; j < 3; ++j)
      word = word << 8 | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0u);
    for (size_t j = 0; j < 4; ++j) out += i + j > bytes.size() ? '=' : kDigits[word >> (18 - 6 * j) & 63];
  }
  return out;
}

std::optional<std::string> from_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  size_t padding = 0;
  while (padding < 2 && padding < text.size() && text[text.size() - 1 - padding] == '=') ++padding;
  std::string out;
  for (size_t i = 0; i < text.size(); i += 4) {
    uint32_t word = 0;
    for (size_t j = 0; j < 4; ++j) {
      const bool padded = i + j >= text.size() - padding;
      const size_t digit = padded ? 0 : kDigits.find(text[i + j]);
      if (digit == std::string_view::npos) return std::nullopt;
      word = word << 6 | static_cast<uint32_t>(digit);
    }
    for (size_t j = 0; j < 3; ++j) out += static_cast<char>(word >> (16 - 8 * j) & 0xFF);
  }
  out.resize(out.size() - padding);
  return out;
}

}  // namespace isomer::runtime
