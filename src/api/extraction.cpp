#include "api/extraction.h"

#include <fmt/format.h>

#include <cmath>

#include "extract/check.h"
#include "extract/from_roots.h"
#include "recipes/choices.h"
#include "recipes/egraph_file.h"
#include "recipes/spellable.h"
#include "report/egraph_page.h"
#include "rewrite/tensor_extract.h"
#include "support/atomic_file.h"
#include "support/errors.h"

namespace isomer::api {
namespace {

std::vector<int64_t> picks_of(const extract::Selection& selection) {
  std::vector<int64_t> out(selection.classes(), -1);
  for (uint32_t c = 0; c < selection.classes(); ++c)
    if (const extract::NodeId n = selection[extract::ClassId(c)]; n.valid()) out[c] = n.v;
  return out;
}

extract::Selection selection_of(const extract::Problem& problem, const std::vector<int64_t>& picks) {
  if (picks.size() != problem.classes())
    throw UsageError(fmt::format("expected a node or -1 for each of the {} classes, got {}",
                                 problem.classes(), picks.size()));
  extract::Selection out(problem.classes());
  for (size_t c = 0; c < picks.size(); ++c) {
    if (picks[c] < 0) continue;
    if (static_cast<size_t>(picks[c]) >= problem.nodes())
      throw UsageError(
          fmt::format("class {}: there are {} nodes, no number {}", c, problem.nodes(), picks[c]));
    out.pick(extract::ClassId(static_cast<uint32_t>(c)), extract::NodeId(static_cast<uint32_t>(picks[c])));
  }
  return out;
}

Choice solve(const extract::Problem& problem, const std::string& extractor, double seconds, uint64_t seed,
             const StopToken& stop) {
  Limits limits;
  limits.seconds = seconds;
  limits.stop = stop;
  const extract::Extraction e =
      extract::extract(problem, recipes::extractor_of(extractor), limits, {.seed = seed});
  return {picks_of(e.selection),
          e.found,
          e.dag_cost,
          e.tree_cost,
          e.bound,
          e.optimal,
          std::string(to_string(e.stop_reason)),
          e.cpu_seconds};
}

Choice judged(const extract::Problem& problem, const std::vector<int64_t>& picks) {
  const extract::Selection selection = selection_of(problem, picks);
  const extract::Verdict verdict = extract::check(problem, selection);
  if (!verdict.valid) throw UsageError("these picks are no selection: " + verdict.fault);
  Choice out;
  out.picks = picks_of(extract::from_roots(problem, selection));
  out.found = true;
  out.cost = verdict.dag_cost;
  out.tree_cost = verdict.tree_cost;
  out.bound = problem.least_possible();
  out.stop_reason = to_string(StopReason::kSaturated);
  return out;
}

/// A caller's function as a cost model.
class FunctionCost final : public cost::CostModel {
 public:
  explicit FunctionCost(const CostFunction& function) : function_(function) {}
  std::string name() const override { return "a function"; }
  double cost(const cost::NodeCostQuery& query) override {
    constexpr double kMost = 1e290;  // sums of as many as there are nodes are finite
    const double cost = function_(describe(query.op));
    if (!(cost >= 0) || (cost > kMost && std::isfinite(cost)))
      throw UsageError(fmt::format(
          "cost of {}: expected a number at least 0, at most {:g} or infinite (never picked), got {:g}",
          query.op.op.name, kMost, cost));
    return cost;
  }
  bool asks_operands() const override { return false; }

 private:
  const CostFunction& function_;
};

egraph::FlatProblem flat_problem(EGraph& egraph, const ExtractOptions& o) {
  rewrite::ExtractOptions options;
  options.prices.weights_free = o.weights_free;
  const recipes::Program& program = egraph.source().program();
  if (program.envelope) options.allowed = recipes::spellable(egraph.program(), program.dialect());
  if (!o.cost_function)
    return rewrite::flat_problem(egraph.program(), egraph.workspace()->cost_model(o.cost), options);
  FunctionCost model(o.cost_function);
  return rewrite::flat_problem(egraph.program(), model, options);
}

Choice choose(EGraph& egraph, const egraph::FlatProblem& flat, const ExtractOptions& o,
              const StopToken& stop) {
  if (o.chooser) {
    return judged(flat.problem, o.chooser(ExtractionProblem(recipes::serialize(egraph.program(), flat))));
  }
  Choice out = solve(flat.problem, o.extractor, o.seconds, o.seed, stop);
  if (!out.found) throw InputError("some root has no finite acyclic term: nothing can be extracted");
  return out;
}

}  // namespace

ExtractionProblem ExtractionProblem::load(const std::string& path) {
  return ExtractionProblem(extract::read_egraph_json(path));
}

void ExtractionProblem::save(const std::string& path) const {
  write_file(path, extract::write_egraph_json(file_));
}

void ExtractionProblem::save_choice(const std::string& path, const std::vector<int64_t>& picks) const {
  write_file(path, extract::write_selection_json(file_, selection_of(flat(), picks)));
}

Choice ExtractionProblem::solve(const std::string& extractor, double seconds, uint64_t seed,
                                const StopToken& stop) const {
  return api::solve(flat(), extractor, seconds, seed, stop);
}

Choice ExtractionProblem::check(const std::vector<int64_t>& picks) const { return judged(flat(), picks); }

ExtractionProblem problem_of(EGraph& egraph, const ExtractOptions& options) {
  const auto lock = egraph.workspace()->lock();
  const EGraph::Reading reading(egraph);
  return ExtractionProblem(recipes::serialize(egraph.program(), flat_problem(egraph, options)));
}

Extraction extract(EGraph& egraph, const ExtractOptions& options, const StopToken& stop) {
  const auto lock = egraph.workspace()->lock();
  const EGraph::Reading reading(egraph);
  const egraph::FlatProblem flat = flat_problem(egraph, options);
  Choice choice = choose(egraph, flat, options, stop);
  const extract::Selection selection = selection_of(flat.problem, choice.picks);
  Extraction out{egraph.source().with(rewrite::program_of(egraph.program(), flat, selection)),
                 std::move(choice),
                 {},
                 {}};
  for (const egraph::NodeId n : flat.picked(selection)) {
    if (!n.valid()) continue;
    out.nodes.push_back(n.v);
    if (const std::string& rule = egraph.origin(n); !rule.empty()) ++out.rules[rule];
  }
  return out;
}

std::string page_of(EGraph& egraph, const ExtractOptions& options, const StopToken& stop) {
  const auto lock = egraph.workspace()->lock();
  const EGraph::Reading reading(egraph);
  const egraph::FlatProblem flat = flat_problem(egraph, options);
  const extract::Selection chosen = selection_of(flat.problem, choose(egraph, flat, options, stop).picks);
  const extract::SerializedEGraph file = recipes::serialize(egraph.program(), flat);
  std::vector<std::string> rules;
  for (const egraph::NodeId n : flat.node_of) rules.push_back(egraph.origin(n));
  const std::string title = egraph.source().title();
  return report::egraph_html({title.empty() ? "program" : title, file, chosen, std::move(rules)});
}

double extracted_cost(EGraph& egraph, const ExtractOptions& options, const StopToken& stop) {
  const auto lock = egraph.workspace()->lock();
  const EGraph::Reading reading(egraph);
  return choose(egraph, flat_problem(egraph, options), options, stop).cost;
}

}  // namespace isomer::api
