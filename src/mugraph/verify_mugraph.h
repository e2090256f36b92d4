// Does a muGraph compute its program?
//
// Random tests over the prime field of eval/field.h (Schwartz and Zippel; exponentials as in Mirage), at
// reduced shapes: grids and loops of two parts, tiles of two elements (shrink.h), and once more with three
// parts. There all elements of the outputs are compared, and the muGraph is run both by grid and loop
// (interpret.h) and as a plain graph (lower.h). That the full shape does nothing else is the task of
// check_spec: same structure, tiles that cover the index space exactly. Then double precision at full shape
// (full_sizes.h).
//
// A reduction may break a tie between two sizes (ratios.h sees most, not all), and then what is right
// differs. So a difference at reduced sizes refutes only if there is one at the full sizes as well: in double
// precision, or over the field at the same elements. Else the full sizes are tested over the field, where
// that is little work, and decide; otherwise the verdict is unknown, "undecided".
//
// The field is a choice (field_tests.h): Mirage's own primes are there to see what they miss, and what their
// bound says. A test where some denominator is zero says nothing and is drawn again.
//
// Mirage's own test accepts wrong muGraphs that it has published: two primes of 8 bits, inputs that are a
// ramp instead of random, one test. Its bound is vacuous there: for k exponential terms in a sum it allows
// q^(-1/k^2) a test, which is why ours is made where k is small, and repeated until the product is 2^-100.
#pragma once

#include <optional>

#include "meaning/known_nests.h"
#include "mugraph/field_tests.h"
#include "mugraph/mugraph.h"
#include "mugraph/programs.h"
#include "mugraph/test_bound.h"
#include "support/limits.h"
#include "verify/verdict.h"

namespace isomer::mugraph {

struct MuVerifyOptions {
  uint64_t seed = 1;
  double log2_error = -100;  ///< independent tests are made until the bound is below this
  int max_tests = 1000;
  int tests = 0;  ///< so many instead, whatever bound they give; 0: as the bound demands
  Fields fields = Fields::kSafe;
  bool sizes_apart = true;       ///< one more reduced shape: sizes that differ differ there, too
  bool floats = true;            ///< double precision at full shape
  double tolerance = 1e-6;       ///< of it, relative to the largest element of an output
  double full_float_work = 2e7;  ///< scalar steps up to which whole outputs are compared, else sampled ones
  int samples = 4;               ///< elements of each output (kMirageCode: 16 times as many)
  double sample_work = 4e9;      ///< scalar steps for them; beyond it nothing is said of the full shape
  /// Scalar steps for samples at the full sizes after a difference at reduced ones; 0: none are taken.
  double confirm_work = 1e9;
  double full_field_work = 5e7;  ///< the same for whole outputs over the field, all tests together
};

struct MuVerdict {
  verify::Verdict verdict;
  Extents extents;  ///< the full sizes
  Extents reduced;  ///< where the field tests were made
  Fields fields = Fields::kSafe;
  int tests = 0;
  double exponential_terms = 0;  ///< in one sum, at the reduced shape; 0: no exponentials
};

/// What a verification leaves to the next ones: types and compiled nests, of which a search's muGraphs have
/// few that are different. For one thread.
struct VerifyMemory {
  explicit VerifyMemory(const ir::OpTable& ops) : ctx(ops) {}
  ir::Context ctx;
  meaning::KnownNests nests;
};

/// kProved (field and, unless it was too large or switched off, floats), kTested where the field's bound says
/// nothing (the note says why) or there are no small sizes, kSampled (kMirageCode, which makes one test at
/// sampled elements of the full sizes), kRefuted, or kUnknown with a note: among others where it is
/// undecided, and once `stop` is requested. Never throws for a muGraph that passed check_spec.
MuVerdict verify_mugraph(const MuGraph& graph, const Program& program, const MuVerifyOptions& options = {},
                         const StopToken& stop = {});
/// `memory`: for operators as those of the muGraph are declared.
MuVerdict verify_mugraph(const MuGraph& graph, const Program& program, const MuVerifyOptions& options,
                         const StopToken& stop, VerifyMemory& memory);

/// One line, with the field and the number of tests where it is not the usual one.
std::string summary(const MuVerdict& verdict);

}  // namespace isomer::mugraph
