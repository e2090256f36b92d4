#include "recipes/pricing.h"

#include <fmt/format.h>

#include <algorithm>

namespace isomer::recipes {
namespace {

/// `bound`: no program costs less.
double most_gain(const ir::Graph& original, runtime::MeasuredCost& model, double bound) {
  const double cost = cost::graph_cost(model, original);
  const double most = cost - bound + kDoubtOfCosts * model.open_cost(original);
  return cost > 0 ? std::max(0.0, most / cost) : 0;
}

}  // namespace

std::string PricingReport::outcome() const {
  return fmt::format("{} operators measured now, in {} rounds{}", measured, rounds,
                     complete     ? ""
                     : hopeless() ? "; the rest cannot matter"
                                  : "; the rest is guessed");
}

void record_prices(const PricingReport& report, const runtime::MeasuredCost& model, RunRecord& record) {
  record.count("price.rounds", report.rounds);
  record.count("price.measured", static_cast<double>(report.measured));
  record.numbers["price.known"] = static_cast<double>(model.count().known);
  record.numbers["price.refused"] = static_cast<double>(model.count().refused);
}

PricingReport price_lazily(Rewriting& rewriting, runtime::MeasuredCost& model, const Deadline& until,
                           ProgressSink& progress) {
  PricingReport report;
  const double begin = wall_seconds();
  const auto left = [&] { return until.remaining(); };
  constexpr double kLongestBatch = 120;
  runtime::Wait wait = runtime::wait_until(until, kLongestBatch);
  wait.progress = [&](double fraction, const std::string& note) {
    progress.update({.phase = "price", .fraction = fraction, .note = note});
  };
  const auto want = [&](const cost::NodeCostQuery& query) { model.want(query); };
  const auto want_graph = [&](const ir::Graph& graph) {
    cost::for_each_query(graph, [&](ir::ValueId, const cost::NodeCostQuery& query) { model.want(query); });
  };
  rewriting.ask_apart(
      model, [&](const cost::NodeCostQuery& query) { model.leave_out(query, true); },
      [&](const cost::NodeCostQuery& query) { model.leave_out(query, false); });
  want_graph(rewriting.original());
  report.measured += model.measure(left(), wait);
  // Greedy rounds are cheap; what an exact extraction picks beside that is measured at the end. Where little
  // is a choice, only that has a bound, which may be all that is needed.
  bool greedy = most_gain(rewriting.original(), model, cost::graph_cost(model, rewriting.original())) >=
                runtime::kClearGain - 1;
  while (report.rounds < kMostPricingRounds && !until.passed()) {
    ++report.rounds;
    const rewrite::TensorExtraction picked = rewriting.pick(model, {greedy, left(), {}});
    if (!picked.found) break;
    if (!greedy) report.most_gain = most_gain(rewriting.original(), model, picked.bound);
    if (report.hopeless()) break;
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
  if (!report.complete && !report.hopeless()) report.stop_reason = until.reason();
  model.guess_the_rest();
  report.seconds = wall_seconds() - begin;
  return report;
}

}  // namespace isomer::recipes
