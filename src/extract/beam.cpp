#include "extract/beam.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "extract/components.h"
#include "extract/dag_greedy.h"

namespace isomer::extract {

namespace {

struct Term {
  std::vector<NodeId> picks;  // by class
  double cost = 0;
};

class Beam {
 public:
  Beam(const Problem& problem, size_t width, uint64_t work)
      : problem_(problem), width_(width), work_(work), terms_(problem.classes()) {}

  Selection run() {
    const Selection start = dag_greedy(problem_);
    // Components come children first; inside one, greedy terms stand in for what is not there yet.
    const Components parts = strong_components(choices_of(problem_));
    std::vector<ClassId> order(problem_.classes());
    for (uint32_t c = 0; c < problem_.classes(); ++c) order[c] = ClassId(c);
    std::ranges::stable_sort(order, {}, [&](ClassId c) { return parts.of[c.index()]; });
    seed(start);
    for (size_t from = 0, to = 0; from < order.size(); from = to) {
      while (to < order.size() && parts.of[order[to].index()] == parts.of[order[from].index()]) ++to;
      const int passes = to - from > 1 ? 3 : 1;
      for (int pass = 0; pass < passes; ++pass) {
        for (size_t i = from; i < to; ++i) extend(order[i]);
      }
    }
    std::vector<Term> whole{Term()};
    for (ClassId root : problem_.roots()) whole = fold(whole, terms_[root.index()]);
    // Terms of classes that no root needs are kept for whoever wants to move there.
    Selection result = start;
    if (whole.empty()) return result;
    for (NodeId n : whole[0].picks) result.pick(problem_.class_of(n), n);
    return result;
  }

 private:
  ClassId class_of(NodeId n) const { return problem_.class_of(n); }

  // Every class begins with its greedy term.
  void seed(const Selection& start) {
    std::vector<uint32_t> seen(problem_.classes(), 0);
    for (uint32_t c = 0; c < problem_.classes(); ++c) {
      if (!start[ClassId(c)].valid() || work_ == 0) continue;
      Term term;
      std::vector<ClassId> open{ClassId(c)};
      while (!open.empty()) {
        const ClassId m = open.back();
        open.pop_back();
        if (seen[m.index()] == c + 1) continue;
        seen[m.index()] = c + 1;
        term.picks.push_back(start[m]);
        term.cost += problem_.cost(start[m]);
        const auto children = problem_.children(start[m]);
        open.insert(open.end(), children.begin(), children.end());
      }
      spend(term.picks.size());
      std::ranges::sort(term.picks, {}, [&](NodeId n) { return class_of(n); });
      terms_[c].push_back(std::move(term));
    }
  }

  void extend(ClassId c) {
    for (NodeId n : problem_.nodes_of(c)) {
      if (work_ == 0) return;
      std::vector<Term> partial{Term()};
      for (ClassId m : problem_.children(n)) partial = fold(partial, terms_[m.index()]);
      for (Term& term : partial) {
        const auto at = std::ranges::lower_bound(term.picks, c, {}, [&](NodeId k) { return class_of(k); });
        if (at != term.picks.end() && class_of(*at) == c) continue;  // a cycle
        term.picks.insert(at, n);
        term.cost += problem_.cost(n);
        terms_[c.index()].push_back(std::move(term));
      }
    }
    keep_best(terms_[c.index()]);
  }

  std::vector<Term> fold(const std::vector<Term>& some, const std::vector<Term>& more) {
    std::vector<Term> result;
    for (const Term& a : some) {
      for (const Term& b : more) {
        Term both;
        if (unite(a, b, both)) result.push_back(std::move(both));
      }
    }
    keep_best(result);
    return result;
  }

  bool unite(const Term& a, const Term& b, Term& both) {
    spend(a.picks.size() + b.picks.size());
    both.picks.reserve(a.picks.size() + b.picks.size());
    both.cost = a.cost;
    auto i = a.picks.begin();
    for (NodeId n : b.picks) {
      while (i != a.picks.end() && class_of(*i) < class_of(n)) both.picks.push_back(*i++);
      if (i != a.picks.end() && class_of(*i) == class_of(n)) {
        if (*i != n) return false;
        continue;
      }
      both.picks.push_back(n);
      both.cost += problem_.cost(n);
    }
    both.picks.insert(both.picks.end(), i, a.picks.end());
    return true;
  }

  void keep_best(std::vector<Term>& terms) const {
    std::ranges::stable_sort(terms, {}, &Term::cost);
    const auto rest = std::ranges::unique(terms, {}, &Term::picks);
    terms.erase(rest.begin(), rest.end());
    if (terms.size() > width_) terms.resize(width_);
  }
  void spend(size_t picks) { work_ -= std::min<uint64_t>(work_, picks); }

  const Problem& problem_;
  size_t width_;
  uint64_t work_;
  std::vector<std::vector<Term>> terms_;  // by class, cheapest first
};

}  // namespace

Selection beam(const Problem& problem, size_t width, uint64_t work) {
  return Beam(problem, std::max<size_t>(width, 1), work).run();
}

}  // namespace isomer::extract
