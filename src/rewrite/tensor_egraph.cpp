#include "rewrite/tensor_egraph.h"

#include <algorithm>
#include <limits>
#include <set>
#include <unordered_map>
#include <utility>

#include "ir/needed.h"
#include "ir/taso_words.h"
#include "support/errors.h"

namespace isomer::rewrite {

using egraph::ClassId;
using egraph::NodeId;

TensorEGraph::TensorEGraph(const ir::Graph& graph, FloatPromise promise)
    : source_(graph),
      analysis_(std::make_shared<TensorAnalysis>(graph.context(), promise)),
      language_(graph.context()),
      graph_(std::make_unique<EGraph>(*analysis_)),
      class_of_(graph.size()) {
  const std::vector<bool> needed = ir::needed_values(graph);
  for (size_t i = 0; i < graph.size(); ++i) {
    if (!needed[i]) continue;
    const ir::ValueId v(i);
    class_of_[i] = add_value(graph, v, class_of_);
    if (promise == FloatPromise::kFinite) {
      TensorFacts promised;
      promised.range = promised_range(v);
      graph_->refine(class_of_[i], promised);
    }
  }
  graph_->rebuild();
  source_nodes_ = graph_->slots();
}

TensorEGraph::TensorEGraph(const TensorEGraph& other)
    : source_(other.source_),
      analysis_(other.analysis_),
      language_(other.language_),
      graph_(std::make_unique<EGraph>(*other.graph_)),
      class_of_(other.class_of_),
      source_nodes_(other.source_nodes_) {}

ClassId TensorEGraph::add_value(const ir::Graph& graph, ir::ValueId v, std::span<const ClassId> class_of) {
  std::vector<ClassId> children;
  for (ir::ValueId o : graph.operands(v)) children.push_back(class_of[o.index()]);
  const ClassId added = graph_->add(graph.op(v).v, graph.payload(v).v, children);
  // The reader may know more than the type rule does (shapes that only a format states).
  TensorFacts declared;
  declared.type = graph.type_id(v);
  graph_->refine(added, declared);
  return added;
}

std::vector<ClassId> TensorEGraph::add(const ir::Graph& graph) {
  REQUIRE(&graph.context() == &context(), "a program of another context");
  const std::vector<bool> needed = ir::needed_values(graph);
  std::vector<ClassId> class_of(graph.size()), out;
  for (size_t i = 0; i < graph.size(); ++i)
    if (needed[i]) class_of[i] = add_value(graph, ir::ValueId(i), class_of);
  for (ir::ValueId o : graph.outputs()) out.push_back(class_of[o.index()]);
  return out;
}

/// The program's own values are ordinary, but for what it makes of constants that are not.
ir::AttrId TensorEGraph::promised_range(ir::ValueId v) const {
  ir::Context& ctx = context();
  const auto dtype_of = [&](ir::TypeId id) {
    const ir::Type* type = &ctx.get(id);
    if (type->kind == ir::TypeKind::kTuple && !type->elements.empty()) type = &ctx.get(type->elements[0]);
    return type->dtype;
  };
  const TensorFacts& facts = graph_->data(class_of_[v.index()]);
  const ir::DType dtype = dtype_of(source_.type_id(v));
  if (!ir::is_float(dtype) || facts.is_weight) return {};
  FloatRange range = range_at(ctx, facts.range);
  const auto operands = source_.operands(v);
  if (source_.def(v).element == ir::ScalarOp::kMul && operands[0] == operands[1])
    range = meet(range, {0, std::numeric_limits<double>::infinity()});
  const FloatRange usual = ordinary(dtype);
  const bool large = std::ranges::any_of(operands, [&](ir::ValueId o) {
    return ir::is_float(dtype_of(source_.type_id(o))) &&
           range_at(ctx, graph_->data(class_of_[o.index()]).range).most() > usual.most();
  });
  return intern(ctx, large ? range : meet(range, usual));
}

std::vector<ClassId> TensorEGraph::roots() const {
  std::vector<ClassId> out;
  for (ir::ValueId o : source_.outputs()) out.push_back(graph_->find(class_of_[o.index()]));
  return out;
}

ir::Graph TensorEGraph::to_graph(const std::function<NodeId(ClassId)>& pick) const {
  std::string why;
  std::optional<ir::Graph> out = try_graph(pick, why);
  REQUIRE(out, why);
  return std::move(*out);
}

std::optional<ir::Graph> TensorEGraph::try_graph(const std::function<NodeId(ClassId)>& pick,
                                                 std::string& why) const {
  ir::Builder builder(context(), source_.title());
  std::unordered_map<uint32_t, ir::ValueId> made;
  for (ir::ValueId i : source_.inputs()) {
    const ir::ValueId v = builder.input(source_.name(i), source_.type_id(i));
    if (class_of_[i.index()].valid()) made.emplace(graph_->find(class_of_[i.index()]).v, v);
  }
  std::unordered_map<uint32_t, ir::ValueId> first_of;  // class -> the source's first value in it
  for (size_t i = 0; i < source_.size(); ++i)
    if (class_of_[i].valid()) first_of.emplace(graph_->find(class_of_[i]).v, ir::ValueId(i));

  struct Frame {
    ClassId c;
    NodeId n;
    size_t next = 0;
  };
  std::set<uint32_t> open;
  std::vector<Frame> stack;
  const auto enter = [&](ClassId c) {
    if (made.contains(c.v)) return true;
    const NodeId n = pick(c);
    if (!n.valid() || graph_->class_of(n) != c)
      why = "expected a pick for each class that a result of the program needs";
    else if (!open.insert(c.v).second)
      why = "what it picks is cyclic, since classes of the e-graph are equal";
    else
      stack.push_back({c, n});
    return why.empty();
  };
  std::vector<ir::ValueId> operands;
  const auto build = [&](ClassId root) {
    if (!enter(root)) return false;
    while (!stack.empty()) {
      Frame& top = stack.back();
      const auto children = graph_->children(top.n);
      if (top.next < children.size()) {
        if (!enter(graph_->find(children[top.next++]))) return false;
        continue;
      }
      operands.clear();
      for (ClassId c : children) operands.push_back(made.at(graph_->find(c).v));
      const ir::OpId op(graph_->op(top.n));
      const ir::PayloadId payload(graph_->payload(top.n));
      ir::ValueId v;
      const ir::Inferred type = builder.try_add(op, payload, operands, v);
      if (!type) v = builder.add_typed(op, payload, operands, graph_->data(top.c).type);
      if (const auto it = first_of.find(top.c.v); it != first_of.end() && !source_.name(it->second).empty())
        builder.set_name(v, source_.name(it->second));
      made.emplace(top.c.v, v);
      open.erase(top.c.v);
      stack.pop_back();
    }
    return true;
  };
  for (ClassId c : roots())
    if (!build(c)) return std::nullopt;
  std::vector<ir::ValueId> outputs;
  for (ir::ValueId o : source_.outputs()) outputs.push_back(made.at(graph_->find(class_of_[o.index()]).v));
  builder.donate_as(source_);
  return builder.finish(std::move(outputs));
}

size_t tensat_count(const TensorEGraph& program) {
  const EGraph& g = program.graph();
  const ir::Context& ctx = program.context();
  // Operators by word: which slots are literals, which are names; shuffle is always written 1.
  std::unordered_map<uint32_t, const ir::TasoWord*> words;
  for (const ir::TasoWord& w : ir::taso_words())
    if (const ir::OpId op = ctx.ops().find(w.op); op.valid()) words.emplace(op.v, &w);
  std::set<int64_t> integers;
  std::set<uint32_t> names;
  size_t leaves = 0;
  for (uint32_t i = 0; i < g.slots(); ++i) {
    const NodeId n(i);
    if (g.dead(n)) continue;
    const ir::OpDef& def = ctx.ops().get(ir::OpId(g.op(n)));
    if (def.kind == ir::MeaningKind::kLeaf) ++leaves;  // its name is an e-node there
    const auto it = words.find(g.op(n));
    if (it == words.end()) continue;
    const auto attrs = ctx.get(ir::PayloadId(g.payload(n)));
    for (const ir::TasoChild& child : it->second->children) {
      if (child.kind == ir::TasoChildKind::kIgnored) integers.insert(1);
      if (child.attr.empty()) continue;
      const ir::AttrId id = attrs[static_cast<size_t>(def.attr_index(child.attr))];
      if (!id.valid()) continue;
      if (child.kind == ir::TasoChildKind::kInteger)
        integers.insert(std::get<int64_t>(ctx.get(id)));
      else
        names.insert(id.v);
    }
  }
  return g.live_nodes() + leaves + integers.size() + names.size();
}

}  // namespace isomer::rewrite
