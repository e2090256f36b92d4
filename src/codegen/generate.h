// From a graph to the loops that are compiled, in one line a step.
#pragma once

#include "codegen/gpu_schedule.h"
#include "codegen/schedule.h"
#include "ir/graph.h"

namespace isomer::codegen {

/// Lowered, fused, scheduled. Throws InputError for what no code is generated for (lower.h).
LoopProgram generate(const ir::Graph& graph, const ScheduleOptions& options = {});

/// The same for graphics processors.
LoopProgram generate_for_gpu(const ir::Graph& graph, const GpuOptions& options = {});

}  // namespace isomer::codegen
