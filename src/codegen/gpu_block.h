// What a block of threads does to tiles that lie in its shared memory: the counterpart, for one block, of
// gpu_schedule.h. Products are made in place (gpu_block_product.h), rows are reduced by several threads each,
// all else is done element by element. What is only summed over the iterations of a loop around keeps its
// sums in registers up to the end of that loop. That a block works on whole tiles is the block level of
// Mirage's muGraphs (Wu et al., 2024/25), whose library of templates has a kernel for each tile operator;
// ours are loops, which are printed, checked and run like any others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "codegen/gpu_schedule.h"
#include "codegen/loop_program.h"

namespace isomer::codegen {

/// What of a statement happens before the loop around, in each iteration and after it.
struct BlockSteps {
  std::vector<Statement> before, each, after;
};

struct BlockProgram {
  LoopProgram program;          ///< the statements of `before`, then of `each`, then of `after`
  size_t before = 0, each = 0;  ///< how many these are
  std::set<int> combined;       ///< of the results that were to be combined, those that are
};

/// A program of tiles, whose nests each write one buffer, for one block of threads. `in_shared`: operands
/// that lie in shared memory as they are. `combine`: results of which iterations are combined; each nest that
/// makes such a one is taken apart, if it can be.
BlockProgram block_program(LoopProgram tiles, const std::set<int>& in_shared,
                           const std::map<int, ir::Combiner>& combine, const GpuOptions& options);

/// Sizes of a tile as it is laid out in shared memory: rows are longer by 16 bytes, so that neighbouring rows
/// begin in different banks.
std::vector<int64_t> spread_over_banks(std::vector<int64_t> sizes, ir::DType dtype);

/// A nest that combines one value for each element of its result.
struct CombiningNest {
  std::vector<const Loop*> space, reduce;  ///< from outside
  const Store* combine = nullptr;
  std::vector<Store> before, after;
};
std::optional<CombiningNest> combining_nest(const LoopProgram& program, const Loop& top);

/// Whether, of sums over iterations too, the nest's result is what it makes of the sum.
bool may_finish_later(const LoopProgram& program, const CombiningNest& nest, ir::Combiner combine);

}  // namespace isomer::codegen
