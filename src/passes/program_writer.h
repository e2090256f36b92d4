// Programs of the IR as HLO, from what their operators mean: composites are written out, what has loop nests
// is written from these (nest_writer.h). So an operator that is added with a nest has its HLO without a word
// about it here. What is written by what the declaration says of the operator, and not from its nest, is what
// HLO has one opcode for where a nest has several steps: changes of shape, concatenation, convolution.
// Operators that go step by step (procedural ones, and combiners in an order) are a list (stepwise_writer.h).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "passes/writer.h"

namespace isomer::passes {

struct WrittenProgram {
  std::vector<InstructionId> outputs;
  std::string why;  ///< not empty: what HLO cannot say of the program, and where
};

/// The outputs of a program as instructions of these inputs; weights stand behind the inputs, in the order of
/// the program.
WrittenProgram write_program(Writer& writer, const ir::Graph& graph, std::span<const InstructionId> inputs);

/// A module whose parameters are the inputs (then weights) and whose result is the output, or a tuple of the
/// outputs. Throws InputError that names the node which HLO cannot say, and why: sizes that are only named,
/// opaque operators, and procedural ones that StepwiseWriter does not list.
hlo::Module module_of(const ir::Graph& graph);

}  // namespace isomer::passes
