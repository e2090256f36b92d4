#include "recipes/fold_checked.h"

#include "eval/fold.h"
#include "eval/fold_check.h"
#include "support/errors.h"

namespace isomer::recipes {

ir::Graph fold_checked(const ir::Graph& graph, const Deadline& until) {
  eval::FoldOptions folding;
  folding.finite = true;
  folding.until = until;
  eval::Folded folded = eval::fold(graph, folding);
  eval::FoldCheckOptions checking;
  checking.until = until;
  const eval::FoldCheck check = eval::check_fold(graph, folded, checking);
  if (!check.wrong.empty())
    throw VerificationError("constant folding went wrong at " + check.wrong + "; nothing was written");
  return std::move(folded.graph);
}

}  // namespace isomer::recipes
