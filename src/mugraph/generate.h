// Enumeration of kernel and block graphs at model sizes, in canonical order: the steps that lead from a
// kernel graph to those with one kernel more. See search.h.
#pragma once

#include <array>
#include <atomic>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "mugraph/applications.h"
#include "mugraph/completion.h"
#include "mugraph/search.h"
#include "mugraph/tile_kinds.h"

namespace isomer::mugraph {

inline constexpr int64_t kModelGrid = 2, kModelLoop = 3, kModelTile = 2;

inline constexpr int kMostValues = 62;  ///< of a kernel or block graph: what a rank has room for

/// Rank of an operator: operands from the newest to the oldest, then the operator, then their order, packed.
/// Every graph has exactly one order of its operators in which ranks ascend and each operator follows its
/// operands (take them by their newest operand).
using Rank = uint64_t;
Rank rank_of(std::span<const uint32_t> operands, uint32_t op);

/// What a search is about, in tables of one thread. The axes named here have the same numbers in all threads.
struct Ground {
  /// `first`: the tables of another thread, whose saturated program is shared.
  Ground(const Program& program, const Extents& model, const Extents& full, const SearchOptions& options,
         const Ground* first = nullptr);

  Terms terms;
  Axes axes;
  Kinds kinds;
  std::vector<KindId> inputs;
  std::set<AxisId> cuttable, batch;
  Kind goal;
  std::optional<SubexpressionOracle> oracle;
};

/// One more kernel of a kernel graph.
struct Step {
  KernelNode node;
  std::vector<AxisId> grid;   ///< the axis that grid dimension 0, 1, ... cuts
  std::vector<AxisId> loops;  ///< the axis that each loop cuts; none: one iteration
};

/// A kernel graph by a number that kernel graphs with equal tensors share: they are completed in the same
/// ways.
struct Child {
  Step step;
  uint64_t key = 0;
  bool complete = false;  ///< its expression and axes are those of the program
};

struct Expansion {
  std::vector<Child> children;
  uint64_t states = 0;   ///< kernel and block graphs looked at
  uint64_t queries = 0;  ///< whether a term can be a part of the program
  uint64_t pruned = 0;   ///< of these, answered with no
};

/// Shared by all threads of a search.
struct SearchStop {
  std::atomic<uint64_t> states = 0;
  std::atomic<StopReason> reason = StopReason::kRunning;
};

class Generator {
 public:
  Generator(const SearchOptions& options, Ground& ground, const LimitWatch& watch, SearchStop& stop);

  /// The parts that the expansion of a kernel graph falls into, the same in every thread.
  size_t parts(const std::vector<Step>& path);
  /// One of them, or all. Children are in the order of the enumeration; where the search was stopped some are
  /// missing, and stop.reason says so.
  Expansion expand(const std::vector<Step>& path, std::optional<size_t> part);

 private:
  struct KernelState {
    std::vector<KindId> kinds;
    std::vector<uint32_t> uses;
    Rank last{};
    int kernels = 0, block_kernels = 0;
  };
  /// What the canonical form asks of a tile.
  struct Facts {
    bool after = false;    ///< an accumulator is on the path to it
    uint8_t looped = 0;    ///< bit by bit, the loops that cut some input that it depends on
    bool reduced = false;  ///< some accumulator that reduces a dimension is on the path to it
    bool maximum = false;  ///< it is a running maximum
    bool provisional =
        false;  ///< it depends on a running maximum within a loop: only rescaling makes it final
  };
  /// A graph-defined kernel before its operators are chosen.
  struct Opening {
    std::vector<uint32_t> operands;
    std::vector<AxisId> grid;
    std::vector<AxisId> loops;
  };
  struct Tile {
    KindId kind = 0;
    uint32_t value = 0;  ///< Applications::value_of
    int64_t part = 0;    ///< Applications::part_of
    Facts facts;
    uint8_t uses = 0;
  };
  /// An operator that may be added to a block: it makes `tile` of its operands.
  struct Candidate {
    Rank rank = 0;
    MuOpId op = 0;
    uint8_t arity = 0;
    std::array<uint8_t, 4> operands{};
    Tile tile;
  };
  struct BlockState {
    Opening opening;
    std::vector<BlockInput> inputs;
    KindPlace place;
    std::vector<Tile> tiles;
    std::vector<Candidate> nodes;  ///< the operators of tiles from the inputs on
    /// What may be added, by ascending rank: a tile's own are added with it, and rank above all before.
    std::vector<Candidate> candidates;
    const OpsNeeded* needed = nullptr;
  };

  KernelState replay(const std::vector<Step>& path);
  void add_step(KernelState& state, const Step& step, const std::vector<KindId>& results) const;
  std::vector<KindId> results_of(const KernelState& state, const Step& step);
  std::vector<uint32_t> unused(const KernelState& state) const;
  int kernels_left(const KernelState& state) const;
  bool last_one(const KernelState& state) const { return kernels_left(state) == 1; }
  void emit(const KernelState& state, Step step, const std::vector<KindId>& results);

  void kernel_operators(const KernelState& state);
  std::vector<Opening> openings(const KernelState& state);
  /// Whether the last kernel can be made of these tensors, all of them used.
  bool can_end_with(const KernelState& state, std::span<const uint32_t> operands);
  void open_block(const KernelState& state, const Opening& opening);
  std::optional<KindId> tile_of(KindId tensor, const Opening& opening, BlockInput& input);
  /// Candidates from number `next` on follow the last operator.
  void block(const KernelState& state, BlockState& b, size_t next);
  void add_candidates(const KernelState& state, BlockState& b);
  void add_candidate(BlockState& b, std::span<const uint32_t> operands, const Application& application);
  int operators_left(const BlockState& b) const {
    return options_.max_block_ops - static_cast<int>(b.tiles.size());
  }
  /// Whether so few operators may be enough to use up all tiles.
  bool enough_left(const KernelState& state, const BlockState& b) const;
  int most_outputs(const KernelState& state) const {
    return last_one(state) ? 1 : options_.max_block_outputs;
  }
  void close_block(const KernelState& state, const BlockState& b);
  void save_outputs(const KernelState& state, const BlockState& b, const std::vector<uint32_t>& sinks,
                    size_t next, std::vector<BlockOutput>& outputs, std::vector<KindId>& kinds);
  bool join(Kind& kind, const Opening& opening, size_t g, size_t dimension);
  std::optional<Facts> facts_of(const BlockState& b, const MuOp& op, std::span<const uint32_t> operands,
                                KindId result) const;
  bool repeats(const BlockState& b, const Tile& tile) const;
  bool is_goal(KindId kind);
  bool possible(KindId kind);
  bool stopped();
  /// Calls f(operands) for the operand lists of an operator over values 0 .. count - 1 that may follow
  /// `last`.
  template <class F>
  void operand_lists(const MuOp& op, MuOpId id, size_t count, const Rank& last, F&& f);

  const SearchOptions& options_;
  const MuOpTable& ops_;
  Ground& ground_;
  Kinds& kinds_;
  SubexpressionOracle& oracle_;
  Applications applications_;
  std::optional<Completion> completion_;  ///< where the search looks ahead
  LimitWatch watch_;
  SearchStop& stop_;
  std::vector<MuOpId> kernel_ops_;
  std::vector<MuOpId> wide_ops_;  ///< of a block, with four operands
  int most_operands_ = 2;         ///< of an operator
  Expansion out_;
  uint64_t reported_ = 0;  ///< of out_.states, in stop_
};

template <class F>
void Generator::operand_lists(const MuOp& op, MuOpId id, size_t count, const Rank& last, F&& f) {
  const auto offer = [&](std::span<const uint32_t> operands) {
    if (options_.canonical && rank_of(operands, id) <= last) return;
    f(operands);
  };
  const auto n = static_cast<uint32_t>(count);
  if (op.arity == 1) {
    for (uint32_t i = 0; i < n; ++i) offer(std::array{i});
  } else if (op.arity == 2) {
    for (uint32_t i = 0; i < n; ++i)
      for (uint32_t j = op.commutative && options_.canonical ? i : 0; j < n; ++j) offer(std::array{i, j});
  }
}

}  // namespace isomer::mugraph
