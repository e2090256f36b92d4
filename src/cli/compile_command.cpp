#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/print_json.h"
#include "recipes/compile.h"
#include "support/units.h"

namespace isomer::cli {

namespace {

std::string bytes(int64_t count) { return format_bytes(static_cast<uint64_t>(count)); }

}  // namespace

void add_compile(CLI::App& app, Session&) {
  auto options = std::make_shared<recipes::CompileOptions>();
  auto json = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand("compile", "Write a shared object that computes a model by itself");
  command->add_option("model", options->input, "ONNX, .model, .dag, .graph or a term")->required();
  command->add_option("-o,--output", options->output, "the shared object to write")->required();
  command->add_option("--dim", options->dims, "fix a dynamic dimension: name=value");
  command->add_option("--cpu", options->cpu,
                      "for this processor, as LLVM names it (default: this machine's)");
  command->add_flag("--json", *json, "print one JSON object");
  command->callback([options, json] {
    const recipes::CompileResult result = recipes::compile(*options);
    const native::SharedObject& r = result.made;
    if (*json)
      return print_json({{"output", options->output},
                         {"kernels", r.kernels},
                         {"calls", r.calls},
                         {"calls_at_load", r.at_load},
                         {"weight_bytes", r.weight_bytes},
                         {"prepared_bytes", r.prepared_bytes},
                         {"workspace_bytes", r.workspace_bytes},
                         {"seconds", result.seconds}});
    fmt::print(
        "{}: {} kernels in {} calls, {} of weights ({} prepared when it is loaded), {} of workspace; {:.2f} "
        "s\n",
        options->output, r.kernels, r.calls, bytes(r.weight_bytes), bytes(r.prepared_bytes),
        bytes(r.workspace_bytes), result.seconds);
  });
}

}  // namespace isomer::cli
