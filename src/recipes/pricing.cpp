#include "recipes/pricing.h"

namespace isomer::recipes {

PricingReport price_lazily(Rewriting& rewriting, runtime::MeasuredCost& model, const StopToken& stop,
                           ProgressSink& progress, const PricingOptions& options) {
  PricingReport report;
  const double begin = wall_seconds();
  const auto left = [&] { return options.seconds - (wall_seconds() - begin); };
  runtime::Wait wait;
  wait.timeout_seconds = 120;
  wait.stop = stop;
  wait.progress = [&](double fraction, const std::string& note) {
    Progress p;
    p.phase = "price";
    p.fraction = fraction;
    p.note = note;
    progress.update(p);
  };
  const auto want = [&](const cost::NodeCostQuery& query) { model.want(query); };
  const auto want_graph = [&](const ir::Graph& graph) {
    cost::for_each_query(graph, [&](ir::ValueId, const cost::NodeCostQuery& query) { model.want(query); });
  };
  want_graph(rewriting.original());
  report.measured += model.measure(left(), wait);
  // Greedy rounds are cheap; what an exact extraction picks beside that is measured at the end.
  bool greedy = true;
  while (report.rounds < options.most_rounds && left() > 0 && !stop.requested()) {
    ++report.rounds;
    const rewrite::TensorExtraction picked = rewriting.pick(model, {greedy, left(), {}});
    if (!picked.found) break;
    rewriting.ask(picked.nodes, want);
    want_graph(picked.graph);
    if (model.wanted() > 0) {
      report.measured += model.measure(left(), wait);
    } else if (greedy) {
      greedy = false;
    } else {
      report.complete = true;
      break;
    }
  }
  model.guess_the_rest();
  report.seconds = wall_seconds() - begin;
  return report;
}

}  // namespace isomer::recipes
