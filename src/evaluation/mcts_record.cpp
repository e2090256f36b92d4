#include "evaluation/mcts_record.h"

#include <fmt/format.h>

#include <cctype>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "evaluation/record_file.h"
#include "report/search_json.h"
#include "support/atomic_file.h"
#include "support/files.h"
#include "support/hash.h"

namespace isomer::evaluation {

using Json = nlohmann::ordered_json;

std::string line_of(const MctsBenchFirst& f) {
  Json j = {{"record", "first"},
            {"model", f.model},
            {"device", f.device},
            {"exact", f.costs.exact},
            {"tree", f.costs.tree},
            {"published", f.costs.published},
            {"corrected", f.costs.corrected}};
  if (const published::mcts::First* p = published::mcts::first_of(f.device, f.model); p != nullptr)
    j["paper"] = {{"exact", p->exact}, {"tree", p->tree}, {"sharing", p->sharing}};
  return j.dump();
}

namespace {

Json json_of(const char* record, const MctsBenchKey& key) {
  return {{"record", record}, {"model", key.model},       {"device", key.device}, {"approach", key.approach},
          {"seed", key.seed}, {"settings", key.settings}, {"inputs", key.inputs}};
}

}  // namespace

std::string stem_of(const MctsBenchKey& key) {
  return file_stem(fmt::format("{}-{}-{}-seed{}-{:016x}", key.model, key.device, key.approach, key.seed,
                               hash_string(key.settings, hash_string(key.inputs))));
}

void keep(const MctsBenchRun& run, const std::string& folder) {
  if (!run.kept) return;
  make_folder(folder);
  const std::string stem = (std::filesystem::path(folder) / stem_of(run)).string();
  const auto write = [&](const char* ending, const std::string& text) { write_file(stem + ending, text); };
  write(".input.graph", run.kept->input);
  write(".output.graph", run.kept->output);
  write(".search.json", report::to_json(run.kept->search));
}

std::string line_of(const MctsBenchTask& task) {
  Json j = json_of("task", task.key);
  j["words"] = task.words;
  return j.dump();
}

std::string line_of(const MctsBenchRun& r) {
  Json j = json_of("run", r);
  j.update({{"start_cost", r.start_cost},
            {"cost", r.cost},
            {"speedup_percent", r.speedup()},
            {"search_cpu_seconds", r.search_seconds},
            {"final_cpu_seconds", r.final_seconds},
            {"e_nodes", r.nodes},
            {"rollouts", r.rollouts},
            {"applications", r.applications},
            {"stop_reason", r.stop_reason},
            {"optimal", r.optimal},
            {"bound", r.bound > 0 ? Json(r.bound) : Json(nullptr)}});
  if (const published::mcts::Run* p = published::mcts::run_of(r.device, r.model, r.approach); p != nullptr) {
    j["published"] = {{"speedup_percent", p->speedup}, {"speedup_deviation", p->speedup_deviation}};
    if (p->model == r.model) {
      j["published"]["seconds"] = p->seconds;
      j["published"]["seconds_deviation"] = p->seconds_deviation;
    }
  }
  if (!r.unchecked.empty())
    j["unchecked"] = r.unchecked;
  else if (r.error)
    j["max_relative_error"] = *r.error;
  if (!r.same.empty()) j["same_program"] = r.same;
  if (r.differs) j["differs"] = true;
  if (r.kept) j["kept"] = stem_of(r);
  j["steps"] = Json::array();
  for (const auto& s : r.steps)
    j["steps"].push_back({{"rule", s.rule},
                          {"name", s.name},
                          {"cost", s.cost},
                          {"e_nodes", s.nodes},
                          {"rollouts", s.rollouts},
                          {"cpu_seconds", s.cpu_seconds}});
  if (!r.tree.empty()) {
    Json tree = Json::array();
    for (const auto& n : r.tree)
      tree.push_back({{"parent", n.parent},
                      {"rule", n.action},
                      {"visits", n.visits},
                      {"worth", n.worth},
                      {"cost", n.cost},
                      {"saturated", n.saturated}});
    j["tree"] = std::move(tree);
  }
  j["rules"] = Json::object();
  for (const auto& [rule, count] : r.rules) j["rules"][std::to_string(rule)] = count;
  return j.dump();
}

namespace {

/// What the tables need.
MctsBenchRun run_of(const Json& j) {
  MctsBenchRun r;
  r.model = j.at("model");
  r.device = j.at("device");
  r.approach = j.at("approach");
  r.seed = j.at("seed");
  r.settings = j.value("settings", "");
  r.inputs = j.value("inputs", "");  // without it, it is not known what was run
  r.start_cost = j.at("start_cost");
  r.cost = j.at("cost");
  r.search_seconds = j.at("search_cpu_seconds");
  r.final_seconds = j.at("final_cpu_seconds");
  r.nodes = j.at("e_nodes");
  r.rollouts = j.at("rollouts");
  r.stop_reason = j.at("stop_reason");
  r.optimal = j.at("optimal");
  if (!j.at("bound").is_null()) r.bound = j["bound"];
  r.unchecked = j.value("unchecked", "");
  r.same = j.value("same_program", "");
  r.differs = j.value("differs", false);
  if (j.contains("max_relative_error")) r.error = j["max_relative_error"];
  for (const auto& [rule, count] : j.at("rules").items())
    r.rules[static_cast<uint32_t>(std::stoul(rule))] = count;
  return r;
}

}  // namespace

void MctsRecord::open(const std::string& path) {
  file_.open(path, "bench mcts", [this](const Json& j, const std::string& line) {
    if (j.at("record") == "first") firsts_.insert(line);
    if (j.at("record") != "run") return;
    const MctsBenchRun r = run_of(j);
    runs_.insert_or_assign(r, Kept{r, line});
  });
}

const MctsRecord::Kept* MctsRecord::find(const MctsBenchKey& key) const {
  const auto it = runs_.find(key);
  return it == runs_.end() ? nullptr : &it->second;
}

void MctsRecord::add(const MctsBenchRun& run) {
  const std::string line = line_of(run);
  runs_.insert_or_assign(run, Kept{run, line});
  file_.write(line);
}

void MctsRecord::add(const MctsBenchFirst& first) {
  const std::string line = line_of(first);
  if (firsts_.insert(line).second) file_.write(line);
}

}  // namespace isomer::evaluation
