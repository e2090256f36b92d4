#include "support/errors.h"

#include <fmt/format.h>

namespace isomer {
namespace {

std::string locate(const InputPosition& where, const std::string& message) {
  if (where.line > 0 && where.column > 0)
    return fmt::format("{}:{}:{}: {}", where.file, where.line, where.column, message);
  if (where.line > 0) return fmt::format("{}:{}: {}", where.file, where.line, message);
  return where.file.empty() ? message : fmt::format("{}: {}", where.file, message);
}

}  // namespace

InputError::InputError(const InputPosition& where, const std::string& message)
    : Error(ExitStatus::kBadInput, locate(where, message)) {}

void fail_requirement(const char* condition, const std::string& message, const std::source_location& where) {
  throw MisuseError(fmt::format("{}: {} (required: {})", where.function_name(), message, condition));
}

}  // namespace isomer
