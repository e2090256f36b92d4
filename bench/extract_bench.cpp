// extract_bench [FOLDER RULES]: extraction from TENSAT's e-graphs at k_multi 2 (its rules, limits, efficient
// filter), cost anchor. Its rules in their sound form, and as it published them, without the conditions that
// keep grouped convolutions right: beside the latter stands what it proved itself, with how long its solver
// took on its machine; nasneta's e-graph then holds wrong programs. `windows` is the heuristic that is given
// 0.15 s. Status 1 when a goal is missed.
#include <cstdio>
#include <string>

#include <fmt/format.h>

#include "formats/sexpr/sexpr.h"
#include "ir/op_table.h"
#include "recipes/rule_files.h"
#include "recipes/start_graphs.h"
#include "recipes/tensat.h"

namespace {

struct Peer {
  const char* model;
  /// Of TENSAT's integer program, and once weights are folded; of its greedy extraction where the other was
  /// not run (it has no seconds).
  double objective, graph;
  double seconds, goal;  ///< its CPU seconds, and the most that ours may take for it
};

struct Figures {
  double cost = 0, seconds = 0;
  bool optimal = false;
};

struct Workload {
  std::string folder, rules;  ///< of start graphs, of rule files
  isomer::recipes::GroupedConvolutions grouped;
};

Figures run(const Workload& on, const Peer& peer, isomer::extract::Extractor extractor, bool weights_free,
            double seconds) {
  using namespace isomer;
  ir::Context ctx(ir::standard_ops());
  const ir::Graph graph = formats::read_sexpr_file(ctx, fmt::format("{}/{}.dag", on.folder, peer.model));
  recipes::TensatOptions options;
  options.k_multi = 2;
  options.extractor = extractor;
  options.weights_free = weights_free;
  options.seconds = seconds;
  options.cpu_clock = true;
  const recipes::TensatResult r =
      recipes::run_tensat(graph, recipes::tensat_rules(ctx.ops(), on.rules, on.grouped), options);
  return {r.cost, r.extraction.cpu_seconds, r.optimal};
}

}  // namespace

int main(int argc, char** argv) {
  using isomer::extract::Extractor;
  using isomer::recipes::GroupedConvolutions;
  constexpr Peer kPeers[] = {{"bert", 0.7056, 0.7056, 115, 10},
                             {"nasrnn", 0.9320, 0.9320, 29.8, 1.5},
                             {"nasneta", 6.9730, 6.9626, 35.2, 3},
                             {"inceptionv3", 2.3661, 2.3448, 0.59, 0.1},
                             {"mobilenetv2", 1.5543, 1.5543, 0, 1}};
  const std::string folder = argc > 2 ? argv[1] : isomer::recipes::start_graphs_folder().string();
  const std::string rules = argc > 2 ? argv[2] : isomer::recipes::rules_folder();
  bool missed = false;
  fmt::print(
      "| model | rules | weights | heuristic | s | windows, 0.15 s | s | from the optimum | auto | proved | "
      "s | "
      "TENSAT's | its s |\n| --- | --- | --- | --: | --: | --: | --: | --: | --: | --- | --: | --: | --: "
      "|\n");
  for (const Peer& peer : kPeers)
    for (const GroupedConvolutions grouped : {GroupedConvolutions::kSound, GroupedConvolutions::kAsTensat})
      for (const bool free : {false, true}) {
        const Workload on{folder, rules, grouped};
        const auto quick = run(on, peer, Extractor::kHeuristic, free, 60);
        const auto windows = run(on, peer, Extractor::kWindows, free, 0.15);
        const auto best = run(on, peer, Extractor::kAuto, free, 60);
        const double behind = windows.cost / best.cost - 1;
        const bool published = grouped == GroupedConvolutions::kAsTensat;
        const bool its_greedy = peer.seconds == 0;
        fmt::print(
            "| {} | {} | {} | {:.4f} | {:.3f} | {:.4f} | {:.3f} | {:.2f} % | {:.4f} | {} | {:.3f} | {} | {} "
            "|\n",
            peer.model, isomer::recipes::name_of(grouped), free ? "free" : "paid", quick.cost, quick.seconds,
            windows.cost, windows.seconds, 100 * behind, best.cost, best.optimal ? "yes" : "no", best.seconds,
            published ? fmt::format("{:.4f}", free ? peer.graph : peer.objective) : "",
            !published || (free && !its_greedy) ? ""
            : its_greedy                        ? "by its greedy"
                                                : fmt::format("{}, proved", peer.seconds));
        missed = missed || !best.optimal || best.seconds > peer.goal || behind > 0.02 ||
                 windows.seconds > 0.2 ||
                 (published && best.cost > (free ? peer.graph : peer.objective) + 6e-5);
      }
  return missed ? 1 : 0;
}
