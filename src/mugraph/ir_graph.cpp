#include "mugraph/ir_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "ir/op_table.h"
#include "ir/print.h"
#include "meaning/flatten.h"
#include "mugraph/mirage_json.h"
#include "mugraph/spec.h"
#include "support/errors.h"
#include "support/files.h"

namespace isomer::mugraph {
namespace {

using ir::Builder;
using ir::ValueId;

/// A node of the operator; operands that it repeats are broadcast.
ValueId add_node(Builder& b, const MuOp& op, std::span<const ValueId> operands, const Place& place,
                 const Sizes& sizes) {
  std::vector<ValueId> in(operands.begin(), operands.end());
  if (op.broadcasts)
    for (ValueId& v : in) v = broadcast(b, v, sizes);
  return b.add(op.op, op.payload(b.context(), place), in);
}

ValueId add_scheduled(Builder& b, std::string_view name, const MuOpTable& ops, const BlockGraph& block,
                      std::vector<ValueId> operands, ir::DType dtype) {
  ir::Context& ctx = b.context();
  return b.add(name, std::move(operands),
               ir::attributes(ctx, body_graph(ctx, ops, block, dtype), schedule_of(block)));
}

/// The values of a graph as those of a muGraph, or of a block of one.
class Reading {
 public:
  /// `error`: empty, or what was the first to be wrong, here or in a graph around this one or within it; what
  /// is read from then on says nothing.
  Reading(const ir::Graph& graph, const MuOpTable& ops, std::string& error)
      : graph_(graph), ops_(ops), map_(graph.size()), error_(error) {}

  bool failed() const { return !error_.empty(); }
  void fail(ValueId v, const std::string& what) {
    if (!failed()) error_ = fmt::format("{}: {}", meaning::describe(graph_, v), what);
  }

  void set(ValueId v, uint32_t value) { map_[v.index()] = value; }
  uint32_t value(ValueId v) const { return map_[v.index()]; }
  std::vector<uint32_t> operands(ValueId v) const {
    std::vector<uint32_t> out;
    for (ValueId o : graph_.operands(v)) out.push_back(value(o));
    return out;
  }
  Sizes sizes(ValueId v) {
    if (graph_.type(v).is_static_tensor()) return ir::sizes(graph_.type(v).shape);
    fail(v, "expected a tensor of known sizes");
    return {};
  }
  ir::OpInstance instance(ValueId v, std::vector<ir::TypeId>& types) const {
    types.clear();
    for (ValueId o : graph_.operands(v)) types.push_back(graph_.type_id(o));
    return {graph_.context(), graph_.def(v), graph_.attrs(v), types, graph_.type_id(v)};
  }
  /// The row of an operator and the axis of its application.
  std::pair<MuOpId, int> row(ValueId v) {
    const auto id = ops_.find(graph_.op(v));
    const auto axis = id ? ops_.get(*id).axis_of(graph_.context(), graph_.attrs(v)) : std::nullopt;
    if (!axis) fail(v, id ? "attributes that muGraphs do not have" : "no operator of muGraphs");
    return {id.value_or(0), axis.value_or(-1)};
  }

 private:
  const ir::Graph& graph_;
  const MuOpTable& ops_;
  std::vector<uint32_t> map_;
  std::string& error_;
};

BlockGraph block_of(const ir::OpInstance& op, const MuOpTable& ops, std::string& error) {
  const ir::Graph& body = ir::body_of(op);
  const ir::Schedule schedule = ir::schedule_of(op);
  BlockGraph out;
  out.grid = schedule.grid;
  out.threads = schedule.threads;
  out.loops = schedule.loops;
  out.reduce_to = schedule.width;
  Reading reading(body, ops, error);
  for (size_t i = 0; i < body.inputs().size(); ++i) {
    const auto& [imap, fmap] = schedule.inputs[i];
    reading.set(body.inputs()[i], static_cast<uint32_t>(i));
    out.inputs.push_back({imap, fmap, reading.sizes(body.inputs()[i])});
  }
  const std::vector<bool> after = ir::after_loop(body);
  const auto push = [&](ValueId v, BlockNode node) {
    node.sizes = reading.sizes(v);
    node.after_accum = after[v.index()];
    reading.set(v, static_cast<uint32_t>(out.values()));
    out.nodes.push_back(std::move(node));
  };
  std::vector<std::shared_ptr<const BlockGraph>> threads(body.size());
  std::vector<ir::TypeId> types;
  for (size_t i = 0; i < body.size() && !reading.failed(); ++i) {
    const ValueId v(i);
    const ir::OpDef& def = body.def(v);
    if (def.is(ir::Core::kInput)) continue;
    const ir::OpInstance node = reading.instance(v, types);
    if (def.is(ir::Core::kBroadcast)) {
      reading.set(v, reading.value(body.operands(v)[0]));
    } else if (def.is(ir::Core::kGet)) {
      const ValueId of = body.operands(v)[0];
      push(v, {0,
               -1,
               reading.operands(of),
               {},
               false,
               threads[of.index()],
               static_cast<uint32_t>(node.i("index"))});
    } else if (ir::has_schedule(def)) {
      threads[i] = std::make_shared<const BlockGraph>(block_of(node, ops, error));
      if (body.type(v).is_tensor()) push(v, {0, -1, reading.operands(v), {}, false, threads[i], 0});
    } else {
      const auto [row, axis] = reading.row(v);
      push(v, {row, axis, reading.operands(v), {}, false, {}, 0});
    }
  }
  for (size_t o = 0; o < body.outputs().size(); ++o)
    out.outputs.push_back({reading.value(body.outputs()[o]), schedule.omaps[o]});
  return out;
}

/// A kernel with a block of its own, and its results as the next values.
void add_kernel(MuGraph& out, const ir::OpInstance& op, std::vector<uint32_t> operands, std::string& error) {
  KernelNode kernel{
      0, -1, std::make_shared<const BlockGraph>(block_of(op, *out.ops, error)), std::move(operands), {}};
  for (const BlockOutput& o : kernel.block->outputs) {
    kernel.results.push_back(static_cast<uint32_t>(out.values.size()));
    out.values.push_back(joined_output(*kernel.block, o).sizes);
  }
  out.nodes.push_back(std::move(kernel));
}

MuGraphOrError checked(MuGraph graph, std::string error) {
  if (!error.empty()) return {{}, std::move(error)};
  if (auto bad = check_spec(graph); !bad.empty()) return {{}, "no muGraph: " + bad};
  return {std::move(graph), {}};
}

}  // namespace

ir::Schedule schedule_of(const BlockGraph& block) {
  ir::Schedule out;
  out.grid = block.grid;
  out.threads = block.threads;
  out.loops = block.loops;
  out.width = block.reduce_to;
  for (const BlockInput& i : block.inputs) out.inputs.push_back({i.imap, i.fmap});
  for (const BlockOutput& o : block.outputs) out.omaps.push_back(o.omap);
  return out;
}

ir::Graph body_graph(ir::Context& ctx, const MuOpTable& ops, const BlockGraph& block, ir::DType dtype) {
  Builder b(ctx);
  std::vector<ValueId> values;
  for (const BlockInput& i : block.inputs)
    values.push_back(
        b.input(fmt::format("t{}", values.size()), ctx.tensor_type(dtype, ir::static_shape(i.tile))));
  ValueId threads;
  for (const BlockNode& n : block.nodes) {
    std::vector<ValueId> in;
    for (uint32_t o : n.operands) in.push_back(values[o]);
    if (!n.thread) {
      values.push_back(add_node(b, ops.get(n.op), in, block.place(n.axis), n.sizes));
      continue;
    }
    if (!shares_thread(block, static_cast<uint32_t>(values.size())))
      threads = add_scheduled(b, "threads", ops, *n.thread, in, dtype);
    values.push_back(n.thread->outputs.size() == 1 ? threads : b.get(threads, n.output));
  }
  std::vector<ValueId> outputs;
  for (const BlockOutput& o : block.outputs) outputs.push_back(values[o.value]);
  return b.finish(std::move(outputs));
}

ir::Graph to_graph(ir::Context& ctx, const MuGraph& graph, ir::DType dtype) {
  Builder b(ctx, "mugraph");
  std::vector<ValueId> values(graph.values.size());
  for (size_t i = 0; i < graph.inputs; ++i)
    values[i] = b.input(fmt::format("x{}", i), ctx.tensor_type(dtype, ir::static_shape(graph.values[i])));
  for (const KernelNode& n : graph.nodes) {
    std::vector<ValueId> in;
    for (uint32_t o : n.operands) in.push_back(values[o]);
    if (!n.block) {
      const Place place{n.axis, 1, 0};
      values[n.results[0]] = add_node(b, graph.ops->get(n.op), in, place, graph.values[n.results[0]]);
      continue;
    }
    const ValueId all = add_scheduled(b, "kernel", *graph.ops, *n.block, in, dtype);
    for (size_t r = 0; r < n.results.size(); ++r)
      values[n.results[r]] = n.results.size() == 1 ? all : b.get(all, static_cast<int64_t>(r));
  }
  std::vector<ValueId> outputs;
  for (uint32_t o : graph.outputs) outputs.push_back(values[o]);
  return b.finish(std::move(outputs));
}

MuGraphOrError read_mugraph(const ir::Graph& graph, const MuOpTable& ops) {
  MuGraph out;
  out.ops = &ops;
  out.inputs = graph.inputs().size();
  std::string error;
  Reading reading(graph, ops, error);
  const auto push = [&](ValueId v, const Sizes& sizes) {
    reading.set(v, static_cast<uint32_t>(out.values.size()));
    out.values.push_back(sizes);
  };
  for (ValueId v : graph.inputs()) push(v, reading.sizes(v));
  std::vector<ir::TypeId> types;
  for (size_t i = 0; i < graph.size() && !reading.failed(); ++i) {
    const ValueId v(i);
    const ir::OpDef& def = graph.def(v);
    if (def.is(ir::Core::kInput)) continue;
    const ir::OpInstance node = reading.instance(v, types);
    if (def.is(ir::Core::kBroadcast)) {
      reading.set(v, reading.value(graph.operands(v)[0]));
    } else if (def.is(ir::Core::kGet)) {
      reading.set(v, reading.value(graph.operands(v)[0]) + static_cast<uint32_t>(node.i("index")));
    } else if (ir::has_schedule(def)) {
      if (!def.stands_at(ir::kKernelLevel)) {
        reading.fail(v, "no kernel");
        break;
      }
      reading.set(v, static_cast<uint32_t>(out.values.size()));
      add_kernel(out, node, reading.operands(v), error);
    } else {
      const auto [op, axis] = reading.row(v);
      KernelNode kernel{op, axis, nullptr, reading.operands(v), {static_cast<uint32_t>(out.values.size())}};
      push(v, reading.sizes(v));
      out.nodes.push_back(std::move(kernel));
    }
  }
  for (ValueId o : graph.outputs()) out.outputs.push_back(reading.value(o));
  return checked(std::move(out), std::move(error));
}

MuGraphOrError read_kernel(const ir::OpInstance& op, const MuOpTable& ops) {
  MuGraph out;
  out.ops = &ops;
  out.inputs = op.inputs.size();
  std::vector<uint32_t> operands;
  for (size_t i = 0; i < out.inputs; ++i) {
    if (!op.type(i).is_static_tensor()) return {{}, "expected tensors of known sizes"};
    operands.push_back(static_cast<uint32_t>(i));
    out.values.push_back(op.in_sizes(i));
  }
  if (!ir::has_schedule(op.op) || !op.op.stands_at(ir::kKernelLevel)) return {{}, "no kernel"};
  std::string error;
  add_kernel(out, op, std::move(operands), error);
  out.outputs = out.nodes[0].results;
  return checked(std::move(out), std::move(error));
}

MuGraph to_mugraph(const ir::Graph& graph, const MuOpTable& ops) {
  MuGraphOrError read = read_mugraph(graph, ops);
  if (!read) throw InputError(read.error);
  return std::move(read.graph);
}

std::vector<MuGraph> read_mugraphs(const std::string& path) {
  if (!path.ends_with(".graph")) return read_mirage_json(path);
  ir::Context ctx(ir::standard_ops());
  const ir::Graph graph = ir::parse_graph(ctx, read_file(path), path);
  MuGraphOrError read = read_mugraph(graph);
  if (!read) throw InputError({path, 0, 0}, read.error);
  return {std::move(read.graph)};
}

}  // namespace isomer::mugraph
