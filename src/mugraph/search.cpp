#include "mugraph/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "eval/field.h"
#include "eval/flatten.h"
#include "eval/interpreter.h"
#include "ir/op_table.h"
#include "mugraph/generate.h"
#include "mugraph/kernel_cost.h"
#include "mugraph/lower.h"
#include "mugraph/schedules.h"
#include "mugraph/structural_hash.h"
#include "support/errors.h"
#include "support/hash.h"

namespace isomer::mugraph {
namespace {

constexpr int64_t kLeastCut = 8;  // dimensions below this are not cut

using FieldTensor = eval::Value<eval::FieldValue>;

class FieldFilter {
 public:
  FieldFilter(const ir::Graph& program, uint64_t seed) : seed_(seed) {
    for (size_t i = 0; i < program.inputs().size(); ++i) {
      eval::Tensor<eval::FieldValue> t{
          ir::DType::kF32, ir::sizes(program.type(program.inputs()[i]).shape), {}, {}};
      for (int64_t n = 0; n < t.count(); ++n)
        t.numbers.push_back(
            eval::PrimeField::from_hash(hash_combine(hash_combine(seed, i), static_cast<uint64_t>(n))));
      inputs_.push_back(eval::make_value(std::move(t)));
    }
    eval::PrimeField field(seed_);
    expected_ = eval::evaluate<eval::PrimeField>(field, program, inputs_)[0];
  }

  bool agrees(const MuGraph& graph) const {
    ir::Context ctx(ir::standard_ops());
    eval::PrimeField field(seed_);
    const auto is = eval::evaluate<eval::PrimeField>(field, lower(ctx, graph), inputs_)[0];
    return std::ranges::equal(is.tensor->numbers, expected_.tensor->numbers,
                              [](const auto& a, const auto& b) { return a.p == b.p; });
  }

 private:
  uint64_t seed_;
  std::vector<FieldTensor> inputs_;
  FieldTensor expected_;
};

}  // namespace

size_t SearchResult::schedules() const {
  size_t n = 0;
  for (const FoundMuGraph& f : found) n += f.schedules.size();
  return n;
}

SearchOptions preset_for(const Program& program) {
  SearchOptions o;
  o.max_block_kernels = program.block_kernels;
  o.max_kernel_ops = std::max<int>(o.max_kernel_ops, static_cast<int>(program.inputs.size()) + 2);
  o.block_ops.insert(o.block_ops.end(), program.extra_ops.begin(), program.extra_ops.end());
  return o;
}

SearchResult search(const Program& program, const Extents& extents, const SearchOptions& options) {
  const double begin = thread_cpu_seconds();
  SearchResult result;
  ir::Context ctx(ir::standard_ops());
  // Model sizes: two blocks of three iterations of two elements.
  Extents model;
  for (const auto& [name, size] : extents) {
    const bool batch = std::ranges::find(program.batch, name) != program.batch.end();
    model[name] = std::min(size, batch ? kModelGrid : kModelGrid * kModelLoop * kModelTile);
    if (!batch && size > 1) model[name] = kModelGrid * kModelLoop * kModelTile;
  }
  Terms terms;
  Axes axes;
  Kinds kinds(standard_mu_ops(), terms, axes);
  std::vector<KindId> inputs;
  std::vector<TermId> variables;
  std::vector<AxisList> names;
  std::set<AxisId> cuttable, batch;
  const auto sizes = program.input_sizes(model);
  for (size_t i = 0; i < sizes.size(); ++i) {
    Kind k{terms.variable(i), sizes[i], {}};
    for (const std::string& dim : program.inputs[i].dims) {
      AxisId axis = kAnyAxis;
      for (const std::string& name : factors(dim)) {
        const AxisId part = extents.at(name) == 1 ? kAnyAxis : axes.named(name);
        axis = axis == kAnyAxis ? part : axes.side_by_side(axis, part, model.at(name));
        if (std::ranges::find(program.batch, name) != program.batch.end())
          batch.insert(axes.named(name));
        else if (extents.at(name) >= kLeastCut)
          cuttable.insert(axes.named(name));
      }
      k.axes.push_back(axis);
    }
    variables.push_back(k.term);
    names.push_back(k.axes);
    inputs.push_back(kinds.add(k));
  }
  const ir::Graph graph = program.graph(ctx, model);
  const auto target = abstract(terms, graph, variables);
  const auto out_axes = derive_axes(axes, eval::flatten(graph).graph, names);
  if (!target || !out_axes)
    throw InputError(
        fmt::format("program {} has no abstract expression: some operator of it is outside of what "
                    "is searched",
                    program.name));
  const ir::Type& out_type = graph.type(graph.outputs()[0]);
  const Goal goal{(*target)[0], {(*target)[0], ir::sizes(out_type.shape), (*out_axes)[0]}};
  SubexpressionOracle oracle(terms, *target);
  result.pruning_complete = oracle.saturated();
  const FieldFilter filter(graph, options.seed);

  std::set<uint64_t> seen;
  const auto accept = [&](const MuGraph& candidate) {
    if (!seen.insert(structural_hash(candidate)).second) return true;
    ++result.tested;
    MuGraph sized = candidate;
    if (!infer_sizes(sized).empty() || !check_spec(sized).empty() || !filter.agrees(sized)) return false;
    ++result.passed;
    FoundMuGraph found;
    found.schedules = schedules_of(sized, program, extents, options.memory);
    if (found.schedules.empty()) {
      ++result.without_schedule;
      return true;
    }
    found.model = std::move(sized);
    MuVerifyOptions field_only = options.verify;
    field_only.floats = false;
    found.verdict = verify_mugraph(found.schedules[0], program, field_only);
    if (!found.verdict.verdict.equivalent()) return false;
    for (const MuGraph& g : found.schedules)
      found.costs.push_back(traffic_cost(g, options.memory.element_bytes));
    result.found.push_back(std::move(found));
    return true;
  };
  Generator(options, kinds, oracle, goal, cuttable, batch, kModelGrid * kModelLoop * kModelTile, accept,
            result)
      .run(inputs);
  // The full shape in double precision for what would be taken: the cheapest.
  if (options.verify.floats && !result.found.empty()) {
    auto best = std::ranges::min_element(result.found, {}, [](const FoundMuGraph& f) { return f.costs[0]; });
    best->verdict = verify_mugraph(best->schedules[0], program, options.verify);
    if (!best->verdict.verdict.equivalent()) result.found.erase(best);
  }
  result.queries = oracle.queries();
  result.distinct_terms = terms.size();
  result.cpu_seconds = thread_cpu_seconds() - begin;
  result.target = print(terms, goal.term);
  if (options.record_terms)
    for (TermId t = 0; t < terms.size(); ++t) result.terms.emplace_back(print(terms, t), oracle.may_occur(t));
  return result;
}

}  // namespace isomer::mugraph
