// A muGraph beside its program at the full sizes, in double precision or over the field: whole outputs where
// that is cheap, else elements, of the program by what they are made of (eval/sampler.h), of the muGraph by
// the blocks that make them (sampled_run.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "mugraph/mugraph.h"
#include "support/limits.h"

namespace isomer::mugraph {

struct FullSizesOptions {
  uint64_t seed = 1;
  double tolerance = 1e-6;  ///< of double precision, relative to the largest element of an output
  double whole_work = 2e7;  ///< scalar steps up to which whole outputs are compared
  int samples =
      4;          ///< otherwise: elements of each output, in the last row and a random one; 0: `places` only
  int tests = 2;  ///< of sampled double precision: on signed inputs, then on positive ones
  double work = 4e9;  ///< scalar steps for them
  /// Elements of each output that are looked at first.
  std::vector<std::vector<int64_t>> places = {};
};

struct FullSizes {
  enum class Outcome : uint8_t { kAgrees, kDiffers, kNothing, kStopped };
  Outcome outcome = Outcome::kNothing;
  std::string text;  ///< kDiffers: where, and the two values; kNothing: why nothing can be said
  double max_relative_error = 0;
  int64_t elements = 0;  ///< compared
  bool whole = false;    ///< whole outputs
};

/// Scalar steps of one run of whole outputs.
double whole_work(const MuGraph& graph, const ir::Graph& program);

/// `program` has the types of `graph`, which must pass check_spec.
FullSizes in_floats(const MuGraph& graph, const ir::Graph& program, const FullSizesOptions& options,
                    const StopToken& stop);
/// Over the field of 61 bits, elements; nothing is said where functions without a field meaning were met.
FullSizes in_field(const MuGraph& graph, const ir::Graph& program, const FullSizesOptions& options,
                   const StopToken& stop);

/// "[0,12]": an element by its number.
std::string place(const Sizes& sizes, int64_t element);

}  // namespace isomer::mugraph
