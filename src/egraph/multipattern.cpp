#include "egraph/multipattern.h"

#include <algorithm>
#include <utility>

#include "support/errors.h"
#include "support/hash.h"

namespace isomer::egraph {

PatternSet::Use PatternSet::add(const Pattern& pattern) {
  CanonicalPattern form = canonical(pattern);
  const auto known = std::ranges::find(patterns_, form.pattern);
  const uint32_t number = static_cast<uint32_t>(known - patterns_.begin());
  if (known == patterns_.end()) {
    tree_.add(form.pattern);
    patterns_.push_back(std::move(form.pattern));
  }
  return {number, std::move(form.class_variable), std::move(form.attr_variable)};
}

MultiPattern::MultiPattern(std::span<const Pattern> left_sides, PatternSet& set, MultiPatternOptions options)
    : options_(options) {
  REQUIRE(!left_sides.empty(), "a multi-pattern has at least one left side");
  for (const Pattern& p : left_sides) {
    class_variables_ = std::max(class_variables_, p.class_variables);
    attr_variables_ = std::max(attr_variables_, p.attr_variables);
  }
  std::vector<bool> bound(class_variables_ + attr_variables_, false);
  for (const Pattern& p : left_sides) {
    PatternSet::Use use = set.add(p);
    Part part{.program = use.program, .place = std::move(use.class_variable), .shared = {}};
    for (uint32_t v : use.attr_variable) part.place.push_back(class_variables_ + v);
    for (uint32_t i = 0; i < part.place.size(); ++i) {
      if (bound[part.place[i]]) part.shared.push_back(i);
    }
    for (uint32_t v : part.place) bound[v] = true;
    for (size_t earlier = 0; earlier < parts_.size() && options.unordered_if_same; ++earlier) {
      if (parts_[earlier].program == part.program) part.same_as = static_cast<int>(earlier);
    }
    parts_.push_back(std::move(part));
  }
}

bool MultiPattern::join(const std::vector<Matches>& found, const Visit& visit) const {
  // For each part after the first: its matches by hash of what they share with the parts before.
  struct Entry {
    uint64_t hash;
    uint32_t match;
    auto operator<=>(const Entry&) const = default;
  };
  std::vector<std::vector<Entry>> index(parts_.size());
  for (size_t p = 0; p < parts_.size(); ++p) {
    const Matches& matches = found[parts_[p].program];
    if (matches.empty()) return true;
    if (p == 0) continue;
    index[p].reserve(matches.size());
    for (uint32_t m = 0; m < matches.size(); ++m) {
      uint64_t hash = 0;
      for (uint32_t i : parts_[p].shared) hash = hash_combine(hash, matches.subst(m).values[i]);
      index[p].push_back({hash, m});
    }
    std::ranges::sort(index[p]);
  }

  std::vector<ClassId> roots(parts_.size());
  std::vector<uint32_t> chosen(parts_.size());
  std::vector<uint32_t> joint(class_variables_ + attr_variables_, kUnbound);
  const auto take = [&](auto&& self, size_t p, uint32_t m) -> bool {
    const Part& part = parts_[p];
    const Matches& matches = found[part.program];
    const ClassId root = matches.root(m);
    const std::span<const ClassId> above(roots.data(), p);
    if (options_.distinct_roots && std::ranges::find(above, root) != above.end()) return true;
    roots[p] = root;
    chosen[p] = m;
    const Subst subst = matches.subst(m);
    for (uint32_t i = 0; i < part.place.size(); ++i) joint[part.place[i]] = subst.values[i];
    if (p + 1 == parts_.size()) return visit(roots, Subst{joint, class_variables_});
    const Part& next = parts_[p + 1];
    uint64_t hash = 0;
    for (uint32_t i : next.shared) hash = hash_combine(hash, joint[next.place[i]]);
    const uint32_t from = next.same_as < 0 ? 0 : chosen[static_cast<size_t>(next.same_as)] + 1;
    // A deeper part only writes places that this one does not share, so `joint` stays good for the next
    // round.
    for (auto e = std::ranges::lower_bound(index[p + 1], Entry{hash, from}); e != index[p + 1].end(); ++e) {
      if (e->hash != hash) break;
      const Subst candidate = found[next.program].subst(e->match);
      const bool agrees = std::ranges::all_of(
          next.shared, [&](uint32_t i) { return candidate.values[i] == joint[next.place[i]]; });
      if (agrees && !self(self, p + 1, e->match)) return false;
    }
    return true;
  };
  for (uint32_t m = 0; m < found[parts_[0].program].size(); ++m) {
    if (!take(take, 0, m)) return false;
  }
  return true;
}

}  // namespace isomer::egraph
