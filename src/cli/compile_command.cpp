#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/print_json.h"
#include "isomer/compile.h"
#include "report/json_value.h"
#include "support/units.h"

namespace isomer::cli {

namespace {

std::string bytes(int64_t count) { return format_bytes(static_cast<uint64_t>(count)); }

}  // namespace

void print_compiled(const CompileResult& r, bool json) {
  if (json) return print_json(report::json_of(r));
  fmt::print(
      "{}: {} kernels in {} calls, {} of weights ({} prepared at load), {} of workspace; compiled in {}\n",
      r.output, r.kernels, r.calls, bytes(r.weight_bytes), bytes(r.prepared_bytes), bytes(r.workspace_bytes),
      format_seconds(r.compile_seconds));
  if (!r.decision.empty()) fmt::print("compiled is {}\n", r.decision);
  if (!r.verification.empty()) fmt::print("held to what was read: {}\n", r.verification);
  for (const std::string& why : r.written_out)
    fmt::print("a kernel is compiled as ordinary operators: {}\n", why);
  if (r.checked)
    fmt::print(
        "agrees with evaluation in double precision to {:.1e} of the largest element; loads in {}, runs in "
        "{} "
        "(median of {})\n",
        r.difference, format_seconds(r.load_seconds), format_seconds(r.run_seconds), r.runs);
  else
    fmt::print("not checked\n");
}

namespace {

/// What became of the pieces of a model.
void print_pieces(const CompileResult& m) {
  if (m.estimated) fmt::print("nothing was run: times are estimates\n");
  fmt::print("pieces of {}\n", m.decision);
  for (const CompiledPiece& p : m.pieces) {
    fmt::print("  {}{}: ", p.what, p.times > 1 ? fmt::format(" ({} times)", p.times) : "");
    if (p.kernel_seconds > 0)
      fmt::print("{} by default schedules, {} by the best of {} muGraphs, {:.2f} times as fast; ",
                 format_seconds(p.plain_seconds), format_seconds(p.kernel_seconds), p.schedules,
                 p.gain.median);
    fmt::print("{}\n", p.taken ? "taken" : p.reason);
  }
  if (m.mugraphs > 0)
    fmt::print("{} muGraphs in the program, {:.2f} times as fast as without{}\n", m.mugraphs, m.gain.median,
               m.estimated ? std::string(" by the estimate")
                           : fmt::format(" ({:.2f} to {:.2f} by round)", m.gain.least, m.gain.most));
  else
    fmt::print("no muGraph makes the program faster: it is compiled by default schedules\n");
}

}  // namespace

void add_compile(CLI::App& app, Session& session) {
  auto options = std::make_shared<CompileOptions>();
  auto json = std::make_shared<bool>(false);
  auto no_check = std::make_shared<bool>(false);
  auto no_rewrite = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand("compile", "Write a shared object that computes a model by itself");
  command->add_option("model", options->input, "ONNX, .model, .dag, .graph or a term")->required();
  command->add_option("-o,--output", options->output, "the shared object to write")->required();
  command->add_option("--dim", options->dims, "fix a dynamic dimension: name=value");
  command->add_option("--threads", options->threads, "threads that it is tried and timed with")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  command->add_flag("--no-check", *no_check, "do not run it");
  command->add_flag("--no-rewrite", *no_rewrite, "compile what was read; seek no program that runs faster");
  command->add_option("--cpu", options->cpu,
                      "for this processor, as LLVM names it (default: this machine's)");
  command->add_option("--gpu", options->gpu,
                      "for this graphics processor, as LLVM names it: sm_90a, sm_90, sm_80");
  command->add_option("--seed", options->seed, "seed of the inputs that it is tried on")
      ->capture_default_str();
  command->add_flag("--json", *json, "print one JSON object");
  command
      ->add_option(
          "--recipe", options->recipe,
          "default, or mirage: muGraphs are searched for its pieces, and stand where they are faster")
      ->capture_default_str();
  command->add_option_function<std::string>(
      "--time-limit", [options](const std::string& t) { options->time_limit = parse_seconds(t); },
      "of searches and trials, for example 60s (default 60s; of --recipe mirage 300s)");
  command->callback([options, json, no_check, no_rewrite, &session] {
    options->check = !*no_check;
    options->rewrite = !*no_rewrite;
    CompileResult r = compile_model(*options, terminal_hooks(session));
    end_progress();
    if (options->recipe == "default" || *json) return print_compiled(r, *json);
    print_pieces(r);
    r.decision.clear();  // said above
    print_compiled(r, false);
  });
}

}  // namespace isomer::cli
