// An operator with every dimension a number: symbols and unknown sizes replaced by a nominal size, so that
// cost models can count. Equal symbols become equal numbers; nothing else about the real sizes is claimed.
#pragma once

#include <vector>

#include "ir/op.h"

namespace isomer::cost {

/// Owns what its OpInstance refers to. Where nothing is symbolic the types are the given ones.
class NominalInstance {
 public:
  /// The result type is inferred again where that works, else its dimensions are replaced too.
  NominalInstance(const ir::OpInstance& op, int64_t nominal_size);
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
