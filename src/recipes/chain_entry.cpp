#include "recipes/chain_entry.h"

#include <limits>

namespace isomer::recipes {

RewriteEntry chain_entry(const rewrite::Saturation& saturation, const rewrite::ChainStep& step) {
  rewrite::StepText text = rewrite::describe(saturation, step);
  RewriteEntry entry{std::move(text.rule),
                     step.backward,
                     {},
                     std::move(text.before),
                     std::move(text.after),
                     std::move(text.variables),
                     std::numeric_limits<double>::quiet_NaN()};
  for (const rewrite::ChainPlace& p : step.places)
    if (!p.where.empty()) entry.places.push_back(p.where);
  return entry;
}

}  // namespace isomer::recipes
