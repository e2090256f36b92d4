// Operators that searches name: in which order they are tried, and which a program needs besides the usual
// ones (SearchOptions). A search finds what they can say and nothing else, so that they are chosen and not
// derived.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace isomer::mugraph {

/// By their names in the IR; what is not named here comes after these, as it is declared. What a search finds
/// depends on it.
inline constexpr auto kSearchOrder = std::to_array<std::string_view>({"matmul",
                                                                      "exp",
                                                                      "sqrt",
                                                                      "silu",
                                                                      "gelu",
                                                                      "relu",
                                                                      "sigmoid",
                                                                      "log",
                                                                      "mirage.square",
                                                                      "add",
                                                                      "mul",
                                                                      "div",
                                                                      "sub",
                                                                      "pow",
                                                                      "reduce_sum",
                                                                      "mirage.sum_to",
                                                                      "mirage.rms_norm",
                                                                      "mirage.reshape",
                                                                      "concat",
                                                                      "mirage.concat_matmul",
                                                                      "accum.add",
                                                                      "accum.max",
                                                                      "accum.concat",
                                                                      "accum.sum",
                                                                      "accum.mean",
                                                                      "accum.rms",
                                                                      "accum.running_max",
                                                                      "accum.rescale",
                                                                      "accum.sum_rescale",
                                                                      "accum.sum_to",
                                                                      "mirage.conv",
                                                                      "mirage.depthwise_conv",
                                                                      "mirage.transpose",
                                                                      "reduce_mean",
                                                                      "mirage.repeat"});

/// As muGraphs spell them. Softmax of rows of which a block has a part at a time (Milakov, Gimelshein 2018).
inline constexpr auto kOnlineSoftmax =
    std::to_array<std::string_view>({"sub", "running_max", "accumulate_rescale", "accumulate_sum_rescale"});
/// Sums of which a second kernel adds up the parts; the same of heads that are grouped first.
inline constexpr auto kPartialSums = std::to_array<std::string_view>({"accumulate_sum_to_x"});
inline constexpr auto kGroupedPartialSums =
    std::to_array<std::string_view>({"accumulate_sum_to_x", "reshape"});
/// Two products added up as one.
inline constexpr auto kJoinedProducts = std::to_array<std::string_view>({"concat_matmul"});

template <size_t n>
std::vector<std::string> words_of(const std::array<std::string_view, n>& ops) {
  return {ops.begin(), ops.end()};
}

}  // namespace isomer::mugraph
