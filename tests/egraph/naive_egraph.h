// A slow e-graph that is its own definition: terms (nodes over the ids of other terms), asserted equations,
// and the congruence closure computed by comparing all pairs until nothing changes.
#pragma once

#include <cstdint>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace isomer::egraph {

class NaiveEGraph {
 public:
  struct Term {
    uint32_t op;
    std::vector<uint32_t> children;
  };

  uint32_t add(uint32_t op, std::vector<uint32_t> children) {
    terms_.push_back({op, std::move(children)});
    class_.push_back(static_cast<uint32_t>(class_.size()));
    return static_cast<uint32_t>(terms_.size() - 1);
  }
  void unite(uint32_t a, uint32_t b) { merge(class_[a], class_[b]); }

  void close() {
    for (bool changed = true; changed;) {
      changed = false;
      for (uint32_t a = 0; a < terms_.size(); ++a) {
        for (uint32_t b = a + 1; b < terms_.size(); ++b) {
          if (class_[a] == class_[b] || canonical(a) != canonical(b)) continue;
          merge(class_[a], class_[b]);
          changed = true;
        }
      }
    }
  }

  bool same(uint32_t a, uint32_t b) const { return class_[a] == class_[b]; }
  size_t size() const { return terms_.size(); }
  const Term& term(uint32_t t) const { return terms_[t]; }
  uint32_t class_of(uint32_t t) const { return class_[t]; }
  size_t classes() const { return std::set<uint32_t>(class_.begin(), class_.end()).size(); }
  std::pair<uint32_t, std::vector<uint32_t>> canonical(uint32_t t) const {
    std::vector<uint32_t> children;
    for (uint32_t c : terms_[t].children) children.push_back(class_[c]);
    return {terms_[t].op, children};
  }
  /// Distinct nodes: (class, operator, child classes).
  size_t nodes() const {
    std::set<std::tuple<uint32_t, uint32_t, std::vector<uint32_t>>> distinct;
    for (uint32_t t = 0; t < terms_.size(); ++t) {
      auto [op, children] = canonical(t);
      distinct.emplace(class_[t], op, std::move(children));
    }
    return distinct.size();
  }

 private:
  void merge(uint32_t a, uint32_t b) {
    for (uint32_t& c : class_) {
      if (c == b) c = a;
    }
  }

  std::vector<Term> terms_;
  std::vector<uint32_t> class_;
};

}  // namespace isomer::egraph
