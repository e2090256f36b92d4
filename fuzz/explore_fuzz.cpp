// Any bytes, cut in two at a line "%%": a graph in its textual form, and rules. If both can be read, the
// graph is explored with the rules, a few iterations in each cycle mode: the e-graph's invariants hold, the
// filters leave no cycle, and a program can still be extracted. (Rules that are wrong make programs that are
// wrong; that is for `isomer rules check` to say.)
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string_view>

#include "cost/cost_model.h"
#include "ir/op_table.h"
#include "ir/print.h"
#include "rewrite/rule_parser.h"
#include "rewrite/tensor_extract.h"
#include "support/errors.h"

namespace {

using namespace isomer;

void fault(std::string_view what) {
  std::cerr << what << "\n";
  std::abort();
}

void explore(const ir::Graph& graph, const rewrite::RuleSet& rules, rewrite::CycleMode cycles) {
  rewrite::TensorEGraph program(graph);
  rewrite::Saturation saturation(program, rules);
  rewrite::SaturateOptions options;
  options.limits.nodes = 300;
  options.limits.iterations = 3;
  options.limits.seconds = 5;
  options.node_multi = 300;
  options.cycles = cycles;
  options.allow_unstable = true;
  saturation.run(options);
  const std::string broken = program.graph().check_invariants();
  if (!broken.empty()) fault(broken);
  if (cycles != rewrite::CycleMode::kNone && egraph::has_cycle(program.graph(), program.roots()))
    fault("a cycle was left");
  const auto cost = cost::make_cost_model("ast-size");
  rewrite::ExtractOptions pick;
  pick.extractor = extract::Extractor::kDagGreedy;
  if (!rewrite::extract(program, saturation.alternatives(), *cost, pick).found) fault("the program is gone");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const size_t cut = text.find("\n%%\n");
  if (cut == std::string_view::npos) return 0;
  ir::Context ctx(ir::standard_ops());
  try {
    const ir::Graph graph = ir::parse_graph(ctx, text.substr(0, cut + 1));
    if (graph.size() > 60) return 0;
    const rewrite::RuleSet rules = rewrite::parse_rules(ctx.ops(), text.substr(cut + 4), "fuzz.rules");
    for (auto cycles : {rewrite::CycleMode::kNone, rewrite::CycleMode::kEfficient,
                        rewrite::CycleMode::kVanilla, rewrite::CycleMode::kOnline})
      explore(graph, rules, cycles);
  } catch (const InputError&) {
  }
  return 0;
}
