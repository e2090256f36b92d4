// bench mirage-search: the search of Mirage's papers again, with their numbers and the peer's beside.
// Published seconds are wall time on the authors' machines; ours are CPU seconds here, search and
// verification together.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "api/session.h"
#include "cli/commands.h"
#include "cli/print_json.h"
#include "evaluation/mirage_bench.h"
#include "published/mirage.h"
#include "support/units.h"

namespace isomer::cli {
namespace {

using Json = nlohmann::ordered_json;
using evaluation::at_own_sizes;
using evaluation::MirageRun;

struct MirageBenchArgs {
  std::vector<std::string> tables = {"gqa", "rmsnorm", "programs"};
  int least = 4, most = 0;
  evaluation::MirageBenchOptions options;
  bool json = false;
};

class Bench {
 public:
  Bench(const MirageBenchArgs& args, const StopToken& stop) : args_(args), options_(args.options) {
    options_.stop = stop;
  }

  MirageRun run(const evaluation::MirageTask& task) {
    MirageRun r = run_mirage(task, options_);
    if (args_.json) print_json(json_of(r));
    return r;
  }

  /// "0.62 s"; "> 60 s (time-limit)" where a limit ended the search.
  static std::string seconds(const MirageRun& r) {
    const std::string time = format_seconds(r.result.cpu_seconds);
    if (r.complete()) return time;
    return fmt::format("> {} ({})", time, to_string(r.result.stop_reason));
  }

  void gqa() {
    print(
        "\nGQA, the first version's table 5: most operators of a block graph (ours count inputs and "
        "accumulators).\n\n"
        "| ops | ours | states | structures | without abstract expressions | states | nor canonical form | "
        "states | "
        "Mirage | without expr. | nor canonical |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- | "
        "--- | --- |\n");
    for (int n = args_.least; n <= (args_.most > 0 ? args_.most : 7) && !options_.stop.requested(); ++n) {
      const MirageRun a = run(at_own_sizes("gqa", "gqa", n)), b = run(at_own_sizes("gqa", "gqa", n, false)),
                      c = run(at_own_sizes("gqa", "gqa", n, false, false));
      const auto* p = published::mirage::first_version(n);
      print(fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", n, seconds(a),
                        a.result.states, a.result.found.size(), seconds(b), b.result.states, seconds(c),
                        c.result.states, p ? p->mirage : "", p ? p->no_pruning : "", p ? p->neither : ""));
    }
  }

  void rmsnorm() {
    print(
        "\nRMSNorm, the later version's table 5.\n\n"
        "| ops | ours | states | structures | without abstract expressions | states | Mirage | one thread | "
        "without expr. "
        "|\n| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
    for (int n = std::max(5, args_.least);
         n <= (args_.most > 0 ? args_.most : 11) && !options_.stop.requested(); ++n) {
      const MirageRun a = run(at_own_sizes("rmsnorm", "rmsnorm", n)),
                      b = run(at_own_sizes("rmsnorm", "rmsnorm", n, false));
      const auto* p = published::mirage::later_version(n);
      print(fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", n, seconds(a), a.result.states,
                        a.result.found.size(), seconds(b), b.result.states, p ? p->mirage : "",
                        p ? p->one_thread : "", p ? p->no_pruning : ""));
    }
  }

  void programs() {
    print(
        "\nThe programs at their presets, and the public project's own search (CPU, two threads).\n\n"
        "| program | ops | CPU s | states | structures | schedules | published structure | project's CPU s | "
        "its states "
        "|\n| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
    for (const published::mirage::Peer& peer : published::mirage::peers()) {
      if (options_.stop.requested()) return;
      const MirageRun a = run(at_own_sizes("programs", peer.program, args_.most));
      print(fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", peer.program, a.task.block_ops,
                        seconds(a), a.result.states, a.result.found.size(), a.result.schedules(),
                        !a.found()     ? ""
                        : *a.found()   ? "found"
                        : a.complete() ? "not found"
                                       : "not yet",
                        peer.cpu_seconds, peer.states));
    }
  }

  void benchmarks() {
    print(
        "\nWhat the papers measure: the search, whether their structures are among what it finds, and the "
        "verdict "
        "on the cheapest.\n\n"
        "| program | sizes | CPU s | states | structures | schedules | published | verdict |\n"
        "| --- | --- | --- | --- | --- | --- | --- | --- |\n");
    for (const int64_t batch : {1, 8})
      for (const published::mirage::Case& c : published::mirage::cases()) {
        if (options_.stop.requested()) return;
        mugraph::Extents sizes = mugraph::program(c.program).extents;
        for (const auto& [name, size] : c.sizes) sizes[name] = size;
        sizes[c.batch] *= batch;
        std::string text;
        for (const auto& [name, size] : sizes)
          text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, size);
        // What is drawn cuts several heads; one head leaves another structure.
        const bool comparable = c.batch != std::string_view("h") || sizes["h"] > 1;
        const auto asked = comparable ? c.published : std::vector<std::string>{};
        const MirageRun r = run({"benchmarks", c.program, args_.most, true, true, sizes, asked});
        std::string published;
        for (const auto& [name, found] : r.published)
          published += fmt::format("{}{}{}", published.empty() ? "" : ", ",
                                   found          ? ""
                                   : r.complete() ? "not "
                                                  : "not yet ",
                                   name);
        const auto& found = r.result.found;
        const auto best = std::ranges::min_element(found, {}, [](const auto& f) { return f.costs[0]; });
        print(fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} |\n", c.label, text, seconds(r),
                          r.result.states, found.size(), r.result.schedules(), published,
                          found.empty() ? "" : verify::summary(best->verdict.verdict)));
      }
  }

 private:
  void print(const std::string& text) const {
    if (args_.json) return;
    fmt::print("{}", text);
    std::fflush(stdout);
  }

  static Json json_of(const MirageRun& r) {
    Json j = {{"table", r.task.table},
              {"program", r.task.program},
              {"target", r.target},
              {"sizes", r.task.sizes},
              {"max_block_ops", r.task.block_ops},
              {"abstract_expressions", r.task.prune},
              {"canonical_form", r.task.canonical},
              {"cpu_seconds", r.result.cpu_seconds},
              {"stop_reason", to_string(r.result.stop_reason)},
              {"states", r.result.states},
              {"unique", r.result.found.size()},
              {"verified", r.result.schedules()}};
    if (const auto found = r.found()) j["published_found"] = *found;
    for (const auto& [name, found] : r.published) j["published"][name] = found;
    return j;
  }

  const MirageBenchArgs& args_;
  evaluation::MirageBenchOptions options_;
};

struct Table {
  std::string_view name;
  void (Bench::*print)();
};
constexpr Table kTables[] = {{"gqa", &Bench::gqa},
                             {"rmsnorm", &Bench::rmsnorm},
                             {"programs", &Bench::programs},
                             {"benchmarks", &Bench::benchmarks}};

}  // namespace

void add_mirage_search(CLI::App& bench, Session& session) {
  auto a = std::make_shared<MirageBenchArgs>();
  CLI::App* c = bench.add_subcommand(
      "mirage-search",
      "The search for muGraphs (Wu et al. 2024, 2025): table 5 with its ablations, all programs");
  std::vector<std::string> names;
  for (const Table& t : kTables) names.emplace_back(t.name);
  c->add_option("tables", a->tables, fmt::format("{}", fmt::join(names, ", ")))
      ->check(CLI::IsMember(names))
      ->capture_default_str();
  c->add_option("--min-block-ops", a->least, "first row")->capture_default_str();
  c->add_option("--max-block-ops", a->most,
                "last row, and the limit of the programs (default: as published)");
  c->add_option_function<std::string>(
      "--time-limit", [a](const std::string& t) { a->options.seconds = parse_seconds(t); },
      "of each search (default 60s)");
  c->add_option_function<std::string>(
      "--memory-limit", [a](const std::string& t) { a->options.memory = parse_bytes(t); },
      "of the process (default 2GiB)");
  c->add_option("--target", a->options.target, "what kernels are for: " + target_help())
      ->capture_default_str();
  c->add_option("--threads", a->options.threads, "of each search")
      ->check(CLI::Range(1U, 256U))
      ->capture_default_str();
  c->add_flag("--json", a->json, "print one JSON object a search on standard output");
  c->callback([a, &session] {
    const api::StopRelay relay(session.stop);
    Bench run(*a, relay.token());
    for (const std::string& table : a->tables)
      if (!relay.token().requested()) (run.*std::ranges::find(kTables, table, &Table::name)->print)();
  });
}

}  // namespace isomer::cli
