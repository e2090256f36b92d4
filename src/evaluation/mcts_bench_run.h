// What the bench of Monte Carlo tree search compares: approaches, by name, and one run of one of them.
#pragma once

#include "evaluation/mcts_bench.h"

namespace isomer::evaluation {

/// How an approach searches.
enum class Way : uint8_t {
  kTree,  ///< Monte Carlo tree search over the growth of an e-graph, as in the paper
  kPlus,  ///< the same with what we add
  kBlocks,
  kSaturation,
  kLargerSaturation,
  kBeam,
  kRandom,
  kAnnealing,
};

struct Approach {
  const char* name;  ///< for tree searches: main/final extraction
  Way way = Way::kTree;
  problems::Extraction main{};
  extract::Extractor final{};

  bool saturates() const { return way == Way::kSaturation || way == Way::kLargerSaturation; }
  bool grows_otherwise() const { return way >= Way::kBeam; }
  bool takes_seeds() const { return !saturates() && way != Way::kBeam; }
};

/// Throws UsageError where there is none of that name.
const Approach& approach_of(const std::string& name);

/// The program, what the task's approach makes of it, and what is kept and checked of that.
MctsBenchRun run_one(const MctsBenchTask& task, const MctsBenchOptions& options);

}  // namespace isomer::evaluation
