#include "recipes/compiled_race.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <system_error>

#include "codegen/estimate.h"
#include "codegen/gpu_estimate.h"
#include "native/apart.h"
#include "native/shared_object.h"
#include "recipes/agreement.h"
#include "support/clock.h"
#include "support/errors.h"
#include "support/possible.h"

namespace isomer::recipes {

RaceOptions race_options(const CompileOptions& options, double round_seconds) {
  RaceOptions out;
  out.threads = options.threads;
  out.gpu = options.gpu;
  out.seconds = round_seconds;
  out.limit = options.trial_limit;
  out.tolerance = options.tolerance;
  return out;
}

CompiledRace::CompiledRace(const Example& example, const RaceOptions& options)
    : example_(example),
      options_(options),
      schedule_(codegen::options_for(machine_named({}))),
      folder_(std::filesystem::temp_directory_path().string(), "compiled programs") {
  options_.tolerance = tolerance_for(*example.graph, options_.tolerance);
}

namespace {

/// Throws InputError where a kernel cannot run by its schedule.
codegen::LoopProgram loops_for_gpu(const ir::Graph& graph, const std::string& gpu) {
  std::vector<std::string> written_out;
  codegen::LoopProgram out = codegen::generate_for_gpu(graph, codegen::gpu_options_for(gpu), &written_out);
  if (!written_out.empty()) throw InputError(written_out[0]);
  return out;
}

}  // namespace

codegen::LoopProgram CompiledRace::loops(const ir::Graph& graph) const {
  return options_.gpu.empty() ? codegen::generate(graph, schedule_) : loops_for_gpu(graph, options_.gpu);
}

size_t CompiledRace::enter(const ir::Graph& graph) {
  Runner& runner = runners_.emplace_back();
  runner.path = folder_.in(fmt::format("{}.so", runners_.size() - 1));
  const double begin = steady_clock().seconds();
  native::SharedObjectOptions how;
  how.gpu = options_.gpu;
  const auto written = possible([&] {
    native::write_shared_object(loops(graph), graph.context(), how, runner.path);
    return true;
  });
  runner.failure = written.why_not;
  if (!written) return runners_.size() - 1;
  runner.compile_seconds = steady_clock().seconds() - begin;
  const native::ApartRun run = native::run_apart(runner.path, example_.inputs, example_.output_bytes(),
                                                 options_.threads, options_.seconds, options_.limit);
  runner.failure = run.failure;
  if (run.lacking && !options_.gpu.empty())
    throw MissingRuntimeError(fmt::format("--gpu {}: {}", options_.gpu, run.failure));
  if (!runner.failure.empty()) return drop(runners_.size() - 1);
  runner.difference = example_.difference(run.outputs);
  runner.run_seconds = run.run_seconds;
  if (!(runner.difference <= options_.tolerance))
    runner.failure = fmt::format("it differs by {:.2g} of the largest element", runner.difference);
  return runner.failure.empty() ? runners_.size() - 1 : drop(runners_.size() - 1);
}

size_t CompiledRace::drop(size_t number) {
  std::error_code ignored;
  std::filesystem::remove(runners_[number].path, ignored);
  return number;
}

double CompiledRace::estimated(const ir::Graph& graph) const {
  if (!options_.gpu.empty()) return estimated_seconds(graph, options_.gpu);
  const auto made = possible([&] { return loops(graph); });
  return made ? codegen::estimate(*made, schedule_).cycles() : std::numeric_limits<double>::infinity();
}

std::vector<std::vector<double>> CompiledRace::rounds(std::span<const size_t> contestants, int count) {
  std::vector<std::vector<double>> out;
  for (int round = 0; round < count; ++round) {
    std::vector<double>& times = out.emplace_back();
    for (const size_t c : contestants) {
      Runner& runner = runners_[c];
      if (runner.failure.empty()) {
        const native::ApartRun run = native::run_apart(runner.path, example_.inputs, example_.output_bytes(),
                                                       options_.threads, options_.seconds, options_.limit);
        runner.failure = run.failure;
        times.push_back(run.failure.empty() ? run.run_seconds : 0);
      } else {
        times.push_back(0);
      }
    }
  }
  return out;
}

double estimated_seconds(const ir::Graph& graph, const std::string& gpu) {
  // A kernel that was made may still have no room in a block.
  const auto seconds =
      possible([&] { return codegen::gpu_seconds(loops_for_gpu(graph, gpu), machine::gpu_named(gpu)); });
  return seconds ? *seconds : std::numeric_limits<double>::infinity();
}

std::vector<double> ratios_of(const std::vector<std::vector<double>>& rounds, size_t of, size_t over) {
  std::vector<double> ratios;
  for (const std::vector<double>& times : rounds)
    if (times[of] > 0 && times[over] > 0) ratios.push_back(times[of] / times[over]);
  return ratios;
}

Ratio ratio_of(const std::vector<std::vector<double>>& rounds, size_t of, size_t over) {
  std::vector<double> ratios = ratios_of(rounds, of, over);
  if (ratios.empty()) return {};
  std::ranges::sort(ratios);
  return {ratios[ratios.size() / 2], ratios.front(), ratios.back()};
}

}  // namespace isomer::recipes
