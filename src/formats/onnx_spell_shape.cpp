// Operators that change shapes only. Target shapes are computed here, also where dimensions are named: a
// reshape with "-1" has the size that is left, as a number or a formula.
#include <onnx-ml.pb.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "formats/onnx_broadcast.h"
#include "formats/onnx_computed_shapes.h"
#include "formats/onnx_run_time_sizes.h"
#include "formats/onnx_spell.h"
#include "formats/onnx_types.h"
#include "ir/constant_data.h"
#include "ir/op_table.h"
#include "ir/size_case.h"
#include "ir/size_sums.h"
#include "support/errors.h"

namespace isomer::formats {
namespace {

using Ints = std::vector<int64_t>;
using ir::Dim;
using ir::Shape;
using ir::ValueId;

ValueId reshape(NodeReader& r, const Shape& shape) { return r.add("reshape", {r.in(0)}, {{"shape", shape}}); }

/// The target as ONNX takes it: sizes, 0 for a dimension that is kept, -1 for one that is left open. Or,
/// where more than one would be left open, each dimension that has a name of the operand's shape, which is
/// asked at run time.
struct Target {
  Ints sizes;
  bool zero_is_zero = false;
  std::vector<RunTimeSize> computed;  ///< empty: nothing is
};

std::optional<Target> computed_target(const ir::Context& ctx, const Shape& from, const Shape& to,
                                      const Dialect& dialect) {
  if (dialect.opset < 14) return std::nullopt;  // 0 would be another dimension
  Target target;
  target.zero_is_zero = true;
  const auto computed = all_at_run_time(ctx, from, to, dialect);
  if (!computed) return std::nullopt;
  target.computed = *computed;
  return target;
}

std::optional<Target> target_of(const ir::Context& ctx, const Shape& from, const Shape& to,
                                const Dialect& dialect) {
  Target target;
  size_t open = 0;
  const bool empty = std::ranges::any_of(to, [](Dim d) { return d == Dim(0); });
  const auto kept = [&](size_t i) { return i < from.size() && from[i].same(to[i]); };
  size_t named = 0;
  for (Dim d : to) named += !d.is_static();
  for (size_t i = 0; i < to.size(); ++i) {
    if (to[i].is_static()) {
      target.zero_is_zero |= to[i].size() == 0 && !kept(i);
      target.sizes.push_back(to[i].size());
    } else if (named > 1 && kept(i)) {
      target.sizes.push_back(0);
    } else {
      target.sizes.push_back(-1);
      ++open;
    }
  }
  // With a dimension of no elements nobody can tell what is left open.
  if (open > 1 || (open == 1 && (empty || named > 1)))
    if (auto computed = computed_target(ctx, from, to, dialect)) return computed;
  if (open > 1 || (open == 1 && empty)) return std::nullopt;
  if (target.zero_is_zero && (dialect.opset < 14 || named > 0)) return std::nullopt;
  return target;
}
/// Several names only where ONNX can say them again.
ValueId reshape_to(NodeReader& r, const Shape& from, const Shape& shape) {
  const bool several = std::ranges::count_if(shape, [](Dim d) { return !d.is_static(); }) > 1;
  if (several && !target_of(r.context(), from, shape, r.dialect()))
    return r.fail("its shape has several names");
  return reshape(r, shape);
}
ValueId read_reshape(NodeReader& r) {
  const auto target = r.sizes(1);
  const bool zero_is_zero = r.i("allowzero", 0) != 0;
  if (!target) return r.fail("its shape is not constant");
  const Shape from = r.shape(0);
  if (r.failed()) return {};
  Shape shape;
  std::optional<size_t> open;
  for (size_t i = 0; i < target->size(); ++i) {
    const ir::Size& t = (*target)[i];
    const auto is = [&t](int64_t number) { return t.is_number() && t.number() == number; };
    if (is(-1)) {
      if (open) return r.fail("two dimensions are left open");
      open = i;
      shape.emplace_back(1);
    } else if (is(0) && !zero_is_zero) {
      if (i >= from.size()) return r.fail("it keeps a dimension that is not there");
      shape.push_back(from[i]);
    } else if (ir::SizeFacts().decide(t, ir::kNegative) != false) {
      return r.fail("a dimension is negative");
    } else {
      shape.push_back(r.dim(t));
      if (shape.back().is_unknown()) return r.fail("a dimension is too large");
    }
  }
  if (open) {
    shape[*open] = left_open(r, from, shape);
    if (shape[*open].is_unknown()) return r.fail("the dimension that is left open is not known");
  }
  return reshape_to(r, from, shape);
}

ValueId read_flatten(NodeReader& r) {
  const Shape from = r.shape(0);
  const auto rank = static_cast<int64_t>(from.size());
  int64_t axis = r.i("axis", 1);
  if (axis < 0) axis += rank;
  if (r.failed() || axis < 0 || axis > rank) return r.fail("its axis is out of range");
  Shape shape;
  for (const auto& [begin, end] : {std::pair{int64_t{0}, axis}, std::pair{axis, rank}}) {
    shape.push_back(r.dim(count_of(r.context(), Shape(from.begin() + begin, from.begin() + end))));
    if (shape.back().is_unknown()) return r.fail("its sizes are not known");
  }
  return reshape_to(r, from, shape);
}

void write_reshape(NodeWriter& w) {
  const Shape &from = w.type(0).shape, &to = w.result().shape;
  const std::optional<Target> said = target_of(w.context(), from, to, w.dialect());
  REQUIRE(said, "a reshape to sizes that nothing says");
  const Target& target = *said;
  if (!target.computed.empty() && from.size() > 1 && to.size() == 2 && from[0].same(to[0])) {
    w.node("Flatten", w.ins());  // at the first dimension, by default
    return;
  }
  std::vector<std::string> inputs = w.ins();
  inputs.push_back(target.computed.empty() ? w.ints(target.sizes) : write_sizes(w, target.computed));
  onnx::NodeProto& node = w.node("Reshape", inputs);
  if (target.zero_is_zero) set(node, "allowzero", int64_t{1});
}
bool can_reshape(const ir::OpInstance& op, const Dialect& dialect) {
  return op.type(0).is_ranked_tensor() &&
         target_of(op.ctx, op.in_shape(0), op.shape("shape"), dialect).has_value();
}

/// The dimensions of a constant shape input; fails when they are not known.
Shape shape_input(NodeReader& r, size_t input) {
  Shape shape;
  const auto sizes = r.sizes(input);
  if (!sizes) r.fail("its shape is not constant");
  for (const ir::Size& s : sizes.value_or(std::vector<ir::Size>())) {
    shape.push_back(r.dim(s));
    if (shape.back().is_unknown()) r.fail("a dimension is negative, or too large");
  }
  return shape;
}

ValueId read_expand(NodeReader& r) {
  const Shape target = shape_input(r, 1);
  const auto common = common_shape(std::array{r.shape(0), target});
  if (r.failed() || !common) return r.fail("it is not certain how its input broadcasts");
  return r.broadcast(r.in(0), *common);
}
std::optional<Ints> expand_sizes(const Shape& from, const Shape& to) {
  Ints sizes;
  for (size_t i = 0; i < to.size(); ++i) {
    const size_t ahead = to.size() - from.size();
    if (to[i].is_static())
      sizes.push_back(to[i].size());
    else if (i >= ahead && from[i - ahead].same(to[i]))
      sizes.push_back(1);  // Expand keeps the larger one
    else
      return std::nullopt;
  }
  return sizes;
}
void write_broadcast(NodeWriter& w) {
  std::vector<std::string> inputs = w.ins();
  const Shape &from = w.type(0).shape, &to = w.result().shape;
  if (const auto sizes = expand_sizes(from, to)) {
    inputs.push_back(w.ints(*sizes));
  } else {
    const auto computed = all_at_run_time(w.context(), from, to, w.dialect());
    REQUIRE(computed, "a broadcast to sizes that nothing says");
    inputs.push_back(write_sizes(w, *computed));
  }
  w.node("Expand", inputs);
}
bool can_broadcast(const ir::OpInstance& op, const Dialect& dialect) {
  const Shape& to = op.shape("shape");
  return op.type(0).is_ranked_tensor() && op.in_shape(0).size() <= to.size() &&
         (expand_sizes(op.in_shape(0), to) || all_at_run_time(op.ctx, op.in_shape(0), to, dialect));
}

ValueId read_constant_of_shape(NodeReader& r) {
  const Shape shape = shape_input(r, 0);
  const bool given = r.has_attr("value");
  std::optional<ir::Constant> value = r.tensor("value");
  if (r.failed() || !all_at_run_time(r.context(), {}, shape, r.dialect()))
    return r.fail("its shape is not constant");
  if (!given) return r.broadcast(r.builder().constant(ir::DType::kF32, {}, {0.0}), shape);
  if (!value || element_count(r.context().get(value->type).shape) != 1)
    return r.fail("its value is not one element");
  value->type = r.context().tensor_type(r.context().get(value->type).dtype, {});
  return r.broadcast(r.builder().constant(r.context().add(*value)), shape);
}

/// How many numbers there are from one to the other.
std::optional<ir::Size> steps_between(const ir::Size& start, const ir::Size& limit, int64_t step) {
  const bool up = step > 0;
  const auto apart = up ? ir::sum(limit, start, -1) : ir::sum(start, limit, -1);
  const int64_t size = up ? step : -step;
  const auto rounded = apart ? ir::sum(*apart, ir::Size(size - 1)) : std::nullopt;
  const auto count = rounded ? ir::floor_quotient(*rounded, ir::Size(size)) : std::nullopt;
  return count ? ir::larger(*count, ir::Size(0)) : std::nullopt;
}

/// Between sizes that are named: places, scaled and shifted.
ValueId read_named_range(NodeReader& r) {
  const auto start = r.sizes(0), limit = r.sizes(1), delta = r.sizes(2);
  const auto is_one = [](const auto& sizes) { return sizes && sizes->size() == 1; };
  if (!is_one(start) || !is_one(limit) || !is_one(delta) || !(*delta)[0].is_number())
    return r.fail("its bounds are not known");
  constexpr int64_t kLongest = int64_t{1} << 31;
  const int64_t step = (*delta)[0].number();
  if (step == 0 || std::abs(step) > kLongest) return r.fail("its step is 0, or too long");
  const ir::DType dtype = r.dtype(0);
  const Shape shape = {r.dim(steps_between((*start)[0], (*limit)[0], step))};
  if (r.failed() || shape[0].is_unknown() || !all_at_run_time(r.context(), {}, shape, r.dialect()))
    return r.fail("how far it counts is not said by the sizes of inputs");
  const auto number = [&](int64_t n) {
    return r.broadcast(r.builder().constant(dtype, {}, {static_cast<double>(n)}), shape);
  };
  ValueId out =
      r.add("iota", {}, {{"shape", shape}, {"axis", 0}, {"to", static_cast<int64_t>(ir::DType::kI64)}});
  if (dtype != ir::DType::kI64) out = r.add("cast", {out}, {{"to", static_cast<int64_t>(dtype)}});
  if (step != 1) out = r.add("mul", {out, number(step)});
  if ((*start)[0].is_number() && std::abs((*start)[0].number()) < kLongest)
    return (*start)[0].number() == 0 ? out : r.add("add", {out, number((*start)[0].number())});
  return r.add("add", {out, r.broadcast(r.in(0), shape)});
}

/// Integers are counted out here, up to a size at which a list of them is still less than the operator.
ValueId read_range(NodeReader& r) {
  constexpr double kMostElements = 1 << 16;
  const auto start = r.const_number(0);
  const auto limit = r.const_number(1);
  const auto delta = r.const_number(2);
  if (r.failed()) return {};
  if (!start || !limit || !delta) return read_named_range(r);
  const ir::DType dtype = r.dtype(0);
  if (!ir::is_float(dtype) && !ir::is_integer(dtype)) return r.fail("it counts in no numbers");
  const double count = *delta == 0 ? -1 : std::ceil((*limit - *start) / *delta);
  if (*delta == 0 || count > kMostElements) return r.fail("it counts far");
  std::vector<double> elements;
  for (double i = 0; i < count; ++i) elements.push_back(*start + i * *delta);
  return r.builder().constant(dtype, {static_cast<int64_t>(elements.size())}, elements);
}

void write_iota(NodeWriter& w) {
  const auto sizes = all_at_run_time(w.context(), {}, w.result().shape, w.dialect());
  REQUIRE(sizes, "an iota of a size that nothing says");
  const std::string limit = w.helper("Squeeze", {write_sizes(w, *sizes)});
  w.node("Range", {w.scalar(ir::DType::kI64, 0), limit, w.scalar(ir::DType::kI64, 1)});
}
bool can_iota(const ir::OpInstance& op, const Dialect& dialect) {
  return op.shape("shape").size() == 1 && static_cast<ir::DType>(op.i("to")) == ir::DType::kI64 &&
         all_at_run_time(op.ctx, {}, op.shape("shape"), dialect);
}

ValueId read_shape(NodeReader& r) {
  const int64_t rank = r.rank(0);
  const auto clamp = [&](int64_t i) { return std::clamp(i < 0 ? i + rank : i, int64_t{0}, rank); };
  const int64_t start = clamp(r.i("start", 0));
  const int64_t end = clamp(r.i("end", rank));
  return r.add("shape", {r.in(0)}, {{"start", start}, {"end", std::max(start, end)}});
}
void write_shape(NodeWriter& w) {
  onnx::NodeProto& node = w.node("Shape", w.ins());
  const int64_t start = w.op().i("start"), end = w.op().i("end");
  if (start == 0 && end == static_cast<int64_t>(w.type(0).shape.size())) return;
  set(node, "start", start);
  set(node, "end", end);
}

}  // namespace

void spell_shape(Spellings& t) {
  t.reads("Reshape", read_reshape);
  t.reads("Flatten", read_flatten);
  t.writes("reshape", {write_reshape, can_reshape});
  t.reads("Expand", read_expand);
  t.reads("ConstantOfShape", read_constant_of_shape);
  t.writes("broadcast", {write_broadcast, can_broadcast});
  t.reads("Range", read_range);
  t.writes("iota", {write_iota, can_iota});
  t.reads("Shape", read_shape);
  t.writes("shape", {write_shape});
}

}  // namespace isomer::formats
