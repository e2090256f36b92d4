#include "recipes/residues.h"

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "eval/integer_arithmetic.h"
#include "ir/constant_data.h"
#include "ir/constant_of.h"
#include "ir/scalar_table.h"
#include "verify/preimages.h"

namespace isomer::recipes {
namespace {

using ir::ScalarOp;
using ir::ValueId;

constexpr size_t kMostSteps = 256, kDeepestRegion = 64;
constexpr size_t kMostDigits = 12;  // binary ones of all symbols: 4,096 combinations

bool is_counted(const ir::Type& type) {
  return type.is_tensor() && ir::is_integer(type.dtype) && type.dtype != ir::DType::kBool &&
         ir::bit_width(type.dtype) >= 8;
}

/// Whether its elements are the first operand's, some of them.
bool moves(const ir::OpDef& def) {
  const bool some = def.range_kind() == ir::RangeKind::kMove || def.range_kind() == ir::RangeKind::kPart;
  return some && (def.kind == ir::MeaningKind::kMovement || def.is(ir::Core::kGet));
}

/// The binary digits that are left of the first operand by a remainder with the divisor's sign, if that is a
/// power of two.
std::optional<int64_t> digits_left(const ir::Graph& graph, ValueId v) {
  if (graph.def(v).range_kind() != ir::RangeKind::kRemainder) return std::nullopt;
  const ir::AttrId dividends_sign = graph.attrs(v)[0];
  if (!dividends_sign.valid() || std::get<int64_t>(graph.context().get(dividends_sign)) != 0)
    return std::nullopt;
  ValueId by = graph.operands(v)[1];
  while (graph.def(by).is(ir::Core::kBroadcast)) by = graph.operands(by)[0];
  const auto divisor = verify::same_in_all(graph, by);
  if (!divisor || *divisor <= 0 || !std::has_single_bit(static_cast<uint64_t>(*divisor))) return std::nullopt;
  return *divisor - 1;
}

/// Straight code over the residues of symbols: elements of which nothing is known.
class Residues {
 public:
  explicit Residues(const ir::Graph& graph) : graph_(graph) {}

  /// Number of its step. `places`: of which elements it is; those of other places are other symbols.
  size_t add(ValueId v, size_t places = 0) {
    if (const auto it = steps_of_.find({v.v, places}); it != steps_of_.end()) return it->second;
    ++depth_;
    Step step = step_of(v, places);
    --depth_;
    size_t number = 0;
    if (step.kind == Step::kSame)
      number = step.operands[0];
    else {
      number = steps_.size();
      steps_.push_back(step);
    }
    return steps_of_[{v.v, places}] = number;
  }

  bool may_be_equal(size_t a, size_t b) const {
    const int digits = looked_at();
    return digits == 0 || equal(a, b, digits, false);
  }

  /// The residues say all only of numbers that are no larger.
  bool must_be_equal(size_t a, size_t b) const {
    const int digits = looked_at();
    return digits > 0 && is_low(a, digits) && is_low(b, digits) && equal(a, b, digits, true);
  }

  std::vector<bool> of(size_t step) const {
    const int digits = looked_at();
    if (digits == 0) return {true};
    std::vector<bool> out(size_t{1} << digits);
    std::vector<int64_t> values(steps_.size());
    for (uint64_t c = 0; c < combinations(digits); ++c) {
      run(c, digits, values);
      out[lowest(static_cast<uint64_t>(values[step]), digits)] = true;
    }
    return out;
  }

 private:
  struct Step {
    enum Kind : uint8_t { kSymbol, kKnown, kSame, kApply } kind = kSymbol;
    int64_t number = 0;  // of the symbol, or what is known
    ScalarOp op = ScalarOp::kConst;
    std::vector<size_t> operands;
  };

  Step step_of(ValueId v, size_t places) {
    const ir::OpDef& def = graph_.def(v);
    const auto operands = graph_.operands(v);
    if (const auto number = verify::same_in_all(graph_, v)) return {Step::kKnown, *number, {}, {}};
    // Elements of a broadcast are counted from the last dimension on every way from a value to another.
    const bool same = def.is(ir::Core::kBroadcast) || def.range_kind() == ir::RangeKind::kCast;
    const bool apply = def.element && ir::row(*def.element).modular;
    const bool moved = !same && moves(def);
    const bool counts = is_counted(graph_.type(v)) || (moved && !graph_.type(v).is_tensor());
    if (const auto digits = digits_left(graph_, v);
        digits && counts && steps_.size() < kMostSteps && depth_ < kDeepestRegion) {
      const size_t number = add(operands[0], places);
      steps_.push_back({Step::kKnown, *digits, {}, {}});
      return {Step::kApply, 0, ScalarOp::kAnd, {number, steps_.size() - 1}};
    }
    if (counts && (same || moved || apply) && steps_.size() < kMostSteps && depth_ < kDeepestRegion) {
      if (moved) return {Step::kSame, 0, {}, {add(operands[0], ++moves_)}};
      Step step{same ? Step::kSame : Step::kApply, 0, def.element.value_or(ScalarOp::kConst), {}};
      bool counted = true;
      for (ValueId o : operands) counted &= is_counted(graph_.type(o));
      if (counted) {
        for (ValueId o : operands) step.operands.push_back(add(o, places));
        return step;
      }
    }
    return {Step::kSymbol, static_cast<int64_t>(symbols_++), {}, {}};
  }

  /// In all combinations, or in any.
  bool equal(size_t a, size_t b, int digits, bool all) const {
    std::vector<int64_t> values(steps_.size());
    for (uint64_t c = 0; c < combinations(digits); ++c) {
      run(c, digits, values);
      if ((lowest(static_cast<uint64_t>(values[a] ^ values[b]), digits) == 0) != all) return !all;
    }
    return all;
  }

  /// Whether all its numbers have so few digits: known ones, and what is masked by one.
  bool is_low(size_t step, int digits) const {
    const auto known = [&](size_t n) {
      const Step& s = steps_[n];
      return s.kind == Step::kKnown && s.number >= 0 && s.number < int64_t{1} << digits;
    };
    const Step& s = steps_[step];
    return known(step) ||
           (s.kind == Step::kApply && s.op == ScalarOp::kAnd && std::ranges::any_of(s.operands, known));
  }

  /// How many binary digits.
  int looked_at() const {
    int digits = 4;
    while (digits > 0 && static_cast<size_t>(digits) * symbols_ > kMostDigits) --digits;
    return digits;
  }
  uint64_t combinations(int digits) const { return uint64_t{1} << (static_cast<size_t>(digits) * symbols_); }

  static uint64_t lowest(uint64_t number, int digits) { return number & ((uint64_t{1} << digits) - 1); }

  /// Of symbols that have so many digits of the combination each.
  void run(uint64_t combination, int digits, std::vector<int64_t>& values) const {
    for (size_t i = 0; i < steps_.size(); ++i) {
      const Step& s = steps_[i];
      if (s.kind == Step::kSymbol)
        values[i] = static_cast<int64_t>(lowest(combination >> (s.number * digits), digits));
      if (s.kind == Step::kKnown) values[i] = s.number;
      if (s.kind == Step::kApply)
        values[i] = eval::apply_integer(s.op, values[s.operands[0]], values[s.operands.back()]);
    }
  }

  const ir::Graph& graph_;
  std::vector<Step> steps_;
  std::map<std::pair<uint32_t, size_t>, size_t> steps_of_;
  size_t symbols_ = 0, moves_ = 0, depth_ = 0;
};

}  // namespace

Equality equality_of(const ir::Graph& graph, ValueId a, ValueId b) {
  if (!is_counted(graph.type(a)) || !is_counted(graph.type(b))) return {};
  Residues residues(graph);
  const size_t left = residues.add(a), right = residues.add(b);
  return {residues.may_be_equal(left, right), residues.must_be_equal(left, right)};
}

std::vector<bool> possible_residues(const ir::Graph& graph, ValueId v) {
  if (!is_counted(graph.type(v))) return {true};
  Residues residues(graph);
  const size_t step = residues.add(v);
  return residues.of(step);
}

}  // namespace isomer::recipes
