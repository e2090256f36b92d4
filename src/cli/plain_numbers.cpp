// The argument parser alone would take -1 for the largest number of an unsigned option, and nan for a number.
#include "cli/plain_numbers.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

namespace isomer::cli {
namespace {

/// Empty where the text is fine, or no number at all: that is said by the parser.
std::string plain(const std::string& text) {
  if (text.empty()) return "expected a number, found nothing";
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc::invalid_argument || rest != end) return {};
  if (error == std::errc() && std::isfinite(value) && value >= 0 && !text.starts_with('-')) return {};
  return fmt::format("expected a finite number of at least 0, found {}", text);
}

/// Of text that is plain.
std::string counted(const std::string& text) {
  uint64_t value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc::result_out_of_range) return {};
  return fmt::format("expected at most {}, found {}", std::numeric_limits<uint64_t>::max(), text);
}

bool is_integer(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  return type.starts_with("INT") || type.starts_with("UINT");
}

bool is_numeric(const CLI::Option& option) {
  return is_integer(option) || option.get_type_name().starts_with("FLOAT");
}

}  // namespace

CLI::Validator at_least_one() {
  return {[](const std::string& text) {
            double value = 0;
            std::from_chars(text.data(), text.data() + text.size(), value);
            return value >= 1 ? std::string() : "expected at least 1, found " + text;
          },
          ""};
}

void require_plain_numbers(CLI::App& app) {
  for (CLI::Option* option : app.get_options())
    if (is_numeric(*option)) {
      option->check(plain);
      if (is_integer(*option)) option->check(counted);
    }
  for (CLI::App* command : app.get_subcommands([](CLI::App*) { return true; }))
    require_plain_numbers(*command);
}

}  // namespace isomer::cli
