#include "support/nearest_names.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace isomer {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

}  // namespace

size_t edit_distance(std::string_view first, std::string_view second) {
  const std::string a = lower(first), b = lower(second);
  // Rows of the table of distances between beginnings: the one at hand and the two before.
  std::vector<size_t> row(b.size() + 1), above(b.size() + 1), higher(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    std::swap(higher, above);
    std::swap(above, row);
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], higher[j - 2] + 1);
    }
  }
  return row[b.size()];
}

std::vector<std::string> nearest_names(std::string_view name, std::span<const std::string> known,
                                       size_t most) {
  const std::string wanted = lower(name);
  std::vector<std::pair<size_t, std::string>> near;
  for (const std::string& candidate : known) {
    const std::string other = lower(candidate);
    const bool within = !wanted.empty() && !other.empty() &&
                        (other.find(wanted) != std::string::npos || wanted.find(other) != std::string::npos);
    const auto [shorter, longer] = std::minmax({wanted.size(), other.size()});
    const size_t limit = std::max<size_t>(1, longer / 3), least = longer - shorter;
    if (!within && least > limit) continue;  // a word may be as long as a file
    // What holds the other has no letter less than it, and needs no other change.
    const size_t distance = within ? least : edit_distance(wanted, other);
    if (within || distance <= limit) near.emplace_back(distance, candidate);
  }
  std::ranges::stable_sort(near, {}, [](const auto& n) { return n.first; });
  std::vector<std::string> out;
  for (auto& [distance, candidate] : near)
    if (out.size() < most && std::ranges::find(out, candidate) == out.end())
      out.push_back(std::move(candidate));
  return out;
}

}  // namespace isomer
