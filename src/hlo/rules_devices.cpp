// How many devices take part is known where groups are given; where they are not, sizes are held to be
// multiples.
#include <algorithm>

#include "hlo/rules.h"

namespace isomer::hlo::rules {
namespace {

/// One shape for each operand: of a single operand the shape itself.
std::vector<ShapeId> parts_for_operands(const Checked& c, ShapeId shape, std::string_view what) {
  c.require_operands(1, SIZE_MAX);
  if (c.operands() == 1 && c.of(shape).kind != ShapeKind::kTuple) return {shape};
  if (c.operands() == 1 && c.of(c.operand(0)).kind == ShapeKind::kTuple) return {shape};
  c.require_tuple(shape, c.operands(), what);
  std::vector<ShapeId> out;
  for (size_t i = 0; i < c.operands(); ++i) out.push_back(c.module.shapes.part(shape, i));
  return out;
}

/// Devices of a group; 0 where the text does not say.
int64_t group_size(const Checked& c) {
  const auto groups = c.list(AttributeName::kReplicaGroups);
  if (groups.size() < 2) return 0;
  if (groups[0] == 0) return groups[1];
  return groups[1] == 2 ? groups[3] : 0;
}

/// `large` is `small` but in dimension d, where it is a multiple.
void require_multiple(const Checked& c, ShapeId large, ShapeId small, std::string_view what) {
  const Array a = c.array_of(large, what), b = c.array_of(small, what);
  const size_t d = c.dimension(AttributeName::kDimensions, b.rank());
  bool fits = a.element == b.element && a.rank() == b.rank();
  for (size_t i = 0; fits && i < a.rank(); ++i)
    fits = i == d ? (b.dims[i] == 0 ? a.dims[i] == 0 : a.dims[i] % b.dims[i] == 0) : a.dims[i] == b.dims[i];
  const int64_t group = group_size(c);
  if (fits && group > 0) fits = a.dims[d] == b.dims[d] * group;
  c.require(fits, "expected {} and {} of {} to differ by {} in dimension {}", c.print(large), c.print(small),
            c.name(), group > 0 ? fmt::format("the factor {}", group) : "a whole factor", d);
}

void gathered(const Checked& c, ShapeId result) {
  const auto parts = parts_for_operands(c, result, "result");
  for (size_t i = 0; i < parts.size(); ++i) require_multiple(c, parts[i], c.operand(i), "result");
}

void require_combiner(const Checked& c) {
  const ComputationId called = c.computation(AttributeName::kToApply);
  const auto parameters = c.module.parameters_of(called);
  c.require(parameters.size() == 2, "expected 2 parameters of what {} calls, found {}", c.name(),
            parameters.size());
}

/// The first parts of a tuple are the operands (one: the operand, several: a tuple), the second the results.
std::pair<ShapeId, ShapeId> started(const Checked& c) {
  const Shape& s = c.of(c.result());
  c.require(s.kind == ShapeKind::kTuple && s.count >= 2,
            "expected a tuple of operands and results as result of {}, found {}", c.name(),
            c.print(c.result()));
  return {c.module.shapes.part(c.result(), 0), c.module.shapes.part(c.result(), 1)};
}

void require_operands_in(const Checked& c, ShapeId shape) {
  const auto parts = parts_for_operands(c, shape, "operands in the result");
  for (size_t i = 0; i < parts.size(); ++i)
    c.require_shape(parts[i], c.operand(i), fmt::format("operand {} in the result", i));
}

void require_transfer(const Checked& c, ShapeId shape, std::string_view what) {
  c.require_tuple(shape, 3, what);
  c.require_array(c.module.shapes.part(shape, 1), Primitive::kU32, {}, fmt::format("part 1 of the {}", what));
  c.require_token(c.module.shapes.part(shape, 2), fmt::format("part 2 of the {}", what));
}

}  // namespace

void all_gather(const Checked& c) { gathered(c, c.result()); }

void all_gather_start(const Checked& c) {
  const auto [operands, results] = started(c);
  require_operands_in(c, operands);
  gathered(c, results);
}

void all_reduce(const Checked& c) {
  require_combiner(c);
  as_operands(c);
}

void as_operands(const Checked& c) {
  const auto parts = parts_for_operands(c, c.result(), "result");
  for (size_t i = 0; i < parts.size(); ++i)
    c.require_shape(parts[i], c.operand(i),
                    parts.size() == 1 ? "result" : fmt::format("part {} of the result", i));
}

void reduce_scatter(const Checked& c) {
  require_combiner(c);
  const auto parts = parts_for_operands(c, c.result(), "result");
  for (size_t i = 0; i < parts.size(); ++i) require_multiple(c, c.operand(i), parts[i], "result");
}

void all_to_all(const Checked& c) {
  if (!c.has(AttributeName::kDimensions)) return as_operands(c);
  c.require_operands(1, 1);
  c.dimension(AttributeName::kDimensions, c.array(0).rank());
  c.require_result(c.operand(0));
}

void ragged_all_to_all(const Checked& c) {
  c.require_operands(6, 6);
  c.require_result(c.operand(1));
}

void collective_permute(const Checked& c) {
  // In place: source, target, and where in each.
  if (c.operands() == 4) return c.require_result(c.operand(1));
  as_operands(c);
}

void collective_permute_start(const Checked& c) {
  const auto [operands, results] = started(c);
  if (c.operands() == 4) return;
  require_operands_in(c, operands);
  require_operands_in(c, results);
}

void second_of_operand(const Checked& c) {
  const ShapeId operand = c.operand(0);
  c.require(c.of(operand).kind == ShapeKind::kTuple && c.of(operand).count >= 2,
            "expected a tuple of two parts or more as operand 0 of {}, found {}", c.name(), c.print(operand));
  c.require_result(c.module.shapes.part(operand, 1));
}

void async_start(const Checked& c) {
  const auto [operands, results] = started(c);
  c.require_tuple(operands, c.operands(), "operands in the result");
  std::vector<ShapeId> shapes;
  for (size_t i = 0; i < c.operands(); ++i) {
    shapes.push_back(c.operand(i));
    c.require_shape(c.module.shapes.part(operands, i), c.operand(i),
                    fmt::format("operand {} in the result", i));
  }
  if (c.module[c.id].wrapped != Opcode::kAsyncStart) return;
  c.require(c.has(AttributeName::kCalls), "expected calls of async-start, found none");
  const ComputationId called = c.computation(AttributeName::kCalls);
  c.require_parameters(called, shapes);
  c.require_shape(results, c.module.result_shape(called), "results in the result");
}

void copy_start(const Checked& c) {
  c.require_tuple(c.result(), 3, "result");
  for (size_t i = 0; i < 2; ++i) c.require_part(i, c.operand(0));
}

void copy_done(const Checked& c) {
  c.require_tuple(c.operand(0), 3, "operand 0");
  c.require_result(c.module.shapes.part(c.operand(0), 0));
}

void device_number(const Checked& c) { c.require_result(Primitive::kU32, {}); }

void infeed(const Checked& c) {
  c.require_token(c.operand(0), "operand 0");
  c.require_tuple(c.result(), 2, "result");
  c.require_token(c.module.shapes.part(c.result(), 1), "part 1 of the result");
}

void outfeed(const Checked& c) {
  c.require_token(c.operand(1), "operand 1");
  c.require_token(c.result(), "result");
  if (c.has(AttributeName::kOutfeedShape))
    c.require_shape(ShapeId(static_cast<uint32_t>(c.number(AttributeName::kOutfeedShape))), c.operand(0),
                    "outfeed_shape");
}

void send(const Checked& c) {
  c.require_token(c.operand(1), "operand 1");
  require_transfer(c, c.result(), "result");
  c.require_part(0, c.operand(0));
}

void send_done(const Checked& c) {
  require_transfer(c, c.operand(0), "operand");
  c.require_token(c.result(), "result");
}

void recv(const Checked& c) {
  c.require_token(c.operand(0), "operand 0");
  require_transfer(c, c.result(), "result");
}

void recv_done(const Checked& c) {
  require_transfer(c, c.operand(0), "operand");
  c.require_tuple(c.result(), 2, "result");
  c.require_part(0, c.module.shapes.part(c.operand(0), 0));
  c.require_token(c.module.shapes.part(c.result(), 1), "part 1 of the result");
}

}  // namespace isomer::hlo::rules
