// How a body of tile operators is run: which part of its operands each block (of a kernel) or thread (of a
// block) takes, and how often it runs. The graphs of Mirage (Wu et al., 2024/25) below the level of programs:
// `grid` says how many blocks there are, `loops` how often a block runs its body; imap, fmap and omap say
// which dimension of a tensor they cut. What has not passed an accumulator runs in each iteration, what has
// runs once, after the last one. Here it is the attributes of an operator beside its body (kernel.h).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "ir/shorthand.h"

namespace isomer::ir {

/// No dimension: every block (or iteration) has the whole tensor.
inline constexpr int kWhole = -1;
using GridSizes = std::array<int64_t, 3>;
using GridMap = std::array<int, 3>;  ///< per grid dimension, the data dimension that it cuts

struct ScheduledInput {
  GridMap imap{kWhole, kWhole, kWhole};
  std::vector<int> fmap;  ///< per loop, the data dimension that it cuts
};

struct Schedule {
  GridSizes grid{1, 1, 1};        ///< blocks; of a body that threads run, these
  GridSizes threads{128, 1, 1};   ///< of a block
  std::vector<int64_t> loops{1};  ///< iterations
  int64_t width = 64;             ///< what reductions to a width leave
  std::vector<ScheduledInput> inputs;
  std::vector<GridMap> omaps;

  int64_t range() const;  ///< iterations of all loops
};

/// Sizes, or why there are none.
struct SizesOrError {
  Sizes sizes;
  std::string error;
  explicit operator bool() const { return error.empty(); }
};

/// Sizes of a tile: the tensor cut by the grid, then by the loops; an error where that does not come out
/// even.
SizesOrError cut_tile(const Sizes& tensor, const GridSizes& grid, std::span<const int64_t> loops,
                      const GridMap& imap, std::span<const int> fmap);
/// Sizes of the tensor that all blocks together write.
SizesOrError joined_tiles(const Sizes& tile, const GridSizes& grid, const GridMap& omap);

/// By value of a body: whether it is there after the loop only. An accumulator, or made of one.
std::vector<bool> after_loop(const Graph& body);

inline bool has_schedule(const OpDef& def) { return def.has_role(AttrRole::kGrid); }
/// Of an operator with a schedule; its attributes must have passed the type rule.
Schedule schedule_of(const OpInstance& op);
/// The body of an operator with a schedule.
const Graph& body_of(const OpInstance& op);
/// The attributes of `kernel` or `threads`.
std::vector<NamedAttr> attributes(Context& ctx, const Graph& body, const Schedule& schedule);

}  // namespace isomer::ir
