// Expressions over vectors of lanes, as LLVM IR: what llvm_math.cpp writes functions with, and
// small_floats.cpp conversions. Each operator appends one instruction; none may be contracted or reordered.
// Comparisons are false where a side is NaN. Quotients in single precision are off by up to two units on
// graphics processors.
#pragma once

#include <initializer_list>
#include <span>
#include <string>

#include "codegen/llvm_scalar.h"

namespace isomer::codegen {

enum class LaneType { kBit, kI32, kI64, kF32, kF64 };

class Lanes {
 public:
  Lanes(ScalarText& text, LaneType type, int count, std::string name)
      : text_(&text), type_(type), count_(count), name_(std::move(name)) {}

  ScalarText& text() const { return *text_; }
  int count() const { return count_; }
  const std::string& name() const { return name_; }
  /// As LLVM writes it: `<8 x float>`.
  std::string type() const { return type_name(type_); }
  LaneType element() const { return type_; }
  bool is_float() const { return type_ == LaneType::kF32 || type_ == LaneType::kF64; }

  /// What stands beside a value in an expression: a number is a constant of its type.
  Lanes like(double value) const;
  Lanes like(int value) const { return is_float() ? like(static_cast<double>(value)) : like(int64_t{value}); }
  Lanes like(int64_t value) const;
  Lanes like(const Lanes& other) const { return other; }

  /// `instruction` is all that stands before the operands, which have this type.
  Lanes made(const std::string& instruction, std::span<const Lanes> operands) const;
  Lanes compared(const char* how, const Lanes& other) const;
  Lanes converted(const char* instruction, LaneType to) const;
  /// llvm.NAME of arguments of this type.
  Lanes intrinsic(const char* name, std::initializer_list<Lanes> args) const;

  Lanes operator!() const;

 private:
  std::string type_name(LaneType of) const;
  std::string short_type() const;

  ScalarText* text_;
  LaneType type_;
  int count_;
  std::string name_;
};

Lanes binary(const Lanes& a, const char* of_floats, const char* of_integers, const Lanes& b);

template <class T>
Lanes operator+(const Lanes& a, const T& b) {
  return binary(a, "fadd", "add", a.like(b));
}
template <class T>
Lanes operator-(const Lanes& a, const T& b) {
  return binary(a, "fsub", "sub", a.like(b));
}
template <class T>
Lanes operator*(const Lanes& a, const T& b) {
  return binary(a, "fmul", "mul", a.like(b));
}
template <class T>
Lanes operator/(const Lanes& a, const T& b) {
  return binary(a, "fdiv", "", a.like(b));
}
template <class T>
Lanes operator&(const Lanes& a, const T& b) {
  return binary(a, "", "and", a.like(b));
}
template <class T>
Lanes operator|(const Lanes& a, const T& b) {
  return binary(a, "", "or", a.like(b));
}
template <class T>
Lanes operator^(const Lanes& a, const T& b) {
  return binary(a, "", "xor", a.like(b));
}
template <class T>
Lanes operator<(const Lanes& a, const T& b) {
  return a.compared("lt", a.like(b));
}
template <class T>
Lanes operator>(const Lanes& a, const T& b) {
  return a.compared("gt", a.like(b));
}
template <class T>
Lanes operator==(const Lanes& a, const T& b) {
  return a.compared("eq", a.like(b));
}
inline Lanes operator<<(const Lanes& a, int by) { return binary(a, "", "shl", a.like(by)); }
inline Lanes operator>>(const Lanes& a, int by) { return binary(a, "", "ashr", a.like(by)); }
/// Zeros follow, whatever the sign.
inline Lanes high_bits(const Lanes& a, int from) { return binary(a, "", "lshr", a.like(from)); }

Lanes choose_lanes(const Lanes& bit, const Lanes& a, const Lanes& b);
/// a where the bit is set, else b; one of them may be a number.
template <class T>
Lanes choose(const Lanes& bit, const Lanes& a, const T& b) {
  return choose_lanes(bit, a, a.like(b));
}
inline Lanes choose(const Lanes& bit, double a, const Lanes& b) { return choose_lanes(bit, b.like(a), b); }

/// a * b + c, rounded once or twice.
template <class A, class B>
Lanes fused(const Lanes& x, const A& a, const B& b) {
  return x.intrinsic("fmuladd", {x, x.like(a), x.like(b)});
}
/// Horner's scheme, the highest power first.
Lanes polynomial(const Lanes& x, std::initializer_list<double> coefficients);
// NaN stays NaN.
inline Lanes at_most(const Lanes& x, double most) { return choose(x > most, most, x); }
inline Lanes at_least(const Lanes& x, double least) { return choose(x < least, least, x); }
inline Lanes absolute(const Lanes& x) { return x.intrinsic("fabs", {x}); }
inline Lanes root(const Lanes& x) { return x.intrinsic("sqrt", {x}); }
inline Lanes floor_of(const Lanes& x) { return x.intrinsic("floor", {x}); }
inline Lanes with_sign(const Lanes& x, const Lanes& of) { return x.intrinsic("copysign", {x, of}); }

/// The pattern of floats as integers of that width, and back.
Lanes bits(const Lanes& x);
Lanes from_bits(const Lanes& x);
inline Lanes in_double(const Lanes& x) { return x.converted("fpext", LaneType::kF64); }
inline Lanes in_single(const Lanes& x) { return x.converted("fptrunc", LaneType::kF32); }
inline Lanes as_single(const Lanes& integers) { return integers.converted("sitofp", LaneType::kF32); }
inline Lanes low_word(const Lanes& integers) { return integers.converted("trunc", LaneType::kI32); }
/// One bit in a register of LLVM's: whether it is set in some lane.
std::string any(const Lanes& bit);

}  // namespace isomer::codegen
