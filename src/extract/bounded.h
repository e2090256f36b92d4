// Costs of two kinds: the cheapest selection whose use of something else, such as memory, stays within a
// bound.
//
// Preprocessing by dominance is not for two kinds of cost, so the cover model (cover_model.h) is solved as it
// is, with one more row where uses add up. Peaks do not add up. A node that holds more than the bound by
// itself and its operands can be dropped in any schedule; beyond that, a solution whose schedule exceeds the
// bound is forbidden by a row of its own and the next best is looked for, so that a result that is called
// optimal is so for the schedule that peak_use() makes. Incumbents come from a sweep of prices on the use
// (Lagrange).
#pragma once

#include <limits>
#include <span>

#include "extract/deadline.h"
#include "extract/problem.h"

namespace isomer::extract {

struct Resource {
  enum class Kind : uint8_t {
    kSum,   ///< uses of the picked nodes add up
    kPeak,  ///< a node's use is of its result, from when it is computed until its last user is
  };
  std::vector<double> use;  ///< by node, >= 0
  double most = std::numeric_limits<double>::infinity();
  Kind kind = Kind::kSum;
};

struct BoundedOutcome {
  bool found = false;       ///< a selection within the bound
  bool infeasible = false;  ///< proved: there is none
  Selection selection;      ///< only classes that roots need are picked
  double cost = std::numeric_limits<double>::infinity();
  double use = 0;
  double bound = -std::numeric_limits<double>::infinity();  ///< nothing within the bound costs less
  bool optimal = false;
  StopReason stop_reason = StopReason::kSaturated;
};

/// `problem`: as it came, not reduced.
BoundedOutcome extract_within(const Problem& problem, const Resource& resource, const Deadline& deadline);

/// The sum, or the peak of a depth-first schedule in which the operand that needs most goes first. Results of
/// the roots are kept to the end. The selection must be valid.
double resource_use(const Problem& problem, const Selection& selection, const Resource& resource);

}  // namespace isomer::extract
