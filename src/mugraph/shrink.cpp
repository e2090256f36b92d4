#include "mugraph/shrink.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>

#include "ir/op_table.h"
#include "mugraph/ratios.h"

namespace isomer::mugraph {
namespace {

constexpr int64_t kMultiples[] = {1, 2, 3, 4, 6, 8};      // of what a dimension is cut into
constexpr int64_t kUncut[] = {2, 3, 4, 5, 6, 8, 12, 16};  // sizes of one that nothing cuts
constexpr size_t kMostTried = 20'000;
constexpr size_t kMostResizedApart = 20;
constexpr size_t kMostForms = 6;  // of numbers of parts that keep the ratios

/// Whether the threads along dimension `g` have one element each of what they share out.
bool one_each(const BlockGraph& threads, size_t g) {
  return std::ranges::all_of(threads.inputs, [&](const BlockInput& i) {
    return i.imap[g] == kWhole || i.tile[static_cast<size_t>(i.imap[g])] == 1;
  });
}

/// How many parts each grid dimension and loop has in small, before ratios are looked at.
PartCounts usual_counts(const MuGraph& graph, const ShrinkParts& parts) {
  PartCounts out;
  for (size_t k = 0; k < graph.nodes.size(); ++k) {
    if (!graph.nodes[k].block) continue;
    const BlockGraph& b = *graph.nodes[k].block;
    for (size_t d = 0; d < 3; ++d)
      out[{k, false, d}] = std::min<int64_t>(b.grid[d], parts.wider == std::pair{k, d} ? 4 : parts.grid);
    for (size_t l = 0; l < b.loops.size(); ++l) out[{k, true, l}] = std::min(b.loops[l], parts.loop);
  }
  return out;
}

/// The numbers that keep the ratios, the best first. Where none do, the usual ones, at which only a
/// difference says nothing (but not where numbers of equal parts would change, at which agreement does not
/// either); and only of two parts: other numbers are there to see more of what is right.
std::vector<PartCounts> counts_to_try(const MuGraph& graph, const ShrinkParts& parts) {
  const PartCounts usual = usual_counts(graph, parts);
  const PartsThatCount that = parts_that_count(graph);
  if (that.empty()) return {usual};
  std::vector<PartCounts> out;
  for (const PartCounts& kept : small_counts(graph, that, usual, kMostForms)) {
    out.push_back(usual);
    for (const auto& [p, count] : kept) out.back()[p] = count;
  }
  if (that.numbers.empty() && parts.grid == 2 && parts.loop == 2) out.push_back(usual);
  return out;
}

/// `more_threads`: twice as many where each has one element, so that others may have two.
void cut_grids(MuGraph& graph, const PartCounts& counts, const ShrinkParts& parts, bool more_threads) {
  for (size_t k = 0; k < graph.nodes.size(); ++k) {
    KernelNode& n = graph.nodes[k];
    if (!n.block) continue;
    auto b = std::make_shared<BlockGraph>(*n.block);
    for (size_t d = 0; d < 3; ++d) b->grid[d] = counts.at({k, false, d});
    for (size_t l = 0; l < b->loops.size(); ++l) b->loops[l] = counts.at({k, true, l});
    change_threads(*b, [&](BlockGraph& t) {
      for (size_t g = 0; g < 3; ++g)
        t.grid[g] = std::min(t.grid[g], more_threads && one_each(t, g) ? 2 * parts.grid : parts.grid);
      for (int64_t& l : t.loops) l = std::min(l, parts.loop);
    });
    n.block = std::move(b);
  }
}

/// What each named dimension must be a multiple of: the parts that the tiles of program inputs cut it into.
Extents least_sizes(const MuGraph& full, const MuGraph& cut, const Program& program, const Extents& extents) {
  Extents least;
  for (const auto& [name, size] : extents) least[name] = std::min<int64_t>(size, 2);
  for (size_t k = 0; k < full.nodes.size(); ++k) {
    if (!full.nodes[k].block) continue;
    const BlockGraph &was = *full.nodes[k].block, &is = *cut.nodes[k].block;
    for (size_t i = 0; i < was.inputs.size(); ++i) {
      const uint32_t operand = full.nodes[k].operands[i];
      if (operand >= full.inputs) continue;
      const auto& dims = program.inputs[operand].dims;
      for (size_t d = 0; d < dims.size(); ++d) {
        // The first cut of a product of dimensions is of the outermost.
        const auto names = factors(dims[d]);
        std::vector<int64_t> parts(names.size(), 1);
        size_t cuts = 0;
        const auto split = [&](int dim, int64_t by) {
          if (dim == static_cast<int>(d) && by > 1) parts[std::min(cuts++, names.size() - 1)] *= by;
        };
        for (size_t g = 0; g < 3; ++g) split(was.inputs[i].imap[g], is.grid[g]);
        for (size_t l = 0; l < is.loops.size(); ++l) split(was.inputs[i].fmap[l], is.loops[l]);
        parts.back() *= std::min<int64_t>(was.inputs[i].tile[d], 2);
        for (size_t f = 0; f < names.size(); ++f) least[names[f]] = std::lcm(least[names[f]], parts[f]);
      }
    }
  }
  return least;
}

/// How many parts blocks and iterations cut a dimension of an operand into.
int64_t parts_along(const BlockGraph& b, const BlockInput& input, size_t d) {
  int64_t parts = 1;
  for (size_t g = 0; g < 3; ++g)
    if (input.imap[g] == static_cast<int>(d)) parts *= b.grid[g];
  for (size_t l = 0; l < b.loops.size(); ++l)
    if (input.fmap[l] == static_cast<int>(d)) parts *= b.loops[l];
  return parts;
}

bool degenerate(const Sizes& full, const Sizes& small) {
  for (size_t d = 0; d < full.size(); ++d)
    if (small[d] > full[d] || (full[d] > 1 && small[d] == 1)) return true;
  return false;
}

bool degenerate(const BlockGraph& was, const BlockGraph& is) {
  for (uint32_t v = 0; v < was.values(); ++v) {
    if (degenerate(was.sizes(v), is.sizes(v))) return true;
    if (v < was.inputs.size()) continue;
    const auto& threads = was.node(v).thread;
    if (threads && degenerate(*threads, *is.node(v).thread)) return true;
  }
  return false;
}

bool degenerate(const MuGraph& full, const MuGraph& small) {
  for (size_t v = 0; v < full.values.size(); ++v)
    if (degenerate(full.values[v], small.values[v])) return true;
  for (size_t k = 0; k < full.nodes.size(); ++k) {
    if (!full.nodes[k].block) continue;
    if (degenerate(*full.nodes[k].block, *small.nodes[k].block)) return true;
  }
  return false;
}

/// Widths that reduce-to-X may have in small: the new size of a dimension that had its full width.
std::vector<int64_t> widths(const MuGraph& full, const Extents& extents, const Extents& small) {
  std::vector<int64_t> out;
  for (const KernelNode& n : full.nodes) {
    if (!n.block) continue;
    for (const auto& [name, size] : extents)
      if (size == n.block->reduce_to) out.push_back(small.at(name));
  }
  if (out.empty()) out = {2, 3, 4};
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

bool resize(MuGraph& graph, const Program& program, const Extents& extents, int64_t width) {
  const auto inputs = program.input_sizes(extents);
  std::ranges::copy(inputs, graph.values.begin());
  for (KernelNode& n : graph.nodes) {
    if (!n.block) continue;
    auto b = std::make_shared<BlockGraph>(*n.block);
    b->reduce_to = width;
    n.block = std::move(b);
  }
  return infer_sizes(graph).empty();
}

/// Sizes that one dimension may have in small, ascending.
std::vector<int64_t> sizes_of_dimension(int64_t full, int64_t least) {
  std::vector<int64_t> out;
  if (least <= 2) {
    for (int64_t size : kUncut)
      if (size <= full) out.push_back(size);
  } else {
    for (int64_t m : kMultiples)
      if (m == 1 || least * m <= full) out.push_back(least * m);
  }
  if (out.empty()) out.push_back(least);
  return out;
}

/// Whether products of tiles of the program's inputs have batches of one where the dimension has this size: a
/// block refuses all others, whatever the sizes of the other dimensions.
bool cuts_batches_whole(const MuGraph& cut, const Program& program, const std::string& name, int64_t size) {
  for (const KernelNode& k : cut.nodes) {
    if (!k.block) continue;
    for (const BlockNode& n : k.block->nodes) {
      if (n.thread || !cut.ops->get(n.op).def().is_matrix_product()) continue;
      for (uint32_t o : n.operands) {
        if (o >= k.block->inputs.size() || k.operands[o] >= cut.inputs) continue;
        const auto& dims = program.inputs[k.operands[o]].dims;
        for (size_t d = 0; d + 2 < dims.size(); ++d)
          if (dims[d] == name && size != parts_along(*k.block, k.block->inputs[o], d)) return false;
      }
    }
  }
  return true;
}

/// A dimension that blocks wrote side by side may have lost what made it one of the program's.
bool has_outputs_of(const MuGraph& graph, const Program& program, const Extents& extents) {
  ir::Context ctx(graph.ops->declarations());
  const ir::Graph wanted = program.graph(ctx, extents);
  for (size_t o = 0; o < graph.outputs.size(); ++o)
    if (o >= wanted.outputs().size() ||
        graph.values[graph.outputs[o]] != ir::sizes(wanted.type(wanted.outputs()[o]).shape))
      return false;
  return true;
}

/// Whether dimensions of different sizes have different ones in small.
bool are_apart(const Extents& full, const Extents& small) {
  for (const auto& [name, size] : full)
    for (const auto& [other, other_size] : full)
      if (size != other_size && small.at(name) == small.at(other)) return false;
  return true;
}

std::optional<Shrunken> shrink_to(const MuGraph& cut, const MuGraph& full, const Program& program,
                                  const Extents& extents, bool apart) {
  const Extents least = least_sizes(full, cut, program, extents);
  std::vector<std::string> names;
  std::vector<std::vector<int64_t>> sizes;
  for (const auto& [name, size] : extents) {
    names.push_back(name);
    sizes.push_back(sizes_of_dimension(size, least.at(name)));
    std::erase_if(sizes.back(), [&](int64_t s) { return !cuts_batches_whole(cut, program, name, s); });
    if (sizes.back().empty()) return std::nullopt;
  }
  // Which size each dimension has, the smallest product first; each is reached from the one with its last
  // dimension above the least one step down.
  using Choice = std::pair<int64_t, std::vector<size_t>>;
  std::priority_queue<Choice, std::vector<Choice>, std::greater<>> next;
  const auto add = [&](std::vector<size_t> at) {
    int64_t product = 1;
    for (size_t i = 0; i < at.size(); ++i) product *= sizes[i][at[i]];
    next.emplace(product, std::move(at));
  };
  add(std::vector<size_t>(names.size(), 0));
  for (size_t tried = 0, resized = 0; !next.empty() && tried < kMostTried; ++tried) {
    const std::vector<size_t> at = next.top().second;
    next.pop();
    Extents small;
    for (size_t i = 0; i < at.size(); ++i) small[names[i]] = sizes[i][at[i]];
    const bool wanted = !apart || are_apart(extents, small);
    if (apart && wanted && ++resized > kMostResizedApart) break;
    for (int64_t width : wanted ? widths(full, extents, small) : std::vector<int64_t>{}) {
      Shrunken out{cut, small};
      if (resize(out.graph, program, small, width) && !degenerate(full, out.graph) &&
          has_outputs_of(out.graph, program, small))
        return out;
    }
    size_t last = at.size();
    while (last > 0 && at[last - 1] == 0) --last;
    for (size_t i = last > 0 ? last - 1 : 0; i < at.size(); ++i) {
      std::vector<size_t> more = at;
      if (++more[i] < sizes[i].size()) add(std::move(more));
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Shrunken> shrink(const MuGraph& full, const Program& program, const Extents& extents,
                               const ShrinkParts& parts) {
  const std::vector<PartCounts> tried = counts_to_try(full, parts);
  for (bool more_threads : {false, true}) {
    for (const PartCounts& counts : tried) {
      MuGraph cut = full;
      cut_grids(cut, counts, parts, more_threads);
      if (auto small = shrink_to(cut, full, program, extents, parts.apart)) return small;
    }
    const bool has_threads = std::ranges::any_of(full.nodes, [](const KernelNode& n) {
      return n.block &&
             std::ranges::any_of(n.block->nodes, [](const BlockNode& b) { return b.thread != nullptr; });
    });
    if (!has_threads) break;
  }
  return std::nullopt;
}

}  // namespace isomer::mugraph
