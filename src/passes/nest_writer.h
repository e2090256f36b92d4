// A loop nest (meaning/nest.h) as HLO: what is read (nest_reads.h), what is computed of it element by element
// (scalar_writer.h), and between them reductions: a sum of products of two plain reads is a dot, a reduction
// of what lies under a window a reduce-window, any other a reduce over all that is combined.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "passes/nest_reads.h"
#include "passes/scalar_writer.h"

namespace isomer::passes {

class NestWriter {
 public:
  NestWriter(Writer& writer, const meaning::CompiledNest& nest, std::span<const InstructionId> operands);

  /// The output tensor; invalid where HLO cannot say it, or only by arrays of too many elements (`why`).
  InstructionId run();
  const std::string& why() const { return why_; }

 private:
  size_t rank() const { return nest_.space.size(); }
  InstructionId refuse(std::string why);
  ScalarTypes types_of_nest() const;
  InstructionId program(const meaning::ScalarProgram& program, const Frame& frame);
  InstructionId accumulator(size_t i);
  InstructionId reduced(size_t i);
  InstructionId begun(size_t i, InstructionId reduced);
  std::optional<InstructionId> as_dot(const meaning::ScalarProgram& body);
  std::optional<InstructionId> under_windows(size_t i);
  InstructionId reduce_all(size_t i);
  InstructionId within_scan(InstructionId body, InstructionId neutral, const Frame& frame);

  Writer& w_;
  const meaning::CompiledNest& nest_;
  NestReads reads_;
  ScalarTypes types_;
  std::vector<InstructionId> accumulators_;
  std::string why_;
};

}  // namespace isomer::passes
