#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/hlo_commands.h"
#include "cli/print_json.h"
#include "formats/hlo_graph.h"
#include "ir/op_table.h"
#include "ir/print.h"
#include "report/dot.h"
#include "runtime/hlo_files.h"

namespace isomer::cli {
namespace {

struct HloGraphArgs {
  std::string file;
  bool dot = false, json = false;
};

void run(const HloGraphArgs& args) {
  const hlo::Module module = runtime::read_hlo(args.file).module;
  ir::Context ctx(ir::standard_ops());
  const ir::Graph graph = formats::hlo_graph(ctx, module);
  if (args.dot) return fmt::print("{}", report::to_dot(graph));
  if (!args.json) return fmt::print("{}", ir::print(graph));
  print_json({{"instructions", module[module.entry].instructions.count},
              {"values", graph.size()},
              {"inputs", graph.inputs().size()},
              {"outputs", graph.outputs().size()},
              {"graph", ir::print(graph)}});
}

}  // namespace

void add_hlo_graph(CLI::App& app) {
  auto args = std::make_shared<HloGraphArgs>();
  CLI::App* command = app.add_subcommand(
      "graph", "the entry computation as a program of the IR, where its operators can say it");
  command->add_option("file", args->file, kHloFile)->required();
  CLI::Option* dot = command->add_flag("--dot", args->dot, "as Graphviz text");
  command->add_flag("--json", args->json, "print one JSON object")->excludes(dot);
  command->callback([args] { run(*args); });
}

}  // namespace isomer::cli
