// What a block of a kernel does to its tiles, as graphs of tile operators with the places of what they take
// and give: an iteration, and what comes after the last one. Where blocks run, where tiles lie and what is
// made of these graphs is for those who derive from it (kernel_loops.cpp for processors, gpu_kernel_loops.cpp
// for graphics processors); whose idea this is, kernels.h says.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "codegen/embed.h"
#include "codegen/loop_program.h"
#include "ir/lift.h"
#include "ir/schedule.h"

namespace isomer::codegen {

/// A graph of tiles with the places of what it takes and gives.
struct Tiles {
  std::optional<ir::Graph> graph;
  std::vector<PartBuffer> inputs, outputs;
};

class KernelTiles {
 public:
  KernelTiles(const KernelTiles&) = delete;
  KernelTiles& operator=(const KernelTiles&) = delete;

 protected:
  explicit KernelTiles(const ir::OpInstance& kernel);
  virtual ~KernelTiles() = default;

  /// What the iterations leave to the next one.
  struct Kept {
    ir::ValueId value;                            ///< of the body: an accumulator or a running maximum
    ir::Accumulate kind = ir::Accumulate::kNone;  ///< kNone: a running maximum
    int buffer = -1;                              ///< that holds it
    int next = -1;  ///< what an iteration makes of it, if it reads the old one meanwhile
  };

  /// Where operand `i` of an iteration lies.
  virtual PartBuffer input_tile(size_t i, const ir::IndexExpr& iteration) = 0;

  static void append(std::vector<Statement>& body, std::vector<Statement> more);
  int add_buffer(std::string name, ir::DType dtype, ir::Sizes sizes, Memory memory);
  /// Sums are kept in single precision at least.
  static ir::DType kept_type(ir::DType dtype);
  /// Memory of a block for a tile; the tile in it.
  int tile_buffer(const std::string& name, ir::DType dtype, const ir::Sizes& tile);
  PartBuffer in_block(int buffer) const;

  /// Names the blocks; `around`: the dimension of most blocks is a loop that tiles are private to.
  void number_blocks(bool around);
  void keep_all();
  /// Whether there is something before the first iteration that has no number.
  bool first_apart() const;
  /// Element 0 of a tile, of which these are cut: by the grid, then by loops.
  std::vector<ir::IndexExpr> start_of(const ir::Sizes& tile, const ir::GridMap& imap,
                                      std::span<const int> fmap, const std::vector<ir::IndexExpr>& at) const;
  /// Which iteration of each loop.
  std::vector<ir::IndexExpr> loops_at(const ir::IndexExpr& iteration) const;

  /// One iteration: everything before accumulators, and what these become. `first`: nothing was kept before.
  Tiles iteration(const ir::IndexExpr& number, bool first);
  Tiles after_loop();
  /// What an iteration has made of it becomes what is kept.
  Tiles kept_on(const Kept& k);
  Tiles zeros(const Kept& k);
  /// What an iteration contributes, which its program does not only store, added.
  Tiles added(int each, const PartBuffer& to, ir::TypeId type);

  const ir::Graph& body_;
  ir::Schedule schedule_;
  std::vector<bool> after_;
  LoopProgram out_;
  std::optional<Around> around_;
  std::array<int, 3> block_{-1, -1, -1};  ///< variables
  std::vector<Kept> kept_;

 private:
  /// What is made of a body's values.
  struct Made;
  void iterate(ir::ValueId v, const ir::IndexExpr& number, bool first, Made& made);
  void accumulate(ir::ValueId v, const ir::OpInstance& op, ir::ValueId each, const ir::IndexExpr& number,
                  bool first, Made& made);

  ir::OpInstance instance(ir::ValueId v, std::vector<ir::TypeId>& types) const;
  bool accumulates(ir::ValueId v) const;
  const Kept& kept(ir::ValueId v) const;
  ir::IndexExpr block_at(size_t d) const;
};

}  // namespace isomer::codegen
