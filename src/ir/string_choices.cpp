#include "ir/string_choices.h"

namespace isomer::ir {
namespace {

constexpr std::string_view kDirections[] = {"LEFT", "RIGHT"};
constexpr std::string_view kGelus[] = {"none", "tanh"};
constexpr std::string_view kPads[] = {"constant", "edge", "reflect", "wrap"};
constexpr std::string_view kBlocks[] = {"DCR", "CRD"};
constexpr std::string_view kActivations[] = {"relu", "sigmoid", "tanh", "leaky_relu", "hard_sigmoid", "clip"};

struct Row {
  std::string_view op, attribute;
  std::span<const std::string_view> words;
};
constexpr Row kRows[] = {
    {"bit_shift", "direction", kDirections}, {"gelu", "approximate", kGelus},
    {"bias_gelu", "approximate", kGelus},    {"pad", "mode", kPads},
    {"depth_to_space", "mode", kBlocks},     {"fused_conv", "activation", kActivations},
};

}  // namespace

std::span<const std::string_view> string_choices(std::string_view op, std::string_view attribute) {
  for (const Row& row : kRows)
    if (row.op == op && row.attribute == attribute) return row.words;
  return {};
}

}  // namespace isomer::ir
