// A search for a published muGraph from the operators that it has.
#pragma once

#include <algorithm>

#include "mugraph/search.h"
#include "mugraph/structural_hash.h"
#include "published/mirage_figures.h"

namespace isomer::mugraph {

/// At its size, with one test of what is found.
inline SearchOptions own_operators(const published::mirage::Figure& p) {
  SearchOptions o = preset_for(program(p.program));
  o.verify.floats = false;
  o.verify.log2_error = -1;
  o.kernel_ops = o.block_ops = {};
  o.max_block_ops = 0;
  o.max_block_kernels = static_cast<int>(p.graph.nodes.size());
  o.max_kernel_ops = static_cast<int>(p.graph.inputs + p.graph.nodes.size());
  for (const KernelNode& k : p.graph.nodes) {
    o.max_block_ops = std::max(o.max_block_ops, static_cast<int>(k.block->values()));
    for (const BlockNode& n : k.block->nodes) o.block_ops.push_back(p.graph.ops->get(n.op).name);
  }
  std::ranges::sort(o.block_ops);
  const auto again = std::ranges::unique(o.block_ops);
  o.block_ops.erase(again.begin(), again.end());
  return o;
}

inline bool has_structure(const SearchResult& r, const MuGraph& wanted) {
  const uint64_t hash = structure_hash(wanted);
  return std::ranges::any_of(r.found, [&](const auto& f) { return structure_hash(f.model) == hash; });
}

}  // namespace isomer::mugraph
