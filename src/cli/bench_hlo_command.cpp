// bench hlo: HloEnv's tables 1 (ours and XLA's) and 2 over a data set, with the published numbers beside.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "api/session.h"
#include "cli/hlo_commands.h"
#include "cli/hlo_searches_table.h"
#include "cli/print_json.h"
#include "cli/standard_output.h"
#include "evaluation/hlo_bench.h"
#include "evaluation/hlo_exemplars.h"
#include "published/hloenv.h"
#include "support/atomic_file.h"
#include "support/errors.h"
#include "support/outputs.h"
#include "support/units.h"

namespace isomer::cli {
namespace {

using evaluation::HloBench;
using evaluation::HloBenchModule;
using evaluation::HloBenchRow;
using published::hloenv::PublishedPass;
using Json = nlohmann::ordered_json;

struct BenchHloArgs {
  evaluation::HloBenchOptions options;
  evaluation::HloSearchesOptions searches;
  std::vector<uint64_t> evaluations = {10, 30, 100};
  std::string record;
  std::string page;  ///< what gains by a removal, drawn; empty: none
  int table = 1;
  bool json = false;
};

/// A side of the table.
struct Column {
  std::string side;
  std::string_view PublishedPass::* target;
  bool asked;
};

std::vector<Column> columns(const HloBench& bench) {
  return {{"ours", &PublishedPass::ours, true}, {"xla", &PublishedPass::xla, !bench.xla.empty()}};
}

double percent(size_t part, size_t of) {
  return of == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(of);
}

/// "12.50 (4 of 32) | 1.013 | 1.104"; a pass that there is not has no share, which is not a share of 0.
std::string cells(const HloBench& bench, const PublishedPass& pass, const Column& column) {
  if (!column.asked) return "not asked | | ";
  if ((pass.*column.target).empty()) return "no such pass | | ";
  const HloBenchRow row = hlo_bench_row(bench, column.side, std::string(pass.name));
  if (row.modules == 0) return "none ended | | ";
  const auto ratio = [](std::optional<double> mean) {
    return mean ? fmt::format("{:.3f}", *mean) : std::string();
  };
  return fmt::format("{:.2f} ({} of {}) | {} | {}", percent(row.changed, row.modules), row.changed,
                     row.modules, ratio(row.ratio), ratio(row.ratio_changed));
}

bool has_result(const HloBenchModule& m) { return m.whole.error.empty(); }
bool is_refused(const HloBenchModule& m) { return !has_result(m) && !m.whole.lost; }

template <class Which>
size_t how_many_of(const HloBench& bench, const std::string& side, Which which) {
  return static_cast<size_t>(std::ranges::count_if(
      bench.ended, [&](const HloBenchModule& m) { return m.side == side && std::invoke(which, m); }));
}

void print_table(const HloBench& bench, const std::string& evaluator) {
  fmt::print(
      "HloEnv, table 1: what changes where all instances of a pass are removed from the whole pipeline.\n"
      "Ours and XLA's ratios are of {} without the pass and with it, the published ones of run times\n"
      "on a graphics processor, by XLA of 2022 on other modules: they can be read beside each other, not\n"
      "compared. A call of a library is priced by the bytes it moves alone.\n\n"
      "| removed | ours, changed % | ratio | of those | {}, changed % | ratio | of those |"
      " published, changed % | ratio | of those |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
      evaluator, bench.xla.empty() ? "XLA" : "XLA " + bench.xla);
  const std::vector<Column> sides = columns(bench);
  for (const PublishedPass& pass : published::hloenv::passes())
    fmt::print("| {}{} | {} | {} | {:.2f} | {:.3f} | {:.3f} |\n", pass.name,
               pass.is_of_library ? " (library)" : "", cells(bench, pass, sides[0]),
               cells(bench, pass, sides[1]), pass.changed, pass.ratio, pass.ratio_changed);
  fmt::print("\n{}: ours ended on {}", how_many(bench.modules, "different module"),
             how_many_of(bench, "ours", has_result));
  if (!bench.xla.empty())
    fmt::print(", XLA's on {}, refused {}", how_many_of(bench, "xla", has_result),
               how_many_of(bench, "xla", is_refused));
  if (const size_t lost = how_many_of(bench, "xla", &HloBenchModule::has_lost); lost > 0)
    fmt::print("; its process ended or was too slow at {} (--record tries again)", how_many(lost, "module"));
  if (bench.unread > 0) fmt::print("; no modules: {}", how_many(bench.unread, "file"));
  fmt::print("{}\n", bench.stop_reason == StopReason::kSaturated
                         ? ""
                         : fmt::format(" ({}; --record goes on)", to_string(bench.stop_reason)));
}

Json json_of(const HloBench& bench, const PublishedPass& pass, const Column& column) {
  if (!column.asked || (pass.*column.target).empty()) return nullptr;
  const HloBenchRow row = hlo_bench_row(bench, column.side, std::string(pass.name));
  const auto known = [](std::optional<double> value) { return value ? Json(*value) : Json(nullptr); };
  return {{"pass", pass.*column.target},
          {"modules", row.modules},
          {"changed", row.changed},
          {"failed", row.failed},
          {"changed_percent", row.modules > 0 ? Json(percent(row.changed, row.modules)) : Json(nullptr)},
          {"ratio", known(row.ratio)},
          {"ratio_changed", known(row.ratio_changed)}};
}

Json json_of(const HloBench& bench, const std::string& evaluator) {
  Json rows = Json::array();
  for (const PublishedPass& pass : published::hloenv::passes()) {
    Json row = {{"removed", pass.name}, {"library", pass.is_of_library}};
    for (const Column& column : columns(bench)) row[column.side] = json_of(bench, pass, column);
    row["published"] = {{"changed_percent", pass.changed},
                        {"improved_percent", pass.improved},
                        {"degraded_percent", pass.degraded},
                        {"ratio", pass.ratio},
                        {"ratio_changed", pass.ratio_changed}};
    rows.push_back(std::move(row));
  }
  return {{"evaluator", evaluator},
          {"xla", bench.xla.empty() ? Json(nullptr) : Json(bench.xla)},
          {"modules", bench.modules},
          {"unread", bench.unread},
          {"ours_ended", how_many_of(bench, "ours", has_result)},
          {"xla_ended", how_many_of(bench, "xla", has_result)},
          {"xla_refused", how_many_of(bench, "xla", is_refused)},
          {"xla_lost", how_many_of(bench, "xla", &HloBenchModule::has_lost)},
          {"stop_reason", to_string(bench.stop_reason)},
          {"rows", std::move(rows)}};
}

/// HloEnv's figure 6, for every pass whose removal makes a module cheaper.
void write_removals(const BenchHloArgs& args, const HloBench& bench) {
  constexpr size_t kMostDrawn = 200;
  report::ExemplarPage page{
      "What the removal of a pass gains", {}, "the whole pipeline", "without the pass", {}};
  size_t too_large = 0;
  for (const evaluation::HloRemoval& r : bench.removals) {
    report::Exemplar one =
        evaluation::hlo_exemplar(fmt::format("{} of {}, {}", r.pass, r.side == "xla" ? "XLA" : "ours",
                                             std::filesystem::path(r.file).stem().string()),
                                 r.start_cost, {&r.whole, r.whole_cost}, {&r.without, r.cost_without});
    if (std::max(one.ordinary.graph.nodes.size(), one.found.graph.nodes.size()) > kMostDrawn)
      ++too_large;
    else
      page.exemplars.push_back(std::move(one));
  }
  std::ranges::sort(page.exemplars, {},
                    [](const report::Exemplar& e) { return e.found.cost / e.ordinary.cost; });
  page.note = fmt::format(
      "Of each pass the module that is cheapest without it beside what it costs with it, where it is cheaper "
      "at all, by {}, for which nothing was run; a call of a library is priced by the bytes it moves "
      "alone{}.",
      args.options.evaluator, too_large > 0 ? fmt::format("; {} are too large to be drawn", too_large) : "");
  write_file(args.page, report::exemplars_html(page));
}

void run_searches(BenchHloArgs& args, Session& session, const StopToken& stop, ProgressSink& progress) {
  if (args.options.paths.empty())
    throw UsageError("bench hlo --table 2: expected sub-graphs (`isomer hlo dataset subgraphs`)");
  evaluation::HloSearchesOptions& o = args.searches;
  o.paths = args.options.paths;
  o.evaluator = args.options.evaluator;
  o.time_limit = args.options.time_limit;
  o.stop = stop;
  o.progress = &progress;
  evaluation::HloSearchesRecord record;
  if (!args.record.empty()) record.open(args.record);
  const evaluation::HloSearches found = run_hlo_searches(o, record);
  end_progress();
  if (found.stop_reason == StopReason::kInterrupted)
    session.status = static_cast<int>(ExitStatus::kInterrupted);
  if (args.json) return print_searches_json(found, o, args.evaluations);
  print_searches(found, o, args.evaluations);
}

void run(BenchHloArgs args, Session& session) {
  const api::StopRelay relay(session.stop);
  const RunHooks hooks = terminal_hooks(session);
  api::HookProgress progress(hooks);
  if (args.table == 2 && !args.page.empty())
    throw UsageError("--page: is of table 1; expected none with --table 2");
  const NamedFile outputs[] = {{"--page", args.page}, {"--record", args.record}};
  std::vector<NamedFile> inputs;
  for (const std::string& path : args.options.paths) inputs.push_back({"paths", path});
  check_outputs(outputs, inputs);
  if (args.table == 2) return run_searches(args, session, relay.token(), progress);
  args.options.stop = relay.token();
  args.options.progress = &progress;
  args.options.removals = !args.page.empty();
  evaluation::HloBenchRecord record;
  if (!args.record.empty()) record.open(args.record);
  const HloBench bench = run_hlo_bench(args.options, record);
  end_progress();
  const bool is_complete = bench.stop_reason == StopReason::kSaturated;
  if (!args.page.empty() && is_complete) write_removals(args, bench);
  if (!args.page.empty() && !is_complete)
    note(fmt::format("{}: not written: the bench did not come to its end", args.page));
  if (bench.stop_reason == StopReason::kInterrupted)
    session.status = static_cast<int>(ExitStatus::kInterrupted);
  if (args.json) return print_json(json_of(bench, args.options.evaluator));
  print_table(bench, args.options.evaluator);
  if (!args.page.empty() && is_complete) fmt::print("written: {}\n", args.page);
}

/// Of table 2.
void add_searches_options(CLI::App& c, BenchHloArgs& a) {
  evaluation::HloSearchesOptions& o = a.searches;
  c.add_option("--passes", o.passes, "of table 2: whose proposals are decided, a table for each")
      ->delimiter(',')
      ->capture_default_str();
  c.add_option("--searches", o.searches, "of table 2")->delimiter(',')->capture_default_str();
  c.add_option("--seeds", o.seeds, "of table 2: of random and mcts")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  c.add_option("--evaluations", a.evaluations,
               "of table 2: numbers of different modules at which searches are compared")
      ->delimiter(',')
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  c.add_option("--most-evaluations", o.evaluations,
               "of table 2: a search ends after so many different modules (default: none)")
      ->check(CLI::PositiveNumber);
  c.add_option("--count", o.count, "of table 2: at most so many modules of each size and pass");
  c.add_option_function<std::string>(
      "--search-limit", [&o](const std::string& t) { o.seconds = parse_seconds(t); },
      fmt::format("of table 2: time of a search on a module ({:g}s)", o.seconds));
}

}  // namespace

void add_hlo_bench(CLI::App& bench, Session& session) {
  auto a = std::make_shared<BenchHloArgs>();
  CLI::App* c = bench.add_subcommand(
      "hlo",
      "HloEnv's tables: what passes of XLA change, one removed after another; searches over decisions");
  c->add_option(
      "paths", a->options.paths,
      "HLO modules: data sets (`isomer hlo collect`), folders, files; default: those that come with Isomer");
  c->add_option("--table", a->table, "1: passes, one removed after another; 2: searches over decisions")
      ->check(CLI::Range(1, 2))
      ->capture_default_str();
  c->add_option("--evaluator", a->options.evaluator,
                "what prices the results: roofline:DEVICE, and in table 2 xla, which times them")
      ->capture_default_str();
  c->add_flag("--xla,!--no-xla", a->options.xla,
              "XLA's own passes too, where jax is installed; on unless --no-xla");
  c->add_option(
      "--record", a->record,
      "write what each module came to, a JSON object a line, as it comes; what it holds is not run again");
  c->add_option_function<std::string>(
      "--time-limit", [a](const std::string& t) { a->options.time_limit = parse_seconds(t); },
      "then the table of the modules that ended is printed (default: none)");
  c->add_option("--page", a->page,
                "of table 1: a page of the modules that a pass makes dearest, both results side by side");
  c->add_flag("--json", a->json, "print one JSON object");
  add_searches_options(*c, *a);
  c->callback([a, &session] { run(*a, session); });
}

}  // namespace isomer::cli
