#include "problems/rewrite_graph.h"

#include <algorithm>

#include "support/hash.h"

namespace isomer::problems {

using rewrite::DagTermId;

/// What is known of each term while the actions of one state are looked at: uses in the state, and which
/// terms are alive. Trials change it and put it back.
struct RewriteGraph::Scratch {
  struct Undo {
    DagTermId term;
    uint32_t uses;
    bool alive;
  };
  explicit Scratch(const RewriteGraph& problem) : problem(problem) {}
  const RewriteGraph& problem;
  std::vector<uint32_t> uses;
  std::vector<bool> alive;
  std::vector<Undo> undo;
  std::vector<uint64_t> hash;  ///< of terms above a replacement; 0: unchanged
  std::vector<uint64_t> below;
  std::vector<bool> seen;
  double cost = 0;
  std::vector<DagTermId> now;  ///< of a step

  /// Holds a state's terms for as long as its actions are looked at. The table may be far larger than a
  /// state: nothing here is done for all of it.
  void enter(const State& state) {
    const size_t size = problem.dag_.size();
    if (uses.size() < size) {
      uses.resize(size);
      alive.resize(size);
      hash.resize(size);
      seen.resize(size);
    }
    for (DagTermId t : state.terms) {
      alive[t] = true;
      for (DagTermId c : problem.dag_.children(t)) ++uses[c];
    }
    for (DagTermId r : state.roots) ++uses[r];
  }
  void leave(const State& state) {
    for (DagTermId t : state.terms) {
      alive[t] = false;
      uses[t] = 0;
    }
  }

  void note(DagTermId t) { undo.push_back({t, uses[t], alive[t]}); }
  void acquire(DagTermId t, uint32_t count) {
    note(t);
    uses[t] += count;
    if (alive[t]) return;
    alive[t] = true;
    cost += problem.dag_.cost(t);
    for (DagTermId c : problem.dag_.children(t)) acquire(c, 1);
  }
  void release_if_unused(DagTermId t) {
    if (uses[t] > 0 || !alive[t]) return;
    note(t);
    alive[t] = false;
    cost -= problem.dag_.cost(t);
    for (DagTermId c : problem.dag_.children(t)) {
      note(c);
      --uses[c];
      release_if_unused(c);
    }
  }
  void restore() {
    for (; !undo.empty(); undo.pop_back()) {
      uses[undo.back().term] = undo.back().uses;
      alive[undo.back().term] = undo.back().alive;
    }
  }
  /// Is `t` or anything below it one of `targets`?
  bool reaches(DagTermId t, const std::vector<DagTermId>& targets, DagTermId least,
               std::vector<DagTermId>& visited) {
    if (t < least || seen[t]) return false;
    if (std::find(targets.begin(), targets.end(), t) != targets.end()) return true;
    seen[t] = true;
    visited.push_back(t);
    const auto children = problem.dag_.children(t);
    return std::any_of(children.begin(), children.end(),
                       [&](DagTermId c) { return reaches(c, targets, least, visited); });
  }
  bool any_reaches(const std::vector<DagTermId>& from, const std::vector<DagTermId>& targets) {
    const DagTermId least = *std::min_element(targets.begin(), targets.end());
    std::vector<DagTermId> visited;
    const bool found = std::any_of(from.begin(), from.end(),
                                   [&](DagTermId t) { return reaches(t, targets, least, visited); });
    for (DagTermId t : visited) seen[t] = false;
    return found;
  }
};

RewriteGraph::RewriteGraph(const ir::Graph& graph, const rewrite::RuleSet& rules, cost::CostModel& model,
                           RewriteGraphOptions options)
    : options_(std::move(options)),
      dag_(graph, rules, model,
           options_.free_when_made.empty() ? ir::OpId() : graph.context().ops().at(options_.free_when_made)),
      scratch_(std::make_unique<Scratch>(*this)) {}
RewriteGraph::~RewriteGraph() = default;

RewriteGraph::State RewriteGraph::make(std::vector<DagTermId> roots) {
  State s;
  s.terms = dag_.reachable(roots);
  for (DagTermId t : s.terms) s.cost += dag_.cost(t);
  for (DagTermId r : roots) s.key = hash_combine(s.key, dag_.deep_hash(r));
  s.roots = std::move(roots);
  return s;
}

RewriteGraph::State RewriteGraph::initial() { return make(dag_.source_roots()); }

bool RewriteGraph::allowed(const rewrite::TermDag::Match& match, Scratch& scratch) const {
  // Two roots that are replaced together must not lie on the way to each other.
  if (match.roots.size() > 1 && scratch.any_reaches(match.variables, match.roots)) return false;
  if (!options_.interior_unused) return true;
  for (DagTermId inner : match.matched) {
    if (std::find(match.roots.begin(), match.roots.end(), inner) != match.roots.end()) continue;
    uint32_t inside = 0;
    for (DagTermId m : match.matched)
      for (DagTermId c : dag_.children(m)) inside += c == inner;
    if (scratch.uses[inner] != inside) return false;
  }
  return true;
}

search::Preview RewriteGraph::look_ahead(const State& state, const rewrite::TermDag::Match& match,
                                         Scratch& scratch) const {
  scratch.cost = state.cost;
  std::vector<uint32_t> moved;
  for (DagTermId r : match.roots) {
    scratch.note(r);
    moved.push_back(scratch.uses[r]);
    scratch.uses[r] = 0;
  }
  for (size_t i = 0; i < moved.size(); ++i) scratch.acquire(match.results[i], moved[i]);
  for (DagTermId r : match.roots) scratch.release_if_unused(r);
  scratch.restore();

  std::vector<DagTermId> changed;
  for (size_t i = 0; i < match.roots.size(); ++i) {
    scratch.hash[match.roots[i]] = dag_.deep_hash(match.results[i]);
    changed.push_back(match.roots[i]);
  }
  const DagTermId least = *std::min_element(match.roots.begin(), match.roots.end());
  for (auto it = std::upper_bound(state.terms.begin(), state.terms.end(), least); it != state.terms.end();
       ++it) {
    if (scratch.hash[*it] != 0) continue;
    const auto children = dag_.children(*it);
    if (std::none_of(children.begin(), children.end(), [&](DagTermId c) { return scratch.hash[c] != 0; }))
      continue;
    scratch.below.clear();
    for (DagTermId c : children)
      scratch.below.push_back(scratch.hash[c] != 0 ? scratch.hash[c] : dag_.deep_hash(c));
    scratch.hash[*it] = dag_.deep_hash(*it, scratch.below);
    changed.push_back(*it);
  }
  uint64_t key = 0;
  for (DagTermId r : state.roots)
    key = hash_combine(key, scratch.hash[r] != 0 ? scratch.hash[r] : dag_.deep_hash(r));
  for (DagTermId t : changed) scratch.hash[t] = 0;
  return {scratch.cost, key};
}

std::vector<RewriteGraph::Action> RewriteGraph::actions(const State& state) {
  // Matching makes right sides, so it comes before anything is sized by the table.
  const std::vector<const rewrite::TermDag::Match*> matches = dag_.all_matches(state.terms);

  Scratch& scratch = *scratch_;
  scratch.enter(state);
  std::vector<Action> out;
  for (const rewrite::TermDag::Match* m : matches)
    if (allowed(*m, scratch)) out.push_back({m->rule, m->roots, m->results, look_ahead(state, *m, scratch)});
  scratch.leave(state);
  return out;
}

RewriteGraph::State RewriteGraph::step(const State& state, const Action& action) {
  std::vector<DagTermId>& now = scratch_->now;
  if (now.size() < dag_.size()) now.resize(dag_.size());  // of the state's terms, all of which are set below
  std::vector<DagTermId> children;
  for (DagTermId t : state.terms) {
    now[t] = t;
    if (const auto at = std::find(action.roots.begin(), action.roots.end(), t); at != action.roots.end()) {
      now[t] = action.results[static_cast<size_t>(at - action.roots.begin())];
      continue;
    }
    children.clear();
    bool changed = false;
    for (DagTermId c : dag_.children(t)) {
      children.push_back(now[c]);
      changed = changed || now[c] != c;
    }
    if (changed) now[t] = dag_.with_children(t, children);
  }
  std::vector<DagTermId> roots;
  for (DagTermId r : state.roots) roots.push_back(now[r]);
  return make(std::move(roots));
}

}  // namespace isomer::problems
