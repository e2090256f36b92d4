#include "egraph/multipattern.h"

#include <algorithm>
#include <utility>

#include "support/errors.h"

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

bool MultiPattern::begin(std::span<const Matches> found, Scratch& s) const {
  s.index_.resize(std::max(s.index_.size(), parts_.size()));
  s.roots_.resize(parts_.size());
  s.chosen_.resize(parts_.size());
  s.joint_.assign(class_variables_ + attr_variables_, kUnbound);
  for (size_t p = 0; p < parts_.size(); ++p) {
    const Matches& matches = found[parts_[p].program];
    if (matches.empty()) return false;
    if (p == 0) continue;
    std::vector<Scratch::Entry>& index = s.index_[p];
    index.clear();
    for (uint32_t m = 0; m < matches.size(); ++m) {
      const Subst subst = matches.subst(m);
      uint64_t hash = 0;
      for (uint32_t i : parts_[p].shared) hash = hash_combine(hash, subst.values[i]);
      index.push_back({hash, m});
    }
    std::ranges::sort(index);
  }
  return true;
}

bool MultiPattern::join(std::span<const Matches> found, const Visit& visit) const {
  Scratch scratch;
  return join(found, scratch, All(),
              [&](std::span<const ClassId> roots, const Subst& subst, std::span<const uint32_t>) {
                return visit(roots, subst);
              });
}

}  // namespace isomer::egraph
