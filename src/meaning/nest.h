// A loop nest compiled once for an operator instance: typed scalar programs, affine reads with their bounds
// checked beforehand where the ranges allow it. Independent of the value domain.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ir/op.h"
#include "meaning/affine.h"
#include "meaning/scalar_program.h"

namespace isomer::meaning {

struct CompiledRead {
  int input = 0;
  Sort sort = Sort::kNumber;
  bool guarded = false;
  double fill = 0;
  std::vector<int64_t> extents;      ///< of the operand
  bool affine = false;               ///< every index expression is
  bool in_bounds = false;            ///< affine, and never out of bounds
  Affine linear;                     ///< row-major offset (affine only)
  std::vector<Affine> dims;          ///< one per dimension (affine only)
  std::vector<ir::IndexExpr> index;  ///< over the nest's variables
  std::vector<ir::IndexExpr> zero;   ///< out of bounds too where one of these is not 0; then never affine
};

struct CompiledNest {
  std::vector<int64_t> shape;  ///< of the output
  std::vector<int64_t> space;  ///< the same elements row by row: the shape, or factors of its sizes
  std::vector<int64_t> reduce;
  std::vector<int64_t> extents;  ///< space, then reduce
  int64_t outputs = 1;           ///< product of space
  int64_t reductions = 1;        ///< product of reduce
  std::vector<CompiledRead> reads;
  std::vector<ScalarProgram> bodies;  ///< of the accumulators
  std::vector<ir::Combiner> combiners;
  std::vector<ScalarProgram> initials;  ///< without code: the combiner's identity
  std::vector<ir::DType> kept_as;       ///< each step is rounded to it, unless it is undefined
  ir::Scan scan;
  bool ordered = false;
  /// Every accumulator begins with an identity and combines as its combiner says.
  bool plain_but_scan = true;
  bool plain = true;  ///< and does so over all steps, in any order
  ScalarProgram result;
  ir::DType dtype = ir::DType::kUndefined;  ///< of the output
};

/// Whether a variable that reads divide is several, so that they need not (factors.h).
enum class Variables : uint8_t { kInFactors, kAsDeclared };

/// One per output tensor (several results of one nest: as many nests). Sizes must be numbers. What comes
/// out depends on operator, attributes and types alone (known_nests.h). Throws MisuseError, naming `what`,
/// when the declaration contradicts the types (a nest's space is not the output's shape, a read's index has
/// another rank than its operand, sorts are mixed).
std::vector<CompiledNest> compile_nests(const ir::OpInstance& op, const std::string& what,
                                        Variables variables = Variables::kInFactors);

/// Sort of the elements of a tensor.
Sort sort_of(ir::DType dtype);

}  // namespace isomer::meaning
