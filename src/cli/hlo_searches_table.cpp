#include "cli/hlo_searches_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/hlo_commands.h"
#include "cli/print_json.h"
#include "published/hloenv.h"

namespace isomer::cli {
namespace {

using evaluation::HloSearches;
using evaluation::HloSearchesModule;
using evaluation::HloSearchesOptions;
using evaluation::HloSearchesRow;
using evaluation::MeanOfModules;
using Json = nlohmann::ordered_json;

constexpr double kPercent = 100;

std::string mean_cell(const MeanOfModules& of) {
  return fmt::format("{:.4f} ({:.4f} to {:.4f})", of.mean, of.low, of.high);
}
std::string mean_cell(const std::optional<MeanOfModules>& of) { return of ? mean_cell(*of) : ""; }

std::string published_of(const std::string& pass, std::string_view size, const std::string& search) {
  for (const auto& p : published::hloenv::searches())
    if (p.pass == pass && p.size == size && p.search == search)
      return fmt::format("{:.3f} / {:.3f}", p.mean, p.least);
  return "";
}

std::vector<std::string> with_pick_first(const HloSearchesOptions& o) {
  std::vector<std::string> out = {"pick-first"};
  std::ranges::copy(o.searches, std::back_inserter(out));
  return out;
}

size_t modules_of(const HloSearches& all, const std::string& pass, std::string_view size, bool refused) {
  return static_cast<size_t>(std::ranges::count_if(all.ended, [&](const HloSearchesModule& m) {
    return m.pass == pass && evaluation::hlo_size_of(m.instructions) == size && m.error.empty() != refused;
  }));
}

void print_own_ends(const HloSearches& all, const HloSearchesOptions& o, const std::string& pass,
                    const std::string& size) {
  fmt::print(
      "| search | evaluations | came to their end | over XLA's pass: mean | least | largest | faster % | "
      "slower % | same graph % | over pick-first, as searched | over random, as searched | the cheapest over "
      "pick-first, 100 calls | found over pick-first, 100 calls | least | found over random, 100 calls | "
      "published |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | "
      "--- | --- |\n");
  for (const std::string& search : with_pick_first(o))
    if (const auto row = hlo_searches_row(all, pass, size, search))
      fmt::print(
          "| {} | {:.1f} | {} of {} | {} | {:.3f} | {:.3f} | {:.1f} | {:.1f} | {:.1f} | {} | {} | {} | "
          "{} | {} | {} | {} |\n",
          search, row->evaluated, row->ended, row->runs, mean_cell(row->to_reference),
          row->to_reference.least, row->to_reference.most, kPercent * row->faster, kPercent * row->slower,
          kPercent * row->same, mean_cell(row->to_pick_first), mean_cell(row->to_random),
          mean_cell(row->cheapest_again), mean_cell(row->found_again),
          row->found_again ? fmt::format("{:.3f}", row->found_again->least) : "",
          mean_cell(row->found_to_random), published_of(pass, size, search));
}

void print_equal(const HloSearches& all, const HloSearchesOptions& o, const std::vector<uint64_t>& at,
                 const std::string& pass, const std::string& size) {
  fmt::print(
      "\n| search | evaluations | over pick-first | least | over random | modules below pick-first |\n"
      "| --- | --- | --- | --- | --- | --- |\n");
  for (const std::string& search : o.searches)
    for (const uint64_t evaluations : at)
      if (const auto row = hlo_searches_row(all, pass, size, search, evaluations))
        fmt::print("| {} | {} | {} | {:.3f} | {} | {} of {} |\n", search, evaluations,
                   mean_cell(row->to_pick_first), row->to_pick_first.least, mean_cell(row->to_random),
                   row->below, row->to_pick_first.modules);
}

Json json_of(const MeanOfModules& of) {
  return {{"mean", of.mean}, {"low", of.low}, {"high", of.high}, {"least", of.least}, {"largest", of.most}};
}
Json json_of(const std::optional<MeanOfModules>& of) { return of ? json_of(*of) : Json(nullptr); }

Json json_of(const HloSearchesRow& row) {
  return {{"modules", row.to_pick_first.modules},
          {"runs", row.runs},
          {"ended", row.ended},
          {"evaluated", row.evaluated},
          {"over_reference", json_of(row.to_reference)},
          {"over_pick_first", json_of(row.to_pick_first)},
          {"over_random", json_of(row.to_random)},
          {"cheapest_again", json_of(row.cheapest_again)},
          {"found_again", json_of(row.found_again)},
          {"confirmed", json_of(row.found_again)},
          {"found_again_over_random", json_of(row.found_to_random)},
          {"faster", row.faster},
          {"slower", row.slower},
          {"same_graph", row.same},
          {"below_pick_first", row.below}};
}

std::string held_line(const HloSearches& all) {
  std::map<std::string, size_t> held;
  for (const HloSearchesModule& m : all.ended)
    for (const auto& run : m.runs) ++held[run.held];
  std::vector<std::string> words;
  for (const auto& [word, count] : held) words.push_back(fmt::format("{} {}", count, word));
  return fmt::format("held to their modules: {}", fmt::join(words, ", "));
}

}  // namespace

void print_searches(const HloSearches& all, const HloSearchesOptions& o, const std::vector<uint64_t>& at) {
  fmt::print(
      "HloEnv, table 2: searches over the decisions of a pass, by {}; means over modules with 95 % "
      "bootstrap\n"
      "intervals. XLA's pass is, of fusions, our `fusion`, which decides as XLA's, else pick-first. "
      "Published\n"
      "are mean / least of run times on a graphics processor, on other modules: to be read beside, not "
      "compared.\n",
      all.evaluator);
  for (const std::string& pass : o.passes)
    for (const std::string& size : evaluation::hlo_sizes()) {
      const size_t modules = modules_of(all, pass, size, false), refused = modules_of(all, pass, size, true);
      if (modules == 0) continue;
      fmt::print("\n{}, {} instructions: {}{}\n\n", pass, size, how_many(modules, "module"),
                 refused > 0 ? fmt::format("; {} that the evaluator does not run", refused) : "");
      print_own_ends(all, o, pass, size);
      print_equal(all, o, at, pass, size);
    }
  fmt::print("\n{}{}\n", held_line(all),
             all.stop_reason == StopReason::kSaturated
                 ? ""
                 : fmt::format(" ({}; --record goes on)", to_string(all.stop_reason)));
}

void print_searches_json(const HloSearches& all, const HloSearchesOptions& o,
                         const std::vector<uint64_t>& at) {
  Json rows = Json::array();
  for (const std::string& pass : o.passes)
    for (const std::string& size : evaluation::hlo_sizes())
      for (const std::string& search : with_pick_first(o)) {
        const auto end = hlo_searches_row(all, pass, size, search);
        if (!end) continue;
        Json row = {{"pass", pass}, {"size", size}, {"search", search}, {"at_its_end", json_of(*end)}};
        row["after"] = Json::object();
        for (const uint64_t n : at)
          row["after"][std::to_string(n)] = json_of(*hlo_searches_row(all, pass, size, search, n));
        rows.push_back(std::move(row));
      }
  print_json({{"evaluator", all.evaluator},
              {"xla", all.xla.empty() ? Json(nullptr) : Json(all.xla)},
              {"modules", all.ended.size()},
              {"unread", all.unread},
              {"stop_reason", to_string(all.stop_reason)},
              {"rows", std::move(rows)}});
}

}  // namespace isomer::cli
