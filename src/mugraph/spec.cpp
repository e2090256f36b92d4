#include "mugraph/spec.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>

namespace isomer::mugraph {
namespace {

constexpr int64_t kTooLarge = int64_t{1} << 40;

std::string check_operands(const MuOp& op, size_t given, bool block, std::string_view where) {
  if ((block ? op.block : op.kernel).empty() && op.accumulate == Accumulate::kNone)
    return fmt::format("{}: {} is no operator of a {} graph", where, op.name, block ? "block" : "kernel");
  if (!block && op.accumulate != Accumulate::kNone)
    return fmt::format("{}: {} outside of a block graph", where, op.name);
  if (given != static_cast<size_t>(op.arity))
    return fmt::format("{}: {} takes {} operands, got {}", where, op.name, op.arity, given);
  return {};
}

std::string check_block(const MuOpTable& ops, const BlockGraph& b, size_t operands, size_t results) {
  if (b.inputs.size() != operands)
    return fmt::format("{} tiles are loaded of {} operands", b.inputs.size(), operands);
  if (b.outputs.size() != results)
    return fmt::format("{} outputs are saved, {} are declared", b.outputs.size(), results);
  if (b.outputs.empty()) return "no output";
  int64_t steps = 1;
  for (int64_t n : b.grid) {
    if (n < 1 || n > kTooLarge) return "expected a grid of at least 1 in each dimension";
    steps = steps > kTooLarge / n ? kTooLarge : steps * n;
  }
  for (int64_t n : b.loops) {
    if (n < 1 || n > kTooLarge) return "expected a loop of at least 1 iteration";
    steps = steps > kTooLarge / n ? kTooLarge : steps * n;
  }
  if (steps >= kTooLarge) return "too many blocks and iterations";
  std::vector<bool> used(b.values());
  for (size_t i = 0; i < b.nodes.size(); ++i) {
    const BlockNode& n = b.nodes[i];
    const std::string where = fmt::format("t{}", b.inputs.size() + i);
    if (auto bad = check_operands(ops.get(n.op), n.operands.size(), true, where); !bad.empty()) return bad;
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

int64_t bytes_of(const Sizes& sizes, int element) {
  int64_t n = element;
  for (int64_t s : sizes) {
    if (s != 0 && n > kTooLarge / s) return kTooLarge;
    n *= s;
  }
  return n;
}

}  // namespace

int64_t shared_bytes(const MuOpTable& ops, const BlockGraph& b, int element_bytes) {
  int64_t total = 0;
  for (const BlockInput& i : b.inputs) total += bytes_of(i.tile, element_bytes);
  for (const BlockNode& n : b.nodes) {
    const MuOp& op = ops.get(n.op);
    const bool in_place = op.arity == 1 && n.sizes == b.sizes(n.operands[0]) &&
                          (op.accumulate == Accumulate::kNone || op.accumulate == Accumulate::kAdd);
    if (!in_place) total += bytes_of(n.sizes, element_bytes);
  }
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
      if (auto bad = check_block(*graph.ops, *node.block, node.operands.size(), node.results.size());
          !bad.empty())
        return fmt::format("{}: {}", where, bad);
    } else {
      if (auto bad = check_operands(graph.ops->get(node.op), node.operands.size(), false, where);
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
    const BlockGraph &said = *graph.nodes[k].block, &is = *again.nodes[k].block;
    for (uint32_t v = 0; v < said.values(); ++v)
      if (said.sizes(v) != is.sizes(v))
        return fmt::format("kernel {}: t{}: declared as [{}], computed as [{}]", k, v,
                           fmt::join(said.sizes(v), ","), fmt::join(is.sizes(v), ","));
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
    const int64_t shared = shared_bytes(*graph.ops, *graph.nodes[k].block, limits.element_bytes);
    if (shared > limits.shared_bytes)
      return fmt::format("kernel {}: {} bytes of tiles, {} of shared memory are there", k, shared,
                         limits.shared_bytes);
  }
  return {};
}

}  // namespace isomer::mugraph
