// Where two programs of the interpreter part: corresponding values (by name, by structure, the outputs by
// position) are evaluated on the same random inputs.
#pragma once

#include <optional>
#include <vector>

#include "ir/graph.h"
#include "verify/equivalence.h"

namespace isomer::verify {

struct Place {
  ir::ValueId in_a, in_b;
  double error = 0;               ///< relative to the largest compared element
  std::vector<ir::ValueId> from;  ///< of a: nearest values that in_a is computed from and that are equal
};

/// The first values that correspond and differ; nothing when no output differs on floats, or nothing can be
/// evaluated. Both graphs of one context, with equal signatures.
std::optional<Place> where_apart(const ir::Graph& a, const ir::Graph& b,
                                 const EquivalenceOptions& options = {});

}  // namespace isomer::verify
