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

std::string stem_of(const std::string& path) { return std::filesystem::path(path).stem().string(); }

/// Both, under names that tell them apart.
std::array<report::RecordedRun, 2> recorded(const std::array<std::string, 2>& paths) {
  const bool alike = stem_of(paths[0]) == stem_of(paths[1]);
  std::array<report::RecordedRun, 2> out;
  for (const size_t i : {0, 1})
    out[i] = {alike ? paths[i] : stem_of(paths[i]), report::checked_record(paths[i], read_file(paths[i]))};
  return out;
}

std::string in_words(const report::Json& value) {
  return value.is_string() ? value.get<std::string>() : value.is_null() ? "-" : value.dump();
}

/// Of a table the rows that differ: `label` is what a row is about, `values` what both have.
void print_rows(const report::Json& rows, const std::string& before, const char* label, const char* values) {
  for (const report::Json& row : rows)
    if (row["differs"].get<bool>())
      fmt::print("{}{}: {} | {}\n", before, row[label].get<std::string>(), in_words(row[values][0]),
                 in_words(row[values][1]));
}

void print_differences(const report::Json& comparison) {
  fmt::print("{}\nWhat differs, {} | {}:\n", report::comparison_title(comparison),
             in_words(comparison["runs"][0]), in_words(comparison["runs"][1]));
  print_rows(comparison["figures"], "", "what", "values");
  print_rows(comparison["steps"], "step ", "step", "outcomes");
  print_rows(comparison["rules"], "rule ", "rule", "counts");
  fmt::print("rewrites: {} in both, {} and {} in one alone\n", comparison["common_rewrites"].get<size_t>(),
             comparison["rewrites"][0].size(), comparison["rewrites"][1].size());
}

void run(const ReportArgs& a) {
  const NamedFile outputs[] = {{"-o", a.output}};
  const NamedFile inputs[] = {{"records", a.records[0]}, {"records", a.records[1]}};
  check_outputs(outputs, inputs);
  const std::array<report::RecordedRun, 2> runs = recorded(a.records);
  report::Json comparison = report::compared(runs[0], runs[1]);
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
  c->add_option("second", a->records[1], "the record that it is compared with")->required();
  c->add_option("-o,--output", a->output, "a page of it, HTML");
  c->add_flag("--json", a->json, "print one JSON object on standard output");
  c->callback([a] { run(*a); });
}

}  // namespace isomer::cli
