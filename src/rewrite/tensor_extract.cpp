#include "rewrite/tensor_extract.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "extract/bounded.h"

namespace isomer::rewrite {

using egraph::ClassId;
using egraph::NodeId;

egraph::FlatProblem flat_problem(const TensorEGraph& program, cost::CostModel& model,
                                 const ExtractOptions& options) {
  const EGraph& g = program.graph();
  ir::Context& ctx = program.context();
  NodePrices prices(g, ctx, model, options.prices);
  const auto price = [&](NodeId n) {
    return options.allowed && !options.allowed(n) ? Pricer::kNever : prices(n);
  };
  const std::vector<ClassId> roots = program.roots();
  return egraph::flat_problem(g, roots, price);
}

namespace {

/// Nodes that the problem does not have are left out.
extract::Selection selection_of(const egraph::FlatProblem& flat, std::span<const NodeId> nodes) {
  std::unordered_set<uint32_t> wanted;
  for (const NodeId n : nodes) wanted.insert(n.v);
  extract::Selection out(flat.problem.classes());
  for (uint32_t n = 0; n < flat.node_of.size(); ++n)
    if (wanted.contains(flat.node_of[n].v))
      out.pick(flat.problem.class_of(extract::NodeId(n)), extract::NodeId(n));
  return out;
}

extract::Extraction extract_within(const TensorEGraph& program, const egraph::FlatProblem& flat,
                                   const ExtractOptions& options, double& peak) {
  const double begin = thread_cpu_seconds();
  const extract::Resource memory{result_bytes(program, flat), options.memory_limit,
                                 extract::Resource::Kind::kPeak};
  const extract::BoundedOutcome outcome =
      extract::extract_within(flat.problem, memory, extract::Deadline(options.limits, options.cpu_clock));
  extract::Extraction picked;
  picked.found = outcome.found;
  picked.selection = outcome.selection;
  picked.dag_cost = outcome.cost;
  picked.bound = outcome.bound;
  picked.optimal = outcome.optimal;
  picked.stop_reason = outcome.stop_reason;
  picked.cpu_seconds = thread_cpu_seconds() - begin;
  peak = outcome.use;
  return picked;
}

}  // namespace

std::vector<double> result_bytes(const TensorEGraph& program, const egraph::FlatProblem& flat) {
  const EGraph& g = program.graph();
  const ir::Context& ctx = program.context();
  const auto bytes = [&](auto&& self, ir::TypeId id) -> double {
    const ir::Type& type = ctx.get(id);
    if (type.is_static_tensor())
      return static_cast<double>(ir::byte_size(type.dtype, ir::element_count(type.shape)));
    double sum = 0;
    for (ir::TypeId element : type.elements) sum += self(self, element);
    return sum;
  };
  std::vector<double> out;
  for (NodeId n : flat.node_of) {
    const TensorFacts& own = g.data(g.class_of(n));
    const ir::OpDef& def = ctx.ops().get(ir::OpId(g.op(n)));
    // A tuple's parts are parts of it, or what it was made of.
    const bool view = def.kind == ir::MeaningKind::kTuple;
    out.push_back(own.is_weight || view ? 0 : bytes(bytes, own.type));
  }
  return out;
}

ir::Graph program_of(const TensorEGraph& program, const egraph::FlatProblem& flat,
                     const extract::Selection& selection) {
  const std::vector<NodeId> picked = flat.picked(selection);
  std::unordered_map<uint32_t, NodeId> by_class;
  for (size_t c = 0; c < picked.size(); ++c)
    if (picked[c].valid()) by_class.emplace(flat.class_of[c].v, picked[c]);
  return program.to_graph([&](ClassId c) {
    const auto it = by_class.find(c.v);
    return it == by_class.end() ? NodeId() : it->second;
  });
}

TensorExtraction extract(const TensorEGraph& program, const Alternatives& alternatives,
                         cost::CostModel& model, const ExtractOptions& options) {
  const egraph::FlatProblem flat = flat_problem(program, model, options);
  double peak = 0;
  std::optional<extract::Selection> known;
  if (!options.start.empty()) known = selection_of(flat, options.start);
  const extract::Extraction picked =
      std::isfinite(options.memory_limit)
          ? extract_within(program, flat, options, peak)
          : extract::extract(flat.problem, options.extractor, options.limits,
                             {.cpu_clock = options.cpu_clock, .start = known ? &*known : nullptr});
  TensorExtraction out{picked.found,
                       picked.found ? program_of(program, flat, picked.selection) : program.source(),
                       picked.dag_cost,
                       picked.bound,
                       picked.optimal,
                       picked.stop_reason,
                       picked.cpu_seconds,
                       {},
                       {},
                       peak};
  if (picked.found)
    for (const NodeId n : flat.picked(picked.selection)) {
      if (!n.valid()) continue;
      out.nodes.push_back(n);
      if (const uint32_t made_by = alternatives.maker(n); made_by != Alternatives::kNone)
        out.instances.push_back(made_by);
    }
  std::ranges::sort(out.nodes);
  std::ranges::sort(out.instances);
  out.instances.erase(std::unique(out.instances.begin(), out.instances.end()), out.instances.end());
  return out;
}

std::vector<std::pair<std::string, size_t>> rules_used(const TensorExtraction& result,
                                                       const Saturation& saturation) {
  std::map<uint32_t, size_t> uses;
  for (uint32_t i : result.instances) ++uses[saturation.alternatives().applications()[i].source];
  std::vector<std::pair<std::string, size_t>> out;
  for (const auto& [rule, count] : uses)
    out.emplace_back(saturation.alternatives().source(rule).name(), count);
  return out;
}

}  // namespace isomer::rewrite
