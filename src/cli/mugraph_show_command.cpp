// mugraph show, partition, programs: what is in a file of muGraphs, and which programs there are.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "api/session.h"
#include "cli/commands.h"
#include "cli/print_json.h"
#include "cli/standard_output.h"
#include "ir/op_table.h"
#include "ir/print.h"
#include "mugraph/block_plan.h"
#include "mugraph/drawing.h"
#include "mugraph/ir_graph.h"
#include "mugraph/kernel_cost.h"
#include "mugraph/lax.h"
#include "mugraph/layouts.h"
#include "mugraph/programs.h"
#include "mugraph/restate.h"
#include "mugraph/subprograms.h"
#include "mugraph/target.h"
#include "mugraph/thread_graphs.h"
#include "recipes/load.h"
#include "support/atomic_file.h"
#include "support/errors.h"
#include "support/outputs.h"

namespace isomer::cli {
namespace {

using Json = nlohmann::ordered_json;
using mugraph::MuGraph;

constexpr size_t kMostDrawn = 50;  // on one page

struct ShowArgs {
  std::string file;
  std::optional<size_t> index;
  bool plan = false, threads = false, graph = false;
  std::optional<mugraph::LayoutMethod> layouts;  ///< how they are found
  std::string target{mugraph::target_choices()[0].name};
  std::string html;  ///< a page instead of a listing
};

void show_layouts(const MuGraph& g, mugraph::LayoutMethod method, int element_bytes, const StopToken& stop) {
  const mugraph::LayoutProblem problem = mugraph::layout_problem(g, element_bytes);
  Limits limits;
  limits.nodes = 100'000'000;
  limits.seconds = 60;
  limits.stop = stop;
  fmt::print("layouts\n{}", mugraph::print(mugraph::solve_layouts(problem, method, limits), problem));
}

/// Plans as they were priced: with the loads of the next iteration ahead, or without.
void show_plan(const MuGraph& g, const mugraph::MuCost& cost, int element_bytes) {
  for (size_t k = 0; k < g.nodes.size(); ++k) {
    const mugraph::KernelNode& n = g.nodes[k];
    if (!n.block) continue;
    const auto plan = mugraph::plan_block(*g.ops, *n.block,
                                          {.element_bytes = element_bytes, .ahead = cost.kernels[k].ahead});
    fmt::print("plan of %{}\n{}", n.results[0], mugraph::print(plan, *g.ops, *n.block));
  }
}

void show(const ShowArgs& a, const StopToken& stop) {
  const mugraph::Target target = mugraph::target(a.target);
  check_outputs(std::array<NamedFile, 1>{{{"--html", a.html}}}, std::array<NamedFile, 1>{{{"FILE", a.file}}});
  std::vector<MuGraph> graphs = mugraph::read_mugraphs(a.file);
  if (a.threads)
    for (MuGraph& g : graphs) g = mugraph::with_thread_graphs(g);
  if (graphs.empty()) throw InputError({a.file, 0, 0}, "expected muGraphs, the list is empty");
  if (a.index && *a.index >= graphs.size())
    throw UsageError(fmt::format("--index {}: expected 0 to {}, as many muGraphs as {} holds", *a.index,
                                 graphs.size() - 1, a.file));
  if (a.graph) {
    ir::Context ctx(ir::standard_ops());
    for (size_t i = 0; i < graphs.size(); ++i)
      if (!a.index || *a.index == i) fmt::print("{}", ir::print(mugraph::to_graph(ctx, graphs[i])));
    return;
  }
  if (!a.html.empty()) {
    const size_t first = a.index.value_or(0), count = a.index ? 1 : std::min(graphs.size(), kMostDrawn);
    if (!a.index && count < graphs.size())
      note(fmt::format("{} holds {} muGraphs: the first {} are drawn; --index draws another", a.file,
                       graphs.size(), count));
    write_file(a.html, mugraph::page(std::span(graphs).subspan(first, count), first,
                                     std::filesystem::path(a.file).filename().string(), target, stop));
    return;
  }
  mugraph::Pricing pricing(target);
  for (size_t i = 0; i < graphs.size(); ++i) {
    if (a.index && *a.index != i) continue;
    if (stop.requested())
      throw Error(ExitStatus::kInterrupted, fmt::format("{}: interrupted before muGraph {}", a.file, i));
    const MuGraph& g = graphs[i];
    fmt::print("muGraph {}\n{}", i, mugraph::print(g));
    std::optional<mugraph::MuCost> cost;
    if (a.plan) show_plan(g, cost.emplace(pricing.price(g)), target.memory.element_bytes);
    if (a.layouts) show_layouts(g, *a.layouts, target.memory.element_bytes, stop);
    if (cost) {
      const std::string bad = mugraph::check_memory(g, target.memory);
      fmt::print("cost on {}\n{}{}", target.machine.name, mugraph::print(*cost, target.machine),
                 bad.empty() ? "" : "does not fit: " + bad + "\n");
    }
    fmt::print("\n");
  }
}

struct PartitionArgs {
  std::string file;
  std::vector<std::string> dims;
  bool json = false;
};

void partition(const PartitionArgs& a) {
  ir::Context ctx(ir::standard_ops());
  const recipes::Program program = recipes::load_program(ctx, a.file, recipes::parse_dims(a.dims));
  const mugraph::LaxPartition p = mugraph::partition_lax(program.graph);
  if (!a.json) {
    fmt::print("{}", mugraph::print(p, program.graph));
    return;
  }
  Json j;
  j["parts"] = Json::array();
  for (const mugraph::LaxPart& part : p.parts)
    j["parts"].push_back(
        {{"nodes", part.nodes.size()}, {"inputs", part.inputs.size()}, {"outputs", part.outputs.size()}});
  j["outside"] = Json::array();
  for (const auto& o : p.outside)
    j["outside"].push_back(
        {{"node", program.graph.name(o.node)}, {"op", program.graph.def(o.node).name}, {"reason", o.reason}});
  print_json(j);
}

/// `file`: pieces of it that a search can take; empty: those known by name.
void list_programs(const PartitionArgs& a) {
  if (!a.file.empty()) {
    ir::Context ctx(ir::standard_ops());
    const recipes::Program program = recipes::load_program(ctx, a.file, recipes::parse_dims(a.dims));
    fmt::print("{}", mugraph::print(mugraph::subprograms_of(mugraph::restated(program.graph), a.file)));
    return;
  }
  if (!a.dims.empty()) throw UsageError("--dim: only with --from FILE");
  for (const mugraph::Program& p : mugraph::programs()) {
    std::string inputs, sizes;
    for (const auto& input : p.inputs)
      inputs += fmt::format("{}{}[{}]", inputs.empty() ? "" : " ", input.name, fmt::join(input.dims, ","));
    for (const auto& [name, size] : p.extents)
      sizes += fmt::format("{}{}={}", sizes.empty() ? "" : " ", name, size);
    fmt::print("{:<16} {:<37} {:<28} {}\n", p.name, inputs, sizes, p.doc);
  }
}

}  // namespace

void add_mugraph_listings(CLI::App& mugraph, Session& session) {
  CLI::App* c = &mugraph;
  auto s = std::make_shared<ShowArgs>();
  CLI::App* show_command = c->add_subcommand("show", "print the muGraphs of a file");
  show_command->add_option("file", s->file, "Mirage's JSON, or a .graph")->required();
  show_command->add_option("--index", s->index, "only this one");
  show_command->add_flag("--plan", s->plan,
                         "how each block runs: what shares registers, barriers, places in shared memory");
  show_command->add_option("--target", s->target, "of the plan and its cost: " + target_help())
      ->capture_default_str();
  show_command->add_flag("--threads", s->threads,
                         "with thread graphs: elementwise operators fused to what one thread does");
  show_command
      ->add_option_function<std::string>(
          "--layouts",
          [s](const std::string& word) {
            s->layouts = word == "ilp" ? mugraph::LayoutMethod::kIlp : mugraph::LayoutMethod::kEnumerate;
          },
          "the best tensor layouts, by an integer program or by enumeration")
      ->check(CLI::IsMember({"ilp", "enumerate"}));
  show_command->add_flag("--graph", s->graph,
                         "as a program, its kernels operators: what isomer verify and this command read "
                         "(.graph)");
  show_command->add_option("--html", s->html, "write a page that draws them, their schedule and memory plan");
  show_command->callback([s, &session] {
    const api::StopRelay relay(session.stop);
    show(*s, relay.token());
  });

  auto q = std::make_shared<PartitionArgs>();
  CLI::App* partition_command =
      c->add_subcommand("partition", "which parts of a program can be searched and judged, and what cannot");
  partition_command->add_option("file", q->file, "ONNX, .model, .dag, .graph or a term")->required();
  partition_command->add_option("--dim", q->dims, "fix a dynamic dimension: name=value");
  partition_command->add_flag("--json", q->json, "print one JSON object on standard output");
  partition_command->callback([q] { partition(*q); });

  CLI::App* list =
      c->add_subcommand("programs", "the programs that muGraphs are searched for and compared with");
  auto l = std::make_shared<PartitionArgs>();
  list->add_option("--from", l->file,
                   "pieces of this file that can be searched, instead of those with names");
  list->add_option("--dim", l->dims, "fix a dynamic dimension of FILE: name=value");
  list->callback([l] { list_programs(*l); });
}

}  // namespace isomer::cli
