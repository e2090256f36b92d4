// Parts of `isomer hlo`, a file each.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "hlo/module.h"
#include "recipes/hlo_search.h"

namespace isomer::cli {

/// The help of an argument.
constexpr const char* kHloFile = "an HLO module as XLA writes it, or StableHLO as jax exports it";
constexpr const char* kHloOutput = "the file to write; .mlir and .mlirbc: as StableHLO";

/// "1 computation", "2 computations".
std::string how_many(size_t count, const char* what);
/// The most frequent first.
template <class Name>
std::vector<std::pair<Name, size_t>> by_count(const std::map<Name, size_t>& counts) {
  std::vector<std::pair<Name, size_t>> out(counts.begin(), counts.end());
  std::ranges::stable_sort(out, [](const auto& a, const auto& b) { return a.second > b.second; });
  return out;
}
/// A module that was found, held to the one that it began with.
inline std::string words_of(const std::optional<recipes::FoundCheck>& check) {
  return check ? check->words() : "it is the module";
}
inline std::string_view held_of(const std::optional<recipes::FoundCheck>& check) {
  return to_string(check ? check->held() : recipes::Held::kSame);
}
/// Options that several of them have.
void add_xla_threads(CLI::App& command, int& threads);
void add_disabled_passes(CLI::App& command, std::vector<std::string>& passes);
/// Of a search over decisions. `options` must live as long as the command.
/// What files of rules among these passes leave out, and why, to standard error.
void print_left_out(std::span<const std::shared_ptr<const passes::Pass>> passes);
void add_hlo_search_options(CLI::App& command, recipes::HloSearchOptions& options);

void add_hlo_passes(CLI::App& app, Session& session);
void add_hlo_run(CLI::App& app, Session& session);
void add_hlo_optimize(CLI::App& app, Session& session);
void add_hlo_search(CLI::App& app, Session& session);
void add_hlo_exemplars(CLI::App& app, Session& session);
void add_hlo_graph(CLI::App& app);
void add_hlo_noise(CLI::App& app, Session& session);
void add_hlo_collect(CLI::App& app, Session& session);
void add_hlo_dataset(CLI::App& app, Session& session);

}  // namespace isomer::cli
