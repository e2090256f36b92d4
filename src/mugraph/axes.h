// What the elements along a dimension stand for: the exact tile-compatibility filter.
//
// Sizes alone do not tell a dimension from another of the same size, nor block 3's part of it from iteration
// 3's. An axis is a name: a program dimension, an axis cut by grid or loop, or what blocks wrote side by side
// (outer part, inner axis). Operators demand equal axes where their loop nests read two operands at one
// variable. Mirage guesses at this with boxes of influence after a block graph is complete; here a mismatch
// ends the branch at the operator that makes it. Like everything about operators it is derived from meanings.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/graph.h"
#include "mugraph/mu_op.h"

namespace isomer::mugraph {

using AxisId = uint32_t;
/// Agrees with every axis: what was broadcast or reduced to one element.
inline constexpr AxisId kAnyAxis = 0;
/// The number of the first loop in Axes::cut; what is below is a grid dimension.
inline constexpr int kLoopCut = 3;

class Axes {
 public:
  Axes() : axes_{Axis{}} {}

  AxisId named(const std::string& name) { return intern({Kind::kNamed, name, {}, 0}); }
  /// The part of an axis that one block along grid dimension 0..2 has, or one iteration of loop kLoopCut, ...
  AxisId cut(AxisId axis, int by) { return intern({Kind::kCut, {}, {axis}, by}); }
  /// The same of what lies outermost in it, `depth` times (heads of groups: the groups).
  AxisId cut_outer(AxisId axis, int depth, int by);
  /// How deep `part` lies outermost in `axis`: 0 if they are one; -1 if it does not.
  int outer_depth(AxisId axis, AxisId part) const;
  /// The axis that `parts` parts make side by side, of `size` elements each, if that is what cutting by `by`
  /// undid last: of the axis, of what lies outermost in it, or of its only inner axis.
  std::optional<AxisId> uncut(AxisId axis, int by, int64_t size, int64_t parts);
  bool is_cut(AxisId axis, int by) const;
  /// Whether `part` is the axis, or one of those that it is made of side by side.
  bool holds(AxisId axis, AxisId part) const;
  /// What is left of an axis that the loops cut once the iterations' parts have been added up: it stands
  /// beside no iteration's part any more.
  AxisId summed(AxisId axis);
  /// What both stand for, where one says less than the other; none where they are different.
  std::optional<AxisId> meet(AxisId a, AxisId b);
  /// Parts of `inner`, of `size` elements each, one after the other: of `outer`.
  AxisId side_by_side(AxisId outer, AxisId inner, int64_t size) {
    return intern({Kind::kSideBySide, {}, {outer, inner}, size});
  }
  struct Pair {
    AxisId outer, inner;
  };
  std::optional<Pair> split(AxisId axis, int64_t inner_size) const;
  /// By content: the same in any table.
  uint64_t hash(AxisId axis) const { return hashes_[axis]; }
  /// Some axis that only depends on this text and these axes.
  AxisId derived(const std::string& text, std::span<const AxisId> axes) {
    return intern({Kind::kDerived, text, {axes.begin(), axes.end()}, 0});
  }

 private:
  enum class Kind : uint8_t { kAny, kNamed, kCut, kSummed, kSideBySide, kDerived };
  struct Axis {
    Kind kind = Kind::kAny;
    std::string name;           ///< of what is named or derived
    std::vector<AxisId> parts;  ///< cut, summed: the axis; side by side: outer, inner; derived: of these
    int64_t number = 0;         ///< cut: by which dimension or loop; side by side: size of the inner axis
    bool operator==(const Axis&) const = default;
  };
  AxisId intern(Axis axis);
  std::vector<Axis> axes_;
  std::vector<uint64_t> hashes_{0};
  std::unordered_multimap<uint64_t, AxisId> by_hash_;
};

using AxisList = std::vector<AxisId>;

/// Axes of the outputs of a graph (as of meaning::flatten), given those of its inputs; none where two
/// operands are read at one variable along different axes.
std::optional<std::vector<AxisList>> derive_axes(Axes& axes, const ir::Graph& flat,
                                                 std::span<const AxisList> inputs);

}  // namespace isomer::mugraph
