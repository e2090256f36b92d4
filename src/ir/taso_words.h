// The words of TENSAT's S-expression language: which operator each one stands for, and what its children are.
// The readers of programs (formats/sexpr) and of rule files (rewrite) share this one table.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace isomer::ir {

enum class TasoChildKind : uint8_t {
  kOperand,  ///< a tensor
  kInteger,  ///< the attribute of this name
  kName,     ///< an attribute written d0_d1_... (shape, perm)
  kIgnored,  ///< an integer without meaning here (transpose's shuffle)
};

struct TasoChild {
  TasoChildKind kind = TasoChildKind::kOperand;
  std::string_view attr;  ///< empty for operands
};

struct TasoWord {
  std::string_view word;
  std::string_view op;              ///< name in the operator table
  std::vector<TasoChild> children;  ///< in TENSAT's order
  int index = -1;                   ///< split_0, split_1: which part
  std::string_view last = {};       ///< an integer attribute that our files have after TENSAT's children
};

/// All words but `input` and `weight`. `concat` .. `concat5` share one operator and differ in arity.
const std::vector<TasoWord>& taso_words();
/// nullptr when there is no such word.
const TasoWord* find_taso_word(std::string_view word);

}  // namespace isomer::ir
