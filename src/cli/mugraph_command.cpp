// mugraph search, mugraph verify: find kernels of a program, and say which of a file compute it.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "api/session.h"
#include "cli/commands.h"
#include "cli/plain_numbers.h"
#include "cli/print_json.h"
#include "ir/op_table.h"
#include "mugraph/found_store.h"
#include "mugraph/ir_graph.h"
#include "mugraph/kernel_cost.h"
#include "mugraph/mirage_json.h"
#include "mugraph/numerics.h"
#include "mugraph/search.h"
#include "mugraph/verify_mugraph.h"
#include "recipes/mirage.h"
#include "support/atomic_file.h"
#include "support/errors.h"
#include "support/outputs.h"
#include "support/store.h"
#include "support/units.h"

namespace isomer::cli {
namespace {

using Json = nlohmann::ordered_json;
using mugraph::MuGraph;

Json json_of(const mugraph::MuVerdict& v, size_t index) {
  Json j;
  j["index"] = index;
  j["verdict"] = verify::to_string(v.verdict.kind);
  j["method"] = v.verdict.method;
  j["error_probability"] = error_probability(v.verdict);
  j["fields"] = {mugraph::primes_of(v.fields).p, mugraph::primes_of(v.fields).q};
  j["tests"] = v.tests;
  j["max_relative_error"] = max_relative_error(v.verdict);
  if (!v.verdict.counterexample.empty()) j["counterexample"] = v.verdict.counterexample;
  if (!v.verdict.note.empty()) j["note"] = v.verdict.note;
  return j;
}

/// By format: how far the muGraph, held in it, is from itself in double precision.
Json json_of(const std::vector<mugraph::FormatError>& errors) {
  Json j = Json::object();
  for (const mugraph::FormatError& e : errors)
    j[std::string(ir::name(e.format))] = {
        {"max_relative_error", e.error}, {"overflows", e.overflows}, {"poor", e.poor()}};
  return j;
}

void add_program_options(CLI::App& c, recipes::KernelProgram& a) {
  c.add_option("--from", a.file, "take the program out of this file: ONNX, .model, .dag, .graph or a term");
  c.add_option("--part", a.part, "which of the programs that isomer mugraph programs --from FILE lists");
}

struct VerifyArgs {
  std::string file, fields{mugraph::fields_choices()[0].name};
  recipes::KernelProgram program;
  mugraph::NumericsOptions numerics;
  mugraph::MuVerifyOptions options;
  bool no_floats = false;
  bool json = false;
};

/// Whatever is not shown to be equal makes exit status 4, what was not judged any more 130.
void run_verify(const VerifyArgs& a, Session& session, const StopToken& stop) {
  if (a.program.file.empty() && !a.program.dims.empty()) throw UsageError("--dim: only with --from FILE");
  const mugraph::Program program = recipes::choose_program(a.program, "--program NAME");
  const std::vector<MuGraph> graphs = mugraph::read_mugraphs(a.file);
  if (graphs.empty()) throw InputError({a.file, 0, 0}, "expected muGraphs, the list is empty");
  mugraph::MuVerifyOptions options = a.options;
  options.floats = !a.no_floats;
  options.fields = mugraph::fields_of(a.fields);
  mugraph::NumericsOptions numerics = a.numerics;
  numerics.limits.stop = stop;
  Json results = Json::array();
  const auto [judged, accepted] = recipes::judge_kernels(
      graphs, program, options, numerics, stop, [&](const recipes::JudgedKernel& kernel) {
        const auto& [index, verdict, errors] = kernel;
        if (a.json) {
          results.push_back(json_of(verdict, index));
          if (!errors.empty()) results.back()["errors"] = json_of(errors);
        } else {
          fmt::print("{:>4}  {}{}\n", index, mugraph::summary(verdict),
                     errors.empty() ? "" : "; " + mugraph::print(errors));
        }
      });
  if (a.json) {
    Json j;
    j["file"] = a.file;
    j["program"] = program.name;
    j["mugraphs"] = graphs.size();
    j["judged"] = judged;
    j["accepted"] = accepted;
    j["results"] = std::move(results);
    print_json(j);
  } else {
    const std::string rest = judged == graphs.size()
                                 ? ""
                                 : fmt::format("; interrupted before the other {}", graphs.size() - judged);
    fmt::print("{} of {} muGraphs compute {}{}\n", accepted, judged, program.name, rest);
  }
  if (accepted != judged)
    session.status = static_cast<int>(ExitStatus::kVerificationFailed);
  else if (judged != graphs.size())
    session.status = static_cast<int>(ExitStatus::kInterrupted);
}

struct SearchArgs {
  recipes::KernelProgram program;
  std::string output, terms, checkpoint, target{mugraph::target_choices()[0].name};
  unsigned threads = 1;
  int block_ops = 0, kernel_ops = 0, block_kernels = 0, loop_dims = 1;
  bool as_seed = false;  ///< the first version's operators
  bool fresh = false, no_pruning = false, no_canonical = false, no_floats = false, json = false;
  uint64_t seed = 1;
  double seconds = 300;
  uint64_t memory = uint64_t{8} << 30;
};

/// `numerics`: with the errors of the best in narrow formats.
Json json_of(const mugraph::SearchResult& r, const mugraph::Target& target,
             const std::optional<mugraph::NumericsOptions>& numerics) {
  Json j;
  j["target"] = target.machine.name;
  j["states"] = r.states;
  j["queries"] = r.queries;
  j["pruned"] = r.pruned;
  j["distinct_terms"] = r.distinct_terms;
  j["candidates"] = r.candidates;
  j["tested"] = r.tested;
  j["passed"] = r.passed;
  j["without_schedule"] = r.without_schedule;
  j["verified"] = r.schedules();
  j["unique"] = r.found.size();
  j["pruning_complete"] = r.pruning_complete;
  j["resumed"] = r.resumed;
  j["stop_reason"] = to_string(r.stop_reason);
  j["cpu_seconds"] = r.cpu_seconds;
  if (r.found.empty()) return j;
  const auto best = std::ranges::min_element(r.found, {}, [](const auto& f) { return f.costs[0]; });
  const auto errors =
      numerics ? mugraph::format_errors(best->schedules[0], *numerics) : std::vector<mugraph::FormatError>{};
  j["best"] = {{"cost_seconds", best->costs[0]},
               {"cost_bytes", mugraph::Pricing(target).price(best->schedules[0]).bytes()},
               {"kernels", best->schedules[0].nodes.size()},
               {"verdict", verify::to_string(best->verdict.verdict.kind)},
               {"method", best->verdict.verdict.method},
               {"error_probability", error_probability(best->verdict.verdict)}};
  if (!errors.empty()) j["best"]["errors"] = json_of(errors);
  return j;
}

mugraph::SearchOptions options_of(const SearchArgs& a, const mugraph::Program& program,
                                  const StopToken& stop) {
  mugraph::SearchOptions options = mugraph::preset_for(program);
  if (a.block_ops > 0) options.max_block_ops = a.block_ops;
  if (a.kernel_ops > 0) options.max_kernel_ops = a.kernel_ops;
  if (a.block_kernels > 0) options.max_block_kernels = a.block_kernels;
  options.target = mugraph::target(a.target);
  options.loop_dims = a.loop_dims;
  if (a.as_seed) mugraph::search_as_seed(options);
  options.prune = !a.no_pruning;
  options.canonical = !a.no_canonical;
  options.verify.floats = !a.no_floats;
  options.seed = options.verify.seed = a.seed;
  options.limits.seconds = a.seconds;
  options.limits.memory_bytes = a.memory;
  options.limits.stop = stop;
  options.record_terms = !a.terms.empty();
  options.threads = a.threads;
  options.checkpoint = a.checkpoint;
  return options;
}

void write_search(const SearchArgs& a, const recipes::KernelSearch& search) {
  if (!a.terms.empty()) {
    Json j;
    j["target"] = search.result.target;
    j["terms"] = search.result.terms;
    write_file(a.terms, j.dump() + "\n");
  }
  if (a.output.empty()) return;
  std::vector<MuGraph> graphs;
  for (const auto& [cost, graph] : search.schedules) graphs.push_back(*graph);
  write_file(a.output, mugraph::write_mirage_json(graphs));
}

void print_search(const recipes::KernelSearch& search, const std::string& name, const mugraph::Target& target,
                  const std::optional<mugraph::NumericsOptions>& numerics) {
  const mugraph::SearchResult& r = search.result;
  fmt::print(
      "{} structures, {} schedules for {} in {} CPU: {}\n{} states, {} applications pruned, {} of {} "
      "candidates "
      "agree\n",
      r.found.size(), search.schedules.size(), name, format_seconds(r.cpu_seconds), to_string(r.stop_reason),
      r.states, r.pruned, r.passed, r.tested);
  if (search.kept) fmt::print("kept from an earlier search; --fresh searches again\n");
  if (!r.pruning_complete)
    fmt::print("the program's expression was not saturated: some structures may be missed\n");
  if (search.schedules.empty()) return;
  const auto& [cost, best] = search.schedules[0];
  fmt::print("\nthe cheapest, {} by the cost model:\n{}{}", format_seconds(cost), mugraph::print(*best),
             mugraph::print(mugraph::Pricing(target).price(*best), target.machine));
  if (numerics) fmt::print("error {}\n", mugraph::print(mugraph::format_errors(*best, *numerics)));
}

void run_search(const SearchArgs& a, const StopToken& stop) {
  const mugraph::Program program = recipes::choose_program(a.program, "the name of a program");
  const mugraph::SearchOptions options = options_of(a, program, stop);
  const LimitWatch watch(options.limits);
  const mugraph::Extents extents = recipes::extents_of(program, a.program);
  // A place that cannot be written to is said now, not after the search.
  const std::array<NamedFile, 2> outputs = {{{"--output", a.output}, {"--terms", a.terms}}};
  check_outputs(outputs,
                std::array<NamedFile, 2>{{{"--from", a.program.file}, {"--checkpoint", a.checkpoint}}});
  Store store = Store::of_user();
  const recipes::KernelSearch search = recipes::search_kernels(program, extents, options, a.fresh, store);
  write_search(a, search);
  std::optional<mugraph::NumericsOptions> numerics;
  if (!a.no_floats && !stop.requested()) {
    numerics.emplace().limits.stop = stop;
    numerics->limits.seconds = watch.remaining();
  }
  if (!a.json) return print_search(search, a.target, options.target, numerics);
  Json j = json_of(search.result, options.target, numerics);
  j["program"] = program.name;
  j["kept"] = search.kept;
  if (!a.output.empty()) j["output"] = a.output;
  print_json(j);
}

/// "safe (one of 61 bits), paper ..."
std::string fields_help() {
  std::string out;
  for (const auto& c : mugraph::fields_choices())
    out += fmt::format("{}{} ({})", out.empty() ? "" : ", ", c.name, c.what);
  return out;
}

}  // namespace

std::string target_help() {
  std::string out;
  for (const auto& c : mugraph::target_choices())
    out += fmt::format("{}{} ({})", out.empty() ? "" : ", ", c.name, c.what);
  return out;
}

void add_mugraph(CLI::App& app, Session& session) {
  CLI::App* c = app.add_subcommand("mugraph", "Generated kernels: search, show, verify, partition, programs");
  c->require_subcommand(1);

  auto f = std::make_shared<SearchArgs>();
  CLI::App* find =
      c->add_subcommand("search", "kernels that compute a program, from nothing but its operators");
  find->add_option("program", f->program.name, "see isomer mugraph programs");
  add_program_options(*find, f->program);
  find->add_option(
      "--dim", f->program.dims,
      "size of a dimension of the program, or of a dynamic one of FILE: name=value (may be repeated)");
  find->add_option("--max-block-ops", f->block_ops, "most operators of a block graph, its inputs included")
      ->check(at_least_one());
  find->add_option("--max-kernel-ops", f->kernel_ops, "most operators of the kernel graph, inputs included")
      ->check(at_least_one());
  find->add_option("--max-block-kernels", f->block_kernels, "most graph-defined kernels")
      ->check(at_least_one());
  find->add_option_function<std::string>(
          "--ops", [f](const std::string& word) { f->as_seed = word == "seed"; },
          "all, or seed: repeat and reshape are operators, nothing is repeated without")
      ->check(CLI::IsMember({"all", "seed"}))
      ->default_str("all");
  find->add_option("--loop-dims", f->loop_dims, "axes that the loops of a block may cut")
      ->check(CLI::Range(1, 2))
      ->capture_default_str();
  find->add_option("--target", f->target, "what kernels are for: " + target_help())->capture_default_str();
  find->add_flag("--no-abstract-expressions", f->no_pruning, "ablation: nothing is pruned");
  find->add_flag("--no-canonical-form", f->no_canonical, "ablation: every order of operators");
  find->add_flag("--no-floats", f->no_floats, "leave out the run in double precision of the cheapest");
  find->add_option("--threads", f->threads, "the result is the same with any number")
      ->check(CLI::Range(1U, 256U))
      ->capture_default_str();
  find->add_option("--checkpoint", f->checkpoint,
                   "keep what is finished in this file; the same search goes on where it was killed");
  find->add_flag("--fresh", f->fresh, "search again even if this very search is kept in the store");
  find->add_option("--seed", f->seed, "of the random inputs")->capture_default_str();
  find->add_option_function<std::string>(
      "--time-limit", [f](const std::string& t) { f->seconds = parse_seconds(t); },
      "for example 60s (default 300s)");
  find->add_option_function<std::string>(
      "--memory-limit", [f](const std::string& t) { f->memory = parse_bytes(t); },
      "of the process (default 8GiB)");
  find->add_option("-o,--output", f->output, "write all schedules as Mirage's JSON, the cheapest first");
  find->add_option("--terms", f->terms,
                   "write every abstract expression that was met, and whether it was kept");
  find->add_flag("--json", f->json, "print one JSON object on standard output");
  find->callback([f, &session] {
    const api::StopRelay relay(session.stop);
    run_search(*f, relay.token());
  });

  auto v = std::make_shared<VerifyArgs>();
  CLI::App* verify_command = c->add_subcommand("verify", "do the muGraphs of a file compute a program?");
  verify_command->add_option("file", v->file, "Mirage's JSON, or a .graph")->required();
  verify_command->add_option("--program", v->program.name, "see isomer mugraph programs");
  add_program_options(*verify_command, v->program);
  verify_command->add_option("--dim", v->program.dims, "fix a dynamic dimension of FILE: name=value");
  verify_command->add_option("--seed", v->options.seed, "of the random inputs")->capture_default_str();
  verify_command->add_option("--fields", v->fields, "primes of the random tests: " + fields_help())
      ->capture_default_str();
  verify_command
      ->add_option("--tests", v->options.tests,
                   "so many tests over the field, whatever bound that gives (default: until 2^-100)")
      ->check(CLI::Range(1, 1'000'000));
  verify_command->add_flag("--no-floats", v->no_floats, "field tests only, no run in floating point");
  verify_command
      ->add_option("--input-scale", v->numerics.scale,
                   "errors in float16, bfloat16 and float32 are measured on inputs up to this")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  verify_command->add_flag("--json", v->json, "print one JSON object on standard output");
  verify_command->callback([v, &session] {
    const api::StopRelay relay(session.stop);
    run_verify(*v, session, relay.token());
  });

  add_mugraph_listings(*c, session);
  add_mugraph_runs(*c, session);
}

}  // namespace isomer::cli
