// What a search is about: the program at model sizes, as kinds, and its saturated expression.
#include <fmt/format.h>

#include <algorithm>

#include "meaning/flatten.h"
#include "mugraph/generate.h"
#include "support/errors.h"

namespace isomer::mugraph {
namespace {

constexpr int64_t kLeastCut = 8;  // dimensions below this are not cut

}  // namespace

Ground::Ground(const Program& program, const Extents& model, const Extents& full,
               const SearchOptions& options, const Ground* first)
    : kinds(*options.ops, terms, axes) {
  std::vector<TermId> variables;
  std::vector<AxisList> names;
  const auto sizes = program.input_sizes(model);
  for (size_t i = 0; i < sizes.size(); ++i) {
    Kind k{terms.variable(i), sizes[i], {}};
    for (const std::string& dim : program.inputs[i].dims) {
      AxisId axis = kAnyAxis;
      for (const std::string& name : factors(dim)) {
        const AxisId part = full.at(name) == 1 ? kAnyAxis : axes.named(name);
        axis = axis == kAnyAxis ? part : axes.side_by_side(axis, part, model.at(name));
        if (std::ranges::find(program.batch, name) != program.batch.end())
          batch.insert(axes.named(name));
        else if (full.at(name) >= kLeastCut)
          cuttable.insert(axes.named(name));
      }
      k.axes.push_back(axis);
    }
    variables.push_back(k.term);
    names.push_back(k.axes);
    inputs.push_back(kinds.add(k));
  }
  ir::Context ctx(options.ops->declarations());
  const ir::Graph graph = program.graph(ctx, model);
  const auto target = abstract(terms, graph, variables);
  const auto out_axes = derive_axes(axes, meaning::flatten(graph).graph, names);
  if (!target || !out_axes)
    throw InputError(
        fmt::format("program {} has no abstract expression: some operator of it is outside of what "
                    "is searched",
                    program.name));
  goal = {(*target)[0], ir::sizes(graph.type(graph.outputs()[0]).shape), (*out_axes)[0]};
  if (first != nullptr)
    oracle.emplace(*first->oracle, terms);
  else  // sums over all iterations of a block's loops are to be known
    oracle.emplace(terms, *target, 200'000, options.loop_dims > 1 ? kModelLoop : 1);
}

}  // namespace isomer::mugraph
