// Operators of muGraphs as a search looks at them: rows of a few numbers, in the order in which a search
// tries them. Everything comes from the declarations in ir/ops: an operator that may stand in kernels or
// tiles, and whose attributes are an axis, or follow from the loop around it, is a row. Nothing in this layer
// names a single operator but the order.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/graph.h"
#include "ir/schedule.h"
#include "ir/shorthand.h"

namespace isomer::mugraph {

using ir::Accumulate;
using ir::broadcast;
using ir::element_count;
using ir::Sizes;
using ir::sizes_of;
using MuOpId = uint16_t;

/// What an application depends on beside its operands.
struct Place {
  int axis = -1;          ///< of the tile, for operators that have one
  int64_t range = 1;      ///< iterations of the for-loop (accumulators)
  int64_t reduce_to = 0;  ///< reduction_dimx: the width that reduce-to-X operators leave
};

struct MuOp {
  const ir::OpTable* table = nullptr;  ///< contexts of its applications must be over this one
  ir::OpId op = {};
  std::string name;    ///< how `isomer mugraph show` prints it
  std::string kernel;  ///< the name in Mirage's JSON at kernel level; empty: not at this level
  std::string block;   ///< the same at block level
  std::vector<std::string> other_names;  ///< spellings of other ages that are read, not written
  int arity = 1;
  bool commutative = false;
  bool has_axis = false;
  bool in_kernels = false;  ///< may stand in a kernel graph,
  bool in_blocks = false;   ///< in a block graph,
  bool in_threads = false;  ///< in a thread graph
  bool broadcasts = false;  ///< element by element of operands that have its size or 1 in each dimension
  int shape_operand = -1;   ///< an operand of which only the sizes count
  bool has_width = false;   ///< what it makes depends on Place::reduce_to
  Accumulate accumulate = Accumulate::kNone;
  bool running_max = false;

  const ir::OpDef& def() const;
  /// Attributes in the order of the declaration.
  ir::PayloadId payload(ir::Context& ctx, const Place& place) const;
  /// The axis of an application with these attributes; nothing where they are not those of any place.
  std::optional<int> axis_of(const ir::Context& ctx, std::span<const ir::AttrId> attrs) const;
};

/// A search says no axis: it is the last one, as of accumulators; -1 of what has none.
inline int last_axis(const MuOp& op, const Sizes& of) {
  return op.has_axis ? static_cast<int>(of.size()) - 1 : -1;
}

class MuOpTable {
 public:
  /// The rows of what the table's operators are declared to be; `ops` must outlive it.
  explicit MuOpTable(const ir::OpTable& ops);

  const MuOp& get(MuOpId id) const { return ops_[id]; }
  size_t size() const { return ops_.size(); }
  std::optional<MuOpId> find(std::string_view name) const;
  std::optional<MuOpId> find(ir::OpId op) const;
  /// REQUIREs that it exists.
  MuOpId at(std::string_view name) const;
  /// By its name in Mirage's JSON at one level.
  std::optional<MuOpId> find_json(std::string_view name, bool block) const;
  const ir::OpTable& declarations() const { return *declarations_; }

 private:
  const ir::OpTable* declarations_;
  std::vector<MuOp> ops_;
};

/// The operators of Mirage's paper and project.
const MuOpTable& standard_mu_ops();

/// The shape of an application to tiles of these shapes (accumulators: after the loop), or why there is none.
using TileShape = ir::SizesOrError;
TileShape infer_tile(const MuOp& op, std::span<const Sizes> operands, const Place& place, bool block);

/// Adds an application to tiles, written out in operators of programs; of an accumulator what one iteration
/// contributes. Operands are broadcast where the operator repeats them.
ir::ValueId apply_once(ir::Builder& b, const MuOp& op, std::span<const ir::ValueId> operands,
                       const Place& place);

/// The same with one leading dimension, the iterations of a loop, over which accumulators and running maxima
/// go: of an accumulator what is there after the loop.
ir::ValueId apply_in_loop(ir::Builder& b, const MuOp& op, std::span<const ir::ValueId> operands,
                          const Place& place);

/// What is made of the accumulated value after the last iteration. `operands`: sizes of the accumulator's.
ir::ValueId finish_accumulated(ir::Builder& b, const MuOp& op, ir::ValueId sum,
                               std::span<const Sizes> operands, const Place& place);

}  // namespace isomer::mugraph
