// Step 6 of the main job: what is going to be written agrees with the original, or is not written.
#pragma once

#include <optional>
#include <string>

#include "isomer/isomer.h"
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
};

/// The rules' applications one by one, then both programs in the runtime, or, where that cannot run them, in
/// the interpreter. What could not be shown in the time is not written: the original is, which is then only
/// read back. Afterwards `chosen.written` is there, but for `chosen.unsuited`. `rewriting`: may be null where
/// nothing was changed; `trial`: null without a runtime. Throws VerificationError where the programs differ,
/// naming the step that broke the result. Returns how it was verified.
std::string verify(const Program& program, Rewriting* rewriting, Trial* trial, const Deadline& until,
                   Chosen& chosen, OptimizeResult& result);

}  // namespace isomer::recipes
