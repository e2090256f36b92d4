// Enumeration of kernel and block graphs at model sizes, in canonical order; see search.h.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "mugraph/search.h"
#include "mugraph/tile_kinds.h"

namespace isomer::mugraph {

inline constexpr int64_t kModelGrid = 2, kModelLoop = 3, kModelTile = 2;
inline constexpr int kLoopCut = 3;  ///< the number of the loop in Axes::cut

/// Rank of an operator: operands from the newest to the oldest, then the operator, then their order. Every
/// graph has exactly one order of its operators in which ranks ascend and each operator follows its operands
/// (take them by their newest operand).
using Rank = std::array<uint32_t, 9>;
Rank rank_of(std::span<const uint32_t> operands, uint32_t op);

struct Goal {
  TermId term = 0;
  Kind kind;  ///< sizes and axes of the output
};

class Generator {
 public:
  /// `accept`: whether a complete kernel graph is right; then it is not extended.
  Generator(const SearchOptions& options, Kinds& kinds, SubexpressionOracle& oracle, const Goal& goal,
            const std::set<AxisId>& cuttable, const std::set<AxisId>& batch, int64_t reduce_to,
            std::function<bool(const MuGraph&)> accept, SearchResult& result);

  void run(const std::vector<KindId>& inputs);

 private:
  struct KernelState {
    MuGraph graph;
    std::vector<KindId> kinds;
    std::vector<uint32_t> uses;
    Rank last{};
    int block_kernels = 0;
  };
  /// What the canonical form asks of a tile.
  struct Facts {
    bool after = false;    ///< an accumulator is on the path to it
    bool looped = false;   ///< some input that it depends on is cut by the loop
    bool reduced = false;  ///< some accumulator that reduces a dimension is on the path to it
  };
  struct BlockState {
    BlockGraph graph;
    std::vector<uint32_t> operands;  // kernel values
    std::vector<AxisId> grid;        // axis that grid dimension 0, 1, ... cuts
    std::vector<KindId> kinds;
    std::vector<Facts> facts;
    std::vector<uint32_t> uses;
    Rank last{};
  };

  void kernel(KernelState& state);
  void kernel_operators(KernelState& state, const std::vector<uint32_t>& required, bool last_one);
  void block_kernels(KernelState& state, const std::vector<uint32_t>& required, bool last_one);
  void open_block(KernelState& state, const std::vector<uint32_t>& operands, const std::vector<AxisId>& grid,
                  AxisId loop, bool last_one);
  std::optional<KindId> tile_of(KindId tensor, const std::vector<AxisId>& grid, AxisId loop,
                                BlockInput& input);
  void block(KernelState& state, BlockState& b, bool last_one);
  void close_block(KernelState& state, const BlockState& b, bool last_one);
  void save_outputs(KernelState& state, const BlockState& b, const std::vector<uint32_t>& sinks, size_t next,
                    std::vector<BlockOutput>& outputs, std::vector<KindId>& kinds, bool last_one);
  void emit_kernel(KernelState& state, const BlockState& b, const std::vector<BlockOutput>& outputs,
                   const std::vector<KindId>& kinds);
  std::optional<Facts> facts_of(const BlockState& b, const MuOp& op, std::span<const uint32_t> operands,
                                KindId result) const;
  bool repeats(const BlockState& b, KindId kind, bool after);
  void finish(const MuGraph& graph);
  bool is_goal(KindId kind);
  bool possible(KindId kind);
  bool stopped();
  /// Calls f(operands) for the operand lists of an operator over values 0 .. count - 1 that may follow
  /// `last`.
  template <class F>
  void operand_lists(const MuOp& op, MuOpId id, size_t count, const Rank& last, F&& f);

  const SearchOptions& options_;
  const MuOpTable& ops_;
  Kinds& kinds_;
  SubexpressionOracle& oracle_;
  const Goal& goal_;
  const std::set<AxisId>& cuttable_;
  const std::set<AxisId>& batch_;
  int64_t reduce_to_;
  std::function<bool(const MuGraph&)> accept_;
  SearchResult& result_;
  LimitWatch watch_;
  std::vector<MuOpId> kernel_ops_, block_ops_;
  int most_operands_ = 2;  ///< of an operator

  /// What was found below a state: kernels that complete it. States that differ in how their tensors are
  /// computed only (same kinds, uses, rank) have the same completions.
  using StateKey = std::vector<uint32_t>;
  using Completion = std::vector<KernelNode>;
  static StateKey key_of(const KernelState& state);
  void explore(KernelState& state);
  std::map<StateKey, std::vector<Completion>> completions_;
  struct Recorder {
    size_t prefix;  ///< kernels of the state
    std::vector<Completion> found;
  };
  std::vector<Recorder> recorders_;
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
  } else if (op.arity == 4) {  // (W || X)(Y || Z): the pairs may be swapped
    for (uint32_t w = 0; w < n; ++w)
      for (uint32_t x = w + 1; x < n; ++x)
        for (uint32_t y = 0; y < n; ++y)
          for (uint32_t z = 0; z < n; ++z)
            if (y != z) offer(std::array{w, x, y, z});
  }
}

}  // namespace isomer::mugraph
