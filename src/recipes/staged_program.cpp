#include "recipes/staged_program.h"

#include "formats/onnx.h"
#include "ir/same_structure.h"

namespace isomer::recipes {
StagedProgram stage(const Program& program, ir::Graph graph, const std::string& output) {
  StagedProgram staged{std::make_unique<Staging>(output), std::move(graph)};
  formats::OnnxWriteOptions options;
  options.contrib = program.contrib;
  options.durable = false;
  formats::write_onnx(staged.graph, *program.envelope, staged.model(), options);
  staged.graph.context().release_constants();
  return staged;
}

bool reads_back(const Program& program, const StagedProgram& staged) {
  const formats::OnnxModel again =
      formats::read_onnx(staged.graph.context(), staged.model(), {{}, program.contrib});
  return ir::same_structure(again.graph, staged.graph, ir::Identities::kRenamed);
}

std::vector<Entrant> enter(const Rewriting& rewriting, std::vector<Candidate> candidates,
                           const Program& program, OptimizeResult& result) {
  std::vector<Entrant> entrants;
  std::string first_reason;
  for (Candidate& candidate : candidates) {
    std::string why;
    std::optional<ir::Graph> graph = rewriting.fold(candidate.extraction, result, why);
    if (graph)
      if (const std::string bad = formats::unspellable(*graph, program.dialect()); !bad.empty())
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
