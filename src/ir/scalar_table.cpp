#include "ir/scalar_table.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <utility>

#include "support/errors.h"

namespace isomer::ir {
namespace {

constexpr double kCheap = 1, kDivision = 4, kTranscendental = 8;
constexpr size_t kMost = 64;  // sets of operators are bits of a word (eval/field.h)

constexpr const char* kOther =
    "a function that is neither multi-linear, division, exponential nor square root";
constexpr const char* kByCase = "it depends on values by case";
constexpr const char* kExtremum = "a maximum or minimum";

double negative(double a) { return -a; }
double sign(double a) { return a > 0 ? 1 : a < 0 ? -1 : a; }
double sum(double a, double b) { return a + b; }
double difference(double a, double b) { return a - b; }
double product(double a, double b) { return a * b; }
double quotient(double a, double b) { return a / b; }
double floored_remainder(double a, double b) {
  const double r = std::fmod(a, b);
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

ScalarRow leaf(const char* name) {
  return {.name = name, .sorts = Sorts::kLeaf, .flops = 0, .rounding = Rounding::kExact, .continuous = true};
}

/// A function of one number that nothing is known of but its value.
ScalarRow function(const char* name, double (*of_one)(double), double flops = kTranscendental,
                   const char* outside_lax = kOther) {
  return {.name = name,
          .operands = 1,
          .of_one = of_one,
          .flops = flops,
          .arbitrary = name,
          .outside_lax = outside_lax,
          .continuous = true};
}

ScalarRow integers(const char* name, int operands) {
  return {.name = name, .operands = operands, .sorts = Sorts::kIntegers, .outside_lax = kOther};
}

std::pair<ScalarOp, ScalarRow> arithmetic(ScalarOp op, const char* name, double (*of_two)(double, double),
                                          const char* arbitrary, const char* outside,
                                          const char* symbol = "") {
  return {op,
          {.name = name,
           .operands = 2,
           .sorts = Sorts::kSame,
           .of_two = of_two,
           .flops = kCheap,
           .arbitrary = arbitrary,
           .outside_lax = outside,
           .symbol = symbol,
           .continuous = true}};
}

using Op = ScalarOp;
using Pair = std::pair<ScalarOp, ScalarRow>;

Pair known(Pair pair, RangeKind range, Rounding rounding = Rounding::kApproximates) {
  pair.second.range = range;
  pair.second.rounding = rounding;
  return pair;
}

Pair jumping(Pair pair) {
  pair.second.continuous = false;
  return pair;
}

Pair commuting(Pair pair) {
  pair.second.commutes = true;
  return pair;
}

Pair modular(Pair pair) {
  pair.second.modular = true;
  return pair;
}

std::vector<Pair> leaves_and_choices() {
  return {
      {Op::kRead, leaf("read")},
      {Op::kValid, leaf("valid")},
      {Op::kAcc, leaf("acc")},
      {Op::kVar, leaf("var")},
      {Op::kConst, leaf("number")},
      {Op::kIntConst, leaf("integer")},
      {Op::kSize, leaf("size")},
      // a condition that depends on values needs a comparison or a cast, which are outside
      {Op::kSelect, {.name = "select", .operands = 3, .sorts = Sorts::kSelect, .rounding = Rounding::kExact}},
      {Op::kToNumber, {.name = "to_number", .operands = 1, .sorts = Sorts::kToNumber, .continuous = true}},
      {Op::kToInteger,
       {.name = "to_integer",
        .operands = 1,
        .sorts = Sorts::kToInteger,
        .arbitrary = "truncation",
        .outside_lax = kByCase}},
      // inside or outside by its type (mugraph/lax.cpp)
      {Op::kCast, {.name = "cast", .operands = 1, .sorts = Sorts::kSame, .arbitrary = "rounding"}},
      {Op::kLess,
       {.name = "less",
        .operands = 2,
        .sorts = Sorts::kCompare,
        .arbitrary = "order",
        .outside_lax = kByCase,
        .rounding = Rounding::kExact}},
      {Op::kLessEqual,
       {.name = "less_equal",
        .operands = 2,
        .sorts = Sorts::kCompare,
        .outside_lax = kByCase,
        .rounding = Rounding::kExact}},
      {Op::kEqual,
       {.name = "equal",
        .operands = 2,
        .sorts = Sorts::kCompare,
        .outside_lax = kByCase,
        .rounding = Rounding::kExact,
        .commutes = true}},
      {Op::kIsNan, {.name = "is_nan", .operands = 1, .sorts = Sorts::kTest, .outside_lax = kOther}},
      {Op::kIsInf, {.name = "is_inf", .operands = 1, .sorts = Sorts::kTest, .outside_lax = kOther}},
  };
}

std::vector<Pair> arithmetic_rows() {
  const auto one = [](Op op, ScalarRow r) {
    r.sorts = Sorts::kSame;
    return Pair(op, std::move(r));
  };
  using enum RangeKind;
  using enum Rounding;
  Pair power =
      known(arithmetic(
                Op::kPow, "pow", [](double a, double b) { return std::pow(a, b); }, "pow", "a power"),
            kPower);
  power.second.flops = kTranscendental;
  Pair division = known(arithmetic(Op::kDiv, "div", quotient, "division by zero", "", "/"), kDiv, kRounds);
  Pair mod = jumping(arithmetic(Op::kMod, "mod", floored_remainder, "mod", kOther));
  Pair fmod = jumping(
      arithmetic(Op::kFMod, "fmod", [](double a, double b) { return std::fmod(a, b); }, "fmod", kOther));
  for (Pair* p : {&division, &mod, &fmod}) p->second.flops = kDivision;
  return {
      commuting(
          modular(known(arithmetic(Op::kAdd, "add", sum, "sums with infinity", "", "+"), kAdd, kRounds))),
      modular(known(arithmetic(Op::kSub, "sub", difference, "sums with infinity", ""), kSub, kRounds)),
      commuting(modular(
          known(arithmetic(Op::kMul, "mul", product, "products with infinity", "", "*"), kMul, kRounds))),
      std::move(division),
      modular(known(one(Op::kNeg, {.name = "neg", .operands = 1, .of_one = negative, .continuous = true}),
                    kNeg, kExact)),
      commuting(known(arithmetic(Op::kMax, "max", larger, "", kExtremum), kMax, kExact)),
      commuting(known(arithmetic(Op::kMin, "min", smaller, "", kExtremum), kMin, kExact)),
      known(one(Op::kAbs,
                function(
                    "abs", [](double a) { return std::abs(a); }, kCheap, "an absolute value or sign")),
            kAbs, kExact),
      jumping(known(one(Op::kSign, function("sign", sign, kCheap, "an absolute value or sign")), kUnknown,
                    kExact)),
      std::move(power),
      std::move(mod),
      std::move(fmod),
  };
}

std::vector<Pair> functions() {
  ScalarRow exp = function("exp", [](double a) { return std::exp(a); }, kTranscendental, "");
  exp.symbol = "exp";
  exp.range = RangeKind::kExp;
  ScalarRow sqrt = function("sqrt", [](double a) { return std::sqrt(a); }, kDivision, "");
  sqrt.symbol = "sqrt";
  sqrt.range = RangeKind::kSqrt;
  sqrt.rounding = Rounding::kRounds;
  using enum RangeKind;
  const auto whole = [](Op op, const char* name, double (*of_one)(double)) {
    return jumping(known({op, function(name, of_one, kCheap)}, kUnknown, Rounding::kExact));
  };
  return {
      {Op::kExp, std::move(exp)},
      known({Op::kLog, function(
                           "log", [](double a) { return std::log(a); }, kTranscendental, "a logarithm")},
            kLog),
      {Op::kSqrt, std::move(sqrt)},
      known({Op::kErf, function("erf", [](double a) { return std::erf(a); })}, kSine),
      known({Op::kTanh, function("tanh", [](double a) { return std::tanh(a); })}, kSine),
      known({Op::kSin, function("sin", [](double a) { return std::sin(a); })}, kSine),
      known({Op::kCos, function("cos", [](double a) { return std::cos(a); })}, kSine),
      {Op::kTan, function("tan", [](double a) { return std::tan(a); })},
      {Op::kAsin, function("asin", [](double a) { return std::asin(a); })},
      {Op::kAcos, function("acos", [](double a) { return std::acos(a); })},
      {Op::kAtan, function("atan", [](double a) { return std::atan(a); })},
      {Op::kSinh, function("sinh", [](double a) { return std::sinh(a); })},
      {Op::kCosh, function("cosh", [](double a) { return std::cosh(a); })},
      {Op::kAsinh, function("asinh", [](double a) { return std::asinh(a); })},
      {Op::kAcosh, function("acosh", [](double a) { return std::acosh(a); })},
      {Op::kAtanh, function("atanh", [](double a) { return std::atanh(a); })},
      whole(Op::kFloor, "floor", [](double a) { return std::floor(a); }),
      whole(Op::kCeil, "ceil", [](double a) { return std::ceil(a); }),
      // half to even, as ONNX says
      whole(Op::kRound, "round", [](double a) { return std::nearbyint(a); }),
  };
}

std::vector<Pair> integer_rows() {
  return {
      commuting(modular(known({Op::kAnd, integers("and", 2)}, RangeKind::kMasked))),
      commuting(modular({Op::kOr, integers("or", 2)})),
      commuting(modular({Op::kXor, integers("xor", 2)})),
      {Op::kNot, integers("not", 1)},
      {Op::kShiftLeft, integers("shift_left", 2)},
      {Op::kShiftRight, integers("shift_right", 2)},
      modular({Op::kBitNot, integers("bit_not", 1)}),
  };
}

std::deque<ScalarRow>& table() {
  static std::deque<ScalarRow> rows = [] {
    std::deque<ScalarRow> out(static_cast<size_t>(Op::kSize) + 1);
    for (const auto& part : {leaves_and_choices(), arithmetic_rows(), functions(), integer_rows()})
      for (const auto& [op, r] : part) out[static_cast<size_t>(op)] = r;
    for (const ScalarRow& r : out) REQUIRE(!r.name.empty(), "a scalar operator without a row");
    return out;
  }();
  return rows;
}

}  // namespace

const ScalarRow& row(ScalarOp op) {
  static const std::deque<ScalarRow>& rows = table();
  REQUIRE(static_cast<size_t>(op) < rows.size(), "no such scalar operator");
  return rows[static_cast<size_t>(op)];
}

int scalar_op_count() { return static_cast<int>(table().size()); }

ScalarOp add_scalar_op(ScalarRow row) {
  std::deque<ScalarRow>& rows = table();
  REQUIRE(rows.size() < kMost, "no room for another scalar operator");
  REQUIRE(std::ranges::find(rows, row.name, &ScalarRow::name) == rows.end(),
          "scalar operator taken: " + row.name);
  REQUIRE(row.sorts == Sorts::kNumbers &&
              (row.operands == 1 ? row.of_one != nullptr : row.of_two != nullptr) &&
              (row.operands == 1 || row.operands == 2),
          "expected a function of one or two numbers with its value: " + row.name);
  if (row.arbitrary.empty()) row.arbitrary = row.name;  // nothing is known of it
  if (row.outside_lax.empty()) row.outside_lax = kOther;
  rows.push_back(std::move(row));
  return static_cast<ScalarOp>(rows.size() - 1);
}

int operand_count(ScalarOp op) { return row(op).operands; }

}  // namespace isomer::ir
