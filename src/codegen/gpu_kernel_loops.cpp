#include "codegen/gpu_kernel_loops.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "codegen/embed.h"
#include "codegen/fuse.h"
#include "codegen/gpu_block.h"
#include "codegen/gpu_copies.h"
#include "codegen/gpu_places.h"
#include "codegen/kernel_tiles.h"
#include "codegen/make_loops.h"
#include "ir/shorthand.h"

namespace isomer::codegen {
namespace {

using ir::IndexExpr;
using ir::Sizes;

/// An operand's tile in shared memory.
struct SharedTile {
  int buffer = -1;
  Sizes sizes;
  bool varies = false;  ///< from iteration to iteration
  bool copied = false;  ///< in pieces that arrive by themselves
};

class OnGpu final : KernelTiles {
 public:
  OnGpu(const ir::OpInstance& kernel, const Generate& generate, const GpuOptions& options, int64_t stages)
      : KernelTiles(kernel), generate_(generate), options_(options), stages_(stages) {}

  /// Bytes that an iteration takes from memory, of one block.
  int64_t bytes_of_iteration() {
    place_inputs();
    int64_t out = 0;
    for (const SharedTile& t : tiles_)
      if (t.varies)
        out += ir::byte_size(out_.buffers[static_cast<size_t>(t.buffer)].dtype, ir::element_count(t.sizes));
    return out;
  }

  LoopProgram run() {
    const int64_t range = schedule_.range();
    const bool apart = first_apart_of_body();
    iteration_ = add_variable(out_, "s");
    number_blocks(false);
    keep_all();
    place_inputs();
    std::vector<Statement> body = copies_of_all();
    append(body, first_lots());
    if (apart) append(body, first_iteration());
    const int64_t begin = apart ? 1 : 0;
    if (range > begin) append(body, loop(begin, range, !apart));
    append(body, all_of(put(after_loop(), {})));
    for (size_t d = 0; d < block_.size(); ++d)
      body = one({make_loop(block_[d], 0, schedule_.grid[d], LoopKind::kParallel, std::move(body))});
    out_.body = std::move(body);
    for (Buffer& b : out_.buffers)
      if (b.memory == Memory::kScratch) b.memory = Memory::kPrivate;
    return drop_untouched(std::move(out_));
  }

 private:
  bool first_apart_of_body() const {
    for (size_t i = 0; i < body_.size(); ++i) {
      const ir::OpDef& def = body_.def(ir::ValueId(i));
      if (def.running_max || def.accumulate == ir::Accumulate::kMax ||
          def.accumulate == ir::Accumulate::kRescale)
        return true;
    }
    return false;
  }

  void place_inputs() {
    for (size_t i = 0; i < body_.inputs().size(); ++i) {
      const ir::Type& type = body_.type(body_.inputs()[i]);
      SharedTile& t = tiles_.emplace_back();
      t.sizes = ir::sizes(type.shape);
      const ir::ScheduledInput& cut = schedule_.inputs[i];
      for (size_t l = 0; l < cut.fmap.size(); ++l)
        t.varies = t.varies || (cut.fmap[l] != ir::kWhole && schedule_.loops[l] > 1);
      t.copied = stages_ > 1 && in_pieces(t.sizes, type.dtype);
      Sizes sizes = spread_over_banks(t.sizes, type.dtype);
      sizes.insert(sizes.begin(), t.copied && t.varies ? stages_ : 1);
      t.buffer = add_buffer(fmt::format("tile{}_", i), type.dtype, std::move(sizes), Memory::kScratch);
    }
  }
  IndexExpr slot_of(const SharedTile& t, const IndexExpr& iteration) const {
    return t.copied && t.varies ? iteration.mod(stages_) : IndexExpr(0);
  }
  PartBuffer input_tile(size_t i, const IndexExpr& iteration) override {
    PartBuffer out;
    out.buffer = tiles_[i].buffer;
    out.lead = {slot_of(tiles_[i], iteration)};
    return out;
  }
  /// The operand's own elements of an iteration.
  PartBuffer source(size_t i, const IndexExpr& iteration) const {
    PartBuffer out;
    out.buffer = out_.inputs[i];
    const ir::ScheduledInput& cut = schedule_.inputs[i];
    out.offset = start_of(tiles_[i].sizes, cut.imap, cut.fmap, loops_at(iteration));
    return out;
  }

  /// What all iterations have in common.
  std::vector<Statement> copies_of_all() {
    std::vector<Statement> out;
    for (const bool copied : {true, false})
      for (size_t i = 0; i < tiles_.size(); ++i)
        if (!tiles_[i].varies && tiles_[i].copied == copied)
          append(out, copied ? copies_ahead(i, 0) : copies_now(i, 0));
    return out;
  }
  bool has_ahead() const { return std::ranges::any_of(tiles_, &SharedTile::copied); }
  /// What is on its way before there is an iteration.
  std::vector<Statement> first_lots() {
    if (!has_ahead()) return {};
    const int first = add_variable(out_, "s");
    Loop lots = make_loop(first, 0, stages_ - 1, LoopKind::kUnrolled, copied_at(IndexExpr::var(first)));
    lots.stages = stages_;
    return one({std::move(lots)});
  }
  /// What is copied in an iteration, for later ones and for itself, and what it does.
  std::vector<Statement> with_copies(const IndexExpr& number, std::vector<Statement> each) {
    std::vector<Statement> out;
    if (has_ahead()) out = copied_at(number + (stages_ - 1));
    for (size_t i = 0; i < tiles_.size(); ++i)
      if (tiles_[i].varies && !tiles_[i].copied) append(out, copies_now(i, number));
    append(out, std::move(each));
    return out;
  }
  Statement waiting_loop(int variable, int64_t begin, int64_t end, std::vector<Statement> body) const {
    Loop out = make_loop(variable, begin, end, LoopKind::kSerial, std::move(body));
    out.stages = has_ahead() ? stages_ : 0;
    return {std::move(out)};
  }
  /// The iteration that has nothing before it, as a loop of one, which waits for copies.
  std::vector<Statement> first_iteration() {
    std::vector<Statement> body = with_copies(0, all_of(put(iteration(0, true), {})));
    return one(waiting_loop(add_variable(out_, "s"), 0, 1, std::move(body)));
  }
  std::vector<Statement> copies_ahead(size_t i, const IndexExpr& iteration) {
    const SharedTile& t = tiles_[i];
    const PartBuffer from = source(i, iteration);
    Access read = access_of(from.buffer, from.offset), write = access_of(t.buffer, {slot_of(t, iteration)});
    if (t.varies) read.bounds.push_back({iteration, schedule_.range()});
    write.index.resize(t.sizes.size() + 1, IndexExpr(0));
    return copies_of_tile(out_, read, write, t.sizes, options_.threads);
  }
  std::vector<Statement> copies_now(size_t i, const IndexExpr& iteration) {
    Tiles copy;
    ir::Builder b(body_.context());
    copy.inputs = {source(i, iteration)};
    copy.outputs = {input_tile(i, iteration)};
    copy.graph = b.finish({b.input("", body_.type_id(body_.inputs()[i]))});
    return all_of(put(std::move(copy), {}));
  }

  /// The iterations from `begin` on, with what comes before and after them.
  std::vector<Statement> loop(int64_t begin, int64_t range, bool later) {
    const IndexExpr number = IndexExpr::var(iteration_);
    std::map<size_t, ir::Combiner> combine;
    Tiles tiles = iteration(number, false);
    for (size_t o = 0; o < tiles.outputs.size(); ++o)
      if (later && tiles.outputs[o].combine) combine[o] = *tiles.outputs[o].combine;
    std::vector<Statement> out;
    BlockSteps steps = put(std::move(tiles), combine);
    for (const size_t o : added_each_time_)
      if (later && kept_[o].kind == ir::Accumulate::kAdd) append(out, all_of(put(zeros(kept_[o]), {})));
    for (const Kept& k : kept_)
      if (k.next >= 0) append(steps.each, all_of(put(kept_on(k), {})));
    append(out, std::move(steps.before));
    out.push_back(waiting_loop(iteration_, begin, range, with_copies(number, std::move(steps.each))));
    append(out, std::move(steps.after));
    return out;
  }
  std::vector<Statement> copied_at(const IndexExpr& iteration) {
    std::vector<Statement> out;
    for (size_t i = 0; i < tiles_.size(); ++i)
      if (tiles_[i].varies && tiles_[i].copied) append(out, copies_ahead(i, iteration));
    return out;
  }

  static std::vector<Statement> all_of(BlockSteps steps) {
    append(steps.before, std::move(steps.each));
    append(steps.before, std::move(steps.after));
    return std::move(steps.before);
  }

  /// `combine`: results of which iterations are combined, by number.
  BlockSteps put(Tiles tiles, const std::map<size_t, ir::Combiner>& combine) {
    LoopProgram part = generate_(*tiles.graph);
    std::set<int> in_shared;
    for (size_t i = 0; i < tiles.inputs.size(); ++i)
      if (std::ranges::find(tiles_, tiles.inputs[i].buffer, &SharedTile::buffer) != tiles_.end())
        in_shared.insert(part.inputs[i]);
    std::map<int, ir::Combiner> results;
    for (const auto& [o, how] : combine)  // what the iteration reads again is not its sum
      if (stores_once(part, part.outputs[o])) results[part.outputs[o]] = how;
    BlockProgram made = block_program(std::move(part), in_shared, results, options_);
    std::vector<std::pair<size_t, Tiles>> adding;
    for (size_t o = 0; o < tiles.outputs.size(); ++o) {
      PartBuffer& place = tiles.outputs[o];
      if (!place.combine) continue;
      if (!made.combined.contains(made.program.outputs[o])) {
        const ir::TypeId type = tiles.graph->type_id(tiles.graph->outputs()[o]);
        const Buffer& result = made.program.buffers[static_cast<size_t>(made.program.outputs[o])];
        const int each = tile_buffer("each", kept_type(result.dtype), result.sizes);
        adding.emplace_back(o, added(each, place, type));
        place = in_block(each);
      }
      place.combine.reset();
    }
    const size_t before = made.before, each = made.each;
    std::vector<Statement> all = embedded(out_, std::move(made.program), tiles.inputs, tiles.outputs);
    BlockSteps out;
    for (size_t i = 0; i < all.size(); ++i)
      (i < before ? out.before : i < before + each ? out.each : out.after).push_back(std::move(all[i]));
    for (auto& [o, tiles_added] : adding) {
      added_each_time_.insert(o);
      append(out.each, all_of(put(std::move(tiles_added), {})));
    }
    return out;
  }

  const Generate& generate_;
  const GpuOptions& options_;
  int64_t stages_;
  int iteration_ = -1;
  std::vector<SharedTile> tiles_;  // by operand
  std::set<size_t> added_each_time_;
};

/// Stages of which so many bytes are on their way to a processor that it does not wait for memory, two ahead
/// at least if the blocks that run beside each other have room for them.
int64_t stages_for(int64_t bytes, int64_t blocks, int64_t range, const GpuOptions& options) {
  constexpr int64_t kOnTheirWay = 64 << 10, kMostBeside = 4, kMost = 8, kOthers = 16 << 10;
  const int64_t beside = std::clamp<int64_t>((blocks + options.blocks - 1) / options.blocks, 1, kMostBeside);
  const int64_t each = std::max<int64_t>(bytes, 1) * beside;
  const int64_t wanted = std::max<int64_t>(3, kOnTheirWay / each + 1);
  const int64_t there = std::max<int64_t>(2, (options.shared_bytes - kOthers) / each);
  return std::min({wanted, there, kMost, std::max<int64_t>(range, 2)});
}

}  // namespace

GpuKernelLoops gpu_kernel_loops(const ir::OpInstance& kernel, const Generate& tiles,
                                const GpuOptions& options) {
  const ir::Schedule schedule = ir::schedule_of(kernel);
  const int64_t blocks = schedule.grid[0] * schedule.grid[1] * schedule.grid[2];
  GpuKernelLoops out;
  const int64_t bytes = OnGpu(kernel, tiles, options, 2).bytes_of_iteration();
  for (int64_t stages = stages_for(bytes, blocks, schedule.range(), options); stages >= 1; --stages) {
    LoopProgram program = OnGpu(kernel, tiles, options, stages).run();
    out.why_not = places_within(program, options.shared_bytes).error;
    if (!out.why_not.empty()) continue;
    out.program = std::move(program);
    return out;
  }
  return out;
}

}  // namespace isomer::codegen
