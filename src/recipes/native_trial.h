// A program as machine code, held to its evaluation and timed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "codegen/generate.h"
#include "eval/interpreter.h"
#include "ir/graph.h"

namespace isomer::recipes {

/// Random inputs of a program with what evaluation in double precision makes of them.
struct Example {
  std::vector<std::vector<std::byte>> inputs;  ///< as the program asks for them (verify/input_ranges.h), else
                                               ///< floats in [-1, 1), integers 0 or 1
  std::vector<eval::Value<double>> expected;
  const ir::Graph* graph = nullptr;  ///< whose example it is; outlives it
  std::vector<eval::Value<double>> given;

  /// Bytes of each result.
  std::vector<size_t> output_bytes() const;
  /// Of results of floats: by which part of its largest element a result differs most from what is expected.
  /// Integers that differ count as 1, a NaN or an infinity that is not there too. What is far from that is
  /// held to an evaluation that rounds every operator's result to its type as well: (x - 60000) + 60000 is 0
  /// in float16.
  double difference(std::span<const std::vector<std::byte>> outputs) const;
};
/// Throws InputError for what cannot be evaluated.
Example example_of(const ir::Graph& graph, uint64_t seed);

/// The processor of that name, as LLVM names it; empty: this machine's. Throws UsageError where there is
/// none.
codegen::TargetMachine machine_named(const std::string& cpu);

struct NativeTrial {
  double difference = 0;  ///< of an example
  double compile_seconds = 0;
  double run_seconds = 0;  ///< median
  int runs = 0;
};

/// Some runs, a fifth of a second at least. Throws MissingRuntimeError without a compiler, InputError for
/// what no code is generated for or cannot be evaluated.
NativeTrial try_native(const ir::Graph& graph, const codegen::ScheduleOptions& options, uint64_t seed);

}  // namespace isomer::recipes
