// Operators with bodies that a file keeps as it wrote them, and whose meaning is read off these bodies as
// regions: ONNX's If, Loop and Scan, and what a format defines by a graph that a node brings along. They are
// written again word by word, as an opaque operator is; evaluation and proofs go by the regions. XLA's
// conditional and while keep their computations so; that one and the same loop operator carries both a body
// to be run and results to be stacked is ONNX's Loop.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "ir/graph.h"
#include "ir/loop_counts.h"
#include "ir/op_table.h"
#include "ir/ops/composed.h"
#include "ir/ops/declare.h"
#include "ir/ops/families.h"
#include "ir/ops/given.h"
#include "ir/ops/regions.h"
#include "support/errors.h"

namespace isomer::ir::ops {
namespace {

using Handle = Workspace::Handle;
using Handles = std::vector<Handle>;

/// The first attributes are those of `opaque` but for its type, under their numbers.
OpDef kept(const char* name, MeaningKind kind, const char* doc, std::vector<AttrSpec> more) {
  std::vector<AttrSpec> attrs = {{.name = "format", .kind = AttrKind::kString},
                                 {.name = "op", .kind = AttrKind::kString},
                                 {.name = "body", .kind = AttrKind::kString},
                                 {.name = "captures", .kind = AttrKind::kStrings, .optional = true},
                                 region_attr("region", AttrRole::kBody)};
  std::ranges::move(more, std::back_inserter(attrs));
  OpDef def = operation(name, kind, 0, -1, doc, std::move(attrs));
  def.core = Core::kOpaque;
  if (kind == MeaningKind::kProcedural) def.steps = [](const OpInstance&) { return 0.0; };
  return def;
}

std::string check_static(const OpInstance& op) {
  for (size_t i = 0; i < op.inputs.size(); ++i)
    if (!op.type(i).is_static_tensor())
      return fmt::format("operand {}: expected a tensor of known sizes, got {}", i,
                         print(op.ctx, op.inputs[i]));
  return {};
}

/// That the region's inputs from `first` on are the operands from `operand` on, so many.
std::string check_inputs(const OpInstance& op, const Graph& region, size_t first, size_t operand,
                         size_t count) {
  for (size_t i = 0; i < count; ++i)
    if (region.type_id(region.inputs().at(first + i)) != op.inputs[operand + i])
      return fmt::format("operand {}: expected {}, got {}", operand + i,
                         print(op.ctx, region.type_id(region.inputs()[first + i])),
                         print(op.ctx, op.inputs[operand + i]));
  return {};
}

/// That the region's outputs from `output` on have the types of its inputs from `input` on, so many.
std::string check_states(const OpInstance& op, const Graph& region, size_t input, size_t output,
                         size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const TypeId before = region.type_id(region.inputs().at(input + i));
    const TypeId after = region.type_id(region.outputs().at(output + i));
    if (before != after)
      return fmt::format("state {}: expected {} after a round, got {}", i, print(op.ctx, before),
                         print(op.ctx, after));
  }
  return {};
}

// --- if

Inferred if_type(const OpInstance& op) {
  if (auto bad = check_static(op); !bad.empty()) return Inferred::fail(bad);
  if (op.inputs.empty() || op.in_dtype(0) != DType::kBool || op.type(0).shape != Shape{})
    return Inferred::fail("expected a condition, a bool[]");
  const Graph &then = region(op, AttrRole::kBody), &otherwise = region(op, AttrRole::kOtherwise);
  for (const Graph* branch : {&then, &otherwise}) {
    if (branch->inputs().size() + 1 != op.inputs.size())
      return Inferred::fail(
          fmt::format("a branch takes {} operands, not {}", branch->inputs().size(), op.inputs.size() - 1));
    if (auto bad = check_inputs(op, *branch, 0, 1, branch->inputs().size()); !bad.empty())
      return Inferred::fail(bad);
  }
  std::vector<TypeId> types = types_of(then, then.outputs());
  if (types != types_of(otherwise, otherwise.outputs()))
    return Inferred::fail("expected branches that give tensors of the same types");
  return several(op, std::move(types));
}

Handles choose(Workspace& work, const OpInstance& op, std::span<const Handle> in) {
  return work.apply(op.region(work.integer(in[0], 0) != 0 ? AttrRole::kBody : AttrRole::kOtherwise),
                    in.subspan(1));
}

// --- loops: elements of what they scan, and what their rounds leave

/// Element `at` along `axis`.
Handle element(Workspace& work, const OpInstance& op, size_t operand, Handle from, int64_t axis, int64_t at) {
  const std::vector<int64_t> sizes = op.in_sizes(operand);
  Shape shape;
  int64_t before = 1, after = 1;
  for (size_t d = 0; d < sizes.size(); ++d) {
    const auto dim = static_cast<int64_t>(d);
    if (dim < axis) before *= sizes[d];
    if (dim > axis) after *= sizes[d];
    if (dim != axis) shape.emplace_back(sizes[d]);
  }
  const int64_t count = sizes[static_cast<size_t>(axis)];
  std::vector<int64_t> places;
  for (int64_t b = 0; b < before; ++b)
    for (int64_t a = 0; a < after; ++a) places.push_back((b * count + at) * after + a);
  return work.picked(from, places, op.ctx.tensor_type(op.in_dtype(operand), std::move(shape)));
}

Shape stacked_shape(const Shape& each, int64_t count, int64_t axis) {
  Shape shape = each;
  shape.insert(shape.begin() + axis, Dim(count));
  return shape;
}

/// Tensors of `type` along a new axis.
Handle stacked(Workspace& work, Context& ctx, const Handles& parts, TypeId type, int64_t axis) {
  Builder b(ctx);
  Compose c(b);
  std::vector<ValueId> values;
  for (size_t i = 0; i < parts.size(); ++i) values.push_back(c.unsqueeze(b.input("", type), {axis}));
  const Type& each = ctx.get(type);
  const ValueId all =
      parts.empty() ? filled(b, each.dtype, 0, stacked_shape(each.shape, 0, axis)) : c.concat(values, axis);
  return work.apply(ctx.add(std::make_shared<const Graph>(b.finish({all}))), parts)[0];
}

/// What each round leaves of the outputs from `first` on, stacked behind the states.
Handles results(Workspace& work, const OpInstance& op, Handles states, std::vector<Handles> rounds,
                const Graph& body, size_t first, const std::vector<int64_t>& axes) {
  for (size_t i = 0; i < rounds.size(); ++i)
    states.push_back(stacked(work, op.ctx, rounds[i], body.type_id(body.outputs()[first + i]),
                             axes.empty() ? 0 : axes[i]));
  return states;
}

void keep(Workspace& work, std::span<const Handle> in, const Handles& states,
          const std::vector<Handles>& rounds) {
  Handles all(in.begin(), in.end());
  all.insert(all.end(), states.begin(), states.end());
  for (const Handles& parts : rounds) all.insert(all.end(), parts.begin(), parts.end());
  work.keep_only(all);
}

// --- loop

std::string check_counts(const OpInstance& op) {
  const std::vector<int64_t>& given = op.ints("given");
  const bool known =
      std::ranges::all_of(given, [](int64_t g) { return g == kLoopTrips || g == kLoopGoesOn; });
  if (!known || given.size() > 2 || (given.size() == 2 && given[0] >= given[1]))
    return "expected `given` to say which of the number of rounds and the first condition there are";
  return op.i("states") < 0 ? "expected a number of states" : "";
}

Inferred loop_type(const OpInstance& op) {
  if (auto bad = check_static(op); !bad.empty()) return Inferred::fail(bad);
  if (auto bad = check_counts(op); !bad.empty()) return Inferred::fail(bad);
  const Graph& body = region(op, AttrRole::kBody);
  const size_t given = op.ints("given").size();
  const auto states = static_cast<size_t>(op.i("states"));
  if (op.inputs.size() < given + states || body.inputs().size() != op.inputs.size() - given + 2)
    return Inferred::fail(fmt::format("the body takes {} operands, not {}", body.inputs().size(),
                                      op.inputs.size() - given + 2));
  if (body.outputs().size() < states + 1)
    return Inferred::fail("expected a body with a condition and states");
  for (size_t i = 0; i < given; ++i)
    if (op.type(i).shape != Shape{} ||
        op.in_dtype(i) != (op.ints("given")[i] == kLoopTrips ? DType::kI64 : DType::kBool))
      return Inferred::fail("expected a number of rounds, an i64[], and a condition, a bool[]");
  if (body.type_id(body.outputs()[0]) != op.ctx.tensor_type(DType::kBool, {}))
    return Inferred::fail("expected a body whose first output is a bool[]");
  if (auto bad = check_inputs(op, body, 2, given, op.inputs.size() - given); !bad.empty())
    return Inferred::fail(bad);
  if (auto bad = check_states(op, body, 2, 1, states); !bad.empty()) return Inferred::fail(bad);
  std::vector<TypeId> types = types_of(body, body.outputs());
  types.erase(types.begin());
  for (size_t i = states; i < types.size(); ++i) {
    if (op.i("trips") < 0) return Inferred::fail("how many rounds are stacked is not known");
    const Type& each = op.ctx.get(types[i]);
    if (!each.is_static_tensor()) return Inferred::fail("expected results of known sizes");
    types[i] = op.ctx.tensor_type(each.dtype, stacked_shape(each.shape, op.i("trips"), 0));
  }
  return several(op, std::move(types));
}

Handles loop(Workspace& work, const OpInstance& op, std::span<const Handle> in) {
  const Graph& body = region(op, AttrRole::kBody);
  const auto states = static_cast<size_t>(op.i("states"));
  const size_t given = op.ints("given").size();
  const int64_t most =
      operand_of(op, kLoopTrips) >= 0 ? work.integer(in[0], 0) : std::numeric_limits<int64_t>::max();
  bool goes_on = operand_of(op, kLoopGoesOn) < 0 || work.integer(in[given - 1], 0) != 0;
  const Handles captures(in.begin() + static_cast<std::ptrdiff_t>(given + states), in.end());
  Handles state(in.begin() + static_cast<std::ptrdiff_t>(given),
                in.end() - static_cast<std::ptrdiff_t>(captures.size()));
  std::vector<Handles> rounds(body.outputs().size() - 1 - states);
  int64_t round = 0;
  for (; goes_on && round < most; ++round) {
    if (round == kMostRounds) throw InputError(fmt::format("loop: more than {} rounds", kMostRounds));
    work.check_time();
    Handles operands = {work.integers({round}, op.ctx.tensor_type(DType::kI64, {})),
                        work.integers({1}, op.ctx.tensor_type(DType::kBool, {}))};
    operands.insert(operands.end(), state.begin(), state.end());
    operands.insert(operands.end(), captures.begin(), captures.end());
    const Handles out = work.apply(op.region(AttrRole::kBody), operands);
    goes_on = work.integer(out[0], 0) != 0;
    state.assign(out.begin() + 1, out.begin() + 1 + static_cast<std::ptrdiff_t>(states));
    for (size_t i = 0; i < rounds.size(); ++i) rounds[i].push_back(out[1 + states + i]);
    keep(work, in, state, rounds);
  }
  if (!rounds.empty() && round != op.i("trips"))
    throw InputError(fmt::format("loop: {} rounds, but its type says {}", round, op.i("trips")));
  return results(work, op, std::move(state), std::move(rounds), body, 1 + states, {});
}

// --- scan

struct Scanned {
  size_t states, operands;  ///< states first
  int64_t rounds;
};

Scanned scanned(const OpInstance& op) {
  const auto states = static_cast<size_t>(op.i("states"));
  const std::vector<int64_t>& axes = op.ints("axes");
  return {states, axes.size(), op.in_sizes(states)[static_cast<size_t>(axes[0])]};
}

std::string check_scanned(const OpInstance& op, const Graph& body) {
  const std::vector<int64_t>& axes = op.ints("axes");
  const auto states = static_cast<size_t>(op.i("states"));
  if (op.i("states") < 0 || axes.empty() || op.ints("backwards").size() != axes.size() ||
      op.inputs.size() < states + axes.size())
    return "expected an axis and a direction for each operand that is scanned, at least one";
  if (body.inputs().size() != op.inputs.size() || body.outputs().size() < states)
    return fmt::format("the body takes {} operands, not {}", body.inputs().size(), op.inputs.size());
  for (size_t i = 0; i < axes.size(); ++i) {
    const size_t operand = states + i;
    Shape shape = op.in_shape(operand);
    if (auto bad = check_axis(axes[i], shape.size()); !bad.empty()) return bad;
    const Dim along = shape[static_cast<size_t>(axes[i])];
    if (along != op.in_shape(states)[static_cast<size_t>(axes[0])])
      return fmt::format("operand {}: expected as many elements as operand {} has", operand, states);
    shape.erase(shape.begin() + axes[i]);
    if (body.type_id(body.inputs()[operand]) != op.ctx.tensor_type(op.in_dtype(operand), shape))
      return fmt::format("operand {}: expected elements of type {}", operand,
                         print(op.ctx, body.type_id(body.inputs()[operand])));
  }
  return {};
}

Inferred scan_type(const OpInstance& op) {
  if (auto bad = check_static(op); !bad.empty()) return Inferred::fail(bad);
  const Graph& body = region(op, AttrRole::kBody);
  if (auto bad = check_scanned(op, body); !bad.empty()) return Inferred::fail(bad);
  const auto [states, operands, rounds] = scanned(op);
  const size_t captures = op.inputs.size() - states - operands;
  for (const std::string& bad : {check_inputs(op, body, 0, 0, states), check_states(op, body, 0, 0, states),
                                 check_inputs(op, body, states + operands, states + operands, captures)})
    if (!bad.empty()) return Inferred::fail(bad);
  std::vector<TypeId> types = types_of(body, body.outputs());
  const size_t stacks = types.size() - states;
  if (op.ints("out_axes").size() != stacks || op.ints("out_backwards").size() != stacks)
    return Inferred::fail("expected an axis and a direction for each result that is stacked");
  for (size_t i = 0; i < stacks; ++i) {
    const Type& each = op.ctx.get(types[states + i]);
    if (!each.is_static_tensor()) return Inferred::fail("expected results of known sizes");
    const int64_t axis = op.ints("out_axes")[i];
    if (auto bad = check_axis(axis, each.shape.size() + 1); !bad.empty()) return Inferred::fail(bad);
    types[states + i] = op.ctx.tensor_type(each.dtype, stacked_shape(each.shape, rounds, axis));
  }
  return several(op, std::move(types));
}

Handles scan(Workspace& work, const OpInstance& op, std::span<const Handle> in) {
  const Graph& body = region(op, AttrRole::kBody);
  const auto [states, scans, rounds] = scanned(op);
  Handles state(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(states));
  std::vector<Handles> left(body.outputs().size() - states);
  for (int64_t round = 0; round < rounds; ++round) {
    work.check_time();
    Handles operands = state;
    for (size_t i = 0; i < scans; ++i) {
      const int64_t at = op.ints("backwards")[i] != 0 ? rounds - 1 - round : round;
      operands.push_back(element(work, op, states + i, in[states + i], op.ints("axes")[i], at));
    }
    operands.insert(operands.end(), in.begin() + static_cast<std::ptrdiff_t>(states + scans), in.end());
    const Handles out = work.apply(op.region(AttrRole::kBody), operands);
    state.assign(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(states));
    for (size_t i = 0; i < left.size(); ++i) left[i].push_back(out[states + i]);
    keep(work, in, state, left);
  }
  for (size_t i = 0; i < left.size(); ++i)
    if (op.ints("out_backwards")[i] != 0) std::ranges::reverse(left[i]);
  return results(work, op, std::move(state), std::move(left), body, states, op.ints("out_axes"));
}

}  // namespace

void register_kept(OpTable& table) {
  OpDef branches =
      kept("if", MeaningKind::kProcedural,
           "What `region` gives where the first operand, a bool[], is true, else what `otherwise` "
           "gives; both take the further operands.",
           {region_attr("otherwise", AttrRole::kOtherwise)});
  branches.infer = if_type;
  branches.procedure = choose;
  table.add(std::move(branches));

  OpDef conditional =
      operation("conditional", MeaningKind::kProcedural, 1, -1,
                "As `if`, of a program that no file keeps: what `region` gives where the first operand, a "
                "bool[], is true, else what `otherwise` gives; both take the further operands.",
                {region_attr("region", AttrRole::kBody), region_attr("otherwise", AttrRole::kOtherwise)});
  conditional.infer = if_type;
  conditional.procedure = choose;
  conditional.steps = [](const OpInstance&) { return 0.0; };
  table.add(std::move(conditional));

  OpDef loops =
      kept("loop", MeaningKind::kProcedural,
           "ONNX's Loop: `region` takes the number of the round, true, `states` and what the last "
           "operands are, and gives whether it goes on, the next states, and what is stacked along a "
           "new first axis of `trips` (-1: not known; nothing is stacked). `given`: which of the number "
           "of rounds (0) and the first condition (1) are the first operands.",
           {ints_attr("given"), int_attr("states"), int_attr("trips", -1)});
  loops.infer = loop_type;
  loops.procedure = loop;
  table.add(std::move(loops));

  OpDef scans =
      kept("scan", MeaningKind::kProcedural,
           "ONNX's Scan: `region` takes `states`, an element of each scanned operand along its of `axes` "
           "(from the end where `backwards` is not 0) and the last operands, and gives the next states "
           "and what is stacked along `out_axes` (from the end where `out_backwards` is not 0).",
           {int_attr("states"), ints_attr("axes"), ints_attr("backwards"), ints_attr("out_axes"),
            ints_attr("out_backwards")});
  scans.infer = scan_type;
  scans.procedure = scan;
  table.add(std::move(scans));

  OpDef defined =
      kept("defined", MeaningKind::kComposite,
           "An operator that the graph `region` defines, of its operands to its results (a tuple of "
           "several), and that is written as its format has it.",
           {});
  const OpDef& call = table.get(table.at("call"));
  defined.infer = call.infer;
  defined.expand = call.expand;
  table.add(std::move(defined));
}

}  // namespace isomer::ir::ops
