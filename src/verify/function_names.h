// What a test over the field took for any function, in words.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace isomer::verify {

/// Names of the functions in PrimeField::inexact(); a maximum or comparison is "order".
std::vector<std::string> function_names(uint64_t inexact);

}  // namespace isomer::verify
