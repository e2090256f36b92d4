// The argument parser alone would take -1 for the largest number of an unsigned option, and nan for a number.
#include "cli/plain_numbers.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <charconv>
#include <cmath>
#include <string>

namespace isomer::cli {
namespace {

/// Empty where the text is fine, or no number at all: that is said by the parser.
std::string plain(const std::string& text) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc::invalid_argument || rest != end) return {};
  if (error == std::errc() && std::isfinite(value) && value >= 0 && !text.starts_with('-')) return {};
  return fmt::format("expected a finite number of at least 0, found {}", text);
}

bool is_numeric(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  for (const char* kind : {"INT", "UINT", "FLOAT"})
    if (type.starts_with(kind)) return true;
  return false;
}

}  // namespace

void require_plain_numbers(CLI::App& app) {
  for (CLI::Option* option : app.get_options())
    if (is_numeric(*option)) option->check(plain);
  for (CLI::App* command : app.get_subcommands([](CLI::App*) { return true; }))
    require_plain_numbers(*command);
}

}  // namespace isomer::cli
