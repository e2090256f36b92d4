// A disagreement need not grow along the chain, but it begins somewhere: halving between a program that
// agrees and one that does not ends at a step before which all is well and after which it is not, whatever
// lies in between.
#include "recipes/blame.h"

#include <fmt/format.h>

#include "eval/fold.h"

namespace isomer::recipes {

Blame find_blame(const rewrite::RewriteChain& chain, const rewrite::Saturation& saturation,
                 const std::function<bool(const ir::Graph&)>& breaks, const Deadline& until) {
  eval::FoldOptions folding;
  folding.until = until;
  const auto folded = [&](size_t steps) { return eval::fold(chain.program(steps), folding).graph; };
  Blame out;
  const auto no_time = [&](size_t good, size_t bad) {
    out.text =
        fmt::format("no time was left to find the step that breaks it: one of {} to {}", good + 1, bad);
    return out;
  };
  if (until.passed()) return no_time(0, chain.steps.size());
  if (breaks(chain.program(0))) {
    out.text = "the program differs as it is written, before any rewrite";
    return out;
  }
  if (breaks(folded(0))) {
    out.folding = true;
    out.text = "folding the constants of the original breaks it, before any rewrite";
    return out;
  }
  size_t good = 0, bad = chain.steps.size();
  while (bad - good > 1) {
    const size_t middle = good + (bad - good) / 2;
    const bool broken = breaks(folded(middle));
    if (until.passed()) return no_time(good, bad);  // what it said then means nothing
    (broken ? bad : good) = middle;
  }
  out.step = bad;
  const rewrite::ChainStep& step = chain.steps[bad - 1];
  const rewrite::StepText text = rewrite::describe(saturation, step);
  out.rule = text.rule;
  out.folding = !breaks(chain.program(bad));
  std::string places;
  for (const rewrite::ChainPlace& p : step.places)
    if (!p.where.empty()) places += (places.empty() ? " at " : ", ") + p.where;
  out.text =
      fmt::format("the smallest step that breaks it: rule {}{}{} (step {} of {}): {} became {}{}", text.rule,
                  step.backward ? ", read from right to left," : "", places, bad, chain.steps.size(),
                  text.before, text.after, out.folding ? "; with its constants left unfolded it agrees" : "");
  return out;
}

}  // namespace isomer::recipes
