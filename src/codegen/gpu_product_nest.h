// What graphics processors make tiles of: a nest that multiplies two operands and sums.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "codegen/loop_program.h"

namespace isomer::codegen {

/// What of a nest is what.
struct Product {
  std::vector<const Loop*> batch, rows, columns, reduce;  ///< from outside
  const Store* combine = nullptr;
  int left = -1, right = -1;  ///< reads: of the rows, of the columns
  std::vector<Store> before, after;
};

/// The nest, of whose loops the first `parallel` may run in any order; nothing where it is no product of two
/// operands, each with axes of the result of its own; of `vectors`, one of them may have none.
std::optional<Product> product_of(const LoopProgram& program, const Loop& top, size_t parallel,
                                  bool vectors = false);

/// Whether it is one of 16-bit floats of one type, summed in single precision: the product of two such
/// numbers is one of single precision, rounded or not.
bool is_of_halves(const LoopProgram& program, const Product& product);

/// How a product would run: blocks of threads, one for each tile of the result, of which a multiprocessor had
/// better have so many beside each other.
struct BlocksOf {
  int64_t blocks = 0, beside = 1;
};

int64_t iterations(const std::vector<const Loop*>& loops);
bool mentions_any(const Access& a, const std::vector<const Loop*>& loops);

}  // namespace isomer::codegen
