#include "recipes/import_selection.h"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <utility>

#include "extract/check.h"
#include "extract/egraph_json.h"
#include "ir/op_table.h"
#include "recipes/compare.h"
#include "recipes/egraph_file.h"
#include "recipes/fold_checked.h"
#include "recipes/load.h"
#include "recipes/program_size.h"
#include "recipes/staged_program.h"
#include "rewrite/tensor_egraph.h"
#include "support/errors.h"
#include "support/files.h"
#include "support/outputs.h"

namespace isomer::recipes {
namespace {

/// The program that the selection picks. Classes of the file may turn out to be equal: the first pick counts.
ir::Graph picked(const Program& program, const extract::SerializedEGraph& file,
                 const extract::Selection& selection, const ImportOptions& options) {
  rewrite::TensorEGraph eg(program.graph);
  const Rebuilt rebuilt = rebuild(eg, file, options.egraph);
  std::vector<egraph::NodeId> pick(eg.graph().slots());
  for (uint32_t c = 0; c < selection.classes(); ++c)
    if (egraph::NodeId& own = pick[rebuilt.class_of[c].index()]; !own.valid())
      if (const extract::NodeId n = selection[extract::ClassId(c)]; n.valid())
        own = rebuilt.node_of[n.index()];
  std::string why;
  auto out = eg.try_graph([&](egraph::ClassId c) { return pick[c.index()]; }, why);
  if (!out) throw InputError({options.selection, 0, 0}, why);
  return std::move(*out);
}

}  // namespace

ImportResult import_selection(const ImportOptions& options) {
  if (!options.model.ends_with(".onnx"))
    throw UsageError("--model " + options.model + ": expected an ONNX model");
  check_outputs(
      std::array<NamedFile, 1>{{{"--output", options.output}}},
      std::array<NamedFile, 3>{
          {{"SELECTION", options.selection}, {"--egraph", options.egraph}, {"--model", options.model}}});
  const extract::SerializedEGraph file = extract::read_egraph_json(options.egraph);
  const extract::Selection selection =
      extract::parse_selection_json(file, read_file(options.selection), options.selection);
  const extract::Verdict valid = extract::check(file.problem, selection);
  if (!valid.valid) throw InputError({options.selection, 0, 0}, "expected a valid selection: " + valid.fault);

  ir::Context ctx(ir::standard_ops());
  const Program program = load_program(ctx, options.model, parse_dims(options.dims));
  const ir::Graph result = fold_checked(picked(program, file, selection, options));
  if (const std::string bad = formats::unspellable(result, program.dialect()); !bad.empty())
    throw InputError({options.selection, 0, 0}, "what it picks cannot be written as ONNX: " + bad);

  const StagedProgram staged = stage(program, result, options.output);
  std::optional<StagedProgram> original;  // as it is meant where dimensions are fixed
  if (!program.dims.empty()) original.emplace(stage(program, program.graph, options.output));
  ImportResult out{size_of(program.graph).operators, size_of(result).operators, valid.dag_cost,
                   compare(original ? original->model() : options.model, staged.model(), options.compare)};
  if (!out.comparison.equivalent)
    throw VerificationError(
        fmt::format("what {} picks is not shown to be equivalent to {} ({}); nothing was written",
                    options.selection, options.model, to_string(out.comparison.verdict)));
  staged.place->publish();
  return out;
}

}  // namespace isomer::recipes
