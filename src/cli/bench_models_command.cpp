// bench models: the main job over models, searches, costs and targets; a record, a table and a page of it.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/optimize_flags.h"
#include "cli/standard_output.h"
#include "evaluation/models_bench.h"
#include "report/bench_page.h"
#include "support/atomic_file.h"
#include "support/errors.h"
#include "support/files.h"
#include "support/outputs.h"
#include "support/units.h"

namespace isomer::cli {
namespace {

using evaluation::ModelsBenchKey;
using evaluation::ModelsBenchRun;
using evaluation::ModelsBenchSummary;
using evaluation::ModelsBenchTask;
using report::Json;

struct BenchModelsArgs {
  evaluation::ModelsBenchOptions options;
  std::string record, page;
  bool json = false, planned = false, again = false, no_run = false;
};

/// What is there of each task, null where nothing is.
using Runs = std::vector<const ModelsBenchRun*>;

/// Beside the record, where none was named; none without a record.
std::string page_of(const BenchModelsArgs& args) {
  if (!args.page.empty() || args.record.empty()) return args.page;
  return std::filesystem::path(args.record).replace_extension(".html").string();
}

std::string number(const Json& result, const char* key, const char* form) {
  const Json value = result.value(key, Json());
  return value.is_number() ? fmt::format(fmt::runtime(form), value.get<double>()) : "-";
}

/// "1.266 (1.241 to 1.290)".
std::string gain(const ModelsBenchRun& run) {
  if (run.status != 0) return fmt::format("failed ({})", run.status);
  if (!run.result["changed"].get<bool>()) return "as it was";
  if (number(run.result, "speedup", "{}") == "-") return "not timed";
  return fmt::format("{} ({} to {})", number(run.result, "speedup", "{:.3f}"),
                     number(run.result, "speedup_low", "{:.3f}"),
                     number(run.result, "speedup_high", "{:.3f}"));
}

std::string row(const ModelsBenchKey& key, const ModelsBenchRun* run) {
  std::string out = fmt::format("| {} | {} | {} | {} | ", key.model, key.search, key.cost, key.target);
  if (run == nullptr) return out + "- | - | - | not run | - |";
  const Json& r = run->result;
  if (r.is_null()) return out + fmt::format("- | - | - | {} | - |", gain(*run));
  const auto pair = [&](const char* before, const char* after, const char* form) {
    return fmt::format("{} to {}", number(r, before, form), number(r, after, form));
  };
  return out + fmt::format("{} | {} | {} | {} | {} |", pair("nodes_before", "nodes_after", "{:.0f}"),
                           pair("cost_before", "cost_after", "{:.4g}"),
                           number(r, "latency_before_ms", "{:.4g}"), gain(*run),
                           number(r, "seconds", "{:.1f}"));
}

std::string sentence(const ModelsBenchSummary& s) {
  std::string out = fmt::format("{}, {}, {}: {} of {} ended, {} failed, {} rewritten", s.search, s.cost,
                                s.target, s.ended, s.cells, s.failed, s.changed);
  if (std::isfinite(s.speedup)) out += fmt::format("; {:.3f} times as fast", s.speedup);
  if (std::isfinite(s.cheaper)) out += fmt::format("; cost {:.3f} times as low", s.cheaper);
  if (std::isfinite(s.median_seconds))
    out +=
        fmt::format("; median {}, most {}", format_seconds(s.median_seconds), format_seconds(s.most_seconds));
  return out;
}

void print_table(const std::vector<ModelsBenchTask>& tasks, const Runs& runs) {
  fmt::print(
      "| model | search | cost | target | operators | cost of a run | ms before | times as fast | s |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
  for (size_t i = 0; i < tasks.size(); ++i) fmt::print("{}\n", row(tasks[i].key, runs[i]));
  fmt::print("\n");
  for (const ModelsBenchSummary& s : evaluation::summaries(tasks, runs)) fmt::print("{}\n", sentence(s));
  for (const ModelsBenchRun* run : runs)
    if (run != nullptr && run->status != 0)
      fmt::print("failed: {}, {}, {}, {}: {}\n", run->model, run->search, run->cost, run->target,
                 run->failure);
}

/// As the page finds it: from its own folder.
Json link_to(const ModelsBenchRun& run, const std::string& page) {
  const std::string report = run.result.is_object() ? run.result.value("report", "") : "";
  if (report.empty()) return nullptr;
  return std::filesystem::absolute(report)
      .lexically_proximate(std::filesystem::absolute(folder_of(page)))
      .string();
}

void write_page(const std::string& page, const std::vector<ModelsBenchTask>& tasks, const Runs& runs) {
  Json bench = {{"runs", Json::array()}, {"missing", Json::array()}, {"summaries", Json::array()}};
  for (size_t i = 0; i < tasks.size(); ++i) {
    if (runs[i] == nullptr) {
      bench["missing"].push_back(json_of(tasks[i]));
      continue;
    }
    bench["runs"].push_back(json_of(*runs[i]));
    bench["runs"].back()["page"] = link_to(*runs[i], page);
  }
  for (const ModelsBenchSummary& s : evaluation::summaries(tasks, runs))
    bench["summaries"].push_back(json_of(s));
  write_file(page, report::bench_html(std::filesystem::path(page).stem().string(), bench));
}

/// The main job, which says at which cell it is.
evaluation::MainJob main_job(const Session& session, const std::string& cell) {
  RunHooks hooks = terminal_hooks(session);
  if (hooks.progress)
    hooks.progress = [plain = hooks.progress, cell](const std::string& phase, double fraction, double best,
                                                    double left, const std::string& note) {
      plain(fmt::format("{}: {}", cell, phase), fraction, best, left, note);
    };
  hooks.message = {};
  return [hooks](const OptimizeOptions& options, std::function<void(const OptimizeResult&)> failed) {
    RunHooks own = hooks;
    own.failed = std::move(failed);
    return optimize(options, own);
  };
}

void check_files(const BenchModelsArgs& args, const std::vector<ModelsBenchTask>& tasks,
                 const std::string& page) {
  std::vector<NamedFile> inputs;
  for (const ModelsBenchTask& task : tasks) inputs.push_back({"models", task.key.model});
  require_apart(std::array<NamedFile, 2>{{{"--record", args.record}, {"--output", page}}}, inputs);
  if (!page.empty()) check_writable(page);
}

bool is_to_keep(const ModelsBenchTask& task) { return !task.options.output.empty() && !task.options.dry_run; }

/// Nothing is known of the cell, or it failed and is tried again, or its result is to be kept and is not
/// there.
bool is_left(const BenchModelsArgs& args, const ModelsBenchTask& task, const ModelsBenchRun* known) {
  if (known == nullptr) return true;
  if (known->status != 0) return args.again;
  return is_to_keep(task) && kind_of(task.options.output) == FileKind::kNone;
}

/// What each comes to: what is known of it, or a run. Ends where the user stops it.
Runs run_all(const BenchModelsArgs& args, const std::vector<ModelsBenchTask>& tasks,
             evaluation::ModelsRecord& record, Session& session) {
  Runs out(tasks.size());
  for (size_t i = 0; i < tasks.size(); ++i) {
    const ModelsBenchKey& key = tasks[i].key;
    out[i] = record.find(key);
    if (!args.no_run && session.status == 0 && is_left(args, tasks[i], out[i])) {
      if (is_to_keep(tasks[i])) make_folder(args.options.keep);
      const std::string cell = fmt::format("{} of {}, {}", i + 1, tasks.size(), key.model);
      const auto ran = evaluation::run(tasks[i], main_job(session, cell));
      end_progress();
      if (ran) {
        record.add(*ran);
        out[i] = record.find(key);
        if (!session.quiet && !args.json)
          note(fmt::format("{}, {}, {}, {}: {}", cell, key.search, key.cost, key.target, gain(*ran)));
      }
      if (!ran || (session.stop != nullptr && session.stop->load()))
        session.status = static_cast<int>(ExitStatus::kInterrupted);
    }
    if (args.json && out[i] != nullptr) fmt::print("{}\n", report::text_of(json_of(*out[i])));
  }
  return out;
}

void run(const BenchModelsArgs& args, Session& session) {
  const std::vector<ModelsBenchTask> tasks = plan(args.options);
  const std::string page = page_of(args);
  check_files(args, tasks, page);
  evaluation::ModelsRecord record;
  if (!args.record.empty()) record.open(args.record);
  if (args.planned) {
    for (const ModelsBenchTask& task : tasks)
      if (is_left(args, task, record.find(task.key))) fmt::print("{}\n", report::text_of(json_of(task)));
    return;
  }
  const Runs runs = run_all(args, tasks, record, session);
  if (args.json)
    for (const ModelsBenchSummary& s : evaluation::summaries(tasks, runs))
      fmt::print("{}\n", report::text_of(json_of(s)));
  else
    print_table(tasks, runs);
  if (!page.empty()) {
    write_page(page, tasks, runs);
    if (!args.json) fmt::print("\nwritten: {}\n", page);
  }
  if (session.status != 0) return;
  for (const ModelsBenchRun* r : runs)
    if (r != nullptr) session.status = std::max(session.status, r->status);
}

void add_axes(CLI::App& c, evaluation::ModelsBenchOptions& o) {
  const OptimizeOptions usual;
  o.searches = {usual.search};
  o.costs = {usual.cost};
  o.targets = {usual.target};
  const auto axis = [&](const char* flag, std::vector<std::string>& values, const char* text) {
    c.add_option(flag, values, text)
        ->delimiter(',')
        ->allow_extra_args(false)
        ->capture_default_str()
        ->group("Each with each (several, with commas)");
  };
  axis("--search", o.searches, "how e-graphs are grown: those of isomer optimize");
  axis("--cost", o.costs, "cost models: those of isomer optimize");
  axis("--target", o.targets,
       "whom the results are for, and where they are timed: onnx, onnxruntime, openvino");
}

}  // namespace

void add_models_bench(CLI::App& bench, Session& session) {
  auto a = std::make_shared<BenchModelsArgs>();
  CLI::App* c = bench.add_subcommand(
      "models", "The main job over many models, by each search, cost and target: a table and a page");
  c->add_option("models", a->options.paths,
                "ONNX models, folders of them, or patterns in quotes ('zoo/*/model.onnx')")
      ->required();
  add_axes(*c, a->options);
  c->add_option(
      "--record", a->record,
      "write what each run came to, a JSON object a line, as it comes; what it holds is not run again");
  c->add_option("-o,--output", a->page,
                "the page, HTML (default: the record's name with .html; none without)");
  c->add_option("--keep", a->options.keep,
                "keep the results and their reports in this folder; what is not there is run again");
  c->add_flag("--again", a->again, "run again what failed");
  c->add_flag("--no-run", a->no_run, "run nothing: table and page of what the record holds");
  c->add_flag("--plan", a->planned,
              "run nothing: print what would be run, one JSON object a line, with its command line");
  c->add_flag("--json", a->json,
              "print one JSON object a line on standard output: each run, then what they come to");
  constexpr std::array<std::string_view, 9> kOwn = {"--search", "--cost",       "--target",
                                                    "--record", "--report",     "--no-report",
                                                    "--inputs", "--no-rewrite", "--explain"};
  add_optimize_flags(*c, a->options.others, kOwn);
  c->callback([a, &session] {
    a->options.version = version();
    run(*a, session);
  });
}

}  // namespace isomer::cli
