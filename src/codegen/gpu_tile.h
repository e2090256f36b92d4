// What tiles of products have in common, whoever multiplies (gpu_products.cpp, gpu_tensor.cpp,
// gpu_warpgroup.cpp): loops and buffers are made, the nest's stores are put where in the tile an element is,
// and operands are fetched.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <ranges>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "codegen/gpu_product_nest.h"
#include "codegen/gpu_schedule.h"
#include "codegen/loop_program.h"
#include "codegen/make_loops.h"

namespace isomer::codegen {

/// An axis of the result: loops as one number, and a block's part of it.
struct TileAxis {
  std::vector<const Loop*> loops;
  int64_t count = 0, tile = 0;
  int block = -1;       ///< variable
  ir::IndexExpr place;  ///< of a thread's element in the tile

  ir::IndexExpr begin() const { return ir::IndexExpr::var(block) * tile; }
  bool ragged() const { return count % tile != 0; }
};

/// An operand's way: from memory to registers, a step of the reduction ahead, and to shared memory.
struct TileOperand {
  int read = -1;
  const TileAxis* axis = nullptr;
  bool along = false;       ///< neighbours in memory are neighbours of the axis, else of the reduction
  bool step_first = false;  ///< in shared memory: neighbours there are neighbours of the axis
  /// What lies there are lines of 128 bytes, neighbours in memory: eight chunks of 16 bytes, of which chunk c
  /// of line l is in place c xor l % 8: part of a row, line, place, neighbour.
  bool swizzled = false;
  int64_t wide = 0;                             ///< neighbours in a row of the slice
  int64_t together = 1, threads = 0, rows = 0;  ///< neighbours of a thread; threads of a row; rows at a time
  int64_t turns = 0;
  int64_t stages = 0;                                   ///< of shared memory; 0: one, by way of registers
  ir::IndexExpr stage = 0;                              ///< the one that is read
  int fetched = -1, shared = -1;                        ///< buffers
  int turn = -1, element = -1, outer = -1, inner = -1;  ///< variables
};

class GpuTile {
 public:
  GpuTile(LoopProgram& program, Product product, std::span<const int64_t> extents, const GpuOptions& options)
      : program_(program), product_(std::move(product)), extents_(extents), options_(options) {}
  GpuTile(const GpuTile&) = delete;
  GpuTile& operator=(const GpuTile&) = delete;

 protected:
  ~GpuTile() = default;

  int variable(std::string name) { return add_variable(program_, std::move(name)); }
  static Access at(int buffer, std::vector<ir::IndexExpr> index) {
    return access_of(buffer, std::move(index));
  }
  /// The loops around, from outside.
  static Statement nest(std::span<const std::pair<int, int64_t>> loops, LoopKind kind, Statement inner) {
    return loops_around(loops, kind, std::move(inner));
  }

  TileAxis axis(const std::vector<const Loop*>& loops, int64_t tile, const std::string& name);
  /// `depth`: of a slice; `shared`: its type in shared memory, where `apart` elements of each row are left
  /// out, so that the next row lies in other banks.
  TileOperand operand(int read, const TileAxis& axis, const std::string& name, int64_t depth,
                      ir::DType shared, int64_t apart);
  void lay_out(TileOperand& o, bool step_first, int64_t depth, ir::DType shared, int64_t apart);
  void lay_out_swizzled(TileOperand& o, int64_t depth);
  /// Bytes of what it has in shared memory.
  int64_t shared_bytes(const TileOperand& o) const;
  meaning::Sort sort_of(const TileOperand& o) const;
  /// The slice of a step, to registers.
  Statement fetch(const TileOperand& o, const ir::IndexExpr& step, int64_t depth) const;
  Statement share(const TileOperand& o) const;
  /// Its index in shared memory.
  static constexpr int64_t kLine = 128, kChunk = 16;  // bytes
  static std::vector<ir::IndexExpr> shared_index(const TileOperand& o, const ir::IndexExpr& on_axis,
                                                 const ir::IndexExpr& in_step);

  /// A store of the nest at an element of the tile, if it is there; what is private to an element moves to
  /// `own` buffers, whose indices begin with `before` and end with `after`.
  Store of_element(Store s, const TileAxis& rows, const TileAxis& columns) const;
  void own_private(std::span<const int64_t> before, std::span<const int64_t> after);
  void move_private(Access& a) const { move_private(a, index_before_, index_after_); }
  void move_private(Access& a, std::span<const ir::IndexExpr> before,
                    std::span<const ir::IndexExpr> after) const;
  /// The steps: slices are shared, the next ones fetched, `multiplied` made of them.
  void steps(const TileOperand& left, const TileOperand& right, int64_t depth, const Statement& multiplied,
             std::vector<Statement>& out);
  /// Whether what a thread fetches at a time is 16 bytes that lie together wherever they are there.
  bool in_pieces(const TileOperand& o) const;
  void stage(TileOperand& o, int64_t stages, int step);
  /// The same with slices that are copied by themselves, so many steps ahead (Kerr et al., CUTLASS, 2020).
  void staged_steps(const TileOperand& left, const TileOperand& right, int64_t depth, int64_t ahead, int step,
                    int first, const Statement& multiplied, std::vector<Statement>& out) const;
  /// Within blocks of all axes.
  std::vector<Statement> blocks(const TileAxis& rows, const TileAxis& columns, std::vector<Statement> body);
  /// The nest's store that combines, of buffers of the tile.
  Store combine_;
  std::map<int, int> own_;                                 ///< private buffers of the nest: the tile's
  std::vector<ir::IndexExpr> index_before_, index_after_;  ///< of own buffers

  LoopProgram& program_;
  const Product product_;
  const std::span<const int64_t> extents_;
  const GpuOptions& options_;

 private:
  int64_t threads_of(const TileOperand& o) const { return o.threads * o.rows; }
  Statement copy(const TileOperand& o, const ir::IndexExpr& step, int64_t depth) const;
  Store fetched(const TileOperand& o, const ir::IndexExpr& step, int64_t depth) const;
  Statement over_slice(const TileOperand& o, Store s) const;
  std::pair<ir::IndexExpr, ir::IndexExpr> fetched_place(const TileOperand& o) const;

 protected:
  int64_t threads_ = 0;  ///< of a block
};

inline int64_t rounded_up(int64_t n, int64_t to) { return (n + to - 1) / to; }

template <class Tile>
int64_t blocks_of(const Tile& t, const Product& p) {
  return iterations(p.batch) * rounded_up(iterations(p.rows), t.rows) *
         rounded_up(iterations(p.columns), t.columns);
}

/// A tile and what all blocks take with it, in whatever unit.
template <class Tile>
struct TimedTile {
  Tile tile;
  double time = std::numeric_limits<double>::infinity();
};

/// The one of the tiles, none of them larger than `most` in either direction, that takes the least time: the
/// first of equals, and the first of all where none is so small.
template <class Tiles, class Time>
auto fastest(const Tiles& tiles, int64_t most, const Time& time) {
  TimedTile<std::ranges::range_value_t<Tiles>> best{*std::ranges::begin(tiles)};
  for (const auto& t : tiles) {
    if (std::max(t.rows, t.columns) > most) continue;
    if (const double takes = time(t); takes < best.time) best = {t, takes};
  }
  return best;
}

}  // namespace isomer::codegen
