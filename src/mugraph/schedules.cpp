#include "mugraph/schedules.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>

#include "mugraph/structural_hash.h"

namespace isomer::mugraph {
namespace {

/// Where the first input that grid dimension `g` cuts is a program input: whether that is a batch dimension.
bool cuts_batch(const KernelNode& n, size_t g, const Program& program, const Extents& extents,
                int64_t& size) {
  const BlockGraph& b = *n.block;
  for (size_t i = 0; i < b.inputs.size(); ++i) {
    const int d = b.inputs[i].imap[g];
    if (d == kWhole) continue;
    // Batch dimensions come first in all tensors, also in those between kernels.
    if (d != 0 || program.batch.empty()) return false;
    size = extents.at(program.batch[0]);
    return true;
  }
  return false;
}

/// Sizes that reduction_dimx may have.
std::vector<int64_t> widths_of(const MuGraph& model, const BlockGraph& b, const Program& program,
                               const Extents& extents) {
  const bool used =
      std::ranges::any_of(b.nodes, [&](const BlockNode& n) { return model.ops->get(n.op).has_width; });
  if (!used) return {BlockGraph{}.reduce_to};
  std::set<int64_t> out;
  for (const auto& [name, size] : extents)
    if (size > 1 && std::ranges::find(program.batch, name) == program.batch.end()) out.insert(size);
  return {out.begin(), out.end()};
}

struct Loops {
  std::vector<int64_t> ranges;
  bool swapped = false;  ///< the structure's second loop is the outer one
};
std::vector<Loops> loops_of(const BlockGraph& b, const ScheduleChoices& choices) {
  if (b.loops[0] == 1) return {{{1}}};
  std::vector<Loops> out;
  for (int64_t range : choices.ranges) {
    if (b.loops.size() == 1) out.push_back({{range}});
    for (int64_t inner : choices.ranges)
      for (bool swapped : {false, true})
        if (b.loops.size() == 2) out.push_back({{range, inner}, swapped});
  }
  return out;
}

/// Dimensions of a kernel's grid that cut something else than the batch.
int other_cuts(const KernelNode& kernel, const Program& program, const Extents& extents) {
  int out = 0;
  for (size_t g = 0; g < 3; ++g) {
    int64_t size = 1;
    out += kernel.block->grid[g] > 1 && !cuts_batch(kernel, g, program, extents, size);
  }
  return out;
}

/// Each dimension in so many parts, that of a batch in as many as it has.
std::vector<std::array<int64_t, 3>> grids_of(const KernelNode& kernel, const Program& program,
                                             const Extents& extents, const std::set<int64_t>& cuts) {
  std::vector<std::array<int64_t, 3>> grids = {{1, 1, 1}};
  for (size_t g = 0; g < 3; ++g) {
    if (kernel.block->grid[g] == 1) continue;
    int64_t size = 1;
    const std::set<int64_t> parts = cuts_batch(kernel, g, program, extents, size) ? std::set{size} : cuts;
    std::vector<std::array<int64_t, 3>> more;
    for (const auto& grid : grids)
      for (int64_t p : parts) {
        more.push_back(grid);
        more.back()[g] = p;
      }
    grids = std::move(more);
  }
  return grids;
}

/// Into how many blocks one dimension may be cut: sizes of inputs by extents of tiles. `rows`: see rows_of.
std::set<int64_t> cuts_of(const std::vector<Sizes>& inputs, const ScheduleChoices& choices, int64_t rows) {
  std::set<int64_t> cuts;
  for (const Sizes& s : inputs)
    for (int64_t d : s)
      for (int64_t x : choices.tile_extents)
        if (d % x == 0 && d / x > 1) cuts.insert(d / x);
  if (rows > 1) cuts.insert(rows);
  return cuts;
}

/// Where all inputs have one rank: a block for each index of the first dimension, few as these may be; else
/// 0.
int64_t rows_of(const std::vector<Sizes>& inputs) {
  const bool one_rank =
      std::ranges::all_of(inputs, [&](const Sizes& s) { return s.size() == inputs[0].size(); });
  return one_rank ? inputs[0][0] : 0;
}

/// The graph with that schedule of kernel k, if it fits; sizes of what stands behind that kernel are open.
std::optional<MuGraph> scheduled(const MuGraph& graph, size_t k, const std::array<int64_t, 3>& grid,
                                 const Loops& loops, int64_t width, const MemoryLimits& memory) {
  auto block = std::make_shared<BlockGraph>(*graph.nodes[k].block);
  block->grid = grid;
  block->loops = loops.ranges;
  if (loops.swapped)
    for (BlockInput& input : block->inputs) std::swap(input.fmap[0], input.fmap[1]);
  block->reduce_to = width;
  MuGraph prefix = graph;
  prefix.nodes.resize(k + 1);
  prefix.nodes[k].block = block;
  if (!infer_sizes(prefix).empty()) return std::nullopt;
  if (!check_block_memory(*prefix.ops, *prefix.nodes[k].block, memory).empty()) return std::nullopt;
  MuGraph g = graph;
  g.nodes[k].block = std::move(block);
  return g;
}

/// One list of kernel graphs, extended kernel by kernel. `cut`: set where not all are looked at.
std::vector<MuGraph> graphs_of(const MuGraph& model, const Program& program, const Extents& extents,
                               const ScheduleChoices& choices, const MemoryLimits& memory, bool& cut) {
  const auto inputs = program.input_sizes(extents);
  const int64_t rows = rows_of(inputs);
  const std::set<int64_t> cuts = cuts_of(inputs, choices, rows);
  MuGraph start = model;
  std::ranges::copy(inputs, start.values.begin());
  std::vector<MuGraph> graphs = {start};
  for (size_t k = 0; k < model.nodes.size(); ++k) {
    if (!model.nodes[k].block) continue;
    const BlockGraph& b = *model.nodes[k].block;
    const int others = other_cuts(model.nodes[k], program, extents);
    const auto grids = grids_of(model.nodes[k], program, extents,
                                others > 1 ? std::set(choices.parts.begin(), choices.parts.end()) : cuts);
    const std::vector<int64_t> widths = widths_of(model, b, program, extents);
    const std::vector<Loops> all_loops = loops_of(b, choices);
    std::vector<MuGraph> next;
    const auto add = [&](const MuGraph& graph, const std::array<int64_t, 3>& grid) {
      for (const Loops& loops : all_loops)
        for (int64_t width : widths) {
          if (next.size() >= kMostSchedules) {
            cut = true;
            return;
          }
          if (auto g = scheduled(graph, k, grid, loops, width, memory)) next.push_back(std::move(*g));
        }
    };
    for (const MuGraph& graph : graphs)
      for (const auto& grid : grids) {
        const int64_t blocks = parts_of(grid);
        if (others == 0 || blocks == rows || (blocks >= choices.min_blocks && blocks <= choices.max_blocks))
          add(graph, grid);
      }
    graphs = std::move(next);
  }
  return graphs;
}

}  // namespace

Schedules schedules_of(const MuGraph& model, const Program& program, const Extents& extents,
                       const Target& target, Pricing& pricing) {
  ir::Context ctx(model.ops->declarations());
  const ir::Graph wanted = program.graph(ctx, extents);
  const Sizes output = ir::sizes(wanted.type(wanted.outputs()[0]).shape);
  Schedules out;
  std::vector<std::pair<double, MuGraph>> fitting;
  std::set<uint64_t> known;
  const auto add = [&](const ScheduleChoices& choices) {
    for (MuGraph& g : graphs_of(model, program, extents, choices, target.memory, out.cut))
      if (infer_sizes(g).empty() && g.values[g.outputs[0]] == output && check_spec(g).empty() &&
          check_memory(g, target.memory).empty() && known.insert(structural_hash(g)).second)
        if (const double seconds = pricing.price(g).seconds; std::isfinite(seconds))
          fitting.emplace_back(seconds, std::move(g));
  };
  add(target.choices);
  if (target.finer) add(*target.finer);
  std::ranges::stable_sort(fitting, {}, &std::pair<double, MuGraph>::first);
  for (auto& [cost, g] : fitting) {
    out.costs.push_back(cost);
    out.graphs.push_back(std::move(g));
  }
  return out;
}

}  // namespace isomer::mugraph
