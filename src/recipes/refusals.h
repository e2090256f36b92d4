// What was written and does not load in a runtime that loads the original is a fault of this program: of its
// writer, most likely, since rules are checked without any runtime. It is told as such, with the operator and
// the runtime's words, and never laid on a rule.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "isomer/isomer.h"
#include "recipes/staged_program.h"
#include "recipes/trial.h"

namespace isomer::recipes {

/// What a refusal of the copy of the input calls its candidate.
inline constexpr const char* kOriginalAsWritten = "original";

/// The refusal as it is filed. `model`: the file that was refused, in which the message's operator is looked
/// up.
RuntimeRefusal refusal(const std::string& candidate, const std::string& model, const std::string& message);
/// For the summary: whose fault it is, and what to do.
std::string describe(const RuntimeRefusal& refusal, const std::string& runtime);

/// Tries the original, then each entrant, by itself: those that the runtime refuses although it takes the
/// original are dropped. Their refusals.
std::vector<RuntimeRefusal> drop_refused(Trial& trial, const std::string& original,
                                         std::vector<Entrant>& entrants, const Deadline& until);

}  // namespace isomer::recipes
