// Sizes of dimensions as users give them (--dim, --measure-dim): name=value, checked against the names that a
// model has.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace isomer::recipes {

/// Dimension -> size.
using Sizes = std::map<std::string, int64_t>;

/// "name=value" pairs. Throws UsageError, which names the flag, for anything else, a size below 1, and one
/// name with two sizes.
Sizes parse_dims(const std::vector<std::string>& pairs, std::string_view flag = "--dim");

/// Throws UsageError, which suggests the nearest names, where a name is none of a model's. `named`: the
/// dynamic dimensions of its inputs; `others`: names that it has elsewhere.
void check_dim_names(const Sizes& sizes, const std::vector<std::string>& named,
                     const std::vector<std::string>& others = {}, std::string_view flag = "--dim");

/// "batch=2, seq=64".
std::string to_text(const Sizes& sizes);

}  // namespace isomer::recipes
