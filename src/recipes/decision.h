// Which program is written, or compiled, and why.
#pragma once

#include <string>
#include <utility>

namespace isomer::recipes {

struct Decision {
  std::string words = {};         ///< empty: nothing is decided
  std::string why_original = {};  ///< of them what speaks for the original, where that is taken
  /// And that is only that no time was left to check the rules behind what was found.
  bool rules_unchecked = false;

  bool is_made() const { return !words.empty(); }
};

inline Decision original_since(std::string why) { return {"the original program: " + why, std::move(why)}; }
inline Decision optimised(const std::string& why) { return {"the optimised program, " + why}; }

}  // namespace isomer::recipes
