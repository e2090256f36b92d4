// Every rule file in rules/, by looking: one that is added is tested without being named anywhere.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "rewrite/rule.h"
#include "support/sanitized.h"

namespace isomer::rewrite {

/// What `make test` leaves to `make test-all` (rewrite.long).
enum class Length : uint8_t { kShort, kLong };

/// Names of files, in alphabetical order. TASO's axioms are equations over its words, not rules
/// (axiom_check_test.cpp).
inline std::vector<std::string> shipped_files(Length length) {
  std::vector<std::string> out;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(ISOMER_SOURCE_DIR) + "/rules")) {
    const std::string name = entry.path().filename().string(), ending = entry.path().extension().string();
    if ((ending == ".rules" || ending == ".txt" || ending == ".pb") && name != "taso_axioms.txt")
      out.push_back(name);
  }
  std::erase_if(out, [&](const std::string& name) {
    const bool takes_long = name == "graph_subst.pb" || name == "attention.rules";
    return takes_long != (length == Length::kLong);
  });
  std::ranges::sort(out);
  return out;
}

/// All; sanitized, every eighth.
inline std::vector<Rule> some_of(const std::vector<Rule>& rules) {
  std::vector<Rule> out;
  for (size_t i = 0; i < rules.size(); i += kSanitized ? 8 : 1) out.push_back(rules[i]);
  return out;
}

/// "taso_single.txt" as the name of a test.
inline std::string stem(const std::string& file) { return file.substr(0, file.find('.')); }

}  // namespace isomer::rewrite
