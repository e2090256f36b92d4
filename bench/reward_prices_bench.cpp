// reward_prices_bench MODEL.onnx [PROFILE [SEED]]: what it costs that a tree search's rewards are
// priced otherwise than the extraction that follows. A reward sees of an operand its type and whether it is a
// weight (problems/build_egraph.cpp); the extraction also sees what made it, so that what a runtime computes
// within its producer costs next to nothing (rewrite/node_prices.h, cost/runtime_fusion.h).
//
// E-graphs that random walks and a tree search meet are priced both ways; prices are the profile's roofline
// with the runtime's fusions, so that figures are the same on every machine. One JSON object:
//   states           distinct e-graphs that were priced
//   start, least     milliseconds by the extraction: of the e-graph that the search begins with (operators
//                    joined once, as in `isomer optimize`), of the best one that was met
//   rewards, priced  {agreement, loss, found}: of rewards as they are, and of the same cost function by the
//                    extraction's prices. agreement: Kendall's tau-b with the extraction's costs (null where
//                    one of the two says the same of all); loss: by how much more than `least` the e-graph
//                    costs that looks cheapest; found: what a tree search with these rewards leads to
//   proved           all extractions ended with a proof
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cost/flops.h"
#include "cost/roofline.h"
#include "cost/runtime_fusion.h"
#include "egraph/order.h"
#include "ir/op_table.h"
#include "problems/build_egraph.h"
#include "recipes/load.h"
#include "recipes/mcts.h"
#include "recipes/rule_files.h"
#include "recipes/spellable.h"
#include "rewrite/node_prices.h"
#include "rewrite/rule_parser.h"
#include "rewrite/tensor_extract.h"
#include "search/mcts.h"
#include "support/errors.h"

namespace {

using namespace isomer;
using problems::BuildEGraph;

/// A roofline that knows what a runtime fuses, as measured costs do (runtime/measured_cost.cpp).
class FusedRoofline final : public cost::CostModel {
 public:
  explicit FusedRoofline(const cost::DeviceProfile& profile) : profile_(profile), plain_(profile) {}
  std::string name() const override { return "roofline with fusions"; }
  double cost(const cost::NodeCostQuery& query) override {
    constexpr double kNextToNothing = 1e-3, kView = 0.3;  // of a launch
    const ir::OpDef& def = query.op.op;
    if (query.operands_are_weights || def.kind == ir::MeaningKind::kLeaf ||
        def.kind == ir::MeaningKind::kTuple || def.name == "broadcast" || def.name == "shape")
      return 0;
    if (cost::is_absorbed(query)) return kNextToNothing * profile_.overhead_ms;
    const double bytes = cost::converted_bytes(query);
    const double conversion = bytes > 0 ? profile_.overhead_ms + 2e3 * bytes / profile_.bytes_per_second : 0;
    return conversion + (cost::is_view(def) ? kView * profile_.overhead_ms : plain_.cost(query));
  }

 private:
  cost::DeviceProfile profile_;
  cost::RooflineCost plain_;
};

/// The same problem, rewards by the extraction's prices.
class Repriced : public BuildEGraph {
 public:
  Repriced(const ir::Graph& graph, const rewrite::RuleSet& rules, cost::CostModel& model,
           const problems::BuildEGraphOptions& options, const rewrite::EGraph* start)
      : BuildEGraph(graph, rules, model, options, start), model_(model) {}

  State initial() {
    State s = BuildEGraph::initial();
    s.cost = price(s);
    return s;
  }
  bool advance(State& state, Action action) { return advance(state, action, state); }
  bool advance(const State& from, Action action, State& to) {
    if (!BuildEGraph::advance(from, action, to)) return false;
    to.cost = price(to);
    return true;
  }
  State step(const State& state, Action action) {
    State to = BuildEGraph::step(state, action);
    to.cost = price(to);
    return to;
  }

  /// By the cost function that rewards have, from nothing.
  double price(const State& state) const {
    const rewrite::EGraph& g = state.graph;
    ir::Context& ctx = context();
    const rewrite::NodePrices of(g, ctx);
    problems::Prices prices(g.slots(), kNever);
    for (size_t i = 0; i < g.slots(); ++i) {
      const egraph::NodeId n(i);
      if (!g.usable(n)) continue;
      const ir::OpDef& def = ctx.ops().get(ir::OpId(g.op(n)));
      if (g.data(g.class_of(n)).is_weight) {
        const bool known =
            std::ranges::all_of(g.children(n), [&](egraph::ClassId c) { return g.data(c).is_weight; });
        prices[i] = known && def.name != "input" ? 0 : kNever;
      } else if (def.kind == ir::MeaningKind::kLeaf || def.kind == ir::MeaningKind::kTuple) {
        prices[i] = 0;
      } else {
        of.with_query(n, [&](const cost::NodeCostQuery& query) { prices[i] = model_.cost(query); });
      }
    }
    problems::ProgramCost total(problems::Extraction::kSharingCorrected);
    problems::Costs costs;
    total.begin(g, egraph::children_first(g).classes, prices, costs);
    return total.total(roots(g), prices, costs);
  }

 private:
  static constexpr double kNever = std::numeric_limits<double>::infinity();
  cost::CostModel& model_;
};

/// A network with its rules; e-graphs grow from it as those of `isomer optimize --search mcts` do.
struct Workload {
  ir::Context ctx{ir::standard_ops()};
  recipes::Program program;
  rewrite::RuleSet rules;
  cost::DeviceProfile profile;
  FusedRoofline model;

  Workload(const std::string& path, const std::string& device)
      : program(recipes::load_program(ctx, path, {{"batch", 1}})),
        profile(*machine::find_device(device)->profile),
        model(profile) {
    for (const std::string& file : recipes::rule_files({.measured = true}))
      rules.append(rewrite::load_rules(ctx.ops(), file));
    std::erase_if(rules.rules,
                  [](const rewrite::Rule& r) { return r.stability == rewrite::Stability::kUnstable; });
  }
};

/// The program, operators joined once.
struct Grown {
  rewrite::TensorEGraph program;
  rewrite::Saturation saturation;
  explicit Grown(const Workload& work) : program(work.program.graph), saturation(program, work.rules) {
    rewrite::SaturateOptions groups;
    groups.limits.iterations = 0;
    groups.grouping = true;
    saturation.run(groups);
  }
};

struct Priced {
  double reward, priced, extracted;
};

struct Figures {
  std::optional<double> agreement;
  double loss = 0, found = 0;
};

/// Kendall's tau-b.
std::optional<double> agreement(const std::vector<Priced>& all, double Priced::* a) {
  constexpr double kSame = 1e-9;
  const auto order = [](double x, double y) {
    return std::abs(x - y) <= kSame * std::max(x, y) ? 0 : x < y ? -1 : 1;
  };
  double agree = 0, first = 0, second = 0;
  for (size_t i = 0; i < all.size(); ++i)
    for (size_t j = 0; j < i; ++j) {
      const int x = order(all[i].*a, all[j].*a), y = order(all[i].extracted, all[j].extracted);
      agree += x * y;
      first += x != 0;
      second += y != 0;
    }
  if (first == 0 || second == 0) return std::nullopt;
  return agree / std::sqrt(first * second);
}

double of_cheapest(const std::vector<Priced>& all, double Priced::* a) {
  return std::ranges::min_element(all, {}, a)->extracted;
}

std::string json(const Figures& f) {
  return fmt::format("{{\"agreement\": {}, \"loss\": {:.9g}, \"found\": {:.9g}}}",
                     f.agreement ? fmt::format("{:.4f}", *f.agreement) : "null", f.loss, f.found);
}

class Comparison {
 public:
  Comparison(const std::string& path, const std::string& device, uint64_t seed)
      : work_(path, device), seed_(seed), start_(work_) {
    building_.limit_by_tensat_count = false;
    constexpr size_t kRoom = 2000;
    building_.node_limit = building_.node_multi = start_.program.graph().live_nodes() + kRoom;
    building_.allow_unstable = true;
    building_.extraction = recipes::mcts_plus().main;
    problem_.emplace(work_.program.graph, work_.rules, work_.model, building_, &start_.program.graph());
    pricer_.emplace(work_.program.graph, work_.rules, work_.model, building_, &start_.program.graph());
  }

  void run(const std::string& name) {
    start_cost_ = price({}).extracted;
    walk();
    Figures rewards, priced;
    rewards.found = search<BuildEGraph>();
    priced.found = search<Repriced>();
    double least = std::min(rewards.found, priced.found);
    for (const Priced& p : all_) least = std::min(least, p.extracted);
    const auto fill = [&](Figures& f, double Priced::* a) {
      f.agreement = agreement(all_, a);
      f.loss = of_cheapest(all_, a) / least - 1;
    };
    fill(rewards, &Priced::reward);
    fill(priced, &Priced::priced);
    fmt::print(
        "{{\"network\": \"{}\", \"states\": {}, \"start\": {:.9g}, \"least\": {:.9g}, \"proved\": {}, "
        "\"rewards\": {}, \"priced\": {}}}\n",
        name, all_.size(), start_cost_, least, proved_, json(rewards), json(priced));
  }

 private:
  /// The e-graph that the steps lead to, by all three.
  Priced price(const std::vector<uint32_t>& steps) {
    BuildEGraph::State state = problem_->initial();
    for (const uint32_t a : steps) problem_->advance(state, a);
    if (const auto known = known_.find(state.key); known != known_.end()) return known->second;
    Priced out{state.cost, pricer_->price(state), extracted(steps)};
    known_.emplace(state.key, out);
    all_.push_back(out);
    return out;
  }

  /// What the exact extraction of `isomer optimize` says.
  double extracted(const std::vector<uint32_t>& steps) {
    Grown grown(work_);
    problem_->replay(steps, grown.program, grown.saturation.applier());
    rewrite::ExtractOptions options;
    constexpr double kSeconds = 20;
    options.limits.seconds = kSeconds;
    options.cpu_clock = true;
    options.weight_byte_cost = 0;
    options.allowed = recipes::spellable(grown.program, work_.program.dialect());
    const rewrite::TensorExtraction e =
        rewrite::extract(grown.program, grown.saturation.applier(), work_.model, options);
    proved_ = proved_ && e.optimal;
    return e.cost;
  }

  void walk() {
    constexpr int kWalks = 10, kSteps = 40, kEvery = 4;
    Rng rng(seed_);
    for (int w = 0; w < kWalks; ++w) {
      BuildEGraph::State state = problem_->initial();
      std::vector<uint32_t> steps;
      while (steps.size() < kSteps && !problem_->ended(state)) {
        std::vector<uint32_t> actions = problem_->actions(state);
        bool changed = false;
        while (!changed && !actions.empty()) {
          std::swap(actions[rng.below(actions.size())], actions.back());
          changed = problem_->advance(state, actions.back());
          if (changed) steps.push_back(actions.back());
          actions.pop_back();
        }
        if (!changed) break;
        if (steps.size() % kEvery == 0) price(steps);
      }
      price(steps);
    }
  }

  /// What is extracted after a tree search with the rewards of P.
  template <class P>
  double search() {
    P problem(work_.program.graph, work_.rules, work_.model, building_, &start_.program.graph());
    search::MctsOptions options = recipes::mcts_plus().search;
    options.budget = 16;
    options.limits.nodes = 128;  // rollouts
    Rng rng(seed_);
    const auto found = search::mcts(problem, options, rng);
    std::vector<uint32_t> steps;
    for (const auto& step : found.steps) steps.push_back(step.action);
    const double last = price(steps).extracted;
    return std::min(last, price(found.best_actions).extracted);
  }

  Workload work_;
  uint64_t seed_;
  Grown start_;
  problems::BuildEGraphOptions building_;
  std::optional<BuildEGraph> problem_;
  std::optional<Repriced> pricer_;
  std::map<uint64_t, Priced> known_;  ///< by key of the e-graph
  std::vector<Priced> all_;
  double start_cost_ = 0;
  bool proved_ = true;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: reward_prices_bench MODEL.onnx [PROFILE [SEED]]\n");
    return 2;
  }
  try {
    const std::string path = argv[1], device = argc > 2 ? argv[2] : "cpu";
    const std::string file = path.substr(path.find_last_of('/') + 1);
    Comparison(path, device, argc > 3 ? std::stoull(argv[3]) : 1).run(file.substr(0, file.find('.')));
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "reward_prices_bench: {}\n", error.what());
    return 3;
  }
}
