#include "recipes/shipped_arithmetic.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "ir/constant_data.h"
#include "recipes/rule_files.h"
#include "support/errors.h"
#include "support/files.h"
#include "support/hash.h"

namespace isomer::recipes {

uint64_t rule_file_hash(const std::string& file) {
  if (!std::filesystem::is_regular_file(file)) return 0;
  return hash_bytes(ir::map_file(file)->bytes());
}

ShippedArithmetic::ShippedArithmetic(std::string_view text) {
  std::string hash;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (line.empty() || line.starts_with('#')) continue;
    if (!line.starts_with(' ')) {
      hash = line.substr(line.find_last_of(' ') + 1);
      continue;
    }
    const size_t end = line.find(": ");
    if (end != std::string_view::npos)
      classes_.emplace(fmt::format("{} {}", hash, line.substr(2, end - 2)), line.substr(end + 2));
  }
}

ShippedArithmetic ShippedArithmetic::of_installation() {
  try {
    const std::string file = rules_folder() + "/shipped.arithmetic";
    if (std::filesystem::is_regular_file(file)) return ShippedArithmetic(read_file(file));
  } catch (const MissingRuntimeError&) {  // rules of one's own need no shipped ones
  }
  return {};
}

std::optional<std::string> ShippedArithmetic::find(uint64_t file_hash, const std::string& rule) const {
  const auto found = classes_.find(fmt::format("{:016x} {}", file_hash, rule));
  return found == classes_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace isomer::recipes
