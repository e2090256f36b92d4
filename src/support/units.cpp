#include "support/units.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <limits>
#include <span>
#include <utility>

#include "support/errors.h"

namespace isomer {
namespace {

using Unit = std::pair<std::string_view, double>;

double parse_with_units(std::string_view text, std::span<const Unit> units, std::string_view what,
                        std::string_view example, double most) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string_view suffix =
      error == std::errc() ? text.substr(static_cast<size_t>(end - text.data())) : text;
  if (error == std::errc() && value >= 0)
    for (const auto& [name, factor] : units)
      if (suffix == name && value * factor <= most) return value * factor;
  throw UsageError(
      fmt::format("'{}' is no {}: expected a number with a unit, for example {}", text, what, example));
}

}  // namespace

double parse_seconds(std::string_view text) {
  static constexpr std::array<Unit, 6> kUnits = {
      {{"", 1}, {"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"m", 60}, {"h", 3600}}};
  return parse_with_units(text, kUnits, "duration", "90s or 2m", std::numeric_limits<double>::infinity());
}

uint64_t parse_bytes(std::string_view text) {
  static constexpr std::array<Unit, 20> kUnits = {{
      {"", 1},         {"B", 1},       {"k", 1e3},      {"K", 1e3},      {"kB", 1e3},
      {"KB", 1e3},     {"M", 1e6},     {"MB", 1e6},     {"G", 1e9},      {"GB", 1e9},
      {"T", 1e12},     {"TB", 1e12},   {"Ki", 0x1p10},  {"KiB", 0x1p10}, {"Mi", 0x1p20},
      {"MiB", 0x1p20}, {"Gi", 0x1p30}, {"GiB", 0x1p30}, {"Ti", 0x1p40},  {"TiB", 0x1p40},
  }};
  constexpr double kMost = 0x1p62;  // no machine has as much
  return static_cast<uint64_t>(parse_with_units(text, kUnits, "size", "4GiB or 500MB", kMost));
}

std::string format_seconds(double seconds) {
  if (seconds >= 100) return fmt::format("{:.0f} s", seconds);
  if (seconds >= 1) return fmt::format("{:.2f} s", seconds);
  if (seconds >= 1e-3) return fmt::format("{:.2f} ms", seconds * 1e3);
  return fmt::format("{:.1f} us", seconds * 1e6);
}

std::string format_bytes(uint64_t bytes) {
  static constexpr std::array<std::string_view, 5> kNames = {"B", "KiB", "MiB", "GiB", "TiB"};
  auto value = static_cast<double>(bytes);
  size_t i = 0;
  for (; value >= 1024 && i + 1 < kNames.size(); ++i) value /= 1024;
  return i == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", value, kNames[i]);
}

}  // namespace isomer
