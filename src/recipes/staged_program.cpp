#include "recipes/staged_program.h"

#include <map>

#include "formats/onnx.h"
#include "ir/dag_hash.h"
#include "ir/op_table.h"

namespace isomer::recipes {
namespace {

/// How often each operator occurs; opaque ones by what their format calls them.
std::map<std::string, size_t> census(const ir::Graph& graph) {
  std::map<std::string, size_t> count;
  const ir::OpId opaque = graph.context().ops().at("opaque");
  for (size_t i = 0; i < graph.size(); ++i) {
    const ir::ValueId v(i);
    const std::string& name = graph.op(v) == opaque
                                  ? std::get<std::string>(graph.context().get(graph.attrs(v)[1]))
                                  : graph.def(v).name;
    if (graph.def(v).kind != ir::MeaningKind::kLeaf) ++count[name];
  }
  return count;
}

ReadBack read_back(const ir::Graph& graph, const std::string& path) {
  const formats::OnnxModel again = formats::read_onnx(graph.context(), path);
  if (ir::dag_hash(again.graph) == ir::dag_hash(graph)) return ReadBack::kSameProgram;
  return census(again.graph) == census(graph) ? ReadBack::kSameOperators : ReadBack::kOther;
}

}  // namespace

StagedProgram stage(const Program& program, ir::Graph graph, const std::string& output) {
  StagedProgram staged{std::make_unique<Staging>(output), std::move(graph), ReadBack::kOther};
  formats::write_onnx(staged.graph, *program.envelope, staged.model());
  staged.graph.context().release_constants();
  staged.back = read_back(staged.graph, staged.model());
  return staged;
}

std::vector<Entrant> enter(const Rewriting& rewriting, std::vector<Candidate> candidates,
                           const Program& program, OptimizeResult& result) {
  std::vector<Entrant> entrants;
  std::string first_reason;
  for (Candidate& candidate : candidates) {
    std::string why;
    std::optional<ir::Graph> graph = rewriting.fold(candidate.extraction, result, why);
    if (graph)
      if (const std::string bad = formats::unspellable(*graph, program.envelope->opset()); !bad.empty())
        why = "what was found cannot be written as ONNX: " + bad;
    if (why.empty())
      entrants.push_back({std::move(candidate), stage(program, std::move(*graph), result.output)});
    else if (first_reason.empty())
      first_reason = why;
  }
  if (entrants.empty()) result.decision = "the original program: " + first_reason;
  return entrants;
}

}  // namespace isomer::recipes
