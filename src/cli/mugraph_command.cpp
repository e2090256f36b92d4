// mugraph: look at muGraphs in Mirage's JSON, and say which of them compute a program.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "mugraph/mirage_json.h"
#include "mugraph/verify_mugraph.h"
#include "support/errors.h"

namespace isomer::cli {
namespace {

using Json = nlohmann::ordered_json;
using mugraph::MuGraph;

Json json_of(const mugraph::MuVerdict& v, size_t index) {
  Json j;
  j["index"] = index;
  j["verdict"] = verify::to_string(v.verdict.kind);
  j["method"] = v.verdict.method;
  j["error_probability"] = v.verdict.error_probability();
  j["tests"] = v.tests;
  j["max_relative_error"] = v.verdict.max_relative_error;
  if (!v.verdict.counterexample.empty()) j["counterexample"] = v.verdict.counterexample;
  if (!v.verdict.note.empty()) j["note"] = v.verdict.note;
  return j;
}

struct VerifyArgs {
  std::string file, program;
  mugraph::MuVerifyOptions options;
  bool no_floats = false;
  bool json = false;
};

/// Whatever is not shown to be equal makes exit status 4.
void run_verify(const VerifyArgs& a, Session& session) {
  const mugraph::Program& program = mugraph::program(a.program);
  const std::vector<MuGraph> graphs = mugraph::read_mirage_json(a.file);
  mugraph::MuVerifyOptions options = a.options;
  options.floats = !a.no_floats;
  Json results = Json::array();
  size_t accepted = 0;
  for (size_t i = 0; i < graphs.size() && !session.stop->load(); ++i) {
    const mugraph::MuVerdict v = mugraph::verify_mugraph(graphs[i], program, options);
    accepted += v.verdict.equivalent();
    if (a.json) {
      results.push_back(json_of(v, i));
    } else {
      fmt::print("{:>4}  {}\n", i, verify::summary(v.verdict));
    }
  }
  if (a.json) {
    Json j;
    j["file"] = a.file;
    j["program"] = program.name;
    j["mugraphs"] = graphs.size();
    j["accepted"] = accepted;
    j["results"] = std::move(results);
    fmt::print("{}\n", j.dump());
  } else {
    fmt::print("{} of {} muGraphs compute {}\n", accepted, graphs.size(), program.name);
  }
  if (accepted != graphs.size()) session.status = static_cast<int>(ExitStatus::kVerificationFailed);
}

void show(const std::string& file, int index) {
  const std::vector<MuGraph> graphs = mugraph::read_mirage_json(file);
  if (index >= static_cast<int>(graphs.size()))
    throw UsageError(fmt::format("--index {}: the file holds {} muGraphs", index, graphs.size()));
  for (size_t i = 0; i < graphs.size(); ++i)
    if (index < 0 || static_cast<size_t>(index) == i)
      fmt::print("muGraph {}\n{}\n", i, mugraph::print(graphs[i]));
}

void list_programs() {
  for (const mugraph::Program& p : mugraph::programs()) {
    std::string inputs;
    for (const auto& input : p.inputs)
      inputs += fmt::format("{}{}[{}]", inputs.empty() ? "" : " ", input.name, fmt::join(input.dims, ","));
    fmt::print("{:<16} {:<56} {}\n", p.name, p.doc, inputs);
  }
}

}  // namespace

void add_mugraph(CLI::App& app, Session& session) {
  CLI::App* c = app.add_subcommand("mugraph", "Generated kernels: show, verify");
  c->require_subcommand(1);

  struct ShowArgs {
    std::string file;
    int index = -1;
  };
  auto s = std::make_shared<ShowArgs>();
  CLI::App* show_command = c->add_subcommand("show", "print the muGraphs of a file");
  show_command->add_option("file", s->file, "Mirage's JSON")->required();
  show_command->add_option("--index", s->index, "only this one");
  show_command->callback([s] { show(s->file, s->index); });

  auto v = std::make_shared<VerifyArgs>();
  CLI::App* verify_command = c->add_subcommand("verify", "do the muGraphs of a file compute a program?");
  verify_command->add_option("file", v->file, "Mirage's JSON")->required();
  verify_command->add_option("--program", v->program, "see isomer mugraph programs")->required();
  verify_command->add_option("--seed", v->options.seed, "of the random inputs")->capture_default_str();
  verify_command->add_flag("--no-floats", v->no_floats, "field tests only, no run in double precision");
  verify_command->add_flag("--json", v->json, "print one JSON object on standard output");
  verify_command->callback([v, &session] { run_verify(*v, session); });

  CLI::App* list = c->add_subcommand("programs", "the programs that muGraphs are compared with");
  list->callback([] { list_programs(); });
}

}  // namespace isomer::cli
