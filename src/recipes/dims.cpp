#include "recipes/dims.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "support/errors.h"
#include "support/unknown_word.h"

namespace isomer::recipes {
namespace {

/// A model can have hundreds of names.
constexpr size_t kMostListed = 12;
/// As many bytes fit in no machine.
constexpr int64_t kLargest = int64_t{1} << 40;

std::string listed(const std::vector<std::string>& names) {
  if (names.empty()) return "none of its inputs has any";
  const size_t shown = std::min(names.size(), kMostListed);
  return fmt::format("there {} {}{}", names.size() == 1 ? "is" : "are",
                     fmt::join(names.begin(), names.begin() + static_cast<ptrdiff_t>(shown), ", "),
                     shown < names.size() ? fmt::format(" and {} more", names.size() - shown) : "");
}

}  // namespace

Sizes parse_dims(const std::vector<std::string>& pairs, std::string_view flag) {
  Sizes dims;
  for (const std::string& pair : pairs) {
    // Names may hold "=": a size stands behind the last one.
    const size_t equals = pair.rfind('=');
    int64_t value = 0;
    if (equals != std::string::npos && equals > 0) {
      const char* end = pair.data() + pair.size();
      const auto [rest, error] = std::from_chars(pair.data() + equals + 1, end, value);
      if (error != std::errc() || rest != end) value = 0;
    }
    if (value < 1 || value > kLargest)
      throw UsageError(
          fmt::format("{} {}: expected name=value with a value from 1 to {}", flag, pair, kLargest));
    const auto [at, fresh] = dims.emplace(pair.substr(0, equals), value);
    if (!fresh && at->second != value)
      throw UsageError(fmt::format("{} {}: {} was given as {} before", flag, pair, at->first, at->second));
  }
  return dims;
}

void check_dim_names(const Sizes& sizes, const std::vector<std::string>& named,
                     const std::vector<std::string>& others, std::string_view flag) {
  for (const auto& [name, size] : sizes) {
    if (std::ranges::find(named, name) != named.end() || std::ranges::find(others, name) != others.end())
      continue;
    throw UsageError(fmt::format("{} {}={}: the model has no dynamic dimension of that name{} ({})", flag,
                                 name, size, did_you_mean(name, named), listed(named)));
  }
}

std::string to_text(const Sizes& sizes) {
  std::string out;
  for (const auto& [name, size] : sizes) out += fmt::format("{}{}={}", out.empty() ? "" : ", ", name, size);
  return out;
}

}  // namespace isomer::recipes
