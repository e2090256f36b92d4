// Complex numbers. An array of them is two real ones, so that what is known of real programs holds of these:
// evaluation, equality over a field, costs, code. Sums, products and what moves elements are said of the
// parts; functions by their textbook formulas (Abramowitz and Stegun, "Handbook of mathematical functions",
// sections 3.7, 4.1 to 4.3). Magnitudes and quotients are scaled by the larger part, so that nothing
// overflows that has a result (R. L. Smith, "Algorithm 116: complex division", CACM 1962); where a textbook's
// formula overflows, or loses what is near 0, another of the real functions stands for it. Transforms of
// Fourier are the operator that ONNX has for them. Inverse functions are W. Kahan's ("Branch cuts for complex
// elementary functions", 1987), of the upper half-plane, with the sign of the imaginary part put back.
#include <algorithm>
#include <cmath>

#include "formats/hlo_lowering.h"
#include "ir/constant_data.h"

namespace isomer::formats {

using hlo::AttributeName;
using hlo::Opcode;
using ir::ValueId;
using Complex = std::pair<ValueId, ValueId>;  ///< real and imaginary parts

namespace {

/// Formulas over parts of one shape and type.
class Formulas {
 public:
  explicit Formulas(ir::Builder& b) : b_(b) {}

  ValueId call(std::string_view op, ValueId x) { return b_.add(op, {x}); }
  ValueId call(std::string_view op, ValueId x, ValueId y) { return b_.add(op, {x, y}); }
  ValueId number(ValueId like, double value) {
    const ValueId one = b_.constant(b_.type(like).dtype, {}, {value});
    return ir::broadcast(b_, one, ir::sizes_of(b_, like));
  }
  ValueId choose(ValueId condition, ValueId x, ValueId y) { return b_.add("where", {condition, x, y}); }

  Complex add(Complex x, Complex y) {
    return {call("add", x.first, y.first), call("add", x.second, y.second)};
  }
  Complex subtract(Complex x, Complex y) {
    return {call("sub", x.first, y.first), call("sub", x.second, y.second)};
  }
  Complex negative(Complex x) { return {call("neg", x.first), call("neg", x.second)}; }
  Complex scaled(Complex x, ValueId by) { return {call("mul", x.first, by), call("mul", x.second, by)}; }
  Complex product(Complex x, Complex y) {
    return {call("sub", call("mul", x.first, y.first), call("mul", x.second, y.second)),
            call("add", call("mul", x.first, y.second), call("mul", x.second, y.first))};
  }
  Complex chosen(ValueId condition, Complex x, Complex y) {
    return {choose(condition, x.first, y.first), choose(condition, x.second, y.second)};
  }
  Complex one(Complex like) { return {number(like.first, 1), number(like.second, 0)}; }

  /// With the ratio of the divisor's smaller part to its larger.
  Complex quotient(Complex x, Complex y) {
    const ValueId swaps = call("less", call("abs", y.first), call("abs", y.second));
    const ValueId large = choose(swaps, y.second, y.first), small = choose(swaps, y.first, y.second);
    const ValueId ratio = call("div", small, large);
    const ValueId size = call("add", large, call("mul", small, ratio));
    const auto over = [&](ValueId a, ValueId b, std::string_view op) {  // (a op b ratio) or (a ratio op b)
      const ValueId straight = call(op, a, call("mul", b, ratio)),
                    swapped = call(op, call("mul", a, ratio), b);
      return call("div", choose(swaps, swapped, straight), size);
    };
    return {over(x.first, x.second, "add"), over(x.second, x.first, "sub")};
  }
  ValueId magnitude(Complex x) {
    const ValueId a = call("abs", x.first), b = call("abs", x.second);
    const ValueId large = call("max", a, b), small = call("min", a, b);
    const ValueId ratio = call("div", small, large);
    const ValueId scaled =
        call("mul", large, call("sqrt", call("add", number(a, 1), call("mul", ratio, ratio))));
    const ValueId is_plain = call("or", call("equal", large, number(a, 0)), call("is_inf", large));
    return choose(is_plain, large, scaled);
  }
  ValueId square(ValueId x) { return call("mul", x, x); }
  Complex exponential(Complex x) {
    const ValueId size = call("exp", x.first);
    return {call("mul", size, call("cos", x.second)), call("mul", size, call("sin", x.second))};
  }
  Complex logarithm(Complex x) { return {call("log", magnitude(x)), call("atan2", x.second, x.first)}; }
  /// (exp(a) - 1) cos b - 2 sin(b / 2)^2 + i exp(a) sin b.
  Complex exponential_less_one(Complex x) {
    const ValueId half = call("sin", call("mul", number(x.first, 0.5), x.second));
    return {call("sub", call("mul", call("expm1", x.first), call("cos", x.second)),
                 call("mul", number(x.first, 2), square(half))),
            call("mul", call("exp", x.first), call("sin", x.second))};
  }
  /// Near 0 by log(1 + a (2 + a) + b^2) / 2.
  Complex logarithm_of_one_and(Complex x) {
    constexpr double kNear = 0.5;
    const Complex far = logarithm({call("add", number(x.first, 1), x.first), x.second});
    const ValueId two = number(x.first, 2);
    const ValueId excess = call("add", call("mul", x.first, call("add", two, x.first)), square(x.second));
    const ValueId near = call("mul", number(x.first, 0.5), call("log1p", excess));
    const ValueId size = call("max", call("abs", x.first), call("abs", x.second));
    return {choose(call("less", size, number(x.first, kNear)), near, far.first), far.second};
  }
  /// With t = tan b and r = tanh a: (r (1 + t^2) + i t / cosh(a)^2) / (1 + (r t)^2), where nothing overflows.
  Complex hyperbolic_tangent(Complex x) {
    const ValueId one = number(x.first, 1);
    const ValueId t = call("tan", x.second), r = call("tanh", x.first);
    const ValueId size = call("add", one, square(call("mul", r, t)));
    const ValueId falls = square(call("div", one, call("cosh", x.first)));
    return {call("div", call("mul", r, call("add", one, square(t))), size),
            call("div", call("mul", t, falls), size)};
  }
  /// -i tanh(i x).
  Complex tangent(Complex x) {
    const auto [re, im] = hyperbolic_tangent({call("neg", x.second), x.first});
    return {im, call("neg", re)};
  }
  /// By the exponential that is at most 1.
  Complex logistic(Complex x) {
    const ValueId is_left = call("less", x.first, number(x.first, 0));
    const Complex small = exponential(chosen(is_left, x, negative(x)));
    return quotient(chosen(is_left, small, one(x)), add(one(x), small));
  }
  /// t + i b / 2t, or, left of the imaginary axis, |b| / 2t +- i t; 0 of 0. Below its cut
  /// is what is less than 0: -0 is none, as in XLA.
  Complex root(Complex x) {
    const ValueId half = number(x.first, 0.5), zero = number(x.first, 0);
    const ValueId t = call("sqrt", call("mul", half, call("add", magnitude(x), call("abs", x.first))));
    const ValueId other = call("mul", half, call("div", call("abs", x.second), t));
    const ValueId is_left = call("less", x.first, zero), is_below = call("less", x.second, zero);
    const ValueId re = choose(is_left, other, t), im = choose(is_left, t, other);
    const ValueId is_zero = call("equal", t, zero);
    return {choose(is_zero, zero, re), choose(is_zero, zero, choose(is_below, call("neg", im), im))};
  }
  Complex power(Complex x, Complex y) {
    const ValueId zero = number(x.first, 0);
    const auto vanishes = [&](Complex z) {
      return call("and", call("equal", z.first, zero), call("equal", z.second, zero));
    };
    const Complex general = exponential(product(y, logarithm(x)));
    const Complex of_zero = {zero, zero};
    const ValueId is_positive = call("and", call("greater", y.first, zero), call("equal", y.second, zero));
    const ValueId stays_zero = call("and", vanishes(x), is_positive);
    return chosen(vanishes(y), one(x), chosen(stays_zero, of_zero, general));
  }
  Complex sine(Complex x) {
    return {call("mul", call("sin", x.first), call("cosh", x.second)),
            call("mul", call("cos", x.first), call("sinh", x.second))};
  }
  Complex cosine(Complex x) {
    return {call("mul", call("cos", x.first), call("cosh", x.second)),
            call("neg", call("mul", call("sin", x.first), call("sinh", x.second)))};
  }
  Complex hyperbolic_sine(Complex x) {
    return {call("mul", call("sinh", x.first), call("cos", x.second)),
            call("mul", call("cosh", x.first), call("sin", x.second))};
  }
  Complex hyperbolic_cosine(Complex x) {
    return {call("mul", call("cosh", x.first), call("cos", x.second)),
            call("mul", call("sinh", x.first), call("sin", x.second))};
  }
  /// The real part of asin, that of acos, and the size of the imaginary part of both. With |b|, the roots of
  /// 1 + x and 1 - x have no parts below 0, so that nothing cancels.
  struct Arcs {
    ValueId sine, cosine, size;
  };
  Arcs arcs(Complex x) {
    const ValueId one = number(x.first, 1), up = call("abs", x.second);
    const Complex s = root({call("add", one, x.first), up}), t = root({call("sub", one, x.first), up});
    const auto sum = [&](ValueId a, ValueId b, ValueId c, ValueId d) {
      return call("add", call("mul", a, b), call("mul", c, d));
    };
    return {call("atan2", x.first, sum(s.first, t.first, s.second, t.second)),
            call("mul", number(x.first, 2), call("atan2", t.first, s.first)),
            call("asinh", sum(s.first, t.second, s.second, t.first))};
  }
  /// With the sign of another number, of zeros too.
  ValueId signed_by(ValueId size, ValueId other) {
    const ValueId angle = call("atan2", other, number(other, -1));
    return choose(call("less", angle, number(other, 0)), call("neg", size), size);
  }
  Complex arc_sine(Complex x) {
    const Arcs a = arcs(x);
    return {a.sine, signed_by(a.size, x.second)};
  }
  Complex arc_cosine(Complex x) {
    const Arcs a = arcs(x);
    return {a.cosine, signed_by(a.size, call("neg", x.second))};
  }
  Complex area_cosine(Complex x) {
    const Arcs a = arcs(x);
    return {a.size, signed_by(a.cosine, x.second)};
  }
  /// -i asin(i x).
  Complex area_sine(Complex x) {
    const auto [re, im] = arc_sine({call("neg", x.second), x.first});
    return {im, call("neg", re)};
  }
  /// log(1 + 4 |a| / ((1 - |a|)^2 + b^2)) / 4, of the sign of a; half the angle of (1 - a^2 - b^2, 2 b). All
  /// over the larger of 1 - |a| and b, whose square may be none; where it is small, by its logarithm.
  Complex area_tangent(Complex x) {
    const ValueId one = number(x.first, 1), four = number(x.first, 4), size = call("abs", x.first);
    const ValueId left = call("sub", one, size), far = call("max", call("abs", left), call("abs", x.second));
    const ValueId over = choose(call("equal", far, number(size, 0)), one, far);
    const ValueId a = call("div", left, over), b = call("div", x.second, over);
    const ValueId beside = call("add", square(a), square(b));
    const ValueId ratio = call("div", call("div", call("mul", four, call("div", size, over)), over), beside);
    const ValueId twice = call("log", far);
    const ValueId at_one =
        call("sub", call("log", call("div", call("mul", four, size), beside)), call("add", twice, twice));
    const ValueId sum = choose(call("less", far, number(size, 1e-9)), at_one, call("log1p", ratio));
    const ValueId along = call("sub", call("mul", a, call("add", one, size)), call("mul", b, x.second));
    const ValueId angle = call("atan2", call("add", b, b), along);
    return {signed_by(call("mul", number(size, 0.25), sum), x.first), call("mul", number(size, 0.5), angle)};
  }
  /// -i log((x + i y) / sqrt(x^2 + y^2)).
  Complex arc_tangent(Complex y, Complex x) {
    const Complex across = {call("neg", y.second), y.first};
    const auto [re, im] = logarithm(quotient(add(x, across), root(add(product(x, x), product(y, y)))));
    return {im, call("neg", re)};
  }
  /// Of each part of a complex number, x / |x|; 0 of 0.
  Complex sign(Complex x) {
    const ValueId size = magnitude(x), zero = number(x.first, 0);
    const ValueId is_zero = call("equal", size, zero);
    return chosen(is_zero, {zero, zero}, {call("div", x.first, size), call("div", x.second, size)});
  }

 private:
  ir::Builder& b_;
};

}  // namespace

bool HloLowering::has_complex() const {
  if (m_[at_].opcode == Opcode::kFft || is_complex(m_.shape(at_))) return true;
  return std::ranges::any_of(m_.operands(at_),
                             [&](hlo::InstructionId id) { return is_complex(m_.shape(id)); });
}

HloLowering::Values HloLowering::complex(const std::vector<Values>& x) {
  Formulas f(b_);
  const auto number = [&](size_t i) {
    return Complex(x[i][0], x[i].size() > 1 ? x[i][1] : f.number(x[i][0], 0));
  };
  switch (m_[at_].opcode) {
    case Opcode::kFft: return fourier(x[0]);
    case Opcode::kReal: return {x[0][0]};
    case Opcode::kImag: return {number(0).second};
    case Opcode::kAbs: return {f.magnitude(number(0))};
    case Opcode::kCompare: {
      const auto direction = static_cast<hlo::Direction>(this->number(AttributeName::kDirection));
      const ValueId same =
          f.call("and", f.call("equal", x[0][0], x[1][0]), f.call("equal", x[0][1], x[1][1]));
      if (direction == hlo::Direction::kEq) return {same};
      if (direction == hlo::Direction::kNe) return {f.call("not", same)};
      fail("expected EQ or NE of complex numbers, which have no order");
    }
    case Opcode::kConvert: {
      const ir::DType to = dtype(element(m_.shape(at_)));
      Values out = {cast(x[0][0], to)};
      if (is_complex(m_.shape(at_))) out.push_back(cast(number(0).second, to));
      return out;
    }
    case Opcode::kReduce:
    case Opcode::kReduceWindow: {  // parts are arrays that are reduced together
      Values flat;
      for (const Values& operand : x) flat.insert(flat.end(), operand.begin(), operand.end());
      return m_[at_].opcode == Opcode::kReduce ? reduce(flat) : reduce_window(flat);
    }
    case Opcode::kSort: return sort_of_complex(x);
    case Opcode::kScatter: {
      const hlo::ComputationId by = called(AttributeName::kToApply);
      if (const auto how = m_.binary_function(by); how && how != Opcode::kAdd)
        fail("expected a scatter of complex numbers by add, or of what is put there, found {}",
             m_.text(m_[by].name));
      break;
    }
    default: break;
  }
  if (!is_complex(m_.shape(at_)))
    fail("expected an opcode that is said of complex numbers, found {}", name(m_[at_].opcode));
  if (const auto moved = moved_parts(x)) return *moved;
  std::vector<Complex> numbers;
  for (size_t i = 0; i < x.size(); ++i) numbers.push_back(number(i));
  const auto [re, im] = function_of(numbers);
  return {re, im};
}

/// The value of an elementwise opcode or a product.
Complex HloLowering::function_of(const std::vector<Complex>& x) {
  Formulas f(b_);
  switch (m_[at_].opcode) {
    case Opcode::kComplex: return {x[0].first, x[1].first};
    case Opcode::kAdd: return f.add(x[0], x[1]);
    case Opcode::kSubtract: return f.subtract(x[0], x[1]);
    case Opcode::kMultiply: return f.product(x[0], x[1]);
    case Opcode::kDivide: return f.quotient(x[0], x[1]);
    case Opcode::kNegate: return f.negative(x[0]);
    case Opcode::kExp: return f.exponential(x[0]);
    case Opcode::kExpm1: return f.exponential_less_one(x[0]);
    case Opcode::kLog: return f.logarithm(x[0]);
    case Opcode::kLog1p: return f.logarithm_of_one_and(x[0]);
    case Opcode::kSqrt: return f.root(x[0]);
    case Opcode::kRsqrt: return f.quotient(f.one(x[0]), f.root(x[0]));
    case Opcode::kPower: return f.power(x[0], x[1]);
    case Opcode::kSign: return f.sign(x[0]);
    case Opcode::kSin: return f.sine(x[0]);
    case Opcode::kCos: return f.cosine(x[0]);
    case Opcode::kTan: return f.tangent(x[0]);
    case Opcode::kSinh: return f.hyperbolic_sine(x[0]);
    case Opcode::kCosh: return f.hyperbolic_cosine(x[0]);
    case Opcode::kTanh: return f.hyperbolic_tangent(x[0]);
    case Opcode::kAsin: return f.arc_sine(x[0]);
    case Opcode::kAcos: return f.arc_cosine(x[0]);
    case Opcode::kAtan2: return f.arc_tangent(x[0], x[1]);
    case Opcode::kAsinh: return f.area_sine(x[0]);
    case Opcode::kAcosh: return f.area_cosine(x[0]);
    case Opcode::kAtanh: return f.area_tangent(x[0]);
    case Opcode::kLogistic: return f.logistic(x[0]);
    case Opcode::kDot:
    case Opcode::kConvolution: {
      const auto product = [&](ValueId a, ValueId b) {
        return m_[at_].opcode == Opcode::kDot ? dot({a, b}, sizes(m_.shape(at_))) : convolution({a, b});
      };
      return {f.call("sub", product(x[0].first, x[1].first), product(x[0].second, x[1].second)),
              f.call("add", product(x[0].first, x[1].second), product(x[0].second, x[1].first))};
    }
    default: fail("expected an opcode that is said of complex numbers, found {}", name(m_[at_].opcode));
  }
}

/// What moves elements, or brings constants: the same of either part.
std::optional<HloLowering::Values> HloLowering::moved_parts(const std::vector<Values>& x) {
  switch (m_[at_].opcode) {
    case Opcode::kConstant: {
      const hlo::Literal& literal = m_.literal(at_);
      const hlo::Primitive part = hlo::part_of(element(literal.shape));
      const std::vector<double> both = numbers(literal, part);
      std::vector<double> parts[2];
      for (size_t i = 0; i < both.size(); ++i) parts[i % 2].push_back(both[i]);
      Values out;
      for (const auto& values : parts) out.push_back(b_.constant(dtype(part), sizes(literal.shape), values));
      return out;
    }
    case Opcode::kIota: {
      const ValueId re = iota(sizes(m_.shape(at_)));
      return Values{re, Formulas(b_).number(re, 0)};
    }
    case Opcode::kReshape:
    case Opcode::kTranspose:
    case Opcode::kBroadcast:
    case Opcode::kConcatenate:
    case Opcode::kReverse:
    case Opcode::kSlice:
    case Opcode::kPad:
    case Opcode::kDynamicSlice:
    case Opcode::kDynamicUpdateSlice:
    case Opcode::kGather:
    case Opcode::kScatter:
    case Opcode::kSelect: break;
    default: return std::nullopt;
  }
  Values out;
  for (size_t part = 0; part < 2; ++part) {
    Values operands;
    for (const Values& operand : x) operands.push_back(operand[std::min(part, operand.size() - 1)]);
    out.push_back(array(operands));
  }
  return out;
}

/// Along the last dimensions, as many as there are lengths. A real transform begins with the last one, its
/// inverse ends with it.
HloLowering::Values HloLowering::fourier(const Values& x) {
  const auto type = static_cast<hlo::FftType>(number(AttributeName::kFftType));
  const auto lengths = list(AttributeName::kFftLength);
  const auto rank = static_cast<int64_t>(sizes(operand_shape(0)).size());
  const bool is_inverse = type == hlo::FftType::kIfft || type == hlo::FftType::kIrfft;
  const bool is_real = type == hlo::FftType::kRfft || type == hlo::FftType::kIrfft;
  Values each;  // [.., 1]
  for (const ValueId part : x) each.push_back(b_.add("unsqueeze", {part}, {{"axes", std::vector{rank}}}));
  ValueId y = each.size() == 1 ? each[0] : b_.add("concat", each, {{"axis", rank}});
  const auto count = static_cast<int64_t>(lengths.size());
  for (int64_t i = 0; i < count; ++i) {
    const int64_t back = is_inverse ? count - 1 - i : i;  // dimensions behind this one
    const bool halves = is_real && back == 0;
    y = b_.add("dft", {y},
               {{"axis", rank - 1 - back},
                {"inverse", int64_t{is_inverse}},
                {"onesided", int64_t{halves}},
                {"length", lengths[static_cast<size_t>(count - 1 - back)]}});
  }
  Values out;
  const auto parts = ir::sizes_of(b_, y).back();
  for (int64_t i = 0; i < parts; ++i)
    out.push_back(b_.add("squeeze", {part(y, rank, i, i + 1)}, {{"axes", std::vector{rank}}}));
  return out;
}

}  // namespace isomer::formats
