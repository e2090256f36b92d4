// Mirage's way (Wu et al. 2024, 2025): a program, or a piece of a model, is searched for the kernels that
// compute it; they are judged, scheduled and priced, and the cheapest is held to narrow formats. The same
// verdict for kernels that a file holds.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mugraph/numerics.h"
#include "mugraph/search.h"
#include "mugraph/subprograms.h"
#include "support/limits.h"
#include "support/store.h"

namespace isomer::recipes {

/// Which program: one known by name, or a piece of a file.
struct KernelProgram {
  std::string name, file;
  std::optional<size_t> part;     ///< of the pieces of the file
  std::vector<std::string> dims;  ///< name=value: of the program's dimensions, or dynamic ones of the file
};
/// `how`: how a name is given. UsageError where neither or both are, or the file has no such piece.
mugraph::Program choose_program(const KernelProgram& which, std::string_view how);
/// The sizes at which it is searched. UsageError for a dimension that it has not.
mugraph::Extents extents_of(const mugraph::Program& program, const KernelProgram& which);

struct KernelSearch {
  mugraph::SearchResult result;
  bool kept = false;  ///< by an earlier search, in the store
  /// Seconds by the cost model: all schedules of all structures, the cheapest first.
  std::vector<std::pair<double, const mugraph::MuGraph*>> schedules;
};
/// What is kept in the store counts, unless `fresh` or expressions are recorded. Error (130) where the search
/// was interrupted before anything was found.
KernelSearch search_kernels(const mugraph::Program& program, const mugraph::Extents& extents,
                            const mugraph::SearchOptions& options, bool fresh, Store& store);

/// The same of a piece of a graph, which is searched without what is set aside of it (mugraph/set_aside.h):
/// that is put back, and what comes of it judged over the field as the whole piece; the structures' models
/// stay those of the search. Schedules that are not `allowed` are left out.
KernelSearch search_piece(const mugraph::Subprogram& piece, const mugraph::Target& target,
                          const Limits& limits, const std::function<bool(const mugraph::MuGraph&)>& allowed,
                          Store& store);

/// One muGraph of a file: its verdict and, where it computes the program and `floats` are asked for, its
/// errors in narrow formats.
struct JudgedKernel {
  size_t index = 0;
  mugraph::MuVerdict verdict;
  std::vector<mugraph::FormatError> errors;
};
struct KernelsJudged {
  size_t judged = 0, accepted = 0;  ///< fewer are judged than there are where it was stopped
};
KernelsJudged judge_kernels(std::span<const mugraph::MuGraph> graphs, const mugraph::Program& program,
                            const mugraph::MuVerifyOptions& options, const mugraph::NumericsOptions& numerics,
                            const StopToken& stop, const std::function<void(const JudgedKernel&)>& done);

}  // namespace isomer::recipes
