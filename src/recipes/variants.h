// Many equivalent programs of one model, each with what the cost model says it takes: what a cost model is
// judged by (bench/correlation.py times them). They are extracted under costs that are disturbed at random,
// by more and more, so that good and bad programs are among them, and with only some of the rewrites allowed,
// so that some layers are rewritten and others are not.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "support/limits.h"
#include "support/progress.h"

namespace isomer::recipes {

struct VariantOptions {
  std::string input;   ///< an ONNX model
  std::string folder;  ///< where the programs go: 0.onnx, 1.onnx, ...; made if need be
  size_t count = 50;   ///< at most; fewer when the e-graph has no more
  std::string cost = "onnxruntime";
  std::vector<std::string> rules;  ///< empty: the shipped sets
  int k_multi = 1;
  double time_limit = 60;
  uint64_t seed = 0;
  int threads = 1;
};

struct Variant {
  std::string file;
  double cost = 0;           ///< by the cost model
  std::string verification;  ///< held to the original, in words (found_check.h); empty of that itself
};

/// All different, the original first. Throws InputError, UsageError, MissingRuntimeError, VerificationError
/// where one is another program.
std::vector<Variant> write_variants(const VariantOptions& options, const StopToken& stop,
                                    ProgressSink& progress);

}  // namespace isomer::recipes
