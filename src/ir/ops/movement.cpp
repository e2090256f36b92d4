// Movement that keeps every element or repeats it: shapes change, values do not.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ir/graph.h"
#include "ir/op_table.h"
#include "ir/ops/axes.h"
#include "ir/ops/declare.h"
#include "ir/ops/dims.h"
#include "ir/ops/families.h"

namespace isomer::ir::ops {
namespace {

OpDef broadcast() {
  OpDef def = operation(
      "broadcast", MeaningKind::kMovement, 1, {},
      "x repeated to `shape` by numpy's rule: dimensions aligned at the right, sizes of 1 are repeated.",
      {shape_attr("shape")});
  def.infer = [](const OpInstance& op) {
    if (auto bad = check_operand(op, 0, Takes::kAny); !bad.empty()) return Inferred::fail(bad);
    const Shape &in = op.in_shape(0), &out = op.shape("shape");
    const auto mismatch = [&] {
      return Inferred::fail(fmt::format("expected a shape that broadcasts to {}, got {}",
                                        print_shape(op.ctx, out), print_shape(op.ctx, in)));
    };
    if (in.size() > out.size()) return mismatch();
    const size_t shift = out.size() - in.size();
    for (size_t i = 0; i < out.size(); ++i) {
      if (out[i].is_unknown()) return mismatch();
      if (i >= shift && !in[i - shift].same(out[i]) && in[i - shift] != Dim(1)) return mismatch();
    }
    return tensor_like(op, out);
  };
  def.nests = [](const OpInstance& op) {
    const std::vector<Size> in = op.in_extents(0), out = op.out_extents();
    const size_t shift = out.size() - in.size();
    std::vector<IndexExpr> index;
    for (size_t i = 0; i < in.size(); ++i)
      index.push_back(in[i] == out[i + shift] ? IndexExpr::var(static_cast<int>(i + shift)) : IndexExpr(0));
    return std::vector<LoopNest>{movement(out, read_at(0, std::move(index)))};
  };
  def.spellings = {typed(onnx_irregular("Expand", 8), all_bfloat_since_13())};
  def.levels = kAllLevels;
  def.core = Core::kBroadcast;
  def.moves = Moves::kSelects;
  def.range = RangeKind::kMove;
  return def;
}

std::vector<LoopNest> linear_nest(const OpInstance& op) {
  const std::vector<Size> in = op.in_extents(0), out = op.out_extents();
  const IndexExpr linear = linearize(index_vars(0, static_cast<int>(out.size())), out);
  return {movement(out, read_at(0, delinearize(linear, in)))};
}

OpDef reshape() {
  OpDef def = operation(
      "reshape", MeaningKind::kMovement, 1, {},
      "The same elements in row-major order under another `shape`, as many at every size of what is named.",
      {shape_attr("shape")});
  def.infer = [](const OpInstance& op) {
    if (auto bad = check_operand(op, 0, Takes::kAny); !bad.empty()) return Inferred::fail(bad);
    const Shape& out = op.shape("shape");
    const std::optional<Size> before = count_of(op.ctx, op.in_shape(0)), after = count_of(op.ctx, out);
    if (!before || !after || !before->identical(*after))
      return Inferred::fail(fmt::format("expected a shape with as many elements as {}, got {}",
                                        print_shape(op.ctx, op.in_shape(0)), print_shape(op.ctx, out)));
    return tensor_like(op, out);
  };
  def.nests = linear_nest;
  def.spellings = {strict(typed(onnx_irregular("Reshape", 5), all_narrow_since_21()))};
  def.moves = Moves::kReshapes;
  return def;
}

OpDef squeeze() {
  OpDef def =
      operation("squeeze", MeaningKind::kMovement, 1, {}, "x without its dimensions `axes`, which are 1.",
                {ints_attr("axes", AttrRole::kAxes)});
  def.infer = [](const OpInstance& op) {
    if (auto bad = check_operand(op, 0, Takes::kAny); !bad.empty()) return Inferred::fail(bad);
    const Shape& in = op.in_shape(0);
    const std::vector<int64_t>& axes = op.ints("axes");
    if (auto bad = check_axes(axes, in.size()); !bad.empty()) return Inferred::fail(bad);
    Shape out;
    for (size_t i = 0; i < in.size(); ++i) {
      if (!is_among(axes, i))
        out.push_back(in[i]);
      else if (in[i] != Dim(1))
        return Inferred::fail(fmt::format("expected 1 in dimension {}, got {}", i, print_shape(op.ctx, in)));
    }
    return tensor_like(op, std::move(out));
  };
  def.nests = [](const OpInstance& op) {
    std::vector<IndexExpr> index;
    int at = 0;
    for (size_t i = 0; i < op.in_shape(0).size(); ++i)
      index.push_back(is_among(op.ints("axes"), i) ? IndexExpr(0) : IndexExpr::var(at++));
    return std::vector<LoopNest>{movement(op.out_extents(), read_at(0, std::move(index)))};
  };
  def.spellings = {said(typed(onnx("Squeeze", 1), all_narrow_since_21()),
                        {{.ours = "axes", .rule = Unsaid::kUnits, .input = 1, .input_since = 13}})};
  def.moves = Moves::kReshapes;
  return def;
}

OpDef unsqueeze() {
  OpDef def = operation("unsqueeze", MeaningKind::kMovement, 1, {},
                        "x with dimensions of 1 put in, at `axes` of the result.",
                        {ints_attr("axes", AttrRole::kNewAxes)});
  def.infer = [](const OpInstance& op) {
    if (auto bad = check_operand(op, 0, Takes::kAny); !bad.empty()) return Inferred::fail(bad);
    const Shape& in = op.in_shape(0);
    const std::vector<int64_t>& axes = op.ints("axes");
    const size_t rank = in.size() + axes.size();
    if (auto bad = check_axes(axes, rank); !bad.empty()) return Inferred::fail(bad);
    Shape out;
    auto next = in.begin();
    for (size_t i = 0; i < rank; ++i) out.push_back(is_among(axes, i) ? Dim(1) : *next++);
    return tensor_like(op, std::move(out));
  };
  def.nests = [](const OpInstance& op) {
    const std::vector<Size> out = op.out_extents();
    std::vector<IndexExpr> index;
    for (size_t i = 0; i < out.size(); ++i)
      if (!is_among(op.ints("axes"), i)) index.push_back(IndexExpr::var(static_cast<int>(i)));
    return std::vector<LoopNest>{movement(out, read_at(0, std::move(index)))};
  };
  def.spellings = {said(typed(onnx("Unsqueeze", 1), all_narrow_since_21()),
                        {{.ours = "axes", .input = 1, .input_since = 13}})};
  def.moves = Moves::kReshapes;
  return def;
}

OpDef transpose() {
  OpDef def = operation("transpose", MeaningKind::kMovement, 1, {},
                        "Dimension i of the result is dimension perm[i] of x.",
                        {ints_attr("perm", AttrRole::kPermutation)});
  def.infer = [](const OpInstance& op) {
    if (auto bad = check_operand(op, 0, Takes::kAny); !bad.empty()) return Inferred::fail(bad);
    const Shape& in = op.in_shape(0);
    const std::vector<int64_t>& perm = op.ints("perm");
    std::vector<bool> seen(in.size());
    Shape out;
    for (int64_t axis : perm) {
      const bool good =
          axis >= 0 && axis < static_cast<int64_t>(in.size()) && !seen[static_cast<size_t>(axis)];
      if (!good || perm.size() != in.size())
        return Inferred::fail(fmt::format("expected a permutation of {} dimensions, got [{}]", in.size(),
                                          fmt::join(perm, ",")));
      seen[static_cast<size_t>(axis)] = true;
      out.push_back(in[static_cast<size_t>(axis)]);
    }
    if (perm.size() != in.size())
      return Inferred::fail(fmt::format("expected a permutation of {} dimensions, got []", in.size()));
    return tensor_like(op, std::move(out));
  };
  def.nests = [](const OpInstance& op) {
    const std::vector<int64_t>& perm = op.ints("perm");
    std::vector<IndexExpr> index(perm.size());
    for (size_t i = 0; i < perm.size(); ++i)
      index[static_cast<size_t>(perm[i])] = IndexExpr::var(static_cast<int>(i));
    return std::vector<LoopNest>{movement(op.out_extents(), read_at(0, std::move(index)))};
  };
  def.spellings = {strict(said(typed(onnx("Transpose", 1), all_narrow_since_21()),
                               {{.ours = "perm", .rule = Unsaid::kReversed}}))};
  def.moves = Moves::kSelects;
  def.range = RangeKind::kMove;
  return def;
}

/// Index maps of the output, with that of one axis replaced.
std::vector<IndexExpr> replaced(size_t rank, size_t axis, IndexExpr index) {
  std::vector<IndexExpr> out = index_vars(0, static_cast<int>(rank));
  out[axis] = std::move(index);
  return out;
}

OpDef concat() {
  OpDef def = operation("concat", MeaningKind::kMovement, 1, -1,
                        "Operands one after the other along `axis`; their other dimensions are equal.",
                        {axis_attr()});
  def.infer = [](const OpInstance& op) {
    if (auto bad = check_operands(op, Takes::kAny); !bad.empty()) return Inferred::fail(bad);
    Shape out = op.in_shape(0);
    if (auto bad = check_axis(op.i("axis"), out.size()); !bad.empty()) return Inferred::fail(bad);
    const auto axis = static_cast<size_t>(op.i("axis"));
    for (size_t n = 1; n < op.inputs.size(); ++n) {
      const Shape& next = op.in_shape(n);
      bool fits = next.size() == out.size();
      for (size_t i = 0; fits && i < out.size(); ++i) fits = i == axis || out[i].same(next[i]);
      if (!fits)
        return Inferred::fail(fmt::format("expected operands that differ in axis {} only, got {} and {}",
                                          axis, print_shape(op.ctx, op.in_shape(0)),
                                          print_shape(op.ctx, next)));
      if (!set_dim(op, out[axis], sum(size_of(op, out[axis]), size_of(op, next[axis]))))
        return Inferred::fail(fmt::format("axis {} has more than 64 bits hold", axis));
    }
    return tensor_like(op, std::move(out));
  };
  // Each operand is read where it is, guarded; exactly one of the reads is in bounds.
  def.nests = [](const OpInstance& op) {
    LoopNest nest;
    nest.space = op.out_extents();
    const auto axis = static_cast<size_t>(op.i("axis"));
    Size begin = 0;
    for (size_t n = 0; n < op.inputs.size(); ++n) {
      auto index = replaced(nest.space.size(), axis, IndexExpr::var(static_cast<int>(axis)) - begin);
      nest.reads.push_back(read_guarded(static_cast<int>(n), std::move(index)));
      begin += op.in_extents(n)[axis];
    }
    int n = static_cast<int>(op.inputs.size()) - 1;
    nest.result = scalar::read(n);
    while (n-- > 0) nest.result = scalar::select(scalar::valid(n), scalar::read(n), nest.result);
    return std::vector<LoopNest>{std::move(nest)};
  };
  def.spellings = {
      strict(said(typed(onnx("Concat", 4), all_bfloat_since_13()), {{.ours = "axis", .unsaid = 0}}))};
  def.moves = Moves::kSelects;
  def.range = RangeKind::kUnion;
  def.levels = kGraphLevel | kKernelLevel | kBlockLevel;
  in_mirage(def, "concat");
  in_mirage_by_axis(def, "concat");
  return def;
}

OpDef split() {
  OpDef def = operation("split", MeaningKind::kMovement, 1, {},
                        "A tuple: x cut along `axis` into parts of the given sizes.",
                        {axis_attr(), ints_attr("sizes")});
  def.infer = [](const OpInstance& op) {
    if (auto bad = check_operand(op, 0, Takes::kAny); !bad.empty()) return Inferred::fail(bad);
    const Shape& in = op.in_shape(0);
    const std::vector<int64_t>& sizes = op.ints("sizes");
    if (auto bad = check_axis(op.i("axis"), in.size()); !bad.empty()) return Inferred::fail(bad);
    const auto axis = static_cast<size_t>(op.i("axis"));
    int64_t sum = 0;
    std::vector<TypeId> parts;
    for (int64_t size : sizes) {
      if (size < 0) return Inferred::fail(fmt::format("expected sizes of at least 0, got {}", size));
      if (__builtin_add_overflow(sum, size, &sum)) return Inferred::fail("sizes beyond 64 bits");
      Shape part = in;
      part[axis] = Dim(size);
      parts.push_back(op.ctx.tensor_type(op.in_dtype(0), std::move(part)));
    }
    if (parts.empty() || in[axis] != Dim(sum))
      return Inferred::fail(fmt::format("expected sizes that add up to dimension {} of {}, got [{}]", axis,
                                        print_shape(op.ctx, in), fmt::join(sizes, ",")));
    return Inferred::ok(op.ctx.intern(Type::tuple(std::move(parts))));
  };
  def.nests = [](const OpInstance& op) {
    std::vector<LoopNest> nests;
    const auto axis = static_cast<size_t>(op.i("axis"));
    Size begin = 0;
    for (size_t part = 0; part < op.ints("sizes").size(); ++part) {
      const std::vector<Size> space = op.out_extents(part);
      auto index = replaced(space.size(), axis, IndexExpr::var(static_cast<int>(axis)) + begin);
      nests.push_back(movement(space, read_at(0, std::move(index))));
      begin += space[axis];
    }
    return nests;
  };
  def.spellings = {strict(typed(onnx_irregular("Split", 2), all_bfloat_since_13()))};
  def.moves = Moves::kSelects;
  def.range = RangeKind::kPart;
  return def;
}

OpDef tile() {
  OpDef def = operation("tile", MeaningKind::kMovement, 1, {},
                        "x repeated repeats[i] times along dimension i.", {ints_attr("repeats")});
  def.infer = [](const OpInstance& op) {
    if (auto bad = check_operand(op, 0, Takes::kAny); !bad.empty()) return Inferred::fail(bad);
    Shape out = op.in_shape(0);
    if (auto bad = check_count(op, "repeats", out.size()); !bad.empty()) return Inferred::fail(bad);
    for (size_t i = 0; i < out.size(); ++i) {
      const int64_t repeats = op.ints("repeats")[i];
      if (repeats < 0) return Inferred::fail(fmt::format("expected repeats of at least 0, got {}", repeats));
      if (repeats == 1) continue;
      if (!set_dim(op, out[i], product(size_of(op, out[i]), repeats)))
        return Inferred::fail(fmt::format("dimension {} has more than 64 bits hold", i));
    }
    return tensor_like(op, std::move(out));
  };
  def.nests = [](const OpInstance& op) {
    const std::vector<Size> in = op.in_extents(0);
    std::vector<IndexExpr> index;
    for (size_t i = 0; i < in.size(); ++i) {
      const IndexExpr at = IndexExpr::var(static_cast<int>(i));
      index.push_back(op.ints("repeats")[i] == 1 ? at : at.mod(divisor_of(in[i])));
    }
    return std::vector<LoopNest>{movement(op.out_extents(), read_at(0, std::move(index)))};
  };
  def.spellings = {said(typed(onnx("Tile", 6), all_bfloat_since_13()), {{.ours = "repeats", .input = 1}})};
  def.moves = Moves::kSelects;
  def.range = RangeKind::kMove;
  return def;
}

}  // namespace

void register_movement(OpTable& table) {
  table.add(broadcast());
  table.add(reshape());
  table.add(squeeze());
  table.add(unsqueeze());
  table.add(transpose());
  table.add(concat());
  table.add(split());
  table.add(tile());
  register_movement_select(table);
}

}  // namespace isomer::ir::ops
