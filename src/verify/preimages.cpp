#include "verify/preimages.h"

#include <algorithm>
#include <optional>

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
        return depth > 0 ? std::optional(as_held(type.dtype, target)) : std::nullopt;
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

  static int64_t as_held(ir::DType dtype, uint64_t bits) {
    const int unused = 64 - ir::bit_width(dtype);
    if (!ir::has_sign(dtype)) return static_cast<int64_t>(bits);
    return static_cast<int64_t>(bits << unused) >> unused;
  }

  const ir::Graph& graph_;
};

}  // namespace

std::optional<int64_t> same_in_all(const ir::Graph& graph, ValueId v) {
  const ir::Type& type = graph.type(v);
  if (!graph.def(v).is(ir::Core::kConstant) || !type.is_static_tensor()) return std::nullopt;
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
  std::vector<int64_t> out;
  for (const ir::Graph* graph : {&a, &b}) {
    const Backwards backwards(*graph);
    for (size_t i = 0; i < graph->size() && out.size() < kMost; ++i) {
      const auto how = applied(*graph, ValueId(i));
      if (!how || how->op != ScalarOp::kEqual) continue;
      for (const size_t other : {1u, 0u})
        if (const auto number = number_in(*graph, how->to[other]))
          if (const auto x = backwards.from(how->to[1 - other], static_cast<uint64_t>(*number));
              x && std::ranges::find(out, *x) == out.end())
            out.push_back(*x);
    }
  }
  return out;
}

}  // namespace isomer::verify
