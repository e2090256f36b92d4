// report: two runs beside each other.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <array>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/commands.h"
#include "cli/print_json.h"
#include "report/run_comparison.h"
#include "support/atomic_file.h"
#include "support/files.h"
#include "support/outputs.h"

namespace isomer::cli {
namespace {

struct ReportArgs {
  std::array<std::string, 2> records;
  std::string output;
  bool json = false;
};

report::RecordedRun recorded(const std::string& path) {
  return {std::filesystem::path(path).stem().string(), report::checked_record(path, read_file(path))};
}

std::string in_words(const report::Json& value) {
  return value.is_string() ? value.get<std::string>() : value.is_null() ? "-" : value.dump();
}

void print_differences(const report::Json& comparison) {
  for (const report::Json& figure : comparison["figures"])
    if (const report::Json& values = figure["values"]; values[0] != values[1])
      fmt::print("{}: {} | {}\n", figure["what"].get<std::string>(), in_words(values[0]),
                 in_words(values[1]));
  fmt::print("rewrites: {} in both, {} and {} in one alone\n", comparison["common_rewrites"].get<size_t>(),
             comparison["rewrites"][0].size(), comparison["rewrites"][1].size());
}

void run(const ReportArgs& a) {
  const NamedFile outputs[] = {{"-o", a.output}};
  const NamedFile inputs[] = {{"records", a.records[0]}, {"records", a.records[1]}};
  check_outputs(outputs, inputs);
  report::Json comparison = report::compared(recorded(a.records[0]), recorded(a.records[1]));
  if (!a.output.empty()) write_file(a.output, report::comparison_html(comparison));
  if (a.json) {
    comparison["output"] = a.output.empty() ? report::Json() : report::Json(a.output);
    print_json(comparison);
    return;
  }
  print_differences(comparison);
  if (!a.output.empty()) fmt::print("written: {}\n", a.output);
}

}  // namespace

void add_report(CLI::App& app) {
  auto a = std::make_shared<ReportArgs>();
  CLI::App* c = app.add_subcommand(
      "report", "Two runs of the main job beside each other: what came of them, times, steps that differ");
  c->add_option("first", a->records[0], "a record, as `isomer optimize --record` writes it")->required();
  c->add_option("second", a->records[1], "another")->required();
  c->add_option("-o,--output", a->output, "a page of it, HTML");
  c->add_flag("--json", a->json, "print one JSON object on standard output");
  c->callback([a] { run(*a); });
}

}  // namespace isomer::cli
