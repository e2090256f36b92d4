// The binding of the environment for reinforcement learning: episodes side by side are stepped in one call,
// into arrays that stay where they are and are handed out as views. Gymnasium's side of it is isomer/envs.py.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <span>

#include "recipes/learning.h"
#include "support/crew.h"
#include "support/errors.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace isomer::python {
namespace {

using problems::Environment;

class Episodes {
 public:
  /// The episodes are dealt out to `threads` environments that share nothing: each is stepped by one thread.
  Episodes(const std::string& model, size_t count, const std::map<std::string, int64_t>& dims,
           const std::string& cost, const std::string& rules, const std::string& extraction,
           size_t node_limit, uint32_t max_steps, size_t cache_bytes, size_t graph_nodes, size_t graph_edges,
           size_t threads, uint32_t regions)
      : nodes_(graph_nodes), edges_(graph_edges) {
    if (count == 0 || threads == 0 || max_steps == 0)
      throw UsageError("episodes, threads and max_steps are at least 1");
    threads = std::min(threads, count);
    for (size_t t = 0; t < threads; ++t) {
      first_.push_back(count * t / threads);
      workers_.push_back(std::make_unique<recipes::LearningEnvironment>(recipes::LearningOptions{
          .model = model,
          .dims = dims,
          .cost = cost,
          .rules = recipes::learning_rules(rules),
          .extraction = recipes::learning_extraction(extraction),
          .node_limit = node_limit,
          .regions = regions,
          .episodes = count * (t + 1) / threads - first_.back(),
          .environment = {
              .max_steps = max_steps, .cache_bytes = cache_bytes / threads, .graph = graph_nodes > 0}}));
    }
    first_.push_back(count);
    const size_t actions = any().actions();
    rules_.resize(count * actions * Environment::kRuleColumns);
    egraph_.resize(count * Environment::kEGraphColumns);
    cost_.resize(count * Environment::kCostColumns);
    mask_.resize(count * actions);
    reward_.resize(count);
    terminated_.resize(count);
    truncated_.resize(count);
    graph_.resize(count * nodes_ * 3);
    prices_.resize(count * nodes_);
    graph_edges_.resize(count * edges_ * 2);
    sizes_.resize(count * 2);
    for (size_t e = 0; e < count; ++e) look(e);
  }

  Episodes(const Episodes&) = delete;
  Episodes& operator=(const Episodes&) = delete;

  /// What is the same for all.
  Environment& any() { return workers_[0]->environment(); }
  recipes::LearningEnvironment& learning() { return *workers_[0]; }
  size_t workers() const { return workers_.size(); }
  Environment& worker(size_t t) { return workers_[t]->environment(); }
  /// The environment of an episode, and its number there.
  std::pair<Environment&, size_t> at(size_t e) {
    if (e >= reward_.size()) throw UsageError("there is no such episode");
    const auto t = static_cast<size_t>(std::ranges::upper_bound(first_, e) - first_.begin() - 1);
    return {worker(t), e - first_[t]};
  }

  void reset(size_t e) {
    const auto [environment, number] = at(e);
    environment.reset(number);
    reward_[e] = 0;
    terminated_[e] = truncated_[e] = false;
    look(e);
  }

  /// Those that have ended are begun anew instead (Gymnasium's next-step autoreset).
  using Actions = nb::ndarray<const int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
  void step(const Actions& given) {
    if (given.size() != reward_.size()) throw UsageError("one action for each episode");
    const std::span<const int64_t> actions(given.data(), given.size());
    for (int64_t a : actions)
      if (a < 0 || static_cast<size_t>(a) >= any().actions()) throw UsageError("there is no such action");
    const nb::gil_scoped_release unlocked;
    if (!crew_) crew_.emplace(static_cast<unsigned>(workers()));
    crew_->run(workers(), [&](size_t t) {
      for (size_t e = first_[t]; e < first_[t + 1]; ++e) advance(e, static_cast<uint32_t>(actions[e]));
    });
  }

  template <class T>
  static nb::ndarray<nb::numpy, T> view(std::vector<T>& data, std::initializer_list<size_t> shape,
                                        nb::handle owner) {
    return nb::ndarray<nb::numpy, T>(data.data(), shape, owner);
  }
  nb::dict arrays(nb::handle self) {
    const size_t n = reward_.size(), a = any().actions();
    nb::dict out;
    out["rules"] = view(rules_, {n, a, Environment::kRuleColumns}, self);
    out["egraph"] = view(egraph_, {n, Environment::kEGraphColumns}, self);
    out["cost"] = view(cost_, {n, Environment::kCostColumns}, self);
    out["mask"] = view(mask_, {n, a}, self);
    out["reward"] = view(reward_, {n}, self);
    out["terminated"] = view(terminated_, {n}, self);
    out["truncated"] = view(truncated_, {n}, self);
    if (nodes_ > 0) {
      out["nodes"] = view(graph_, {n, nodes_, 3}, self);
      out["prices"] = view(prices_, {n, nodes_}, self);
      out["edges"] = view(graph_edges_, {n, edges_, 2}, self);
      out["sizes"] = view(sizes_, {n, 2}, self);
    }
    return out;
  }

 private:
  template <class T>
  std::span<T> part(std::vector<T>& of, size_t e) {
    const size_t size = of.size() / reward_.size();
    return std::span(of).subspan(e * size, size);
  }
  void advance(size_t e, uint32_t action) {
    if (terminated_[e] || truncated_[e]) {
      reset(e);
      return;
    }
    const auto [environment, number] = at(e);
    const Environment::Outcome out = environment.step(number, action);
    reward_[e] = out.reward;
    terminated_[e] = out.terminated;
    truncated_[e] = out.truncated;
    look(e);
  }
  void look(size_t e) {
    const auto [environment, number] = at(e);
    environment.observe(number, part(rules_, e), part(egraph_, e), part(cost_, e));
    environment.mask(number, part(mask_, e));
    if (nodes_ == 0) return;
    const auto [nodes, edges] =
        environment.graph(number, part(graph_, e), part(prices_, e), part(graph_edges_, e));
    sizes_[2 * e] = static_cast<int32_t>(nodes);
    sizes_[2 * e + 1] = static_cast<int32_t>(edges);
  }

  std::vector<std::unique_ptr<recipes::LearningEnvironment>> workers_;
  std::optional<Crew> crew_;   ///< since the first step
  std::vector<size_t> first_;  ///< episode of each worker, and the count
  size_t nodes_, edges_;
  std::vector<float> rules_, egraph_, cost_, prices_;
  std::vector<int8_t> mask_;
  std::vector<double> reward_;
  std::vector<uint8_t> terminated_, truncated_;
  std::vector<int32_t> graph_, graph_edges_, sizes_;
};

}  // namespace

void bind_learning(nb::module_& m) {
  nb::class_<Episodes>(m, "Episodes", "Episodes of growing an e-graph, side by side.")
      .def(nb::init<const std::string&, size_t, const std::map<std::string, int64_t>&, const std::string&,
                    const std::string&, const std::string&, size_t, uint32_t, size_t, size_t, size_t, size_t,
                    uint32_t>(),
           "model"_a, "count"_a, "dims"_a, "cost"_a, "rules"_a, "extraction"_a, "node_limit"_a, "max_steps"_a,
           "cache_bytes"_a, "graph_nodes"_a, "graph_edges"_a, "threads"_a, "regions"_a)
      .def("reset", &Episodes::reset, "episode"_a)
      .def("step", &Episodes::step, "actions"_a)
      .def("arrays", [](nb::handle self) { return nb::cast<Episodes&>(self).arrays(self); })
      .def("cost", [](Episodes& e, size_t i) { return e.at(i).first.cost(e.at(i).second); })
      .def("best", [](Episodes& e, size_t i) { return e.at(i).first.best(e.at(i).second); })
      .def("nodes", [](Episodes& e, size_t i) { return e.at(i).first.nodes(e.at(i).second); })
      .def("taken", [](Episodes& e, size_t i) { return e.at(i).first.taken(e.at(i).second); })
      .def("extract",
           [](Episodes& e, size_t i, double seconds) {
             const auto [environment, number] = e.at(i);
             const Environment::Exact x = environment.extract(number, seconds);
             nb::dict out;
             out["cost"] = x.cost;
             out["bound"] = x.bound;
             out["optimal"] = x.optimal;
             return out;
           })
      .def("statistics",
           [](Episodes& e) {
             Environment::Statistics s;
             for (size_t t = 0; t < e.workers(); ++t) {
               const Environment::Statistics& of = e.worker(t).statistics();
               s.steps += of.steps;
               s.looked_up += of.looked_up;
               s.states += of.states;
               s.bytes += of.bytes;
             }
             nb::dict out;
             out["steps"] = s.steps;
             out["looked_up"] = s.looked_up;
             out["states"] = s.states;
             out["bytes"] = s.bytes;
             return out;
           })
      .def_prop_ro("start_cost", [](Episodes& e) { return e.any().start_cost(); })
      .def_prop_ro("rule_names", [](Episodes& e) { return e.learning().rule_names(); })
      .def_prop_ro("operator_names", [](Episodes& e) { return e.learning().operator_names(); });
}

}  // namespace isomer::python
