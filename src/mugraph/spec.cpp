#include "mugraph/spec.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

namespace isomer::mugraph {
namespace {

constexpr int64_t kTooLarge = int64_t{1} << 40;

enum class Level { kKernel, kBlock, kThread };
constexpr std::string_view kLevels[] = {"kernel", "block", "thread"};

std::string check_operands(const MuOp& op, size_t given, Level level, std::string_view where) {
  if (level == Level::kKernel && op.accumulate != Accumulate::kNone)
    return fmt::format("{}: {} outside of a block graph", where, op.name);
  const bool may_stand = level == Level::kKernel  ? op.in_kernels
                         : level == Level::kBlock ? op.in_blocks
                                                  : op.in_threads;
  if (!may_stand)
    return fmt::format("{}: {} is no operator of a {} graph", where, op.name,
                       kLevels[static_cast<size_t>(level)]);
  if (given != static_cast<size_t>(op.arity))
    return fmt::format("{}: {} takes {} operands, got {}", where, op.name, op.arity, given);
  return {};
}

std::string check_parts(const BlockGraph& b, Level level) {
  int64_t steps = 1;
  for (int64_t n : b.grid) {
    if (n < 1 || n > kTooLarge)
      return level == Level::kBlock ? "expected a grid of at least 1 in each dimension"
                                    : "expected at least 1 thread in each dimension";
    steps = steps > kTooLarge / n ? kTooLarge : steps * n;
  }
  if (b.loops.empty()) return "expected a loop";
  for (int64_t n : b.loops) {
    if (n < 1 || n > kTooLarge) return "expected a loop of at least 1 iteration";
    steps = steps > kTooLarge / n ? kTooLarge : steps * n;
  }
  return steps >= kTooLarge ? "too many blocks and iterations" : "";
}

std::string check_block(const MuOpTable& ops, const BlockGraph& b, size_t operands, size_t results,
                        Level level);

std::string check_threads(const MuOpTable& ops, const BlockGraph& b, const BlockNode& n, Level level,
                          const std::string& where) {
  if (level == Level::kThread) return where + ": threads within a thread";
  const BlockGraph& t = *n.thread;
  const auto v = static_cast<uint32_t>(&n - b.nodes.data() + static_cast<std::ptrdiff_t>(b.inputs.size()));
  const uint32_t before = shares_thread(b, v) ? b.nodes[v - b.inputs.size() - 1].output + 1 : 0;
  if (n.output != before || (!shares_thread(b, v + 1) && n.output + 1 != t.outputs.size()))
    return where + ": expected a tile for each output of its threads, in order";
  if (auto bad = check_block(ops, t, n.operands.size(), t.outputs.size(), Level::kThread); !bad.empty())
    return fmt::format("{}: {}", where, bad);
  return parts_of(t.grid) <= parts_of(b.threads)
             ? ""
             : fmt::format("{}: {} threads in a block of {}", where, parts_of(t.grid), parts_of(b.threads));
}

std::string check_block(const MuOpTable& ops, const BlockGraph& b, size_t operands, size_t results,
                        Level level) {
  if (b.inputs.size() != operands)
    return fmt::format("{} tiles are loaded of {} operands", b.inputs.size(), operands);
  if (b.outputs.size() != results)
    return fmt::format("{} outputs are saved, {} are declared", b.outputs.size(), results);
  if (b.outputs.empty()) return "no output";
  if (auto bad = check_parts(b, level); !bad.empty()) return bad;
  std::vector<bool> used(b.values());
  for (size_t i = 0; i < b.nodes.size(); ++i) {
    const BlockNode& n = b.nodes[i];
    const std::string where = fmt::format("t{}", b.inputs.size() + i);
    if (auto bad = n.thread ? check_threads(ops, b, n, level, where)
                            : check_operands(ops.get(n.op), n.operands.size(), level, where);
        !bad.empty())
      return bad;
    for (uint32_t o : n.operands) {
      if (o >= b.inputs.size() + i) return where + ": an operand that is not computed yet";
      used[o] = true;
    }
  }
  for (const BlockOutput& o : b.outputs) {
    if (o.value >= b.values()) return "an output that is not computed";
    used[o.value] = true;
  }
  for (size_t i = 0; i < used.size(); ++i)
    if (!used[i]) return fmt::format("t{}: nothing uses it", i);
  return {};
}

/// Tiles of a block or thread that are declared as something else than they are.
std::string check_tiles(const BlockGraph& said, const BlockGraph& is) {
  for (uint32_t v = 0; v < said.values(); ++v) {
    if (said.sizes(v) != is.sizes(v))
      return fmt::format("t{}: declared as [{}], computed as [{}]", v, fmt::join(said.sizes(v), ","),
                         fmt::join(is.sizes(v), ","));
    if (v < said.inputs.size() || !said.node(v).thread) continue;
    if (auto bad = check_tiles(*said.node(v).thread, *is.node(v).thread); !bad.empty())
      return fmt::format("t{}: {}", v, bad);
  }
  return {};
}

int64_t bytes_of(const Sizes& sizes, int element) {
  int64_t n = element;
  for (int64_t s : sizes) {
    if (s != 0 && n > kTooLarge / s) return kTooLarge;
    n *= s;
  }
  return n;
}

/// Whether a node takes the place of its operand.
bool in_place(const MuOpTable& ops, const BlockGraph& b, const BlockNode& n) {
  if (n.thread) return false;
  const MuOp& op = ops.get(n.op);
  return op.arity == 1 && n.sizes == b.sizes(n.operands[0]) &&
         (op.accumulate == Accumulate::kNone || op.accumulate == Accumulate::kAdd);
}

}  // namespace

int64_t shared_bytes(const MuOpTable& ops, const BlockGraph& b, int element_bytes) {
  int64_t total = 0;
  for (const BlockInput& i : b.inputs) total += bytes_of(i.tile, element_bytes);
  for (const BlockNode& n : b.nodes)
    if (!in_place(ops, b, n)) total += bytes_of(n.sizes, element_bytes);
  return total;
}

int64_t iteration_bytes(const MuOpTable& ops, const BlockGraph& b, int element_bytes) {
  if (b.range() == 1) return 0;
  int64_t total = 0;
  for (const BlockInput& i : b.inputs)
    if (std::ranges::any_of(i.fmap, [](int d) { return d != kWhole; }))
      total += bytes_of(i.tile, element_bytes);
  for (const BlockNode& n : b.nodes)
    if (!n.after_accum && !accumulates(ops, n) && !in_place(ops, b, n))
      total += bytes_of(n.sizes, element_bytes);
  return total;
}

std::string check_structure(const MuGraph& graph) {
  std::vector<bool> known(graph.values.size());
  if (graph.inputs > graph.values.size()) return "more inputs than tensors";
  for (size_t i = 0; i < graph.inputs; ++i) known[i] = true;
  for (size_t k = 0; k < graph.nodes.size(); ++k) {
    const KernelNode& node = graph.nodes[k];
    const std::string where = fmt::format("kernel {}", k);
    for (uint32_t o : node.operands)
      if (o >= known.size() || !known[o]) return where + ": an operand that is not computed yet";
    for (uint32_t r : node.results) {
      if (r >= known.size() || known[r]) return where + ": a result that is computed twice";
      known[r] = true;
    }
    if (node.block) {
      if (auto bad =
              check_block(*graph.ops, *node.block, node.operands.size(), node.results.size(), Level::kBlock);
          !bad.empty())
        return fmt::format("{}: {}", where, bad);
    } else {
      if (auto bad = check_operands(graph.ops->get(node.op), node.operands.size(), Level::kKernel, where);
          !bad.empty())
        return bad;
      if (node.results.size() != 1) return where + ": expected one result";
    }
  }
  for (uint32_t o : graph.outputs)
    if (o >= known.size() || !known[o]) return "an output that is not computed";
  return graph.outputs.empty() ? "no output" : "";
}

std::string check_spec(const MuGraph& graph) {
  if (auto bad = check_structure(graph); !bad.empty()) return bad;
  for (const Sizes& s : graph.values)
    if (bytes_of(s, 1) >= kTooLarge) return "a tensor that is too large";
  MuGraph again = graph;
  if (auto bad = infer_sizes(again); !bad.empty()) return bad;
  for (size_t v = 0; v < graph.values.size(); ++v)
    if (again.values[v] != graph.values[v])
      return fmt::format("%{}: declared as [{}], computed as [{}]", v, fmt::join(graph.values[v], ","),
                         fmt::join(again.values[v], ","));
  for (size_t k = 0; k < graph.nodes.size(); ++k) {
    if (!graph.nodes[k].block) continue;
    if (auto bad = check_tiles(*graph.nodes[k].block, *again.nodes[k].block); !bad.empty())
      return fmt::format("kernel {}: {}", k, bad);
  }
  return {};
}

std::string check_memory(const MuGraph& graph, const MemoryLimits& limits) {
  int64_t device = 0;
  for (const Sizes& s : graph.values) device += (bytes_of(s, limits.element_bytes) + 15) / 16 * 16;
  if (device > limits.device_bytes)
    return fmt::format("{} bytes of tensors, {} are there", device, limits.device_bytes);
  for (size_t k = 0; k < graph.nodes.size(); ++k) {
    if (!graph.nodes[k].block) continue;
    if (auto bad = check_block_memory(*graph.ops, *graph.nodes[k].block, limits); !bad.empty())
      return fmt::format("kernel {}: {}", k, bad);
  }
  return {};
}

std::string check_block_memory(const MuOpTable& ops, const BlockGraph& b, const MemoryLimits& limits) {
  const int64_t shared = shared_bytes(ops, b, limits.element_bytes);
  if (shared > limits.shared_bytes)
    return fmt::format("{} bytes of tiles, {} of {} are there", shared, limits.shared_bytes,
                       limits.shared_name);
  const int64_t iteration = iteration_bytes(ops, b, limits.element_bytes);
  if (iteration > limits.iteration_bytes)
    return fmt::format("{} bytes of tiles of an iteration, {} of L1 cache are there", iteration,
                       limits.iteration_bytes);
  for (const BlockNode& n : b.nodes) {
    const int64_t registers = n.thread ? shared_bytes(ops, *n.thread, limits.element_bytes) : 0;
    if (registers > limits.register_bytes)
      return fmt::format("{} bytes of tiles of a thread, {} of registers are there", registers,
                         limits.register_bytes);
  }
  return {};
}

}  // namespace isomer::mugraph
