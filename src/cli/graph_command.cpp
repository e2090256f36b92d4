#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <array>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/print_json.h"
#include "codegen/estimate.h"
#include "codegen/generate.h"
#include "codegen/gpu_estimate.h"
#include "cost/flops.h"
#include "hlo/print.h"
#include "ir/op_report.h"
#include "ir/op_table.h"
#include "ir/print.h"
#include "native/compiler.h"
#include "native/kernels.h"
#include "passes/program_writer.h"
#include "recipes/load.h"
#include "recipes/native_trial.h"
#include "report/dot.h"
#include "report/graph_diff.h"
#include "report/json_value.h"
#include "runtime/hlo_files.h"
#include "support/outputs.h"
#include "support/units.h"

namespace isomer::cli {
namespace {

struct GraphArgs {
  std::string file, other;
  std::vector<std::string> files, dims;
  bool json = false;
};

CLI::App* one_file(CLI::App& graph, const char* name, const char* help,
                   const std::shared_ptr<GraphArgs>& args) {
  CLI::App* command = graph.add_subcommand(name, help);
  command->add_option("file", args->file, "ONNX, .model, .dag, .graph or a term")->required();
  command->add_option("--dim", args->dims, "fix a dynamic dimension: name=value");
  return command;
}

/// graph hlo: the program as a module of XLA.
void add_hlo(CLI::App& graph, const std::shared_ptr<GraphArgs>& args) {
  CLI::App* hlo = one_file(graph, "hlo", "write the program as HLO, or as StableHLO", args);
  auto output = std::make_shared<std::string>();
  hlo->add_option("-o,--output", *output,
                  "the file: .mlir and .mlirbc are StableHLO, all else HLO text (default: print it)");
  hlo->callback([args, output] {
    check_outputs(std::array<NamedFile, 1>{{{"--output", *output}}},
                  std::array<NamedFile, 1>{{{"FILE", args->file}}});
    ir::Context ctx(ir::standard_ops());
    const recipes::Program p = recipes::load_program(ctx, args->file, recipes::parse_dims(args->dims));
    const hlo::Module module = passes::module_of(p.graph);
    if (output->empty()) return fmt::print("{}", hlo::print(module, hlo::Dialect::kShort));
    runtime::write_hlo(*output, module);
  });
}

void print_gpu_estimate(const codegen::LoopProgram& program, const std::string& gpu) {
  const machine::Gpu named = machine::gpu_named(gpu);
  for (const double seconds : codegen::gpu_seconds_each(program, named))
    fmt::print("a kernel of {}\n", format_seconds(seconds));
  fmt::print("a run of {}\n", format_seconds(codegen::gpu_seconds(program, named)));
}

/// With what a launch says of each kernel, as comments.
void print_ptx(const codegen::LoopProgram& program, const std::string& gpu) {
  const native::GpuKernels kernels = native::gpu_kernels_of(program);
  for (size_t k = 0; k < kernels.functions.size(); ++k) {
    const codegen::GpuKernel& f = kernels.functions[k];
    fmt::print("// {}: {} blocks of {} threads, {} bytes of shared memory\n",
               native::Kernels::name(static_cast<int>(k)), f.blocks, f.threads, f.shared_bytes);
  }
  fmt::print("{}", kernels.ptx(gpu));
}

/// graph loops: what code generation makes of a program, and whether its machine code computes the same.
void add_loops(CLI::App& graph, const std::shared_ptr<GraphArgs>& args) {
  CLI::App* loops = one_file(graph, "loops", "the loops that machine code is made from", args);
  struct Wanted {
    std::string cpu, gpu;
    int64_t lanes = 0, rows = 0;
    bool ptx = false, estimate = false;
  };
  auto wanted = std::make_shared<Wanted>();
  auto run = std::make_shared<bool>(false);
  CLI::Option* cpu = loops->add_option("--cpu", wanted->cpu,
                                       "for this processor, as LLVM names it (default: this machine's)");
  CLI::Option* gpu = loops->add_option("--gpu", wanted->gpu,
                                       "for this graphics processor, as LLVM names it: sm_90a, sm_90, sm_80");
  loops->add_flag("--ptx", wanted->ptx, "print the kernels, too, as PTX")->needs(gpu);
  loops->add_option("--lanes", wanted->lanes, "elements of a vector (default: two registers)")
      ->check(CLI::Range(1, 64));
  loops->add_option("--rows", wanted->rows, "rows of a product's register tile (default: what fits)")
      ->check(CLI::Range(1, 16));
  loops->add_flag("--estimate", wanted->estimate, "print what they cost by the compiler's own model instead");
  CLI::Option* runs =
      loops->add_flag("--run", *run, "compile them, run them on random inputs, compare with evaluation");
  runs->excludes(cpu);  // what runs is made for this machine
  loops->add_flag("--json", args->json, "print what the run says as one JSON object")->needs(runs);
  for (const char* other : {"--cpu", "--lanes", "--rows", "--run"}) gpu->excludes(loops->get_option(other));
  loops->callback([args, wanted, run] {
    codegen::ScheduleOptions options = codegen::options_for(recipes::machine_named(wanted->cpu));
    if (wanted->lanes > 0) options.lanes = wanted->lanes;
    if (wanted->rows > 0) options.rows = wanted->rows;
    ir::Context ctx(ir::standard_ops());
    const recipes::Program p = recipes::load_program(ctx, args->file, recipes::parse_dims(args->dims));
    if (!wanted->gpu.empty()) {
      native::require_gpu(wanted->gpu);
      const codegen::LoopProgram program =
          codegen::generate_for_gpu(p.graph, codegen::gpu_options_for(wanted->gpu));
      if (wanted->estimate)
        print_gpu_estimate(program, wanted->gpu);
      else
        fmt::print("{}", codegen::print(program));
      if (wanted->ptx) print_ptx(program, wanted->gpu);
      return;
    }
    const codegen::LoopProgram program = codegen::generate(p.graph, options);
    if (wanted->estimate) {
      const codegen::Estimate e = codegen::estimate(program, options);
      fmt::print(
          "{:.4g} cycles: {:.4g} of arithmetic and what is near, {:.4g} of the second cache, {:.4g} of the "
          "last, {:.4g} of memory\n",
          e.cycles(), e.arithmetic, e.near, e.far, e.memory);
    } else if (!args->json) {
      fmt::print("{}", codegen::print(program));
    }
    if (!*run) return;
    constexpr uint64_t kSeed = 1;
    const recipes::NativeTrial t = recipes::try_native(p.graph, options, kSeed);
    if (args->json)
      print_json({{"difference", report::number(t.difference)},
                  {"compile_seconds", t.compile_seconds},
                  {"run_seconds", t.run_seconds},
                  {"runs", t.runs}});
    else
      fmt::print(
          "\ndiffers from evaluation by {:.2g} of the largest element; compiled in {:.4f} s; a run takes "
          "{:.3g} s "
          "(median of {})\n",
          t.difference, t.compile_seconds, t.run_seconds, t.runs);
  });
}

}  // namespace

void add_graph(CLI::App& app, Session&) {
  CLI::App* graph = app.add_subcommand("graph", "Look at programs: show, stats, diff, dot, loops, hlo");
  graph->require_subcommand(1);
  auto args = std::make_shared<GraphArgs>();

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

  add_loops(*graph, args);
  add_hlo(*graph, args);

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
