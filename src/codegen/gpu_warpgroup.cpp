#include "codegen/gpu_warpgroup.h"

#include <algorithm>
#include <set>
#include <utility>

#include "codegen/accesses.h"
#include "codegen/gpu_fragments.h"
#include "codegen/gpu_tile.h"

namespace isomer::codegen {
namespace {

using ir::IndexExpr;

/// Of a block; groups of warps in rows and columns.
struct GroupTile {
  int64_t rows, columns, group_rows, group_columns;
  int64_t threads() const { return group_rows * group_columns * kWarpgroup; }
};
constexpr GroupTile kGroupTiles[] = {
    {128, 256, 2, 1}, {256, 128, 2, 1}, {128, 128, 2, 1}, {64, 256, 1, 2},
    {128, 64, 2, 1},  {64, 128, 1, 2},  {64, 64, 1, 1},
};

// Of a multiprocessor and a cycle: products (NVIDIA's "H100 tensor core GPU architecture"); bytes that are
// copied, of which half the time is hidden, and elements that are written (fitted to products of five shapes
// on an H100). Cycles of a block before and after all of these.
constexpr double kProducts = 2048, kBytes = 120, kWritten = 10, kOfBlock = 1500;

/// Cycles that all blocks take.
double cycles(const GroupTile& t, const Product& p, int64_t depth, int64_t together) {
  const auto area = static_cast<double>(t.rows * t.columns), edge = static_cast<double>(t.rows + t.columns),
             deep = static_cast<double>(depth);
  const auto steps = static_cast<double>(rounded_up(iterations(p.reduce), depth));
  return static_cast<double>(rounded_up(blocks_of(t, p), together)) *
         (steps * (area * deep / kProducts + edge * deep * 2 / kBytes) + kOfBlock + area / kWritten);
}

constexpr int64_t kDepth = 64;  // of a slice

GroupTile group_tile(const Product& product, const GpuOptions& options) {
  constexpr int64_t kLeast = 64;
  const auto time = [&](const GroupTile& t) { return cycles(t, product, kDepth, options.blocks); };
  return fastest(kGroupTiles, std::max(options.tile * 2, kLeast), time).tile;
}

bool by_warpgroups(const Product& product, const GpuOptions& options) {
  constexpr int64_t kFew = 32;
  return options.warpgroups && iterations(product.rows) > kFew && iterations(product.columns) > kFew;
}

/// Each thread of a group has, of every 16 rows of its warp and 8 columns, pairs along the columns: of its
/// own row, and of the one 8 further.
class WarpgroupTile : GpuTile {
 public:
  WarpgroupTile(LoopProgram& program, Product product, std::span<const int64_t> extents,
                const GpuOptions& options)
      : GpuTile(program, std::move(product), extents, options), tile_(group_tile(product_, options_)) {
    threads_ = tile_.threads();
  }

  std::vector<Statement> run() {
    rows_ = axis(product_.rows, tile_.rows, "r");
    columns_ = axis(product_.columns, tile_.columns, "c");
    TileOperand left = slice(product_.left, rows_, "left"), right = slice(product_.right, columns_, "right");
    const bool turned = may_turn();
    const int64_t others = kOthers + (turned ? tile_.rows * (turned_width() + kApart) * 4 : 0);
    const int64_t slice = shared_bytes(left) + shared_bytes(right);
    const int64_t fit = (options_.shared_bytes - others) / slice;
    const int64_t slots = std::min({fit, slice <= kShort ? kShortSlots : kMostSlots,
                                    rounded_up(iterations(product_.reduce), kDepth) + kRunning + 1});
    if (!in_pieces(left) || !in_pieces(right) || slots < kRunning + 2) return {};
    place();
    std::vector<Statement> body;
    of_elements(product_.before, body);
    const int step = variable("k0"), first = variable("k0");
    stage(left, slots, step);
    stage(right, slots, step);
    staged_steps(left, right, kDepth, slots - kRunning - 1, step, first, multiply(left, right), body);
    if (turned)
      body.push_back(turned_elements());
    else
      of_elements(product_.after, body);
    return blocks(rows_, columns_, std::move(body));
  }

 private:
  // Of an instruction; products that run while the next begins; slices in shared memory.
  static constexpr int64_t kRows = 64, kColumns = kFragmentColumns, kRunning = 1, kMostSlots = 4;
  // More of the smallest tile's: it is that of products of few rows, which wait for memory alone.
  static constexpr int64_t kShort = 16 << 10, kShortSlots = 6;
  static constexpr int64_t kOthers = 4 << 10;  // bytes of shared memory for what else there is
  static constexpr int64_t kWarps = 4;         // of a group
  // Of what is turned in shared memory: neighbours of a thread; elements apart, so that rows begin in other
  // banks.
  static constexpr int64_t kTogether = 8, kApart = 8;

  int64_t group_rows() const { return tile_.rows / tile_.group_rows; }
  int64_t group_columns() const { return tile_.columns / tile_.group_columns; }

  /// Where a thread's elements are in the tile, and where what is private to them lies.
  void place() {
    gr_ = variable("gr"), gc_ = variable("gc"), warp_ = variable("w"), lr_ = variable("lr"),
    lc_ = variable("lc");
    const int mi = variable("m"), high = variable("e"), ni = variable("n"), low = variable("e");
    const auto var = [](int v) { return IndexExpr::var(v); };
    rows_.place = var(gr_) * group_rows() + var(mi) * kRows + var(warp_) * kFragmentRows +
                  row_of_sum(var(high), var(lr_));
    columns_.place = var(gc_) * group_columns() + var(ni) * kColumns + column_of_sum(var(low), var(lc_));
    elements_ = {{mi, group_rows() / kRows}, {high, 2}, {ni, group_columns() / kColumns}, {low, 2}};
    threads_of_block_ = {{gr_, tile_.group_rows},
                         {gc_, tile_.group_columns},
                         {warp_, kWarps},
                         {lr_, kLaneRows},
                         {lc_, kLaneColumns}};
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

  /// Whether results lie together along columns, and need nothing of an element but its sum.
  bool may_turn() const {
    const int sum = product_.combine->target.buffer;
    const auto buffer = [&](const Access& a) -> const Buffer& {
      return program_.buffers[static_cast<size_t>(a.buffer)];
    };
    std::set<int> known = {sum};
    for (const Store& s : product_.after) {
      for (const int r : reads_of(s)) {
        const Access& a = s.reads[static_cast<size_t>(r)];
        if (buffer(a).memory == Memory::kPrivate && !known.contains(a.buffer)) return false;
      }
      if (s.target.buffer == sum) return false;
      if (buffer(s.target).memory == Memory::kPrivate)
        known.insert(s.target.buffer);
      else if (stride(program_, s.target, product_.columns.back()->variable, extents_) != 1)
        return false;
    }
    return !product_.after.empty();
  }
  /// Columns that are turned at a time: of a group of warps, of all of them.
  int64_t turned_columns() const {
    constexpr int64_t kMost = 4096;  // elements
    return std::min<int64_t>(32, kMost / tile_.rows);
  }
  int64_t turned_width() const { return turned_columns() * tile_.group_columns; }

  /// Sums go through shared memory, some columns at a time, so that each thread stores neighbours.
  Statement turned_elements() {
    const int sum = product_.combine->target.buffer, part = variable("p");
    const int shared =
        add_private(program_, "turned", ir::DType::kF32, {tile_.rows, turned_width() + kApart});
    std::vector<Statement> body = one(turn_sums(own_.at(sum), shared, part));
    const int turn = variable("n"), u = variable("u"), tr = variable("tr"), tg = variable("tg"),
              tc = variable("tc");
    const int64_t columns = turned_columns(), chunks = columns / kTogether,
                  rows = threads_ / (tile_.group_columns * chunks);
    const auto var = [](int v) { return IndexExpr::var(v); };
    rows_.place = var(turn) * rows + var(tr);
    const IndexExpr column = var(tc) * kTogether + var(u);
    columns_.place = var(tg) * group_columns() + var(part) * columns + column;
    index_before_ = {var(tr), var(tg) * columns + column};
    index_after_.clear();
    own_.clear();
    for (const Store& s : product_.after) {
      const Buffer b = program_.buffers[static_cast<size_t>(s.target.buffer)];
      if (b.memory != Memory::kPrivate || own_.contains(s.target.buffer)) continue;
      std::vector<int64_t> sizes = {rows, turned_width()};
      sizes.insert(sizes.end(), b.sizes.begin(), b.sizes.end());
      own_[s.target.buffer] = add_private(program_, b.name + "_", b.dtype, std::move(sizes));
    }
    const std::pair<int, int64_t> elements[] = {{u, kTogether}},
                                  threads[] = {{tr, rows}, {tg, tile_.group_columns}, {tc, chunks}};
    std::vector<Statement> stores;
    for (Store s : product_.after) {
      for (const int r : reads_of(s))
        if (Access& a = s.reads[static_cast<size_t>(r)]; a.buffer == sum)
          a = at(shared, {rows_.place, index_before_[1]});
      stores.push_back(nest(elements, LoopKind::kUnrolled,
                            nest(threads, LoopKind::kThread, {of_element(std::move(s), rows_, columns_)})));
    }
    // Not unrolled: what follows a product may be much code, which is fetched as often as it is written.
    body.push_back({make_loop(turn, 0, tile_.rows / rows, LoopKind::kSerial, std::move(stores))});
    return {make_loop(part, 0, group_columns() / columns, LoopKind::kUnrolled, std::move(body))};
  }
  Statement turn_sums(int sums, int shared, int part) {
    const int piece = variable("n");
    const int64_t pieces = turned_columns() / kColumns;
    const auto var = [](int v) { return IndexExpr::var(v); };
    std::vector<IndexExpr> from;
    for (const auto* of : {&elements_, &threads_of_block_})
      for (const auto& [v, n] : *of) from.push_back(var(v));
    from[2] = var(part) * pieces + var(piece);
    Store s;
    s.reads = {at(sums, std::move(from))};
    s.target = at(shared, {rows_.place, var(gc_) * turned_columns() + var(piece) * kColumns + var(lc_) * 2 +
                                            var(elements_[3].first)});
    s.value = read_program(meaning::Sort::kNumber, 0);
    std::vector<std::pair<int, int64_t>> elements = elements_;
    elements[2] = {piece, pieces};
    return nest(elements, LoopKind::kUnrolled, nest(threads_of_block_, LoopKind::kThread, {std::move(s)}));
  }

  /// The products of a step.
  Statement multiply(const TileOperand& left, const TileOperand& right) {
    const int m = variable("i"), n = variable("j"), k = variable("l");
    const IndexExpr vm = IndexExpr::var(m), vn = IndexExpr::var(n), vk = IndexExpr::var(k);
    const IndexExpr gr = IndexExpr::var(gr_), gc = IndexExpr::var(gc_);
    Store s = combine_;
    const Fragment f = sum_fragment(vm.mod(kFragmentRows), vn);  // of a warp's rows
    const IndexExpr before[] = {vm.floor_div(kRows), f.row_half, vn.floor_div(kColumns), f.of_pair},
                    after[] = {gr, gc, vm.mod(kRows).floor_div(kFragmentRows), f.lane_row, f.lane_column};
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
  const GroupTile tile_;
  int gr_ = -1, gc_ = -1, warp_ = -1, lr_ = -1, lc_ = -1;
  std::vector<std::pair<int, int64_t>> elements_, threads_of_block_;  // variables, how many
};

}  // namespace

std::optional<BlocksOf> blocks_by_warpgroups(const Product& product, const GpuOptions& options) {
  if (!by_warpgroups(product, options)) return std::nullopt;
  return BlocksOf{blocks_of(group_tile(product, options), product), 1};  // it copies far enough ahead
}

std::vector<Statement> product_by_warpgroups(LoopProgram& program, const Product& product,
                                             std::span<const int64_t> extents, const GpuOptions& options) {
  if (!by_warpgroups(product, options)) return {};
  return WarpgroupTile(program, product, extents, options).run();
}

}  // namespace isomer::codegen
