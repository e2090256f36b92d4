// The subprograms that Mirage's papers and project optimise, by name: reference programs as plain graphs over
// named dimensions, so that the same program can be stated at any sizes.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/graph.h"
#include "mugraph/mu_op.h"

namespace isomer::mugraph {

using Extents = std::map<std::string, int64_t>;  ///< size of each named dimension

struct Program {
  struct Input {
    std::string name;
    std::vector<std::string> dims;  ///< each the name of a dimension, or a product: "g*r"
  };
  std::string name;
  std::string doc;
  std::vector<Input> inputs;
  Extents extents;                 ///< the benchmark's sizes at batch size 1
  std::vector<std::string> batch;  ///< dimensions that no block-level product can have: always cut whole
  int block_kernels = 1;           ///< graph-defined kernels that are worth a search
  std::vector<std::string> extra_ops = {};  ///< block operators that are searched besides the usual ones
  std::function<ir::ValueId(ir::Builder&, std::span<const ir::ValueId>)> body;
  int block_ops = 9;  ///< operators of a block graph, its inputs among them, that are worth a search

  std::vector<Sizes> input_sizes(const Extents& at) const;
  /// The program at these sizes; inputs are named as above.
  ir::Graph graph(ir::Context& ctx, const Extents& at, ir::DType dtype = ir::DType::kF32) const;
  /// The sizes of the named dimensions that give inputs of these sizes; none where there are none.
  std::optional<Extents> match(std::span<const Sizes> inputs) const;
};

/// "g", "r" of "g*r".
std::vector<std::string> factors(const std::string& dim);

const std::vector<Program>& programs();
/// UsageError, with the names there are, when there is none.
const Program& program(std::string_view name);

}  // namespace isomer::mugraph
