#include "support/unknown_word.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "support/nearest_names.h"

namespace isomer {

std::string did_you_mean(std::string_view word, std::span<const std::string> known) {
  const std::vector<std::string> near = nearest_names(word, known);
  return near.empty() ? "" : fmt::format("; did you mean {}?", fmt::join(near, " or "));
}

UsageError unknown_word(std::string_view what, std::string_view word, std::span<const std::string> known) {
  std::string list;
  for (size_t i = 0; i < known.size(); ++i)
    list += (i == 0 ? "" : i + 1 == known.size() ? " or " : ", ") + known[i];
  return UsageError(fmt::format("{} {}: expected {}{}", what, word, list, did_you_mean(word, known)));
}

}  // namespace isomer
