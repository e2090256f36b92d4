// import: a selection that was made elsewhere, back as a model.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/print_json.h"
#include "recipes/import_selection.h"
#include "report/json_value.h"
#include "support/units.h"

namespace isomer::cli {
namespace {

void run_import(const recipes::ImportOptions& options, bool json) {
  const recipes::ImportResult r = recipes::import_selection(options);
  if (!json) {
    fmt::print("{}: {} operators, then {}; cost {:.6g} by the file; {}, {}\n", options.output, r.nodes_before,
               r.nodes_after, r.cost, to_string(r.comparison.verdict), r.comparison.scope);
    return;
  }
  nlohmann::ordered_json j;
  j["output"] = options.output;
  j["nodes_before"] = r.nodes_before;
  j["nodes_after"] = r.nodes_after;
  j["cost"] = report::number(r.cost);
  j["verdict"] = to_string(r.comparison.verdict);
  j["scope"] = r.comparison.scope;
  j["method"] = r.comparison.method;
  j["max_relative_error"] = report::number(r.comparison.max_relative_error);
  print_json(j);
}

}  // namespace

void add_import(CLI::App& app) {
  auto o = std::make_shared<recipes::ImportOptions>();
  auto json = std::make_shared<bool>(false);
  CLI::App* c = app.add_subcommand("import", "A selection that was made elsewhere, back as a verified model");
  c->add_option("selection", o->selection, "JSON: class id -> e-node id, as `isomer extract -o` writes it")
      ->required();
  c->add_option("--egraph", o->egraph, "the e-graph that it is of, as `isomer explore -o` wrote it")
      ->required();
  c->add_option("--model", o->model, "the ONNX model that the e-graph was grown from")->required();
  c->add_option("-o,--output", o->output, "the ONNX model to write")->required();
  c->add_option("--dim", o->dims, "as `isomer explore` had it: name=value");
  c->add_option("--tolerance", o->compare.tolerance, "of the comparison")->capture_default_str();
  c->add_option("--seed", o->compare.seed, "of the inputs")->capture_default_str();
  c->add_option_function<std::string>(
      "--time-limit", [o](const std::string& t) { o->compare.time_limit = parse_seconds(t); },
      "of the comparison, for example 60s");
  c->add_flag("--json", *json, "print one JSON object on standard output");
  c->callback([o, json] { run_import(*o, *json); });
}

}  // namespace isomer::cli
