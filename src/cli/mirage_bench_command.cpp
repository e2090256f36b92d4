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
#include "mugraph/published.h"
#include "mugraph/search.h"
#include "mugraph/structural_hash.h"
#include "support/errors.h"
#include "support/units.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace isomer::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Args {
  std::vector<std::string> tables = {"gqa", "rmsnorm", "programs"};
  int least = 4, most = 0;
  double seconds = 60;
  uint64_t memory = uint64_t{2} << 30;
  unsigned threads = 1;
  std::string target{mugraph::target_choices()[0].name};
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

/// What the papers measure, at their sizes: `batch` is multiplied by 1 and 8. Attention on 4,096 keys: heads
/// of LLaMA-2-70B on one of four devices (GQA: two groups of eight), 32 heads (MHA), one head for 32 (MQA);
/// queries of one group are rows of one head. MoE is exp(X A) B.
struct Case {
  const char *label, *program;
  mugraph::Extents sizes;
  const char* batch;
  std::vector<std::string> published;  ///< whose structures are to be found
};
std::vector<Case> cases() {
  std::vector<Case> out;
  for (int64_t q : {1, 32, 512}) {
    // FlashDecoding has all queries in a block: 512 of them do not fit.
    out.push_back({"MHA", "mha", {{"s", q}}, "h", {}});
    if (q < 512) out.back().published.push_back("FlashDecoding");
    if (q > 1) out.back().published.push_back("FlashAttention");
    // The queries of one token are too few for a second kernel that splits them.
    out.push_back({"GQA", "gqa", {{"s", 8 * q}}, "h", {q == 1 ? "FlashDecoding" : "figure 8b"}});
    out.push_back({"MQA", "mqa", {{"s", 32 * q}}, "h", {"figure 8b"}});
  }
  out.push_back({"GQA, heads not grouped", "gqa_heads", {}, "g", {"figure 4c"}});
  out.push_back({"MLP, exp for ReLU", "mlp", {}, "m", {"figure 10b"}});
  out.push_back({"MoE", "moe", {}, "m", {}});
  out.push_back({"LoRA", "lora", {}, "m", {"figure 9b"}});
  out.push_back({"RMSNorm", "rmsnorm", {}, "m", {"RMSNorm"}});
  out.push_back({"GatedMLP", "gated_mlp", {}, "m", {"GatedMLP"}});
  out.push_back({"QKNorm", "qknorm_gqa", {}, "h", {}});
  out.push_back({"nTrans", "ntrans", {}, "m", {"nTrans"}});
  out.push_back({"attention, online softmax", "safe_attention", {}, "h", {"online softmax"}});
  return out;
}

struct Run {
  std::string table, program, target;
  mugraph::Extents sizes;
  int block_ops = 0;
  bool prune = true, canonical = true;
  mugraph::SearchResult result;
  std::vector<std::pair<std::string, bool>> published;  ///< structures that are asked for; found or not

  /// None where none are asked for.
  std::optional<bool> found() const {
    if (published.empty()) return std::nullopt;
    return std::ranges::all_of(published, &std::pair<std::string, bool>::second);
  }
};

class Bench {
 public:
  Bench(const Args& args, const StopToken& stop) : args_(args), stop_(stop) {}

  /// At the program's own sizes.
  Run run(const char* table, const char* name, int block_ops, bool prune, bool canonical) {
    std::vector<std::string> published;
    for (const mugraph::Published& p : mugraph::published())
      if (p.program == name && p.searched) published.push_back(p.name);
    return run(table, name, block_ops, prune, canonical, {}, published);
  }

  /// At these sizes or, where there are none, at the program's own.
  Run run(const char* table, const char* name, int block_ops, bool prune, bool canonical,
          const mugraph::Extents& sizes, const std::vector<std::string>& published) {
    const mugraph::Program& program = mugraph::program(name);
    const mugraph::Extents& extents = sizes.empty() ? program.extents : sizes;
    mugraph::SearchOptions o = mugraph::preset_for(program);
    if (block_ops > 0) o.max_block_ops = block_ops;
    o.target = mugraph::target(args_.target);
    o.prune = prune;
    o.canonical = canonical;
    o.verify.floats = !sizes.empty();
    o.threads = args_.threads;
    o.limits.seconds = args_.seconds;
    o.limits.memory_bytes = args_.memory;
    o.limits.stop = stop_;
#ifdef __GLIBC__
    malloc_trim(0);  // or the limit counts what an earlier search has given back
#endif
    Run r{table,
          name,
          args_.target,
          extents,
          o.max_block_ops,
          prune,
          canonical,
          mugraph::search(program, extents, o),
          {}};
    for (const std::string& asked : published) {
      const auto p = std::ranges::find(mugraph::published(), asked, &mugraph::Published::name);
      REQUIRE(p != mugraph::published().end(), "no published muGraph " + asked);
      r.published.emplace_back(asked, finds(r, *p));
    }
    if (args_.json) print_json(json_of(r));
    return r;
  }

  static bool finds(const Run& r, const mugraph::Published& p) {
    const uint64_t wanted = mugraph::structure_hash(p.graph);
    return std::ranges::any_of(r.result.found,
                               [&](const auto& f) { return mugraph::structure_hash(f.model) == wanted; });
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
    for (int n = args_.least; n <= (args_.most > 0 ? args_.most : 7) && !stop_.requested(); ++n) {
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
    for (int n = std::max(5, args_.least); n <= (args_.most > 0 ? args_.most : 11) && !stop_.requested();
         ++n) {
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
      if (stop_.requested()) return;
      const Run a = run("programs", peer.program, args_.most, true, true);
      print(fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", peer.program, a.block_ops,
                        seconds(a), a.result.states, a.result.found.size(), a.result.schedules(),
                        !a.found()                                       ? ""
                        : *a.found()                                     ? "found"
                        : a.result.stop_reason == StopReason::kSaturated ? "not found"
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
      for (const Case& c : cases()) {
        if (stop_.requested()) return;
        mugraph::Extents sizes = mugraph::program(c.program).extents;
        for (const auto& [name, size] : c.sizes) sizes[name] = size;
        sizes[c.batch] *= batch;
        std::string text;
        for (const auto& [name, size] : sizes)
          text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, size);
        // What is drawn cuts several heads; one head leaves another structure.
        const bool comparable = c.batch != std::string_view("h") || sizes["h"] > 1;
        const auto asked = comparable ? c.published : std::vector<std::string>{};
        const Run r = run("benchmarks", c.program, args_.most, true, true, sizes, asked);
        std::string published;
        for (const auto& [name, found] : r.published)
          published += fmt::format("{}{}{}", published.empty() ? "" : ", ",
                                   found                                            ? ""
                                   : r.result.stop_reason == StopReason::kSaturated ? "not "
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

  static Json json_of(const Run& r) {
    Json j = {{"table", r.table},
              {"program", r.program},
              {"target", r.target},
              {"sizes", r.sizes},
              {"max_block_ops", r.block_ops},
              {"abstract_expressions", r.prune},
              {"canonical_form", r.canonical},
              {"cpu_seconds", r.result.cpu_seconds},
              {"stop_reason", to_string(r.result.stop_reason)},
              {"states", r.result.states},
              {"unique", r.result.found.size()},
              {"verified", r.result.schedules()}};
    if (const auto found = r.found()) j["published_found"] = *found;
    for (const auto& [name, found] : r.published) j["published"][name] = found;
    return j;
  }

  const Args& args_;
  StopToken stop_;
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
  auto a = std::make_shared<Args>();
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
      "--time-limit", [a](const std::string& t) { a->seconds = parse_seconds(t); },
      "of each search (default 60s)");
  c->add_option_function<std::string>(
      "--memory-limit", [a](const std::string& t) { a->memory = parse_bytes(t); },
      "of the process (default 2GiB)");
  c->add_option("--target", a->target, "what kernels are for: " + target_help())->capture_default_str();
  c->add_option("--threads", a->threads, "of each search")
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
