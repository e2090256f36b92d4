#include "rewrite/float_range.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "rewrite/constant_range.h"

namespace isomer::rewrite {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

double up(double size) {
  if (size == 0 || !std::isfinite(size)) return size;
  int exponent = 0;
  const double mantissa = std::frexp(size, &exponent);
  return std::ldexp(1, mantissa == 0.5 ? exponent - 1 : exponent);
}
double down(double size) {
  if (size == 0 || !std::isfinite(size)) return size;
  int exponent = 0;
  std::frexp(size, &exponent);
  return std::ldexp(1, exponent - 1);
}

/// Infinity times nothing is nothing here: bounds of what is zero stay zero.
double times(double a, double b) { return a == 0 || b == 0 ? 0 : a * b; }
double minus(double a, double b, double otherwise) {
  const double d = a - b;
  return std::isnan(d) ? otherwise : d;
}

FloatRange symmetric(double most) { return {-most, most}; }

using ir::RangeKind;

FloatRange product(const FloatRange& a, const FloatRange& b) {
  const double ends[] = {times(a.low, b.low), times(a.low, b.high), times(a.high, b.low),
                         times(a.high, b.high)};
  return {*std::ranges::min_element(ends), *std::ranges::max_element(ends)};
}

/// Unknown where b may be zero, also of zeros: any x has x * 0 = 0.
FloatRange quotient(const FloatRange& a, const FloatRange& b) {
  if (b.low <= 0 && b.high >= 0) return {};
  return product(a, {1 / b.high, 1 / b.low});
}

FloatRange hull(const FloatRange& a, const FloatRange& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high), std::min(a.least, b.least)};
}

/// How many are added up for one element of the result; infinite where sizes are not known.
double summands(const ir::Context& ctx, RangeKind kind, std::span<const RangeRules::Operand> operands,
                ir::TypeId result) {
  const auto shape = [&](ir::TypeId id) -> const ir::Shape* {
    if (!id.valid()) return nullptr;
    const ir::Type& t = ctx.get(id);
    return t.is_ranked_tensor() ? &t.shape : nullptr;
  };
  const ir::Shape* const first = shape(operands[0].type);
  if (first == nullptr) return kInf;
  if (kind == RangeKind::kProduct) {
    const ir::Shape* const second = shape(operands[1].type);
    if (!first->empty() && first->back().is_static()) return static_cast<double>(first->back().size());
    if (second == nullptr || second->size() < 2) return kInf;
    const ir::Dim rows = (*second)[second->size() - 2];
    return rows.is_static() ? static_cast<double>(rows.size()) : kInf;
  }
  if (kind == RangeKind::kConvolution) {
    const ir::Shape* const w = shape(operands[1].type);
    if (w == nullptr || w->empty() || !ir::is_static(*w)) return kInf;
    return static_cast<double>(ir::element_count(*w)) / std::max(1.0, static_cast<double>((*w)[0].size()));
  }
  const ir::Shape* const last = shape(result);
  if (last == nullptr || !ir::is_static(*first) || !ir::is_static(*last)) return kInf;
  return static_cast<double>(ir::element_count(*first)) /
         std::max(1.0, static_cast<double>(ir::element_count(*last)));
}

FloatRange of_cast(const ir::Context& ctx, const RangeRules::Operand& x) {
  if (!x.type.valid()) return {};
  const ir::Type& type = ctx.get(x.type);
  if (!type.is_tensor()) return {};
  if (ir::is_float(type.dtype) || x.range.bounded()) return x.range;
  if (type.dtype == ir::DType::kBool) return {0, 1};
  if (!ir::is_integer(type.dtype)) return {};
  return symmetric(std::ldexp(1, ir::bit_width(type.dtype)));
}

FloatRange masked(const FloatRange& a, const FloatRange& b) {
  if (a.low >= 0 && b.low >= 0) return {0, std::min(a.high, b.high)};
  if (a.low >= 0) return {0, a.high};
  return b.low >= 0 ? FloatRange{0, b.high} : FloatRange();
}

FloatRange remainder(const FloatRange& a, const FloatRange& b, bool like_the_dividend, bool integers) {
  const FloatRange& sign = like_the_dividend ? a : b;
  const double most = integers ? std::max(b.most() - 1, 0.0) : b.most();
  return {sign.low >= 0 ? 0 : -most, sign.high <= 0 ? 0 : most};
}

}  // namespace

FloatRange::FloatRange() : FloatRange(-kInf, kInf) {}
FloatRange::FloatRange(double from, double to, double smallest) : low(from), high(to), least(smallest) {}
double FloatRange::most() const { return std::max(std::abs(low), std::abs(high)); }
bool FloatRange::bounded() const { return std::isfinite(low) && std::isfinite(high); }

FloatRange meet(const FloatRange& a, const FloatRange& b) {
  return {std::max(a.low, b.low), std::min(a.high, b.high), std::max(a.least, b.least)};
}

FloatRange rounded(const FloatRange& r) {
  if (std::isnan(r.low) || std::isnan(r.high)) return {};
  return {r.low < 0 ? -up(-r.low) : down(r.low), r.high < 0 ? -down(-r.high) : up(r.high), down(r.least)};
}

// As numbers of powers of two: equal ones have one id in every copy of a context.
ir::AttrId intern(ir::Context& ctx, const FloatRange& range) {
  const FloatRange r = rounded(range);
  if (r == FloatRange()) return {};
  const auto coded = [](double x) -> int64_t {
    if (x == 0) return 0;
    const int64_t size = std::isfinite(x) ? 3000 + std::ilogb(std::abs(x)) : 9999;
    return x < 0 ? -size : size;
  };
  return ctx.intern(ir::AttrValue(std::vector<int64_t>{coded(r.low), coded(r.high), coded(r.least)}));
}

FloatRange range_at(const ir::Context& ctx, ir::AttrId id) {
  if (!id.valid()) return {};
  const auto& codes = std::get<std::vector<int64_t>>(ctx.get(id));
  const auto number = [](int64_t code) {
    if (code == 0) return 0.0;
    const int64_t size = std::abs(code);
    const double x = size == 9999 ? kInf : std::ldexp(1, static_cast<int>(size - 3000));
    return code < 0 ? -x : x;
  };
  return {number(codes[0]), number(codes[1]), number(codes[2])};
}

static bool computed(ir::DType dtype) { return ir::is_float(dtype) && ir::row(dtype).computed; }

FloatRange ordinary(ir::DType dtype) {
  if (!computed(dtype)) return {};
  const auto& [least, most] = ir::row(dtype).usual;
  return {-std::ldexp(1, most), std::ldexp(1, most), std::ldexp(1, least)};
}

Sizes sizes_of(ir::DType dtype) {
  if (!computed(dtype)) return {0, 0};
  return {ir::smallest_normal(dtype), ir::largest_power(dtype)};
}

ir::DType sums_in(ir::DType dtype) { return ir::is_half(dtype) ? ir::DType::kF32 : dtype; }

namespace {

FloatRange places(const ir::Type& of, const ir::AttrValue& axis) {
  const auto at = static_cast<size_t>(std::get<int64_t>(axis));
  const bool known = of.is_ranked_tensor() && at < of.shape.size() && of.shape[at].is_static();
  return {0, known ? static_cast<double>(of.shape[at].size() - 1) : kInf};
}

/// Of which the range is asked.
struct Asked {
  const ir::Context& ctx;
  RangeKind kind;
  std::span<const ir::AttrId> attributes;
  std::span<const RangeRules::Operand> operands;
  ir::TypeId type;

  const FloatRange& a() const { return operands[0].range; }
  const FloatRange& b() const { return operands[1].range; }
  const ir::AttrValue* attribute(size_t i) const {
    return i < attributes.size() && attributes[i].valid() ? &ctx.get(attributes[i]) : nullptr;
  }
  double number(size_t i, double otherwise) const {
    const auto* value = attribute(i) ? std::get_if<double>(attribute(i)) : nullptr;
    return value ? *value : otherwise;
  }
};
using Range = std::optional<FloatRange>;  // nothing: the kind is of another family

/// The operands' elements, or some of them.
Range moved(const Asked& q) {
  const FloatRange& a = q.a();
  switch (q.kind) {
    case RangeKind::kMove:
    case RangeKind::kPart:
    case RangeKind::kGather: return a;
    case RangeKind::kMoveOrZero: return hull(a, {0, 0, a.least});
    case RangeKind::kUnion: {
      FloatRange all = a;
      for (const RangeRules::Operand& o : q.operands) all = hull(all, o.range);
      return all;
    }
    case RangeKind::kWhere: return q.operands.size() == 3 ? hull(q.b(), q.operands[2].range) : FloatRange();
    case RangeKind::kCast: return of_cast(q.ctx, q.operands[0]);
    default: return std::nullopt;
  }
}

/// By the largest of a weight: single elements of it may be as small as they like.
FloatRange product_of(const Asked& q) {
  FloatRange out = product(q.a(), q.b());
  if (q.operands[1].is_weight)
    out.least = times(q.a().least, q.b().most());
  else if (q.operands[0].is_weight)
    out.least = times(q.b().least, q.a().most());
  return out;
}

FloatRange quotient_of(const Asked& q) {
  FloatRange out = quotient(q.a(), q.b());
  if (q.operands[1].is_weight && q.b().most() > 0) out.least = q.a().least / q.b().most();
  return out;
}

FloatRange remainder_of(const Asked& q) {
  const ir::AttrValue* mode = q.attribute(0);
  const ir::Type& of = q.ctx.get(q.type);
  return remainder(q.a(), q.b(), mode && std::get<int64_t>(*mode) != 0,
                   of.is_tensor() && ir::is_integer(of.dtype));
}

FloatRange power_of(const FloatRange& a, const FloatRange& b) {
  const bool constant_power = b.low == b.high && std::isfinite(b.low);
  if (!constant_power) return {};
  const double p = b.low;
  if (std::fmod(p, 2) == 0 && p > 0) return {0, std::pow(a.most(), p)};
  if (a.low > 0 && p > 0) return {std::pow(a.low, p), std::pow(a.high, p)};
  if (a.low > 0) return {std::pow(a.high, p), std::pow(a.low, p)};
  return p > 0 ? symmetric(std::pow(a.most(), p)) : FloatRange();
}

Range of_arithmetic(const Asked& q) {
  const FloatRange& a = q.a();
  const auto b = [&]() -> const FloatRange& { return q.b(); };
  switch (q.kind) {
    case RangeKind::kAdd: return FloatRange{minus(a.low, -b().low, -kInf), minus(a.high, -b().high, kInf)};
    case RangeKind::kSub: return FloatRange{minus(a.low, b().high, -kInf), minus(a.high, b().low, kInf)};
    case RangeKind::kMul: return product_of(q);
    case RangeKind::kDiv: return quotient_of(q);
    case RangeKind::kNeg: return FloatRange{-a.high, -a.low, a.least};
    case RangeKind::kReciprocal: return quotient({1, 1}, a);
    case RangeKind::kRemainder: return remainder_of(q);
    case RangeKind::kMasked: return masked(a, b());
    case RangeKind::kMin: return FloatRange{std::min(a.low, b().low), std::min(a.high, b().high)};
    case RangeKind::kMax: return FloatRange{std::max(a.low, b().low), std::max(a.high, b().high)};
    case RangeKind::kPower: return power_of(a, b());
    default: return std::nullopt;
  }
}

Range of_function(const Asked& q) {
  const FloatRange& a = q.a();
  switch (q.kind) {
    case RangeKind::kAbs: return FloatRange{a.low > 0 ? a.low : a.high < 0 ? -a.high : 0, a.most(), a.least};
    case RangeKind::kRelu: return FloatRange{std::max(a.low, 0.0), std::max(a.high, 0.0), a.least};
    case RangeKind::kClip: {
      const double low = q.number(0, -kInf), high = q.number(1, kInf);
      return FloatRange{std::min(std::max(a.low, low), high), std::min(std::max(a.high, low), high)};
    }
    case RangeKind::kExp: return FloatRange{a.low > -80 ? std::exp(a.low) : 0, std::exp(a.high)};
    case RangeKind::kLog: return a.low > 0 ? FloatRange(std::log(a.low), std::log(a.high)) : FloatRange();
    case RangeKind::kSqrt:
      return FloatRange{a.low > 0 ? std::sqrt(a.low) : 0, std::sqrt(std::max(a.high, 0.0))};
    case RangeKind::kUnit: return FloatRange{0, 1};
    case RangeKind::kSine: return FloatRange{-1, 1};
    case RangeKind::kNotNegative: return FloatRange{0, std::max(a.high, 0.0) + 1};
    case RangeKind::kNotPositive: return FloatRange{-kInf, 0};
    case RangeKind::kNarrow: return symmetric(std::max(a.most(), 1.0));
    case RangeKind::kHundredfold: return symmetric(times(a.most(), 100));
    default: return std::nullopt;
  }
}

/// Of many elements each.
Range of_many(const Asked& q) {
  switch (q.kind) {
    case RangeKind::kPlace: return places(q.ctx.get(q.operands[0].type), q.ctx.get(q.attributes[0]));
    case RangeKind::kMean: return hull(q.a(), {0, 0});
    case RangeKind::kSum: {
      const double n = summands(q.ctx, q.kind, q.operands, q.type);
      return FloatRange{times(std::min(q.a().low, 0.0), n), times(std::max(q.a().high, 0.0), n)};
    }
    case RangeKind::kProduct:
    case RangeKind::kConvolution: {
      if (q.operands.size() < 2) return FloatRange();
      const double n = summands(q.ctx, q.kind, q.operands, q.type);
      const FloatRange one = product(q.a(), q.b());
      const FloatRange out{times(std::min(one.low, 0.0), n), times(std::max(one.high, 0.0), n)};
      if (q.operands.size() < 3) return out;
      const FloatRange& bias = q.operands[2].range;
      return FloatRange{minus(out.low, -bias.low, -kInf), minus(out.high, -bias.high, kInf)};
    }
    default: return std::nullopt;
  }
}

}  // namespace

RangeRules::RangeRules(const ir::OpTable& ops) : kinds_(ops.size(), RangeKind::kUnknown) {
  for (size_t i = 0; i < ops.size(); ++i) kinds_[i] = ops.get(ir::OpId(i)).range_kind();
}

FloatRange RangeRules::constant(ir::Context& ctx, uint32_t id) {
  if (constants_.size() <= id) constants_.resize(id + 1);
  auto& [known, range] = constants_[id];
  if (!known) {
    known = true;
    range = range_of(ctx, ctx.get(ir::ConstantId(id)));
  }
  return constants_[id].second;
}

FloatRange RangeRules::result(ir::Context& ctx, uint32_t op, std::span<const ir::AttrId> attributes,
                              std::span<const Operand> operands, ir::TypeId type) {
  const RangeKind kind = kinds_[op];
  switch (kind) {
    case RangeKind::kUnknown: return {};
    case RangeKind::kConstant:
      return constant(ctx, static_cast<uint32_t>(std::get<int64_t>(ctx.get(attributes[0]))));
    case RangeKind::kWeight: return symmetric(0x1p10);  // without contents: ordinary weights
    default: break;
  }
  if (operands.empty()) return {};
  const Asked asked{ctx, kind, attributes, operands, type};
  for (const auto family : {moved, of_arithmetic, of_function, of_many})
    if (const std::optional<FloatRange> range = family(asked)) return *range;
  return {};
}

FloatRange RangeRules::operand(uint32_t op, std::span<const Operand> operands, size_t which,
                               const FloatRange& r) const {
  const auto other = [&]() -> const Operand& { return operands[1 - which]; };
  switch (kinds_[op]) {
    case RangeKind::kMove:
    case RangeKind::kUnion: return r;
    case RangeKind::kNeg: return {-r.high, -r.low, r.least};
    case RangeKind::kAdd:
      return {minus(r.low, other().range.high, -kInf), minus(r.high, other().range.low, kInf)};
    case RangeKind::kSub:
      if (which == 0)
        return {minus(r.low, -other().range.low, -kInf), minus(r.high, -other().range.high, kInf)};
      return {minus(other().range.low, r.high, -kInf), minus(other().range.high, r.low, kInf)};
    case RangeKind::kMul: {
      FloatRange out = quotient(r, other().range);
      if (other().is_weight && other().range.most() > 0) out.least = r.least / other().range.most();
      return out;
    }
    case RangeKind::kDiv: {
      if (which == 1) return {};
      FloatRange out = product(r, other().range);
      if (other().is_weight && !(other().range.low <= 0 && other().range.high >= 0))
        out.least = r.least * std::min(std::abs(other().range.low), std::abs(other().range.high));
      return out;
    }
    default: return {};
  }
}

bool RangeRules::moves(uint32_t op) const {
  return kinds_[op] == RangeKind::kMove || kinds_[op] == RangeKind::kPart ||
         kinds_[op] == RangeKind::kMoveOrZero || kinds_[op] == RangeKind::kUnion ||
         kinds_[op] == RangeKind::kGather || kinds_[op] == RangeKind::kConstant ||
         kinds_[op] == RangeKind::kWeight;
}
bool RangeRules::sums(uint32_t op) const {
  return kinds_[op] == RangeKind::kProduct || kinds_[op] == RangeKind::kConvolution ||
         kinds_[op] == RangeKind::kSum;
}
bool RangeRules::cancels(uint32_t op) const {
  return sums(op) || kinds_[op] == RangeKind::kAdd || kinds_[op] == RangeKind::kSub ||
         kinds_[op] == RangeKind::kMean;
}
bool RangeRules::multiplies(uint32_t op) const {
  return kinds_[op] == RangeKind::kMul || kinds_[op] == RangeKind::kDiv ||
         kinds_[op] == RangeKind::kReciprocal || kinds_[op] == RangeKind::kProduct ||
         kinds_[op] == RangeKind::kConvolution;
}

}  // namespace isomer::rewrite
