// Constant folding, and its one owner: what depends on constants alone becomes a constant when a result is
// written. Real arithmetic is done in double precision and rounded once, to the element type of the value
// that stays; movement copies bits. Values are converted, computed and released one by one.
#pragma once

#include <cstdint>
#include <limits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/graph.h"
#include "support/deadline.h"

namespace isomer::eval {

struct FoldOptions {
  /// How many bytes the result's constants may hold more than the graph's. Where they would hold more, the
  /// dearest expressions stay, and what these are computed from is folded.
  int64_t max_growth_bytes = std::numeric_limits<int64_t>::max();
  /// Results of folding other graphs of the same context, by the hash of the expression (ir/dag_hash.h): used
  /// and added to. Programs of one e-graph share most of their constant expressions.
  std::unordered_map<uint64_t, ir::ConstantId>* memo = nullptr;
  /// Only what has the same bits when it is computed operator by operator: movement, and the operators that
  /// IEEE 754 rounds correctly, each result rounded.
  bool exact = false;
  /// What overflows, is NaN or vanishes as a whole, though what it is computed from does not, stays as it is.
  bool finite = false;
  /// Elements of each product of a library that are held to the interpreter's reference, as they are made.
  int checked_samples = 4;
  /// Looked at within operators too; so is the work of a large one before it is begun.
  Deadline until = {};
  /// Resident size of the process: what would not fit under it stays as it is.
  uint64_t memory_bytes = std::numeric_limits<uint64_t>::max();
};

struct FoldStatistics {
  size_t nodes_folded = 0;  ///< operators that were computed; those remembered are not counted
  size_t constants_added = 0;
  int64_t bytes_before = 0;  ///< of all constants that the graph needs
  int64_t bytes_after = 0;
};

struct Folded {
  ir::Graph graph;
  FoldStatistics statistics;
  std::vector<std::pair<ir::ValueId, ir::ConstantId>>
      constants;                          ///< values of the original and what they became
  std::vector<ir::ValueId> not_finite{};  ///< values of the original that stay for that (FoldOptions::finite)
  /// kTimeLimit or kInterrupted where that ended it: the graph is then as it was, nothing of it folded.
  StopReason stop_reason = StopReason::kSaturated;
};

/// The graph with every maximal constant expression replaced. Weights without contents, opaque operators and
/// what has symbolic shapes stay; a `broadcast` that a kept operator reads stays too, since formats absorb
/// it. Throws VerificationError where a library's product is wrong.
Folded fold(const ir::Graph& graph, const FoldOptions& options = {});

/// What folding would leave, without computing anything.
struct FoldPlan {
  std::vector<bool> stays;  ///< by value: computed at run time, or an input
  int64_t bytes = 0;        ///< of the constants
};
FoldPlan plan_fold(const ir::Graph& graph, const FoldOptions& options = {});

}  // namespace isomer::eval
