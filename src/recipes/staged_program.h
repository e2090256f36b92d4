// A program as it would be written: in a staging folder beside its destination.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "recipes/candidates.h"
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
/// Whether the file reads back as this very graph: for programs that no runtime can compare. Throws
/// InputError when it does not read at all.
bool reads_back(const Program& program, const StagedProgram& staged);

struct Entrant {
  Candidate candidate;
  StagedProgram staged;
};
/// The candidates with constants folded, staged. Those that cannot be written, or whose weights would grow
/// too much, drop out, and those that are not folded by the deadline (a warning says so); when none is left
/// `result.decision` says why.
std::vector<Entrant> enter(const Rewriting& rewriting, std::vector<Candidate> candidates,
                           const Program& program, const Deadline& until, OptimizeResult& result);

}  // namespace isomer::recipes
