// From a graph to the loops that are compiled, in one line a step.
#pragma once

#include <string>
#include <vector>

#include "codegen/gpu_schedule.h"
#include "codegen/schedule.h"
#include "ir/graph.h"

namespace isomer::codegen {

/// Lowered, fused, scheduled. Throws InputError for what no code is generated for (lower.h).
LoopProgram generate(const ir::Graph& graph, const ScheduleOptions& options = {});

/// The same for graphics processors. `written_out`: which kernels could not run as they say there, and why;
/// they are generated as ordinary operators.
LoopProgram generate_for_gpu(const ir::Graph& graph, const GpuOptions& options = {},
                             std::vector<std::string>* written_out = nullptr);

}  // namespace isomer::codegen
