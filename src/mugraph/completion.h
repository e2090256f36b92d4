// What can still become the program: lower bounds and impossibilities, all from the saturated e-graph.
//
// The oracle (subexpression.h) says that a tile is a part of the program; most of a search's time goes into
// tiles that are parts and come to nothing, because the block has too few operators left to make the program
// of them, or because its inputs cannot all be used. Both can be known beforehand. Every application that the
// search accepts is a walk in the e-graph from the operands' classes up to the result's, along the symbols of
// the operator's abstract form. So the fewest applications between a class and the program's is a shortest
// path, found once by going down from the program; and whether the program is made of exactly these
// classes is a least fixed point over e-nodes. Neither leaves out anything that the search would complete.
// In the papers: nothing of the kind.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "mugraph/mu_op.h"
#include "mugraph/subexpression.h"

namespace isomer::mugraph {

/// Fewest operators of a block from a tile to what the block has to make, by the tile's class.
class OpsNeeded {
 public:
  static constexpr int kMost = 15;  ///< this many or more
  static constexpr int kMerges = 8;
  /// `after`: an accumulator is on the path to the tile; one has to come if not. `merges`: how many operators
  /// with several operands are needed anyway, to use up other tiles.
  int operator()(bool after, int merges, int64_t part) const {
    return least_[after][static_cast<size_t>(merges < kMerges ? merges : kMerges)][static_cast<size_t>(part)];
  }

 private:
  friend class Completion;
  std::array<std::array<std::vector<uint8_t>, kMerges + 1>, 2> least_;
};

class Completion {
 public:
  /// `oracle` must outlive this.
  Completion(const SubexpressionOracle& oracle, const MuOpTable& ops, std::span<const MuOpId> block_ops,
             std::span<const MuOpId> kernel_ops);
  ~Completion();
  Completion(const Completion&) = delete;
  Completion& operator=(const Completion&) = delete;

  /// For a block whose results are the program, or become it by at most so many kernel-level operators. Null
  /// where some operator's abstract form is not known beforehand.
  const OpsNeeded* ops_needed(int kernel_ops_after);
  /// Whether some term that equals the program has leaves of these classes (of 4 at most) and of each of
  /// them one.
  bool made_of(std::vector<int64_t> parts);

 private:
  struct Chain;
  struct Graph;
  std::vector<Chain> chains_of(const MuOpTable& ops, std::span<const MuOpId> which, bool block);
  /// All classes that an application from there leads to `to`, by one of the chains.
  template <class F>
  void operands_of(uint32_t to, const Chain& chain, size_t step, F&& f) const;

  const SubexpressionOracle& oracle_;
  std::unique_ptr<Graph> graph_;
  std::vector<Chain> block_, kernel_;
  bool known_ = true;
  std::map<int, OpsNeeded> needed_;
  std::map<std::vector<int64_t>, bool> made_of_;
};

}  // namespace isomer::mugraph
