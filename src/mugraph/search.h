// The search for muGraphs (Mirage, section on generation): all kernel graphs up to a size, some of whose
// kernels are block graphs up to a size, that compute a program.
//
// Structure first, sizes after: a structure is found once, at model sizes (grids of two, loops of three,
// tiles of two), where it is also run; the grids and loop ranges of the target are tried on what was found.
// Mirage repeats every step for each schedule. The other differences: the e-graph oracle instead of a solver
// (subexpression.h), bounds on what is still needed (completion.h), axes (axes.h) instead of boxes of
// influence, inputs of graph-defined kernels enumerated as the papers say (all sets) instead of the newest
// two tensors, ranks that compare the newest operand first (the published order, oldest first, loses graphs),
// commuted and repeated values left out.
//
// What is not searched: a grid dimension or loop cuts one axis wherever it occurs in the kernel's inputs; a
// kernel's operands are different tensors; no Concat. Reshape and the operators of online softmax are
// searched where the program names them, Repeat on demand.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mugraph/mugraph.h"
#include "mugraph/programs.h"
#include "mugraph/target.h"
#include "mugraph/verify_mugraph.h"
#include "support/limits.h"

namespace isomer::mugraph {

struct SearchOptions {
  int max_kernel_ops = 5;     ///< program inputs count, as in Mirage
  int max_block_ops = 9;      ///< a block's inputs count, its outputs do not
  int max_block_kernels = 1;  ///< graph-defined kernels
  int max_block_outputs = 2;
  /// Whether elementwise operators of two operands repeat what has one element where the other has many; off:
  /// that takes a `repeat`, as in the first version.
  bool broadcast = true;
  int loop_dims = 1;      ///< axes that the loops of a block cut: 1, as in the papers' searches, or 2
  bool prune = true;      ///< by abstract expressions
  bool canonical = true;  ///< by rank; off: every order of independent operators
  /// With `prune`: leave out what cannot be completed (completion.h). The result is the same without.
  bool look_ahead = true;
  Target target = a100_target();
  /// Where the operators are declared, and those of the program; must outlive what is found.
  const MuOpTable* ops = &standard_mu_ops();
  std::vector<std::string> kernel_ops = {"matmul", "exp", "silu", "sqrt", "square", "add", "mul", "div"};
  std::vector<std::string> block_ops = {
      "matmul", "exp", "silu",     "sqrt",       "square",         "add",
      "mul",    "div", "rms_norm", "accumulate", "accumulate_sum", "accumulate_rms"};
  MuVerifyOptions verify;
  uint64_t seed = 1;
  unsigned threads = 1;       ///< the result is the same with any number, unless a limit ends the search
  std::string checkpoint;     ///< a file that keeps what is finished; a search that finds it goes on there
  bool record_terms = false;  ///< fill SearchResult::terms
  Limits limits;              ///< nodes: states; after an interrupt some of what was built is still judged
};

/// In blocks, by the first version's way; in kernels the first of them.
inline constexpr std::string_view kSeedOps[] = {"repeat", "reshape"};

/// The first version's way: Repeat and Reshape are operators, one of either more fits in a block, and nothing
/// is repeated without.
void search_as_seed(SearchOptions& options);

/// The project's presets: attention (two graph-defined kernels, reduce-to-X) for programs with a batch
/// dimension, else the defaults.
SearchOptions preset_for(const Program& program);

struct FoundMuGraph {
  MuGraph model;                   ///< at model sizes
  MuVerdict verdict;               ///< of the first schedule
  std::vector<MuGraph> schedules;  ///< at the full sizes, cheapest first; each fits the memory
  std::vector<double> costs;       ///< of the schedules: seconds (kernel_cost.h)
};

struct SearchResult {
  std::vector<FoundMuGraph> found;  ///< in the order of the enumeration
  uint64_t states = 0;
  uint64_t queries = 0;  ///< asked of the oracle
  uint64_t pruned = 0;   ///< applications that no part of the program equals
  uint64_t distinct_terms = 0;
  uint64_t candidates = 0;        ///< complete graphs whose expression equals the program's
  uint64_t tested = 0;            ///< of these, unique ones, run over the field
  uint64_t passed = 0;            ///< structures that agreed with the program
  uint64_t without_schedule = 0;  ///< of these, structures that no grid of the target fits
  uint64_t cut = 0;               ///< structures that have more schedules than are looked at (schedules.h)
  bool pruning_complete = true;   ///< the oracle was saturated
  std::string target;             ///< the program's abstract expression
  /// Every abstract expression that the search met, and whether it can be a part of the program.
  std::vector<std::pair<std::string, bool>> terms;
  uint64_t resumed = 0;    ///< parts of the search that the checkpoint had
  double cpu_seconds = 0;  ///< of all threads
  StopReason stop_reason = StopReason::kRunning;

  size_t schedules() const;
};

/// `extents`: the full sizes of the program's dimensions. UsageError where the limits of size leave no
/// kernel, or are beyond what is counted (62 tensors).
SearchResult search(const Program& program, const Extents& extents, const SearchOptions& options);

/// A number for what decides which kernel graphs a search looks at: the program whatever it and its
/// dimensions are called, its sizes, the operators (by name and row of their table) and limits of size.
uint64_t search_number(const Program& program, const Extents& extents, const SearchOptions& options);

}  // namespace isomer::mugraph
