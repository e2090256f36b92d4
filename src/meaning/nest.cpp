#include "meaning/nest.h"

#include <fmt/format.h>

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
  if (!out.affine) out.in_bounds = false;
  return out;
}

}  // namespace

Sort sort_of(ir::DType dtype) { return ir::is_integer(dtype) ? Sort::kInteger : Sort::kNumber; }

std::vector<CompiledNest> compile_nests(const ir::OpInstance& op, const std::string& what) {
  std::vector<CompiledNest> out;
  const ir::Type& type = op.ctx.get(op.output);
  const size_t tensors = type.kind == ir::TypeKind::kTuple ? type.elements.size() : 1;
  const std::vector<ir::LoopNest> nests = op.op.nests(op);
  REQUIRE(nests.size() == tensors,
          fmt::format("{}: {} loop nests for {} outputs", what, nests.size(), tensors));
  for (size_t n = 0; n < nests.size(); ++n) {
    const ir::LoopNest& nest = nests[n];
    CompiledNest c;
    c.what = what;
    c.space = nest.space;
    c.reduce = nest.reduce;
    c.extents = nest.space;
    c.extents.insert(c.extents.end(), nest.reduce.begin(), nest.reduce.end());
    REQUIRE(c.space == op.out_sizes(n), what + ": a loop nest's space differs from the output's shape");
    for (int64_t e : c.space) c.outputs *= e;
    for (int64_t e : c.reduce) c.reductions *= e;
    c.dtype = op.out_type(n).dtype;
    std::vector<Sort> reads;
    for (const ir::Read& read : nest.reads) {
      c.reads.push_back(compile_read(op, read, c.extents, what));
      reads.push_back(c.reads.back().sort);
    }
    std::vector<Sort> accumulators;
    for (const ir::Accumulator& a : nest.accumulators) {
      c.bodies.push_back(compile(a.body, reads, {}, what));
      c.combiners.push_back(a.combine);
      accumulators.push_back(c.bodies.back().sort);
    }
    c.result = compile(nest.result, reads, accumulators, what);
    REQUIRE(c.result.sort == sort_of(c.dtype),
            what + ": the result is of another sort than the output's elements");
    out.push_back(std::move(c));
  }
  return out;
}

}  // namespace isomer::meaning
