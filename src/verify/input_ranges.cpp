// An input is followed through operators that keep its values (movement, casts) or change them by a constant
// (a shift, a scale), as value = scale * input + shift, or that clamp it, up to the operators that ask
// something of them. What several of them ask is intersected. Where nothing is asked nothing is claimed: the
// caller's default (standard normal floats, integers 0 or 1) then applies, and a 0/1 integer is what most
// unclaimed ones are: masks.
//
// Random masks are general on purpose. A mask of ones, or of ones followed by zeros, is what optimisers that
// replace a mask by its length are right for.
#include "verify/input_ranges.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "eval/interpreter.h"
#include "ir/constant_data.h"
#include "meaning/flatten.h"

namespace isomer::verify {
namespace {

using ir::ScalarOp;
using ir::ValueId;

constexpr double kInf = std::numeric_limits<double>::infinity();

struct Interval {
  double low = 0, high = 0;
};

/// A value that is scale * input + shift, element by element.
struct Image {
  int input = -1;  ///< -1: no such
  double scale = 1, shift = 0;
  bool clamped = false;  ///< or a constant, as integers out of range are
};

class Inference {
 public:
  explicit Inference(const ir::Graph& graph)
      : graph_(graph), images_(graph.size()), ranges_(graph.inputs().size()), asked_(ranges_.size()) {}

  std::vector<InputRange> run() {
    for (size_t i = 0; i < graph_.inputs().size(); ++i)
      images_[graph_.inputs()[i].index()].input = static_cast<int>(i);
    for (size_t i = 0; i < graph_.size(); ++i) {
      const ValueId v(i);
      follow(v);
      ask(v);
    }
    return std::move(ranges_);
  }

 private:
  const ir::Type& type(ValueId v) const { return graph_.type(v); }
  bool is_float(ValueId v) const { return type(v).is_tensor() && ir::is_float(type(v).dtype); }
  const Image& image(ValueId v) const { return images_[v.index()]; }

  /// Smallest and largest element of what is a constant but for movement.
  std::optional<Interval> constant_range(ValueId v) const {
    const ir::OpDef& def = graph_.def(v);
    if (!def.is(ir::Core::kConstant)) {
      const bool moves = def.moves == ir::Moves::kSelects || def.moves == ir::Moves::kReshapes;
      return (moves || converts(def)) && graph_.operands(v).size() == 1
                 ? constant_range(graph_.operands(v)[0])
                 : std::nullopt;
    }
    const ir::Constant& c = eval::constant_of(graph_, v);
    if (!type(v).is_static_tensor()) return std::nullopt;
    const int64_t count = ir::element_count(type(v).shape);
    const ir::DType dtype = type(v).dtype;
    if (count == 0 || count > (1 << 16) || (!ir::is_float(dtype) && !ir::is_integer(dtype)))
      return std::nullopt;
    Interval out{kInf, -kInf};
    for (int64_t i = 0; i < count; ++i) {
      const double x = ir::is_integer(dtype) ? static_cast<double>(ir::load_integer(dtype, c.bytes(), i))
                                             : ir::load_number(dtype, c.bytes(), i);
      out = {std::min(out.low, x), std::max(out.high, x)};
    }
    return out;
  }
  std::optional<double> constant_number(ValueId v) const {
    const auto range = constant_range(v);
    return range && range->low == range->high ? std::optional(range->low) : std::nullopt;
  }

  static bool converts(const ir::OpDef& def) { return def.elements_of(0) == ir::Elements::kConverted; }

  void follow(ValueId v) {
    const auto operands = graph_.operands(v);
    if (operands.empty()) return;
    const ir::OpDef& def = graph_.def(v);
    const ScalarOp op = def.element.value_or(ScalarOp::kRead);
    const bool adds = op == ScalarOp::kAdd || op == ScalarOp::kSub;
    const bool scales = op == ScalarOp::kMul || op == ScalarOp::kDiv;
    Image& out = images_[v.index()];
    if (converts(def) || def.is(ir::Core::kGet) ||
        (def.kind == ir::MeaningKind::kMovement && def.moves != ir::Moves::kAsksShape)) {
      out = image(operands[0]);
    } else if (op == ScalarOp::kMin || op == ScalarOp::kMax || def.range == ir::RangeKind::kWhere) {
      if (!is_float(v)) out = clamped(operands.last(2));
    } else if (op == ScalarOp::kNeg) {
      out = image(operands[0]);
      out.scale = -out.scale;
      out.shift = -out.shift;
    } else if (adds || scales) {
      const int side = image(operands[0]).input >= 0 ? 0 : 1;
      const Image x = image(operands[static_cast<size_t>(side)]);
      const auto c = constant_number(operands[static_cast<size_t>(1 - side)]);
      if (x.input < 0 || !c || (side == 1 && op == ScalarOp::kDiv)) return;
      out = x;
      if (scales) {
        const double factor = op == ScalarOp::kMul ? *c : 1 / *c;
        out.scale *= factor;
        out.shift *= factor;
      } else {
        if (side == 1 && op == ScalarOp::kSub) {
          out.scale = -out.scale;
          out.shift = -out.shift;
        }
        out.shift += op == ScalarOp::kSub && side == 0 ? -*c : *c;
      }
    }
  }

  /// Of one of two values, where the other is constant.
  Image clamped(std::span<const ValueId> values) const {
    for (size_t side = 0; side < values.size(); ++side)
      if (Image out = image(values[side]); out.input >= 0 && constant_range(values[1 - side])) {
        out.clamped = true;
        return out;
      }
    return {};
  }

  void ask(ValueId v) {
    const auto operands = graph_.operands(v);
    if (operands.empty()) return;
    const ir::OpDef& def = graph_.def(v);
    if (def.elements_of(1) == ir::Elements::kIndices) {
      if (const auto rows = rows_of(v)) indices_within(operands[1], *rows, v);
    } else if (def.is(ir::Core::kOpaque)) {
      ask_opaque(v);
    } else if ((def.element == ScalarOp::kAdd || def.element == ScalarOp::kSub) && !is_float(v)) {
      // ids + positions, where both end in a table: what the table asks of the sum it asks of the ids.
      shifted_by_range(v, def.element == ScalarOp::kAdd);
    } else if (def.element == ScalarOp::kMul && is_float(v)) {
      // (1 - mask) * -10000
      const Image& x = image(v);
      if (x.input >= 0 && std::abs(x.scale) >= 100) mask(x.input, v);
    } else if (compares(v)) {
      compared(v);
    } else if (def.elements_of(1) == ir::Elements::kUnsigned) {  // it shifts
      within(operands[1], {-1, ir::bit_width(type(v).dtype) + 1.0}, "shift amounts of", v, true);
    } else if (const auto last = last_choice(v)) {
      const auto compared = graph_.operands(operands[0]);  // with a number beyond the last, and one below 0
      for (const ValueId chooses : compared) within(chooses, {-1, *last + 2}, "branches of", v, true);
    }
    for (const ir::Wish& wish : def.wishes) {
      if (wish.operand >= operands.size()) continue;
      const bool number = is_float(operands[wish.operand]);
      const Interval wanted =
          number ? Interval{wish.low, wish.high} : Interval{wish.integer_low, wish.integer_high};
      const bool above_0 = wish.integer_low > 0 && wish.integer_low <= wish.integer_high;
      within(operands[wish.operand], wanted, wish.what, v, false, above_0);
    }
  }

  /// Of a conditional by whether an integer equals a constant, the otherwise of which is such conditionals
  /// again: the largest constant.
  std::optional<double> last_choice(ValueId v) const {
    const ir::OpDef& def = graph_.def(v);
    if (!def.has_role(ir::AttrRole::kOtherwise)) return std::nullopt;
    const ValueId condition = graph_.operands(v)[0];
    if (graph_.def(condition).element != ScalarOp::kEqual) return std::nullopt;
    const auto chooses = constant_number(graph_.operands(condition)[1]);
    if (!chooses) return std::nullopt;
    const ir::OpInstance op(graph_.context(), def, graph_.attrs(v), {});
    const ir::Graph& rest = op.ctx.get(op.region(ir::AttrRole::kOtherwise));
    const Inference inner(rest);
    double last = *chooses;
    for (size_t i = 0; i < rest.size(); ++i)
      last = std::max(last, inner.last_choice(ValueId(i)).value_or(last));
    return last;
  }

  /// An attribute's number; none where the operator has no such attribute, or no number there.
  std::optional<int64_t> number(ValueId v, std::string_view attribute) const {
    const ir::OpDef& def = graph_.def(v);
    const auto at = std::ranges::find(def.attrs, attribute, &ir::AttrSpec::name);
    if (at == def.attrs.end()) return std::nullopt;
    const ir::AttrId id = graph_.attrs(v)[static_cast<size_t>(at - def.attrs.begin())];
    if (!id.valid()) return std::nullopt;
    const auto* value = std::get_if<int64_t>(&graph_.context().get(id));
    return value == nullptr ? std::nullopt : std::optional(*value);
  }

  /// How many rows the table has along the axis that the indices go along; where they are places of several
  /// axes, along the shortest of these.
  std::optional<int64_t> rows_of(ValueId v) const {
    const ir::Type& table = type(graph_.operands(v)[0]);
    const ir::Type& indices = type(graph_.operands(v)[1]);
    if (!table.is_ranked_tensor() || !indices.is_ranked_tensor()) return std::nullopt;
    const auto rank = static_cast<int64_t>(table.shape.size());
    const bool of_classes = std::ranges::find(graph_.def(v).attrs, "ignore_index", &ir::AttrSpec::name) !=
                            graph_.def(v).attrs.end();
    int64_t first = 1, count = 1, more = 0;
    if (const auto axis = number(v, "axis")) {
      first = *axis < 0 ? *axis + rank : *axis;
    } else if (const auto time = number(v, "time_axis")) {
      first = *time;
      more = 1;                // lengths, which may be all of it
    } else if (!of_classes) {  // the last axis of the indices says a place
      if (indices.shape.empty() || !indices.shape.back().is_static()) return std::nullopt;
      first = number(v, "batch_dims").value_or(0);
      count = indices.shape.back().size();
    }
    std::optional<int64_t> out;
    for (int64_t axis = first; axis < std::min(first + count, rank); ++axis)
      if (const ir::Dim& rows = table.shape[static_cast<size_t>(axis)]; rows.is_static())
        out = std::min(out.value_or(INT64_MAX), rows.size() + more);
    return out;
  }

  /// An order or an equality of numbers.
  bool compares(ValueId v) const {
    const ir::OpDef& def = graph_.def(v);
    const auto operands = graph_.operands(v);
    return def.meets == ir::Meets::kAll && operands.size() == 2 && type(v).dtype == ir::DType::kBool &&
           type(operands[0]).dtype != ir::DType::kBool;
  }

  void ask_opaque(ValueId v) {
    const auto operands = graph_.operands(v);
    const auto& op = std::get<std::string>(graph_.context().get(graph_.attrs(v)[1]));
    const auto rows = [&](size_t operand, size_t axis) -> double {
      if (operand >= operands.size()) return 0;
      const ir::Type& t = type(operands[operand]);
      return t.is_ranked_tensor() && axis < t.shape.size() && t.shape[axis].is_static()
                 ? static_cast<double>(t.shape[axis].size())
                 : 0;
    };
    if ((op == "LSTM" || op == "GRU" || op == "RNN") && operands.size() > 4 && !is_float(operands[4]) &&
        type(operands[4]).is_tensor() && rows(0, 0) > 0)
      within(operands[4], {1, rows(0, 0)}, "sequence lengths of", v);
    if (op == "OneHot" && operands.size() == 3)
      if (const auto depth = constant_number(operands[1]))
        within(operands[0], {0, *depth - 1}, "classes of", v);
    if ((op == "GatherElements" || op == "GatherND") && operands.size() == 2) {
      double least = kInf;
      for (size_t axis = 0; rows(0, axis) > 0; ++axis) least = std::min(least, rows(0, axis));
      if (least < kInf) within(operands[1], {0, least - 1}, "indices of", v);
    }
    if (op == "RoiAlign" && operands.size() == 3 && rows(0, 0) > 0)
      within(operands[2], {0, rows(0, 0) - 1}, "images of", v);
    if (op == "EmbedLayerNormalization" && operands.size() >= 4) {
      within(operands[0], {0, rows(2, 0) - 1}, "word ids of", v);
      if (!is_float(operands[1])) within(operands[1], {0, rows(4, 0) - 1}, "segment ids of", v);
    }
  }

  /// Against a constant: an integer compared with positions is a length, a float is anything around.
  void compared(ValueId v) {
    const auto operands = graph_.operands(v);
    for (size_t side = 0; side < 2; ++side) {
      if (image(operands[side]).input < 0 || is_float(operands[side])) continue;
      const auto other = constant_range(operands[1 - side]);
      if (other && other->low < other->high)
        within(operands[side], {std::max(0.0, other->low), other->high + 1}, "lengths in", v);
    }
  }

  /// v = input +- a constant tensor: the image is lost, but the table behind it would still be left; remember
  /// the widest shift, so that no index leaves it.
  void shifted_by_range(ValueId v, bool plus) {
    const auto operands = graph_.operands(v);
    if (image(v).input >= 0) return;
    for (size_t side = 0; side < 2; ++side) {
      const Image& x = image(operands[side]);
      const auto other = constant_range(operands[1 - side]);
      if (x.input < 0 || !other || (side == 1 && !plus)) continue;
      images_[v.index()] = x;
      images_[v.index()].shift += plus ? other->high : -other->low;
    }
  }

  /// A plain input may also count from the end; what is computed from one may not be worth following so far.
  /// Of what is clamped some are out of range, and most are not.
  void indices_within(ValueId v, int64_t rows, ValueId user) {
    const Image& x = image(v);
    const double beyond = x.clamped ? 2 : 0;
    within(v, {-beyond, static_cast<double>(rows) - 1 + beyond}, "indices of", user, x.clamped);
    if (x.input < 0) return;
    InputRange& range = ranges_[static_cast<size_t>(x.input)];
    range.from_the_end = x.scale == 1 && x.shift == 0 && range.low == 0 && !x.clamped;
  }

  /// scale * input + shift in [low, high], both included. `optional`: it may be another integer, too.
  void within(ValueId v, Interval wanted, const std::string& what, ValueId user, bool optional = false,
              bool above_0 = false) {
    const Image& x = image(v);
    if (x.input < 0 || x.scale == 0 || wanted.low > wanted.high) return;
    Interval asked{(wanted.low - x.shift) / x.scale, (wanted.high - x.shift) / x.scale};
    if (asked.low > asked.high) std::swap(asked.low, asked.high);
    const auto i = static_cast<size_t>(x.input);
    InputRange& range = ranges_[i];
    Interval& both = asked_[i];
    const bool integers = !is_float(graph_.inputs()[i]);
    if (integers) asked = {std::ceil(asked.low), std::floor(asked.high)};
    if (integers && !ir::has_sign(type(graph_.inputs()[i]).dtype)) asked.low = std::max(asked.low, 0.0);
    if (asked.low > asked.high) return;
    const Interval next = range.low < range.high
                              ? Interval{std::max(both.low, asked.low), std::min(both.high, asked.high)}
                              : asked;
    if (next.low > next.high) return;  // contradicting wishes: the first one stays
    range.optional = optional && (range.optional || range.low >= range.high);
    both = next;
    range.low = next.low;
    range.high = integers ? next.high + 1 : std::max(next.high, next.low + 1e-3);
    const std::string reason = what + " " + meaning::describe(graph_, user);
    if (!range.why.empty()) return;
    range.why = reason;
    range.wished_above_0 = above_0;
  }

  void mask(int input, ValueId user) {
    InputRange& range = ranges_[static_cast<size_t>(input)];
    if (range.known()) return;
    range.values = {0, 1};
    range.why = "mask of " + meaning::describe(graph_, user);
  }

  const ir::Graph& graph_;
  std::vector<Image> images_;
  std::vector<InputRange> ranges_;
  std::vector<Interval> asked_;
};

}  // namespace

std::vector<InputRange> infer_input_ranges(const ir::Graph& graph) { return Inference(graph).run(); }

}  // namespace isomer::verify
