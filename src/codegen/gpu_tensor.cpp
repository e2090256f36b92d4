#include "codegen/gpu_tensor.h"

#include <algorithm>
#include <optional>
#include <span>

#include "codegen/accesses.h"
#include "codegen/gpu_tile.h"
#include "codegen/gpu_warpgroup.h"

namespace isomer::codegen {
namespace {

using ir::IndexExpr;

/// Of a block; warps in rows and columns.
struct WarpTile {
  int64_t rows, columns, warp_rows, warp_columns;
  double rate;
};
constexpr WarpTile kWarpTiles[] = {
    {128, 128, 2, 2, 1.1}, {128, 128, 2, 4, 1.0}, {128, 64, 4, 2, 0.75},
    {64, 128, 2, 4, 0.75}, {64, 64, 2, 2, 0.6},   {32, 64, 1, 2, 0.4},
    {64, 32, 2, 1, 0.4},   {32, 32, 1, 1, 0.3},   {16, 16, 1, 1, 0.1},
};

constexpr double kWarpWaiting = 3000;  // what a step of a block takes at least, as elements of a tile

/// An operand of m by k or n by k in pieces that an instruction takes has, in each thread, pairs of
/// neighbours along k: piece, upper half of k, (for m: upper half of m,) which of the pair; then the thread.
class TensorTile : GpuTile {
 public:
  using GpuTile::GpuTile;

  std::vector<Statement> run() {
    const WarpTile tile =
        fastest(std::span(kWarpTiles), product_, options_.tile * 2, options_.blocks, kWarpWaiting);
    threads_ = tile.warp_rows * tile.warp_columns * kWarp;
    rows_ = axis(product_.rows, tile.rows, "r");
    columns_ = axis(product_.columns, tile.columns, "c");
    warp_rows_ = tile.warp_rows;
    warp_columns_ = tile.warp_columns;
    row_pieces_ = tile.rows / warp_rows_ / kRows;
    column_pieces_ = tile.columns / warp_columns_ / kColumns;
    depth_ = std::max<int64_t>(kSteps, std::min<int64_t>(options_.depth * 4, kDepth));
    while (depth_ * std::min(tile.rows, tile.columns) < threads_) depth_ *= 2;
    wr_ = variable("wr"), wc_ = variable("wc"), lr_ = variable("lr"), lc_ = variable("lc");
    const int mi = variable("m"), high = variable("e"), ni = variable("n"), low = variable("e");
    rows_.place = row(IndexExpr::var(mi), IndexExpr::var(high) * 8 + IndexExpr::var(lr_));
    columns_.place = column(IndexExpr::var(ni), IndexExpr::var(lc_) * 2 + IndexExpr::var(low));
    const int64_t before[] = {row_pieces_, 2, column_pieces_, 2}, after[] = {warp_rows_, warp_columns_, 8, 4};
    own_private(before, after);
    for (const int v : {mi, high, ni, low}) index_before_.push_back(IndexExpr::var(v));
    for (const int v : {wr_, wc_, lr_, lc_}) index_after_.push_back(IndexExpr::var(v));
    const std::pair<int, int64_t> elements[] = {{mi, row_pieces_}, {high, 2}, {ni, column_pieces_}, {low, 2}};
    const auto each = [&](const std::vector<Store>& stores, std::vector<Statement>& out) {
      for (const Store& s : stores)
        out.push_back(nest(elements, LoopKind::kUnrolled, in_threads({of_element(s, rows_, columns_)})));
    };
    TileOperand left = slice(product_.left, rows_, "left"), right = slice(product_.right, columns_, "right");
    std::vector<Statement> body;
    each(product_.before, body);
    constexpr int64_t kOthers = 4 << 10;
    const int64_t stages = std::min(
        options_.stages, (options_.shared_bytes - kOthers) / (shared_bytes(left) + shared_bytes(right)));
    if (stages > 1 && in_pieces(left) && in_pieces(right)) {
      const int step = variable("k0"), first = variable("k0");
      stage(left, stages, step);
      stage(right, stages, step);
      staged_steps(left, right, depth_, stages - 1, step, first, multiply(left, right), body);
    } else {
      steps(left, right, depth_, multiply(left, right), body);
    }
    each(product_.after, body);
    return blocks(rows_, columns_, std::move(body));
  }

 private:
  // Of an instruction.
  static constexpr int64_t kRows = 16, kColumns = 8, kSteps = 16, kDepth = 64;

  IndexExpr row(const IndexExpr& piece, const IndexExpr& in_piece) const {
    return IndexExpr::var(wr_) * (row_pieces_ * kRows) + piece * kRows + in_piece;
  }
  IndexExpr column(const IndexExpr& piece, const IndexExpr& in_piece) const {
    return IndexExpr::var(wc_) * (column_pieces_ * kColumns) + piece * kColumns + in_piece;
  }
  TileOperand slice(int read, const TileAxis& axis, const char* name) {
    const Access& a = product_.combine->reads[static_cast<size_t>(read)];
    constexpr int64_t kApart = 8;
    return operand(read, axis, name, depth_, program_.buffers[static_cast<size_t>(a.buffer)].dtype, kApart);
  }
  Statement in_threads(Statement inner) const {
    const std::pair<int, int64_t> threads[] = {{wr_, warp_rows_}, {wc_, warp_columns_}, {lr_, 8}, {lc_, 4}};
    return nest(threads, LoopKind::kThread, std::move(inner));
  }
  /// Three loops of what warps do together.
  Statement by_warps(std::span<const std::pair<int, int64_t>> together, Store s) const {
    const std::pair<int, int64_t> warps[] = {{wr_, warp_rows_}, {wc_, warp_columns_}};
    return nest(warps, LoopKind::kThread, nest(together, LoopKind::kTensor, {std::move(s)}));
  }
  std::vector<IndexExpr> with_threads(std::vector<IndexExpr> index, const IndexExpr& lane_row,
                                      const IndexExpr& lane_column) const {
    for (const IndexExpr& i : {IndexExpr::var(wr_), IndexExpr::var(wc_), lane_row, lane_column})
      index.push_back(i);
    return index;
  }

  /// One step of 16 of a slice: four pieces of 8 by 8 at a time.
  Statement load_left(const TileOperand& o, int held, const IndexExpr& begin) {
    const int piece = variable("m"), j = variable("j"), r = variable("r"), c = variable("c");
    const IndexExpr m = IndexExpr::var(piece), vj = IndexExpr::var(j), vr = IndexExpr::var(r),
                    vc = IndexExpr::var(c);
    Store s;
    s.target = at(held, with_threads({m, vj.floor_div(2), vj.mod(2), vc.mod(2)}, vr, vc.floor_div(2)));
    s.reads = {at(o.shared, shared_index(o, row(m, vj.mod(2) * 8 + vr), begin + vj.floor_div(2) * 8 + vc))};
    s.value = read_program(sort_of(o), 0);
    const std::pair<int, int64_t> moved[] = {{j, 4}, {r, 8}, {c, 8}};
    return {make_loop(piece, 0, row_pieces_, LoopKind::kUnrolled, one(by_warps(moved, std::move(s))))};
  }
  Statement load_right(const TileOperand& o, int held, const IndexExpr& begin) {
    const int pair = variable("n"), j = variable("j"), r = variable("r"), c = variable("c");
    const IndexExpr vj = IndexExpr::var(j), vr = IndexExpr::var(r), vc = IndexExpr::var(c),
                    n = IndexExpr::var(pair) * 2 + vj.floor_div(2);
    Store s;
    s.target = at(held, with_threads({n, vj.mod(2), vc.mod(2)}, vr, vc.floor_div(2)));
    s.reads = {at(o.shared, shared_index(o, column(n, vr), begin + vj.mod(2) * 8 + vc))};
    s.value = read_program(sort_of(o), 0);
    const std::pair<int, int64_t> moved[] = {{j, 4}, {r, 8}, {c, 8}};
    return {make_loop(pair, 0, column_pieces_ / 2, LoopKind::kUnrolled, one(by_warps(moved, std::move(s))))};
  }

  Statement multiply(const TileOperand& left, const TileOperand& right) {
    const auto held = [&](const TileOperand& o, std::vector<int64_t> sizes) {
      for (const int64_t n : {warp_rows_, warp_columns_, int64_t{8}, int64_t{4}}) sizes.push_back(n);
      return add_private(program_, "held", program_.buffers[static_cast<size_t>(o.shared)].dtype,
                         std::move(sizes));
    };
    const int of_left = held(left, {row_pieces_, 2, 2, 2}), of_right = held(right, {column_pieces_, 2, 2});
    const int step = variable("k"), mi = variable("m"), ni = variable("n");
    const int m = variable("i"), n = variable("j"), k = variable("l");
    const IndexExpr vm = IndexExpr::var(m), vn = IndexExpr::var(n), vk = IndexExpr::var(k);
    Store s = combine_;
    const IndexExpr before[] = {IndexExpr::var(mi), vm.floor_div(8), IndexExpr::var(ni), vn.mod(2)};
    move_private(s.target, before, with_threads({}, vm.mod(8), vn.floor_div(2)));
    s.reads[static_cast<size_t>(left.read)] =
        at(of_left, with_threads({IndexExpr::var(mi), vk.floor_div(8), vm.floor_div(8), vk.mod(2)}, vm.mod(8),
                                 vk.mod(8).floor_div(2)));
    s.reads[static_cast<size_t>(right.read)] = at(
        of_right, with_threads({IndexExpr::var(ni), vk.floor_div(8), vk.mod(2)}, vn, vk.mod(8).floor_div(2)));
    const std::pair<int, int64_t> product[] = {{m, kRows}, {n, kColumns}, {k, kSteps}};
    const std::pair<int, int64_t> pieces[] = {{mi, row_pieces_}, {ni, column_pieces_}};
    std::vector<Statement> body;
    const IndexExpr begin = IndexExpr::var(step) * kSteps;
    body.push_back(load_left(left, of_left, begin));
    body.push_back(load_right(right, of_right, begin));
    body.push_back(nest(pieces, LoopKind::kUnrolled, by_warps(product, std::move(s))));
    return {make_loop(step, 0, depth_ / kSteps, LoopKind::kUnrolled, std::move(body))};
  }

  TileAxis rows_, columns_;
  int64_t warp_rows_ = 0, warp_columns_ = 0, row_pieces_ = 0, column_pieces_ = 0, depth_ = 0;
  int wr_ = -1, wc_ = -1, lr_ = -1, lc_ = -1;
};

}  // namespace

std::vector<Statement> product_by_tensor_cores(LoopProgram& program, const Product& product,
                                               std::span<const int64_t> extents, const GpuOptions& options) {
  if (!options.tensor_cores || !is_of_halves(program, product)) return {};
  if (auto tiles = product_by_warpgroups(program, product, extents, options); !tiles.empty()) return tiles;
  return TensorTile(program, product, extents, options).run();
}

}  // namespace isomer::codegen
