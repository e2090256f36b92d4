// A program as it would be written: in a staging folder beside its destination.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "recipes/candidates.h"
#include "recipes/decision.h"
#include "recipes/load.h"
#include "recipes/staging.h"

namespace isomer::recipes {

struct StagedProgram {
  std::unique_ptr<Staging> place;
  ir::Graph graph;
  std::string model() const { return place->model(); }
};

/// Writes `graph` with the envelope of `program` beside `output`. Throws InputError when the place cannot be
/// written to.
StagedProgram stage(const Program& program, ir::Graph graph, const std::string& output);
/// The input itself, byte for byte, beside `output`; nothing where it has weights in other files or is not
/// meant as it stands (dimensions were fixed), or was written anew since it was read.
std::optional<StagedProgram> stage_copy(const Program& program, const std::string& input,
                                        const std::string& output);
/// Whether the file reads back as this very graph: for programs that no runtime can compare. Throws
/// InputError when it does not read at all.
bool reads_back(const Program& program, const StagedProgram& staged);

/// Where the result goes when the user does not say: model.onnx -> model.isomer.onnx.
std::string default_output(const std::string& input);

struct Entrant {
  Candidate candidate;
  StagedProgram staged;
};
/// Where they lie.
std::vector<std::string> models_of(const std::vector<Entrant>& entrants);
struct Entrants {
  std::vector<Entrant> list;
  Decision why_none;                ///< where it is empty: why the first candidate dropped out
  std::optional<std::string> late;  ///< a warning: candidates that were not folded by the deadline
};

/// The candidates with constants folded, staged. Those that cannot be written, or whose weights would grow
/// too much, drop out. `weight_bytes`: the original's.
Entrants enter(const Rewriting& rewriting, std::vector<Candidate> candidates, const Program& program,
               const std::string& output, uint64_t weight_bytes, const Deadline& until);

}  // namespace isomer::recipes
