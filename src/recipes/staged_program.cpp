#include "recipes/staged_program.h"

#include <fmt/format.h>

#include <fstream>

#include "formats/onnx.h"
#include "formats/onnx_external.h"
#include "ir/same_structure.h"
#include "support/errors.h"

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

std::optional<StagedProgram> stage_copy(const Program& program, const std::string& input,
                                        const std::string& output) {
  const bool as_read = program.dims.empty() && stamp_of(input) == program.stamp;
  if (!as_read || !formats::data_files(*program.envelope).empty()) return std::nullopt;
  StagedProgram staged{std::make_unique<Staging>(output), program.graph};
  // Not copy_file, which copies permissions too: nobody asks that a copy be read-only.
  std::ifstream from(input, std::ios::binary);
  std::ofstream to(staged.model(), std::ios::binary);
  to << from.rdbuf();
  if (!from || !to.flush())
    throw InputError(fmt::format("{}: the input could not be copied", staged.model()));
  return staged;
}

bool reads_back(const Program& program, const StagedProgram& staged) {
  const formats::OnnxModel again =
      formats::read_onnx(staged.graph.context(), staged.model(), {{}, program.contrib});
  return ir::same_structure(again.graph, staged.graph, ir::Identities::kRenamed);
}

std::string default_output(const std::string& input) {
  const std::string stem = input.ends_with(".onnx") ? input.substr(0, input.size() - 5) : input;
  return stem + ".isomer.onnx";
}

std::vector<std::string> models_of(const std::vector<Entrant>& entrants) {
  std::vector<std::string> models;
  for (const Entrant& e : entrants) models.push_back(e.staged.model());
  return models;
}

Entrants enter(const Rewriting& rewriting, std::vector<Candidate> candidates, const Program& program,
               const std::string& output, uint64_t weight_bytes, const Deadline& until) {
  Entrants out;
  size_t late = 0;
  std::string late_reason;
  for (Candidate& candidate : candidates) {
    FoldedProgram folded = rewriting.fold(candidate.extraction, weight_bytes, until);
    if (folded.graph)
      if (const std::string bad = formats::unspellable(*folded.graph, program.dialect()); !bad.empty())
        folded.why = "what was found cannot be written as ONNX: " + bad;
    if (folded.ended_by != StopReason::kRunning) {
      ++late;
      late_reason = folded.why;
    }
    if (folded.why.empty())
      out.list.push_back({std::move(candidate), stage(program, std::move(*folded.graph), output)});
    else if (!out.why_none.is_made())
      out.why_none = original_since(folded.why);
  }
  if (late > 0)
    out.late = fmt::format("{} of {} candidates were dropped: {}", late, candidates.size(), late_reason);
  return out;
}

}  // namespace isomer::recipes
