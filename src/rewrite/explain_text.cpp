// A step of a chain in words: terms as in rule files, with the attributes that they had.
#include "ir/print.h"
#include "rewrite/explain_chain.h"

namespace isomer::rewrite {
namespace {

/// "(matmul ?x (concat{axis=1} ?u ?v))"; a variable with one known value as that value.
std::string term(const ir::Graph& graph, ir::ValueId v) {
  const ir::OpDef& def = graph.def(v);
  if (def.is(ir::Core::kInput)) return "?" + graph.name(v);
  if (def.is(ir::Core::kConstant)) {
    const std::string line = ir::print(graph.context(), graph.type_id(v));
    return "(constant " + line + ")";
  }
  std::string out = "(" + def.name;
  if (const std::string attrs = ir::print_attributes(graph, v); !attrs.empty()) out += "{" + attrs + "}";
  for (ir::ValueId o : graph.operands(v)) out += " " + term(graph, o);
  return out + ")";
}

std::string sides(const ir::Graph& graph) {
  std::string out;
  for (ir::ValueId o : graph.outputs()) out += (out.empty() ? "" : "; ") + term(graph, o);
  return out;
}

}  // namespace

StepText describe(const Saturation& saturation, const ChainStep& step) {
  const Application& application = saturation.alternatives().applications()[step.instance];
  const Source& source = saturation.alternatives().source_of(application);
  ir::Context& ctx = saturation.program().context();
  StepText out;
  out.rule = source.name();
  out.variables = source.describe(ctx, application.instance);
  // Values that a variable is known to have stay variables here: the rule is easier to recognise.
  const auto [left, right] = as_programs(ctx, source.equation(ctx, application.instance), Splats::kVariables);
  out.before = sides(step.backward ? right : left);
  out.after = sides(step.backward ? left : right);
  return out;
}

}  // namespace isomer::rewrite
