// Are two graphs the same function? One verifier for rules, for applied rewrites (translation validation) and
// for whole results.
//
// In order: equal structure; equality over the prime field at random inputs (eval/field.h), which proves;
// comparison in double precision, which refutes or, where a true identity is none over the field (max(x + c,
// y + c), constants rounded to 32 bits), leaves "tested". What both graphs share is cut first and taken as an
// arbitrary input; when the cut pair cannot be shown equal the whole pair is tried. What has no meaning
// (opaque operators) is a fixed random function of its operands, and these are compared by value, not by how
// they are computed.
#pragma once

#include <cstdint>

#include "ir/graph.h"
#include "support/deadline.h"
#include "verify/verdict.h"

namespace isomer::verify {

struct EquivalenceOptions {
  uint64_t seed = 1;
  int field_tests = 3;  ///< independent, at least; each errs with probability below degree / 2^60
  /// "Proved" needs an error probability below 2^this: more tests are done, up to a limit, else it is
  /// "sampled".
  double log2_error_goal = -100;
  int float_tests = 5;  ///< each on elements of another kind (draws.h)
  int first_float_test = 0;
  /// For rules. All tests, also of what is an identity over the field and needs fewer; indices that are out
  /// of bounds where the first side does not read them; and a second side that is finite where the first is
  /// not is a limit of the equality (Verdict::limits), not a difference.
  bool thorough = false;
  int stray_tests = 12;  ///< on indices out of bounds; most of them stop the first side
  /// On floats: relative to the largest compared element of the output.
  double tolerance = 1e-6;
  /// The same where the graphs hold different tensors of constants: folding rounds them to their element
  /// type.
  double rounded_tolerance = 1e-4;
  /// Scalar steps of a test up to which whole tensors are compared, over the field and on floats.
  double full_work = 4e6;
  double full_float_work = 1e8;
  int samples = 12;                    ///< elements of each output otherwise
  uint64_t sample_budget = 4'000'000;  ///< element reads of a sampled test; beyond it nothing is claimed
  bool field = true;                   ///< false: floats only
  /// Floats are single ones, and whole results are rounded to their types, of both programs: what constants
  /// are folded to by the program's own arithmetic. Then `rounded_tolerance` counts.
  bool rounded_results = false;
  bool keep_inputs =
      false;            ///< of a refutation on floats, or where the second side alone fails: Verdict::inputs
  Deadline until = {};  ///< kUnknown once it has passed
};

/// Both graphs of one context; inputs correspond by position. Integer inputs are drawn from a range that
/// keeps gathers in bounds. Never throws for what cannot be evaluated: the verdict is then kUnknown.
Verdict check_equivalent(const ir::Graph& a, const ir::Graph& b, const EquivalenceOptions& options = {});

}  // namespace isomer::verify
