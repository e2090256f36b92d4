// How far a muGraph lies from itself in double precision when tiles and tensors are held in a narrow format:
// what tells a muGraph that is right over the field from one that is of use. Exponentials without their
// maximum overflow in float16; a sum that is rounded in each of many iterations loses digits.
//
// Operators compute in double precision, and every tile, accumulated value and tensor is rounded when it is
// stored, as on a device whose matrix units sum in a wider format than memory has. Run at the full sizes, at
// sampled elements (sampled_run.h), on inputs that the format holds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ir/dtype.h"
#include "mugraph/mugraph.h"
#include "support/limits.h"

namespace isomer::mugraph {

struct FormatError {
  ir::DType format = ir::DType::kUndefined;  ///< float16, bfloat16, float32
  double error = 0;        ///< the largest, relative to the largest element that was compared; infinite where
                           ///< none is finite
  bool overflows = false;  ///< an element is infinite or no number that is finite in double precision
  /// It overflows, or the error is above 32 units of the format's precision.
  bool poor() const;
};

struct NumericsOptions {
  uint64_t seed = 1;
  double scale = 1;   ///< inputs are uniform in [-scale, scale)
  int samples = 4;    ///< elements of each output, in the last row and a random one
  double work = 4e9;  ///< scalar steps of one run; where it takes more, nothing is returned
  Limits limits;      ///< of all runs together; likewise
};

/// `graph` must pass check_spec.
std::vector<FormatError> format_errors(const MuGraph& graph, const NumericsOptions& options = {});

/// "float16 0.0012, bfloat16 0.0098, float32 1.1e-07", "float16 overflows"; poor ones are said to be.
std::string print(const std::vector<FormatError>& errors);

}  // namespace isomer::mugraph
