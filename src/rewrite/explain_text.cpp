// A chain of rewrites in words: terms as in rule files, with the attributes that they had.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "ir/print.h"
#include "rewrite/explain_chain.h"
#include "rewrite/rule_check.h"

namespace isomer::rewrite {
namespace {

/// "(matmul ?x (concat{axis=1} ?u ?v))"; a variable with one known value as that value.
std::string term(const ir::Graph& graph, ir::ValueId v) {
  const ir::OpDef& def = graph.def(v);
  if (def.name == "input") return "?" + graph.name(v);
  if (def.name == "constant") {
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

std::string places_of(const std::vector<std::string>& places) {
  constexpr size_t kNamed = 4;
  std::string out;
  for (size_t i = 0; i < std::min(places.size(), kNamed); ++i) out += (i > 0 ? ", " : "") + places[i];
  if (places.size() > kNamed) out += fmt::format(" and {} more", places.size() - kNamed);
  return out;
}

}  // namespace

StepText describe(const Saturation& saturation, const ChainStep& step) {
  const RuleInstance& instance = saturation.applier().instances()[step.instance];
  const CompiledRule& rule = saturation.compiled(instance.rule);
  // Values that a variable is known to have stay variables here: the rule is easier to recognise.
  RuleInstance plain = instance;
  for (TensorFacts& f : plain.tensors) f.splat = ir::AttrId();
  StepText out;
  out.rule = rule.rule->name;
  out.variables = describe(saturation.program().context(), *rule.rule, instance);
  const auto [left, right] = as_programs(saturation.program().context(), rule, plain);
  out.before = sides(step.backward ? right : left);
  out.after = sides(step.backward ? left : right);
  return out;
}

std::string print(const Saturation& saturation, const RewriteChain& chain) {
  struct Group {
    StepText text;
    bool backward = false;
    size_t first = 0, steps = 0;
    std::vector<std::string> places;
  };
  std::vector<Group> groups;
  std::map<std::string, size_t> index;
  for (size_t i = 0; i < chain.steps.size(); ++i) {
    const ChainStep& step = chain.steps[i];
    StepText text = describe(saturation, step);
    const std::string key = text.rule + "|" + text.variables + "|" + text.before + "|" + text.after;
    const auto [it, fresh] = index.try_emplace(key, groups.size());
    if (fresh) groups.push_back({std::move(text), step.backward, i + 1, 0, {}});
    Group& group = groups[it->second];
    ++group.steps;
    for (const ChainPlace& p : step.places)
      if (!p.where.empty() && std::ranges::find(group.places, p.where) == group.places.end())
        group.places.push_back(p.where);
  }
  std::string out = fmt::format("{} steps by {} rule applications{}\n", chain.steps.size(),
                                chain.instances.size(), chain.minimal ? ", none of them superfluous" : "");
  for (const Group& g : groups) {
    out += fmt::format("\n{}. {}{}{}{}\n", g.first, g.text.rule, g.backward ? ", from right to left" : "",
                       g.steps > 1 ? fmt::format(", {} times", g.steps) : "",
                       g.places.empty() ? "" : ", at " + places_of(g.places));
    out += fmt::format("   {}\n   => {}\n", g.text.before, g.text.after);
    if (!g.text.variables.empty()) out += fmt::format("   with {}\n", g.text.variables);
  }
  return out;
}

}  // namespace isomer::rewrite
