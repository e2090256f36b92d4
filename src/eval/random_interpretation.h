// The field in which whatever decides by values is an arbitrary function: a condition of what is compared,
// the integer that a number is cut to, the sign, root, maximum or minimum of numbers. A random order shows
// one outcome of many in a test: where forty conditions have to hold at once it shows that in none. Here both
// sides of a choice are in the value that is compared, so that two programs that are equal at random points
// are equal whatever the conditions are, and the bound of Schwartz and Zippel holds. What follows from the
// order itself (where(x < y, x, y) = min(x, y)) is not seen.
//
// What is not an ordinary number for more than a set of measure zero is no element of a field: a choice that
// may be infinite, a quotient by what a choice, a maximum or a sign may make zero. Of the first there is no
// proof; of the second there is one for programs that divide by the same numbers.
//
// Random interpretation: Gulwani, Necula, "Global value numbering using random interpretation" (POPL 2004),
// who give branches that meet a random affine combination of both values. There the weight is a fresh one of
// the place where they meet; ours is a random function of what the condition compares, so that equal
// conditions have equal weights wherever they stand, in either program. Maxima are theirs in no way: sums of
// random numbers of the operands, each counted once, so that neither order nor nesting nor repeating matters.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "eval/field.h"

namespace isomer::eval {

/// A domain as PrimeField is. What was decided stands among integers as a *token*: a condition or a number
/// that is not known. Scalar programs ask the functions below for what is done to those (scalar_run.h).
class RandomInterpretation : public PrimeField {
 public:
  /// Random bits of a token: two of them are the same by chance with probability 2^-kTokenBits.
  static constexpr int kTokenBits = 54;
  static constexpr int kNumberBits = 60;

  /// Of each kind: tokens, maxima, divisors.
  static constexpr size_t kMostKept = size_t{1} << 20;

  explicit RandomInterpretation(uint64_t seed = 0, size_t most_kept = kMostKept)
      : PrimeField(seed), most_kept_(most_kept) {}

  Number constant(double value);
  Number from_integer(int64_t value);
  int64_t to_integer(Number a);
  Number add(Number a, Number b);
  Number max(Number a, Number b) { return extremum(ir::ScalarOp::kMax, a, b); }
  Number min(Number a, Number b) { return extremum(ir::ScalarOp::kMin, a, b); }
  Number unary(ir::ScalarOp op, Number a);
  Number binary(ir::ScalarOp op, Number a, Number b);
  /// Of whoever cannot go on with an unknown condition.
  bool less(Number a, Number b) {
    refuse();
    return PrimeField::less(a, b);
  }

  /// Whether it stands for what is not known. Of all integers only those that were given out are.
  bool is_token(int64_t value) const;
  /// kLess, kLessEqual, kEqual: a condition; known where both are one number, or neither is finite.
  int64_t compare(ir::ScalarOp op, Number a, Number b);
  /// kIsNan, kIsInf: a condition, since a quotient may be either.
  int64_t test(ir::ScalarOp op, Number a);
  /// Where a token is the condition.
  Number choose(int64_t token, Number x, Number y);
  int64_t choose(int64_t token, int64_t x, int64_t y);
  /// Where one of them is a token; unary operators ignore `b`.
  int64_t combine(ir::ScalarOp op, int64_t a, int64_t b);
  /// What an element of the type holds of it.
  int64_t cast(ir::DType to, int64_t token);
  using PrimeField::cast;

  /// Something asked what is not known (which element to read, how often to go round), or there is too much
  /// to keep: what was computed says nothing.
  void refuse() { refused_ = true; }
  bool refused() const { return refused_; }
  /// What there were too many of, where it refused for want of room alone (a larger one might not have):
  /// "conditions and cut numbers", "maxima and minima", "divisors". Else empty.
  std::string_view too_many() const { return too_many_; }
  /// Random bits that are left of a number or a token when each two that were drawn are told apart.
  double bits() const;
  /// What numbers were divided by since this was last asked. Not constants, and not sums of exponentials,
  /// which are above 0.
  std::unordered_set<uint64_t> divisors() { return std::exchange(divisors_, {}); }
  /// Whether anything was decided: a token, maximum or sign was given out. Without, zeros of divisors are
  /// those of polynomials, of measure zero.
  bool decided() const { return decided_; }

 private:
  /// The operands of maxima: what a maximum is is their sum. The list ends where it grows long.
  struct Operands {
    uint64_t sum = 0;
    std::vector<uint64_t> each;  ///< in order
    bool listed = true;
  };
  Number extremum(ir::ScalarOp op, Number a, Number b);
  Operands operands_of(ir::ScalarOp op, Number a) const;
  Operands joined(const Operands& a, const Operands& b) const;
  uint64_t of_operand(uint64_t p) const;

  /// Whether there is no room for another one beside so many of these; then it refuses.
  bool is_full(size_t kept, std::string_view what);

  Number root(Number a);
  Number sign(Number a);
  int64_t token(uint64_t kind, ir::ScalarOp op, uint64_t a, uint64_t b = 0, uint64_t c = 0);
  bool is_condition(int64_t value) const;
  bool holds_a_bit(int64_t value) const;
  int64_t condition_of(int64_t value);
  int64_t combine_conditions(ir::ScalarOp op, int64_t a, int64_t b);
  Number weight(int64_t condition) const;

  Number as_constant(Number a);
  void note_divisor(Number a);

  size_t most_kept_;
  bool refused_ = false, decided_ = false;
  std::string_view too_many_;
  std::unordered_set<int64_t> tokens_;
  std::unordered_map<int64_t, ir::DType> kept_as_;  ///< by token: of which type it is a value
  std::unordered_set<uint64_t> constants_, divisors_;
  std::unordered_set<uint64_t> positive_;           ///< exponentials, and sums of such
  std::unordered_map<uint64_t, Operands> extrema_;  ///< by operator and value
  size_t listed_ = 0;                               ///< in all of them
};

}  // namespace isomer::eval
