#include "report/chain_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>

namespace isomer::report {

std::vector<ChainGroup> group(const std::vector<RewriteEntry>& chain) {
  std::vector<ChainGroup> groups;
  std::map<std::tuple<std::string, std::string, std::string, std::string>, size_t> index;
  std::set<std::pair<size_t, std::string_view>> named;
  for (size_t i = 0; i < chain.size(); ++i) {
    const RewriteEntry& e = chain[i];
    const auto [it, fresh] = index.try_emplace({e.rule, e.variables, e.before, e.after}, groups.size());
    if (fresh) groups.emplace_back();
    ChainGroup& g = groups[it->second];
    g.steps.push_back(i);
    for (const std::string& place : e.places)
      if (named.emplace(it->second, place).second) g.places.push_back(place);
  }
  return groups;
}

std::string chain_text(const std::vector<RewriteEntry>& chain) {
  constexpr size_t kNamed = 4;
  std::string out;
  for (const ChainGroup& g : group(chain)) {
    const RewriteEntry& e = chain[g.steps.front()];
    std::string places;
    for (size_t i = 0; i < std::min(g.places.size(), kNamed); ++i)
      places += (i > 0 ? ", " : ", at ") + g.places[i];
    if (g.places.size() > kNamed) places += fmt::format(" and {} more", g.places.size() - kNamed);
    out += fmt::format("{}{}. {}{}{}{}\n   {}\n   => {}\n", out.empty() ? "" : "\n", g.steps.front() + 1,
                       e.rule, e.backward ? ", from right to left" : "",
                       g.steps.size() > 1 ? fmt::format(", {} times", g.steps.size()) : "", places, e.before,
                       e.after);
    if (!e.variables.empty()) out += fmt::format("   with {}\n", e.variables);
  }
  return out;
}

}  // namespace isomer::report
