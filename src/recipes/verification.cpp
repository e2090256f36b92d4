#include "recipes/verification.h"

#include <optional>
#include <utility>

#include "recipes/load.h"
#include "recipes/refusals.h"
#include "support/errors.h"

namespace isomer::recipes {
namespace {

/// Of the time for verifying: the rest is for whole programs.
constexpr double kRewritesShare = 0.5;

void write_the_original(Chosen& chosen, OptimizeResult& result, const std::string& why) {
  result.decision = "the original program: " + why;
  chosen.changed = false;
  chosen.rejected = std::move(chosen.written->graph);
  chosen.written.reset();
}

/// The programs differ. A rule that may round otherwise, and is right in exact arithmetic, does not suit.
/// Nothing where folding alone does it: what is folded is held to double precision (eval/fold_check.h), the
/// runtime's own sums may be off by more. All else is a fault, and ends the run.
std::optional<UnsuitedRule> refuse(const Program& program, Rewriting* rewriting, Trial& trial,
                                   const Deadline& until, const Chosen& chosen, OptimizeResult& result) {
  const std::string disagreement = result.verification;
  const auto breaks = [&](const ir::Graph& graph) -> std::optional<bool> {
    std::optional<StagedProgram> staged;
    try {
      staged = stage(program, graph, result.output);
    } catch (const MisuseError&) {
      return {};  // a program on the way may hold what the format cannot say
    }
    const StagedProgram& part = *staged;
    switch (trial.compare(result.input, part.model(), until).agreement) {
      case Agreement::kDiffer: return true;
      case Agreement::kAgree: return false;
      default: return {};
    }
  };
  Blame blame;
  if (chosen.changed) blame = rewriting->blame(breaks, until);
  const std::string why = disagreement + (blame.text.empty() ? "" : "\n" + blame.text);
  for (const std::string& rule : blame.rules)
    if (rewriting->may_not_suit(rule)) return UnsuitedRule{rule, why};
  if (blame.folding && blame.step == 0) {
    result.warnings.push_back(why);
    return std::nullopt;
  }
  throw VerificationError(why + "\nnothing was written");
}

/// The original, where no runtime can compare it in the time.
void read_back(const Program& program, const Chosen& chosen, OptimizeResult& result) {
  if (!reads_back(program, *chosen.written))
    throw VerificationError("what was written reads back as another program; nothing was kept");
  result.verification = "the written file reads back as the very program that was read";
}

}  // namespace

std::string verify(const Program& program, Rewriting* rewriting, Trial* trial, const Deadline& until,
                   Chosen& chosen, OptimizeResult& result) {
  result.verified = true;  // or nothing is written
  if (chosen.changed) {
    RewriteCheck check = rewriting->check_rewrites(result, until.part(kRewritesShare));
    chosen.unsuited = std::move(check.unsuited);
    if (chosen.unsuited) return "a rule does not suit: " + chosen.unsuited->why;
    if (!check.all)
      write_the_original(chosen, result,
                         "no time was left to check every rewrite that leads to what was found");
  }
  if (!chosen.written) chosen.written = stage(program, program.graph, result.output);

  const auto compare = [&] {
    Compared seen =
        trial == nullptr ? Compared() : trial->compare(result.input, chosen.written->model(), until);
    result.verification = std::move(seen.how);
    result.max_relative_error = seen.max_relative_error;
    result.not_compared = std::move(seen.not_compared);
    result.verified_sizes = std::move(seen.sizes);
    return seen.agreement;
  };
  Agreement agreement = compare();
  const auto fall_back = [&](const std::string& why) {
    write_the_original(chosen, result, why);
    chosen.written = stage(program, program.graph, result.output);
    agreement = compare();
  };
  if (agreement == Agreement::kRefused && chosen.changed) {
    file_refusal(refusal(chosen.candidate, chosen.written->model(), result.verification), result.runtime,
                 result);
    fall_back("the runtime does not take what was found (see the warnings)");
  }
  const auto refuse_the_copy = [&] {
    file_refusal(refusal(kOriginalAsWritten, chosen.written->model(), result.verification), result.runtime,
                 result);
    throw VerificationError(result.warnings.back() + "\nnothing was written");
  };
  if (agreement == Agreement::kDiffer) {
    chosen.unsuited = refuse(program, rewriting, *trial, until, chosen, result);
    if (chosen.unsuited) return "a rule does not suit: " + chosen.unsuited->why;
    fall_back("its constants, folded, are not what the runtime computes (see the warnings)");
    if (agreement == Agreement::kDiffer) refuse(program, rewriting, *trial, until, chosen, result);
  }
  if (agreement == Agreement::kRefused) refuse_the_copy();
  if (agreement == Agreement::kAgree && result.not_compared.empty()) return result.verification;

  // Of the outputs that do not differ from run to run. The interpreter takes equal draws of random numbers
  // for equal.
  std::string seen = agreement == Agreement::kAgree ? result.verification + "; " : "";
  // Types that another program inferred are believed as far as a run that compares all outputs bears them
  // out. Without one the model is written as it is read without them.
  std::optional<Program> unclaimed;
  if (program.types_inferred > 0) {
    unclaimed = load_without_inference(program.graph.context(), result.input, program.dims, program.contrib);
    result.verification = "its types were inferred, and no run compared all outputs";
  }
  const Program& read = unclaimed ? *unclaimed : program;
  if (chosen.changed && (unclaimed || agreement == Agreement::kNoTime ||
                         !rewriting->check_whole(chosen.written->graph, until, result))) {
    write_the_original(chosen, result,
                       "what was found could not be compared with it: " + result.verification);
    seen.clear();
  }
  if (chosen.changed) return result.verification = seen + result.verification;
  if (unclaimed) chosen.written.reset();
  if (!chosen.written) {
    chosen.written = stage(read, read.graph, result.output);
    if (agreement == Agreement::kAgree) agreement = compare();
    if (agreement == Agreement::kDiffer) refuse(program, rewriting, *trial, until, chosen, result);
    if (agreement == Agreement::kRefused) refuse_the_copy();
    seen = agreement == Agreement::kAgree ? result.verification + "; " : "";
  }
  read_back(read, chosen, result);
  result.verification = seen + result.verification;
  return result.verification;
}

}  // namespace isomer::recipes
