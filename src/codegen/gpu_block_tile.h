// A product that a block makes of tiles in its shared memory, as far as it does not matter who multiplies:
// which thread has which elements of the result, where their sums are kept, and how the result is made of
// them. The reduction may be split among groups of threads, whose sums meet in shared memory at the end.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "codegen/gpu_block.h"
#include "codegen/gpu_product_nest.h"

namespace isomer::codegen {

class BlockTile {
 public:
  BlockTile(const BlockTile&) = delete;
  BlockTile& operator=(const BlockTile&) = delete;
  BlockTile(LoopProgram& program, const Product& product, const GpuOptions& options)
      : program_(program), product_(product), options_(options) {}

 protected:
  ~BlockTile() = default;

  using Loops = std::vector<std::pair<int, int64_t>>;  ///< variables and ends, from outside

  int variable(const char* name);
  /// By what the deriving class has put into the fields below: sums begin with what `before` says, `multiply`
  /// adds to them, and the result is made of them. `later`: these are sums over all iterations.
  BlockSteps steps(std::vector<Statement> multiply, bool later);

  /// The element's place among its own, then in the threads.
  std::vector<ir::IndexExpr> own_index() const;
  /// A buffer that has an element of the type for each of these.
  int own_buffer(const char* name, ir::DType dtype, const Loops& elements) const;
  /// The store with the numbers of its row and column in place of the nest's variables.
  Store at_element(Store s, const ir::IndexExpr& row, const ir::IndexExpr& column) const;
  Statement in_threads(Store s) const;

  LoopProgram& program_;
  const Product& product_;
  const GpuOptions& options_;

  Loops elements_;  ///< unrolled: of a thread
  Loops threads_;
  ir::IndexExpr row_, column_;                  ///< of an element, by these variables
  int64_t rows_there_ = 0, columns_there_ = 0;  ///< of the tile; what is beyond the result is left out
  int split_ = -1;  ///< of threads_: the variable of parts of the reduction; -1: none
  int64_t parts_ = 1;
  int sums_ = -1;  ///< buffer of the threads' sums

 private:
  Statement over_elements(Store s) const;
  Store bounded(Store s) const;
  std::vector<Statement> finished() const;
  std::vector<Statement> finished_of_parts();
  Access part_at(int shared, const ir::IndexExpr& part, const ir::IndexExpr& row,
                 const ir::IndexExpr& column) const;
};

}  // namespace isomer::codegen
