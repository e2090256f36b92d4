#include "passes/nest_reads.h"

#include <algorithm>
#include <numeric>

#include "passes/scalar_writer.h"

namespace isomer::passes {
namespace {

using meaning::Affine;
using meaning::CompiledRead;

/// Each dimension by at most one variable, each variable along one.
bool is_plain(const CompiledRead& read) {
  if (!read.affine) return false;
  std::vector<int> seen;
  for (const Affine& dim : read.dims) {
    if (dim.terms.size() > 1) return false;
    for (const auto& [var, factor] : dim.terms) {
      if (std::ranges::find(seen, var) != seen.end()) return false;
      seen.push_back(var);
    }
  }
  return true;
}

/// The first and the last place that is read along a dimension; `count` of them, a `step` apart.
struct Run {
  int64_t first = 0, count = 1, step = 1;
  int64_t low() const { return std::min(first, first + (count - 1) * step); }
  int64_t high() const { return std::max(first, first + (count - 1) * step); }
};

Run run_of(const Affine& dim, std::span<const int64_t> extents) {
  Run out = {.first = dim.constant};
  if (dim.terms.empty()) return out;
  out.count = extents[static_cast<size_t>(dim.terms[0].first)];
  out.step = dim.terms[0].second;
  return out;
}

}  // namespace

InstructionId NestReads::fill(int n) {
  return w_.constant(element_of(w_.module(), operand(n)), read(n).fill);
}

std::optional<ByVariables> NestReads::plain(int n) { return along(read(n), operand(n), fill(n)); }

std::optional<ByVariables> NestReads::plain_validity(int n) {
  const Dims of = dims_of(w_.module(), operand(n));
  const InstructionId all = filled(w_, w_.constant(Primitive::kPred, 1), of);
  return along(read(n), all, w_.constant(Primitive::kPred, 0));
}

std::optional<ByVariables> NestReads::along(const CompiledRead& read, InstructionId x, InstructionId fill) {
  const bool is_nothing = std::ranges::find(nest_.extents, 0) != nest_.extents.end();
  if (!is_plain(read) || is_nothing || (!read.in_bounds && !read.guarded)) return std::nullopt;
  Dims padding, starts, limits, strides, turned, kept;
  std::vector<int> vars;
  for (size_t i = 0; i < read.dims.size(); ++i) {
    const Run run = run_of(read.dims[i], nest_.extents);
    const int64_t before = std::max<int64_t>(0, -run.low());
    padding.insert(padding.end(), {before, std::max<int64_t>(0, run.high() - read.extents[i] + 1), 0});
    starts.push_back(run.low() + before);
    limits.push_back(run.high() + before + 1);
    strides.push_back(std::abs(run.step));
    if (run.step < 0) turned.push_back(static_cast<int64_t>(i));
    if (read.dims[i].terms.empty()) continue;
    vars.push_back(read.dims[i].terms[0].first);
    kept.push_back(run.count);
  }
  x = padded(w_, x, fill, padding);
  const Dims whole = dims_of(w_.module(), x);
  const bool is_all = limits == whole && std::ranges::all_of(starts, [](int64_t n) { return n == 0; }) &&
                      std::ranges::all_of(strides, [](int64_t n) { return n == 1; });
  if (!is_all) x = w_.slice(x, starts, limits, strides);
  if (!turned.empty()) x = w_.reverse(x, turned);
  if (kept.size() != read.dims.size()) x = w_.reshape(x, kept);
  return ByVariables{x, std::move(vars)};
}

Frame NestReads::outputs() const {
  Frame out;
  for (int v = 0; v < static_cast<int>(nest_.space.size()); ++v) out.vars.push_back(v);
  out.dims = nest_.space;
  return out;
}

Frame NestReads::combined() const {
  Frame out;
  for (size_t v = 0; v < nest_.extents.size(); ++v) {
    if (v < nest_.space.size() && nest_.extents[v] == 1) continue;
    out.vars.push_back(static_cast<int>(v));
    out.dims.push_back(nest_.extents[v]);
  }
  return out;
}

InstructionId NestReads::place(int v, const Frame& frame) {
  const auto at = std::ranges::find(frame.vars, v);
  if (at == frame.vars.end()) return whole(0, frame);
  return w_.iota(Primitive::kS64, frame.dims, at - frame.vars.begin());
}

/// Dimensions that the frame has not go (they are 1), the others in its order; then those that it has more:
/// of 1, or broadcast.
InstructionId NestReads::spread(ByVariables x, const Frame& frame) {
  Dims order, sizes, places;
  bool is_broadcast = false;
  for (size_t i = 0; i < frame.vars.size(); ++i) {
    const auto at = std::ranges::find(x.vars, frame.vars[i]);
    is_broadcast = is_broadcast || (at == x.vars.end() && frame.dims[i] != 1);
    if (at == x.vars.end()) continue;
    order.push_back(at - x.vars.begin());
    sizes.push_back(frame.dims[i]);
    places.push_back(static_cast<int64_t>(i));
  }
  if (order.size() == x.vars.size() && !std::ranges::is_sorted(order)) {
    x.array = w_.transpose(x.array, order);
  } else if (order.size() != x.vars.size()) {
    Dims all = order;
    for (int64_t i = 0; i < static_cast<int64_t>(x.vars.size()); ++i)
      if (std::ranges::find(order, i) == order.end()) all.push_back(i);
    if (!std::ranges::is_sorted(all)) x.array = w_.transpose(x.array, all);
    x.array = w_.reshape(x.array, sizes);
  }
  if (is_broadcast) return w_.broadcast(x.array, frame.dims, places);
  return sizes == frame.dims ? x.array : w_.reshape(x.array, frame.dims);
}

InstructionId NestReads::over(const std::optional<ByVariables>& simple, int n, const Frame& frame,
                              bool validity) {
  return simple ? spread(*simple, frame) : gathered(n, frame, validity);
}

InstructionId NestReads::whole(int64_t value, const Frame& frame) {
  return filled(w_, passes::whole(w_, Primitive::kS64, value), frame.dims);
}

/// Quotient or remainder rounded towards minus infinity; b is positive.
InstructionId NestReads::floored(InstructionId a, InstructionId b, const Frame& frame, bool quotient) {
  const InstructionId zero = whole(0, frame), rest = w_.binary(Opcode::kRemainder, a, b);
  const InstructionId below = w_.compare(hlo::Direction::kLt, rest, zero);
  const InstructionId modulus = w_.select(below, w_.binary(Opcode::kAdd, rest, b), rest);
  if (!quotient) return modulus;
  return w_.binary(Opcode::kDivide, w_.binary(Opcode::kSubtract, a, modulus), b);
}

InstructionId NestReads::index(const ir::IndexExpr& e, const Frame& frame) {
  using Kind = ir::IndexExpr::Kind;
  const auto both = [&](Opcode opcode) {
    return w_.binary(opcode, index(e.lhs(), frame), index(e.rhs(), frame));
  };
  switch (e.kind()) {
    case Kind::kConst: return whole(e.value(), frame);
    case Kind::kVar: return place(static_cast<int>(e.value()), frame);
    case Kind::kAdd: return both(Opcode::kAdd);
    case Kind::kMin: return both(Opcode::kMinimum);
    case Kind::kMax: return both(Opcode::kMaximum);
    case Kind::kMulConst:
      return w_.binary(Opcode::kMultiply, index(e.lhs(), frame), whole(e.size().number(), frame));
    case Kind::kFloorDiv:
    case Kind::kMod:
      return floored(index(e.lhs(), frame), whole(e.size().number(), frame), frame,
                     e.kind() == Kind::kFloorDiv);
    case Kind::kLoad: {
      const InstructionId at = converted(w_, element(static_cast<int>(e.value()), frame), Primitive::kS64);
      if (e.wrap() == 0) return at;
      const InstructionId from_end = w_.binary(Opcode::kAdd, at, whole(e.wrap(), frame));
      return w_.select(w_.compare(hlo::Direction::kLt, at, whole(0, frame)), from_end, at);
    }
  }
  return {};
}

InstructionId NestReads::gathered(int n, const Frame& frame, bool validity) {
  const CompiledRead& read = this->read(n);
  const InstructionId outside = validity ? w_.constant(Primitive::kPred, 0) : fill(n);
  const int64_t count =
      std::accumulate(read.extents.begin(), read.extents.end(), int64_t{1}, std::multiplies<>());
  if (count == 0) return filled(w_, outside, frame.dims);
  InstructionId linear = whole(0, frame), inside = filled(w_, w_.constant(Primitive::kPred, 1), frame.dims);
  const auto hold = [&](InstructionId condition) { inside = w_.binary(Opcode::kAnd, inside, condition); };
  for (size_t i = 0; i < read.index.size(); ++i) {
    const InstructionId at = index(read.index[i], frame), most = whole(read.extents[i] - 1, frame);
    hold(w_.compare(hlo::Direction::kGe, at, whole(0, frame)));
    hold(w_.compare(hlo::Direction::kLe, at, most));
    const InstructionId held =
        w_.binary(Opcode::kMinimum, w_.binary(Opcode::kMaximum, at, whole(0, frame)), most);
    linear =
        w_.binary(Opcode::kAdd, w_.binary(Opcode::kMultiply, linear, whole(read.extents[i], frame)), held);
  }
  for (const ir::IndexExpr& e : read.zero)
    hold(w_.compare(hlo::Direction::kEq, index(e, frame), whole(0, frame)));
  if (validity) return inside;
  const InstructionId line = w_.reshape(operand(n), Dims{count});
  const ShapeId shape = w_.array(element_of(w_.module(), line), frame.dims);
  const InstructionId out = w_.add(Opcode::kGather, shape, {line, linear},
                                   {{AttributeName::kOffsetDims, {}},
                                    {AttributeName::kCollapsedSliceDims, {0}},
                                    {AttributeName::kStartIndexMap, {0}},
                                    {AttributeName::kIndexVectorDim, {static_cast<int64_t>(frame.rank())}},
                                    {AttributeName::kSliceSizes, {1}}});
  return read.guarded ? w_.select(inside, out, filled(w_, outside, frame.dims)) : out;
}

}  // namespace isomer::passes
