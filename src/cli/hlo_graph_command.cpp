#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <array>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/hlo_commands.h"
#include "cli/print_json.h"
#include "formats/hlo_graph.h"
#include "formats/onnx.h"
#include "ir/op_table.h"
#include "ir/print.h"
#include "report/dot.h"
#include "report/graph_page.h"
#include "runtime/hlo_files.h"
#include "support/atomic_file.h"
#include "support/errors.h"
#include "support/outputs.h"
#include "support/units.h"

namespace isomer::cli {
namespace {

struct HloGraphArgs {
  std::string file, page, onnx;
  bool dot = false, json = false;
};

/// As a model of ONNX, where that can say it.
void write_as_onnx(const ir::Graph& said, const HloGraphArgs& args) {
  const ir::Graph graph = formats::without_memory(said);
  constexpr int64_t kOpset = 18;  // the first with operators on bits, and scatters by a maximum
  const auto envelope = formats::OnnxEnvelope::plain(graph, kOpset);
  const formats::Dialect dialect = formats::dialect_of(graph, *envelope, false);
  if (const std::string bad = formats::unspellable(graph, dialect); !bad.empty())
    throw InputError(fmt::format("{}: expected what ONNX can say, found {}", args.file, bad));
  formats::write_onnx(graph, *envelope, args.onnx);
}

void run(const HloGraphArgs& args) {
  const bool is_page_printed = own_stream(args.page) == STDOUT_FILENO;
  if (is_page_printed && args.dot)
    throw UsageError(fmt::format(
        "--html {}: standard output takes the text of --dot; expected the name of another file", args.page));
  check_outputs(std::array<NamedFile, 2>{{{"--html", args.page}, {"--onnx", args.onnx}}},
                std::array<NamedFile, 1>{{{"FILE", args.file}}});
  const hlo::Module module = runtime::read_hlo(args.file).module;
  ir::Context ctx(ir::standard_ops());
  const ir::Graph graph = formats::hlo_graph(ctx, module);
  if (!args.onnx.empty()) write_as_onnx(graph, args);
  const size_t instructions = module[module.entry].instructions.count;
  if (!args.page.empty()) {
    const std::string note =
        fmt::format("The entry computation of {} as a program: {} as {}.", module.text(module.name),
                    how_many(instructions, "instruction"), how_many(graph.size(), "value"));
    write_file(args.page, report::graph_html({args.file, note, graph}));
    if (is_page_printed) return;
    if (!args.dot && !args.json) return fmt::print("written: {}\n", args.page);
  }
  if (!args.onnx.empty() && !args.dot && !args.json) return fmt::print("written: {}\n", args.onnx);
  if (args.dot) return fmt::print("{}", report::to_dot(graph));
  if (!args.json) return fmt::print("{}", ir::print(graph));
  print_json({{"instructions", instructions},
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
  command->add_option("--html", args->page, "write a page on which the graph can be read");
  command->add_option("--onnx", args->onnx, "write it as an ONNX model, where ONNX can say it");
  command->add_flag("--json", args->json, "print one JSON object")->excludes(dot);
  command->callback([args] { run(*args); });
}

}  // namespace isomer::cli
