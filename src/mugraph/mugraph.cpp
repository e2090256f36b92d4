#include "mugraph/mugraph.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace isomer::mugraph {
namespace {

std::string text(const Sizes& s) { return fmt::format("[{}]", fmt::join(s, ",")); }

/// "x0 z2": grid dimension x cuts data dimension 0, z cuts 2.
std::string text_of_map(const std::array<int, 3>& map) {
  std::string out;
  for (size_t d = 0; d < 3; ++d)
    if (map[d] != kWhole) out += fmt::format("{}{}{}", out.empty() ? "" : " ", "xyz"[d], map[d]);
  return out.empty() ? "-" : out;
}

void print_block(std::string& out, const MuOpTable& ops, const BlockGraph& b, const std::string& indent,
                 std::string_view parts) {
  for (size_t i = 0; i < b.inputs.size(); ++i)
    out +=
        fmt::format("{}t{} = input {} {} {} loop {} : {}\n", indent, i, i, parts,
                    text_of_map(b.inputs[i].imap), fmt::join(b.inputs[i].fmap, ","), text(b.inputs[i].tile));
  for (size_t i = 0; i < b.nodes.size(); ++i) {
    const BlockNode& n = b.nodes[i];
    const auto v = static_cast<uint32_t>(b.inputs.size() + i);
    std::string operands;
    for (uint32_t o : n.operands) operands += fmt::format("{}t{}", operands.empty() ? "" : ", ", o);
    const std::string type = text(n.sizes) + (n.after_accum ? " after loop" : "");
    if (!n.thread) {
      const MuOp& op = ops.get(n.op);
      out += fmt::format("{}t{} = {}({}){} : {}\n", indent, v, op.name, operands,
                         op.has_axis ? fmt::format(" axis {}", n.axis) : "", type);
    } else if (shares_thread(b, v)) {
      out += fmt::format("{}t{} = output {} of the same threads : {}\n", indent, v, n.output, type);
    } else {
      const BlockGraph& t = *n.thread;
      out += fmt::format("{}t{} = output {} of threads({}) : {} threads {}x{}x{} loops {} {{\n", indent, v,
                         n.output, operands, type, t.grid[0], t.grid[1], t.grid[2], fmt::join(t.loops, "x"));
      print_block(out, ops, t, indent + "    ", "threads");
      out += indent + "}\n";
    }
  }
  for (size_t i = 0; i < b.outputs.size(); ++i)
    out += fmt::format("{}output {} = t{} {} {}\n", indent, i, b.outputs[i].value, parts,
                       text_of_map(b.outputs[i].omap));
}

}  // namespace

int64_t BlockGraph::range() const {
  int64_t out = 1;
  for (int64_t l : loops) out *= l;
  return out;
}

bool shares_thread(const BlockGraph& b, uint32_t v) {
  if (v <= b.inputs.size() || v >= b.values()) return false;
  const BlockNode &n = b.node(v), &before = b.nodes[v - b.inputs.size() - 1];
  return n.thread && n.thread == before.thread && n.operands == before.operands;
}

void change_threads(BlockGraph& b, const std::function<void(BlockGraph&)>& change) {
  std::vector<bool> shared(b.values());
  for (uint32_t v = 0; v < b.values(); ++v) shared[v] = shares_thread(b, v);
  for (auto v = static_cast<uint32_t>(b.inputs.size()); v < b.values(); ++v) {
    BlockNode& n = b.node(v);
    if (!n.thread) continue;
    auto changed = std::make_shared<BlockGraph>(*n.thread);
    if (!shared[v]) change(*changed);
    n.thread = shared[v] ? b.nodes[v - b.inputs.size() - 1].thread : std::move(changed);
  }
}

TileShape cut_tile(const Sizes& tensor, const BlockGraph& block, const BlockInput& input) {
  return ir::cut_tile(tensor, block.grid, block.loops, input.imap, input.fmap);
}

TileShape joined_output(const BlockGraph& block, const BlockOutput& output) {
  return ir::joined_tiles(block.sizes(output.value), block.grid, output.omap);
}

namespace {

/// Shapes of a block or thread graph whose operands have these sizes.
std::string infer_block(const MuOpTable& ops, BlockGraph& b, const std::vector<Sizes>& operands,
                        std::vector<Sizes>& results);

/// `shared`: the node before has the same graph, whose shapes are known.
std::string infer_threads(const MuOpTable& ops, BlockGraph& b, uint32_t v, const std::vector<Sizes>& operands,
                          bool shared) {
  BlockNode& n = b.node(v);
  std::vector<Sizes> results;
  auto thread = std::make_shared<BlockGraph>(*n.thread);
  if (auto bad = infer_block(ops, *thread, operands, results); !bad.empty()) return bad;
  n.sizes = std::move(results[n.output]);
  n.thread = shared ? b.nodes[v - b.inputs.size() - 1].thread : std::move(thread);
  return {};
}

std::string infer_node(const MuOpTable& ops, BlockGraph& b, uint32_t v, bool shared) {
  BlockNode& n = b.node(v);
  std::vector<Sizes> in;
  bool after = false, before = false;
  for (uint32_t o : n.operands) {
    in.push_back(b.sizes(o));
    (b.after_accum(o) ? after : before) = true;
  }
  if (n.thread) {
    if (after && before) return "operands from inside and from after the loop";
    n.after_accum = after;
    return infer_threads(ops, b, v, in, shared);
  }
  const MuOp& op = ops.get(n.op);
  const bool adds_up = accumulates(ops, n);
  if ((after && before) || (adds_up && after))
    return adds_up ? "a second accumulator on one path" : "operands from inside and from after the loop";
  if (op.running_max && after) return "it runs within the loop";
  if (op.accumulate == Accumulate::kRescale &&
      (n.operands[1] < b.inputs.size() || !runs_max(ops, b.node(n.operands[1]))))
    return "its second operand is no running maximum";
  n.after_accum = after || adds_up;
  TileShape shape = infer_tile(op, in, b.place(n.axis), true);
  n.sizes = std::move(shape.sizes);
  return shape.error;
}

std::string infer_block(const MuOpTable& ops, BlockGraph& b, const std::vector<Sizes>& operands,
                        std::vector<Sizes>& results) {
  std::vector<bool> shared(b.values());
  for (uint32_t v = 0; v < b.values(); ++v) shared[v] = shares_thread(b, v);
  for (size_t i = 0; i < b.inputs.size(); ++i) {
    TileShape tile = cut_tile(operands[i], b, b.inputs[i]);
    if (!tile) return fmt::format("input {}: {}", i, tile.error);
    b.inputs[i].tile = std::move(tile.sizes);
  }
  for (auto v = static_cast<uint32_t>(b.inputs.size()); v < b.values(); ++v)
    if (auto bad = infer_node(ops, b, v, shared[v]); !bad.empty()) {
      const BlockNode& n = b.node(v);
      const std::string name = n.thread ? "threads" : ops.get(n.op).name;
      // What refused a shape says by itself which operator it is.
      return bad.starts_with(name + ": ") ? fmt::format("t{}: {}", v, bad)
                                          : fmt::format("t{} ({}): {}", v, name, bad);
    }
  results.clear();
  for (size_t i = 0; i < b.outputs.size(); ++i) {
    if (!b.after_accum(b.outputs[i].value))
      return fmt::format("output {}: no accumulator on the path to it", i);
    TileShape joined = joined_output(b, b.outputs[i]);
    if (!joined) return fmt::format("output {}: {}", i, joined.error);
    results.push_back(std::move(joined.sizes));
  }
  return {};
}

}  // namespace

std::string infer_sizes(MuGraph& graph) {
  for (size_t k = 0; k < graph.nodes.size(); ++k) {
    KernelNode& node = graph.nodes[k];
    std::vector<Sizes> operands;
    for (uint32_t o : node.operands) operands.push_back(graph.values[o]);
    if (node.block) {
      auto block = std::make_shared<BlockGraph>(*node.block);
      std::vector<Sizes> results;
      if (auto bad = infer_block(*graph.ops, *block, operands, results); !bad.empty())
        return fmt::format("kernel {}: {}", k, bad);
      for (size_t i = 0; i < results.size(); ++i) graph.values[node.results[i]] = results[i];
      node.block = std::move(block);
    } else {
      TileShape shape = infer_tile(graph.ops->get(node.op), operands, Place{node.axis, 1, 0}, false);
      if (!shape) return fmt::format("kernel {}: {}", k, shape.error);
      graph.values[node.results[0]] = std::move(shape.sizes);
    }
  }
  return {};
}

std::string print(const MuGraph& graph) {
  std::string out;
  for (size_t i = 0; i < graph.inputs; ++i)
    out += fmt::format("%{} = input : {}\n", i, text(graph.values[i]));
  for (const KernelNode& node : graph.nodes) {
    std::string results, operands, types;
    for (uint32_t r : node.results) {
      results += fmt::format("{}%{}", results.empty() ? "" : ", ", r);
      types += fmt::format("{}{}", types.empty() ? "" : ", ", text(graph.values[r]));
    }
    for (uint32_t o : node.operands) operands += fmt::format("{}%{}", operands.empty() ? "" : ", ", o);
    if (!node.block) {
      out += fmt::format("{} = {}({}) : {}\n", results, graph.ops->get(node.op).name, operands, types);
      continue;
    }
    const BlockGraph& b = *node.block;
    out += fmt::format("{} = kernel({}) : {} grid {}x{}x{} loops {} {{\n", results, operands, types,
                       b.grid[0], b.grid[1], b.grid[2], fmt::join(b.loops, "x"));
    print_block(out, *graph.ops, b, "    ", "grid");
    out += "}\n";
  }
  std::string outputs;
  for (uint32_t o : graph.outputs) outputs += fmt::format("{}%{}", outputs.empty() ? "" : ", ", o);
  return out + fmt::format("return {}\n", outputs);
}

}  // namespace isomer::mugraph
