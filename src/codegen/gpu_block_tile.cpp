#include "codegen/gpu_block_tile.h"

#include <algorithm>
#include <iterator>

#include "codegen/accesses.h"
#include "codegen/collapse.h"
#include "codegen/make_loops.h"

namespace isomer::codegen {

using ir::IndexExpr;

namespace {

/// The loops' iterations as one number.
IndexExpr number_of(const std::vector<const Loop*>& loops) {
  std::vector<IndexExpr> index;
  std::vector<ir::Size> sizes;
  for (const Loop* l : loops) {
    index.push_back(IndexExpr::var(l->variable));
    sizes.emplace_back(l->end.value());
  }
  return ir::linearize(index, sizes);
}

}  // namespace

int BlockTile::variable(const char* name) { return add_variable(program_, name); }

std::vector<IndexExpr> BlockTile::own_index() const {
  std::vector<IndexExpr> out;
  for (const Loops* loops : {&elements_, &threads_})
    for (const auto& [v, end] : *loops) out.push_back(IndexExpr::var(v));
  return out;
}

int BlockTile::own_buffer(const char* name, ir::DType dtype, const Loops& elements) const {
  std::vector<int64_t> sizes;
  for (const Loops* loops : {&elements, &threads_})
    for (const auto& [v, end] : *loops) sizes.push_back(end);
  return add_private(program_, name, dtype, std::move(sizes));
}

Store BlockTile::at_element(Store s, const IndexExpr& row, const IndexExpr& column) const {
  put_digits(s, product_.rows, row);
  put_digits(s, product_.columns, column);
  return s;
}

Statement BlockTile::in_threads(Store s) const {
  return loops_around(threads_, LoopKind::kThread, {std::move(s)});
}

Statement BlockTile::over_elements(Store s) const {
  return loops_around(elements_, LoopKind::kUnrolled, in_threads(std::move(s)));
}

/// What lies beyond the result is not there.
Store BlockTile::bounded(Store s) const {
  for (const auto& [number, loops, there] : {std::tuple(&row_, &product_.rows, rows_there_),
                                             std::tuple(&column_, &product_.columns, columns_there_)}) {
    const int64_t count = iterations(*loops);
    if (there == count) continue;
    for (const int r : reads_of(s))
      if (Access& a = s.reads[static_cast<size_t>(r)]; a.buffer != sums_)
        a.bounds.push_back({*number, count});
    s.target.bounds.push_back({*number, count});
  }
  return s;
}

BlockSteps BlockTile::steps(std::vector<Statement> multiply, bool later) {
  BlockSteps out;
  for (const Store& s : product_.before) {
    Store start = s;
    start.target = access_of(sums_, own_index());
    start.places.clear();  // named by nothing
    out.before.push_back(over_elements(std::move(start)));
  }
  out.each = std::move(multiply);
  out.after = parts_ > 1 ? finished_of_parts() : finished();
  if (later) return out;
  std::ranges::move(out.each, std::back_inserter(out.before));
  std::ranges::move(out.after, std::back_inserter(out.before));
  return {{}, std::move(out.before), {}};
}

std::vector<Statement> BlockTile::finished() const {
  std::vector<Statement> out;
  for (const Store& s : product_.after) {
    Store last = s;
    for (const int r : reads_of(s))
      if (Access& a = last.reads[static_cast<size_t>(r)]; a.buffer == product_.combine->target.buffer)
        a = access_of(sums_, own_index());
    out.push_back(over_elements(bounded(at_element(std::move(last), row_, column_))));
  }
  return out;
}

Access BlockTile::part_at(int shared, const IndexExpr& part, const IndexExpr& row,
                          const IndexExpr& column) const {
  std::vector<IndexExpr> index = {part};
  for (const Loop* l : product_.batch) index.push_back(IndexExpr::var(l->variable));
  index.push_back(row);
  index.push_back(column);
  return access_of(shared, std::move(index));
}

/// Each group of threads says what it has; then each element of the result is made of all of them.
std::vector<Statement> BlockTile::finished_of_parts() {
  std::vector<int64_t> sizes = {parts_};
  for (const Loop* l : product_.batch) sizes.push_back(l->end.value());
  sizes.push_back(iterations(product_.rows));
  sizes.push_back(iterations(product_.columns));
  const Buffer sum = program_.buffers[static_cast<size_t>(sums_)];
  const int shared = add_private(program_, "parts", sum.dtype, std::move(sizes));
  Store say;
  say.target = part_at(shared, IndexExpr::var(split_), row_, column_);
  say.reads = {access_of(sums_, own_index())};
  say.value = read_program(product_.combine->value.sort, 0);
  std::vector<Statement> out = one(over_elements(bounded(std::move(say))));
  Store gather;
  const int part = variable("p");
  gather.target = product_.combine->target;
  gather.combine = product_.combine->combine;
  gather.reads = {
      part_at(shared, IndexExpr::var(part), number_of(product_.rows), number_of(product_.columns))};
  gather.value = read_program(product_.combine->value.sort, 0);
  std::vector<Statement> body;
  for (const Store& s : product_.before) body.push_back({s});
  body.push_back({make_loop(part, 0, parts_, LoopKind::kUnrolled, one({std::move(gather)}))});
  for (const Store& s : product_.after) body.push_back({s});
  std::vector<const Loop*> loops = product_.batch;
  loops.insert(loops.end(), product_.rows.begin(), product_.rows.end());
  loops.insert(loops.end(), product_.columns.begin(), product_.columns.end());
  // In the order in which the result lies.
  const auto dimension = [&](const Loop* l) {
    const std::vector<IndexExpr>& index = product_.after.back().target.index;
    return std::ranges::find_if(index, [&](const IndexExpr& i) { return mentions(i, l->variable); }) -
           index.begin();
  };
  if (!product_.after.empty()) std::ranges::stable_sort(loops, {}, dimension);
  for (size_t i = loops.size(); i-- > 0;)
    body = one({make_loop(loops[i]->variable, 0, loops[i]->end.value(), LoopKind::kSerial, std::move(body))});
  std::ranges::move(body, std::back_inserter(out));
  return out;
}

}  // namespace isomer::codegen
