#include "report/dot.h"

#include <fmt/format.h>

#include "ir/print.h"
#include "support/markup.h"

namespace isomer::report {
namespace {

std::string label(const ir::Graph& graph, ir::ValueId v) {
  const ir::OpDef& def = graph.def(v);
  std::string text = graph.name(v).empty() ? def.name : def.name + "\\n" + quoted_text(graph.name(v));
  if (def.is(ir::Core::kOpaque))
    text = quoted_text(std::get<std::string>(graph.context().get(graph.attrs(v)[1])));
  return text;
}

}  // namespace

std::string to_dot(const ir::Graph& graph) {
  std::string out =
      fmt::format("digraph \"{}\" {{\n  node [shape=box fontname=\"sans\"]; edge [fontsize=9];\n",
                  quoted_text(graph.title()));
  const std::vector<uint32_t> uses = graph.use_counts();
  for (size_t i = 0; i < graph.size(); ++i) {
    const ir::ValueId v(i);
    if (uses[i] == 0 && graph.def(v).kind == ir::MeaningKind::kLeaf) continue;
    const bool leaf = graph.def(v).kind == ir::MeaningKind::kLeaf;
    out += fmt::format("  n{} [label=\"{}\"{}];\n", i, label(graph, v),
                       leaf ? " style=\"rounded,filled\" fillcolor=\"#eeeeee\"" : "");
    for (ir::ValueId o : graph.operands(v))
      out += fmt::format("  n{} -> n{} [label=\"{}\"];\n", o.v, i,
                         quoted_text(ir::print(graph.context(), graph.type_id(o))));
  }
  for (size_t i = 0; i < graph.outputs().size(); ++i)
    out += fmt::format("  out{0} [label=\"output {0}\" shape=oval];\n  n{1} -> out{0};\n", i,
                       graph.outputs()[i].v);
  return out + "}\n";
}

}  // namespace isomer::report
