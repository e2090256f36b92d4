// The numbers of Mirage's papers (Wu et al. 2024, 2025) for their search, to be printed beside ours, and the
// programs that they measure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mugraph/programs.h"

namespace isomer::published::mirage {

/// Table 5 of the first version: GQA, by the most operators of a block graph.
struct FirstVersion {
  int block_ops;
  const char *mirage, *no_pruning, *neither;
};
/// Table 5 of the later version: RMSNorm, seconds.
struct LaterVersion {
  int block_ops;
  const char *mirage, *one_thread, *no_pruning;
};
/// Null where the paper has no such row.
const FirstVersion* first_version(int block_ops);
const LaterVersion* later_version(int block_ops);

/// The public project's own search on CPU with two threads (branch mpk of 2026-04, formal verifier).
struct Peer {
  const char *program, *cpu_seconds, *states;
};
std::span<const Peer> peers();

/// What the papers measure, at their sizes: `batch` is multiplied by 1 and 8.
struct Case {
  const char *label, *program;
  mugraph::Extents sizes;
  const char* batch;
  std::vector<std::string> published;  ///< whose structures are to be found
};
std::vector<Case> cases();

}  // namespace isomer::published::mirage
