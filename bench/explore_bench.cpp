// Exploration as TENSAT does it, on its start graphs, with its rules and its limits; one JSON object a line.
// `published`: without the conditions that keep grouped convolutions right, as it had them.
//
//   explore_bench DAG RULES_FOLDER K_MULTI CYCLES REPEATS [tensat|published] [NODE_LIMIT]
#include <cstdio>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "formats/sexpr/sexpr.h"
#include "ir/op_table.h"
#include "recipes/tensat.h"
#include "support/errors.h"

int main(int argc, char** argv) {
  using namespace isomer;
  const std::vector<std::string> args(argv + 1, argv + argc);
  if (args.size() < 5) {
    std::fputs(
        "usage: explore_bench DAG RULES_FOLDER K_MULTI CYCLES REPEATS [tensat|published] [NODE_LIMIT]\n",
        stderr);
    return 2;
  }
  try {
    rewrite::SaturateOptions options;
    options.k_multi = static_cast<uint32_t>(std::stoul(args[2]));
    options.cycles = egraph::cycle_mode(args[3]);
    options.limits.iterations = 15;
    options.limits.nodes = args.size() > 6 ? std::stoul(args[6]) : 50'000;
    options.limit_by_tensat_count = true;
    const auto grouped = args.size() > 5 && args[5] == recipes::kPublishedRules
                             ? recipes::GroupedConvolutions::kAsTensat
                             : recipes::GroupedConvolutions::kSound;
    std::vector<double> seconds;
    for (size_t i = 0; i < std::stoul(args[4]); ++i) {
      ir::Context ctx(ir::standard_ops());
      const ir::Graph graph = formats::read_sexpr_file(ctx, args[0]);
      const rewrite::RuleSet rules = recipes::tensat_rules(ctx.ops(), args[1], grouped);
      rewrite::TensorEGraph program(graph);
      rewrite::Saturation saturation(program, rules);
      const rewrite::SaturateReport r = saturation.run(options);
      seconds.push_back(r.cpu_seconds);
      if (i + 1 < std::stoul(args[4])) continue;
      fmt::print(
          "{{\"tensat_nodes\": {}, \"tensat_classes\": {}, \"e_nodes\": {}, \"e_classes\": {}, \"filtered\": "
          "{}, \"iterations\": {}, \"stop\": \"{}\", \"cpu_seconds\": {}, \"search\": {}, \"apply\": {}, "
          "\"multi\": {}, \"rebuild\": {}, \"cycle\": {}, \"added\": {}, \"matches\": {}, \"acyclic\": "
          "{}}}\n",
          r.tensat_nodes, r.tensat_nodes - r.e_nodes + r.e_classes, r.e_nodes, r.e_classes, r.filtered,
          r.iterations, to_string(r.stop_reason), seconds, r.search_seconds, r.apply_seconds, r.multi_seconds,
          r.rebuild_seconds, r.cycle_seconds, r.added_by_multi, r.matches,
          !egraph::has_cycle(program.graph(), program.roots()));
    }
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "explore_bench: {}\n", error.what());
    return 3;
  }
}
