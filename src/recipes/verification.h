// Step 6 of the main job: what is going to be written agrees with the original, or is not written.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "isomer/isomer.h"
#include "recipes/decision.h"
#include "recipes/rewriting.h"
#include "recipes/staged_program.h"
#include "recipes/trial.h"
#include "support/deadline.h"

namespace isomer::recipes {

/// What is going to be written.
struct Chosen {
  bool changed = false;                  ///< the optimised program, not the original
  std::string candidate;                 ///< how that was found
  std::optional<StagedProgram> written;  ///< nothing yet where it is the original
  std::optional<ir::Graph> rejected;     ///< what was found, where it is not written
  std::optional<UnsuitedRule> unsuited;  ///< nothing is chosen: what was found rests on this rule
  std::optional<rewrite::TensorExtraction> extraction;  ///< what was found, in the e-graph
};

/// What is verified, and by what.
struct Verifying {
  const Program& program;
  std::string input, output;   ///< files
  const Rewriting* rewriting;  ///< may be null where nothing was changed
  Trial* trial;                ///< null without a runtime
};

struct Verified {
  Chosen chosen;  ///< `written` is there, but for `unsuited` and a failure
  std::string how;
  std::string failure;    ///< the programs differ, and nothing may be written: why, and which step broke it
  Decision decision;      ///< where the original takes the place of what was found
  Compared in_runtime{};  ///< the last comparison there
  std::map<std::string, std::string> arithmetic;  ///< by rule: in which its sides are equal
  std::vector<RuntimeRefusal> refused;
  std::vector<std::string> warnings;
};

/// The rules' applications one by one, then both programs in the runtime, or, where that cannot run them, in
/// the interpreter. What could not be shown in the time is not written: the original is, which is then only
/// read back. A rule that is wrong is a failure.
Verified verify(const Verifying& what, const Deadline& until, Chosen chosen);

}  // namespace isomer::recipes
