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

inline constexpr int kFewInstances = 1;

/// A file of rules, of which every n-th is tested, at so many instances.
struct ShippedFile {
  std::string name;
  int instances = kFewInstances;
  size_t every = 1;
};

/// Of `kShort` every rule of each file but what takes minutes, and every fourth of TASO's published lists,
/// which nobody changes; of `kLong` all files, at more instances. In alphabetical order. TASO's axioms are
/// equations over its words, not rules (axiom_check_test.cpp).
inline std::vector<ShippedFile> shipped_files(Length length) {
  std::vector<ShippedFile> out;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(ISOMER_SOURCE_DIR) + "/rules")) {
    const std::string name = entry.path().filename().string(), ending = entry.path().extension().string();
    if ((ending != ".rules" && ending != ".txt" && ending != ".pb") || name == "taso_axioms.txt") continue;
    const bool takes_long = name == "graph_subst.pb" || name == "attention.rules";
    if (length == Length::kLong)
      out.push_back({name, takes_long ? 3 : 8});
    else if (!takes_long)
      out.push_back({name, kFewInstances, ending == ".txt" ? size_t{4} : 1});
  }
  std::ranges::sort(out, {}, &ShippedFile::name);
  return out;
}

/// All, or every n-th; sanitized, of these every eighth.
inline std::vector<Rule> some_of(const std::vector<Rule>& rules, size_t every = 1) {
  std::vector<Rule> out;
  for (size_t i = 0; i < rules.size(); i += every * (kSanitized ? 8 : 1)) out.push_back(rules[i]);
  return out;
}

/// "taso_single.txt" as the name of a test.
inline std::string stem(const std::string& file) { return file.substr(0, file.find('.')); }

}  // namespace isomer::rewrite
