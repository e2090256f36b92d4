#include "codegen/generate.h"

#include <utility>

#include "codegen/blocks.h"
#include "codegen/counts.h"
#include "codegen/fuse.h"
#include "codegen/in_place.h"
#include "codegen/lower.h"
#include "codegen/simplify.h"

namespace isomer::codegen {

LoopProgram generate(const ir::Graph& graph, const ScheduleOptions& options) {
  LoopProgram program = lower(graph);
  program = inline_movement(std::move(program));
  program = simplify_indices(std::move(program));
  program = counts_apart(std::move(program));
  program = simplify_indices(write_in_place(std::move(program)));
  program = fuse_loops(std::move(program));
  program = shrink_buffers(std::move(program));
  program = groups_apart(std::move(program));
  program = images_copied(std::move(program));
  program = with_borders(std::move(program));
  return schedule(std::move(program), options);
}

}  // namespace isomer::codegen
