// A token: eight bits that few integers begin with, kTokenBits random ones, one that tells conditions from
// numbers, and, last, whether the condition is negated.
#include "eval/random_interpretation.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <utility>

#include "ir/scalar_table.h"
#include "support/hash.h"

namespace isomer::eval {
namespace {

using ir::ScalarOp;

constexpr uint64_t kMark = uint64_t{0x5A} << 56, kMarkBits = uint64_t{0xFF} << 56;
constexpr uint64_t kCondition = 2, kUnknownNumber = 0;
static_assert(std::popcount(~kMarkBits & ~uint64_t{3}) == RandomInterpretation::kTokenBits);
constexpr size_t kMostListed = size_t{1} << 22;  // operands of all maxima
constexpr size_t kMostEach = 32;                 // of one

bool is_marked(int64_t value) { return (static_cast<uint64_t>(value) & kMarkBits) == kMark; }
int64_t negated(int64_t condition) { return condition ^ 1; }

/// Whether values of one type are values of the other.
bool holds_all(ir::DType wide, ir::DType narrow) {
  return ir::value_bits(wide) >= ir::value_bits(narrow) && (ir::has_sign(wide) || !ir::has_sign(narrow));
}

bool compares(ScalarOp op) { return ir::row(op).sorts == ir::Sorts::kCompare; }

}  // namespace

bool RandomInterpretation::is_token(int64_t value) const {
  return is_marked(value) && tokens_.contains(value & ~int64_t{1});
}

bool RandomInterpretation::is_condition(int64_t value) const {
  return (static_cast<uint64_t>(value) & kCondition) != 0;
}

bool RandomInterpretation::holds_a_bit(int64_t value) const {
  return is_token(value) ? is_condition(value) : value == 0 || value == 1;
}

bool RandomInterpretation::is_full(size_t kept, std::string_view what) {
  if (kept < most_kept_) return false;
  if (!refused_) too_many_ = what;
  refuse();
  return true;
}

int64_t RandomInterpretation::token(uint64_t kind, ScalarOp op, uint64_t a, uint64_t b, uint64_t c) {
  note(compares(op) ? op : ScalarOp::kToInteger);
  decided_ = true;
  const uint64_t hash = hash_combine(
      hash_combine(hash_combine(hash_combine(seed() + kind, static_cast<uint64_t>(op)), a), b), c);
  const auto out = static_cast<int64_t>(kMark | ((hash & ~kMarkBits) & ~uint64_t{3}) | kind);
  if (!is_full(tokens_.size(), "conditions and cut numbers") && !refused_) tokens_.insert(out);
  return out;
}

FieldValue RandomInterpretation::weight(int64_t condition) const {
  const auto whole = static_cast<uint64_t>(condition & ~int64_t{1});
  const FieldValue out = {from_hash(mix64(whole ^ seed())).p, FieldValue::kNone};
  if ((condition & 1) == 0) return out;
  return {out.p == 0 ? 1 : out.p == 1 ? 0 : kFieldP + 1 - out.p, FieldValue::kNone};
}

FieldValue RandomInterpretation::constant(double value) { return as_constant(PrimeField::constant(value)); }

FieldValue RandomInterpretation::as_constant(FieldValue a) {
  if (constants_.size() < most_kept_) constants_.insert(a.p);
  return a;
}

void RandomInterpretation::note_divisor(FieldValue a) {
  if (a.special() || constants_.contains(a.p) || positive_.contains(a.p)) return;
  if (!is_full(divisors_.size(), "divisors") && !refused_) divisors_.insert(a.p);
}

double RandomInterpretation::bits() const {
  const auto drawn = static_cast<double>(tokens_.size() + extrema_.size());
  return (tokens_.empty() ? kNumberBits : kTokenBits) - 2 * std::log2(1 + drawn);
}

FieldValue RandomInterpretation::from_integer(int64_t value) {
  if (!is_token(value)) return as_constant(PrimeField::from_integer(value));
  return is_condition(value) ? weight(value) : from_hash(mix64(static_cast<uint64_t>(value) ^ seed()));
}

int64_t RandomInterpretation::to_integer(FieldValue a) {
  return token(kUnknownNumber, ScalarOp::kToInteger, a.p);
}

int64_t RandomInterpretation::compare(ScalarOp op, FieldValue a, FieldValue b) {
  if (is_nan(a) || is_nan(b)) return 0;
  const bool known = a.p == b.p || (a.special() && b.special());
  switch (op) {
    case ScalarOp::kLess:
      return known ? PrimeField::less(a, b) : token(kCondition, ScalarOp::kLess, a.p, b.p);
    case ScalarOp::kLessEqual:
      if (known) return PrimeField::less(a, b) || PrimeField::equal(a, b);
      return negated(token(kCondition, ScalarOp::kLess, b.p, a.p));
    default:
      return known ? PrimeField::equal(a, b)
                   : token(kCondition, ScalarOp::kEqual, std::min(a.p, b.p), std::max(a.p, b.p));
  }
}

int64_t RandomInterpretation::test(ScalarOp op, FieldValue a) {
  if (a.special()) return op == ScalarOp::kIsNan ? is_nan(a) : is_inf(a);
  return token(kCondition, op, a.p);
}

int64_t RandomInterpretation::condition_of(int64_t value) {
  if (!is_token(value)) return value != 0;
  return is_condition(value) ? value : token(kCondition, ScalarOp::kNot, static_cast<uint64_t>(value));
}

FieldValue RandomInterpretation::choose(int64_t token, FieldValue x, FieldValue y) {
  const int64_t condition = condition_of(token);
  if (x == y) return x;
  if (x.special() || y.special()) refuse();  // no affine combination
  return add(y, mul(weight(condition), sub(x, y)));
}

int64_t RandomInterpretation::choose(int64_t condition, int64_t x, int64_t y) {
  if (x == y) return x;
  condition = condition_of(condition);
  if (x == 1 && y == 0) return condition;
  if (x == 0 && y == 1) return negated(condition);
  if ((condition & 1) != 0) std::swap(x, y);
  const bool both = holds_a_bit(x) && holds_a_bit(y);
  return token(both ? kCondition : kUnknownNumber, ScalarOp::kSelect,
               static_cast<uint64_t>(condition & ~int64_t{1}), static_cast<uint64_t>(x),
               static_cast<uint64_t>(y));
}

/// Each of them a condition, or 0 or 1.
int64_t RandomInterpretation::combine_conditions(ScalarOp op, int64_t a, int64_t b) {
  if (a == b) return a;
  if (a == negated(b)) return op == ScalarOp::kOr;
  if (!is_token(a)) std::swap(a, b);
  if (!is_token(b)) return (b != 0) == (op == ScalarOp::kAnd) ? a : b;
  // A disjunction is what the negations' conjunction is not.
  if (op == ScalarOp::kOr) return negated(combine_conditions(ScalarOp::kAnd, negated(a), negated(b)));
  return token(kCondition, op, static_cast<uint64_t>(std::min(a, b)), static_cast<uint64_t>(std::max(a, b)));
}

int64_t RandomInterpretation::combine(ScalarOp op, int64_t a, int64_t b) {
  if (op == ScalarOp::kNot) return negated(condition_of(a));
  if ((op == ScalarOp::kAnd || op == ScalarOp::kOr) && holds_a_bit(a) && holds_a_bit(b))
    return combine_conditions(op, a, b);
  if (op == ScalarOp::kEqual && a == b) return 1;
  if (ir::row(op).commutes && b < a) std::swap(a, b);
  return token(compares(op) ? kCondition : kUnknownNumber, op, static_cast<uint64_t>(a),
               static_cast<uint64_t>(b));
}

int64_t RandomInterpretation::cast(ir::DType to, int64_t value) {
  if (is_condition(value)) return value;  // 0 and 1 are numbers of every type
  if (to == ir::DType::kBool) return condition_of(value);
  if (to == ir::DType::kI64) return value;  // as it is computed
  if (const auto at = kept_as_.find(value); at != kept_as_.end() && holds_all(to, at->second)) return value;
  const int64_t out =
      token(kUnknownNumber, ScalarOp::kCast, static_cast<uint64_t>(value), static_cast<uint64_t>(to));
  if (!refused_) kept_as_.emplace(out, to);
  return out;
}

uint64_t RandomInterpretation::of_operand(uint64_t p) const { return hash_combine(seed(), p) % kFieldP; }

RandomInterpretation::Operands RandomInterpretation::operands_of(ScalarOp op, FieldValue a) const {
  const auto known = extrema_.find(hash_combine(static_cast<uint64_t>(op), a.p));
  return known != extrema_.end() ? known->second : Operands{of_operand(a.p), {a.p}, true};
}

RandomInterpretation::Operands RandomInterpretation::joined(const Operands& a, const Operands& b) const {
  // Of a prime's remainders nothing gets lost that is added again and again.
  Operands out{(a.sum + b.sum) % kFieldP, {}, a.listed && b.listed};
  if (!out.listed) return out;
  std::ranges::set_union(a.each, b.each, std::back_inserter(out.each));
  out.sum = 0;
  for (const uint64_t p : out.each) out.sum = (out.sum + of_operand(p)) % kFieldP;
  return out;
}

FieldValue RandomInterpretation::extremum(ScalarOp op, FieldValue a, FieldValue b) {
  if (a.p == b.p || a.special() || b.special())
    return op == ScalarOp::kMax ? PrimeField::max(a, b) : PrimeField::min(a, b);
  const Operands x = operands_of(op, a), y = operands_of(op, b);
  Operands all = joined(x, y);
  if (all.listed && all.each == x.each) return a;
  if (all.listed && all.each == y.each) return b;
  note(ScalarOp::kLess);  // which any order may be
  decided_ = true;
  const FieldValue out = random_function(op, all.sum);
  if (is_full(extrema_.size(), "maxima and minima") || refused_) return out;
  if (all.each.size() > kMostEach || listed_ >= kMostListed) all = {all.sum, {}, false};
  listed_ += all.each.size();
  extrema_.emplace(hash_combine(static_cast<uint64_t>(op), out.p), std::move(all));
  return out;
}

/// Odd, so that |-x| is |x|.
FieldValue RandomInterpretation::sign(FieldValue a) {
  if (a.p == 0) return {0, 0};
  decided_ = true;
  const bool upper = a.p > kFieldP / 2;
  const FieldValue of_positive = {random_function(ScalarOp::kSign, upper ? kFieldP - a.p : a.p).p,
                                  FieldValue::kNone};
  return upper ? sub({0, FieldValue::kNone}, of_positive) : of_positive;
}

FieldValue RandomInterpretation::root(FieldValue a) {
  return a.p == 0 ? FieldValue{0, FieldValue::kNone} : random_function(ScalarOp::kSqrt, a.p);
}

FieldValue RandomInterpretation::add(FieldValue a, FieldValue b) {
  const FieldValue out = PrimeField::add(a, b);
  if (!positive_.empty() && positive_.size() < most_kept_ && positive_.contains(a.p) &&
      positive_.contains(b.p))
    positive_.insert(out.p);
  return out;
}

FieldValue RandomInterpretation::unary(ScalarOp op, FieldValue a) {
  if (!a.special()) switch (op) {
      case ScalarOp::kExp: {
        const FieldValue out = PrimeField::unary(op, a);
        if (positive_.size() < most_kept_) positive_.insert(out.p);
        return out;
      }
      case ScalarOp::kSqrt: return root(a);
      case ScalarOp::kSign: return sign(a);
      case ScalarOp::kAbs: return mul(a, sign(a));
      default: break;
    }
  return PrimeField::unary(op, a);
}

FieldValue RandomInterpretation::binary(ScalarOp op, FieldValue a, FieldValue b) {
  switch (op) {
    case ScalarOp::kMax:
    case ScalarOp::kMin: return extremum(op, a, b);
    case ScalarOp::kPow:
      if (a.special() || b.special()) break;
      if (b.p == PrimeField::constant(0.5).p) return root(a);
      note_divisor(a);  // whatever the power
      if (b.p == PrimeField::constant(-0.5).p) return divide(PrimeField::constant(1), root(a));
      break;
    case ScalarOp::kDiv: note_divisor(b); break;
    default: break;
  }
  return PrimeField::binary(op, a, b);
}

}  // namespace isomer::eval
