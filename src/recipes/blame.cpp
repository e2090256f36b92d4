// A disagreement need not grow along the chain, but it begins somewhere: halving between a program that
// agrees and one that does not ends at a step before which all is well and after which it is not, whatever
// lies in between.
#include "recipes/blame.h"

#include <fmt/format.h>

#include <utility>

#include "eval/fold.h"

namespace isomer::recipes {

namespace {

/// A number of steps strictly between, the middle one first, whose program can be judged.
std::optional<std::pair<size_t, bool>> judge_between(
    size_t good, size_t bad, const std::function<std::optional<bool>(size_t)>& breaks) {
  const size_t middle = good + (bad - good) / 2, between = bad - good - 1;
  for (size_t i = 0; i < between; ++i) {
    const size_t at = good + 1 + (middle - good - 1 + i) % between;
    if (const auto broken = breaks(at)) return std::pair{at, *broken};
  }
  return {};
}

/// "rule add-zero at x", ", read from right to left" where it is.
std::string what_and_where(const rewrite::StepText& text, const rewrite::ChainStep& step) {
  std::string places;
  for (const rewrite::ChainPlace& p : step.places)
    if (!p.where.empty()) places += (places.empty() ? " at " : ", ") + p.where;
  return fmt::format("rule {}{}{}", text.rule, step.backward ? ", read from right to left," : "", places);
}

}  // namespace

Blame find_blame(const rewrite::RewriteChain& chain, const rewrite::Saturation& saturation,
                 const Breaks& breaks, const Deadline& until) {
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
  if (breaks(chain.program(0)).value_or(false)) {
    out.unrewritten = true;
    out.text = "the program differs as it is written, before any rewrite";
    return out;
  }
  if (breaks(folded(0)).value_or(false)) {
    out.folding = true;
    out.text = "folding the constants of the original breaks it, before any rewrite";
    return out;
  }
  size_t good = 0, bad = chain.steps.size();
  while (bad - good > 1) {
    const auto judged = judge_between(good, bad, [&](size_t steps) -> std::optional<bool> {
      return until.passed() ? std::nullopt : breaks(folded(steps));
    });
    if (until.passed()) return no_time(good, bad);  // what it said then means nothing
    if (!judged) break;
    (judged->second ? bad : good) = judged->first;
  }
  out.step = bad;
  const rewrite::ChainStep& step = chain.steps[bad - 1];
  const rewrite::StepText text = rewrite::describe(saturation, step);
  out.rules = {text.rule};
  out.folding = !breaks(chain.program(bad)).value_or(true);
  out.text = fmt::format("the smallest step that breaks it: {} (step {} of {}): {} became {}{}",
                         what_and_where(text, step), bad, chain.steps.size(), text.before, text.after,
                         out.folding ? "; with its constants left unfolded it agrees" : "");
  for (size_t i = bad - 1; i-- > good;) {
    const rewrite::ChainStep& before = chain.steps[i];
    const rewrite::StepText words = rewrite::describe(saturation, before);
    out.rules.push_back(words.rule);
    out.text += fmt::format("\nor step {}, after which the program cannot be judged: {}: {} became {}", i + 1,
                            what_and_where(words, before), words.before, words.after);
  }
  return out;
}

}  // namespace isomer::recipes
