#include "meaning/nest.h"

#include <fmt/format.h>

#include <algorithm>

#include "meaning/factors.h"
#include "support/errors.h"

namespace isomer::meaning {
namespace {

CompiledRead compile_read(const ir::OpInstance& op, const ir::Read& read, std::span<const int64_t> extents,
                          const std::string& what) {
  REQUIRE(read.input >= 0 && static_cast<size_t>(read.input) < op.inputs.size(),
          what + ": a read of no operand");
  CompiledRead out;
  out.input = read.input;
  out.sort = sort_of(op.in_dtype(static_cast<size_t>(read.input)));
  out.guarded = read.guarded;
  out.fill = read.fill;
  out.extents = op.in_sizes(static_cast<size_t>(read.input));
  out.index = read.index;
  out.zero = read.zero;
  REQUIRE(out.zero.empty() || out.guarded, what + ": a read that is valid by condition is not guarded");
  REQUIRE(out.index.size() == out.extents.size(),
          fmt::format("{}: a read with {} indices of an operand of rank {}", what, out.index.size(),
                      out.extents.size()));
  out.affine = true;
  out.in_bounds = true;
  for (size_t i = 0; i < out.index.size() && out.affine; ++i) {
    auto dim = to_affine(out.index[i], extents);
    out.affine = dim.has_value();
    if (!dim) break;
    const auto [low, high] = dim->range(extents);
    if (low < 0 || high >= out.extents[i]) out.in_bounds = false;
    Affine linear;
    linear.add(out.linear, out.extents[i]);
    linear.add(*dim, 1);
    out.linear = std::move(linear);
    out.dims.push_back(std::move(*dim));
  }
  if (!out.zero.empty()) out.affine = false;
  if (!out.affine) out.in_bounds = false;
  return out;
}

/// Extents, and reads over them.
void lay_out(const ir::OpInstance& op, const ir::LoopNest& nest, const std::string& what, CompiledNest& c) {
  c.space = ir::numbers(nest.space);
  c.reduce = ir::numbers(nest.reduce);
  c.extents = c.space;
  c.extents.insert(c.extents.end(), c.reduce.begin(), c.reduce.end());
  c.reads.clear();
  for (const ir::Read& read : nest.reads) c.reads.push_back(compile_read(op, read, c.extents, what));
}

/// Accumulators, whose steps may name each other.
void compile_accumulators(const ir::LoopNest& nest, std::span<const Sort> reads, const std::string& what,
                          CompiledNest& c, std::vector<Sort>& sorts) {
  for (const ir::Accumulator& a : nest.accumulators) {
    ScalarProgram initial;
    if (!a.initial.empty()) initial = compile(a.initial, reads, {}, what);
    const bool step = a.combine == ir::Combiner::kStep;
    REQUIRE(!step || (nest.ordered && !a.initial.empty()),
            what + ": an accumulator by steps has an order and something to begin with");
    sorts.push_back(!a.initial.empty() ? initial.sort : compile(a.body, reads, {}, what).sort);
    c.plain_but_scan &= a.initial.empty() && a.dtype == ir::DType::kUndefined;
    c.initials.push_back(std::move(initial));
    c.combiners.push_back(a.combine);
    c.kept_as.push_back(a.dtype);
  }
  for (size_t i = 0; i < nest.accumulators.size(); ++i) {
    const bool step = c.combiners[i] == ir::Combiner::kStep;
    c.bodies.push_back(compile(nest.accumulators[i].body, reads,
                               step ? std::span<const Sort>(sorts) : std::span<const Sort>(), what));
    REQUIRE(c.bodies.back().sort == sorts[i], what + ": an accumulator that begins with another sort");
  }
}

}  // namespace

Sort sort_of(ir::DType dtype) { return ir::is_integer(dtype) ? Sort::kInteger : Sort::kNumber; }

std::vector<CompiledNest> compile_nests(const ir::OpInstance& op, const std::string& what,
                                        Variables variables) {
  std::vector<CompiledNest> out;
  const ir::Type& type = op.ctx.get(op.output);
  const size_t tensors = type.kind == ir::TypeKind::kTuple ? type.elements.size() : 1;
  std::vector<ir::LoopNest> nests = op.op.nests(op);
  for (ir::LoopNest& nest : nests) {
    const size_t n = out.size();
    REQUIRE(n + nest.further.size() < tensors,
            fmt::format("{}: loop nests for more than {} outputs", what, tensors));
    CompiledNest c;
    c.shape = ir::numbers(nest.space);
    REQUIRE(c.shape == op.out_sizes(n), what + ": a loop nest's space differs from the output's shape");
    lay_out(op, nest, what, c);
    const bool divided =
        std::ranges::any_of(c.reads, [](const CompiledRead& r) { return !r.affine && r.zero.empty(); });
    if (variables == Variables::kInFactors && divided) {
      nest = in_factors(std::move(nest));
      lay_out(op, nest, what, c);
    }
    for (int64_t e : c.space) c.outputs *= e;
    for (int64_t e : c.reduce) c.reductions *= e;
    c.scan = nest.scan;
    c.ordered = nest.ordered;
    REQUIRE(c.scan.up_to < static_cast<int>(c.space.size()) && (c.scan.up_to < 0 || !c.reduce.empty()),
            what + ": a scan along no variable");
    c.plain_but_scan = !c.ordered;
    std::vector<Sort> reads;
    for (const CompiledRead& read : c.reads) reads.push_back(read.sort);
    std::vector<Sort> accumulators;
    compile_accumulators(nest, reads, what, c, accumulators);
    c.plain = c.plain_but_scan && c.scan.up_to < 0;
    for (const ir::ScalarExpr& further : nest.further) {
      CompiledNest& other = out.emplace_back(c);
      other.result = compile(further, reads, accumulators, what);
    }
    c.result = compile(nest.result, reads, accumulators, what);
    out.insert(out.end() - static_cast<std::ptrdiff_t>(nest.further.size()), std::move(c));
    for (size_t i = n; i < out.size(); ++i) {
      out[i].dtype = op.out_type(i).dtype;
      REQUIRE(out[i].shape == op.out_sizes(i) && out[i].result.sort == sort_of(out[i].dtype),
              what + ": a result is of another shape or sort than the output's elements");
    }
  }
  REQUIRE(out.size() == tensors,
          fmt::format("{}: loop nests for {} of {} outputs", what, out.size(), tensors));
  return out;
}

}  // namespace isomer::meaning
