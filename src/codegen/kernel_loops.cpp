#include <utility>

#include "codegen/embed.h"
#include "codegen/fuse.h"
#include "codegen/kernel_tiles.h"
#include "codegen/kernels.h"
#include "codegen/make_loops.h"
#include "codegen/on_stack.h"
#include "codegen/simplify.h"

namespace isomer::codegen {
namespace {

using ir::IndexExpr;

/// The dimension of most blocks runs in parallel, the others within.
class KernelLoops final : KernelTiles {
 public:
  KernelLoops(const ir::OpInstance& kernel, const Generate& generate)
      : KernelTiles(kernel), generate_(generate) {}

  LoopProgram run() {
    const int64_t range = schedule_.range();
    const int iteration = add_variable(out_, "s");
    number_blocks(true);
    keep_all();
    std::vector<Statement> body;
    const bool apart = first_apart();
    if (apart)
      append(body, iterations(0, true));
    else
      for (const Kept& k : kept_)
        if (k.kind == ir::Accumulate::kAdd) append(body, put(zeros(k)));
    const int64_t begin = apart ? 1 : 0;
    if (range - begin > 1)
      body.push_back({make_loop(iteration, begin, range, LoopKind::kSerial,
                                iterations(IndexExpr::var(iteration), false))});
    else if (range > begin)
      append(body, iterations(begin, false));
    append(body, put(after_loop()));
    for (size_t d = 0; d < block_.size(); ++d)
      if (schedule_.grid[d] > 1 && block_[d] != around_->variable)
        body = one({make_loop(block_[d], 0, schedule_.grid[d], LoopKind::kSerial, std::move(body))});
    if (around_)
      body = one({make_loop(around_->variable, 0, around_->size, LoopKind::kParallel, std::move(body))});
    out_.body = std::move(body);
    return within_stack(drop_untouched(shrink_buffers(simplify_indices(std::move(out_)))));
  }

 private:
  PartBuffer input_tile(size_t i, const IndexExpr& iteration) override {
    PartBuffer out;
    out.buffer = out_.inputs[i];
    const ir::ScheduledInput& cut = schedule_.inputs[i];
    out.offset =
        start_of(ir::sizes(body_.type(body_.inputs()[i]).shape), cut.imap, cut.fmap, loops_at(iteration));
    return out;
  }

  /// All of an iteration.
  std::vector<Statement> iterations(const IndexExpr& number, bool first) {
    std::vector<Statement> out = put(iteration(number, first));
    if (first) return out;
    for (const Kept& k : kept_)
      if (k.next >= 0) append(out, put(kept_on(k)));
    return out;
  }

  std::vector<Statement> put(Tiles tiles) {
    LoopProgram part = generate_(*tiles.graph);
    std::vector<Tiles> after;
    for (size_t o = 0; o < tiles.outputs.size(); ++o) {
      PartBuffer& place = tiles.outputs[o];
      if (!place.combine || stores_once(part, part.outputs[o])) continue;
      const ir::TypeId type = tiles.graph->type_id(tiles.graph->outputs()[o]);
      const Buffer& result = part.buffers[static_cast<size_t>(part.outputs[o])];
      const int each = tile_buffer("each", kept_type(result.dtype), result.sizes);
      after.push_back(added(each, place, type));  // reads and writes one tile: must store each element once
      place = in_block(each);
    }
    std::vector<Statement> out = embedded(out_, std::move(part), tiles.inputs, tiles.outputs, around_);
    for (Tiles& t : after) append(out, put(std::move(t)));
    return out;
  }

  const Generate& generate_;
};

}  // namespace

LoopProgram kernel_loops(const ir::OpInstance& kernel, const Generate& generate) {
  return KernelLoops(kernel, generate).run();
}

}  // namespace isomer::codegen
