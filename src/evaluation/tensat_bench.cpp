#include "evaluation/tensat_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "formats/sexpr/sexpr.h"
#include "ir/op_table.h"
#include "published/tensat.h"
#include "recipes/rule_files.h"
#include "recipes/taso.h"
#include "recipes/weight_costs.h"

namespace isomer::evaluation {
namespace {

constexpr const char* kModels[] = {"nasrnn",     "bert", "resnext50",   "nasneta",
                                   "squeezenet", "vgg",  "inceptionv3", "resnet50"};
constexpr double kCheckSeconds = 60;
constexpr const char* kAblationModels[] = {"bert", "nasrnn", "nasneta"};

/// A start graph with the rules, read anew for each run: contexts grow.
struct Workload {
  ir::Context ctx;
  ir::Graph graph;
  rewrite::RuleSet rules;
  std::shared_ptr<cost::CostModel> costs;

  Workload(const TensatBenchOptions& options, const std::string& model)
      : ctx(ir::standard_ops()),
        graph(formats::read_sexpr_file(ctx, fmt::format("{}/{}.dag", options.graphs, model))),
        rules(recipes::tensat_rules(ctx.ops(), recipes::rules_folder(), options.rules)),
        costs(options.costs ? options.costs(graph) : std::shared_ptr(cost::make_cost_model(options.cost))) {}
};

class Samples {
 public:
  void add(double x) { values_.push_back(x); }
  Seconds summary() const {
    Seconds out;
    const double n = static_cast<double>(values_.size());
    for (double x : values_) out.mean += x / n;
    double squares = 0;
    for (double x : values_) squares += (x - out.mean) * (x - out.mean);
    out.error = values_.size() < 2 ? 0 : std::sqrt(squares / (n - 1) / n);
    return out;
  }

 private:
  std::vector<double> values_;
};

/// Per cent; sums in another order are no slow-down.
double speedup(double start, double cost) {
  const double s = 100 * (start / cost - 1);
  return std::abs(s) < 1e-9 ? 0 : s;
}

template <class Default>
std::vector<std::string> chosen(const TensatBenchOptions& options, const Default& all) {
  std::vector<std::string> out(std::begin(all), std::end(all));
  if (!options.models.empty())
    std::erase_if(out, [&](const std::string& m) {
      return std::ranges::find(options.models, m) == options.models.end();
    });
  return out;
}

/// What a program costs once operators on weights alone are folded away.
double folded_cost(const Workload& work, const ir::Graph& graph) {
  rewrite::TensorEGraph alone(graph);
  rewrite::ExtractOptions pick;
  pick.extractor = extract::Extractor::kTreeGreedy;  // one program in there: any extractor finds it
  return rewrite::extract(alone, rewrite::Alternatives(alone), *work.costs, pick).cost;
}

recipes::TensatOptions recipe(const TensatBenchOptions& options, const Workload& work, int k_multi) {
  recipes::TensatOptions out;
  out.weights_free = false;
  out.model = work.costs;
  out.k_multi = static_cast<uint32_t>(k_multi);
  out.seconds = options.ilp_seconds;
  out.cpu_clock = true;
  out.stop = options.stop;
  return out;
}

recipes::WholeProgram whole(const recipes::WholeProgramOptions& how, const ir::Graph& start,
                            const ir::Graph& found) {
  return recipes::run_whole(std::array{start, found}, how)[1];
}

/// Compares, and keeps the worse of what is known and what is seen.
void check(std::optional<recipes::FoundCheck>& known, const TensatBenchOptions& options,
           const ir::Graph& start, const ir::Graph& found) {
  if (!options.check || options.stop.requested()) return;
  const recipes::FoundCheck seen = recipes::check_found(start, found, kCheckSeconds, options.stop);
  if (known)
    known->keep_worse(seen);
  else
    known = seen;
}

TensatRow run_rows(const TensatBenchOptions& options, const std::string& model, int k_multi, int repeats,
                   bool weights_free = false) {
  TensatRow row;
  row.weights_free = weights_free;
  row.model = model;
  row.k_multi = k_multi;
  Samples exploration, extraction, total;
  for (int i = 0; i < repeats && !options.stop.requested(); ++i) {
    Workload w(options, model);
    recipes::TensatOptions how = recipe(options, w, k_multi);
    how.weights_free = weights_free;
    if (options.costs) recipes::run_tensat(w.graph, w.rules, how);  // measuring is no part of the times
    const recipes::TensatResult r = recipes::run_tensat(w.graph, w.rules, how);
    row.start = folded_cost(w, w.graph);
    row.cost = folded_cost(w, r.graph);
    if (options.whole && i == 0) row.whole = whole(*options.whole, w.graph, r.graph);
    if (i == 0) check(row.check, options, w.graph, r.graph);
    row.gap = r.cost > 0 ? (r.cost - r.bound) / r.cost : 0;
    row.speedup = speedup(row.start, row.cost);
    row.optimal = r.optimal;
    row.e_nodes = r.exploration.tensat_nodes;
    row.iterations = r.exploration.iterations;
    row.stop = to_string(r.exploration.stop_reason);
    exploration.add(r.exploration.cpu_seconds);
    extraction.add(r.extraction.cpu_seconds);
    total.add(r.exploration.cpu_seconds + r.extraction.cpu_seconds);
  }
  row.exploration = exploration.summary();
  row.extraction = extraction.summary();
  row.total = total.summary();
  return row;
}

recipes::TasoOptions taso_recipe(const TensatBenchOptions& options, const Workload& work, double alpha,
                                 uint64_t budget, bool weights_free) {
  recipes::TasoOptions out;
  out.weights_free = weights_free;
  out.model = work.costs;
  out.alpha = alpha;
  out.budget = budget;
  out.limits.seconds = options.exploration_seconds;
  out.limits.stop = options.stop;
  return out;
}

TasoRow run_taso_rows(const TensatBenchOptions& options, const std::string& model, double alpha, int budget,
                      int repeats, bool weights_free = false) {
  TasoRow row;
  row.weights_free = weights_free;
  row.model = model;
  row.alpha = alpha;
  row.budget = static_cast<uint64_t>(budget);
  Samples total, to_best;
  for (int i = 0; i < repeats && !options.stop.requested(); ++i) {
    Workload w(options, model);
    row.start = folded_cost(w, w.graph);
    const recipes::TasoOptions how = taso_recipe(options, w, alpha, row.budget, weights_free);
    if (options.costs) recipes::run_taso(w.graph, w.rules, how);
    const recipes::TasoResult r = recipes::run_taso(w.graph, w.rules, how);
    row.cost = folded_cost(w, r.graph);
    if (options.whole && i == 0 && alpha == 1 && budget == 100 && !weights_free)
      row.whole = whole(*options.whole, w.graph, r.graph);
    if (i == 0) check(row.check, options, w.graph, r.graph);
    row.speedup = speedup(row.start, row.cost);
    row.expanded = r.expanded;
    row.held = r.held;
    total.add(r.cpu_seconds);
    to_best.add(r.seconds > 0 ? r.cpu_seconds * r.seconds_to_best / r.seconds : 0);
  }
  row.total = total.summary();
  row.to_best = to_best.summary();
  return row;
}

/// An e-graph explored under a cycle mode, ready for several extractors.
struct Explored {
  Workload work;
  rewrite::TensorEGraph program;
  rewrite::Saturation saturation;
  rewrite::SaturateReport report;

  Explored(const TensatBenchOptions& options, const std::string& model, int k_multi,
           rewrite::CycleMode cycles)
      : work(options, model), program(work.graph), saturation(program, work.rules) {
    rewrite::SaturateOptions explore;
    explore.limits.nodes = 50'000;
    explore.limits.iterations = 15;
    explore.limits.seconds = options.exploration_seconds;
    explore.limits.stop = options.stop;
    explore.limit_by_tensat_count = true;
    explore.k_multi = static_cast<uint32_t>(k_multi);
    explore.cycles = cycles;
    report = saturation.run(explore);
  }

  rewrite::TensorExtraction pick(const TensatBenchOptions& options, extract::Extractor extractor) const {
    const std::unique_ptr<cost::CostModel> model = recipes::cost_model_with_weights(work.costs, false);
    rewrite::ExtractOptions pick;
    pick.extractor = extractor;
    pick.limits.seconds = options.ilp_seconds;
    pick.cpu_clock = true;
    pick.limits.stop = options.stop;
    pick.prices.weights_free = false;
    return rewrite::extract(program, saturation.alternatives(), *model, pick);
  }
};

CycleRow::Solve solve(const Explored& from, const TensatBenchOptions& options, extract::Extractor extractor) {
  const rewrite::TensorExtraction e = from.pick(options, extractor);
  CycleRow::Solve out{e.cpu_seconds, e.cost, e.bound, e.optimal, e.found};
  if (e.found) check(out.check, options, from.work.graph, e.graph);
  return out;
}

}  // namespace

MainTable main_table(const TensatBenchOptions& options) {
  MainTable out;
  for (const std::string& model : chosen(options, kModels)) {
    const published::tensat::Model* reported = published::tensat::model_of(model);
    const int k_multi = reported != nullptr ? reported->k_multi : 1;
    out.tensat.push_back(run_rows(options, model, 1, options.repeats));
    if (k_multi > 1) out.tensat.push_back(run_rows(options, model, k_multi, options.repeats));
    out.taso.push_back(run_taso_rows(options, model, 1.0, 100, options.repeats));
    out.taso.push_back(run_taso_rows(options, model, 1.05, 100, options.repeats));
    out.taso.push_back(run_taso_rows(options, model, 1.0, options.taso_budget, 1));
    out.tensat.push_back(run_rows(options, model, k_multi, options.repeats, true));
    out.taso.push_back(run_taso_rows(options, model, 1.0, 100, options.repeats, true));
  }
  return out;
}

std::vector<ExtractorRow> extractor_table(const TensatBenchOptions& options) {
  std::vector<ExtractorRow> out;
  for (const std::string& model : chosen(options, kAblationModels)) {
    const Explored explored(options, model, 1, rewrite::CycleMode::kEfficient);
    ExtractorRow row;
    const auto graph_cost = [&](extract::Extractor extractor) {
      const ir::Graph found = explored.pick(options, extractor).graph;
      check(row.check, options, explored.work.graph, found);
      return folded_cost(explored.work, found);
    };
    row.model = model;
    row.original = folded_cost(explored.work, explored.work.graph);
    row.greedy = graph_cost(extract::Extractor::kTreeGreedy);
    row.ilp = graph_cost(extract::Extractor::kIlp);
    out.push_back(std::move(row));
  }
  return out;
}

std::vector<CycleRow> cycle_table(const TensatBenchOptions& options) {
  std::vector<CycleRow> out;
  for (const std::string& model : chosen(options, kAblationModels))
    for (int k = 1; k <= 2 && !options.stop.requested(); ++k) {
      CycleRow row;
      row.model = model;
      row.k_multi = k;
      {
        const Explored cyclic(options, model, k, rewrite::CycleMode::kNone);
        row.real = solve(cyclic, options, extract::Extractor::kIlpTensat);
        row.integer = solve(cyclic, options, extract::Extractor::kIlpInteger);
        row.ours = solve(cyclic, options, extract::Extractor::kAuto);
      }
      const Explored efficient(options, model, k, rewrite::CycleMode::kEfficient);
      row.without = solve(efficient, options, extract::Extractor::kIlp);
      row.efficient = {efficient.report.cpu_seconds, efficient.report.tensat_nodes,
                       std::string(to_string(efficient.report.stop_reason))};
      const Explored vanilla(options, model, k, rewrite::CycleMode::kVanillaMulti);
      row.vanilla = {vanilla.report.cpu_seconds, vanilla.report.tensat_nodes,
                     std::string(to_string(vanilla.report.stop_reason))};
      out.push_back(row);
    }
  return out;
}

Curves speedup_over_time(const TensatBenchOptions& options, double seconds) {
  const std::string model = "inceptionv3";
  Curves out;
  double begin = thread_cpu_seconds(), best = 0;
  for (int k = 0; k <= options.most_k_multi && thread_cpu_seconds() - begin < seconds; ++k) {
    Workload w(options, model);
    recipes::TensatOptions run = recipe(options, w, k);
    run.weights_free = true;  // both optimizers minimise what is drawn
    run.seconds = std::max(0.1, seconds - (thread_cpu_seconds() - begin));
    const recipes::TensatResult r = recipes::run_tensat(w.graph, w.rules, run);
    best = std::max(best, speedup(folded_cost(w, w.graph), folded_cost(w, r.graph)));
    out.tensat.push_back({thread_cpu_seconds() - begin, best});
    const double checking = thread_cpu_seconds();  // no part of the times
    check(out.check, options, w.graph, r.graph);
    begin += thread_cpu_seconds() - checking;
  }
  Workload w(options, model);
  const double start = folded_cost(w, w.graph);
  recipes::TasoOptions taso = taso_recipe(options, w, 1.05, 1'000'000, true);
  taso.limits.seconds = seconds;
  begin = thread_cpu_seconds();
  taso.improved = [&](double cost, uint64_t) {
    out.taso.push_back({thread_cpu_seconds() - begin, speedup(start, cost)});
  };
  const recipes::TasoResult found = recipes::run_taso(w.graph, w.rules, taso);
  out.taso.push_back({thread_cpu_seconds() - begin, out.taso.empty() ? 0 : out.taso.back().speedup});
  check(out.check, options, w.graph, found.graph);
  return out;
}

std::vector<TensatRow> multi_pattern_table(const TensatBenchOptions& options) {
  std::vector<TensatRow> out;
  for (const std::string& model : chosen(options, kModels))
    for (int k = 0; k <= options.most_k_multi && !options.stop.requested(); ++k)
      out.push_back(run_rows(options, model, k, 1));
  return out;
}

}  // namespace isomer::evaluation
