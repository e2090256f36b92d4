// The functions of the rule language, each a row: its word or mark, and how many arguments it takes.
// Expressions name them by number, so that nothing is looked up by its text where a rule is applied. What
// they compute is in rule_expr.h.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace isomer::rewrite {

enum class Function : uint8_t {
  kOr,
  kAnd,
  kEqual,
  kUnequal,
  kLess,
  kAtMost,
  kGreater,
  kAtLeast,
  kPlus,
  kMinus,
  kTimes,
  kOver,
  kRest,
  kNot,
  kList,
  kPositive,
  kConstant,
  kRank,
  kShape,
  kDim,
  kDtype,
  kElements,
  kSplat,
  kAbsent,
  kSameShape,
  kSameType,
  kCompose,
  kInverse,
  kIsIdentity,
  kIsPermutation,
  kIota,
  kLength,
  kAt,
  kSlice,
  kJoin,
  kReplace,
  kProduct,
  kScalar,
  kSum,
  kContains,
  kInteger,
  kMin,
  kMax,
  kClamp,
  kSameAxis,
  kNear,
  kKeepsOrder,
  kMarks,
  kPlaces,
  kVector,
  kLowest,
  kHighest,
};

struct FunctionRow {
  std::string_view word;
  int arity = 0;       ///< -1: any number
  bool mark = false;   ///< stands between its arguments, or before one
  bool bound = false;  ///< compares two numbers
};

inline constexpr std::array kFunctions = {
    FunctionRow{"||", 2, true},
    FunctionRow{"&&", 2, true},
    FunctionRow{"==", 2, true},
    FunctionRow{"!=", 2, true},
    FunctionRow{"<", 2, true, true},
    FunctionRow{"<=", 2, true, true},
    FunctionRow{">", 2, true, true},
    FunctionRow{">=", 2, true, true},
    FunctionRow{"+", 2, true},
    FunctionRow{"-", 2, true},
    FunctionRow{"*", 2, true},
    FunctionRow{"/", 2, true},
    FunctionRow{"%", 2, true},
    FunctionRow{"!", 1, true},
    FunctionRow{"list", -1},
    FunctionRow{"positive", 1},
    FunctionRow{"constant", 1},
    FunctionRow{"rank", 1},
    FunctionRow{"shape", 1},
    FunctionRow{"dim", 2},
    FunctionRow{"dtype", 1},
    FunctionRow{"elements", 1},
    FunctionRow{"splat", 1},
    FunctionRow{"absent", 1},
    FunctionRow{"same_shape", 2},
    FunctionRow{"same_type", 2},
    FunctionRow{"compose", 2},
    FunctionRow{"inverse", 1},
    FunctionRow{"is_identity", 1},
    FunctionRow{"is_permutation", 1},
    FunctionRow{"iota", 1},
    FunctionRow{"length", 1},
    FunctionRow{"at", 2},
    FunctionRow{"slice", 3},
    FunctionRow{"join", 2},
    FunctionRow{"replace", 3},
    FunctionRow{"product", 1},
    FunctionRow{"scalar", 2},
    FunctionRow{"sum", 1},
    FunctionRow{"contains", 2},
    FunctionRow{"integer", 1},
    FunctionRow{"min", 2},
    FunctionRow{"max", 2},
    FunctionRow{"clamp", 2},
    FunctionRow{"same_axis", 3},
    FunctionRow{"near", 2},
    FunctionRow{"keeps_order", 2},
    FunctionRow{"marks", 2},
    FunctionRow{"places", 1},
    FunctionRow{"vector", 1},
    FunctionRow{"lowest", 1},
    FunctionRow{"highest", 1},
};

constexpr const FunctionRow& row(Function f) { return kFunctions[static_cast<size_t>(f)]; }

/// By its word or mark.
constexpr std::optional<Function> function_of(std::string_view word) {
  for (size_t i = 0; i < kFunctions.size(); ++i)
    if (kFunctions[i].word == word) return static_cast<Function>(i);
  return std::nullopt;
}

}  // namespace isomer::rewrite
