#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <nlohmann/json.hpp>

#include "api/session.h"
#include "cli/commands.h"
#include "cli/plain_numbers.h"
#include "cli/print_json.h"
#include "recipes/variants.h"

namespace isomer::cli {

void add_variants(CLI::App& app, Session& session) {
  auto options = std::make_shared<recipes::VariantOptions>();
  CLI::App* command = app.add_subcommand(
      "variants", "Write many equivalent programs with their costs, to judge a cost model by");
  command->add_option("model", options->input, "the ONNX model")->required();
  command->add_option("-o,--output", options->folder, "the folder to write to")->required();
  command->add_option("--count", options->count, "at most so many")
      ->check(at_least_one())
      ->capture_default_str();
  command->add_option("--cost", options->cost, "cost model, as of optimize")->capture_default_str();
  command->add_option("--rules", options->rules, "rule files (default: the shipped rule sets)");
  command->add_option("--k-multi", options->k_multi, "iterations in which multi-pattern rules are applied")
      ->capture_default_str();
  command->add_option("--seed", options->seed, "seed of the disturbances")->capture_default_str();
  command->callback([options, &session] {
    const RunHooks hooks = terminal_hooks(session);
    api::HookProgress progress(hooks);
    const api::StopRelay relay(hooks.stop);
    nlohmann::ordered_json out;
    out["cost_model"] = options->cost;
    for (const recipes::Variant& v : recipes::write_variants(*options, relay.token(), progress))
      out["variants"].push_back({{"file", v.file}, {"cost", v.cost}, {"verification", v.verification}});
    end_progress();
    print_json(out);
  });
}

}  // namespace isomer::cli
