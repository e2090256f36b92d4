// Scans: sums and products so far. And what changes no element: a value once others have been computed, or in
// another layout.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "ir/graph.h"
#include "ir/layout.h"
#include "ir/op_table.h"
#include "ir/ops/axes.h"
#include "ir/ops/declare.h"
#include "ir/ops/families.h"

namespace isomer::ir::ops {
namespace {

Inferred cumsum_type(const OpInstance& op) {
  if (auto bad = check_operand(op, 0, Takes::kNumbers); !bad.empty()) return Inferred::fail(bad);
  if (auto bad = check_axis(op.i("axis"), op.in_shape(0).size()); !bad.empty()) return Inferred::fail(bad);
  for (const char* flag : {"exclusive", "reverse"})
    if (op.i(flag) != 0 && op.i(flag) != 1)
      return Inferred::fail(fmt::format("expected {} 0 or 1, got {}", flag, op.i(flag)));
  return Inferred::ok(op.inputs[0]);
}

/// Step r adds element r, counted from the side that the scan begins at, as far as the output's place.
std::vector<LoopNest> cumulated(const OpInstance& op, Combiner combine) {
  const auto axis = static_cast<size_t>(op.i("axis"));
  const Size extent = op.in_extents(0)[axis];
  const int64_t exclusive = op.i("exclusive");
  const bool mirrored = op.i("reverse") != 0;
  const AxisRole scanned = {
      1, true, {extent}, [=](const Axis& a, std::vector<Read>& reads) {
        reads[0].index.push_back(mirrored ? IndexExpr(extent - 1) - a.step + exclusive : a.step - exclusive);
      }};
  const size_t after = op.in_shape(0).size() - axis - 1;
  LoopNest nest = nest_of(op, std::array{kept(axis, {0}), scanned, kept(after, {0})});
  nest.scan = {static_cast<int>(axis), mirrored};
  if (exclusive != 0) guard(nest.reads[0], combine == Combiner::kProduct ? 1 : 0);
  nest.accumulators = {{scalar::read(0), combine}};
  nest.result = scalar::acc(0);
  return {std::move(nest)};
}

Inferred after_type(const OpInstance& op) {
  if (auto bad = check_operand(op, 0, Takes::kAny); !bad.empty()) return Inferred::fail(bad);
  return Inferred::ok(op.inputs[0]);
}

Inferred copy_type(const OpInstance& op) {
  if (auto bad = check_operand(op, 0, Takes::kAny); !bad.empty()) return Inferred::fail(bad);
  const std::vector<int64_t>& layout = op.ints("layout");
  std::vector<int64_t> sorted = layout;
  std::ranges::sort(sorted);
  for (size_t i = 0; i < sorted.size(); ++i)
    if (sorted[i] != static_cast<int64_t>(i) || sorted.size() != op.in_shape(0).size())
      return Inferred::fail(fmt::format("expected a layout of {} dimensions, got [{}]", op.in_shape(0).size(),
                                        fmt::join(layout, ",")));
  Type type = op.type(0);
  type.layout = unless_row_major({layout.begin(), layout.end()});
  return Inferred::ok(op.ctx.intern(type));
}

std::vector<LoopNest> same_elements(const OpInstance& op) {
  return {movement(op.out_extents(), read_all(0, op.in_shape(0).size()))};
}

}  // namespace

void register_scan(OpTable& table) {
  OpDef cumsum = operation("cumsum", MeaningKind::kContraction, 1, {},
                           "Sums of the elements along `axis` up to each place: without that place's own if "
                           "exclusive, from the other end if reverse.",
                           {axis_attr(), int_attr("exclusive", 0), int_attr("reverse", 0)});
  cumsum.infer = cumsum_type;
  cumsum.nests = [](const OpInstance& op) { return cumulated(op, Combiner::kSum); };
  cumsum.spellings = {
      said(typed(onnx("CumSum", 11),
                 {{11, (kOnnxFloats & ~dtype_set(DType::kF16)) | kOnnxWide}, {14, kOnnxBFloats | kOnnxWide}}),
           {{.ours = "axis", .input = 1, .scalar = true}})};
  table.add(std::move(cumsum));

  OpDef cumprod =
      operation("cumprod", MeaningKind::kContraction, 1, {},
                "Products of the elements along `axis` up to each place: without that place's own "
                "if exclusive, from the other end if reverse.",
                {axis_attr(), int_attr("exclusive", 0), int_attr("reverse", 0)});
  cumprod.infer = cumsum_type;
  cumprod.nests = [](const OpInstance& op) { return cumulated(op, Combiner::kProduct); };
  cumprod.spellings = {said(typed(onnx("CumProd", 26), {{26, kOnnxBFloats | kOnnxWide}}),
                            {{.ours = "axis", .input = 1, .scalar = true}})};
  table.add(std::move(cumprod));

  OpDef after = operation("after", MeaningKind::kMovement, 1, -1,
                          "x, once the other operands have been computed: an order that no data give.");
  after.infer = after_type;
  after.nests = same_elements;
  after.moves = Moves::kReshapes;
  table.add(std::move(after));

  OpDef copy =
      operation("copy", MeaningKind::kMovement, 1, {},
                "x, in memory as `layout` says: its dimensions from the one whose neighbours lie side "
                "by side to the outermost. Empty: row-major.",
                {ints_attr("layout")});
  copy.infer = copy_type;
  copy.nests = same_elements;
  copy.moves = Moves::kReshapes;
  table.add(std::move(copy));
}

}  // namespace isomer::ir::ops
