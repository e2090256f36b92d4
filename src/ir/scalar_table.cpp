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

using Op = ScalarOp;
using Pair = std::pair<ScalarOp, ScalarRow>;

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
  return {.name = name,
          .sorts = Sorts::kLeaf,
          .flops = 0,
          .arbitrary = kExactInField,
          .outside_lax = kInsideLax,
          .code = CodeForm::generator(),
          .rounding = Rounding::kExact,
          .continuous = true};
}

/// A function of one number that nothing is known of but its value.
ScalarRow function(const char* name, double (*of_one)(double), double flops = kTranscendental,
                   const char* outside_lax = kOther, const CodeForm& code = CodeForm::library()) {
  return {.name = name,
          .operands = 1,
          .of_one = of_one,
          .flops = flops,
          .arbitrary = name,
          .outside_lax = outside_lax,
          .code = code,
          .continuous = true};
}

ScalarRow integers(const char* name, int operands) {
  return {.name = name,
          .operands = operands,
          .sorts = Sorts::kIntegers,
          .flops = kCheap,
          .arbitrary = kExactInField,
          .outside_lax = kOther,
          .code = CodeForm::generator()};
}

/// A choice, a test or a conversion, which evaluators know themselves.
Pair by_sort(ScalarOp op, const char* name, int operands, Sorts sorts, const char* arbitrary,
             const char* outside_lax) {
  return {op,
          {.name = name,
           .operands = operands,
           .sorts = sorts,
           .flops = kCheap,
           .arbitrary = arbitrary,
           .outside_lax = outside_lax,
           .code = CodeForm::generator()}};
}

Pair arithmetic(ScalarOp op, const char* name, double (*of_two)(double, double), const char* arbitrary,
                const char* outside, const char* symbol = "") {
  return {op,
          {.name = name,
           .operands = 2,
           .sorts = Sorts::kSame,
           .of_two = of_two,
           .flops = kCheap,
           .arbitrary = arbitrary,
           .outside_lax = outside,
           .code = CodeForm::generator(),
           .symbol = symbol,
           .continuous = true}};
}

Pair known(Pair pair, RangeKind range, Rounding rounding = Rounding::kApproximates) {
  pair.second.range = range;
  pair.second.rounding = rounding;
  return pair;
}

Pair smooth(Pair pair) {
  pair.second.continuous = true;
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
  using enum RangeKind;
  using enum Rounding;
  return {
      {Op::kRead, leaf("read")},
      {Op::kValid, leaf("valid")},
      {Op::kAcc, leaf("acc")},
      {Op::kVar, leaf("var")},
      {Op::kConst, leaf("number")},
      {Op::kIntConst, leaf("integer")},
      {Op::kSize, leaf("size")},
      // a condition that depends on values needs a comparison or a cast, which are outside
      known(by_sort(Op::kSelect, "select", 3, Sorts::kSelect, kExactInField, kInsideLax), kUnknown, kExact),
      smooth(by_sort(Op::kToNumber, "to_number", 1, Sorts::kToNumber, kExactInField, kInsideLax)),
      by_sort(Op::kToInteger, "to_integer", 1, Sorts::kToInteger, "truncation", kByCase),
      // inside or outside by its type (mugraph/lax.cpp)
      by_sort(Op::kCast, "cast", 1, Sorts::kSame, "rounding", kInsideLax),
      known(by_sort(Op::kLess, "less", 2, Sorts::kCompare, "order", kByCase), kUnknown, kExact),
      known(by_sort(Op::kLessEqual, "less_equal", 2, Sorts::kCompare, kExactInField, kByCase), kUnknown,
            kExact),
      commuting(
          known(by_sort(Op::kEqual, "equal", 2, Sorts::kCompare, kExactInField, kByCase), kUnknown, kExact)),
      by_sort(Op::kIsNan, "is_nan", 1, Sorts::kTest, kExactInField, kOther),
      by_sort(Op::kIsInf, "is_inf", 1, Sorts::kTest, kExactInField, kOther),
  };
}

std::vector<Pair> arithmetic_rows() {
  constexpr const char* kSignOrSize = "an absolute value or sign";
  const auto exact = [](const char* name, double (*of_one)(double), const char* arbitrary,
                        const char* outside) {
    ScalarRow r = function(name, of_one, kCheap, outside, CodeForm::generator());
    r.arbitrary = arbitrary;
    return r;
  };
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
  power.second.code = CodeForm::library();
  Pair division =
      known(arithmetic(Op::kDiv, "div", quotient, "division by zero", kInsideLax, "/"), kDiv, kRounds);
  Pair mod = jumping(arithmetic(Op::kMod, "mod", floored_remainder, "mod", kOther));
  Pair fmod = jumping(
      arithmetic(Op::kFMod, "fmod", [](double a, double b) { return std::fmod(a, b); }, "fmod", kOther));
  fmod.second.code = CodeForm::library();
  for (Pair* p : {&division, &mod, &fmod}) p->second.flops = kDivision;
  return {
      commuting(modular(
          known(arithmetic(Op::kAdd, "add", sum, "sums with infinity", kInsideLax, "+"), kAdd, kRounds))),
      modular(
          known(arithmetic(Op::kSub, "sub", difference, "sums with infinity", kInsideLax), kSub, kRounds)),
      commuting(modular(known(arithmetic(Op::kMul, "mul", product, "products with infinity", kInsideLax, "*"),
                              kMul, kRounds))),
      std::move(division),
      modular(known(one(Op::kNeg, exact("neg", negative, kExactInField, kInsideLax)), kNeg, kExact)),
      commuting(known(arithmetic(Op::kMax, "max", larger, kExactInField, kExtremum), kMax, kExact)),
      commuting(known(arithmetic(Op::kMin, "min", smaller, kExactInField, kExtremum), kMin, kExact)),
      known(one(Op::kAbs, exact(
                              "abs", [](double a) { return std::abs(a); }, "abs", kSignOrSize)),
            kAbs, kExact),
      jumping(known(one(Op::kSign, exact("sign", sign, "sign", kSignOrSize)), kUnknown, kExact)),
      std::move(power),
      std::move(mod),
      std::move(fmod),
  };
}

std::vector<Pair> functions() {
  ScalarRow exp = function("exp", [](double a) { return std::exp(a); }, kTranscendental, kInsideLax);
  exp.symbol = "exp";
  exp.range = RangeKind::kExp;
  ScalarRow sqrt =
      function("sqrt", [](double a) { return std::sqrt(a); }, kDivision, kInsideLax, CodeForm::generator());
  sqrt.symbol = "sqrt";
  sqrt.range = RangeKind::kSqrt;
  sqrt.rounding = Rounding::kRounds;
  using enum RangeKind;
  const auto whole = [](Op op, const char* name, double (*of_one)(double)) {
    return jumping(known({op, function(name, of_one, kCheap, kOther, CodeForm::generator())}, kUnknown,
                         Rounding::kExact));
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
    std::vector<Pair> pairs;
    for (auto& part : {leaves_and_choices(), arithmetic_rows(), functions(), integer_rows()})
      pairs.insert(pairs.end(), part.begin(), part.end());
    std::ranges::sort(pairs, {}, &Pair::first);
    std::deque<ScalarRow> out;
    for (Pair& p : pairs) {
      REQUIRE(p.first == static_cast<Op>(out.size()), "a scalar operator without a row, or with two");
      out.push_back(std::move(p.second));
    }
    REQUIRE(out.size() == static_cast<size_t>(Op::kSize) + 1, "a scalar operator without a row");
    return out;
  }();
  return rows;
}

/// Whether an expression of numbers is one itself. Some operators hand on the sort of their last operand,
/// whose own operator stands before them.
bool yields_number(const std::vector<ScalarExpr::Instr>& code) {
  const auto hands_on = [](Op op) {
    return row(op).sorts == Sorts::kSame || row(op).sorts == Sorts::kSelect;
  };
  const auto says =
      std::find_if_not(code.rbegin(), code.rend(), [&](const auto& in) { return hands_on(in.op); });
  if (says == code.rend()) return false;
  const Sorts sorts = row(says->op).sorts;
  return sorts == Sorts::kNumbers || sorts == Sorts::kToNumber || says->op == Op::kRead ||
         says->op == Op::kConst;
}

/// Whether a further operator may have this form: not by the generator, which knows the operators above
/// alone; an expression is a number, and its leaves are constants and operands.
bool may_be_added(const CodeForm& code, int operands) {
  if (code.kind() == CodeKind::kGenerator) return false;
  if (code.kind() == CodeKind::kExpression && !yields_number(code.expression().code())) return false;
  return std::ranges::all_of(code.expression().code(), [&](const ScalarExpr::Instr& in) {
    if (in.op == Op::kRead) return in.index >= 0 && in.index < operands;
    return row(in.op).sorts != Sorts::kLeaf || in.op == Op::kConst || in.op == Op::kIntConst;
  });
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
  REQUIRE(!row.arbitrary->empty() && !row.outside_lax->empty(),
          "expected what a proof takes it for, and why it is outside LAX: " + row.name);
  REQUIRE(may_be_added(row.code, row.operands),
          "expected code by the C library, a number made of its own operands, or none: " + row.name);
  rows.push_back(std::move(row));
  return static_cast<ScalarOp>(rows.size() - 1);
}

int operand_count(ScalarOp op) { return row(op).operands; }

}  // namespace isomer::ir
