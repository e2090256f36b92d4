// Sizes as meanings compute with them: integers, or polynomials with integer coefficients over named sizes
// and over what has no polynomial (quotients rounded down, maxima, minima). In one normal form, so that sizes
// that are the same polynomial are the same value. Compilers for dynamic shapes keep such expressions beside
// their dimensions (Halide, TVM, XLA's bounded shapes); here loop nests are stated over them, so that one
// nest stands for every size.
//
// A comparison is a question: where named sizes leave it open, the answer depends on the case (size_case.h).
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ir/type.h"

namespace isomer::ir {

class Context;

class Size {
 public:
  struct Atom;  ///< a name, a quotient, a maximum or a minimum
  /// A coefficient times a product of atoms, ascending; of none: a number.
  struct Term {
    std::vector<std::shared_ptr<const Atom>> atoms;
    int64_t factor = 0;
  };

  Size(int64_t number = 0)
      : number_(number) {}  // NOLINT(google-explicit-constructor): n + 1 reads as written
  static Size named(SymbolId name);
  static Size of(Atom atom);

  bool is_number() const { return terms_ == nullptr; }
  /// REQUIREs that it is one.
  int64_t number() const;
  /// Of a polynomial, in a fixed order; of a number one or none.
  std::vector<Term> terms() const;

  friend Size operator+(const Size& a, const Size& b);
  friend Size operator-(const Size& a, const Size& b);
  friend Size operator*(const Size& a, const Size& b);
  Size& operator+=(const Size& other) { return *this = *this + other; }
  Size& operator*=(const Size& other) { return *this = *this * other; }
  /// Rounds towards minus infinity; by what is positive.
  Size floor_div(const Size& divisor) const;
  Size mod(const Size& divisor) const { return *this - floor_div(divisor) * divisor; }
  friend Size max(const Size& a, const Size& b);
  friend Size min(const Size& a, const Size& b);

  /// The same expression; whether expressions are equal in the case at hand asks ==.
  friend std::strong_ordering compare(const Size& a, const Size& b);
  bool identical(const Size& other) const { return compare(*this, other) == 0; }

  /// With other sizes in the place of names.
  Size with(const std::function<Size(SymbolId)>& of) const;

 private:
  friend class Polynomial;
  int64_t number_ = 0;
  std::shared_ptr<const std::vector<Term>> terms_;  ///< at least one atom occurs
};

struct Size::Atom {
  enum class Kind : uint8_t { kName, kFloorDiv, kMax, kMin } kind = Kind::kName;
  SymbolId name;  ///< kName
  Size a, b;      ///< the others
};

/// Answers in the case at hand: REQUIREs that it is certain, or that cases are being told apart.
bool operator==(const Size& a, const Size& b);
bool operator<(const Size& a, const Size& b);
inline bool operator>(const Size& a, const Size& b) { return b < a; }
inline bool operator<=(const Size& a, const Size& b) { return !(b < a); }
inline bool operator>=(const Size& a, const Size& b) { return !(a < b); }

/// "2*N*M+3", "((N+1)/2)", "min(N,8)".
std::string print(const Context& ctx, const Size& size);

/// Of a dimension that is known. A name that stands for a formula (size_formula.h) is that formula.
Size size_of(const Context& ctx, Dim dim);
std::vector<Size> sizes_of(const Context& ctx, const Shape& shape);
std::vector<Size> as_sizes(std::span<const int64_t> numbers);
/// REQUIREs that they are.
std::vector<int64_t> numbers(std::span<const Size> sizes);

}  // namespace isomer::ir
