#include "codegen/generate.h"

#include <utility>

#include "codegen/blocks.h"
#include "codegen/counts.h"
#include "codegen/fuse.h"
#include "codegen/in_place.h"
#include "codegen/kernels.h"
#include "codegen/lower.h"
#include "codegen/simplify.h"

namespace isomer::codegen {

namespace {

/// What does not depend on the machine.
LoopProgram fused(const ir::Graph& graph) {
  LoopProgram program = lower(graph);
  program = inline_movement(std::move(program));
  program = simplify_indices(std::move(program));
  program = counts_apart(std::move(program));
  program = simplify_indices(write_in_place(std::move(program)));
  program = fuse_loops(std::move(program));
  return shrink_buffers(std::move(program));
}

}  // namespace

LoopProgram generate(const ir::Graph& graph, const ScheduleOptions& options) {
  if (has_kernels(graph))
    return with_kernels(graph, [&](const ir::Graph& part) { return generate(part, options); });
  LoopProgram program = groups_apart(fused(graph));
  program = images_copied(std::move(program));
  program = with_borders(std::move(program));
  return schedule(std::move(program), options);
}

LoopProgram generate_for_gpu(const ir::Graph& graph, const GpuOptions& options) {
  return schedule_for_gpu(groups_apart(fused(graph)), options);
}

}  // namespace isomer::codegen
