// Monte Carlo tree search, step by step (mcts_tree.h has the search before each step), alone or as several
// trees that vote: root parallelisation (Chaslot, Winands and van den Herik, 2008). The trees are streams of
// their own with a fixed number of rollouts between votes, whatever number of threads runs them, so that the
// result depends on the seed, the number of trees and `at_once` alone.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "search/mcts_tree.h"

namespace isomer::search {

template <Problem P>
struct MctsResult {
  typename P::State last;  ///< where the steps lead
  double cost = 0;         ///< of it
  std::vector<MctsStep<typename P::Action>> steps{};
  double best = 0;                                       ///< least cost of any state that was met
  std::vector<typename P::Action> best_actions{};        ///< from the initial state to it
  std::vector<MctsTreeNode<typename P::Action>> tree{};  ///< the first stream's before the first step
  /// Of the first stream: in which of its rollouts a better cost was met.
  std::vector<std::pair<uint64_t, double>> improvements{};
  uint64_t rollouts = 0;
  uint64_t applications = 0;  ///< steps of the tree and of simulations
  StopReason stop_reason =
      StopReason::kRunning;             ///< kSaturated: no action changes anything; kNodeLimit: ended
  double seconds = 0, cpu_seconds = 0;  ///< of all threads
  double helper_seconds = 0;            ///< of the CPU's: on threads other than the calling one
};

/// The trees, and the threads that grow them.
template <Problem P>
class MctsTrees {
 public:
  using Opinion = typename Mcts<P>::Opinion;

  /// Streams of `rng`, or itself where there is one tree.
  MctsTrees(std::span<P* const> problems, const MctsOptions& options, Rng& rng, unsigned threads)
      : options_(options),
        crew_(static_cast<unsigned>(
            std::min<size_t>(std::max(threads, 1u), problems.size() / options.at_once))) {
    const size_t trees = problems.size() / options.at_once;
    const unsigned threads_of_tree = std::min(std::max(threads / crew_.threads(), 1u), options.at_once);
    for (size_t t = 0; t < trees; ++t)
      streams_.push_back(std::make_unique<Stream>(problems.subspan(t * options.at_once, options.at_once),
                                                  options, trees > 1 ? rng.split() : rng, threads_of_tree));
  }

  Mcts<P>& first() { return streams_[0]->tree; }
  const Rng& first_rng() const { return streams_[0]->rng; }
  uint64_t rollouts() const { return sum(&Mcts<P>::rollouts); }
  uint64_t applications() const { return sum(&Mcts<P>::applications); }
  double helper_seconds() const {
    double all = crew_.cpu_seconds();
    for (const auto& s : streams_) all += s->crew.cpu_seconds();
    return all;
  }

  void search() {
    each([](Stream& s) { s.tree.search(s.watch); });
  }
  void take(const typename P::Action& action) {
    each([&](Stream& s) { s.tree.take(action); });
  }
  bool any_closed() {
    return std::ranges::any_of(streams_, [](const auto& s) { return s->tree.closed(); });
  }
  /// Of all trees on each action.
  std::vector<Opinion> votes() const {
    std::vector<Opinion> votes;
    for (const auto& s : streams_)
      for (const Opinion& o : s->tree.opinions()) {
        const auto known = std::ranges::find(votes, o.action, &Opinion::action);
        if (known == votes.end()) {
          votes.push_back(o);
          continue;
        }
        known->worth = options_.by_best ? std::max(known->worth, o.worth)
                                        : (known->worth * known->visits + o.worth * o.visits) /
                                              std::max(known->visits + o.visits, 1.0);
        known->visits += o.visits;
      }
    return votes;
  }
  /// Calls `better(tree)` for those that met something better than all before them and `best`.
  template <class Better>
  void each_better_than(const double& best, Better&& better) const {
    for (const auto& s : streams_)
      if (s->tree.best() < best) better(s->tree);
  }

 private:
  struct Stream {
    Stream(std::span<P* const> p, const MctsOptions& o, Rng r, unsigned threads)
        : rng(r), watch(o.limits), crew(threads), tree(p, o, rng, crew) {}
    Rng rng;
    LimitWatch watch;
    Crew crew;
    Mcts<P> tree;
  };

  template <class F>
  void each(F&& f) {
    crew_.run(streams_.size(), [&](size_t t) { f(*streams_[t]); });
  }
  uint64_t sum(uint64_t (Mcts<P>::*number)() const) const {
    uint64_t all = 0;
    for (const auto& s : streams_) all += (s->tree.*number)();
    return all;
  }

  const MctsOptions& options_;
  Crew crew_;
  std::vector<std::unique_ptr<Stream>> streams_;
};

/// A tree for each `options.at_once` problems (which must be alike, and share nothing), grown by `threads`
/// threads. `improved(cost, rollouts)`: of the best state met. The same seed, trees and `at_once` give the
/// same result, unless a limit of time ends it.
template <Problem P>
MctsResult<P> mcts(std::span<P* const> problems, MctsOptions options, Rng& rng, unsigned threads,
                   const std::function<void(double, uint64_t)>& improved = {}) {
  REQUIRE(options.at_once > 0 && !problems.empty() && problems.size() % options.at_once == 0,
          "as many problems for each tree as it has rollouts at once");
  const double begin = wall_seconds(), cpu = thread_cpu_seconds();
  LimitWatch watch(options.limits);
  if (options.limits.nodes != Limits().nodes) options.limits.nodes /= problems.size() / options.at_once;
  MctsTrees<P> trees(problems, options, rng, threads);
  Mcts<P>& first = trees.first();
  const auto cpu_seconds = [&] { return thread_cpu_seconds() - cpu + trees.helper_seconds(); };

  MctsResult<P> result{first.root()};
  result.best = first.best();
  while (result.stop_reason == StopReason::kRunning) {
    if (first.ended()) {
      result.stop_reason = StopReason::kNodeLimit;
      break;
    }
    const uint64_t before = trees.rollouts();
    result.stop_reason = watch.check_now(before, result.steps.size() + 1);
    if (result.stop_reason != StopReason::kRunning) break;
    trees.search();
    if (options.keep_tree > 0 && result.tree.empty()) result.tree = first.picture(options.keep_tree);
    trees.each_better_than(result.best, [&](const Mcts<P>& tree) {
      result.best = tree.best();
      result.best_actions = tree.best_actions();
      if (improved) improved(result.best, trees.rollouts());
    });
    const auto votes = trees.votes();
    const bool closed = trees.any_closed();  // looks for what is untried, which draws: asked at every step
    if (votes.empty()) {
      if (!closed) continue;  // what has been tried changes nothing, but not all has been tried
      result.stop_reason = StopReason::kSaturated;
      break;
    }
    const auto chosen = *std::ranges::max_element(votes, {}, &MctsTrees<P>::Opinion::worth);
    MctsStep<typename P::Action> step = first.summary();
    trees.take(chosen.action);
    step.action = chosen.action;
    step.worth = chosen.worth;
    step.cost = first.root_cost();
    step.rollouts = trees.rollouts() - before;
    step.cpu_seconds = cpu_seconds();
    result.steps.push_back(std::move(step));
  }
  result.last = first.root();
  result.cost = first.root_cost();
  if (first.best() < result.best) {
    result.best = first.best();
    result.best_actions = first.best_actions();
  }
  for (const auto& i : first.improvements()) result.improvements.emplace_back(i.rollout, i.cost);
  result.rollouts = trees.rollouts();
  result.applications = trees.applications();
  rng = trees.first_rng();
  result.seconds = wall_seconds() - begin;
  result.cpu_seconds = cpu_seconds();
  result.helper_seconds = trees.helper_seconds();
  return result;
}

/// One tree, one rollout at a time.
template <Problem P>
MctsResult<P> mcts(P& problem, const MctsOptions& options, Rng& rng,
                   const std::function<void(double, uint64_t)>& improved = {}) {
  P* const one[] = {&problem};
  return mcts(std::span<P* const>(one), options, rng, 1, improved);
}

}  // namespace isomer::search
