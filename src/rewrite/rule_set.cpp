#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "rewrite/rule.h"
#include "support/errors.h"
#include "support/unknown_word.h"

namespace isomer::rewrite {

void RuleSet::append(RuleSet more) {
  rules.insert(rules.end(), std::make_move_iterator(more.rules.begin()),
               std::make_move_iterator(more.rules.end()));
}

const Rule* RuleSet::find(const std::string& name) const {
  const auto it = std::find_if(rules.begin(), rules.end(), [&](const Rule& r) { return r.name == name; });
  return it == rules.end() ? nullptr : &*it;
}

void RuleSet::disable(const std::string& name) {
  require(name);
  std::erase_if(rules, [&](const Rule& r) { return r.name == name; });
}

void RuleSet::require(const std::string& name) const {
  if (find(name) != nullptr) return;
  std::vector<std::string> names;
  for (const Rule& r : rules) names.push_back(r.name);
  throw UsageError(fmt::format("there is no rule named {}{}", name, did_you_mean(name, names)));
}

}  // namespace isomer::rewrite
