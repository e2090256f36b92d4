// One pattern as a sequence of instructions over registers that hold classes: the abstract machine of
// de Moura and Bjorner (2007), as in egg. Attributes are checked while a node is bound; ground terms are
// looked up once per search; a term whose variables are all bound is looked up in the hashcons instead of
// being searched. Registers are numbered in the order of binding, so programs of patterns that begin alike
// begin alike, which is what a code tree shares.
#pragma once

#include <cstdint>
#include <vector>

#include "egraph/pattern.h"

namespace isomer::egraph {

struct AttrCheck {
  enum class Kind : uint8_t { kLiteral, kBind, kCompare };
  Kind kind;
  uint32_t slot;
  uint32_t value;  ///< literal, or attribute register
  bool operator==(const AttrCheck&) const = default;
};

struct Instruction {
  enum class Kind : uint8_t { kBind, kCompareClasses, kCompareGround, kLookup };
  Kind kind = Kind::kBind;
  bool has_attrs = false;
  uint32_t reg = 0;    ///< class to look at
  uint32_t other = 0;  ///< kBind: first register of the children; kCompareClasses: the other register;
                       ///< kCompareGround: number of the ground term
  uint32_t op = 0;
  uint32_t payload = 0;  ///< or PatternNode::kAnyPayload
  uint32_t arity = 0;
  uint32_t slots = 0;  ///< number of slots wanted, if attrs are looked at
  uint32_t depth = 0;  ///< kBind, kLookup: operators on the longest path of this term
  std::vector<AttrCheck> attrs{};
  std::vector<uint32_t> operands{};  ///< kLookup: registers of the children

  /// Whether they do the same; what is below may be of different depth.
  bool same_work(const Instruction& o) const {
    return kind == o.kind && reg == o.reg && other == o.other && op == o.op && payload == o.payload &&
           arity == o.arity && has_attrs == o.has_attrs && slots == o.slots && attrs == o.attrs &&
           operands == o.operands;
  }
};

/// A term without variables, over earlier ground terms.
struct GroundTerm {
  uint32_t op;
  uint32_t payload;
  std::vector<uint32_t> children;
  bool operator==(const GroundTerm&) const = default;
};

struct Program {
  std::vector<Instruction> code;
  std::vector<uint32_t> class_register;  ///< by class variable; kUnbound where the pattern does not have it
  std::vector<uint32_t> attr_register;   ///< by attribute variable
  /// By node of the pattern: the register that holds its class in a match, kUnbound if none does (ground
  /// terms).
  std::vector<uint32_t> node_register;
  uint32_t registers = 1;  ///< register 0 is the root
  uint32_t attr_registers = 0;
  uint32_t depth = 0;
  bool root_is_variable = false;
};

/// `class_variables` and `attr_variables` are the least widths of the two lists of variables. Ground terms
/// are numbered in `ground`, which programs may share.
Program compile(const Pattern& pattern, std::vector<GroundTerm>& ground, uint32_t class_variables = 0,
                uint32_t attr_variables = 0);

}  // namespace isomer::egraph
