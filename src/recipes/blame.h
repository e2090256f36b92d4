// Which rewrite broke a result: the first step of the chain from original to result after which the programs
// disagree.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "rewrite/explain_chain.h"
#include "rewrite/saturate.h"
#include "support/deadline.h"

namespace isomer::recipes {

struct Blame {
  size_t step = 0;           ///< 1 is the first step; 0: the program is wrong before any rewrite
  bool unrewritten = false;  ///< so it is as it was read and written, with nothing folded either
  bool folding = false;      ///< the same program with its constants unfolded is right
  /// Of the step; where programs before it cannot be judged, also of the steps that lead to these.
  std::vector<std::string> rules;
  std::string text;  ///< all of it, in words
};

/// Whether a program disagrees with the original; nothing where it cannot be judged.
using Breaks = std::function<std::optional<bool>(const ir::Graph&)>;

/// `breaks` is asked about as many programs as halving the chain takes. The whole chain, folded, is known to
/// break. Where the deadline comes before, `step` is 0 and the text says between which steps it lies.
Blame find_blame(const rewrite::RewriteChain& chain, const rewrite::Saturation& saturation,
                 const Breaks& breaks, const Deadline& until = {});

}  // namespace isomer::recipes
