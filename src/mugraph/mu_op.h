// Operators of muGraphs, each declared once: its names, the levels it may stand at, and its meaning as a
// piece of an ir::Graph over tiles. From the meaning follow the type rule, evaluation in float64 and in the
// prime field, and the abstract expression; nothing else in this layer names a single operator.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/graph.h"

namespace isomer::mugraph {

using Sizes = std::vector<int64_t>;
/// Elements of a tensor or tile of these sizes.
int64_t element_count(const Sizes& sizes);
using MuOpId = uint16_t;

/// Where a meaning is applied: tiles carry `lead` dimensions before their own (grid and loop, in lower.h).
struct Place {
  int lead = 0;
  int axis = -1;          ///< of the tile, for operators that have one
  int64_t range = 1;      ///< iterations of the for-loop (accumulators)
  int64_t reduce_to = 0;  ///< reduction_dimx: the width that reduce-to-X operators leave
};

/// What an accumulator does with the values of the iterations; kNone: an ordinary operator. kRescale (online
/// softmax): what was accumulated is multiplied by exp(m of the iteration before - m) first, then the value
/// is added; m, the second operand, is a running maximum.
enum class Accumulate : uint8_t { kNone, kAdd, kMax, kConcat, kRescale };

struct MuOp {
  std::string name;    ///< how `isomer mugraph show` prints it
  std::string kernel;  ///< the name in Mirage's JSON at kernel level; empty: not at this level
  std::string block;   ///< the same at block level
  std::vector<std::string> other_names;  ///< spellings of other ages that are read, not written
  int arity = 1;
  bool commutative = false;
  bool has_axis = false;
  bool in_threads = false;  ///< may stand in a thread graph
  bool broadcasts = false;  ///< element by element of operands that have its size or 1 in each dimension
  int shape_operand = -1;   ///< an operand of which only the sizes count
  bool has_width = false;   ///< what it makes depends on Place::reduce_to
  Accumulate accumulate = Accumulate::kNone;
  /// Its value in an iteration is the largest of what the meaning is there and in those before. It stays
  /// within the loop.
  bool running_max = false;
  /// Which shapes are refused and why, beyond what the meaning's own types refuse; may be empty. `block`:
  /// at block level.
  std::function<std::string(std::span<const Sizes>, const Place&, bool block)> refuse;
  /// One application; for accumulators what an iteration contributes.
  std::function<ir::ValueId(ir::Builder&, std::span<const ir::ValueId>, const Place&)> meaning;
  /// Accumulators: what is made of the accumulated value after the last iteration; may be empty. The second
  /// argument is the operand as it was before `meaning`, for its sizes.
  std::function<ir::ValueId(ir::Builder&, ir::ValueId, const Sizes& operand, const Place&)> finish;
};

class MuOpTable {
 public:
  MuOpId add(MuOp op);
  const MuOp& get(MuOpId id) const { return ops_[id]; }
  size_t size() const { return ops_.size(); }
  std::optional<MuOpId> find(std::string_view name) const;
  /// REQUIREs that it exists.
  MuOpId at(std::string_view name) const;
  /// By its name in Mirage's JSON at one level.
  std::optional<MuOpId> find_json(std::string_view name, bool block) const;

 private:
  std::vector<MuOp> ops_;
};

/// The operators of Mirage's paper and project.
const MuOpTable& standard_mu_ops();

/// The shape of an application to tiles of these shapes (accumulators: after the loop), or why there is none.
struct TileShape {
  Sizes sizes;
  std::string error;
  explicit operator bool() const { return error.empty(); }
};
TileShape infer_tile(const MuOp& op, std::span<const Sizes> operands, const Place& place, bool block);

/// Adds an application to a graph. Accumulators and running maxima: `lead` includes `loops` dimensions that
/// stand last among the leading ones; the result of an accumulator has lost them.
ir::ValueId apply_meaning(ir::Builder& b, const MuOp& op, std::span<const ir::ValueId> operands,
                          const Place& place, int loops = 0);

/// Sizes of a value under construction.
Sizes sizes_of(const ir::Builder& b, ir::ValueId v);
/// Shorthands of Builder::add for what meanings are made of.
ir::ValueId reshape(ir::Builder& b, ir::ValueId v, const Sizes& sizes);
ir::ValueId broadcast(ir::Builder& b, ir::ValueId v, const Sizes& sizes);
ir::ValueId transpose(ir::Builder& b, ir::ValueId v, const std::vector<int64_t>& perm);
ir::ValueId reduce(ir::Builder& b, std::string_view op, ir::ValueId v, std::vector<int64_t> axes,
                   bool keep_dims);

}  // namespace isomer::mugraph
