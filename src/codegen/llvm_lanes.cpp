#include "codegen/llvm_lanes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>
#include <vector>

namespace isomer::codegen {
namespace {

const char* word(LaneType type) {
  switch (type) {
    case LaneType::kBit: return "i1";
    case LaneType::kI32: return "i32";
    case LaneType::kI64: return "i64";
    case LaneType::kF32: return "float";
    case LaneType::kF64: return "double";
  }
  return "";
}

std::string repeated(const std::string& type, const std::string& one, int count) {
  if (count == 1) return one;
  const std::vector<std::string> all(static_cast<size_t>(count), type + " " + one);
  return fmt::format("<{}>", fmt::join(all, ", "));
}

}  // namespace

std::string Lanes::type_name(LaneType of) const {
  return count_ == 1 ? word(of) : fmt::format("<{} x {}>", count_, word(of));
}
std::string Lanes::short_type() const {
  const char* one = type_ == LaneType::kF64 ? "f64" : "f32";
  return count_ == 1 ? one : fmt::format("v{}{}", count_, one);
}

Lanes Lanes::like(double value) const {
  const double held = type_ == LaneType::kF64 ? value : static_cast<double>(static_cast<float>(value));
  const std::string one = fmt::format("0x{:016X}", std::bit_cast<uint64_t>(held));
  return {*text_, type_, count_, repeated(word(type_), one, count_)};
}
Lanes Lanes::like(int64_t value) const {
  return {*text_, type_, count_, repeated(word(type_), std::to_string(value), count_)};
}

Lanes Lanes::made(const std::string& instruction, std::span<const Lanes> operands) const {
  std::vector<std::string> names;
  for (const Lanes& o : operands) names.push_back(o.name());
  return {*text_, type_, count_,
          text_->value(fmt::format("{} {} {}", instruction, type(), fmt::join(names, ", ")))};
}
Lanes Lanes::compared(const char* how, const Lanes& other) const {
  const std::string kind = is_float() ? "fcmp o" : how[0] == 'e' ? "icmp " : "icmp s";
  const Lanes both[] = {*this, other};
  return {*text_, LaneType::kBit, count_, made(kind + how, both).name()};
}
Lanes Lanes::converted(const char* instruction, LaneType to) const {
  return {*text_, to, count_,
          text_->value(fmt::format("{} {} {} to {}", instruction, type(), name_, type_name(to)))};
}
Lanes Lanes::intrinsic(const char* name, std::initializer_list<Lanes> args) const {
  const std::string full = fmt::format("llvm.{}.{}", name, short_type());
  const std::vector<std::string> types(args.size(), type());
  std::vector<std::string> given;
  for (const Lanes& a : args) given.push_back(type() + " " + a.name());
  text_->declare(full, fmt::format("declare {} @{}({})", type(), full, fmt::join(types, ", ")));
  return {*text_, type_, count_,
          text_->value(fmt::format("call {} @{}({})", type(), full, fmt::join(given, ", ")))};
}

Lanes Lanes::operator!() const { return *this ^ like(int64_t{type_ == LaneType::kBit ? 1 : -1}); }

Lanes binary(const Lanes& a, const char* of_floats, const char* of_integers, const Lanes& b) {
  const Lanes both[] = {a, b};
  if (a.text().on_gpu() && a.element() == LaneType::kF32 && of_floats == std::string_view("fdiv")) {
    const std::string given[] = {a.name(), b.name()};
    return {a.text(), LaneType::kF32, 1, a.text().gpu_instruction("div.approx", given)};
  }
  return a.made(a.is_float() ? of_floats : of_integers, both);
}

Lanes choose_lanes(const Lanes& bit, const Lanes& a, const Lanes& b) {
  const std::string with_type = a.type() + " " + b.name();
  const Lanes both[] = {a, {a.text(), LaneType::kBit, a.count(), with_type}};
  return a.made(fmt::format("select {} {},", bit.type(), bit.name()), both);
}

Lanes polynomial(const Lanes& x, std::initializer_list<double> coefficients) {
  Lanes sum = x.like(*coefficients.begin());
  for (const double c : std::span(coefficients).subspan(1)) sum = fused(sum, x, c);
  return sum;
}

Lanes bits(const Lanes& x) {
  return x.converted("bitcast", x.element() == LaneType::kF64 ? LaneType::kI64 : LaneType::kI32);
}
Lanes from_bits(const Lanes& x) {
  return x.converted("bitcast", x.element() == LaneType::kI64 ? LaneType::kF64 : LaneType::kF32);
}

std::string any(const Lanes& bit) {
  if (bit.count() == 1) return bit.name();
  const std::string mask =
      bit.text().value(fmt::format("bitcast {} {} to i{}", bit.type(), bit.name(), bit.count()));
  return bit.text().value(fmt::format("icmp ne i{} {}, 0", bit.count(), mask));
}

}  // namespace isomer::codegen
