#include "recipes/hlo_check.h"

#include <string>

#include "formats/hlo_graph.h"
#include "ir/op_table.h"
#include "support/possible.h"

namespace isomer::recipes {

FoundCheck check_module(const hlo::Module& start, const hlo::Module& found, double seconds,
                        const Deadline& until) {
  ir::Context ctx(ir::standard_ops());
  std::string why;
  // A place in a module that was made is none in the file that the user has.
  const auto said = [&](const hlo::Module& module, const std::string& file) -> std::optional<ir::Graph> {
    auto graph = possible([&] { return formats::hlo_graph(ctx, module); });
    if (graph) return std::move(graph.value);
    why = graph.why_not;
    if (why.starts_with(module.file)) why.replace(0, module.file.size(), file);
    return std::nullopt;
  };
  FoundCheck out;
  const std::optional<ir::Graph> a = said(start, start.file);
  const std::optional<ir::Graph> b = a ? said(found, "the result") : std::nullopt;
  if (a && b) return check_evaluated(*a, *b, seconds, until);
  out.field.note = out.floats.note = why;
  return out;
}

}  // namespace isomer::recipes
