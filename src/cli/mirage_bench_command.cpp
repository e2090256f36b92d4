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
#include "mugraph/published.h"
#include "mugraph/search.h"
#include "mugraph/structural_hash.h"
#include "support/units.h"

namespace isomer::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Args {
  std::vector<std::string> tables = {"gqa", "rmsnorm", "programs"};
  int least = 4, most = 0;
  double seconds = 60;
  uint64_t memory = uint64_t{2} << 30;
  unsigned threads = 1;
  bool json = false;
};

/// Table 5 of the first version: GQA, by the most operators of a block graph.
struct FirstVersion {
  int block_ops;
  const char *mirage, *no_pruning, *neither;
};
constexpr FirstVersion kFirstVersion[] = {{4, "9 s", "< 1 s", "< 1 s"},
                                          {5, "2.3 min", "249 min", "> 12 h"},
                                          {6, "20 min", "> 12 h", "> 12 h"},
                                          {7, "76 min", "> 12 h", "> 12 h"}};
/// Table 5 of the later version: RMSNorm, seconds.
struct LaterVersion {
  int block_ops;
  const char *mirage, *one_thread, *no_pruning;
};
constexpr LaterVersion kLaterVersion[] = {{5, "11", "58", "768"},     {6, "16", "93", "19934"},
                                          {7, "22", "150", "> 10 h"}, {8, "24", "152", "> 10 h"},
                                          {9, "26", "166", "> 10 h"}, {10, "26", "166", "> 10 h"},
                                          {11, "28", "183", "> 10 h"}};
/// The public project's own search on CPU with two threads (branch mpk of 2026-04, formal verifier).
struct Peer {
  const char *program, *cpu_seconds, *states;
};
constexpr Peer kPeers[] = {{"rmsnorm", "18.3", "56356"},
                           {"gated_mlp", "> 31.4, not ended", "> 119200"},
                           {"lora", "> 28.4, not ended", "> 26800"},
                           {"gqa", "> 38.5, not ended", "> 103800"},
                           {"mha", "", ""},
                           {"mqa", "", ""},
                           {"mlp", "", ""}};

struct Run {
  std::string table, program;
  int block_ops = 0;
  bool prune = true, canonical = true;
  mugraph::SearchResult result;
  std::optional<bool> found;  ///< the published structures of this program; none: there are none
};

class Bench {
 public:
  Bench(const Args& args, const StopToken& stop) : args_(args), stop_(stop) {}

  Run run(const char* table, const char* name, int block_ops, bool prune, bool canonical) {
    const mugraph::Program& program = mugraph::program(name);
    mugraph::SearchOptions o = mugraph::preset_for(program);
    if (block_ops > 0) o.max_block_ops = block_ops;
    o.prune = prune;
    o.canonical = canonical;
    o.verify.floats = false;
    o.threads = args_.threads;
    o.limits.seconds = args_.seconds;
    o.limits.memory_bytes = args_.memory;
    o.limits.stop = stop_;
    Run r{table, name, o.max_block_ops, prune, canonical, mugraph::search(program, program.extents, o), {}};
    for (const mugraph::Published& p : mugraph::published()) {
      if (p.program != name || !p.searched) continue;
      const uint64_t wanted = mugraph::structure_hash(p.graph);
      const bool found = std::ranges::any_of(
          r.result.found, [&](const auto& f) { return mugraph::structure_hash(f.model) == wanted; });
      r.found = r.found.value_or(true) && found;
    }
    if (args_.json) fmt::print("{}\n", json_of(r).dump());
    return r;
  }

  /// "0.62 s"; "> 60 s (time-limit)" where a limit ended the search.
  static std::string seconds(const Run& r) {
    const std::string time = format_seconds(r.result.cpu_seconds);
    if (r.result.stop_reason == StopReason::kSaturated) return time;
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
    for (int n = args_.least; n <= (args_.most > 0 ? args_.most : 7); ++n) {
      const Run a = run("gqa", "gqa", n, true, true), b = run("gqa", "gqa", n, false, true),
                c = run("gqa", "gqa", n, false, false);
      const auto p = std::ranges::find(kFirstVersion, n, &FirstVersion::block_ops);
      const bool known = p != std::end(kFirstVersion);
      print(fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", n, seconds(a),
                        a.result.states, a.result.found.size(), seconds(b), b.result.states, seconds(c),
                        c.result.states, known ? p->mirage : "", known ? p->no_pruning : "",
                        known ? p->neither : ""));
    }
  }

  void rmsnorm() {
    print(
        "\nRMSNorm, the later version's table 5.\n\n"
        "| ops | ours | states | structures | without abstract expressions | states | Mirage | one thread | "
        "without expr. "
        "|\n| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
    for (int n = std::max(5, args_.least); n <= (args_.most > 0 ? args_.most : 11); ++n) {
      const Run a = run("rmsnorm", "rmsnorm", n, true, true), b = run("rmsnorm", "rmsnorm", n, false, true);
      const auto p = std::ranges::find(kLaterVersion, n, &LaterVersion::block_ops);
      const bool known = p != std::end(kLaterVersion);
      print(fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", n, seconds(a), a.result.states,
                        a.result.found.size(), seconds(b), b.result.states, known ? p->mirage : "",
                        known ? p->one_thread : "", known ? p->no_pruning : ""));
    }
  }

  void programs() {
    print(
        "\nThe programs at their presets, and the public project's own search (CPU, two threads).\n\n"
        "| program | ops | CPU s | states | structures | schedules | published structure | project's CPU s | "
        "its states "
        "|\n| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
    for (const Peer& peer : kPeers) {
      const Run a = run("programs", peer.program, args_.most, true, true);
      print(fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", peer.program, a.block_ops,
                        seconds(a), a.result.states, a.result.found.size(), a.result.schedules(),
                        !a.found   ? ""
                        : *a.found ? "found"
                                   : "not found",
                        peer.cpu_seconds, peer.states));
    }
  }

 private:
  void print(const std::string& text) const {
    if (args_.json) return;
    fmt::print("{}", text);
    std::fflush(stdout);
  }

  static Json json_of(const Run& r) {
    Json j = {{"table", r.table},
              {"program", r.program},
              {"max_block_ops", r.block_ops},
              {"abstract_expressions", r.prune},
              {"canonical_form", r.canonical},
              {"cpu_seconds", r.result.cpu_seconds},
              {"stop_reason", to_string(r.result.stop_reason)},
              {"states", r.result.states},
              {"unique", r.result.found.size()},
              {"verified", r.result.schedules()}};
    if (r.found) j["published_found"] = *r.found;
    return j;
  }

  const Args& args_;
  StopToken stop_;
};

}  // namespace

void add_mirage_search(CLI::App& bench, Session& session) {
  auto a = std::make_shared<Args>();
  CLI::App* c = bench.add_subcommand(
      "mirage-search",
      "The search for muGraphs (Wu et al. 2024, 2025): table 5 with its ablations, all programs");
  c->add_option("tables", a->tables, "gqa, rmsnorm, programs")
      ->check(CLI::IsMember({"gqa", "rmsnorm", "programs"}))
      ->capture_default_str();
  c->add_option("--min-block-ops", a->least, "first row")->capture_default_str();
  c->add_option("--max-block-ops", a->most,
                "last row, and the limit of the programs (default: as published)");
  c->add_option_function<std::string>(
      "--time-limit", [a](const std::string& t) { a->seconds = parse_seconds(t); },
      "of each search (default 60s)");
  c->add_option_function<std::string>(
      "--memory-limit", [a](const std::string& t) { a->memory = parse_bytes(t); },
      "of the process (default 2GiB)");
  c->add_option("--threads", a->threads, "of each search")
      ->check(CLI::Range(1U, 256U))
      ->capture_default_str();
  c->add_flag("--json", a->json, "print one JSON object a search on standard output");
  c->callback([a, &session] {
    const api::StopRelay relay(session.stop);
    Bench run(*a, relay.token());
    for (const std::string& table : a->tables) {
      if (table == "gqa") run.gqa();
      if (table == "rmsnorm") run.rmsnorm();
      if (table == "programs") run.programs();
    }
  });
}

}  // namespace isomer::cli
