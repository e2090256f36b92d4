// An operator with every dimension a number, so that cost models can count: symbols and unknown sizes
// replaced by a nominal size, or symbols by sizes that somebody chose for them. Equal symbols become equal
// numbers.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ir/op.h"

namespace isomer::cost {

/// What stands for dimensions that are no numbers.
struct Replacement {
  const std::map<std::string, int64_t>* sizes = nullptr;  ///< of symbols
  int64_t others = 0;                                     ///< of everything else; 0: it stays
};

/// The type with these sizes for its dimensions, tuples' elements too.
ir::TypeId sized_type(ir::Context& ctx, ir::TypeId type, const Replacement& replacement);

/// Owns what its OpInstance refers to. Where nothing is symbolic the types are the given ones.
class NominalInstance {
 public:
  /// The result type is inferred again where that works, else its dimensions are replaced too.
  NominalInstance(const ir::OpInstance& op, const Replacement& replacement);
  NominalInstance(const ir::OpInstance& op, int64_t nominal_size)
      : NominalInstance(op, Replacement{nullptr, nominal_size}) {}
  NominalInstance(const NominalInstance&) = delete;
  NominalInstance& operator=(const NominalInstance&) = delete;

  const ir::OpInstance& op() const { return op_; }
  /// Something was replaced.
  bool replaced() const { return replaced_; }

 private:
  std::vector<ir::AttrId> attrs_;
  std::vector<ir::TypeId> inputs_;
  bool replaced_ = false;
  ir::OpInstance op_;
};

}  // namespace isomer::cost
