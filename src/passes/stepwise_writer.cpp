#include "passes/stepwise_writer.h"

#include <fmt/format.h>

#include <array>
#include <limits>
#include <utility>

#include "hlo/window.h"
#include "ir/graph.h"
#include "ir/loop_counts.h"
#include "ir/op_table.h"
#include "passes/program_writer.h"
#include "passes/scalar_writer.h"

namespace isomer::passes {
namespace {

using Values = StepwiseWriter::Values;

constexpr Primitive kPlaces = Primitive::kS64;
constexpr uint32_t kHomes = 1U << 30;  ///< no computation has such a number

template <class... Parts>
Values joined(const Parts&... parts) {
  Values out;
  (out.insert(out.end(), parts.begin(), parts.end()), ...);
  return out;
}

Values some(std::span<const InstructionId> all, size_t first, size_t count) {
  const auto part = all.subspan(first, count);
  return {part.begin(), part.end()};
}

/// Narrow floats as wider ones of the same values, which have infinities.
InstructionId ordinary(Writer& w, InstructionId x) {
  const Primitive type = element_of(w.module(), x);
  return hlo::is_float(type) && hlo::row(type).bits < 32 ? w.convert(x, Primitive::kF32) : x;
}

}  // namespace

Values StepwiseWriter::refuse(std::string why) {
  if (why_.empty()) why_ = std::move(why);
  return {};
}

Values StepwiseWriter::run() {
  const std::pair<std::string_view, std::function<Values()>> known[] = {
      {"arg_max", [&] { return place_of(true); }},
      {"arg_min", [&] { return place_of(false); }},
      {"top_k", [&] { return greatest(); }},
      {"sort", [&] { return sorted(); }},
      {"while", [&] { return repeated(); }},
      {"conditional", [&] { return chosen(); }},
      {"if", [&] { return chosen(); }},
      {"loop", [&] { return looped(); }},
      {"scan", [&] { return scanned(); }},
      {"scatter_nd", [&] { return scattered_tuples(); }},
      {"reduce", [&] { return reduced(); }},
      {"scatter_elements", [&] { return scattered_elements(); }},
      {"reduce_window", [&] { return reduced_in_windows(); }}};
  for (const auto& [name, write] : known)
    if (name == op_.op.name) {
      Values out = write();
      return why_.empty() ? out : Values();
    }
  return refuse(fmt::format("HLO has no opcode for {}, which goes step by step", op_.op.name));
}

ComputationId StepwiseWriter::computation(std::string_view name, std::span<const ShapeId> parameters,
                                          const std::function<InstructionId(const Values&)>& of) {
  w_.begin_computation();
  const auto first = static_cast<uint32_t>(w_.module().instructions.size());
  Values in;
  for (const ShapeId shape : parameters) in.push_back(w_.parameter(static_cast<int64_t>(in.size()), shape));
  const InstructionId root = of(in);
  const ComputationId out = w_.computation(name, first, in);
  if (root.valid()) w_.module().computations[out.v].root = root;
  // The writer goes back by one computation only: what follows shares nothing with what was written within.
  w_.write_for(ComputationId(kHomes + out.v));
  return out;
}

ComputationId StepwiseWriter::of_tuple(std::string_view name, ShapeId shape, const Body& of, bool as_tuple) {
  const size_t count = w_.module().shapes[shape].count;
  return computation(name, std::span(&shape, 1), [&](const Values& in) {
    const Values out = of(parts(in[0], count));
    return out.empty() && !as_tuple ? InstructionId() : as_tuple ? tuple(out) : out[0];
  });
}

InstructionId StepwiseWriter::tuple(const Values& parts) {
  Values plain;
  for (const InstructionId id : parts) {
    // What a region computes has default layouts, and what goes in and comes out must be of one shape.
    ShapeId shape = w_.module().shape(id);
    if (w_.module().shapes[shape].has_layout)
      shape = w_.array(element_of(w_.module(), id), dims_of(w_.module(), id));
    plain.push_back(shape == w_.module().shape(id) ? id : w_.add(Opcode::kCopy, shape, {id}));
  }
  return w_.tuple(plain);
}

Values StepwiseWriter::parts(InstructionId tuple, size_t count) {
  Values out;
  for (size_t i = 0; i < count; ++i) out.push_back(w_.part(tuple, static_cast<int64_t>(i)));
  return out;
}

Values StepwiseWriter::region(ir::AttrRole role, const Values& inputs) {
  WrittenProgram written = write_program(w_, op_.ctx.get(op_.region(role)), inputs);
  if (!written.why.empty()) return refuse("in its region: " + written.why);
  return std::move(written.outputs);
}

InstructionId StepwiseWriter::precedes(InstructionId a, InstructionId b, bool largest) {
  const InstructionId x = ordinary(w_, a), y = ordinary(w_, b);
  const InstructionId beyond = w_.compare(largest ? hlo::Direction::kGt : hlo::Direction::kLt, x, y);
  if (!hlo::is_float(element_of(w_.module(), x))) return beyond;
  const auto is_nan = [&](InstructionId v) { return w_.compare(hlo::Direction::kNe, v, v); };
  const InstructionId one = is_nan(largest ? x : y), other = w_.unary(Opcode::kNot, is_nan(largest ? y : x));
  return w_.binary(Opcode::kOr, beyond, w_.binary(Opcode::kAnd, one, other));
}

/// A reduction of elements and their places: it begins with what any element goes before.
Values StepwiseWriter::place_of(bool largest) {
  const InstructionId x = ordinary(w_, operands_[0]);
  const Primitive type = element_of(w_.module(), x);
  const Dims dims = dims_of(w_.module(), x);
  const int64_t axis = op_.i("axis");
  const bool last = op_.i("last") != 0;
  const ShapeId scalar = w_.array(type, {}), place = w_.array(kPlaces, {});
  const std::array shapes = {scalar, place, scalar, place};
  const ComputationId better = computation("place", shapes, [&](const Values& in) {
    const InstructionId equal = w_.unary(Opcode::kNot, w_.binary(Opcode::kOr, precedes(in[0], in[2], largest),
                                                                 precedes(in[2], in[0], largest)));
    const InstructionId nearer = w_.compare(last ? hlo::Direction::kGt : hlo::Direction::kLt, in[1], in[3]);
    const InstructionId first =
        w_.binary(Opcode::kOr, precedes(in[0], in[2], largest), w_.binary(Opcode::kAnd, equal, nearer));
    return tuple({w_.select(first, in[0], in[2]), w_.select(first, in[1], in[3])});
  });
  const InstructionId worst = hlo::is_float(type) && !largest
                                  ? w_.constant(type, std::numeric_limits<double>::quiet_NaN())
                                  : neutral(w_, largest ? ir::Combiner::kMax : ir::Combiner::kMin, type);
  const InstructionId beyond = whole(w_, kPlaces, last ? -1 : std::numeric_limits<int64_t>::max());
  Dims out = dims;
  out.erase(out.begin() + axis);
  const std::array results = {w_.array(type, out), w_.array(kPlaces, out)};
  const InstructionId both =
      w_.add(Opcode::kReduce, w_.module().shapes.tuple(hlo::ShapeKind::kTuple, results),
             {x, w_.iota(kPlaces, dims, axis), worst, beyond},
             {{AttributeName::kDimensions, {axis}}, {AttributeName::kToApply, {int64_t{better.v}}}});
  const InstructionId places = w_.part(both, 1);
  return {op_.out_sizes() == out ? places : w_.reshape(places, op_.out_sizes())};
}

/// Sorted with their places; a stable sort has of equal ones the first in front.
Values StepwiseWriter::greatest() {
  const InstructionId x = operands_[0];
  const Primitive type = element_of(w_.module(), x);
  const Dims dims = dims_of(w_.module(), x);
  const int64_t axis = op_.i("axis");
  const ShapeId scalar = w_.array(type, {}), place = w_.array(kPlaces, {});
  const std::array shapes = {scalar, scalar, place, place};
  const ComputationId order = computation(
      "before", shapes, [&](const Values& in) { return precedes(in[0], in[1], op_.i("largest") != 0); });
  const std::array results = {w_.array(type, dims), w_.array(kPlaces, dims)};
  const InstructionId all = w_.add(Opcode::kSort, w_.module().shapes.tuple(hlo::ShapeKind::kTuple, results),
                                   {x, w_.iota(kPlaces, dims, axis)},
                                   {{AttributeName::kDimensions, {axis}},
                                    {AttributeName::kIsStable, {1}},
                                    {AttributeName::kToApply, {int64_t{order.v}}}});
  Values out = parts(all, 2);
  const Dims starts(dims.size(), 0), strides(dims.size(), 1);
  for (InstructionId& part : out) part = w_.slice(part, starts, op_.out_sizes(), strides);
  return out;
}

Values StepwiseWriter::sorted() {
  std::vector<ShapeId> scalars, shapes;
  for (const InstructionId id : operands_) {
    const Primitive type = element_of(w_.module(), id);
    scalars.insert(scalars.end(), 2, w_.array(type, {}));
    shapes.push_back(w_.array(type, dims_of(w_.module(), id)));
  }
  const ComputationId order = computation("before", scalars, [&](const Values& in) {
    const Values out = region(ir::AttrRole::kComparator, in);
    return out.empty() ? InstructionId() : out[0];
  });
  if (!why_.empty()) return {};
  const ShapeId shape =
      shapes.size() == 1 ? shapes[0] : w_.module().shapes.tuple(hlo::ShapeKind::kTuple, shapes);
  const InstructionId all = w_.add(Opcode::kSort, shape, operands_,
                                   {{AttributeName::kDimensions, {op_.i("axis")}},
                                    {AttributeName::kIsStable, {1}},
                                    {AttributeName::kToApply, {int64_t{order.v}}}});
  return shapes.size() == 1 ? Values{all} : parts(all, shapes.size());
}

Values StepwiseWriter::loop(const Values& states, const Body& condition, const Body& body) {
  const InstructionId begin = tuple(states);
  const ShapeId shape = w_.module().shape(begin);
  const ComputationId goes_on = of_tuple("condition", shape, condition, false);
  const ComputationId next = of_tuple("body", shape, body, true);
  if (!why_.empty()) return {};
  const InstructionId end =
      w_.add(Opcode::kWhile, shape, {begin},
             {{AttributeName::kCondition, {int64_t{goes_on.v}}}, {AttributeName::kBody, {int64_t{next.v}}}});
  return parts(end, states.size());
}

Values StepwiseWriter::repeated() {
  return loop(
      some(operands_, 0, operands_.size()),
      [&](const Values& in) { return region(ir::AttrRole::kCondition, in); },
      [&](const Values& in) { return region(ir::AttrRole::kBody, in); });
}

Values StepwiseWriter::chosen() {
  const InstructionId given = tuple(some(operands_, 1, operands_.size() - 1));
  const ShapeId shape = w_.module().shape(given);
  const auto branch = [&](ir::AttrRole role) {
    return of_tuple("branch", shape, [&](const Values& in) { return region(role, in); }, true);
  };
  const ComputationId one = branch(ir::AttrRole::kBody), other = branch(ir::AttrRole::kOtherwise);
  if (!why_.empty()) return {};
  const ShapeId result = w_.module().shape(w_.module()[one].root);
  const InstructionId all = w_.add(Opcode::kConditional, result, {operands_[0], given, given},
                                   {{AttributeName::kTrueComputation, {int64_t{one.v}}},
                                    {AttributeName::kFalseComputation, {int64_t{other.v}}}});
  return parts(all, w_.module().shapes[result].count);
}

InstructionId StepwiseWriter::nothing_yet(size_t result) {
  const Primitive type = *primitive_of(op_.out_type(result).dtype);
  return filled(w_, w_.constant(type, 0), op_.out_sizes(result));
}

Values StepwiseWriter::starts(InstructionId array, int64_t axis, InstructionId at) {
  Values out(dims_of(w_.module(), array).size(), whole(w_, kPlaces, 0));
  out[static_cast<size_t>(axis)] = at;
  return out;
}

InstructionId StepwiseWriter::element(InstructionId from, int64_t axis, InstructionId at) {
  Dims dims = dims_of(w_.module(), from);
  int64_t& along = dims[static_cast<size_t>(axis)];
  if (along == 0) {  // of no rounds
    dims.erase(dims.begin() + axis);
    return filled(w_, w_.constant(element_of(w_.module(), from), 0), dims);
  }
  along = 1;
  const InstructionId slice =
      w_.add(Opcode::kDynamicSlice, w_.array(element_of(w_.module(), from), dims),
             joined(Values{from}, starts(from, axis, at)), {{AttributeName::kDynamicSliceSizes, dims}});
  dims.erase(dims.begin() + axis);
  return w_.reshape(slice, dims);
}

InstructionId StepwiseWriter::with_element(InstructionId into, int64_t axis, InstructionId at,
                                           InstructionId element) {
  Dims dims = dims_of(w_.module(), into);
  const ShapeId shape = w_.array(element_of(w_.module(), into), dims);
  int64_t& along = dims[static_cast<size_t>(axis)];
  if (along == 0) return into;  // of no rounds
  along = 1;
  return w_.add(Opcode::kDynamicUpdateSlice, shape,
                joined(Values{into, w_.reshape(element, dims)}, starts(into, axis, at)));
}

/// ONNX's Loop: the round, whether it goes on, how many rounds at most; states, what all rounds read, stacks.
Values StepwiseWriter::looped() {
  const auto states = static_cast<size_t>(op_.i("states"));
  const std::vector<int64_t>& given = op_.ints("given");
  Values begin = {whole(w_, kPlaces, 0), w_.constant(Primitive::kPred, 1),
                  whole(w_, kPlaces, std::numeric_limits<int64_t>::max())};
  for (size_t i = 0; i < given.size(); ++i) begin[given[i] == ir::kLoopTrips ? 2 : 1] = operands_[i];
  const size_t read = operands_.size() - given.size() - states, first = begin.size();
  const Values rest = some(operands_, given.size(), states + read);
  begin.insert(begin.end(), rest.begin(), rest.end());
  const size_t results = op_.ctx.get(op_.output).is_tensor() ? 1 : op_.ctx.get(op_.output).elements.size();
  for (size_t i = states; i < results; ++i) begin.push_back(nothing_yet(i));
  const Values end = loop(
      begin,
      [&](const Values& in) {
        return Values{w_.binary(Opcode::kAnd, in[1], w_.compare(hlo::Direction::kLt, in[0], in[2]))};
      },
      [&](const Values& in) {
        const Values out = region(ir::AttrRole::kBody, joined(Values{in[0], w_.constant(Primitive::kPred, 1)},
                                                              some(in, first, states + read)));
        if (out.empty()) return Values();
        Values stacks;
        for (size_t i = first + states + read; i < in.size(); ++i)
          stacks.push_back(with_element(in[i], 0, in[0], out[1 + states + stacks.size()]));
        const InstructionId next = w_.binary(Opcode::kAdd, in[0], whole(w_, kPlaces, 1));
        return joined(Values{next, out[0], in[2]}, some(out, 1, states), some(in, first + states, read),
                      stacks);
      });
  if (!why_.empty()) return {};
  return joined(some(end, first, states), some(end, first + states + read, results - states));
}

/// ONNX's Scan: the round, states, what is scanned, what all rounds read, stacks.
Values StepwiseWriter::scanned() {
  const auto states = static_cast<size_t>(op_.i("states"));
  const std::vector<int64_t>&axes = op_.ints("axes"), &backwards = op_.ints("backwards");
  const std::vector<int64_t>&out_axes = op_.ints("out_axes"), &out_backwards = op_.ints("out_backwards");
  const int64_t rounds = op_.in_sizes(states)[static_cast<size_t>(axes[0])];
  const size_t given = operands_.size(), read = given - states - axes.size();
  Values begin = joined(Values{whole(w_, kPlaces, 0)}, operands_);
  for (size_t i = 0; i < out_axes.size(); ++i) begin.push_back(nothing_yet(states + i));
  const auto at = [&](InstructionId round, bool from_the_end) {
    return from_the_end ? w_.binary(Opcode::kSubtract, whole(w_, kPlaces, rounds - 1), round) : round;
  };
  const Values end = loop(
      begin,
      [&](const Values& in) {
        return Values{w_.compare(hlo::Direction::kLt, in[0], whole(w_, kPlaces, rounds))};
      },
      [&](const Values& in) {
        Values elements;
        for (size_t i = 0; i < axes.size(); ++i)
          elements.push_back(element(in[1 + states + i], axes[i], at(in[0], backwards[i] != 0)));
        const Values out = region(ir::AttrRole::kBody, joined(some(in, 1, states), elements,
                                                              some(in, 1 + states + axes.size(), read)));
        if (out.empty()) return Values();
        Values stacks;
        for (size_t i = 0; i < out_axes.size(); ++i)
          stacks.push_back(with_element(in[1 + given + i], out_axes[i], at(in[0], out_backwards[i] != 0),
                                        out[states + i]));
        return joined(Values{w_.binary(Opcode::kAdd, in[0], whole(w_, kPlaces, 1))}, some(out, 0, states),
                      some(in, 1 + states, given - states), stacks);
      });
  if (!why_.empty()) return {};
  return joined(some(end, 1, states), some(end, 1 + given, out_axes.size()));
}

InstructionId StepwiseWriter::from_the_start(InstructionId places, size_t first) {
  const InstructionId wide = converted(w_, places, kPlaces);
  const Dims dims = dims_of(w_.module(), places);
  Values sizes;
  for (int64_t n = 0; n < dims.back(); ++n)
    sizes.push_back(w_.reshape(whole(w_, kPlaces, op_.in_sizes(0)[first + static_cast<size_t>(n)]), Dims{1}));
  const InstructionId all = sizes.size() == 1 ? sizes[0] : w_.concatenate(sizes, 0);
  const InstructionId extents = w_.broadcast(all, dims, Dims{static_cast<int64_t>(dims.size()) - 1});
  const InstructionId is_negative =
      w_.compare(hlo::Direction::kLt, wide, filled(w_, whole(w_, kPlaces, 0), dims));
  return w_.select(is_negative, w_.binary(Opcode::kAdd, wide, extents), wide);
}

Values StepwiseWriter::scattered(InstructionId places) {
  const std::string& reduction = op_.s("reduction");
  const Primitive type = element_of(w_.module(), operands_[0]);
  const std::array scalars = {w_.array(type, {}), w_.array(type, {})};
  const ComputationId combiner = computation("update", scalars, [&](const Values& in) {
    return reduction == "none"  ? in[1]
           : reduction == "add" ? w_.binary(Opcode::kAdd, in[0], in[1])
           : reduction == "mul" ? w_.binary(Opcode::kMultiply, in[0], in[1])
           : reduction == "max" ? w_.binary(Opcode::kMaximum, in[0], in[1])
                                : w_.binary(Opcode::kMinimum, in[0], in[1]);
  });
  const Dims of = dims_of(w_.module(), places), dims = dims_of(w_.module(), operands_[0]);
  const auto tuples = static_cast<int64_t>(of.size()) - 1;
  Dims window, placed;
  for (int64_t d = of.back(); d < static_cast<int64_t>(dims.size()); ++d)
    window.push_back(tuples + d - of.back());
  for (int64_t d = 0; d < of.back(); ++d) placed.push_back(d);
  return {w_.add(Opcode::kScatter, w_.array(type, dims), {operands_[0], places, operands_[2]},
                 {{AttributeName::kUpdateWindowDims, window},
                  {AttributeName::kInsertedWindowDims, placed},
                  {AttributeName::kScatterDimsToOperandDims, placed},
                  {AttributeName::kIndexVectorDim, {tuples}},
                  {AttributeName::kToApply, {int64_t{combiner.v}}}})};
}

Values StepwiseWriter::scattered_tuples() {
  if (dims_of(w_.module(), operands_[1]).back() == 0) return refuse("places of no dimensions");
  return scattered(from_the_start(operands_[1], 0));
}

/// Each place is a tuple: along the axis as it is said, else the update's own.
Values StepwiseWriter::scattered_elements() {
  Dims dims = dims_of(w_.module(), operands_[1]);
  dims.push_back(1);
  const auto axis = static_cast<size_t>(op_.i("axis"));
  Values places;
  for (size_t d = 0; d + 1 < dims.size(); ++d)
    places.push_back(d == axis ? from_the_start(w_.reshape(operands_[1], dims), axis)
                               : w_.iota(kPlaces, dims, static_cast<int64_t>(d)));
  return scattered(places.size() == 1 ? places[0]
                                      : w_.concatenate(places, static_cast<int64_t>(dims.size()) - 1));
}

Values StepwiseWriter::by_combiner(Opcode opcode, DimsView result, AttributeValue how) {
  const size_t count = operands_.size() / 2;
  std::vector<ShapeId> scalars, shapes;
  for (size_t i = 0; i < 2 * count; ++i)
    scalars.push_back(w_.array(element_of(w_.module(), operands_[i % count]), {}));
  for (size_t i = 0; i < count; ++i)
    shapes.push_back(w_.array(element_of(w_.module(), operands_[i]), result));
  const ComputationId combiner = computation("combine", scalars, [&](const Values& in) {
    const Values out = region(ir::AttrRole::kCombiner, in);
    return out.empty() ? InstructionId() : count == 1 ? out[0] : tuple(out);
  });
  if (!why_.empty()) return {};
  const ShapeId shape = count == 1 ? shapes[0] : w_.module().shapes.tuple(hlo::ShapeKind::kTuple, shapes);
  const InstructionId all =
      w_.add(opcode, shape, operands_, {std::move(how), {AttributeName::kToApply, {int64_t{combiner.v}}}});
  return count == 1 ? Values{all} : parts(all, count);
}

Values StepwiseWriter::reduced() {
  return by_combiner(Opcode::kReduce, op_.out_sizes(), {AttributeName::kDimensions, op_.ints("axes")});
}

Values StepwiseWriter::reduced_in_windows() {
  const size_t rank = op_.in_sizes(0).size();
  std::vector<hlo::WindowDim> window(rank);
  for (size_t d = 0; d < rank; ++d) {
    window[d] = {.size = op_.ints("kernel")[d],
                 .stride = op_.ints("strides")[d],
                 .low = op_.ints("pads")[d],
                 .high = op_.ints("pads")[rank + d]};
    window[d].window_dilation = op_.ints("dilations")[d];
    window[d].base_dilation = op_.ints("input_dilations")[d];
  }
  return by_combiner(Opcode::kReduceWindow, op_.out_sizes(),
                     {AttributeName::kWindow, hlo::window_numbers(window)});
}

}  // namespace isomer::passes
