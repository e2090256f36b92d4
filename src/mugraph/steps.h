// A program for a search, step by step: what a piece of a graph is stated as (subprograms.h).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "mugraph/programs.h"

namespace isomer::mugraph {

/// How a node of a graph is stated again.
enum class StepKind : uint8_t { kElementwise, kSquare, kProduct, kReduction, kSoftmax, kBroadcast, kReshape };

constexpr bool moves(StepKind k) { return k == StepKind::kBroadcast || k == StepKind::kReshape; }

struct ProgramStep {
  StepKind kind = StepKind::kElementwise;
  std::string op;
  std::vector<size_t> operands;  ///< inputs of the program first, then steps
  bool mean = false;             ///< of a reduction
  bool safe = false;             ///< softmax: with its maximum
  int64_t axis = 0;              ///< of reductions and softmax, counted from the last dimension
  Sizes sizes;                   ///< of the result
  std::vector<std::string> dims;
};

/// One step, which makes `wanted`, of values whose ranks are equal.
ir::ValueId add_step(ir::Builder& b, std::span<const ir::ValueId> values, const ProgramStep& s,
                     const Sizes& wanted);

/// Operators of a block that a search covers in minutes.
inline constexpr int kMostBlockOps = 12;

/// The program of these steps, the last of which makes its result: what it has beside its name, inputs,
/// extents and batch dimensions, which are there already.
void complete_program(Program& program, const std::shared_ptr<const std::vector<ProgramStep>>& steps);

}  // namespace isomer::mugraph
