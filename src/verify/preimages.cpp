#include "verify/preimages.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "ir/constant_data.h"
#include "ir/constant_of.h"
#include "ir/op.h"

namespace isomer::verify {
namespace {

using ir::ScalarOp;
using ir::ValueId;

constexpr int kDeepest = 256;
constexpr size_t kMost = 32;

/// An operator that applies one scalar function to its operands' elements.
struct Applied {
  ScalarOp op = ScalarOp::kConst;
  std::vector<ValueId> to;
};

std::optional<Applied> applied(const ir::Graph& graph, ValueId v) {
  const ir::OpDef& def = graph.def(v);
  if (def.kind != ir::MeaningKind::kPointwise || def.nests == nullptr) return std::nullopt;
  std::vector<ir::TypeId> types;
  for (const ValueId o : graph.operands(v)) types.push_back(graph.type_id(o));
  const auto nests = def.nests(ir::OpInstance(graph.context(), def, graph.attrs(v), types, graph.type_id(v)));
  if (nests.size() != 1 || nests[0].result.empty()) return std::nullopt;
  const auto& code = nests[0].result.code();
  Applied out{code.back().op, {}};
  for (size_t i = 0; i + 1 < code.size(); ++i) {
    if (code[i].op != ScalarOp::kRead) return std::nullopt;
    const ir::Read& read = nests[0].reads[static_cast<size_t>(code[i].index)];
    out.to.push_back(graph.operands(v)[static_cast<size_t>(read.input)]);
  }
  if (out.to.size() != static_cast<size_t>(ir::operand_count(out.op))) return std::nullopt;
  return out;
}

/// The number in all elements, if they are of a constant, spread or not.
std::optional<int64_t> number_in(const ir::Graph& graph, ValueId v) {
  while (graph.def(v).is(ir::Core::kBroadcast)) v = graph.operands(v)[0];
  const ir::Type& type = graph.type(v);
  if (!type.is_tensor() || !ir::is_integer(type.dtype)) return std::nullopt;
  return same_in_all(graph, v);
}

/// Numbers of so many bits, which wrap.
class Ring {
 public:
  explicit Ring(int bits) : bits_(bits), mask_(~uint64_t{0} >> (64 - bits)) {}

  uint64_t held(uint64_t x) const { return x & mask_; }
  /// Of an odd number (Newton's steps: each doubles the digits that are right).
  uint64_t inverse(uint64_t odd) const {
    uint64_t out = odd;
    for (int digits = 3; digits < 64; digits *= 2) out *= 2 - odd * out;
    return held(out);
  }
  /// x of x ^ (x shifted by so many bits).
  uint64_t unmixed(uint64_t mixed, uint64_t by, bool left) const {
    uint64_t out = mixed;
    for (uint64_t known = by; known < static_cast<uint64_t>(bits_); known += by)
      out = held(mixed ^ (left ? out << by : out >> by));
    return out;
  }
  /// Of a number that is a square, modulo 2^bits at least: its root, or one of them bit by bit (Hensel).
  std::optional<uint64_t> root(uint64_t square) const {
    if (square == 0) return 0;
    const auto plain = static_cast<uint64_t>(std::sqrt(static_cast<long double>(square)));
    if (plain * plain == square) return plain;
    int twos = 0;
    for (; square % 4 == 0; square /= 4) ++twos;
    if (square % 8 != 1) return std::nullopt;
    uint64_t out = 1;
    for (int bit = 3; bit < bits_; ++bit)
      if (((out * out ^ square) >> bit & 1) != 0) out += uint64_t{1} << (bit - 1);
    return held(out << twos);
  }
  int bits() const { return bits_; }

 private:
  int bits_;
  uint64_t mask_;
};

class Backwards {
 public:
  explicit Backwards(const ir::Graph& graph) : graph_(graph) {}

  /// What the elements that `v` is computed from have to be for it to be `target`.
  std::optional<int64_t> from(ValueId v, uint64_t target) const {
    for (int depth = 0; depth < kDeepest; ++depth) {
      const ir::Type& type = graph_.type(v);
      if (!type.is_tensor() || !ir::is_integer(type.dtype) || type.dtype == ir::DType::kBool)
        return std::nullopt;
      const Ring ring(ir::bit_width(type.dtype));
      target = ring.held(target);
      if (graph_.def(v).is(ir::Core::kInput))
        return depth > 0 ? std::optional(ir::wrap_to(type.dtype, static_cast<int64_t>(target)))
                         : std::nullopt;
      const auto next = undone(v, target, ring);
      if (!next) return std::nullopt;
      v = next->first;
      target = next->second;
    }
    return std::nullopt;
  }

 private:
  using Next = std::optional<std::pair<ValueId, uint64_t>>;

  Next undone(ValueId v, uint64_t target, const Ring& ring) const {
    const ir::OpDef& def = graph_.def(v);
    if (def.kind == ir::MeaningKind::kMovement && graph_.operands(v).size() == 1)
      return {{graph_.operands(v)[0], target}};  // some element of it
    if (def.range_kind() == ir::RangeKind::kCast) {
      const ir::Type& from = graph_.type(graph_.operands(v)[0]);
      if (!from.is_tensor() || !ir::is_integer(from.dtype) || ir::bit_width(from.dtype) != ring.bits())
        return std::nullopt;
      return {{graph_.operands(v)[0], target}};
    }
    const auto how = applied(graph_, v);
    if (!how) return std::nullopt;
    if (how->op == ScalarOp::kNeg) return {{how->to[0], 0 - target}};
    if (how->op == ScalarOp::kBitNot) return {{how->to[0], ~target}};
    if (how->to.size() != 2) return std::nullopt;
    for (const size_t other : {1u, 0u})
      if (const auto number = number_in(graph_, how->to[other]))
        return undone_number(*how, 1 - other, static_cast<uint64_t>(*number), target, ring);
    if (how->op == ScalarOp::kXor)
      for (const size_t whole : {0u, 1u})
        if (const auto shift = shifted(how->to[1 - whole], how->to[whole], ring))
          return {{how->to[whole], ring.unmixed(target, shift->first, shift->second)}};
    if (how->op == ScalarOp::kMul && how->to[0] == how->to[1])
      if (const auto root = ring.root(target)) return {{how->to[0], *root}};
    return unrotated(*how, target, ring);
  }

  /// Both ends of a number that its shifts to both sides have moved around.
  Next unrotated(const Applied& how, uint64_t target, const Ring& ring) const {
    if (how.op != ScalarOp::kOr && how.op != ScalarOp::kXor && how.op != ScalarOp::kAdd) return std::nullopt;
    const auto first = applied(graph_, how.to[0]);
    if (!first || first->to.empty()) return std::nullopt;
    const ValueId whole = first->to[0];
    const auto one = shifted(how.to[0], whole, ring), other = shifted(how.to[1], whole, ring);
    const auto bits = static_cast<uint64_t>(ring.bits());
    if (!one || !other || one->second == other->second || one->first + other->first != bits)
      return std::nullopt;
    const uint64_t left = one->second ? one->first : other->first;
    return {{whole, ring.held(target >> left | target << (bits - left))}};
  }

  /// One operand, at `place`, is sought, the other is a number.
  static Next undone_number(const Applied& how, size_t place, uint64_t number, uint64_t target,
                            const Ring& ring) {
    const ValueId sought = how.to[place];
    switch (how.op) {
      case ScalarOp::kAdd: return {{sought, target - number}};
      case ScalarOp::kSub: return {{sought, place == 0 ? target + number : number - target}};
      case ScalarOp::kXor: return {{sought, target ^ number}};
      case ScalarOp::kMul:
        if (number % 2 == 0) return std::nullopt;
        return {{sought, target * ring.inverse(number)}};
      default: return std::nullopt;
    }
  }

  /// Whether `v` is `whole` with its bits moved: by how many, and whether to the left.
  std::optional<std::pair<uint64_t, bool>> shifted(ValueId v, ValueId whole, const Ring& ring) const {
    const auto how = applied(graph_, v);
    if (!how || how->to.size() != 2 || how->to[0] != whole) return std::nullopt;
    const bool left = how->op == ScalarOp::kShiftLeft;
    const auto by = number_in(graph_, how->to[1]);
    if ((!left && how->op != ScalarOp::kShiftRight) || !by || *by < 1 || *by >= ring.bits() ||
        (!left && ir::has_sign(graph_.type(v).dtype)))
      return std::nullopt;
    return {{static_cast<uint64_t>(*by), left}};
  }

  const ir::Graph& graph_;
};

/// Of the elements of an input: x = residue, modulo so much.
struct Congruence {
  ValueId input;
  int64_t modulus, residue;
};

constexpr int64_t kMostModulus = int64_t{1} << 31;  // so that a product fits

int64_t reduced(int64_t x, int64_t modulus) { return (x % modulus + modulus) % modulus; }

/// Nothing where the two have a factor in common.
std::optional<int64_t> inverse(int64_t x, int64_t modulus) {
  int64_t a = modulus, b = reduced(x, modulus), of_a = 0, of_b = 1;
  while (b != 0) {
    const int64_t quotient = a / b;
    a = std::exchange(b, a - quotient * b);
    of_a = std::exchange(of_b, of_a - quotient * of_b);
  }
  return a == 1 ? std::optional(reduced(of_a, modulus)) : std::nullopt;
}

/// What `v`, a remainder that is to be `number`, asks of an input. Nothing wraps at the numbers that are
/// found first.
std::optional<Congruence> congruence(const ir::Graph& graph, ValueId v, int64_t number) {
  while (graph.def(v).kind == ir::MeaningKind::kMovement && graph.operands(v).size() == 1)
    v = graph.operands(v)[0];
  const auto rest = applied(graph, v);
  if (!rest || (rest->op != ScalarOp::kMod && rest->op != ScalarOp::kFMod)) return std::nullopt;
  const auto modulus = number_in(graph, rest->to[1]);
  if (!modulus || *modulus < 2 || *modulus >= kMostModulus || number < 0 || number >= *modulus)
    return std::nullopt;
  v = rest->to[0];
  for (int depth = 0; depth < kDeepest; ++depth) {
    const ir::OpDef& def = graph.def(v);
    if (!graph.type(v).is_tensor() || !ir::is_integer(graph.type(v).dtype)) return std::nullopt;
    if (def.is(ir::Core::kInput)) return Congruence{v, *modulus, number};
    const bool moves = def.kind == ir::MeaningKind::kMovement || def.range_kind() == ir::RangeKind::kCast;
    if (moves && graph.operands(v).size() == 1) {
      v = graph.operands(v)[0];
      continue;
    }
    const auto how = applied(graph, v);
    if (!how || how->to.empty() || how->to.size() > 2) return std::nullopt;
    const auto second = how->to.size() == 2 ? number_in(graph, how->to[1]) : std::optional<int64_t>(0);
    const auto other = second ? second : number_in(graph, how->to[0]);
    if (!other) return std::nullopt;
    const int64_t by = reduced(*other, *modulus);
    v = how->to[second ? 0 : 1];
    switch (how->op) {
      case ScalarOp::kNeg: number = reduced(-number, *modulus); break;
      case ScalarOp::kAdd: number = reduced(number - by, *modulus); break;
      case ScalarOp::kSub: number = reduced(second ? number + by : by - number, *modulus); break;
      case ScalarOp::kMul: {
        const auto undoing = inverse(by, *modulus);
        if (!undoing) return std::nullopt;
        number = number * *undoing % *modulus;
        break;
      }
      default: return std::nullopt;
    }
  }
  return std::nullopt;
}

/// The same of a float, or of an integer.
std::optional<double> float_in(const ir::Graph& graph, ValueId v) {
  while (graph.def(v).is(ir::Core::kBroadcast)) v = graph.operands(v)[0];
  const ir::Type& type = graph.type(v);
  if (!graph.def(v).is(ir::Core::kConstant) || !type.is_static_tensor()) return std::nullopt;
  if (!ir::is_float(type.dtype)) {
    const auto integer = number_in(graph, v);
    return integer ? std::optional(static_cast<double>(*integer)) : std::nullopt;
  }
  const auto bytes = ir::constant_of(graph, v).bytes();
  const int64_t count = ir::element_count(type.shape);
  for (int64_t e = 1; e < count; ++e)
    if (ir::load_number(type.dtype, bytes, e) != ir::load_number(type.dtype, bytes, 0)) return std::nullopt;
  return count > 0 ? std::optional(ir::load_number(type.dtype, bytes, 0)) : std::nullopt;
}

/// What is between a number and the next, towards where a cast to integers cuts.
double cut_to(double integer) { return integer + (integer < 0 ? -0.5 : 0.5); }

/// What one operand of a sum or product with a constant has to be.
std::optional<double> undone_float(ScalarOp op, double target, double by, bool first) {
  switch (op) {
    case ScalarOp::kAdd: return target - by;
    case ScalarOp::kSub: return first ? target + by : by - target;
    case ScalarOp::kMul: return by == 0 ? std::nullopt : std::optional(target / by);
    case ScalarOp::kDiv:
      if (!first && target == 0) return std::nullopt;
      return first ? target * by : by / target;
    default: return std::nullopt;
  }
}

/// What an input of floats has to be for `v` to be `target`, where steps are on the way.
std::optional<double> float_from(const ir::Graph& graph, ValueId v, double target) {
  bool steps = false;
  for (int depth = 0; depth < kDeepest; ++depth) {
    const ir::OpDef& def = graph.def(v);
    const ir::Type& type = graph.type(v);
    if (!type.is_tensor()) return std::nullopt;
    if (def.is(ir::Core::kInput))
      return steps && ir::is_float(type.dtype) && std::isfinite(target) ? std::optional(target)
                                                                        : std::nullopt;
    const auto& operands = graph.operands(v);
    if (def.kind == ir::MeaningKind::kMovement && operands.size() == 1) {
      v = operands[0];
      continue;
    }
    if (def.range_kind() == ir::RangeKind::kCast) {
      v = operands[0];
      const bool cuts = ir::is_integer(type.dtype) && ir::is_float(graph.type(v).dtype);
      if (cuts) target = cut_to(target);
      steps |= cuts;
      continue;
    }
    const auto how = applied(graph, v);
    if (!how || how->to.empty()) return std::nullopt;
    if (how->to.size() == 1) {
      v = how->to[0];
      switch (how->op) {
        case ScalarOp::kNeg: target = -target; continue;
        case ScalarOp::kFloor: target += 0.5; break;
        case ScalarOp::kCeil: target -= 0.5; break;
        case ScalarOp::kRound: break;
        default: return std::nullopt;
      }
      steps = true;
      continue;
    }
    const auto second = float_in(graph, how->to[1]), other = second ? second : float_in(graph, how->to[0]);
    const auto next = other && how->to.size() == 2 ? undone_float(how->op, target, *other, second.has_value())
                                                   : std::nullopt;
    if (!next) return std::nullopt;
    target = *next;
    v = how->to[second ? 0 : 1];
  }
  return std::nullopt;
}

/// The one congruence that says both; nothing where their moduli are not coprime, or make more than fits.
std::optional<Congruence> both(const Congruence& a, const Congruence& b) {
  if (a.input != b.input || a.modulus >= kMostModulus * (kMostModulus / b.modulus)) return std::nullopt;
  const auto undoing = inverse(a.modulus, b.modulus);
  if (!undoing) return std::nullopt;
  const int64_t steps = reduced(b.residue - a.residue, b.modulus) * *undoing % b.modulus;
  return Congruence{a.input, a.modulus * b.modulus, a.residue + a.modulus * steps};
}

/// Numbers that leave each two of these remainders, and as many as go together.
std::vector<int64_t> left_at_once(const std::vector<Congruence>& asked) {
  std::vector<int64_t> out;
  for (size_t i = 0; i < asked.size(); ++i) {
    std::optional<Congruence> all = asked[i];
    for (size_t k = i + 1; k < asked.size(); ++k) {
      if (const auto two = both(asked[i], asked[k])) out.push_back(two->residue);
      if (const auto more = both(*all, asked[k])) all = more;
    }
    if (std::ranges::find(out, all->residue) == out.end()) out.push_back(all->residue);
  }
  return out;
}

}  // namespace

std::optional<int64_t> same_in_all(const ir::Graph& graph, ValueId v) {
  const ir::Type& type = graph.type(v);
  if (!graph.def(v).is(ir::Core::kConstant) || !type.is_static_tensor() || !ir::is_integer(type.dtype))
    return std::nullopt;
  constexpr int64_t kFew = 1024;
  const int64_t count = ir::element_count(type.shape);
  if (count == 0 || count > kFew) return std::nullopt;
  const auto bytes = ir::constant_of(graph, v).bytes();
  const int64_t first = ir::load_integer(type.dtype, bytes, 0);
  for (int64_t i = 1; i < count; ++i)
    if (ir::load_integer(type.dtype, bytes, i) != first) return std::nullopt;
  return first;
}

std::vector<int64_t> preimages(const ir::Graph& a, const ir::Graph& b) {
  constexpr size_t kMostAsked = 8;
  std::vector<int64_t> out;
  const auto add = [&](int64_t x) {
    if (std::ranges::find(out, x) == out.end()) out.push_back(x);
  };
  for (const ir::Graph* graph : {&a, &b}) {
    std::vector<Congruence> asked;
    const Backwards backwards(*graph);
    for (size_t i = 0; i < graph->size() && out.size() < kMost; ++i) {
      const auto how = applied(*graph, ValueId(i));
      if (!how || how->op != ScalarOp::kEqual) continue;
      for (const size_t other : {1u, 0u})
        if (const auto number = number_in(*graph, how->to[other])) {
          const ValueId v = how->to[1 - other];
          if (const auto x = backwards.from(v, static_cast<uint64_t>(*number))) add(*x);
          if (const auto c = congruence(*graph, v, *number); c && asked.size() < kMostAsked)
            asked.push_back(*c);
        }
    }
    for (const int64_t x : left_at_once(asked)) add(x);
  }
  return out;
}

std::vector<double> float_preimages(const ir::Graph& graph) {
  std::vector<double> out;
  for (size_t i = 0; i < graph.size() && out.size() < kMost; ++i) {
    const auto how = applied(graph, ValueId(i));
    if (!how || how->op != ScalarOp::kEqual) continue;
    for (const size_t other : {1u, 0u})
      if (const auto number = float_in(graph, how->to[other]))
        if (const auto x = float_from(graph, how->to[1 - other], *number)) out.push_back(*x);
  }
  return out;
}

}  // namespace isomer::verify
