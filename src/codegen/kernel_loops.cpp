#include "codegen/kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "codegen/embed.h"
#include "codegen/fuse.h"
#include "codegen/make_loops.h"
#include "codegen/simplify.h"
#include "ir/lift.h"
#include "ir/schedule.h"
#include "ir/shorthand.h"

namespace isomer::codegen {
namespace {

using ir::Accumulate;
using ir::IndexExpr;
using ir::OpInstance;
using ir::Sizes;
using ir::ValueId;

/// What the iterations leave to the next one.
struct Kept {
  ValueId value;                        ///< of the body: an accumulator or a running maximum
  Accumulate kind = Accumulate::kNone;  ///< kNone: a running maximum
  int buffer = -1;                      ///< that holds it
  int next = -1;                        ///< what an iteration makes of it, if it reads the old one meanwhile
};

/// A graph of tiles with the places of what it takes and gives.
struct Tiles {
  std::optional<ir::Graph> graph;
  std::vector<PartBuffer> inputs, outputs;
};

class KernelLoops {
 public:
  KernelLoops(const OpInstance& kernel, const Generate& generate)
      : body_(ir::body_of(kernel)),
        schedule_(ir::schedule_of(kernel)),
        after_(ir::after_loop(body_)),
        generate_(generate) {
    for (size_t i = 0; i < kernel.inputs.size(); ++i) {
      out_.inputs.push_back(
          add_buffer(fmt::format("x{}", i), kernel.in_dtype(i), kernel.in_sizes(i), Memory::kInput));
    }
    for (size_t o = 0; o < body_.outputs().size(); ++o) {
      const ir::Type& tile = body_.type(body_.outputs()[o]);
      out_.outputs.push_back(
          add_buffer(fmt::format("y{}", o), tile.dtype,
                     ir::joined_tiles(ir::sizes(tile.shape), schedule_.grid, schedule_.omaps[o]).sizes,
                     Memory::kOutput));
    }
  }

  LoopProgram run() {
    const int64_t range = schedule_.range();
    const size_t most =
        static_cast<size_t>(std::ranges::max_element(schedule_.grid) - schedule_.grid.begin());
    const int iteration = add_variable(out_, "s");
    for (size_t d = 0; d < 3; ++d) {
      const int variable = add_variable(out_, fmt::format("b{}", "xyz"[d]));
      block_at_[d] = schedule_.grid[d] > 1 ? IndexExpr::var(variable) : IndexExpr(0);
      if (d == most && schedule_.grid[d] > 1) around_ = {variable, schedule_.grid[d]};
    }
    keep_all();
    std::vector<Statement> body;
    const bool apart = first_apart();
    if (apart)
      append(body, iterations(0, true));
    else
      for (const Kept& k : kept_)
        if (k.kind == Accumulate::kAdd) append(body, zeros(k));
    const int64_t begin = apart ? 1 : 0;
    if (range - begin > 1)
      body.push_back({make_loop(iteration, begin, range, LoopKind::kSerial,
                                iterations(IndexExpr::var(iteration), false))});
    else if (range > begin)
      append(body, iterations(begin, false));
    append(body, put(after_loop()));
    // The dimension of most blocks runs in parallel, the others within.
    for (size_t d = 0; d < 3; ++d)
      if (d != most && schedule_.grid[d] > 1)
        body = one({make_loop(static_cast<int>(block_at_[d].value()), 0, schedule_.grid[d], LoopKind::kSerial,
                              std::move(body))});
    if (around_)
      body = one({make_loop(around_->variable, 0, around_->size, LoopKind::kParallel, std::move(body))});
    out_.body = std::move(body);
    return drop_untouched(shrink_buffers(simplify_indices(std::move(out_))));
  }

 private:
  static void append(std::vector<Statement>& body, std::vector<Statement> more) {
    for (Statement& s : more) body.push_back(std::move(s));
  }
  int add_buffer(std::string name, ir::DType dtype, Sizes sizes, Memory memory) {
    out_.buffers.push_back({std::move(name), dtype, std::move(sizes), memory, {}});
    return static_cast<int>(out_.buffers.size()) - 1;
  }

  template <class List>
  static std::vector<IndexExpr> digits_of(const IndexExpr& number, const List& radix) {
    std::vector<ir::Size> extents(radix.begin(), radix.end());
    return ir::delinearize(number, extents);
  }

  OpInstance instance(ValueId v, std::vector<ir::TypeId>& types) const {
    for (const ValueId o : body_.operands(v)) types.push_back(body_.type_id(o));
    return {body_.context(), body_.def(v), body_.attrs(v), types, body_.type_id(v)};
  }
  bool accumulates(ValueId v) const { return body_.def(v).accumulate != Accumulate::kNone; }

  /// Sums are kept in single precision at least.
  static ir::DType kept_type(ir::DType dtype) {
    return dtype == ir::DType::kF16 || dtype == ir::DType::kBF16 ? ir::DType::kF32 : dtype;
  }

  /// Memory of a block for a tile.
  int tile_buffer(const std::string& name, ir::DType dtype, const Sizes& tile) {
    Sizes sizes = tile;
    if (around_) sizes.insert(sizes.begin(), around_->size);
    return add_buffer(fmt::format("{}{}", name, out_.buffers.size()), dtype, std::move(sizes),
                      Memory::kScratch);
  }
  /// The tile in it.
  PartBuffer in_block(int buffer) const {
    PartBuffer place;
    place.buffer = buffer;
    if (around_) place.lead = {IndexExpr::var(around_->variable)};
    return place;
  }

  void keep_all() {
    for (size_t i = 0; i < body_.size(); ++i) {
      const ValueId v(i);
      const ir::OpDef& def = body_.def(v);
      if (!accumulates(v) && !def.running_max) continue;
      const ir::Type& type = body_.type(v);
      // What is combined to the end of the loop is a tile of its own type then (a sum, before it is
      // finished).
      Kept kept{v, def.accumulate, tile_buffer("acc", kept_type(type.dtype), ir::sizes(type.shape))};
      if (def.running_max || def.accumulate == Accumulate::kRescale)
        kept.next = tile_buffer("next", kept_type(type.dtype), ir::sizes(type.shape));
      kept_.push_back(kept);
    }
  }
  /// Whether there is something before the first iteration that has no number.
  bool first_apart() const {
    return std::ranges::any_of(kept_, [](const Kept& k) {
      return k.kind == Accumulate::kNone || k.kind == Accumulate::kMax || k.kind == Accumulate::kRescale;
    });
  }
  const Kept& kept(ValueId v) const { return *std::ranges::find(kept_, v, &Kept::value); }

  /// Element 0 of a tile, of which these are cut: by the grid, then by loops.
  std::vector<IndexExpr> start_of(const Sizes& tile, const ir::GridMap& imap, std::span<const int> fmap,
                                  const std::vector<IndexExpr>& at) const {
    std::vector<IndexExpr> start(tile.size(), IndexExpr(0));
    for (size_t k = 0; k < tile.size(); ++k) {
      for (size_t d = 0; d < imap.size(); ++d)
        if (imap[d] == static_cast<int>(k)) start[k] = start[k] * schedule_.grid[d] + block_at_[d];
      for (size_t l = 0; l < fmap.size(); ++l)
        if (fmap[l] == static_cast<int>(k)) start[k] = start[k] * schedule_.loops[l] + at[l];
      start[k] = start[k] * tile[k];
    }
    return start;
  }

  /// What the old and the new maximum multiply a sum by that was taken with the old one.
  static ValueId rescaled(ir::Builder& b, ValueId sum, ValueId before, ValueId now) {
    const ValueId factor = b.add("exp", {b.add("sub", {before, now})});
    return b.add("mul", {sum, ir::broadcast(b, factor, ir::sizes_of(b, sum))});
  }

  /// One iteration: everything before accumulators, and what these become. `first`: nothing was kept before.
  Tiles iteration(const IndexExpr& number, bool first) {
    Tiles out;
    ir::Builder b(body_.context());
    std::vector<ValueId> values(body_.size());
    std::map<size_t, ValueId> before;  // of running maxima
    std::vector<ValueId> results;
    const std::vector<IndexExpr> at = digits_of(number, schedule_.loops);
    const auto old = [&](const Kept& k) {
      out.inputs.push_back(in_block(k.buffer));
      return b.input("", body_.type_id(k.value));
    };
    const auto give = [&](ValueId v, PartBuffer place) {
      results.push_back(v);
      out.outputs.push_back(std::move(place));
    };
    for (size_t i = 0; i < body_.inputs().size(); ++i) {
      const ValueId v = body_.inputs()[i];
      values[v.index()] = b.input("", body_.type_id(v));
      const ir::ScheduledInput& cut = schedule_.inputs[i];
      out.inputs.push_back(
          {out_.inputs[i], {}, start_of(ir::sizes(body_.type(v).shape), cut.imap, cut.fmap, at), {}});
    }
    for (size_t i = 0; i < body_.size(); ++i) {
      const ValueId v(i);
      const ir::OpDef& def = body_.def(v);
      if (def.is(ir::Core::kInput) || (after_[i] && !accumulates(v))) continue;
      std::vector<ir::TypeId> types;
      const OpInstance op = instance(v, types);
      std::vector<ValueId> in;
      for (const ValueId o : body_.operands(v)) in.push_back(values[o.index()]);
      ValueId each = ir::apply(b, op, in);
      if (def.running_max) {
        const Kept& k = kept(v);
        if (!first) {
          before[i] = old(k);
          each = b.add("max", {before[i], each});
        }
        give(each, in_block(first ? k.buffer : k.next));
      }
      values[i] = each;
      if (!accumulates(v)) continue;
      const Kept& k = kept(v);
      PartBuffer to = in_block(k.buffer);
      if (k.kind == Accumulate::kConcat) {
        const Sizes tile = op.in_sizes(0);
        const auto axis = static_cast<size_t>(op.i("axis"));
        to.offset.assign(tile.size(), IndexExpr(0));
        to.offset[axis] = number * tile[axis];
      } else if (k.kind == Accumulate::kRescale && !first) {
        const ValueId maximum = body_.operands(v)[1];
        each = b.add("add", {rescaled(b, old(k), before.at(maximum.index()), values[maximum.index()]), each});
        to = in_block(k.next);
      } else if (!first) {
        to.combine = k.kind == Accumulate::kMax ? ir::Combiner::kMax : ir::Combiner::kSum;
      }
      give(each, std::move(to));
    }
    out.graph = b.finish(std::move(results));
    return out;
  }

  Tiles after_loop() {
    Tiles out;
    ir::Builder b(body_.context());
    std::vector<ValueId> values(body_.size());
    for (const Kept& k : kept_) {
      if (k.kind == Accumulate::kNone) continue;
      const ValueId sum = b.input("", body_.type_id(k.value));
      out.inputs.push_back(in_block(k.buffer));
      std::vector<ir::TypeId> types;
      const OpInstance op = instance(k.value, types);
      values[k.value.index()] = op.op.finish ? op.op.finish(b, op, sum) : sum;
    }
    for (size_t i = 0; i < body_.size(); ++i) {
      const ValueId v(i);
      if (!after_[i] || accumulates(v)) continue;
      std::vector<ir::TypeId> types;
      const OpInstance op = instance(v, types);
      std::vector<ValueId> in;
      for (const ValueId o : body_.operands(v)) in.push_back(values[o.index()]);
      values[i] = ir::apply(b, op, in);
    }
    std::vector<ValueId> results;
    for (size_t o = 0; o < body_.outputs().size(); ++o) {
      const ValueId v = body_.outputs()[o];
      results.push_back(values[v.index()]);
      out.outputs.push_back(
          {out_.outputs[o], {}, start_of(ir::sizes(body_.type(v).shape), schedule_.omaps[o], {}, {}), {}});
    }
    out.graph = b.finish(std::move(results));
    return out;
  }

  /// All of an iteration.
  std::vector<Statement> iterations(const IndexExpr& number, bool first) {
    std::vector<Statement> out = put(iteration(number, first));
    if (first) return out;
    for (const Kept& k : kept_)
      if (k.next >= 0)
        append(out, put(of_kept(k, [](ir::Builder& b, ir::TypeId t) { return b.input("", t); }, k.next)));
    return out;
  }
  std::vector<Statement> zeros(const Kept& k) {
    return put(of_kept(k, [](ir::Builder& b, ir::TypeId t) {
      const ir::Type type = b.context().get(t);
      return ir::broadcast(b, b.constant(type.dtype, {}, {0}), ir::sizes(type.shape));
    }));
  }
  /// What is kept becomes a value.
  template <class Make>
  Tiles of_kept(const Kept& k, Make make, int from = -1) {
    Tiles out;
    ir::Builder b(body_.context());
    const ValueId v = make(b, body_.type_id(k.value));
    if (from >= 0) out.inputs.push_back(in_block(from));
    out.outputs.push_back(in_block(k.buffer));
    out.graph = b.finish({v});
    return out;
  }
  /// What an iteration contributes, which its program does not only store, added.
  Tiles added(int each, const PartBuffer& to, ir::TypeId type) {
    Tiles out;
    ir::Builder b(body_.context());
    const ValueId x = b.input("", type), y = b.input("", type);
    PartBuffer sum = to;
    sum.combine.reset();
    out.inputs = {sum, in_block(each)};
    out.outputs = {sum};
    out.graph = b.finish({b.add(*to.combine == ir::Combiner::kMax ? "max" : "add", {x, y})});
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
      after.push_back(added(each, place, type));
      place = in_block(each);
    }
    std::vector<Statement> out = embedded(out_, std::move(part), tiles.inputs, tiles.outputs, around_);
    for (Tiles& t : after) append(out, put(std::move(t)));
    return out;
  }

  const ir::Graph& body_;
  ir::Schedule schedule_;
  std::vector<bool> after_;
  const Generate& generate_;
  LoopProgram out_;
  std::optional<Around> around_;              // the parallel loop over blocks
  std::vector<IndexExpr> block_at_{0, 0, 0};  // which block
  std::vector<Kept> kept_;
};

}  // namespace

LoopProgram kernel_loops(const OpInstance& kernel, const Generate& generate) {
  return KernelLoops(kernel, generate).run();
}

}  // namespace isomer::codegen
