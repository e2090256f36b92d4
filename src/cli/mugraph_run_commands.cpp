// mugraph compile, mugraph bench: muGraphs as machine code of this machine.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>

#include "api/session.h"
#include "cli/commands.h"
#include "cli/plain_numbers.h"
#include "cli/print_json.h"
#include "ir/op_table.h"
#include "mugraph/ir_graph.h"
#include "mugraph/schedules.h"
#include "mugraph/verify_mugraph.h"
#include "native/compiler.h"
#include "recipes/compile.h"
#include "recipes/kernel_trials.h"
#include "recipes/mirage.h"
#include "support/errors.h"
#include "support/outputs.h"
#include "support/store.h"
#include "support/units.h"

namespace isomer::cli {
namespace {

using Json = nlohmann::ordered_json;

struct CompileArgs {
  std::string file;
  recipes::KernelProgram program;
  size_t index = 0;
  CompileOptions options;
  std::string dtype = "f32";
  bool json = false, no_check = false;
};

void run_compile(const CompileArgs& a, const StopToken& stop) {
  check_outputs(std::array<NamedFile, 1>{{{"--output", a.options.output}}},
                std::array<NamedFile, 1>{{{"the muGraphs", a.file}}});
  const std::vector<mugraph::MuGraph> graphs = mugraph::read_mugraphs(a.file);
  if (a.index >= graphs.size())
    throw UsageError(fmt::format("--index {}: {} has {} muGraphs", a.index, a.file, graphs.size()));
  if (!a.program.name.empty() || !a.program.file.empty()) {
    const mugraph::Program program = recipes::choose_program(a.program, "--program NAME");
    const mugraph::MuVerdict v = mugraph::verify_mugraph(graphs[a.index], program, {}, stop);
    if (!v.verdict.equivalent())
      throw VerificationError(fmt::format("{}: muGraph {} is not shown to compute {}: {}", a.file, a.index,
                                          program.name, mugraph::summary(v)));
  }
  ir::Context ctx(ir::standard_ops());
  const CompileResult r = recipes::compile_graph(
      mugraph::to_graph(ctx, graphs[a.index], *ir::parse_dtype(a.dtype)), {}, a.options);
  print_compiled(r, a.json);
}

struct BenchArgs {
  recipes::KernelProgram program;
  std::string target, output, dtype = "f32";
  recipes::KernelTrialOptions trials;
  double seconds = 300;
  bool fresh = false, json = false;
};

/// Grids and loops of the kernels: "32x2x1/256".
std::string schedule_of(const mugraph::MuGraph& graph) {
  std::string out;
  for (const mugraph::KernelNode& n : graph.nodes)
    out += fmt::format(
        "{}{}", out.empty() ? "" : ", ",
        n.block ? fmt::format("{}/{}", fmt::join(n.block->grid, "x"), fmt::join(n.block->loops, "x"))
                : graph.ops->get(n.op).name);
  return out;
}

Json json_of(const recipes::TriedKernel& k, bool on_gpu) {
  Json j;
  j["index"] = k.index;
  j["predicted_seconds"] = k.predicted;
  const auto known = [&](double v) { return k.run.failure.empty() ? Json(v) : Json(); };
  const auto estimated = [&](bool in_this) {
    return in_this && std::isfinite(k.estimated) ? Json(k.estimated) : Json();
  };
  j["estimated_cycles"] = estimated(!on_gpu);
  j["estimated_seconds"] = estimated(on_gpu);
  j["seconds"] = known(k.run.run_seconds);
  j["difference"] = known(k.run.difference);
  j["compile_seconds"] = k.run.compile_seconds;
  j["kernels"] = k.graph->nodes.size();
  j["schedule"] = schedule_of(*k.graph);
  if (!k.run.failure.empty()) j["failure"] = k.run.failure;
  return j;
}

std::string estimate_of(const recipes::TriedKernel& k, bool on_gpu) {
  if (!std::isfinite(k.estimated)) return {};
  return on_gpu ? fmt::format("{} by its loops, ", format_seconds(k.estimated))
                : fmt::format("{:.0f} cycles, ", k.estimated);
}

/// What a search found, and whether finer grids and loops are among it.
struct FoundSchedules {
  recipes::KernelSearch search;
  bool finer = false;
};

/// With finer choices as well where fewer are found than are to be drawn, if there is time for them and they
/// add any.
FoundSchedules find_schedules(const mugraph::Program& program, const mugraph::Extents& extents,
                              mugraph::SearchOptions options, const BenchArgs& a, const LimitWatch& watch) {
  Store store = Store::of_user();
  const auto search = [&] { return recipes::search_kernels(program, extents, options, a.fresh, store); };
  FoundSchedules out{search()};
  options.limits.seconds = watch.remaining();
  if (!a.trials.drawn || out.search.schedules.size() >= a.trials.most || options.limits.stop.requested() ||
      out.search.result.stop_reason != StopReason::kSaturated || options.limits.seconds <= 0)
    return out;
  options.target = mugraph::with_finer_choices(options.target);
  try {
    recipes::KernelSearch finer = search();
    if (finer.schedules.size() > out.search.schedules.size()) out = {std::move(finer), true};
  } catch (const Error&) {
    if (!options.limits.stop.requested()) throw;  // interrupted: what was found before stands
  }
  return out;
}

void print_schedules(const FoundSchedules& s, const std::string& name) {
  fmt::print("{}: {} structures, {} schedules{}\n", name, s.search.result.found.size(),
             s.search.schedules.size(), s.finer ? " with finer grids and loops" : "");
  if (const uint64_t cut = s.search.result.cut; cut > 0)
    fmt::print("of {} structures not all: at most {} of each are looked at\n", cut, mugraph::kMostSchedules);
}

void print_trials(const recipes::KernelTrials& t, const std::string& name, bool on_gpu) {
  fmt::print("{}: {} by the compiler's own schedules{}\n", name, format_seconds(t.plain.run_seconds),
             t.plain.failure.empty() ? "" : " (" + t.plain.failure + ")");
  for (size_t i = 0; i < t.tried.size(); ++i) {
    const recipes::TriedKernel& k = t.tried[i];
    fmt::print("{:>4}  {:<24} {} predicted, {}{}{}\n", i, schedule_of(*k.graph), format_seconds(k.predicted),
               estimate_of(k, on_gpu),
               k.run.failure.empty() ? fmt::format("{} measured, error {:.1e}",
                                                   format_seconds(k.run.run_seconds), k.run.difference)
                                     : k.run.failure,
               t.best == i ? "  <- fastest" : "");
  }
  if (!t.best) return fmt::print("no muGraph runs\n");
  fmt::print(
      "{:.2f} times as fast as the compiler's own schedules ({:.2f} to {:.2f} by round); rank correlation of "
      "the cost model {:.2f}\n",
      t.gain.median, t.gain.least, t.gain.most, t.rank_correlation);
  fmt::print("\n{}", mugraph::print(*t.tried[*t.best].graph));
}

void run_bench(const BenchArgs& a, Session& session, const StopToken& stop) {
  const mugraph::Program program = recipes::choose_program(a.program, "the name of a program");
  const mugraph::Extents extents = recipes::extents_of(program, a.program);
  check_outputs(std::array<NamedFile, 1>{{{"--output", a.output}}},
                std::array<NamedFile, 1>{{{"--from", a.program.file}}});
  native::require_linker();
  if (!a.trials.race.gpu.empty()) native::require_gpu(a.trials.race.gpu);
  const ir::DType dtype = *ir::parse_dtype(a.dtype);
  mugraph::SearchOptions search = mugraph::preset_for(program);
  const bool on_gpu = !a.trials.race.gpu.empty();
  search.target = mugraph::target(!a.target.empty() ? a.target : on_gpu ? "a100" : "local");
  search.limits.seconds = a.seconds;
  search.limits.stop = stop;
  Limits limits;
  limits.seconds = a.seconds;
  limits.stop = stop;
  LimitWatch watch(limits);
  const FoundSchedules schedules = find_schedules(program, extents, search, a, watch);
  const recipes::KernelSearch& found = schedules.search;
  recipes::KernelTrialOptions trials = a.trials;
  trials.watch = &watch;
  const RunHooks hooks = terminal_hooks(session);
  if (hooks.progress)
    trials.progress = [&](size_t done, size_t all) {
      constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
      hooks.progress("timing muGraphs", static_cast<double>(done) / static_cast<double>(all), kUnknown,
                     kUnknown, "");
    };
  ir::Context ctx(ir::standard_ops());
  const recipes::KernelTrials t = recipes::try_kernels(
      program.graph(ctx, extents, dtype),
      [&](const mugraph::MuGraph& m) { return mugraph::to_graph(ctx, m, dtype); }, found.result, trials);
  end_progress();
  if (!a.output.empty() && t.best) {
    CompileOptions options;
    options.output = a.output;
    options.threads = trials.race.threads;
    options.gpu = trials.race.gpu;
    recipes::compile_graph(mugraph::to_graph(ctx, *t.tried[*t.best].graph, dtype), {}, options);
  }
  if (!t.best) session.status = static_cast<int>(ExitStatus::kVerificationFailed);
  if (!a.json) {
    print_schedules(schedules, program.name);
    return print_trials(t, program.name, on_gpu);
  }
  Json j;
  j["program"] = program.name;
  j["extents"] = extents;
  j["target"] = search.target.machine.name;
  j["structures"] = found.result.found.size();
  j["schedules"] = found.schedules.size();
  j["finer_schedules"] = schedules.finer;
  j["cut_structures"] = found.result.cut;
  j["plain_seconds"] = t.plain.run_seconds;
  j["best"] = t.best ? Json(*t.best) : Json();
  j["gain"] = {{"median", t.gain.median}, {"least", t.gain.least}, {"most", t.gain.most}};
  j["rank_correlation"] = std::isnan(t.rank_correlation) ? Json() : Json(t.rank_correlation);
  j["tried"] = Json::array();
  for (const recipes::TriedKernel& k : t.tried) j["tried"].push_back(json_of(k, on_gpu));
  print_json(j);
}

}  // namespace

void add_mugraph_runs(CLI::App& mugraph, Session& session) {
  auto c = std::make_shared<CompileArgs>();
  CLI::App* compile =
      mugraph.add_subcommand("compile", "a muGraph as a shared object, run by its blocks and loops");
  compile->add_option("file", c->file, "Mirage's JSON, or a .graph")->required();
  compile->add_option("--index", c->index, "which of the file")->capture_default_str();
  compile->add_option("-o,--output", c->options.output, "the shared object to write")->required();
  compile->add_option("--program", c->program.name, "write it only if it computes this program");
  compile->add_option("--from", c->program.file, "as --program, of a program in this file");
  compile->add_option("--part", c->program.part, "which of the programs that isomer mugraph programs lists");
  compile->add_option("--threads", c->options.threads, "threads that it is tried and timed with")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  compile->add_option("--gpu", c->options.gpu, "for this graphics processor, as LLVM names it: sm_90, sm_80");
  compile->add_option("--float", c->dtype, "element type of its tensors")
      ->check(CLI::IsMember({"f32", "f16", "bf16"}))
      ->capture_default_str();
  compile->add_flag("--no-check", c->no_check, "do not run it");
  compile->add_flag("--json", c->json, "print one JSON object");
  compile->callback([c, &session] {
    const api::StopRelay relay(session.stop);
    c->options.check = !c->no_check;
    run_compile(*c, relay.token());
  });

  auto b = std::make_shared<BenchArgs>();
  CLI::App* bench = mugraph.add_subcommand(
      "bench", "search a program, compile the best muGraphs and time them beside the program itself");
  bench->add_option("program", b->program.name, "see isomer mugraph programs");
  bench->add_option("--from", b->program.file, "take the program out of this file");
  bench->add_option("--part", b->program.part, "which of the programs that isomer mugraph programs lists");
  bench->add_option("--dim", b->program.dims, "size of a dimension: name=value (may be repeated)");
  bench->add_option("--target", b->target,
                    "what is searched for, local or with --gpu a100 unless said: " + target_help());
  bench->add_option("--gpu", b->trials.race.gpu,
                    "time them on this graphics processor, as LLVM names it: sm_90, sm_80");
  bench->add_option("--float", b->dtype, "element type of the tensors")
      ->check(CLI::IsMember({"f32", "f16", "bf16"}))
      ->capture_default_str();
  bench->add_option("--best", b->trials.most, "how many muGraphs are compiled and timed")
      ->check(at_least_one())
      ->capture_default_str();
  bench->add_flag(
      "--draw", b->trials.drawn,
      "time so many by chance instead, each in every round: whether the cost model ranks them; where "
      "there are fewer, finer grids and loops count as well");
  bench->add_option("--rounds", b->trials.rounds, "in which the fastest is timed beside the program")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  bench->add_option("--threads", b->trials.race.threads, "threads of what is timed")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  bench->add_flag("--fresh", b->fresh, "search again even if this very search is kept in the store");
  bench->add_option_function<std::string>(
      "--time-limit", [b](const std::string& t) { b->seconds = parse_seconds(t); },
      "of search and trials together, for example 60s (default 300s)");
  bench->add_option("-o,--output", b->output, "write the fastest as a shared object");
  bench->add_flag("--json", b->json, "print one JSON object on standard output");
  bench->callback([b, &session] {
    const api::StopRelay relay(session.stop);
    run_bench(*b, session, relay.token());
  });
}

}  // namespace isomer::cli
