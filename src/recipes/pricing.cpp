#include "recipes/pricing.h"

#include <fmt/format.h>

#include <algorithm>

namespace isomer::recipes {
namespace {

/// Of the time for pricing, for an exact extraction before the rounds.
constexpr double kFirstExactShare = 0.2;

/// `cost`: the original's; no program costs less than so much below it.
double most_gain(double cost, double below, double open_cost) {
  return cost > 0 ? std::max(0.0, (below + kDoubtOfCosts * open_cost) / cost) : 0;
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

PricingReport price_lazily(const Rewriting& rewriting, runtime::MeasuredCost& model, const Deadline& until,
                           ProgressSink& progress, bool ends_early) {
  PricingReport report;
  const double begin = wall_seconds();
  const ir::Graph& original = rewriting.original();
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
  const auto measure = [&] { report.measured += model.measure(left(), wait); };
  const auto all_measured = [&] { return model.wanted() == 0; };
  const auto most_gain_above = [&](double bound) {
    const double cost = cost::graph_cost(model, original);
    return most_gain(cost, cost - bound, model.open_cost(original));
  };
  const auto judge = [&](double bound) {
    if (ends_early && model.bounds_choices())
      report.most_gain = std::min(report.most_gain, most_gain_above(bound));
  };
  const auto pick = [&](bool greedy, double seconds) {
    ++report.rounds;
    const rewrite::TensorExtraction picked = rewriting.pick(model, {greedy, seconds, {}});
    if (picked.found && !greedy) judge(picked.bound);
    return picked;
  };
  rewriting.ask_apart(
      model, [&](const cost::NodeCostQuery& query) { model.leave_out(query, true); },
      [&](const cost::NodeCostQuery& query) { model.leave_out(query, false); });
  want_graph(original);
  measure();
  // Where little is a choice, an exact extraction, which alone has a bound, may be all that is needed.
  const double least_doubt = most_gain(cost::graph_cost(model, original), 0, model.open_cost(original));
  const bool worth_it = ends_early && model.bounds_choices() && 1 + least_doubt < runtime::kClearGain;
  if (worth_it && all_measured() && !until.passed()) pick(false, kFirstExactShare * left());
  // Greedy rounds are cheap; what an exact extraction picks beside that is measured at the end.
  bool greedy = true;
  while (all_measured() && !report.hopeless() && report.rounds < kMostPricingRounds && !until.passed()) {
    const rewrite::TensorExtraction picked = pick(greedy, left());
    if (!picked.found || report.hopeless()) break;
    rewriting.ask(picked.nodes, want);
    want_graph(picked.graph);
    report.complete = all_measured() && !greedy;
    if (report.complete) break;
    if (all_measured()) greedy = false;
    measure();
  }
  // What measuring leaves undone, it leaves for want of time, which may not be quite over by then.
  if (!report.complete && !report.hopeless())
    report.stop_reason = !all_measured() && !until.passed() ? StopReason::kTimeLimit : until.reason();
  model.guess_the_rest();
  report.seconds = wall_seconds() - begin;
  return report;
}

}  // namespace isomer::recipes
