#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/print_json.h"
#include "support/errors.h"
#include "support/store.h"
#include "support/units.h"

namespace isomer::cli {
namespace {

Store open_store() {
  Store store = Store::of_user();
  if (!store.problem().empty()) throw InputError("nothing is kept between runs: " + store.problem());
  return store;
}

void info(bool json) {
  Store store = open_store();
  const std::vector<Store::Space> spaces = store.spaces();
  if (json) {
    nlohmann::ordered_json out;
    out["file"] = store.file().string();
    out["spaces"] = nlohmann::ordered_json::object();
    for (const Store::Space& s : spaces) out["spaces"][s.name] = {{"entries", s.entries}, {"bytes", s.bytes}};
    print_json(out);
    return;
  }
  fmt::print("{}\n", store.file().string());
  for (const Store::Space& s : spaces)
    fmt::print("  {:<20} {:>8} entries {:>12}\n", s.name, s.entries, format_bytes(s.bytes));
  if (spaces.empty()) fmt::print("  empty\n");
}

}  // namespace

void add_cache(CLI::App& app) {
  CLI::App* cache =
      app.add_subcommand("cache", "What is kept between runs (measured costs, device profiles): info, clear");
  cache->require_subcommand(1);
  CLI::App* about = cache->add_subcommand("info", "the file, and what is in it");
  auto json = std::make_shared<bool>(false);
  about->add_flag("--json", *json, "print one JSON object");
  about->callback([json] { info(*json); });
  CLI::App* clear = cache->add_subcommand("clear", "forget it; what is needed is measured again");
  auto space = std::make_shared<std::string>();
  clear->add_option("space", *space, "only this namespace, as info names it");
  clear->callback([space] {
    Store store = open_store();
    fmt::print("{} entries removed from {}\n", store.clear(*space), store.file().string());
  });
}

}  // namespace isomer::cli
