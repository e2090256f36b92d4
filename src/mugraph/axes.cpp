#include "mugraph/axes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

#include "support/hash.h"

namespace isomer::mugraph {
namespace {

using ir::IndexExpr;
using ir::ValueId;

void collect_variables(const IndexExpr& e, std::set<int64_t>& out) {
  switch (e.kind()) {
    case IndexExpr::Kind::kVar: out.insert(e.value()); return;
    case IndexExpr::Kind::kConst:
    case IndexExpr::Kind::kLoad: return;
    case IndexExpr::Kind::kAdd:
    case IndexExpr::Kind::kMin:
    case IndexExpr::Kind::kMax: collect_variables(e.rhs(), out); [[fallthrough]];
    default: collect_variables(e.lhs(), out);
  }
}

/// A reshape that splits dimensions in two or merges two: what each new one stands for. Dimensions of one
/// element come and go.
AxisList reshaped(Axes& axes, const Sizes& from, const AxisList& list, const Sizes& to) {
  AxisList out;
  size_t i = 0;
  while (out.size() < to.size()) {
    const size_t j = out.size();
    const bool splits = i < from.size() && j + 1 < to.size() && to[j] * to[j + 1] == from[i];
    const bool merges = i + 1 < from.size() && from[i] * from[i + 1] == to[j];
    if (i < from.size() && from[i] == to[j]) {
      out.push_back(list[i++]);
    } else if (splits && !axes.split(list[i], to[j + 1]) && to[j] == 1) {
      out.push_back(kAnyAxis);
    } else if (merges && from[i] == 1 && list[i] == kAnyAxis) {
      ++i;
    } else if (splits) {
      const auto pair = axes.split(list[i], to[j + 1]);
      const AxisId part[] = {list[i]};
      out.push_back(pair ? pair->outer : axes.derived(fmt::format("outer{}", to[j + 1]), part));
      out.push_back(pair ? pair->inner : axes.derived(fmt::format("inner{}", to[j + 1]), part));
      ++i;
    } else if (merges) {
      out.push_back(axes.side_by_side(list[i], list[i + 1], from[i + 1]));
      i += 2;
    } else if (to[j] == 1) {
      out.push_back(kAnyAxis);
    } else if (i < from.size() && from[i] == 1) {
      ++i;
    } else {
      AxisList all;
      for (size_t d = 0; d < to.size(); ++d)
        all.push_back(axes.derived(
            fmt::format("reshape{}[{}][{}]", d, fmt::join(from, ","), fmt::join(to, ",")), list));
      return all;
    }
  }
  return out;
}

std::optional<AxisList> of_nest(Axes& axes, const std::string& op, const ir::LoopNest& nest,
                                std::span<const Sizes> sizes, std::span<const AxisList> operands) {
  std::vector<AxisId> variable(nest.space.size() + nest.reduce.size(), kAnyAxis);
  std::set<int64_t> tangled;
  AxisList all;
  for (const ir::Read& read : nest.reads) {
    const AxisList& list = operands[static_cast<size_t>(read.input)];
    const Sizes& size = sizes[static_cast<size_t>(read.input)];
    all.insert(all.end(), list.begin(), list.end());
    for (size_t d = 0; d < read.index.size(); ++d) {
      const IndexExpr& e = read.index[d];
      size_t v = variable.size();
      if (e.kind() == IndexExpr::Kind::kVar) {
        v = static_cast<size_t>(e.value());
      } else if (e.kind() == IndexExpr::Kind::kConst && size[d] == 1 &&
                 read.index.size() == nest.space.size() && nest.space[d] == 1) {
        v = d;
      } else {
        collect_variables(e, tangled);
        continue;
      }
      if (list[d] == kAnyAxis) continue;
      const auto both = axes.meet(variable[v], list[d]);
      if (!both) return std::nullopt;
      variable[v] = *both;
    }
  }
  AxisList out;
  for (size_t d = 0; d < nest.space.size(); ++d)
    out.push_back(tangled.contains(static_cast<int64_t>(d)) ? axes.derived(fmt::format("{}{}", op, d), all)
                                                            : variable[d]);
  return out;
}

}  // namespace

AxisId Axes::intern(Axis axis) {
  uint64_t h = hash_combine(hash_string(axis.name), static_cast<uint64_t>(axis.kind));
  for (const AxisId part : axis.parts) h = hash_combine(h, hashes_[part]);
  h = hash_combine(h, static_cast<uint64_t>(axis.number));
  for (auto [at, end] = by_hash_.equal_range(h); at != end; ++at)
    if (axes_[at->second] == axis) return at->second;
  const auto id = static_cast<AxisId>(axes_.size());
  axes_.push_back(std::move(axis));
  hashes_.push_back(h);
  by_hash_.emplace(h, id);
  return id;
}

AxisId Axes::cut_outer(AxisId axis, int depth, int by) {
  if (depth == 0) return cut(axis, by);
  const Axis a = axes_[axis];
  return side_by_side(cut_outer(a.parts[0], depth - 1, by), a.parts[1], a.number);
}

int Axes::outer_depth(AxisId axis, AxisId part) const {
  if (axis == part) return 0;
  const Axis& a = axes_[axis];
  const int below = a.kind == Kind::kSideBySide ? outer_depth(a.parts[0], part) : -1;
  return below < 0 ? -1 : below + 1;
}

bool Axes::holds(AxisId axis, AxisId part) const {
  const Axis& a = axes_[axis];
  return axis == part ||
         (a.kind == Kind::kSideBySide && (holds(a.parts[0], part) || holds(a.parts[1], part)));
}

AxisId Axes::summed(AxisId axis) {
  const Axis a = axes_[axis];
  if (a.kind == Kind::kSideBySide) return side_by_side(summed(a.parts[0]), summed(a.parts[1]), a.number);
  return a.kind == Kind::kCut && a.number >= kLoopCut ? intern({Kind::kSummed, {}, {axis}, 0}) : axis;
}

std::optional<AxisId> Axes::uncut(AxisId axis, int by, int64_t size, int64_t parts) {
  const Axis a = axes_[axis];
  if (a.kind == Kind::kSideBySide) {
    const int64_t inner_size = a.number;
    if (const auto outer = uncut(a.parts[0], by, size / inner_size, parts))
      return side_by_side(*outer, a.parts[1], inner_size);
    const auto inner = size == inner_size ? uncut(a.parts[1], by, size, parts) : std::nullopt;
    if (!inner) return std::nullopt;
    return side_by_side(a.parts[0], *inner, inner_size * parts);
  }
  if (a.kind != Kind::kCut || a.number != by) return std::nullopt;
  return a.parts[0];
}

bool Axes::is_cut(AxisId axis, int by) const {
  const Axis& a = axes_[axis];
  switch (a.kind) {
    case Kind::kSideBySide: return is_cut(a.parts[0], by) || is_cut(a.parts[1], by);
    case Kind::kSummed: return is_cut(a.parts[0], by);
    case Kind::kCut: return a.number == by || is_cut(a.parts[0], by);
    default: return false;
  }
}

std::optional<AxisId> Axes::meet(AxisId a, AxisId b) {
  if (a == b || b == kAnyAxis) return a;
  if (a == kAnyAxis) return b;
  const Axis x = axes_[a], y = axes_[b];
  if (x.kind != Kind::kSideBySide || y.kind != Kind::kSideBySide || x.number != y.number) return std::nullopt;
  const auto outer = meet(x.parts[0], y.parts[0]), inner = meet(x.parts[1], y.parts[1]);
  if (!outer || !inner) return std::nullopt;
  return side_by_side(*outer, *inner, x.number);
}

std::optional<Axes::Pair> Axes::split(AxisId axis, int64_t inner_size) const {
  const Axis& a = axes_[axis];
  if (a.kind != Kind::kSideBySide || a.number != inner_size) return std::nullopt;
  return Pair{a.parts[0], a.parts[1]};
}

std::optional<std::vector<AxisList>> derive_axes(Axes& axes, const ir::Graph& flat,
                                                 std::span<const AxisList> inputs) {
  std::vector<AxisList> values(flat.size());
  for (size_t i = 0; i < inputs.size(); ++i) values[flat.inputs()[i].index()] = inputs[i];
  for (size_t i = 0; i < flat.size(); ++i) {
    const ValueId v(i);
    const ir::OpDef& def = flat.def(v);
    if (def.is(ir::Core::kInput)) continue;
    const Sizes own = ir::sizes(flat.type(v).shape);
    values[i].assign(own.size(), kAnyAxis);
    if (def.nests == nullptr) continue;
    std::vector<Sizes> sizes;
    std::vector<AxisList> operands;
    std::vector<ir::TypeId> types;
    for (ValueId o : flat.operands(v)) {
      sizes.push_back(ir::sizes(flat.type(o).shape));
      operands.push_back(values[o.index()]);
      types.push_back(flat.type_id(o));
    }
    if (def.moves == ir::Moves::kReshapes) {
      values[i] = reshaped(axes, sizes[0], operands[0], own);
      continue;
    }
    const ir::OpInstance instance(flat.context(), def, flat.attrs(v), types, flat.type_id(v));
    const auto nests = def.nests(instance);
    if (nests.size() != 1) return std::nullopt;
    auto derived = of_nest(axes, def.name, nests[0], sizes, operands);
    if (!derived) return std::nullopt;
    values[i] = std::move(*derived);
  }
  std::vector<AxisList> out;
  for (ValueId o : flat.outputs()) out.push_back(values[o.index()]);
  return out;
}

}  // namespace isomer::mugraph
