#include "codegen/gpu_products.h"

#include <algorithm>
#include <span>
#include <utility>

#include "codegen/gpu_product_nest.h"
#include "codegen/gpu_tensor.h"
#include "codegen/gpu_tile.h"

namespace isomer::codegen {
namespace {

using ir::IndexExpr;

/// Of rows and columns of a block; each thread has `each_rows` by `each_columns`.
struct Tile {
  int64_t rows, columns, each_rows, each_columns;
  double rate;  ///< of what is computed, by how much of the time threads do nothing but that
  int64_t threads() const { return rows / each_rows * (columns / each_columns); }
};
constexpr Tile kTiles[] = {
    {128, 128, 8, 8, 1.07}, {64, 128, 8, 8, 0.98}, {128, 64, 8, 8, 0.95}, {64, 64, 8, 4, 0.88},
    {32, 128, 8, 4, 0.82},  {32, 64, 4, 4, 0.55},  {32, 32, 4, 4, 0.45},  {16, 64, 4, 4, 0.45},
    {64, 16, 4, 4, 0.4},    {8, 8, 4, 4, 0.1},
};

// Units are what a multiprocessor takes for an element of a tile of 128 by 128 and one term (6 ps on an
// H100). What a term takes at least, and an element of a part, which is written and read again. Both and the
// rates were fitted there to five products in up to 16 parts, by 60 times of tiles and parts.
constexpr double kWaiting = 1500, kPartElement = 0.25;

/// The fastest tile, where the sum is in so many parts: a multiprocessor has several blocks at once, which
/// wait together.
TimedTile<Tile> thread_tile(const Product& product, const GpuOptions& options, int64_t parts = 1) {
  const double terms = static_cast<double>(iterations(product.reduce)) / static_cast<double>(parts);
  const auto units = [&](const Tile& t) {
    const int64_t of_one = rounded_up(parts * blocks_of(t, product), options.blocks);
    const double each = static_cast<double>(t.rows * t.columns) / t.rate;
    return terms * (static_cast<double>(of_one) * each + kWaiting);
  };
  TimedTile<Tile> out = fastest(kTiles, options.tile, units);
  if (parts > 1) {
    const int64_t results =
        iterations(product.batch) * iterations(product.rows) * iterations(product.columns);
    out.time += static_cast<double>(parts * results) * kPartElement + options.kernel_units;
  }
  return out;
}

/// Each thread has a part of the tile, in groups of four by four elements.
class ThreadTile : GpuTile {
 public:
  using GpuTile::GpuTile;

  std::vector<Statement> run() {
    const Tile tile = thread_tile(product_, options_).tile;
    threads_ = tile.threads();
    rows_ = part(product_.rows, tile.rows, tile.each_rows, kLaneRows, "r");
    columns_ = part(product_.columns, tile.columns, tile.each_columns, kLaneColumns, "c");
    depth_ = options_.depth;
    while (depth_ * std::min(tile.rows, tile.columns) < threads_) depth_ *= 2;
    const int64_t before[] = {rows_.groups, kTogether, columns_.groups, kTogether},
                  after[] = {rows_.warps, columns_.warps, rows_.lanes, columns_.lanes};
    own_private(before, after);
    for (const int v : {rows_.high, rows_.low, columns_.high, columns_.low})
      index_before_.push_back(IndexExpr::var(v));
    for (const auto& [v, n] : threads_of_block()) index_after_.push_back(IndexExpr::var(v));
    const TileOperand left = slice(product_.left, rows_.axis, "left"),
                      right = slice(product_.right, columns_.axis, "right");
    std::vector<Statement> body;
    for (const Store& s : product_.before)
      body.push_back(over(of_element(s, rows_.axis, columns_.axis), true, true));
    steps(left, right, depth_, multiply(left, right), body);
    for (const Store& s : product_.after)
      body.push_back(over(of_element(s, rows_.axis, columns_.axis), true, true));
    return blocks(rows_.axis, columns_.axis, std::move(body));
  }

 private:
  // Elements that a thread reads together; rows and columns of a warp's threads, at most.
  static constexpr int64_t kTogether = 4, kLaneRows = 4, kLaneColumns = 8;
  struct Part {
    TileAxis axis;
    int64_t groups = 0, warps = 0, lanes = 0;  ///< `lanes`: of its threads those of a warp
    int high = -1, low = -1;  ///< unrolled variables: of the thread's elements, four of which lie together
    int warp = -1, lane = -1;
  };

  /// `lanes`: of a warp's threads along the axis, at most.
  Part part(const std::vector<const Loop*>& loops, int64_t tile, int64_t each, int64_t lanes,
            const std::string& name) {
    Part out;
    out.axis = axis(loops, tile, name);
    out.groups = each / kTogether;
    out.lanes = std::min(lanes, tile / each);
    out.warps = tile / each / out.lanes;
    out.high = variable(name + "1");
    out.low = variable(name);
    out.warp = variable("w" + name);
    out.lane = variable("t" + name);
    out.axis.place = IndexExpr::var(out.high) * (tile / out.groups) +
                     (IndexExpr::var(out.warp) * out.lanes + IndexExpr::var(out.lane)) * kTogether +
                     IndexExpr::var(out.low);
    return out;
  }

  /// Elements of less than 32 bits are widened on the way.
  ir::DType wide(int read) const {
    const ir::DType is =
        program_.buffers[static_cast<size_t>(product_.combine->reads[static_cast<size_t>(read)].buffer)]
            .dtype;
    return ir::is_float(is) && ir::bit_width(is) < 64 ? ir::DType::kF32 : is;
  }
  TileOperand slice(int read, const TileAxis& axis, const char* name) {
    constexpr int64_t kApart = 4;  // columns of shared memory that nobody uses: other banks for the next row
    TileOperand out = operand(read, axis, name, depth_, wide(read), kApart);
    lay_out(out, true, depth_, wide(read), kApart);  // threads read neighbours of the axis
    return out;
  }

  using Loops = std::vector<std::pair<int, int64_t>>;  // variables, how many
  Loops threads_of_block() const {
    return {{rows_.warp, rows_.warps},
            {columns_.warp, columns_.warps},
            {rows_.lane, rows_.lanes},
            {columns_.lane, columns_.lanes}};
  }
  /// Loops over a thread's elements around threads around the store.
  Statement over(Store s, bool rows, bool columns) const {
    std::vector<std::pair<int, int64_t>> elements;
    for (const auto& [wanted, part] : {std::pair(rows, &rows_), std::pair(columns, &columns_)})
      if (wanted) elements.insert(elements.end(), {{part->high, part->groups}, {part->low, kTogether}});
    return nest(elements, LoopKind::kUnrolled, nest(threads_of_block(), LoopKind::kThread, {std::move(s)}));
  }

  Statement multiply(const TileOperand& left, const TileOperand& right) {
    const int k = variable("k");
    std::vector<Statement> body;
    IndexExpr number = 0;
    for (const auto& [v, n] : threads_of_block()) number = number * n + IndexExpr::var(v);
    Store product = combine_;
    for (const auto& [o, part] : {std::pair(&left, &rows_), std::pair(&right, &columns_)}) {
      Store s;
      const int held = add_private(program_, "held", wide(o->read), {part->groups, kTogether, threads_});
      s.target = at(held, {IndexExpr::var(part->high), IndexExpr::var(part->low), number});
      product.reads[static_cast<size_t>(o->read)] = s.target;
      s.reads = {at(o->shared, shared_index(*o, part->axis.place, IndexExpr::var(k)))};
      s.value = read_program(sort_of(*o), 0);
      body.push_back(over(std::move(s), o == &left, o == &right));
    }
    move_private(product.target);
    body.push_back(over(std::move(product), true, true));
    return {make_loop(k, 0, depth_, LoopKind::kUnrolled, std::move(body))};
  }

  Part rows_, columns_;
  int64_t depth_ = 0;
};

}  // namespace

double units_of_product(const Product& product, const GpuOptions& options, int64_t parts) {
  return thread_tile(product, options, parts).time;
}

std::vector<Statement> product_in_tiles(LoopProgram& program, const Loop& top, size_t parallel,
                                        std::span<const int64_t> extents, const GpuOptions& options) {
  auto product = product_of(program, top, parallel);
  if (!product) return {};
  if (auto tiles = product_by_tensor_cores(program, *product, extents, options); !tiles.empty()) return tiles;
  return ThreadTile(program, std::move(*product), extents, options).run();
}

}  // namespace isomer::codegen
