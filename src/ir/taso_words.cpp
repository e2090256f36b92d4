#include "ir/taso_words.h"

#include <initializer_list>

namespace isomer::ir {
namespace {

// "*" is an operand, "name" an integer attribute, "#name" one that is written d0_d1_..., "-" an ignored
// integer.
std::vector<TasoChild> layout(std::initializer_list<std::string_view> words) {
  std::vector<TasoChild> out;
  for (std::string_view w : words) {
    if (w == "*")
      out.push_back({TasoChildKind::kOperand, {}});
    else if (w == "-")
      out.push_back({TasoChildKind::kIgnored, {}});
    else if (w[0] == '#')
      out.push_back({TasoChildKind::kName, w.substr(1)});
    else
      out.push_back({TasoChildKind::kInteger, w});
  }
  return out;
}

}  // namespace

const std::vector<TasoWord>& taso_words() {
  static const std::vector<TasoWord> kWords = {
      {"ewadd", "add", layout({"*", "*"})},
      {"ewmul", "mul", layout({"*", "*"})},
      {"matmul", "taso.matmul", layout({"act", "*", "*"})},
      {"conv2d", "taso.conv2d", layout({"stride_h", "stride_w", "padding", "act", "*", "*"})},
      {"relu", "relu", layout({"*"})},
      {"tanh", "tanh", layout({"*"})},
      {"sigmoid", "sigmoid", layout({"*"})},
      {"dropout", "taso.dropout", layout({"*"})},
      {"poolmax", "taso.poolmax",
       layout({"*", "kernel_h", "kernel_w", "stride_h", "stride_w", "padding", "act"})},
      {"poolavg", "taso.poolavg",
       layout({"*", "kernel_h", "kernel_w", "stride_h", "stride_w", "padding", "act"})},
      {"concat", "taso.concat", layout({"axis", "ndim", "*", "*"})},
      {"concat3", "taso.concat", layout({"axis", "ndim", "*", "*", "*"})},
      {"concat4", "taso.concat", layout({"axis", "ndim", "*", "*", "*", "*"})},
      {"concat5", "taso.concat", layout({"axis", "ndim", "*", "*", "*", "*", "*"})},
      {"split", "taso.split", layout({"axis", "*"}), -1, "pos"},
      {"split_0", "get", layout({"*"}), 0},
      {"split_1", "get", layout({"*"}), 1},
      {"enlarge", "taso.enlarge", layout({"*", "*"})},
      {"merge", "taso.merge", layout({"*", "count"})},
      {"reshape", "reshape", layout({"*", "#shape"})},
      {"transpose", "transpose", layout({"*", "#perm", "-"})},
      {"batchnorm", "batch_norm", layout({"*", "*", "*", "*", "*"})},
      {"noop", "tuple", layout({"*", "*"})},
  };
  return kWords;
}

const TasoWord* find_taso_word(std::string_view word) {
  for (const TasoWord& w : taso_words())
    if (w.word == word) return &w;
  return nullptr;
}

}  // namespace isomer::ir
