#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "api/session.h"
#include "cli/hlo_commands.h"
#include "cli/print_json.h"
#include "evaluation/hlo_exemplars.h"
#include "recipes/hlo_dataset.h"
#include "runtime/hlo_files.h"
#include "support/atomic_file.h"
#include "support/errors.h"
#include "support/outputs.h"

namespace isomer::cli {
namespace {

struct HloExemplarsArgs {
  std::vector<std::string> paths;
  std::string output;
  recipes::HloSearchOptions options;
  size_t most = 5, most_drawn = 200;
  bool json = false;
};

using evaluation::HloExemplars;

std::string title(const recipes::HloSearchOptions& o) {
  std::vector<std::string_view> names;
  for (const auto& pass : passes::decided(o.pipeline).passes) names.push_back(pass->name());
  return fmt::format("Largest wins of {} over pick-first ({})", recipes::word_of(o.search),
                     fmt::join(names, ", "));
}

/// What the page may be taken for, and no more.
std::string note_of(const HloExemplars& found, const recipes::HloSearchOptions& o) {
  const bool timed = recipes::times_calls(o.evaluator);
  return fmt::format(
      "Pick-first takes the first alternative everywhere, again and again, as a pass does; the search "
      "decides each. The search came to a cheaper module on {} of {}, by {}{}{}. Shown are the largest of "
      "these wins{}.",
      found.won(), found.searched(), o.evaluator,
      timed ? fmt::format(", confirmed by {} calls beside pick-first's module", recipes::kHloEvaluations)
            : ", for which nothing was run",
      found.unconfirmed() > 0
          ? fmt::format("; on {} there was no time for these calls, or XLA did not run what was met",
                        found.unconfirmed())
          : "",
      found.too_large() > 0 ? fmt::format("; {} are too large to be drawn", found.too_large()) : "");
}

/// What it is called by whoever wrote it, then where it lies: files of data sets are called by hashes.
std::string name_of(const hlo::Module& module, const recipes::HloSource& source) {
  const std::string called(module.text(module.name));
  std::vector<std::string> where;
  if (!source.origin.package.empty()) where.push_back(source.origin.package);
  const std::string stem = std::filesystem::path(source.path).stem().string();
  if (stem != called) where.push_back(stem);
  return where.empty() ? called : fmt::format("{} ({})", called, fmt::join(where, ", "));
}

void search_all(const HloExemplarsArgs& a, Session& session, HloExemplars& found) {
  const RunHooks hooks = terminal_hooks(session);
  api::HookProgress progress(hooks);
  const api::StopRelay relay(session.stop);
  const std::vector<recipes::HloSource> sources = recipes::hlo_sources(a.paths);
  for (size_t i = 0; i < sources.size(); ++i) {
    if (*session.stop) {
      session.status = static_cast<int>(ExitStatus::kInterrupted);
      break;
    }
    Progress p;
    p.phase = "exemplars";
    p.fraction = static_cast<double>(i) / static_cast<double>(sources.size());
    p.note = fmt::format("module {} of {}, {} won", i + 1, sources.size(), found.won());
    progress.update(p);
    recipes::HloSearchOptions options = a.options;
    options.limits.stop = options.evaluation.stop = relay.token();
    options.evaluation.seed = options.seed;
    options.keep_ways = true;
    try {
      const hlo::Module module = runtime::read_hlo(sources[i].path).module;
      found.add(name_of(module, sources[i]), recipes::hlo_search(module, options));
    } catch (const Error& error) {
      // Of one module alone: one that XLA does not run, too, or that a search made another program of.
      if (error.status() != ExitStatus::kBadInput && error.status() != ExitStatus::kVerificationFailed) throw;
      progress.message(error.what());
    }
  }
  end_progress();
}

void run(const HloExemplarsArgs& a, Session& session) {
  if (a.options.search == recipes::HloSearch::kExtraction)
    throw UsageError(
        "--search extraction: takes no single decisions that a page could show; expected another search");
  const NamedFile outputs[] = {{"-o", a.output}};
  std::vector<NamedFile> inputs;
  for (const std::string& path : a.paths) inputs.push_back({"paths", path});
  check_outputs(outputs, inputs);
  HloExemplars found(a.most, a.most_drawn);
  search_all(a, session, found);
  const std::string note = note_of(found, a.options);
  write_file(a.output,
             report::exemplars_html({title(a.options), note, "pick-first", "the search", found.exemplars()}));
  if (a.json) {
    auto list = nlohmann::ordered_json::array();
    for (const report::Exemplar& e : found.exemplars())
      list.push_back({{"name", e.name},
                      {"cost_before", e.start_cost},
                      {"cost_pick_first", e.ordinary.cost},
                      {"cost_after", e.found.cost}});
    return print_json({{"output", a.output},
                       {"evaluator", a.options.evaluator},
                       {"searched", found.searched()},
                       {"won", found.won()},
                       {"unconfirmed", found.unconfirmed()},
                       {"too_large", found.too_large()},
                       {"exemplars", list}});
  }
  for (const report::Exemplar& e : found.exemplars())
    fmt::print("{}: {:.4f} of pick-first's cost\n", e.name, e.found.cost / e.ordinary.cost);
  fmt::print("{}\nwritten: {}\n", note, a.output);
}

}  // namespace

void add_hlo_exemplars(CLI::App& app, Session& session) {
  auto a = std::make_shared<HloExemplarsArgs>();
  a->options.evaluator = "roofline:cpu";
  a->options.limits.seconds = 10;
  constexpr double kSecondsByXla = 60;  // of which a fifth confirms
  CLI::App* command = app.add_subcommand(
      "exemplars",
      fmt::format("a page of the largest wins of a search over pick-first: graphs side by side, and what was "
                  "decided; with --evaluator xla a module takes {:g}s unless --time-limit is given",
                  kSecondsByXla));
  command->add_option("paths", a->paths, "HLO modules: data sets (`isomer hlo collect`), folders, files")
      ->required();
  command->add_option("-o,--output", a->output, "the page, HTML")->required();
  add_hlo_search_options(*command, a->options);
  command->add_option("--most", a->most, "exemplars")->check(CLI::Range(1, 1000))->capture_default_str();
  command->add_option("--most-drawn", a->most_drawn, "boxes of a graph; larger modules are passed over")
      ->capture_default_str();
  command->add_flag("--json", a->json, "print one JSON object");
  command->callback([a, command, &session] {
    if (recipes::times_calls(a->options.evaluator) && command->count("--time-limit") == 0)
      a->options.limits.seconds = kSecondsByXla;
    run(*a, session);
  });
}

}  // namespace isomer::cli
