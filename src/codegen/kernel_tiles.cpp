#include "codegen/kernel_tiles.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "codegen/make_loops.h"
#include "ir/shorthand.h"

namespace isomer::codegen {

using ir::Accumulate;
using ir::IndexExpr;
using ir::OpInstance;
using ir::Sizes;
using ir::ValueId;

struct KernelTiles::Made {
  explicit Made(const ir::Graph& body) : builder(body.context()), values(body.size()) {}

  Tiles tiles;
  ir::Builder builder;
  std::vector<ValueId> values;       ///< by value of the body
  std::map<size_t, ValueId> before;  ///< running maxima, before the iteration
  std::vector<ValueId> results;

  ValueId take(PartBuffer place, ir::TypeId type) {
    tiles.inputs.push_back(std::move(place));
    return builder.input("", type);
  }
  void give(ValueId v, PartBuffer place) {
    results.push_back(v);
    tiles.outputs.push_back(std::move(place));
  }
  std::vector<ValueId> operands(const ir::Graph& body, ValueId v) const {
    std::vector<ValueId> out;
    for (const ValueId o : body.operands(v)) out.push_back(values[o.index()]);
    return out;
  }
  Tiles finish() {
    tiles.graph = builder.finish(std::move(results));
    return std::move(tiles);
  }
};

KernelTiles::KernelTiles(const OpInstance& kernel)
    : body_(ir::body_of(kernel)), schedule_(ir::schedule_of(kernel)), after_(ir::after_loop(body_)) {
  for (size_t i = 0; i < kernel.inputs.size(); ++i)
    out_.inputs.push_back(
        add_buffer(fmt::format("x{}", i), kernel.in_dtype(i), kernel.in_sizes(i), Memory::kInput));
  for (size_t o = 0; o < body_.outputs().size(); ++o) {
    const ir::Type& tile = body_.type(body_.outputs()[o]);
    out_.outputs.push_back(add_buffer(
        fmt::format("y{}", o), tile.dtype,
        ir::joined_tiles(ir::sizes(tile.shape), schedule_.grid, schedule_.omaps[o]).sizes, Memory::kOutput));
  }
}

void KernelTiles::append(std::vector<Statement>& body, std::vector<Statement> more) {
  for (Statement& s : more) body.push_back(std::move(s));
}

int KernelTiles::add_buffer(std::string name, ir::DType dtype, Sizes sizes, Memory memory) {
  out_.buffers.push_back({std::move(name), dtype, std::move(sizes), memory, {}});
  return static_cast<int>(out_.buffers.size()) - 1;
}

ir::DType KernelTiles::kept_type(ir::DType dtype) { return ir::is_half(dtype) ? ir::DType::kF32 : dtype; }

int KernelTiles::tile_buffer(const std::string& name, ir::DType dtype, const Sizes& tile) {
  Sizes sizes = tile;
  if (around_) sizes.insert(sizes.begin(), around_->size);
  return add_buffer(fmt::format("{}{}", name, out_.buffers.size()), dtype, std::move(sizes),
                    Memory::kScratch);
}

PartBuffer KernelTiles::in_block(int buffer) const {
  PartBuffer place;
  place.buffer = buffer;
  if (around_) place.lead = {IndexExpr::var(around_->variable)};
  return place;
}

void KernelTiles::number_blocks(bool around) {
  const auto most = static_cast<size_t>(std::ranges::max_element(schedule_.grid) - schedule_.grid.begin());
  for (size_t d = 0; d < block_.size(); ++d) {
    block_[d] = add_variable(out_, fmt::format("b{}", "xyz"[d]));
    if (around && d == most && schedule_.grid[d] > 1) around_ = {block_[d], schedule_.grid[d]};
  }
}

IndexExpr KernelTiles::block_at(size_t d) const {
  return schedule_.grid[d] > 1 ? IndexExpr::var(block_[d]) : IndexExpr(0);
}

OpInstance KernelTiles::instance(ValueId v, std::vector<ir::TypeId>& types) const {
  for (const ValueId o : body_.operands(v)) types.push_back(body_.type_id(o));
  return {body_.context(), body_.def(v), body_.attrs(v), types, body_.type_id(v)};
}

bool KernelTiles::accumulates(ValueId v) const { return body_.def(v).accumulate != Accumulate::kNone; }

const KernelTiles::Kept& KernelTiles::kept(ValueId v) const {
  return *std::ranges::find(kept_, v, &Kept::value);
}

void KernelTiles::keep_all() {
  for (size_t i = 0; i < body_.size(); ++i) {
    const ValueId v(i);
    const ir::OpDef& def = body_.def(v);
    if (!accumulates(v) && !def.running_max) continue;
    const ir::Type& type = body_.type(v);
    // What is combined to the end of the loop is a tile of its own type then (a sum, before it is finished).
    Kept kept{v, def.accumulate, tile_buffer("acc", kept_type(type.dtype), ir::sizes(type.shape))};
    if (def.running_max || def.accumulate == Accumulate::kRescale)
      kept.next = tile_buffer("next", kept_type(type.dtype), ir::sizes(type.shape));
    kept_.push_back(kept);
  }
}

bool KernelTiles::first_apart() const {
  return std::ranges::any_of(kept_, [](const Kept& k) {
    return k.kind == Accumulate::kNone || k.kind == Accumulate::kMax || k.kind == Accumulate::kRescale;
  });
}

std::vector<IndexExpr> KernelTiles::start_of(const Sizes& tile, const ir::GridMap& imap,
                                             std::span<const int> fmap,
                                             const std::vector<IndexExpr>& at) const {
  std::vector<IndexExpr> start(tile.size(), IndexExpr(0));
  for (size_t k = 0; k < tile.size(); ++k) {
    for (size_t d = 0; d < imap.size(); ++d)
      if (imap[d] == static_cast<int>(k)) start[k] = start[k] * schedule_.grid[d] + block_at(d);
    for (size_t l = 0; l < fmap.size(); ++l)
      if (fmap[l] == static_cast<int>(k)) start[k] = start[k] * schedule_.loops[l] + at[l];
    start[k] = start[k] * tile[k];
  }
  return start;
}

std::vector<IndexExpr> KernelTiles::loops_at(const IndexExpr& iteration) const {
  const std::vector<ir::Size> extents(schedule_.loops.begin(), schedule_.loops.end());
  return ir::delinearize(iteration, extents);
}

namespace {

/// What the old and the new maximum multiply a sum by that was taken with the old one.
ValueId rescaled(ir::Builder& b, ValueId sum, ValueId before, ValueId now) {
  const ValueId factor = b.add("exp", {b.add("sub", {before, now})});
  return b.add("mul", {sum, ir::broadcast(b, factor, ir::sizes_of(b, sum))});
}

}  // namespace

void KernelTiles::accumulate(ValueId v, const OpInstance& op, ValueId each, const IndexExpr& number,
                             bool first, Made& made) {
  const Kept& k = kept(v);
  ir::Builder& b = made.builder;
  PartBuffer to = in_block(k.buffer);
  if (k.kind == Accumulate::kConcat) {
    const Sizes tile = op.in_sizes(0);
    const auto axis = static_cast<size_t>(op.i("axis"));
    to.offset.assign(tile.size(), IndexExpr(0));
    to.offset[axis] = number * tile[axis];
  } else if (k.kind == Accumulate::kRescale && !first) {
    const ValueId maximum = body_.operands(v)[1];
    const ValueId old = made.take(in_block(k.buffer), body_.type_id(v));
    each =
        b.add("add", {rescaled(b, old, made.before.at(maximum.index()), made.values[maximum.index()]), each});
    to = in_block(k.next);
  } else if (!first) {
    to.combine = k.kind == Accumulate::kMax ? ir::Combiner::kMax : ir::Combiner::kSum;
  }
  made.give(each, std::move(to));
}

void KernelTiles::iterate(ValueId v, const IndexExpr& number, bool first, Made& made) {
  std::vector<ir::TypeId> types;
  const OpInstance op = instance(v, types);
  ValueId each = ir::apply(made.builder, op, made.operands(body_, v));
  if (body_.def(v).running_max) {
    const Kept& k = kept(v);
    if (!first) {
      made.before[v.index()] = made.take(in_block(k.buffer), body_.type_id(v));
      each = made.builder.add("max", {made.before[v.index()], each});
    }
    made.give(each, in_block(first ? k.buffer : k.next));
  }
  made.values[v.index()] = each;
  if (accumulates(v)) accumulate(v, op, each, number, first, made);
}

Tiles KernelTiles::iteration(const IndexExpr& number, bool first) {
  Made made(body_);
  for (size_t i = 0; i < body_.inputs().size(); ++i) {
    const ValueId v = body_.inputs()[i];
    made.values[v.index()] = made.take(input_tile(i, number), body_.type_id(v));
  }
  for (size_t i = 0; i < body_.size(); ++i) {
    const ValueId v(i);
    if (body_.def(v).is(ir::Core::kInput) || (after_[i] && !accumulates(v))) continue;
    iterate(v, number, first, made);
  }
  return made.finish();
}

Tiles KernelTiles::after_loop() {
  Made made(body_);
  for (const Kept& k : kept_) {
    if (k.kind == Accumulate::kNone) continue;
    const ValueId sum = made.take(in_block(k.buffer), body_.type_id(k.value));
    std::vector<ir::TypeId> types;
    const OpInstance op = instance(k.value, types);
    made.values[k.value.index()] = op.op.finish ? op.op.finish(made.builder, op, sum) : sum;
  }
  for (size_t i = 0; i < body_.size(); ++i) {
    const ValueId v(i);
    if (!after_[i] || accumulates(v)) continue;
    std::vector<ir::TypeId> types;
    const OpInstance op = instance(v, types);
    made.values[i] = ir::apply(made.builder, op, made.operands(body_, v));
  }
  for (size_t o = 0; o < body_.outputs().size(); ++o) {
    const ValueId v = body_.outputs()[o];
    PartBuffer to;
    to.buffer = out_.outputs[o];
    to.offset = start_of(ir::sizes(body_.type(v).shape), schedule_.omaps[o], {}, {});
    made.give(made.values[v.index()], std::move(to));
  }
  return made.finish();
}

Tiles KernelTiles::kept_on(const Kept& k) {
  Made made(body_);
  made.give(made.take(in_block(k.next), body_.type_id(k.value)), in_block(k.buffer));
  return made.finish();
}

Tiles KernelTiles::zeros(const Kept& k) {
  Made made(body_);
  ir::Builder& b = made.builder;
  const ir::Type type = body_.type(k.value);
  made.give(ir::broadcast(b, b.constant(type.dtype, {}, {0}), ir::sizes(type.shape)), in_block(k.buffer));
  return made.finish();
}

Tiles KernelTiles::added(int each, const PartBuffer& to, ir::TypeId type) {
  Made made(body_);
  PartBuffer sum = to;
  sum.combine.reset();
  const ValueId x = made.take(sum, type), y = made.take(in_block(each), type);
  made.give(made.builder.add(*to.combine == ir::Combiner::kMax ? "max" : "add", {x, y}), sum);
  return made.finish();
}

}  // namespace isomer::codegen
