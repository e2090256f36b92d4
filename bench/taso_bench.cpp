// taso_bench FOLDER [ALPHA [BUDGET [COST [RULES]]]]: TASO's search on TENSAT's start graphs (FOLDER holds
// NAME.dag), as a table: start, best (weights folded), CPU seconds, states. Beside it what TASO itself
// reached with the same analytic cost, alpha 1, budget 100 (measured by others on another machine; its
// seconds only tell the order). RULES: tensat, or published, which TASO itself had: without the conditions
// that keep grouped convolutions right. The last column: what is found, held to its start graph.
#include <fmt/format.h>

#include "formats/sexpr/sexpr.h"
#include "ir/op_table.h"
#include "recipes/found_check.h"
#include "recipes/rule_files.h"
#include "recipes/taso.h"
#include "recipes/tensat.h"

int main(int argc, char** argv) {
  struct Peer {
    const char* model;
    double best, seconds;
  };
  constexpr Peer kPeers[] = {{"bert", 0.7056, 1.14},      {"inceptionv3", 2.3448, 3.3},
                             {"resnext50", 1.9398, 0.07}, {"resnet50", 1.8103, 0.05},
                             {"vgg", 6.7815, 0.52},       {"nasrnn", 1.0072, 17.0},
                             {"squeezenet", 0.3135, 1.0}, {"nasneta", 6.6683, 100.7}};
  if (argc < 2) {
    fmt::print(stderr, "usage: taso_bench FOLDER [ALPHA [BUDGET [COST [tensat|published]]]]\n");
    return 2;
  }
  using namespace isomer;
  recipes::TasoOptions options;
  options.alpha = argc > 2 ? std::stod(argv[2]) : 1.0;
  options.budget = argc > 3 ? std::stoull(argv[3]) : 100;
  const std::string cost = argc > 4 ? argv[4] : recipes::kTasoCost;
  if (cost != recipes::kTasoCost) options.cost = cost;
  const auto grouped = argc > 5 && argv[5] == recipes::kPublishedRules
                           ? recipes::GroupedConvolutions::kAsTensat
                           : recipes::GroupedConvolutions::kSound;
  fmt::print(
      "alpha {}, budget {}, cost {}, rules {}\n\n| model | start | best | CPU s | to best s | looked at | "
      "held | "
      "TASO's best | its CPU s | same program |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
      options.alpha, options.budget, cost, recipes::name_of(grouped));
  for (const Peer& peer : kPeers) {
    ir::Context ctx(ir::standard_ops());
    const ir::Graph graph = formats::read_sexpr_file(ctx, fmt::format("{}/{}.dag", argv[1], peer.model));
    const rewrite::RuleSet rules = recipes::tensat_rules(ctx.ops(), recipes::rules_folder(), grouped);
    const recipes::TasoResult r = recipes::run_taso(graph, rules, options);
    fmt::print("| {} | {:.4f} | {:.4f} | {:.3f} | {:.3f} | {} | {} | {:.4f} | {} | {} |\n", peer.model,
               r.start_cost, r.folded_cost, r.cpu_seconds, r.seconds_to_best, r.expanded, r.held, peer.best,
               peer.seconds, recipes::check_found(graph, r.graph).words());
  }
}
