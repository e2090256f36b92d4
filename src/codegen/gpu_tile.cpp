#include "codegen/gpu_tile.h"

#include <algorithm>
#include <set>

#include "codegen/accesses.h"
#include "codegen/collapse.h"
#include "meaning/affine.h"
#include "meaning/nest.h"

namespace isomer::codegen {

using ir::IndexExpr;

namespace {

/// Of numbers below a power of two, digit by digit: digits of two add to an odd number where they differ.
IndexExpr exclusive_or(const IndexExpr& a, const IndexExpr& b, int64_t below) {
  IndexExpr out = 0;
  for (int64_t digit = 1; digit < below; digit *= 2)
    out = out + (a.floor_div(digit) + b.floor_div(digit)).mod(2) * digit;
  return out;
}

}  // namespace

TileAxis GpuTile::axis(const std::vector<const Loop*>& loops, int64_t tile, const std::string& name) {
  TileAxis out;
  out.loops = loops;
  out.count = iterations(loops);
  out.tile = tile;
  out.block = variable(name + "0");
  return out;
}

TileOperand GpuTile::operand(int read, const TileAxis& axis, const std::string& name, int64_t depth,
                             ir::DType shared, int64_t apart) {
  TileOperand out;
  out.read = read;
  out.axis = &axis;
  const Access& a = product_.combine->reads[static_cast<size_t>(read)];
  const Buffer& b = program_.buffers[static_cast<size_t>(a.buffer)];
  const auto neighbours = [&](const std::vector<const Loop*>& loops) {
    return stride(program_, a, loops.back()->variable, extents_) == 1;
  };
  out.along = neighbours(axis.loops) || !neighbours(product_.reduce);
  out.wide = out.along ? axis.tile : depth;
  const int64_t elements = axis.tile * depth;
  constexpr int64_t kBytes = 16;
  out.together = std::min(kBytes / ir::byte_size(b.dtype, 1), out.wide);
  while (out.together > 1 && elements / out.together < threads_) out.together /= 2;
  out.threads = std::min(out.wide / out.together, threads_);
  out.rows = threads_ / out.threads;
  out.turns = elements / out.together / threads_;
  out.fetched = add_private(program_, name + "_next", b.dtype, {out.turns, threads_, out.together});
  out.shared = add_private(program_, name + "_tile", shared, {});
  lay_out(out, out.along, depth, shared, apart);
  out.turn = variable("n");
  out.element = variable("u");
  out.outer = variable("t");
  out.inner = variable("t");
  return out;
}
void GpuTile::lay_out(TileOperand& o, bool step_first, int64_t depth, ir::DType shared, int64_t apart) {
  o.step_first = step_first;
  Buffer& b = program_.buffers[static_cast<size_t>(o.shared)];
  b.dtype = shared;
  b.sizes = {step_first ? depth : o.axis->tile, (step_first ? o.axis->tile : depth) + apart};
}
void GpuTile::lay_out_swizzled(TileOperand& o, int64_t depth) {
  o.swizzled = true;
  Buffer& b = program_.buffers[static_cast<size_t>(o.shared)];
  constexpr int64_t kPlaces = kLine / kChunk;
  b.sizes = {o.wide / (o.together * kPlaces), o.along ? depth : o.axis->tile, kPlaces, o.together};
}
int64_t GpuTile::shared_bytes(const TileOperand& o) const {
  const Buffer& b = program_.buffers[static_cast<size_t>(o.shared)];
  return ir::byte_size(b.dtype, b.count());
}
meaning::Sort GpuTile::sort_of(const TileOperand& o) const {
  return meaning::sort_of(program_.buffers[static_cast<size_t>(o.fetched)].dtype);
}
std::vector<IndexExpr> GpuTile::shared_index(const TileOperand& o, const IndexExpr& on_axis,
                                             const IndexExpr& in_step) {
  std::vector<IndexExpr> out;
  if (o.stages > 0) out.push_back(o.stage);
  if (o.swizzled) {
    const IndexExpr &fast = o.along ? on_axis : in_step, &line = o.along ? in_step : on_axis;
    constexpr int64_t kPlaces = kLine / kChunk;
    out.push_back(fast.floor_div(o.together * kPlaces));
    out.push_back(line);
    out.push_back(exclusive_or(fast.floor_div(o.together).mod(kPlaces), line.mod(kPlaces), kPlaces));
    out.push_back(fast.mod(o.together));
    return out;
  }
  out.push_back(o.step_first ? in_step : on_axis);
  out.push_back(o.step_first ? on_axis : in_step);
  return out;
}

/// Where in the slice it is what a thread fetches: on the axis, and in the reduction.
std::pair<IndexExpr, IndexExpr> GpuTile::fetched_place(const TileOperand& o) const {
  IndexExpr fast = IndexExpr::var(o.inner), slow = IndexExpr::var(o.turn) * o.rows + IndexExpr::var(o.outer);
  if (const int64_t parts = o.wide / o.together / o.threads; parts > 1) {  // rows longer than all threads
    fast = IndexExpr::var(o.turn).mod(parts) * o.threads + IndexExpr::var(o.inner);
    slow = IndexExpr::var(o.turn).floor_div(parts);
  }
  fast = fast * o.together + IndexExpr::var(o.element);
  return o.along ? std::pair(fast, slow) : std::pair(slow, fast);
}
Statement GpuTile::over_slice(const TileOperand& o, Store s) const {
  const std::pair<int, int64_t> threads[] = {{o.outer, o.rows}, {o.inner, o.threads}};
  const std::pair<int, int64_t> turns[] = {{o.turn, o.turns}, {o.element, o.together}};
  return nest(turns, LoopKind::kUnrolled, nest(threads, LoopKind::kThread, {std::move(s)}));
}
/// What a thread fetches, without a target.
Store GpuTile::fetched(const TileOperand& o, const IndexExpr& step, int64_t depth) const {
  const auto [on_axis, in_step] = fetched_place(o);
  Store s;
  s.reads = {product_.combine->reads[static_cast<size_t>(o.read)]};
  s.value = read_program(sort_of(o), 0);
  const IndexExpr number = o.axis->begin() + on_axis, along = step * depth + in_step;
  put_digits(s, o.axis->loops, number);
  put_digits(s, product_.reduce, along);
  Access& a = s.reads[0];
  const int64_t all = iterations(product_.reduce);
  if (o.axis->ragged()) a.bounds.push_back({number, o.axis->count});
  if (all % depth != 0) a.bounds.push_back({along, all});
  a.fill = 0;
  return s;
}
Statement GpuTile::fetch(const TileOperand& o, const IndexExpr& step, int64_t depth) const {
  Store s = fetched(o, step, depth);
  s.target =
      at(o.fetched, {IndexExpr::var(o.turn), IndexExpr::var(o.outer) * o.threads + IndexExpr::var(o.inner),
                     IndexExpr::var(o.element)});
  return over_slice(o, std::move(s));
}

bool GpuTile::in_pieces(const TileOperand& o) const {
  const Access& a = product_.combine->reads[static_cast<size_t>(o.read)];
  const auto& along = o.along ? o.axis->loops : product_.reduce;
  constexpr int64_t kBytes = 16;
  const ir::DType dtype = program_.buffers[static_cast<size_t>(a.buffer)].dtype;
  if (!a.bounds.empty() || along.back()->end.value() % o.together != 0 ||
      ir::byte_size(dtype, o.together) != kBytes ||
      program_.buffers[static_cast<size_t>(o.shared)].dtype != dtype)
    return false;
  int64_t first = 0;  // where it begins
  for (const Dimension& d : dimensions_of(program_.buffers[static_cast<size_t>(a.buffer)], a)) {
    const auto affine = meaning::to_affine(d.index, extents_);
    if (!affine) return false;
    first += affine->constant * d.step;
  }
  bool whole = first % o.together == 0;
  for (const auto* loops : {&product_.batch, &o.axis->loops, &product_.reduce})
    for (const Loop* l : *loops) {
      const auto s = stride(program_, a, l->variable, extents_);
      whole = whole && s && (l == along.back() ? *s == 1 : *s % o.together == 0);
    }
  return whole;
}
void GpuTile::stage(TileOperand& o, int64_t stages, int step) {
  o.stages = stages;
  o.stage = IndexExpr::var(step).mod(stages);
  Buffer& b = program_.buffers[static_cast<size_t>(o.shared)];
  b.sizes.insert(b.sizes.begin(), stages);
}
Statement GpuTile::copy(const TileOperand& o, const IndexExpr& step, int64_t depth) const {
  Store s = fetched(o, step, depth);
  const auto [on_axis, in_step] = fetched_place(o);
  TileOperand there = o;
  there.stage = step.mod(o.stages);
  s.target = at(o.shared, shared_index(there, on_axis, in_step));
  s.reads[0].bounds.push_back({step, rounded_up(iterations(product_.reduce), depth)});
  const std::pair<int, int64_t> threads[] = {{o.outer, o.rows}, {o.inner, o.threads}};
  Statement piece = {make_loop(o.element, 0, o.together, LoopKind::kCopied, one({std::move(s)}))};
  return {make_loop(o.turn, 0, o.turns, LoopKind::kUnrolled,
                    one(nest(threads, LoopKind::kThread, std::move(piece))))};
}
void GpuTile::staged_steps(const TileOperand& left, const TileOperand& right, int64_t depth, int64_t ahead,
                           int step, int first, const Statement& multiplied,
                           std::vector<Statement>& out) const {
  const auto lots = [&](Statement s) {
    std::get<Loop>(s.node).stages = ahead + 1;
    out.push_back(std::move(s));
  };
  std::vector<Statement> lot = one(copy(left, IndexExpr::var(first), depth));
  lot.push_back(copy(right, IndexExpr::var(first), depth));
  lots({make_loop(first, 0, ahead, LoopKind::kUnrolled, std::move(lot))});
  std::vector<Statement> body = one(copy(left, IndexExpr::var(step) + ahead, depth));
  body.push_back(copy(right, IndexExpr::var(step) + ahead, depth));
  body.push_back(multiplied);
  lots({make_loop(step, 0, rounded_up(iterations(product_.reduce), depth), LoopKind::kSerial,
                  std::move(body))});
}
Statement GpuTile::share(const TileOperand& o) const {
  const auto [on_axis, in_step] = fetched_place(o);
  Store s;
  s.target = at(o.shared, shared_index(o, on_axis, in_step));
  s.reads = {
      at(o.fetched, {IndexExpr::var(o.turn), IndexExpr::var(o.outer) * o.threads + IndexExpr::var(o.inner),
                     IndexExpr::var(o.element)})};
  s.value = read_program(sort_of(o), 0);
  return over_slice(o, std::move(s));
}

void GpuTile::steps(const TileOperand& left, const TileOperand& right, int64_t depth,
                    const Statement& multiplied, std::vector<Statement>& out) {
  const int step = variable("k0");
  const int64_t count = rounded_up(iterations(product_.reduce), depth);
  out.push_back(fetch(left, 0, depth));
  out.push_back(fetch(right, 0, depth));
  std::vector<Statement> body = one(share(left));
  body.push_back(share(right));
  std::vector<Statement> last = body;
  body.push_back(fetch(left, IndexExpr::var(step) + 1, depth));
  body.push_back(fetch(right, IndexExpr::var(step) + 1, depth));
  body.push_back(multiplied);
  last.push_back(multiplied);
  if (count > 1) out.push_back({make_loop(step, 0, count - 1, LoopKind::kSerial, std::move(body))});
  std::ranges::move(last, std::back_inserter(out));
}

std::vector<Statement> GpuTile::blocks(const TileAxis& rows, const TileAxis& columns,
                                       std::vector<Statement> body) {
  for (const TileAxis* a : {&columns, &rows})
    body = one({make_loop(a->block, 0, rounded_up(a->count, a->tile), LoopKind::kParallel, std::move(body))});
  for (size_t i = product_.batch.size(); i-- > 0;) {
    const Loop& l = *product_.batch[i];
    body = one({make_loop(l.variable, 0, l.end.value(), LoopKind::kParallel, std::move(body))});
  }
  return body;
}

void GpuTile::own_private(std::span<const int64_t> before, std::span<const int64_t> after) {
  std::set<int> own;
  const auto add = [&](const Access& a) {
    if (program_.buffers[static_cast<size_t>(a.buffer)].memory == Memory::kPrivate) own.insert(a.buffer);
  };
  for (const Store& s : product_.before) for_each_access(s, add);
  for (const Store& s : product_.after) for_each_access(s, add);
  combine_ = *product_.combine;
  combine_.places.clear();  // named by nothing
  for_each_access(combine_, add);
  for (const int b : own) {
    const Buffer& old = program_.buffers[static_cast<size_t>(b)];
    std::vector<int64_t> sizes(before.begin(), before.end());
    sizes.insert(sizes.end(), old.sizes.begin(), old.sizes.end());
    sizes.insert(sizes.end(), after.begin(), after.end());
    own_[b] = add_private(program_, old.name + "_", old.dtype, std::move(sizes));
  }
}
void GpuTile::move_private(Access& a, std::span<const IndexExpr> before,
                           std::span<const IndexExpr> after) const {
  const auto to = own_.find(a.buffer);
  if (to == own_.end()) return;
  a.buffer = to->second;
  std::vector<IndexExpr> index(before.begin(), before.end());
  index.insert(index.end(), a.index.begin(), a.index.end());
  index.insert(index.end(), after.begin(), after.end());
  a.index = std::move(index);
}

Store GpuTile::of_element(Store s, const TileAxis& rows, const TileAxis& columns) const {
  for (const TileAxis* axis : {&rows, &columns}) {
    if (!axis->ragged()) continue;
    const Bound there{axis->begin() + axis->place, axis->count};
    for (const int r : reads_of(s))
      if (Access& a = s.reads[static_cast<size_t>(r)]; mentions_any(a, axis->loops))
        a.bounds.push_back(there);
    if (!own_.contains(s.target.buffer)) s.target.bounds.push_back(there);
  }
  put_digits(s, rows.loops, rows.begin() + rows.place);
  put_digits(s, columns.loops, columns.begin() + columns.place);
  for_each_access(s, [&](Access& a) { move_private(a); });
  return s;
}

}  // namespace isomer::codegen
