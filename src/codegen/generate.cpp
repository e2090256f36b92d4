#include "codegen/generate.h"

#include <utility>

#include "codegen/blocks.h"
#include "codegen/counts.h"
#include "codegen/fuse.h"
#include "codegen/gpu_kernel_loops.h"
#include "codegen/in_place.h"
#include "codegen/kernels.h"
#include "codegen/lower.h"
#include "codegen/plain_images.h"
#include "codegen/simplify.h"
#include "codegen/windows.h"

namespace isomer::codegen {

namespace {

/// A nest for each operator that computes.
LoopProgram in_nests(const ir::Graph& graph) {
  LoopProgram program = lower(graph);
  program = inline_movement(std::move(program));
  program = simplify_indices(std::move(program));
  program = counts_apart(std::move(program));
  return simplify_indices(write_in_place(std::move(program)));
}

/// What does not depend on the machine.
LoopProgram fused(const ir::Graph& graph) { return shrink_buffers(fuse_loops(in_nests(graph))); }

/// A kernel as it says, or else as ordinary operators.
LoopProgram kernel_for_gpu(const ir::OpInstance& kernel, const GpuOptions& options,
                           std::vector<std::string>* not_so) {
  GpuKernelLoops loops = gpu_kernel_loops(kernel, in_nests, options);
  if (loops.program) return std::move(*loops.program);
  if (not_so != nullptr) not_so->push_back(loops.why_not);
  return generate_for_gpu(written_out(kernel), options);
}

/// `tiles`: of a kernel.
LoopProgram generated(const ir::Graph& graph, const ScheduleOptions& options, bool tiles) {
  if (has_kernels(graph)) {
    const Generate plain = [&](const ir::Graph& part) { return generated(part, options, tiles); },
                   of_tiles = [&](const ir::Graph& part) { return generated(part, options, true); };
    return with_kernels(graph, plain, [&](const ir::OpInstance& op) { return kernel_loops(op, of_tiles); });
  }
  LoopProgram program = groups_apart(fused(graph));
  const bool in_blocks = !images_stay_plain(program, options);
  program = in_blocks ? images_copied(std::move(program)) : columns_filled(std::move(program), options);
  program = with_borders(std::move(program));
  if (in_blocks) program = block_channels(std::move(program), options);
  return tiles ? schedule_tiles(std::move(program), options) : schedule(std::move(program), options);
}

}  // namespace

LoopProgram generate(const ir::Graph& graph, const ScheduleOptions& options) {
  return generated(graph, options, false);
}

LoopProgram generate_for_gpu(const ir::Graph& graph, const GpuOptions& options,
                             std::vector<std::string>* written_out) {
  if (has_kernels(graph))
    return with_kernels(
        graph, [&](const ir::Graph& part) { return generate_for_gpu(part, options); },
        [&](const ir::OpInstance& op) { return kernel_for_gpu(op, options, written_out); });
  return schedule_for_gpu(groups_apart(fused(graph)), options);
}

}  // namespace isomer::codegen
