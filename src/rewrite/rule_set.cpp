#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "rewrite/rule.h"
#include "support/errors.h"

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
  if (!find(name)) throw UsageError(fmt::format("there is no rule named {}", name));
  std::erase_if(rules, [&](const Rule& r) { return r.name == name; });
}

}  // namespace isomer::rewrite
