#include "rewrite/alternative.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ir/print.h"
#include "support/errors.h"

namespace isomer::rewrite {

using egraph::ClassId;

namespace {

std::vector<ir::ValueId> add_variables(ir::Builder& builder, const Equation& equation, Splats splats) {
  ir::Context& ctx = builder.context();
  std::vector<ir::ValueId> out;
  for (size_t i = 0; i < equation.tensors.size(); ++i) {
    const TensorFacts& facts = equation.tensors[i];
    const ir::Type& type = ctx.get(facts.type);
    if (splats == Splats::kConstants && facts.splat.valid() && type.is_static_tensor()) {
      const double value = std::get<double>(ctx.get(facts.splat));
      const ir::ValueId scalar = builder.constant(type.dtype, {}, std::vector<double>{value});
      out.push_back(builder.add("broadcast", {scalar}, {{"shape", type.shape}}));
    } else {
      out.push_back(builder.input(equation.names[i], facts.type));
    }
  }
  return out;
}

ir::Graph as_program(ir::Context& ctx, const Equation& equation, const ExactFragment& side,
                     const std::string& title, Splats splats) {
  ir::Builder builder(ctx, title);
  const std::vector<ir::ValueId> variables = add_variables(builder, equation, splats);
  std::vector<ir::ValueId> made, roots;
  side.fragment.build<ir::ValueId>(
      variables, made, [&](size_t i, const FragmentNode& n, std::span<const ir::ValueId> operands) {
        REQUIRE(side.payloads[i].valid(), "an attribute has no value");
        return builder.add(n.op, side.payloads[i], operands);
      });
  for (uint32_t r : side.fragment.roots) roots.push_back(made[r]);
  return builder.finish(std::move(roots));
}

/// Types of a side's nodes; an invalid one where an operator does not take its operands.
std::vector<TensorFacts> facts_of(TensorAnalysis& analysis, const ExactFragment& side,
                                  std::span<const TensorFacts> tensors) {
  std::vector<TensorFacts> made;
  side.fragment.build<TensorFacts>(
      tensors, made, [&](size_t i, const FragmentNode& n, std::span<const TensorFacts> operands) {
        for (const TensorFacts& o : operands)
          if (!o.type.valid()) return TensorFacts();
        return analysis.make(n.op.v, side.payloads[i].v, operands);
      });
  return made;
}

}  // namespace

std::pair<ir::Graph, ir::Graph> as_programs(ir::Context& ctx, const Equation& equation, Splats splats) {
  return {as_program(ctx, equation, equation.before, equation.title + ".left", splats),
          as_program(ctx, equation, equation.after, equation.title + ".right", splats)};
}

verify::Verdict StatedSource::check(ir::Context& ctx, const Instance&,
                                    const verify::EquivalenceOptions& options) const {
  const auto [before, after] = as_programs(ctx, equation_);
  return verify::check_equivalent(before, after, options);
}

std::string StatedSource::describe(ir::Context& ctx, const Instance& instance) const {
  std::vector<std::string> parts;
  for (size_t i = 0; i < equation_.names.size(); ++i)
    parts.push_back(fmt::format("{}: {}", equation_.names[i], ir::print(ctx, instance.tensors[i].type)));
  return fmt::format("{}", fmt::join(parts, ", "));
}

uint32_t Alternatives::add_source(const Source& source) {
  sources_.push_back(&source);
  return static_cast<uint32_t>(sources_.size() - 1);
}

Applied Alternatives::insert(const Alternative& what, const Instance& instance) {
  EGraph& g = program_.graph();
  const Fragment& fragment = *what.fragment;
  const size_t before = g.slots();
  variables_.clear();
  for (ClassId c : what.variables) variables_.push_back(g.find(c));
  fragment.build<ClassId>(
      variables_, made_, [&](size_t i, const FragmentNode& n, std::span<const ClassId> children) {
        // By the node, for Application::nodes.
        const ClassId made = egraph::as_class(g.add_node(n.op.v, what.payloads[i].v, children));
        if (!what.ranges.empty() && what.ranges[i].valid()) {
          TensorFacts between;
          between.range = what.ranges[i];
          g.refine(made, between);
        }
        return made;
      });
  const auto number = static_cast<uint32_t>(applications_.size());
  bool changed = g.slots() > before;
  for (size_t i = 0; i < what.roots.size(); ++i)
    changed = g.unite(what.roots[i], made_[fragment.roots[i]], {what.source, number}) || changed;
  if (!changed) return Applied::kNothingNew;
  maker_.resize(before, kNone);
  maker_.resize(g.slots(), number);
  std::vector<uint32_t> nodes;
  nodes.reserve(what.variables.size() + made_.size());
  for (ClassId c : what.variables) nodes.push_back(c.v);
  for (ClassId c : made_) nodes.push_back(c.v);
  applications_.push_back({what.source, instance, std::move(nodes)});
  return Applied::kChanged;
}

Applied Alternatives::insert(uint32_t source, const StatedSource& stated, std::span<const ClassId> variables,
                             std::span<const ClassId> roots) {
  const Equation& e = stated.equation();
  EGraph& g = program_.graph();
  REQUIRE(variables.size() == e.tensors.size() && roots.size() == e.after.fragment.roots.size(),
          "an alternative needs a class for each variable and root");
  Instance instance;
  for (size_t i = 0; i < variables.size(); ++i) {
    instance.tensors.push_back(g.data(variables[i]));
    if (instance.tensors.back().type != e.tensors[i].type) return Applied::kIllTyped;
  }
  for (ClassId r : roots) instance.roots.push_back(g.data(r));
  const std::vector<TensorFacts> made = facts_of(g.analysis(), e.after, instance.tensors);
  for (size_t i = 0; i < roots.size(); ++i)
    if (made[e.after.fragment.roots[i]].type != instance.roots[i].type) return Applied::kIllTyped;
  return insert({source, &e.after.fragment, e.after.payloads, {}, variables, roots}, instance);
}

}  // namespace isomer::rewrite
