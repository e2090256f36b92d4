// Which numbers of a rule's instances hang together. A size that an operator wants to be half of another's,
// or an attribute that a condition computes from others, cannot be changed alone: what is changed then no
// longer fits, so that such rules were only ever seen at the small instances that random draws meet. Two
// sources are read: equations among the conditions, which define one number by others (rule_definitions.h);
// and the instances found so far, in which two numbers have one quotient or one difference throughout (likely
// invariants are guessed from observations as in Ernst et al., "Dynamically discovering likely program
// invariants", 2001; here a wrong guess costs one draw, since whatever comes out must fit the rule).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "rewrite/rule_apply.h"

namespace isomer::rewrite {

class RuleRelations {
 public:
  RuleRelations(const ir::Context& ctx, const CompiledRule& rule, std::span<const Instance> found);

  /// Gives one number (a size of a tensor, an integer of an attribute) another value, and the numbers that
  /// hang together with it the values that follow. `place` counts tensors' sizes first; false: there is no
  /// such place, or something that follows is not whole.
  bool change(ir::Context& ctx, Instance& instance, size_t place, int64_t to) const;
  /// Of a size of a tensor.
  static size_t place_of(const ir::Context& ctx, const Instance& instance, uint32_t tensor, size_t axis);
  /// The numbers, by place.
  std::vector<int64_t> values(const ir::Context& ctx, const Instance& instance) const;

 private:
  struct Numbers {
    std::vector<uint32_t>
        lengths;  ///< of each tensor's shape and each attribute's list: which place is which
    std::vector<int64_t> values;
  };
  Numbers numbers(const ir::Context& ctx, const Instance& instance) const;

  uint32_t attributes_;                                                       ///< that matching binds
  std::map<std::vector<uint32_t>, std::vector<std::vector<int64_t>>> found_;  ///< numbers, by lengths
};

}  // namespace isomer::rewrite
