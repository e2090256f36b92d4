// The arithmetic of the shipped rules (rewrite/rule_stability.h), measured before they are shipped:
// "shipped.arithmetic" beside them, which tools/rule_arithmetic writes and tests hold to what is measured. It
// is the same on every machine. It is said of rules of a file with the content that was measured; of any
// other file, or another content, nothing is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace isomer::recipes {

/// Of its content; 0 where `file` is no file that can be read again (a pipe, none at all).
uint64_t rule_file_hash(const std::string& file);

class ShippedArithmetic {
 public:
  ShippedArithmetic() = default;  ///< of no rule
  /// Lines "FILE HASH", each with its rules after it, "  RULE: CLASS"; "#" begins a comment.
  explicit ShippedArithmetic(std::string_view text);
  /// That of the shipped rule sets; of no rule where they are not there, or have none.
  static ShippedArithmetic of_installation();

  /// rewrite::arithmetic_of what was measured of the rule of that name in a file with that hash.
  std::optional<std::string> find(uint64_t file_hash, const std::string& rule) const;

 private:
  std::unordered_map<std::string, std::string> classes_;  ///< by hash and name
};

}  // namespace isomer::recipes
