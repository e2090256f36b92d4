// What somebody who mistyped a name may have meant.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace isomer {

/// Insertions, deletions, substitutions and swaps of neighbours that lead from one to the other, upper and
/// lower case alike.
size_t edit_distance(std::string_view a, std::string_view b);

/// Of the names that are near enough to be meant (a third of the letters differ at most, or one holds the
/// other), the nearest first; at most `most`.
std::vector<std::string> nearest_names(std::string_view name, std::span<const std::string> known,
                                       size_t most = 3);

}  // namespace isomer
