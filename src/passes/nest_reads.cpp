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
  if (std::ranges::any_of(padding, [](int64_t n) { return n != 0; })) x = w_.pad(x, fill, padding);
  const Dims whole = dims_of(w_.module(), x);
  const bool is_all = limits == whole && std::ranges::all_of(starts, [](int64_t n) { return n == 0; }) &&
                      std::ranges::all_of(strides, [](int64_t n) { return n == 1; });
  if (!is_all) x = w_.slice(x, starts, limits, strides);
  if (!turned.empty()) x = w_.reverse(x, turned);
  if (kept.size() != read.dims.size()) x = w_.reshape(x, kept);
  Dims order(vars.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](int64_t i) { return vars[static_cast<size_t>(i)]; });
  if (!std::ranges::is_sorted(vars)) x = w_.transpose(x, order);
  std::ranges::sort(vars);
  return ByVariables{x, std::move(vars)};
}

InstructionId NestReads::spread(const ByVariables& x, size_t rank) {
  if (x.vars.size() == rank) return x.array;
  return w_.broadcast(x.array, dims(rank), Dims(x.vars.begin(), x.vars.end()));
}

InstructionId NestReads::over(const std::optional<ByVariables>& simple, int n, size_t rank, bool validity) {
  const bool fits = simple && (simple->vars.empty() || simple->vars.back() < static_cast<int>(rank));
  return fits ? spread(*simple, rank) : gathered(n, rank, validity);
}

InstructionId NestReads::whole(int64_t value, size_t rank) {
  std::vector<std::byte> bytes(sizeof(value));
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(static_cast<uint64_t>(value) >> (8 * i));
  return filled(w_, w_.constant(w_.array(Primitive::kS64, {}), std::move(bytes)), dims(rank));
}

/// Quotient or remainder rounded towards minus infinity; b is positive.
InstructionId NestReads::floored(InstructionId a, InstructionId b, size_t rank, bool quotient) {
  const InstructionId zero = whole(0, rank), rest = w_.binary(Opcode::kRemainder, a, b);
  const InstructionId below = w_.compare(hlo::Direction::kLt, rest, zero);
  const InstructionId modulus = w_.select(below, w_.binary(Opcode::kAdd, rest, b), rest);
  if (!quotient) return modulus;
  return w_.binary(Opcode::kDivide, w_.binary(Opcode::kSubtract, a, modulus), b);
}

InstructionId NestReads::index(const ir::IndexExpr& e, size_t rank) {
  using Kind = ir::IndexExpr::Kind;
  const auto both = [&](Opcode opcode) { return w_.binary(opcode, index(e.lhs(), rank), index(e.rhs(), rank)); };
  switch (e.kind()) {
    case Kind::kConst: return whole(e.value(), rank);
    case Kind::kVar: return place(static_cast<int>(e.value()), rank);
    case Kind::kAdd: return both(Opcode::kAdd);
    case Kind::kMin: return both(Opcode::kMinimum);
    case Kind::kMax: return both(Opcode::kMaximum);
    case Kind::kMulConst: return w_.binary(Opcode::kMultiply, index(e.lhs(), rank), whole(e.size().number(), rank));
    case Kind::kFloorDiv:
    case Kind::kMod:
      return floored(index(e.lhs(), rank), whole(e.size().number(), rank), rank, e.kind() == Kind::kFloorDiv);
    case Kind::kLoad: {
      const InstructionId at = converted(w_, element(static_cast<int>(e.value()), rank), Primitive::kS64);
      if (e.wrap() == 0) return at;
      const InstructionId from_end = w_.binary(Opcode::kAdd, at, whole(e.wrap(), rank));
      return w_.select(w_.compare(hlo::Direction::kLt, at, whole(0, rank)), from_end, at);
    }
  }
  return {};
}

InstructionId NestReads::gathered(int n, size_t rank, bool validity) {
  const CompiledRead& read = this->read(n);
  const InstructionId outside = validity ? w_.constant(Primitive::kPred, 0) : fill(n);
  const int64_t count = std::accumulate(read.extents.begin(), read.extents.end(), int64_t{1}, std::multiplies<>());
  if (count == 0) return filled(w_, outside, dims(rank));
  InstructionId linear = whole(0, rank), inside = filled(w_, w_.constant(Primitive::kPred, 1), dims(rank));
  const auto hold = [&](InstructionId condition) { inside = w_.binary(Opcode::kAnd, inside, condition); };
  for (size_t i = 0; i < read.index.size(); ++i) {
    const InstructionId at = index(read.index[i], rank), most = whole(read.extents[i] - 1, rank);
    hold(w_.compare(hlo::Direction::kGe, at, whole(0, rank)));
    hold(w_.compare(hlo::Direction::kLe, at, most));
    const InstructionId held = w_.binary(Opcode::kMinimum, w_.binary(Opcode::kMaximum, at, whole(0, rank)), most);
    linear = w_.binary(Opcode::kAdd, w_.binary(Opcode::kMultiply, linear, whole(read.extents[i], rank)), held);
  }
  for (const ir::IndexExpr& e : read.zero) hold(w_.compare(hlo::Direction::kEq, index(e, rank), whole(0, rank)));
  if (validity) return inside;
  const InstructionId line = w_.reshape(operand(n), Dims{count});
  const ShapeId shape = w_.array(element_of(w_.module(), line), dims(rank));
  const InstructionId out = w_.add(Opcode::kGather, shape, {line, linear},
                                   {{AttributeName::kOffsetDims, {}},
                                    {AttributeName::kCollapsedSliceDims, {0}},
                                    {AttributeName::kStartIndexMap, {0}},
                                    {AttributeName::kIndexVectorDim, {static_cast<int64_t>(rank)}},
                                    {AttributeName::kSliceSizes, {1}}});
  return read.guarded ? w_.select(inside, out, filled(w_, outside, dims(rank))) : out;
}

}  // namespace isomer::passes
