#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <map>
#include <memory>

#include "cli/commands.h"
#include "cost/flops.h"
#include "ir/op_report.h"
#include "ir/op_table.h"
#include "ir/print.h"
#include "recipes/load.h"
#include "report/dot.h"
#include "report/graph_diff.h"

namespace isomer::cli {
namespace {

struct Args {
  std::string file, other;
  std::vector<std::string> files, dims;
  bool json = false;
};

CLI::App* one_file(CLI::App& graph, const char* name, const char* help, const std::shared_ptr<Args>& args) {
  CLI::App* command = graph.add_subcommand(name, help);
  command->add_option("file", args->file, "ONNX, .model, .dag, .graph or a term")->required();
  command->add_option("--dim", args->dims, "fix a dynamic dimension: name=value");
  return command;
}

}  // namespace

void add_graph(CLI::App& app, Session&) {
  CLI::App* graph = app.add_subcommand("graph", "Look at programs: show, stats, diff, dot");
  graph->require_subcommand(1);
  auto args = std::make_shared<Args>();

  one_file(*graph, "show", "print the textual form", args)->callback([args] {
    ir::Context ctx(ir::standard_ops());
    const recipes::Program p = recipes::load_program(ctx, args->file, recipes::parse_dims(args->dims));
    fmt::print("{}", ir::print(p.graph));
  });
  one_file(*graph, "dot", "print the graph as Graphviz text", args)->callback([args] {
    ir::Context ctx(ir::standard_ops());
    const recipes::Program p = recipes::load_program(ctx, args->file, recipes::parse_dims(args->dims));
    fmt::print("{}", report::to_dot(p.graph));
  });

  CLI::App* diff = one_file(*graph, "diff", "which terms does only one of two programs compute?", args);
  diff->add_option("other", args->other, "the other program")->required();
  diff->callback([args] {
    ir::Context ctx(ir::standard_ops());
    const recipes::Program a = recipes::load_program(ctx, args->file),
                           b = recipes::load_program(ctx, args->other);
    fmt::print("{}", report::print(a.graph, b.graph, report::diff(a.graph, b.graph)));
  });

  CLI::App* stats =
      graph->add_subcommand("stats", "operators by kind of meaning, with their counts over the files");
  stats->add_option("files", args->files, "programs (none: the operator table alone)");
  stats->add_flag("--json", args->json, "print one JSON object");
  stats->callback([args] {
    ir::Context ctx(ir::standard_ops());
    ir::OpReport report(ctx.ops());
    for (const std::string& file : args->files) report.add(recipes::load_program(ctx, file).graph);
    fmt::print("{}", args->json ? report.json() + "\n" : report.text());
  });
}

}  // namespace isomer::cli
