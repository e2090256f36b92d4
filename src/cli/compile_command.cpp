#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/print_json.h"
#include "isomer/compile.h"
#include "support/units.h"

namespace isomer::cli {

namespace {

std::string bytes(int64_t count) { return format_bytes(static_cast<uint64_t>(count)); }

}  // namespace

void print_compiled(const std::string& output, const CompileResult& r, bool json) {
  const auto known = [&](double value) {
    return r.checked ? nlohmann::ordered_json(value) : nlohmann::ordered_json();
  };
  if (json)
    return print_json({{"output", output},
                       {"kernels", r.kernels},
                       {"calls", r.calls},
                       {"calls_at_load", r.calls_at_load},
                       {"weight_bytes", r.weight_bytes},
                       {"prepared_bytes", r.prepared_bytes},
                       {"workspace_bytes", r.workspace_bytes},
                       {"compile_seconds", r.compile_seconds},
                       {"checked", r.checked},
                       {"difference", known(r.difference)},
                       {"load_seconds", known(r.load_seconds)},
                       {"run_seconds", known(r.run_seconds)},
                       {"runs", r.runs}});
  fmt::print(
      "{}: {} kernels in {} calls, {} of weights ({} prepared at load), {} of workspace; compiled in {}\n",
      output, r.kernels, r.calls, bytes(r.weight_bytes), bytes(r.prepared_bytes), bytes(r.workspace_bytes),
      format_seconds(r.compile_seconds));
  if (r.checked)
    fmt::print(
        "agrees with evaluation in double precision to {:.1e} of the largest element; loads in {}, runs in "
        "{} "
        "(median of {})\n",
        r.difference, format_seconds(r.load_seconds), format_seconds(r.run_seconds), r.runs);
  else
    fmt::print("not checked\n");
}

void add_compile(CLI::App& app, Session&) {
  auto options = std::make_shared<CompileOptions>();
  auto json = std::make_shared<bool>(false);
  auto no_check = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand("compile", "Write a shared object that computes a model by itself");
  command->add_option("model", options->input, "ONNX, .model, .dag, .graph or a term")->required();
  command->add_option("-o,--output", options->output, "the shared object to write")->required();
  command->add_option("--dim", options->dims, "fix a dynamic dimension: name=value");
  command->add_option("--threads", options->threads, "threads that it is tried and timed with")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  command->add_flag("--no-check", *no_check, "do not run it");
  command->add_option("--cpu", options->cpu,
                      "for this processor, as LLVM names it (default: this machine's)");
  command->add_option("--gpu", options->gpu, "for this graphics processor, as LLVM names it: sm_90, sm_80");
  command->add_option("--seed", options->seed, "seed of the inputs that it is tried on")
      ->capture_default_str();
  command->add_flag("--json", *json, "print one JSON object");
  command->callback([options, json, no_check] {
    options->check = !*no_check;
    const CompileResult r = compile_model(*options);
    print_compiled(options->output, r, *json);
  });
}

}  // namespace isomer::cli
