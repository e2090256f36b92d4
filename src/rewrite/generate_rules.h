// Rules from the operators' definitions alone, after TASO's generator (Jia et al., SOSP 2019, section 2):
// write down all small programs over a few tensors, evaluate them on random inputs, and take programs with
// equal results for candidates. TASO enumerates graphs, fingerprints them on integers, and prunes by renaming
// and common subgraphs. Ours enumerates terms from the bottom up, over the prime field, and goes on only with
// one term of each set of equal ones, as later generators do (Nandi et al., Ruler, OOPSLA 2021); a candidate
// that follows from rules kept before it, smaller ones first, is dropped, which covers common subgraphs as
// well; what remains goes to the verifier at other shapes.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "rewrite/rule.h"
#include "support/limits.h"
#include "verify/verdict.h"

namespace isomer::rewrite {

struct GenerateOptions {
  int operators = 3;     ///< most on a side; a value that is used twice counts once
  int variables = 4;     ///< most tensors
  bool matrices = true;  ///< ewadd ewmul matmul concat relu, split, on matrices
  bool images = true;  ///< ewadd ewmul conv2d (plain and with relu) concat relu, split, on images and kernels
  uint64_t seed = 1;
  int instances = 4;                             ///< shapes that the verifier tries for each rule
  Limits limits;                                 ///< nodes: terms
  std::function<void(const std::string&)> note;  ///< told what is going on
};

/// A rule in TENSAT's notation, "LEFT=>RIGHT", one for each root.
struct GeneratedRule {
  std::vector<std::string> arrows;
  verify::Verdict verdict;
};

struct GeneratedRules {
  uint64_t terms = 0, distinct = 0;   ///< evaluated; of these, with a result that no term before had
  uint64_t candidates = 0;            ///< pairs of equal terms, up to the names of variables
  uint64_t follow = 0;                ///< of these, dropped since they follow from rules that were kept
  uint64_t refuted = 0, unknown = 0;  ///< rules that hold at the shapes of the search only
  std::vector<GeneratedRule> rules;   ///< verified
  StopReason stop_reason = StopReason::kRunning;  ///< kSaturated: all terms up to the size were looked at
  double cpu_seconds = 0;
};

GeneratedRules generate_rules(const ir::OpTable& ops, const GenerateOptions& options);

/// What became of the rules of another set (TENSAT's notation, one vector a rule) in a generated one.
struct CoveredRule {
  enum class How : uint8_t {
    kSame,     ///< it is among the generated ones, up to names and direction
    kFollows,  ///< from generated ones
    kMissed,
  };
  How how = How::kMissed;
  std::string reason;  ///< of a miss
};
struct Coverage {
  std::vector<CoveredRule> rules;   ///< by rule of the other set
  std::vector<bool> follows_there;  ///< by generated rule: it follows from the other set; else it is new
};
Coverage cover(const std::vector<std::vector<std::string>>& others,
               const std::vector<GeneratedRule>& generated, const GenerateOptions& options);

}  // namespace isomer::rewrite
