// Numbers that a user gives, held to their ranges before any work: UsageError, naming the option.
#pragma once

#include <cstdint>
#include <string>

#include "isomer/compile.h"
#include "isomer/isomer.h"

namespace isomer::recipes {

void require_at_least(const std::string& option, int64_t value, int64_t least);
/// A finite number of at least 0.
void require_not_negative(const std::string& option, double value);

/// At least 0, infinity too.
void require_seconds(const std::string& option, double seconds);

/// What can be said without the model.
void check_options(const OptimizeOptions& options);
void check_options(const CompileOptions& options);

}  // namespace isomer::recipes
