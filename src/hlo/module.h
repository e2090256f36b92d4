// An HLO module as XLA writes it, in flat arrays: computations, instructions, operands and attributes are
// runs of one array each, names and shapes are kept once. Callees stand before their callers and operands
// before their users, as in XLA's text. A module copies by copying its arrays.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hlo/attribute.h"
#include "hlo/literal.h"
#include "hlo/opcode.h"
#include "hlo/shape.h"
#include "hlo/text_table.h"
#include "support/errors.h"

namespace isomer::hlo {

struct InstructionTag;
struct ComputationTag;
using InstructionId = Id<InstructionTag>;
using ComputationId = Id<ComputationTag>;

/// `count` entries of an array from `first` on.
struct Range {
  uint32_t first = 0, count = 0;
};

struct Attribute {
  AttributeName name;
  Range numbers;  ///< its value, in Module::numbers
};

struct Instruction {
  TextId name;
  ShapeId shape;
  Opcode opcode;
  /// Of asynchronous instructions that are written with the opcode they wrap ("sort-start"); else equal to
  /// `opcode`.
  Opcode wrapped;
  Range operands;
  Range attributes;
  uint32_t value = 0;   ///< the number of a parameter, the LiteralId of a constant
  uint32_t offset = 0;  ///< where it stands in the text, for messages
};

struct Computation {
  TextId name;
  Range instructions;
  InstructionId root;
  Range parameters;  ///< in Module::parameters, by their numbers
  Range attributes;
};

class Module {
 public:
  std::string file;  ///< for messages
  TextId name;
  Range header;              ///< attributes of the module
  std::string stack_frames;  ///< FileNames to StackFrames as written; empty: none
  ComputationId entry;

  TextTable texts;
  ShapeTable shapes;
  std::vector<Computation> computations;
  std::vector<Instruction> instructions;
  std::vector<InstructionId> operand_ids;
  std::vector<InstructionId> parameters;
  std::vector<Attribute> attributes;
  std::vector<int64_t> numbers;
  std::vector<Literal> literals;
  std::vector<uint32_t> line_starts;  ///< offsets of the text's lines

  const Instruction& operator[](InstructionId id) const { return instructions[id.v]; }
  const Computation& operator[](ComputationId id) const { return computations[id.v]; }

  std::span<const InstructionId> operands(InstructionId id) const {
    return run(operand_ids, instructions[id.v].operands);
  }
  std::span<const InstructionId> parameters_of(ComputationId id) const {
    return run(parameters, computations[id.v].parameters);
  }
  std::span<const Attribute> attributes_of(InstructionId id) const {
    return run(attributes, instructions[id.v].attributes);
  }
  std::span<const Attribute> attributes_of(Range range) const { return run(attributes, range); }
  std::span<const int64_t> value(const Attribute& attribute) const { return run(numbers, attribute.numbers); }
  ShapeId shape(InstructionId id) const { return instructions[id.v].shape; }
  std::string_view text(TextId id) const { return texts.text(id); }
  const Literal& literal(InstructionId constant) const { return literals[instructions[constant.v].value]; }

  /// The value of an attribute; nothing where it is not there.
  std::optional<std::span<const int64_t>> find(InstructionId id, AttributeName name) const;
  /// Of kInts and such: no numbers where it is not there.
  std::span<const int64_t> list(InstructionId id, AttributeName name) const;
  /// Of one number: what absence stands for where it is not there.
  int64_t number(InstructionId id, AttributeName name) const;

  /// Computations that an instruction calls, in the order of its attributes.
  void called(InstructionId id, std::vector<ComputationId>& out) const;
  /// The one instruction that a computation makes of its two parameters, in either order.
  std::optional<Opcode> binary_function(ComputationId id) const;
  ShapeId result_shape(ComputationId id) const { return shape(computations[id.v].root); }

  /// Line and column of an instruction in the text that it was read from; 0 where there was none.
  InputPosition position(InstructionId id) const { return position(instructions[id.v].offset); }
  InputPosition position(uint32_t offset) const;

  /// How many constants' contents the text leaves out: `{...}`.
  size_t elided_literals() const;

 private:
  template <class T>
  static std::span<const T> run(const std::vector<T>& all, Range range) {
    return std::span(all).subspan(range.first, range.count);
  }
};

/// Structurally equal: all but the positions in the text, where attributes may stand in any order. Empty, or
/// the first thing that differs.
std::string difference(const Module& a, const Module& b);

}  // namespace isomer::hlo
