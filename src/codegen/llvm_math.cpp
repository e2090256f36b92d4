// Every function follows one plan (Cody, Waite 1980; Muller, Elementary Functions, 3rd edition, chapters 3 to
// 5 and 11): bring the argument into a short interval by an identity that is exact or nearly so, compute a
// minimax polynomial there, undo the identity. Coefficients are printed by tools/minimax.
//
// What networks are full of (exp, log, tanh, erf) stays in single precision. tanh and erf have no identity
// that is cheaper than one quotient of polynomials over all arguments whose result is not 1 yet. What single
// precision carries badly (pow, sinh, cosh, the inverse hyperbolic functions, the reduction of sin, cos and
// tan) is done in double, where numbers that are subnormal in single precision are normal, and overflow and
// underflow come with the last rounding.
//
// pi / 2 in three parts bears |x| up to a million; beyond that, and where fmod has more than 27 bits of a
// quotient, the C library is called for the lanes that need it, and only if there are some. (The exact
// reduction of Payne and Hanek 1983 would do without the branch, for which networks have no use.)
//
// Errors in units in the last place of the result, as tests/native/functions_test.cpp states them and
// measures over all arguments: docs/codegen.md has the table. They hold whether llvm.fmuladd rounds once or
// twice.
#include "codegen/llvm_math.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "codegen/llvm_lanes.h"
#include "ir/scalar_table.h"

namespace isomer::codegen {
namespace {

using ir::ScalarOp;
using Args = std::span<const Lanes>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kLog2E = std::numbers::log2e, kPi = std::numbers::pi;
// Adding it leaves the nearest integer in the lowest bits (1.5 * 2^23, 1.5 * 2^52).
constexpr double kToInteger = 12582912, kToIntegerInDouble = 6755399441055744;
// ln 2 and pi in two parts: the first times a small integer is exact; as floats.
constexpr double kLn2High = 0.693145751953125, kLn2Low = 1.4286068203094173e-6;
constexpr double kHalfPiHigh = 1.5707963705062866, kHalfPiLow = -4.3711390001862426e-8;

// --- exponentials

struct Reduced {
  Lanes n, less_one;  ///< an integer; exp(r) - 1
};
/// exp(x) = 2^n exp(r), |r| <= ln 2 / 2.
Reduced reduced_exponent(const Lanes& x) {
  const Lanes shifted = fused(x, kLog2E, kToInteger), n = shifted - kToInteger;
  const Lanes r = fused(n, -kLn2Low, fused(n, -kLn2High, x));
  const Lanes p = polynomial(r, {0.001390130858, 0.008363200049, 0.04166685411, 0.1666657696, 0.4999999955});
  return {bits(shifted) - bits(shifted.like(kToInteger)), fused(r * r, p, r)};
}
Lanes power_of_two(const Lanes& n) { return from_bits((n + 127) << 23); }

/// On graphics processors, which have 2^x: of the nearest integer, exactly, and of what is left. Both ends
/// are left to the second factor.
Lanes exponential_on_gpu(Args args) {
  const Lanes& x = args[0];
  const auto power = [&](const Lanes& of) {
    const std::string given[] = {of.name()};
    return Lanes(x.text(), LaneType::kF32, 1, x.text().gpu_instruction("ex2.approx", given));
  };
  constexpr double kLog2EHigh = 1.44269502162933349609375, kLog2ELow = 1.925963033500011e-8;
  const Lanes nearest = fused(x, kLog2E, kToInteger) - kToInteger;
  const Lanes n =
      nearest.intrinsic("maxnum", {nearest.intrinsic("minnum", {nearest, x.like(127.0)}), x.like(-150.0)});
  const Lanes rest = fused(x, kLog2ELow, fused(x, kLog2EHigh, n * -1.0));
  return power(rest) * power(n);
}

/// 2^n in two factors, so that subnormal results are rounded once.
Lanes exponential(Args args) {
  if (args[0].text().on_gpu()) return exponential_on_gpu(args);
  const auto [n, less_one] = reduced_exponent(at_most(at_least(args[0], -104), 89));
  const Lanes half = n >> 1;
  return (less_one + 1) * power_of_two(half) * power_of_two(n - half);
}

/// With e = exp(2 |x|) - 1, e / (e + 2), or from 1/2 on 1 - 2 / (e + 2): the part that has errors is the
/// smaller.
Lanes hyperbolic_tangent(Args args) {
  constexpr double kMost = 10;  // where the result is 1 for long
  const Lanes a = at_most(absolute(args[0]), kMost);
  const auto [n, less_one] = reduced_exponent(a + a);
  const Lanes scale = power_of_two(n), e = fused(scale, less_one, scale - 1), large = e > 2;
  const Lanes q = choose(large, -2, e) / (e + 2);
  return with_sign(choose(large, q + 1, q), args[0]);
}

struct Powers {
  Lanes scale, less_one;  ///< 2^n, exp(r) - 1
};
/// In double, of |x| below 600: exp(x) = 2^n exp(r).
Powers parts_of_exponential(const Lanes& x) {
  constexpr double kHigh = 0.6931471805601177, kLow = -1.7239444525614835e-13;
  const Lanes shifted = fused(x, kLog2E, kToIntegerInDouble), n = shifted - kToIntegerInDouble;
  const Lanes r = fused(n, -kLow, fused(n, -kHigh, x));
  const Lanes p =
      polynomial(r, {2.4820911801124985e-5, 0.00019899339497958537, 0.0013888923878748754,
                     0.0083332984202389854, 0.041666666403848098, 0.16666666719083391, 0.5000000000021049});
  return {from_bits((bits(shifted) << 52) + bits(x.like(1.0))), fused(r * r, p, r)};
}

/// exp(x) - 1 keeps its digits near 0: both terms vanish there.
Lanes hyperbolic_sine(Args args) {
  const Lanes x = at_most(in_double(absolute(args[0])), 90);
  const auto [scale, less_one] = parts_of_exponential(x);
  const Lanes e = fused(scale, less_one, scale - 1);
  return with_sign(in_single((e + e / (e + 1)) * 0.5), args[0]);
}
Lanes hyperbolic_cosine(Args args) {
  const Lanes x = at_most(in_double(absolute(args[0])), 90);
  const auto [scale, less_one] = parts_of_exponential(x);
  const Lanes e = fused(scale, less_one, scale);
  return in_single((e + e.like(1) / e) * 0.5);
}

// --- logarithms

/// Of what is not positive, and of infinity, what log gives; else y.
Lanes logarithm_or(const Lanes& x, const Lanes& y) {
  return choose(x > 0.0, choose(x < kInfinity, y, x), choose(x == 0.0, x.like(-kInfinity), kNan));
}

/// x = 2^n (1 + f), 1 + f in [sqrt 1/2, sqrt 2); subnormals are made normal first.
Lanes logarithm(Args args) {
  constexpr double kLeastNormal = 0x1p-126, kLift = 0x1p23;
  constexpr int kRootOfHalf = 0x3F3504F3;
  const Lanes& x = args[0];
  const Lanes small = x < kLeastNormal, word = bits(choose(small, x * kLift, x));
  const Lanes e = (word - kRootOfHalf) >> 23;
  const Lanes f = from_bits(word - (e << 23)) - 1, n = as_single(e) - choose(small, 23, x.like(0.0));
  const Lanes p = polynomial(f, {0.07037684684, -0.1151460895, 0.1167699768, -0.1242014102, 0.1424932293,
                                 -0.1666805766, 0.2000071476, -0.2499999399, 0.3333333117});
  const Lanes square = f * f;
  const Lanes tail = fused(square, -0.5, fused(n, kLn2Low, square * f * p));
  return logarithm_or(x, fused(n, kLn2High, f + tail));
}

struct Logarithm {
  Lanes exponent, rest;  ///< log(x) = exponent ln 2 + rest
};
/// In double, of normal positive numbers: log((1 + s) / (1 - s)) = 2 artanh(s), s = f / (2 + f).
Logarithm parts_of_logarithm(const Lanes& x) {
  constexpr int64_t kRootOfHalf = 0x3FE6A09E667F3BCD, kBias = 1024;
  constexpr double kWhole = 4503599627370496;  // 2^52: the low bits of its pattern are an integer
  const Lanes word = bits(x);
  const Lanes biased = high_bits(word - (kRootOfHalf - (kBias << 52)), 52);
  const Lanes n = from_bits(biased | bits(x.like(kWhole))) - (kWhole + static_cast<double>(kBias));
  const Lanes f = from_bits(word - (biased << 52) + (kBias << 52)) - 1, s = f / (f + 2);
  const Lanes square = s * s;
  const Lanes p = polynomial(square, {0.096815716508212864, 0.11095686019991302, 0.14285877532368008,
                                      0.19999999397115919, 0.33333333333688968});
  const Lanes twice = s + s;
  return {n, fused(twice * square, p, twice)};
}
Lanes logarithm_in_double(const Lanes& x) {
  const auto [n, rest] = parts_of_logarithm(x);
  return logarithm_or(x, fused(n, std::numbers::ln2, rest));
}

/// Below 2^-12 the second term of the series is enough, above it 1 is not too large for what is added to it.
Lanes or_series(const Lanes& a, double cubic, const Lanes& y) {
  constexpr double kSmall = 0x1p-12;
  return choose(a < kSmall, fused(a * a * a, cubic, a), y);
}
Lanes inverse_hyperbolic_sine(Args args) {
  const Lanes a = in_double(absolute(args[0]));
  const Lanes y = logarithm_in_double(a + root(fused(a, a, 1)));
  return with_sign(in_single(or_series(a, -1.0 / 6, y)), args[0]);
}
Lanes inverse_hyperbolic_cosine(Args args) {
  const Lanes x = in_double(args[0]);
  return in_single(choose(x < 1, kNan, logarithm_in_double(x + root(fused(x, x, -1)))));
}
Lanes inverse_hyperbolic_tangent(Args args) {
  const Lanes a = in_double(absolute(args[0]));
  const Lanes y = logarithm_in_double((a + 1) / (a.like(1) - a)) * 0.5;
  return with_sign(in_single(or_series(a, 1.0 / 3, y)), args[0]);
}

/// |x|^y = 2^(y log2 |x|). That exponent may be 150 and has to be right to 2^-28: to 36 bits, double has 53.
Lanes power(Args args) {
  const Lanes &x = args[0], &y = args[1];
  const Lanes one = x.like(1.0), size = absolute(x), wide = in_double(size);
  const auto [exponent, rest] = parts_of_logarithm(wide);
  const Lanes finite = choose(wide < kInfinity, fused(rest, kLog2E, exponent), wide);
  const Lanes log = choose(wide == 0.0, -kInfinity, finite);
  const Lanes t = at_most(at_least(log * in_double(y), -200), 200);
  const auto [scale, less_one] = parts_of_exponential(t * std::numbers::ln2);
  const Lanes raised = choose(size == one, one, in_single(fused(scale, less_one, scale)));
  const Lanes half = y * 0.5, whole = floor_of(y) == y, odd = whole & !(floor_of(half) == half);
  const Lanes no_number = (x < 0.0) & (size < kInfinity) & !whole;
  return choose(y == 0.0, one, choose(no_number, kNan, choose(odd, with_sign(raised, x), raised)));
}

// --- the error function

/// Up to 5/4 as x + x p(x^2). Beyond it erfc x, which is small, as p(x)^-8 (Hastings 1955 has the 16th
/// power).
Lanes error_function(Args args) {
  constexpr double kMost = 4;  // where the result is 1 for long
  const Lanes a = at_most(absolute(args[0]), kMost);
  const Lanes near = polynomial(a * a, {-7.572972277e-6, 0.0001039388164, -0.0008339571158, 0.005209016453,
                                        -0.02686024762, 0.1128367503, -0.3761263004, 0.128379166});
  const Lanes fall = polynomial(a, {0.0007569460347, -0.006727414526, 0.03244834973, -0.07642273685,
                                    0.1495183649, -0.02892565336, 0.2036288902, 0.9858248917});
  const Lanes square = fall * fall, fourth = square * square;
  const Lanes far = a.like(1) - a.like(1) / (fourth * fourth);
  return with_sign(choose(a < 1.25, fused(a, near, a), far), args[0]);
}

// --- trigonometric functions

/// y; lanes where `beyond` is set, if there are some, from the C library. Within a function of its own.
Lanes or_library(const Lanes& beyond, const Lanes& y, const char* name, Args args) {
  ScalarText& text = y.text();
  std::vector<Scalar> given;
  for (const Lanes& a : args) given.push_back({a.name(), a.count()});
  text.line(fmt::format("br i1 {}, label %slow, label %done", any(beyond)));
  text.label("slow");
  const Lanes called(text, LaneType::kF32, y.count(), text.called(name, given).text);
  const Lanes slow = choose(beyond, called, y);
  text.line("br label %done");
  text.label("done");
  return {text, LaneType::kF32, y.count(),
          text.value(fmt::format("phi {} [ {}, %entry ], [ {}, %slow ]", y.type(), y.name(), slow.name()))};
}

constexpr double kMostReduced = 1e6;
// Below it sin x and tan x are x: the next term is below a quarter of a unit.
constexpr double kIsLinear = 0x1p-12;

struct Angle {
  Lanes rest, square, quarters;  ///< x = rest + quarters pi / 2
};
/// While |x| is at most kMostReduced: a number of 20 bits times each of the first two parts of 32 bits is
/// exact.
Angle reduced(const Lanes& x) {
  constexpr double kHigh = 0x1.921fb544p+0, kMiddle = 0x1.0b4611a6p-34, kLow = 0x1.3198a2e037073p-69;
  const Lanes wide = in_double(x);
  const Lanes shifted = fused(wide, 2 / kPi, kToIntegerInDouble), n = shifted - kToIntegerInDouble;
  const Lanes rest = in_single(fused(n, -kLow, fused(n, -kMiddle, fused(n, -kHigh, wide))));
  return {rest, rest * rest, low_word(bits(shifted))};
}

/// sin(x + ahead pi / 2)
Lanes sine_ahead(const Lanes& x, int ahead) {
  const auto [rest, square, quarters] = reduced(x);
  const Lanes sine =
      fused(rest * square, polynomial(square, {-0.0001958735977, 0.008332744991, -0.1666666464}), rest);
  const Lanes cosine =
      fused(square * square, polynomial(square, {2.454760765e-5, -0.001388830097, 0.04166666464}),
            fused(square, -0.5, 1));
  const Lanes n = ahead == 0 ? quarters : quarters + ahead;
  const Lanes y = choose((n & 1) == 0, sine, cosine);
  return from_bits(bits(y) ^ ((n & 2) << 30));
}
Lanes sine(Args args) {
  const Lanes a = absolute(args[0]), y = choose(a < kIsLinear, args[0], sine_ahead(args[0], 0));
  return or_library(a > kMostReduced, y, "sin", args);
}
Lanes cosine(Args args) {
  return or_library(absolute(args[0]) > kMostReduced, sine_ahead(args[0], 1), "cos", args);
}
/// tan(x + pi / 2) = -1 / tan x
Lanes tangent(Args args) {
  const auto [rest, square, quarters] = reduced(args[0]);
  const Lanes p = polynomial(square, {0.003843601192, 0.001184473251, 0.009962731178, 0.02162094236,
                                      0.05399449115, 0.1333323081, 0.3333333398});
  const Lanes t = fused(rest * square, p, rest), a = absolute(args[0]);
  const Lanes y = choose((quarters & 1) == 0, t, t.like(-1) / t);
  return or_library(a > kMostReduced, choose(a < kIsLinear, args[0], y), "tan", args);
}

struct Arc {
  Lanes size, beyond_half, angle;  ///< |x|, whether above 1/2, and of the angle below asin(1/2)
};
/// Above 1/2, asin a = pi / 2 - 2 asin sqrt((1 - a) / 2).
Arc short_arc(const Lanes& x) {
  const Lanes a = absolute(x), beyond = a > 0.5;
  const Lanes square = choose(beyond, (a.like(1) - a) * 0.5, a * a), s = choose(beyond, root(square), a);
  const Lanes p =
      polynomial(square, {0.03819635361, 0.02649933936, 0.0450099062, 0.07498813165, 0.1666667273});
  return {a, beyond, fused(s * square, p, s)};
}
Lanes arc_sine(Args args) {
  const auto [a, beyond, angle] = short_arc(args[0]);
  const Lanes y = choose(beyond, fused(angle, -2, kHalfPiLow) + kHalfPiHigh, angle);
  return with_sign(y, args[0]);
}
Lanes arc_cosine(Args args) {
  const auto [a, beyond, angle] = short_arc(args[0]);
  const Lanes twice = angle + angle, around = with_sign(angle, args[0]);
  const Lanes far = choose(args[0] < 0.0, (twice.like(2 * kHalfPiLow) - twice) + 2 * kHalfPiHigh, twice);
  return choose(beyond, far, (around.like(kHalfPiLow) - around) + kHalfPiHigh);
}
/// Above 1, atan a = pi / 2 + atan(-1 / a).
Lanes arc_tangent(Args args) {
  const Lanes a = absolute(args[0]), beyond = a > 1;
  const Lanes t = choose(beyond, -1, a) / choose(beyond, a, a.like(1)), square = t * t;
  const Lanes p =
      polynomial(square, {-0.00242356959, 0.01365594891, -0.03611595034, 0.06271218003, -0.08666957499,
                          0.1103639624, -0.1427890857, 0.199997562, -0.3333333187});
  const Lanes angle = fused(t * square, p, t);
  return with_sign(choose(beyond, (angle + kHalfPiLow) + kHalfPiHigh, angle), args[0]);
}

struct Generated {
  ScalarOp op;
  Lanes (*value)(Args);
  bool in_line;  ///< else it is a function, which is called: what is long, or has branches
};
constexpr Generated kGenerated[] = {
    {ScalarOp::kExp, exponential, true},
    {ScalarOp::kLog, logarithm, true},
    {ScalarOp::kTanh, hyperbolic_tangent, true},
    {ScalarOp::kErf, error_function, true},
    {ScalarOp::kSin, sine, false},
    {ScalarOp::kCos, cosine, false},
    {ScalarOp::kTan, tangent, false},
    {ScalarOp::kAsin, arc_sine, false},
    {ScalarOp::kAcos, arc_cosine, false},
    {ScalarOp::kAtan, arc_tangent, false},
    {ScalarOp::kSinh, hyperbolic_sine, false},
    {ScalarOp::kCosh, hyperbolic_cosine, false},
    {ScalarOp::kAsinh, inverse_hyperbolic_sine, false},
    {ScalarOp::kAcosh, inverse_hyperbolic_cosine, false},
    {ScalarOp::kAtanh, inverse_hyperbolic_tangent, false},
    {ScalarOp::kPow, power, false},
};

std::vector<Lanes> lanes_of(ScalarText& text, std::span<const Scalar> args) {
  std::vector<Lanes> out;
  for (const Scalar& a : args) out.emplace_back(text, LaneType::kF32, a.lanes, a.text);
  return out;
}

Scalar called_function(ScalarText& text, const Generated& f, std::span<const Scalar> args) {
  const int count = args[0].lanes;
  const std::string name = fmt::format("isomer.{}.v{}", ir::row(f.op).name, count);
  const std::string type = text.type(meaning::Sort::kNumber, count);
  if (!text.declares(name)) {
    ScalarText body;
    if (text.on_gpu()) body.use_gpu();
    std::vector<Scalar> parameters;
    std::vector<std::string> list;
    for (size_t i = 0; i < args.size(); ++i) {
      parameters.push_back({fmt::format("%x{}", i), count});
      list.push_back(type + " " + parameters.back().text);
    }
    body.line(fmt::format("ret {} {}", type, f.value(lanes_of(body, parameters)).name()));
    text.declare(name, fmt::format("define internal {} @{}({}) nounwind {{\nentry:\n{}}}", type, name,
                                   fmt::join(list, ", "), body.text()));
    text.declare_all_of(body);
  }
  std::vector<std::string> given;
  for (const Scalar& a : args) given.push_back(type + " " + a.text);
  return {text.value(fmt::format("call {} @{}({})", type, name, fmt::join(given, ", "))), count};
}

}  // namespace

std::optional<Scalar> vector_math(ScalarText& text, ScalarOp op, std::span<const Scalar> args) {
  for (const Generated& f : kGenerated) {
    if (f.op != op) continue;
    if (!f.in_line) return called_function(text, f, args);
    const std::vector<Lanes> given = lanes_of(text, args);
    return Scalar{f.value(given).name(), args[0].lanes};
  }
  return std::nullopt;
}

}  // namespace isomer::codegen
