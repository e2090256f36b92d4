// extract_bench [FOLDER RULES]: extraction from TENSAT's e-graphs at k_multi 2 (its rules as they are, its
// limits, the efficient filter), cost anchor. What it proved itself, with how long its solver took on its
// machine, stands beside; `windows` is the heuristic that is given 0.15 s. Status 1 when a goal is missed.
#include <cstdio>
#include <string>

#include <fmt/format.h>

#include "formats/sexpr/sexpr.h"
#include "ir/op_table.h"
#include "recipes/tensat.h"

namespace {

struct Peer {
  const char* model;
  double objective, graph;  ///< of TENSAT's integer program, and once weights are folded
  double seconds, goal;     ///< its CPU seconds, and the most that ours may take for it
};

struct Figures {
  double cost = 0, seconds = 0;
  bool optimal = false;
};

Figures run(const std::string& folder, const std::string& rules, const Peer& peer,
            isomer::extract::Extractor extractor, bool weights_free, double seconds) {
  using namespace isomer;
  ir::Context ctx(ir::standard_ops());
  const ir::Graph graph = formats::read_sexpr_file(ctx, fmt::format("{}/{}.dag", folder, peer.model));
  recipes::TensatOptions options;
  options.k_multi = 2;
  options.extractor = extractor;
  options.weights_free = weights_free;
  options.seconds = seconds;
  options.cpu_clock = true;
  const recipes::TensatResult r = recipes::run_tensat(
      graph, recipes::tensat_rules(ctx.ops(), rules, recipes::GroupedConvolutions::kAsTensat), options);
  return {r.cost, r.extraction.cpu_seconds, r.optimal};
}

}  // namespace

int main(int argc, char** argv) {
  using isomer::extract::Extractor;
  constexpr Peer kPeers[] = {{"bert", 0.7056, 0.7056, 115, 10},
                             {"nasrnn", 0.9320, 0.9320, 29.8, 1.5},
                             {"nasneta", 6.9730, 6.9626, 35.2, 3},
                             {"inceptionv3", 2.3661, 2.3448, 0.59, 0.1},
                             {"mobilenetv2", 1.5272, 1.5272, 0, 1}};
  const std::string folder = argc > 2 ? argv[1] : ISOMER_RULES "/../tests/data/tensat/models/dag";
  const std::string rules = argc > 2 ? argv[2] : ISOMER_RULES;
  bool missed = false;
  fmt::print(
      "| model | weights | heuristic | s | windows, 0.15 s | s | from the optimum | auto | proved | s | "
      "TENSAT's, "
      "proved | its s |\n| --- | --- | --: | --: | --: | --: | --: | --: | --- | --: | --: | --: |\n");
  for (const Peer& peer : kPeers)
    for (const bool free : {false, true}) {
      const auto quick = run(folder, rules, peer, Extractor::kHeuristic, free, 60);
      const auto windows = run(folder, rules, peer, Extractor::kWindows, free, 0.15);
      const auto best = run(folder, rules, peer, Extractor::kAuto, free, 60);
      const double behind = windows.cost / best.cost - 1;
      fmt::print(
          "| {} | {} | {:.4f} | {:.3f} | {:.4f} | {:.3f} | {:.2f} % | {:.4f} | {} | {:.3f} | {} | {} |\n",
          peer.model, free ? "free" : "paid", quick.cost, quick.seconds, windows.cost, windows.seconds,
          100 * behind, best.cost, best.optimal ? "yes" : "no", best.seconds,
          free ? peer.graph : peer.objective,
          free || peer.seconds == 0 ? "" : fmt::format("{}", peer.seconds));
      missed = missed || !best.optimal || best.cost > (free ? peer.graph : peer.objective) + 6e-5 ||
               best.seconds > peer.goal || behind > 0.02 || windows.seconds > 0.2;
    }
  return missed ? 1 : 0;
}
