#include "codegen/gpu_tensor.h"

#include <algorithm>
#include <optional>
#include <span>

#include "codegen/accesses.h"
#include "codegen/gpu_fragments.h"
#include "codegen/gpu_tile.h"
#include "codegen/gpu_warpgroup.h"

namespace isomer::codegen {
namespace {

using ir::IndexExpr;

/// Of a block; warps in rows and columns.
struct WarpTile {
  int64_t rows, columns, warp_rows, warp_columns;
  double rate;
  int64_t threads() const { return warp_rows * warp_columns * kWarp; }
};
constexpr WarpTile kWarpTiles[] = {
    {128, 128, 2, 2, 1.1}, {128, 128, 2, 4, 1.0}, {128, 64, 4, 2, 0.75}, {64, 128, 2, 4, 0.75},
    {64, 64, 2, 2, 0.6},   {32, 64, 1, 2, 0.4},   {64, 32, 2, 1, 0.4},   {16, 128, 1, 4, 0.4},
    {128, 16, 4, 1, 0.4},  {16, 64, 1, 4, 0.3},   {64, 16, 4, 1, 0.3},   {32, 32, 1, 1, 0.3},
    {16, 16, 1, 1, 0.1},
};

constexpr double kWarpWaiting = 3000;  // what a step of a block takes at least, as elements of a tile

/// The one of which all blocks take the least time.
WarpTile warp_tile(const Product& product, const GpuOptions& options) {
  const auto time = [&](const WarpTile& t) {
    return static_cast<double>(rounded_up(blocks_of(t, product), options.blocks)) *
           (static_cast<double>(t.rows * t.columns) / t.rate + kWarpWaiting);
  };
  return fastest(kWarpTiles, options.tile * 2, time).tile;
}

/// An operand of m by k or n by k in pieces that an instruction takes has, in each thread, pairs of
/// neighbours along k: piece, upper half of k, (for m: upper half of m,) which of the pair; then the thread.
class TensorTile : GpuTile {
 public:
  using GpuTile::GpuTile;

  std::vector<Statement> run() {
    const WarpTile tile = warp_tile(product_, options_);
    threads_ = tile.threads();
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
    rows_.place = row(IndexExpr::var(mi), row_of_sum(IndexExpr::var(high), IndexExpr::var(lr_)));
    columns_.place = column(IndexExpr::var(ni), column_of_sum(IndexExpr::var(low), IndexExpr::var(lc_)));
    const int64_t before[] = {row_pieces_, 2, column_pieces_, 2},
                  after[] = {warp_rows_, warp_columns_, kLaneRows, kLaneColumns};
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
    const int64_t stages = stages_of(shared_bytes(left) + shared_bytes(right));
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
  static constexpr int64_t kRows = kFragmentRows, kColumns = kFragmentColumns, kSteps = kFragmentSteps,
                           kDepth = 64;

  /// One more of short slices: blocks that share a multiprocessor have room for it.
  int64_t stages_of(int64_t slice_bytes) const {
    constexpr int64_t kOthers = 4 << 10, kShort = 18 << 10;
    const int64_t wanted = options_.stages + (options_.stages > 1 && slice_bytes <= kShort ? 1 : 0);
    return std::min(wanted, (options_.shared_bytes - kOthers) / slice_bytes);
  }
  IndexExpr row(const IndexExpr& piece, const IndexExpr& in_piece) const {
    return IndexExpr::var(wr_) * (row_pieces_ * kRows) + piece * kRows + in_piece;
  }
  IndexExpr column(const IndexExpr& piece, const IndexExpr& in_piece) const {
    return IndexExpr::var(wc_) * (column_pieces_ * kColumns) + piece * kColumns + in_piece;
  }
  TileOperand slice(int read, const TileAxis& axis, const char* name) {
    const Access& a = product_.combine->reads[static_cast<size_t>(read)];
    constexpr int64_t kApart = 8, kOfLine = 64;
    TileOperand out =
        operand(read, axis, name, depth_, program_.buffers[static_cast<size_t>(a.buffer)].dtype, kApart);
    // Shared memory is written by lines, which rows that are a little apart would straddle.
    if (out.wide % kOfLine == 0 && in_pieces(out)) lay_out_swizzled(out, depth_);
    return out;
  }
  Statement in_threads(Statement inner) const {
    const std::pair<int, int64_t> threads[] = {
        {wr_, warp_rows_}, {wc_, warp_columns_}, {lr_, kLaneRows}, {lc_, kLaneColumns}};
    return nest(threads, LoopKind::kThread, std::move(inner));
  }
  /// Three loops of what warps do together.
  Statement by_warps(std::span<const std::pair<int, int64_t>> together, Store s) const {
    const std::pair<int, int64_t> warps[] = {{wr_, warp_rows_}, {wc_, warp_columns_}};
    return nest(warps, LoopKind::kThread, nest(together, LoopKind::kTensor, {std::move(s)}));
  }
  std::vector<IndexExpr> with_threads(std::vector<IndexExpr> index, const Fragment& f) const {
    for (const IndexExpr& i : {IndexExpr::var(wr_), IndexExpr::var(wc_), f.lane_row, f.lane_column})
      index.push_back(i);
    return index;
  }
  Access of_left(int held, const IndexExpr& piece, const Fragment& f) const {
    return at(held, with_threads({piece, f.step_half, f.row_half, f.of_pair}, f));
  }
  Access of_right(int held, const IndexExpr& piece, const Fragment& f) const {
    return at(held, with_threads({piece, f.step_half, f.of_pair}, f));
  }

  /// One step of 16 of a slice: four squares at a time.
  Statement load_left(const TileOperand& o, int held, const IndexExpr& begin) {
    const int piece = variable("m");
    const FourSquares s = four_squares(program_);
    const IndexExpr m = IndexExpr::var(piece), in_piece = s.square.mod(2) * kSquare + s.row,
                    step = s.square.floor_div(2) * kSquare + s.column;
    Store load;
    load.target = of_left(held, m, left_fragment(in_piece, step));
    load.reads = {at(o.shared, shared_index(o, row(m, in_piece), begin + step))};
    load.value = read_program(sort_of(o), 0);
    return {make_loop(piece, 0, row_pieces_, LoopKind::kUnrolled, one(by_warps(s.loops, std::move(load))))};
  }
  Statement load_right(const TileOperand& o, int held, const IndexExpr& begin) {
    const int pair = variable("n");
    const FourSquares s = four_squares(program_);
    const IndexExpr n = IndexExpr::var(pair) * 2 + s.square.floor_div(2),
                    step = s.square.mod(2) * kSquare + s.column;
    Store load;
    load.target = of_right(held, n, right_fragment(s.row, step));
    load.reads = {at(o.shared, shared_index(o, column(n, s.row), begin + step))};
    load.value = read_program(sort_of(o), 0);
    return {
        make_loop(pair, 0, column_pieces_ / 2, LoopKind::kUnrolled, one(by_warps(s.loops, std::move(load))))};
  }

  Statement multiply(const TileOperand& left, const TileOperand& right) {
    const auto held = [&](const TileOperand& o, std::vector<int64_t> sizes) {
      for (const int64_t n : {warp_rows_, warp_columns_, kLaneRows, kLaneColumns}) sizes.push_back(n);
      return add_private(program_, "held", program_.buffers[static_cast<size_t>(o.shared)].dtype,
                         std::move(sizes));
    };
    const int left_held = held(left, {row_pieces_, 2, 2, 2}),
              right_held = held(right, {column_pieces_, 2, 2});
    const int step = variable("k"), mi = variable("m"), ni = variable("n");
    const int m = variable("i"), n = variable("j"), k = variable("l");
    const IndexExpr vm = IndexExpr::var(m), vn = IndexExpr::var(n), vk = IndexExpr::var(k);
    Store s = combine_;
    const Fragment sum = sum_fragment(vm, vn);
    const IndexExpr before[] = {IndexExpr::var(mi), sum.row_half, IndexExpr::var(ni), sum.of_pair};
    move_private(s.target, before, with_threads({}, sum));
    s.reads[static_cast<size_t>(left.read)] = of_left(left_held, IndexExpr::var(mi), left_fragment(vm, vk));
    s.reads[static_cast<size_t>(right.read)] =
        of_right(right_held, IndexExpr::var(ni), right_fragment(vn, vk));
    const std::pair<int, int64_t> product[] = {{m, kRows}, {n, kColumns}, {k, kSteps}};
    const std::pair<int, int64_t> pieces[] = {{mi, row_pieces_}, {ni, column_pieces_}};
    std::vector<Statement> body;
    const IndexExpr begin = IndexExpr::var(step) * kSteps;
    body.push_back(load_left(left, left_held, begin));
    body.push_back(load_right(right, right_held, begin));
    body.push_back(nest(pieces, LoopKind::kUnrolled, by_warps(product, std::move(s))));
    return {make_loop(step, 0, depth_ / kSteps, LoopKind::kUnrolled, std::move(body))};
  }

  TileAxis rows_, columns_;
  int64_t warp_rows_ = 0, warp_columns_ = 0, row_pieces_ = 0, column_pieces_ = 0, depth_ = 0;
  int wr_ = -1, wc_ = -1, lr_ = -1, lc_ = -1;
};

bool by_tensor_cores(const LoopProgram& program, const Product& product, const GpuOptions& options) {
  return options.tensor_cores && is_of_halves(program, product);
}

}  // namespace

std::optional<BlocksOf> blocks_by_tensor_cores(const LoopProgram& program, const Product& product,
                                               const GpuOptions& options) {
  if (!by_tensor_cores(program, product, options)) return std::nullopt;
  if (const auto by_groups = blocks_by_warpgroups(product, options)) return by_groups;
  const WarpTile tile = warp_tile(product, options);
  return BlocksOf{blocks_of(tile, product), std::max<int64_t>(1, options.threads / tile.threads())};
}

std::vector<Statement> product_by_tensor_cores(LoopProgram& program, const Product& product,
                                               std::span<const int64_t> extents, const GpuOptions& options) {
  if (!by_tensor_cores(program, product, options)) return {};
  if (auto tiles = product_by_warpgroups(program, product, extents, options); !tiles.empty()) return tiles;
  return TensorTile(program, product, extents, options).run();
}

}  // namespace isomer::codegen
