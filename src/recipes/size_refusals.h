// Sizes out of what the runtime said against others: it names the sizes that do not meet ("66 by 198"), and
// the dimension that was tried is as far from the right one as these are from one another, or in their ratio.
#pragma once

#include <string_view>
#include <vector>

#include "recipes/size_proposals.h"

namespace isomer::recipes {

/// Whole numbers of a message, but for those that belong to names, paths and lines of sources; each once, in
/// order, at most sixteen. Of shapes in braces also how many elements they have, and each row of them.
std::vector<int64_t> numbers_said(std::string_view message);

/// Plans in which one dimension of `tried` (or both sides of images) is changed so that the numbers of the
/// message may meet, the likeliest first; `likely`: but for those that some other size would do as well.
/// Dimensions that are given, or sums of others, stay.
std::vector<SizePlan> plans_after(const DynamicDims& dims, const SizePlan& tried, std::string_view message,
                                  bool likely = false);

}  // namespace isomer::recipes
