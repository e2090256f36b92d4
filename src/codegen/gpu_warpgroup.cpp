#include "codegen/gpu_warpgroup.h"

#include <algorithm>
#include <limits>

#include "codegen/gpu_tile.h"

namespace isomer::codegen {
namespace {

using ir::IndexExpr;

/// Of a block; groups of warps in rows and columns.
struct GroupTile {
  int64_t rows, columns, group_rows, group_columns;
};
constexpr GroupTile kGroupTiles[] = {
    {128, 256, 2, 1}, {256, 128, 2, 1}, {128, 128, 2, 1}, {64, 256, 1, 2}, {128, 64, 2, 1},
    {64, 128, 1, 2},  {64, 64, 1, 1},
};

// Of a multiprocessor and a cycle (NVIDIA's "H100 tensor core GPU architecture"): products; bytes from the
// second cache that one alone may have, and its part where all read.
constexpr double kProducts = 2048, kBytesAlone = 50, kBytesOfAll = 28;
constexpr double kOfBlock = 1500, kStoresOfCycle = 16;  // begin and end of a block; elements written

/// Cycles that all blocks take.
double cycles(const GroupTile& t, const Product& p, int64_t depth, int64_t together) {
  const int64_t blocks = iterations(p.batch) * rounded_up(iterations(p.rows), t.rows) *
                         rounded_up(iterations(p.columns), t.columns);
  const auto area = static_cast<double>(t.rows * t.columns), edge = static_cast<double>(t.rows + t.columns),
             deep = static_cast<double>(depth),
             steps = static_cast<double>(rounded_up(iterations(p.reduce), depth)),
             busy = static_cast<double>(std::min(blocks, together)) / static_cast<double>(together);
  const double step =
      std::max(area * deep / kProducts, edge * deep * 2 / std::min(kBytesAlone, kBytesOfAll / busy));
  return static_cast<double>(rounded_up(blocks, together)) *
         (steps * step + kOfBlock + area / kStoresOfCycle);
}

/// Each thread of a group has, of every 16 rows of its warp and 8 columns, pairs along the columns: of its
/// own row, and of the one 8 further.
class WarpgroupTile : GpuTile {
 public:
  WarpgroupTile(LoopProgram& program, Product product, std::span<const int64_t> extents,
                const GpuOptions& options)
      : GpuTile(program, std::move(product), extents, options) {
    tile_ = kGroupTiles[0];
    double least = std::numeric_limits<double>::infinity();
    for (const GroupTile& t : kGroupTiles) {
      if (std::max(t.rows, t.columns) > std::max(options_.tile * 2, kRows)) continue;
      const double time = cycles(t, product_, kDepth, options_.blocks);
      if (time >= least) continue;
      least = time;
      tile_ = t;
    }
    threads_ = tile_.group_rows * tile_.group_columns * kWarpgroup;
  }

  std::vector<Statement> run() {
    rows_ = axis(product_.rows, tile_.rows, "r");
    columns_ = axis(product_.columns, tile_.columns, "c");
    TileOperand left = slice(product_.left, rows_, "left"), right = slice(product_.right, columns_, "right");
    const int64_t fit = (options_.shared_bytes - kOthers) / (shared_bytes(left) + shared_bytes(right));
    const int64_t slots =
        std::min({fit, kMostSlots, rounded_up(iterations(product_.reduce), kDepth) + kRunning + 1});
    if (!in_pieces(left) || !in_pieces(right) || slots < kRunning + 2) return {};
    place();
    std::vector<Statement> body;
    of_elements(product_.before, body);
    const int step = variable("k0"), first = variable("k0");
    stage(left, slots, step);
    stage(right, slots, step);
    staged_steps(left, right, kDepth, slots - kRunning - 1, step, first, multiply(left, right), body);
    of_elements(product_.after, body);
    return blocks(rows_, columns_, std::move(body));
  }

 private:
  // Of an instruction; of a slice; products that run while the next begins; slices in shared memory.
  static constexpr int64_t kRows = 64, kColumns = 8, kDepth = 64, kRunning = 1, kMostSlots = 6;
  static constexpr int64_t kOthers = 4 << 10;  // bytes of shared memory for what else there is
  static constexpr int64_t kWarps = 4;         // of a group

  int64_t group_rows() const { return tile_.rows / tile_.group_rows; }
  int64_t group_columns() const { return tile_.columns / tile_.group_columns; }

  /// Where a thread's elements are in the tile, and where what is private to them lies.
  void place() {
    gr_ = variable("gr"), gc_ = variable("gc"), warp_ = variable("w"), lr_ = variable("lr"),
    lc_ = variable("lc");
    const int mi = variable("m"), high = variable("e"), ni = variable("n"), low = variable("e");
    const auto var = [](int v) { return IndexExpr::var(v); };
    rows_.place = var(gr_) * group_rows() + var(mi) * kRows + var(warp_) * 16 + var(high) * 8 + var(lr_);
    columns_.place = var(gc_) * group_columns() + var(ni) * kColumns + var(lc_) * 2 + var(low);
    elements_ = {{mi, group_rows() / kRows}, {high, 2}, {ni, group_columns() / kColumns}, {low, 2}};
    threads_of_block_ = {
        {gr_, tile_.group_rows}, {gc_, tile_.group_columns}, {warp_, kWarps}, {lr_, 8}, {lc_, 4}};
    std::vector<int64_t> before, after;
    for (const auto& [v, n] : elements_) before.push_back(n);
    for (const auto& [v, n] : threads_of_block_) after.push_back(n);
    own_private(before, after);
    for (const auto& [v, n] : elements_) index_before_.push_back(var(v));
    for (const auto& [v, n] : threads_of_block_) index_after_.push_back(var(v));
  }
  TileOperand slice(int read, const TileAxis& axis, const char* name) {
    const Access& a = product_.combine->reads[static_cast<size_t>(read)];
    TileOperand out =
        operand(read, axis, name, kDepth, program_.buffers[static_cast<size_t>(a.buffer)].dtype, 0);
    lay_out_swizzled(out, kDepth);
    return out;
  }
  /// Stores of the nest, of all elements of the tile.
  void of_elements(const std::vector<Store>& stores, std::vector<Statement>& out) const {
    for (const Store& s : stores)
      out.push_back(nest(elements_, LoopKind::kUnrolled,
                         nest(threads_of_block_, LoopKind::kThread, {of_element(s, rows_, columns_)})));
  }

  /// The products of a step.
  Statement multiply(const TileOperand& left, const TileOperand& right) {
    const int m = variable("i"), n = variable("j"), k = variable("l");
    const IndexExpr vm = IndexExpr::var(m), vn = IndexExpr::var(n), vk = IndexExpr::var(k);
    const IndexExpr gr = IndexExpr::var(gr_), gc = IndexExpr::var(gc_);
    Store s = combine_;
    const IndexExpr before[] = {vm.floor_div(kRows), vm.mod(16).floor_div(8), vn.floor_div(kColumns),
                                vn.mod(2)},
                    after[] = {gr, gc, vm.mod(kRows).floor_div(16), vm.mod(8), vn.mod(kColumns).floor_div(2)};
    move_private(s.target, before, after);
    s.reads[static_cast<size_t>(left.read)] = at(left.shared, shared_index(left, gr * group_rows() + vm, vk));
    s.reads[static_cast<size_t>(right.read)] =
        at(right.shared, shared_index(right, gc * group_columns() + vn, vk));
    const std::pair<int, int64_t> groups[] = {{gr_, tile_.group_rows}, {gc_, tile_.group_columns}},
                                  product[] = {{m, group_rows()}, {n, group_columns()}, {k, kDepth}};
    Statement together = nest(product, LoopKind::kWarpgroup, {std::move(s)});
    std::get<Loop>(together.node).running = kRunning;
    return nest(groups, LoopKind::kThread, std::move(together));
  }

  TileAxis rows_, columns_;
  GroupTile tile_{};
  int gr_ = -1, gc_ = -1, warp_ = -1, lr_ = -1, lc_ = -1;
  std::vector<std::pair<int, int64_t>> elements_, threads_of_block_;  // variables, how many
};

}  // namespace

std::vector<Statement> product_by_warpgroups(LoopProgram& program, const Product& product,
                                             std::span<const int64_t> extents, const GpuOptions& options) {
  constexpr int64_t kFew = 32;
  if (!options.warpgroups || iterations(product.rows) <= kFew || iterations(product.columns) <= kFew)
    return {};
  return WarpgroupTile(program, product, extents, options).run();
}

}  // namespace isomer::codegen
