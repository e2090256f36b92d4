// explore and extract: the e-graph as an artefact of its own.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <array>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "api/session.h"
#include "cli/commands.h"
#include "cli/print_json.h"
#include "extract/bounded.h"
#include "extract/egraph_json.h"
#include "extract/extract.h"
#include "recipes/choices.h"
#include "recipes/explore.h"
#include "report/chain_text.h"
#include "report/egraph_page.h"
#include "report/json_value.h"
#include "report/result_json.h"
#include "report/summary.h"
#include "support/atomic_file.h"
#include "support/errors.h"
#include "support/outputs.h"
#include "support/units.h"

namespace isomer::cli {
namespace {

using Json = nlohmann::ordered_json;
using report::number;

Json json_of(const recipes::ExploreResult& r) {
  Json j;
  j["e_nodes"] = r.e_nodes;
  j["e_classes"] = r.e_classes;
  j["hashcons_size"] = r.hashcons_size;
  j["tensat_nodes"] = r.tensat_nodes > 0 ? Json(r.tensat_nodes) : Json(nullptr);
  j["filtered"] = r.filtered;
  j["iterations"] = r.iterations;
  j["stop_reason"] = r.stop_reason;
  j["cpu_seconds"] = r.cpu_seconds;
  j["search_seconds"] = r.search_seconds;
  j["apply_seconds"] = r.apply_seconds;
  j["multi_seconds"] = r.multi_seconds;
  j["rebuild_seconds"] = r.rebuild_seconds;
  j["cycle_seconds"] = r.cycle_seconds;
  j["memory_bytes"] = r.memory_bytes;
  j["matches"] = r.matches;
  j["matches_applied"] = r.matches_applied;
  for (const auto& [name, count] : r.rules) j["rules"][name] = count;
  j["rules_used"] = r.rules_used;
  j["rules_left_out"] = r.rules_left_out;
  for (const RewriteEntry& e : r.chain)
    j["chain"].push_back({{"rule", e.rule},
                          {"backward", e.backward},
                          {"places", e.places},
                          {"before", e.before},
                          {"after", e.after},
                          {"cost", number(e.cost)}});
  return j;
}

std::string text_of(const recipes::ExploreResult& r) {
  std::string out = fmt::format(
      "{} e-nodes in {} e-classes after {} iterations: {}\n{} matches, {} applied; CPU {}: search {}, "
      "multi-patterns {}, apply {}, "
      "rebuild {}, cycles {}\n",
      r.e_nodes, r.e_classes, r.iterations, r.stop_reason, r.matches, r.matches_applied,
      format_seconds(r.cpu_seconds), format_seconds(r.search_seconds), format_seconds(r.multi_seconds),
      format_seconds(r.apply_seconds), format_seconds(r.rebuild_seconds), format_seconds(r.cycle_seconds));
  if (!r.rules.empty()) out += "rules that changed something, and how often:\n";
  for (const auto& [name, count] : r.rules) out += fmt::format("  {:<40} {:>8}\n", name, count);
  if (const std::string without = report::left_out(r.rules_used, r.rules_left_out); !without.empty())
    out += "without: " + without + "\n";
  return out;
}

void say_written(std::initializer_list<std::string_view> paths) {
  for (const std::string_view path : paths)
    if (!path.empty()) fmt::print("written: {}\n", path);
}

std::string explanation(const recipes::ExploreResult& r) {
  if (!r.no_chain.empty()) return "\nNo chain of rewrites: " + r.no_chain + ".\n";
  if (r.chain.empty()) return "\nNo rewrite makes the program cheaper.\n";
  return fmt::format("\nFrom cost {:.5g} to {:.5g} in {} steps\n\n{}", r.cost_before, r.cost_after,
                     r.chain.size(), report::chain_text(r.chain));
}

/// A page of an e-graph, with the cheapest selection in it.
void write_page(const std::string& path, const std::string& title, const extract::SerializedEGraph& egraph,
                const extract::Selection& chosen, std::vector<std::string> rules) {
  if (!path.empty()) write_file(path, report::egraph_html({title, egraph, chosen, std::move(rules)}));
}

/// The same of what was explored.
void write_page(const std::string& path, const std::string& title, const recipes::ExploreResult& r,
                const StopToken& stop) {
  if (path.empty() || !r.egraph) return;
  Limits limits;
  limits.seconds = 10;
  limits.stop = stop;
  const extract::Extraction e = extract::extract(r.egraph->problem, extract::Extractor::kAuto, limits);
  write_page(path, title, *r.egraph, e.selection, r.makers);
}

struct ExtractArgs {
  std::string file, output, page, bound;
  extract::Extractor extractor = extract::Extractor::kAuto;
  bool cpu_clock = false;
  double seconds = 10;
  bool json = false;
};

// MEMBER=NUMBER or peak:MEMBER=NUMBER; the number may be a size (64MiB).
struct BoundOption {
  explicit BoundOption(const std::string& text) {
    const size_t equals = text.rfind('=');
    member = text.substr(0, equals);
    if (member.starts_with("peak:")) {
      kind = extract::Resource::Kind::kPeak;
      member.erase(0, 5);
    }
    if (equals == std::string::npos || member.empty() || equals + 1 == text.size())
      throw UsageError(fmt::format("--bound {}: expected MEMBER=NUMBER or peak:MEMBER=NUMBER", text));
    most = static_cast<double>(parse_bytes(text.substr(equals + 1)));
  }
  std::string member;
  extract::Resource::Kind kind = extract::Resource::Kind::kSum;
  double most = 0;
};

void run_bounded(const ExtractArgs& args, const Limits& limits) {
  const BoundOption bound(args.bound);
  const extract::SerializedEGraph egraph = extract::read_egraph_json(args.file, bound.member);
  const double begin = thread_cpu_seconds();
  const extract::BoundedOutcome e = extract::extract_within(
      egraph.problem, {egraph.use, bound.most, bound.kind}, extract::Deadline(limits, args.cpu_clock));
  const double seconds = thread_cpu_seconds() - begin;
  if (!e.found && e.infeasible)
    throw InputError({args.file, 0, 0}, fmt::format("nothing can be extracted within {}", args.bound));
  if (!e.found)
    throw InputError({args.file, 0, 0},
                     fmt::format("nothing within {} was found in the time; it may exist", args.bound));
  if (!args.output.empty()) write_file(args.output, extract::write_selection_json(egraph, e.selection));
  write_page(args.page, args.file, egraph, e.selection, {});
  if (args.json) {
    Json j;
    j["dag_cost"] = number(e.cost);
    j["bound"] = number(e.bound);
    j["optimal"] = e.optimal;
    j["use"] = number(e.use);
    j["cpu_seconds"] = seconds;
    j["stop_reason"] = to_string(e.stop_reason);
    print_json(j);
  } else {
    fmt::print("DAG cost {:.8g}, {} {:.8g}, {} in {} CPU\n", e.cost, bound.member, e.use,
               e.optimal ? "proved optimal" : fmt::format("bound {:.8g}", e.bound), format_seconds(seconds));
    say_written({args.output, args.page});
  }
}

void run_extract(const ExtractArgs& args, const StopToken& stop) {
  const auto& [file, output, page, bound, extractor, cpu_clock, seconds, json] = args;
  check_outputs(std::array<NamedFile, 2>{{{"--output", output}, {"--html", page}}},
                std::array<NamedFile, 1>{{{"EGRAPH", file}}});
  Limits limits;
  limits.seconds = seconds;
  limits.stop = stop;
  if (!bound.empty()) {
    run_bounded(args, limits);
    return;
  }
  const extract::SerializedEGraph egraph = extract::read_egraph_json(file);
  extract::ExtractionOptions options;
  options.cpu_clock = cpu_clock;
  const extract::Extraction e = extract::extract(egraph.problem, extractor, limits, options);
  if (!e.found)
    throw InputError({file, 0, 0}, "some root has no finite acyclic term: nothing can be extracted");
  if (!output.empty()) write_file(output, extract::write_selection_json(egraph, e.selection));
  write_page(page, file, egraph, e.selection, {});
  if (json) {
    Json j;
    j["dag_cost"] = number(e.dag_cost);
    j["tree_cost"] = number(e.tree_cost);
    j["bound"] = number(e.bound);
    j["optimal"] = e.optimal;
    j["cpu_seconds"] = e.cpu_seconds;
    j["extractor"] = extract::to_string(extractor);
    j["stop_reason"] = to_string(e.stop_reason);
    j["reduced_nodes"] = e.reduced_nodes;
    j["blocks"] = e.blocks;
    j["largest_block"] = e.largest_block;
    j["relaxations"] = e.relaxations;
    j["branch_and_bound"] = e.ilp_rounds;
    j["cuts"] = e.cuts;
    if (e.tree_width > 0) j["tree_width"] = e.tree_width;
    print_json(j);
  } else {
    fmt::print(
        "DAG cost {:.8g}, tree cost {:.8g}, {} in {} CPU\n", e.dag_cost, e.tree_cost,
        e.optimal ? "proved optimal" : fmt::format("bound {:.8g}, gap {:.2g} %", e.bound, 100 * e.gap()),
        format_seconds(e.cpu_seconds));
    say_written({output, page});
  }
}

}  // namespace

void add_explore(CLI::App& app, Session& session) {
  auto o = std::make_shared<recipes::ExploreOptions>();
  auto json = std::make_shared<bool>(false);
  CLI::App* c = app.add_subcommand("explore", "Grow an e-graph and save it");
  c->add_option("file", o->file, "ONNX, .model, .dag, .graph or a term")->required();
  c->add_option_function<std::string>(
       "--language", [o](const std::string& w) { o->language = recipes::explored_language(w); },
       "tensor, or symbols (no types; any operator names)")
      ->default_str("tensor");
  c->add_option("--rules", o->rules, "rule files (default: the shipped sets that fit the file)");
  c->add_option("--add-rules", o->add_rules, "rule files beside these");
  c->add_option_function<std::string>(
       "--float", [o](const std::string& w) { o->floats = recipes::float_promise(w); },
       "ONNX and .graph: strict, finite or fast, as of the main job: which rules may be used")
      ->default_str("finite");
  c->add_option("--disable-rule", o->disable_rules,
                "leave this rule out, by name or by its place in the list from 1 (may be repeated)");
  c->add_flag("--layouts", o->layouts,
              "data layouts are alternatives: channels last or in blocks, matrices by columns");
  c->add_option("--dim", o->dims, "fix a dynamic dimension: name=value");
  c->add_option("--k-multi", o->k_multi, "iterations with multi-pattern rules")->capture_default_str();
  c->add_option_function<std::string>(
       "--cycles", [o](const std::string& w) { o->cycles = egraph::cycle_mode(w); },
       "cycle filter: none, vanilla, vanilla-multi, efficient, online")
      ->default_str("efficient");
  c->add_option_function<std::string>(
       "--scheduler", [o](const std::string& w) { o->scheduler = recipes::scheduler_kind(w); },
       "simple, backoff")
      ->default_str("backoff");
  c->add_option("--threads", o->threads, "of the search; the result is the same")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  c->add_option("--node-limit", o->node_limit, "most e-nodes (TENSAT's files: in TENSAT's counting)")
      ->capture_default_str();
  c->add_option("--iterations", o->iterations, "most iterations")->capture_default_str();
  c->add_option_function<std::string>(
      "--time-limit", [o](const std::string& t) { o->time_limit = parse_seconds(t); }, "for example 60s");
  c->add_option_function<std::string>(
      "--memory-limit", [o](const std::string& t) { o->memory_limit = parse_bytes(t); }, "for example 4GiB");
  c->add_option("--cost", o->cost, "cost model of the nodes written: ast-size, anchor, roofline:a100, ...")
      ->default_str("ast-size");
  c->add_option("-o,--output", o->output, "write the e-graph as extraction-gym JSON");
  c->add_option("--html", o->page,
                "write a page on which the e-graph can be read, the cheapest program in it");
  c->add_flag("--explain", o->explain, "print the chain of rewrites to the cheapest program by --cost");
  c->add_flag("--json", *json, "print one JSON object on standard output");
  c->callback([o, json, &session] {
    const RunHooks hooks = terminal_hooks(session);
    api::HookProgress progress(hooks);
    const api::StopRelay relay(session.stop);
    const recipes::ExploreResult result = recipes::explore(*o, relay.token(), progress);
    end_progress();
    write_page(o->page, o->file, result, relay.token());
    if (*json)
      print_json(json_of(result));
    else
      fmt::print("{}", text_of(result));
    if (o->explain && !*json) fmt::print("{}", explanation(result));
    if (!*json) say_written({o->output, o->page});
  });
}

void add_extract(CLI::App& app, Session& session) {
  auto a = std::make_shared<ExtractArgs>();
  CLI::App* c = app.add_subcommand("extract", "The cheapest selection of a serialized e-graph");
  c->footer("Extractors:\n" + extract::extractor_help());
  c->add_option("egraph", a->file, "extraction-gym JSON")->required();
  c->add_option_function<std::string>(
       "--extractor", [a](const std::string& w) { a->extractor = recipes::extractor_of(w); },
       "one of the list below")
      ->default_str("auto");
  c->add_option_function<std::string>(
      "--time-limit", [a](const std::string& t) { a->seconds = parse_seconds(t); }, "for example 10s");
  c->add_option_function<std::string>(
       "--clock", [a](const std::string& w) { a->cpu_clock = w == "cpu"; },
       "what --time-limit counts: wall, cpu")
      ->check(CLI::IsMember({"wall", "cpu"}))
      ->default_str("wall");
  c->add_option("--bound", a->bound,
                "cheapest within a bound on another number of the nodes: memory=64MiB where they add up, "
                "peak:memory=64MiB for results that are held until their last user");
  c->add_option("-o,--output", a->output, "write the selection: e-class id to e-node id, as JSON");
  c->add_option("--html", a->page, "write a page on which the e-graph can be read, what was selected in it");
  c->add_flag("--json", a->json, "print one JSON object on standard output");
  c->callback([a, &session] {
    const api::StopRelay relay(session.stop);
    run_extract(*a, relay.token());
  });
}

}  // namespace isomer::cli
