// Programs whose layers are alike, searched once: of consecutive parts that are equal but for their weights
// one is optimised, and what is found there holds for all. Deep networks are stacks of one block; compilers
// fold them by hand-written loops (JAX's scan over layers) or by hashing subgraphs, searches over rewrites
// have treated each layer as new, and share one limit of nodes among all. Two ways of making use of a part's
// search, of which the better one is taken:
//
//   put back    the program that was found for one part takes the place of each part. What a rewrite across
//               two parts would bring is not found.
//   applied     the sequence of rules that was found for two parts in a row is applied to the whole program,
//               where a rule acts on all parts and on what lies between them, and that e-graph is extracted
//               from.
//
// A part is cut where one value alone leads on: all that comes later depends on what came before through it,
// on weights, and on what lies beside (a mask, positions). A part may also give results of its own to the
// outside, if nothing but the program's outputs (and tuples of these) uses them. Parts are compared node by
// node, weights by type and by where they are used again, so that equality is exact and what is put back is
// an equal program by construction.
#pragma once

#include <optional>
#include <vector>

#include "recipes/mcts.h"

namespace isomer::recipes {

/// Consecutive equal parts of a program.
struct RepeatedBlocks {
  struct Copy {
    ir::ValueId in, out;
    std::vector<ir::ValueId> values;   ///< not known at compile time, in order; `out` is the last
    std::vector<ir::ValueId> weights;  ///< in the order of their first use
    std::vector<ir::ValueId> results;  ///< of the values, those that the outside uses too
  };
  std::vector<Copy> copies;         ///< at least two, all with as many values, weights and results
  std::vector<ir::ValueId> beside;  ///< what all of them use of what does not depend on what leads on
};

/// The repetition that leaves the fewest values to be looked at; `graph` must have weights as leaves
/// (taso_language.h).
std::optional<RepeatedBlocks> find_repeated_blocks(const ir::Graph& graph);

/// A copy as a program: input 0 is what leads in, the others are what lies beside; output 0 leads on, the
/// others are the results.
ir::Graph block_program(const ir::Graph& graph, const RepeatedBlocks& blocks,
                        const RepeatedBlocks::Copy& copy);

/// The program with another one in the place of each copy, which must compute what the first copy's program
/// does, from its inputs and weights.
ir::Graph with_blocks(const ir::Graph& graph, const RepeatedBlocks& blocks, const ir::Graph& block);

/// The first copies taken as one part; `count` is at least 1 and at most the number of copies.
RepeatedBlocks::Copy joined(const RepeatedBlocks& blocks, size_t count);

struct BlockSearchResult {
  /// Of the whole program; nodes are the most that one search's e-graph had, steps those of what was taken.
  MctsRunResult run;
  size_t copies = 0;  ///< 0: there are no repeated blocks, the whole was searched
  size_t block_values = 0, values = 0;
  double put_back = 0, applied = 0;  ///< costs of the program that each way leads to
};

/// Like run_mcts, in one round; what `watch` is shown are e-graphs of the whole program. A part has as many
/// of the limit's nodes as it would get of a limit twice as large that is divided evenly.
BlockSearchResult run_mcts_by_blocks(const ir::Graph& graph, const rewrite::RuleSet& rules,
                                     const MctsRunOptions& options);

}  // namespace isomer::recipes
