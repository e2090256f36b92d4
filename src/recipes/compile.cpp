#include "recipes/compile.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "codegen/generate.h"
#include "ir/op_table.h"
#include "native/apart.h"
#include "native/compiler.h"
#include "native/shared_object.h"
#include "recipes/agreement.h"
#include "recipes/check_options.h"
#include "recipes/decision.h"
#include "recipes/found_check.h"
#include "recipes/load.h"
#include "recipes/native_trial.h"
#include "support/clock.h"
#include "support/errors.h"
#include "support/outputs.h"

namespace isomer::recipes {
namespace {

struct CheckedRun {
  native::ApartRun run;
  double difference = 0;
};

/// Runs the shared object on an example and compares.
CheckedRun check(const std::string& path, const Example& example, const CompileOptions& options) {
  constexpr double kTimed = 0.3;
  native::ApartRun run = native::run_apart(path, example.inputs, example.output_bytes(), options.threads,
                                           kTimed, options.trial_limit);
  if (run.lacking && !options.gpu.empty())
    throw MissingRuntimeError(fmt::format("{}: cannot be tried on this machine ({}); expected --no-check",
                                          options.output, run.failure));
  if (!run.failure.empty())
    throw VerificationError(fmt::format("{}: the compiled model fails: {}", options.output, run.failure));
  const double difference = example.difference(run.outputs),
               most = tolerance_for(*example.graph, options.tolerance);
  if (!(difference <= most))
    throw VerificationError(
        fmt::format("{}: the compiled model differs from the model by {:.2g} of its largest element "
                    "(at most {:.2g} is rounding)",
                    options.output, difference, most));
  return {std::move(run), difference};
}

void unless_abandoned(const StopToken& abandon) {
  if (abandon.requested()) throw Error(ExitStatus::kInterrupted, "interrupted: nothing was written");
}

void check_before_work(const CompileOptions& options) {
  check_options(options);
  if (!options.cpu.empty() && !options.gpu.empty())
    throw UsageError("--cpu and --gpu: a model is compiled for one of them");
  if (!options.gpu.empty()) native::require_gpu(options.gpu);
  if (!options.cpu.empty() && options.check)
    throw UsageError("--cpu: what is for another processor cannot be run here; expected --no-check with it");
}

/// Why no other program is sought; empty where one is.
std::string as_it_is(const CompileOptions& options) {
  if (!options.rewrite) return "--no-rewrite";
  if (!options.check) return "--no-check: nothing is timed";
  return options.gpu.empty() ? "" : "nothing is rewritten for graphics processors";
}

}  // namespace

InterfaceNames names_of(const Program& program) {
  if (program.envelope == nullptr) return {};
  return {program.envelope->input_names(), program.envelope->output_names()};
}

void require_known_sizes(const ir::Graph& graph) {
  for (const ir::ValueId v : graph.inputs())
    if (const ir::Type& type = graph.type(v); type.is_ranked_tensor() && !type.is_static_tensor())
      throw InputError(
          fmt::format("input '{}' is {}: code is generated for known sizes; fix its dynamic dimensions "
                      "(--dim name=value; in Python dims)",
                      graph.name(v), ir::print(graph.context(), graph.type_id(v))));
}

CompileResult compile(const CompileOptions& options, const CompileStops& stops, ProgressSink& progress) {
  check_outputs(std::array<NamedFile, 1>{{{"--output", options.output}}},
                std::array<NamedFile, 1>{{{"the model", options.input}}});
  ir::Context ctx(ir::standard_ops());
  const double begin = steady_clock().seconds();
  check_before_work(options);
  machine_named(options.cpu);
  const Program p = load_program(ctx, options.input, parse_dims(options.dims));
  const double read = steady_clock().seconds() - begin;
  require_known_sizes(p.graph);
  std::optional<Example> example;
  if (as_it_is(options).empty()) example = example_of(p.graph, options.seed);
  const Example* given = example ? &*example : nullptr;
  const ProgramForCode found = program_for_code(p, given, options, stops.search, progress);
  const std::string held =
      found.found.graph ? held_to(p.graph, *found.found.graph, found.found.until.with(stops.writing)) : "";
  CompileResult out =
      found.told_in(compile_graph(found.graph(p), names_of(p), options, given, stops.writing));
  out.compile_seconds += read;
  out.verification = held;
  return out;
}

ProgramForCode program_for_code(const Program& program, const Example* example, const CompileOptions& options,
                                const StopToken& stop, ProgressSink& progress) {
  ProgramForCode out;
  if (const std::string why = as_it_is(options); !why.empty()) {
    out.found.decision = original_since(why).words;
    return out;
  }
  const double started = steady_clock().seconds();
  out.found = rewrite_for_code(program, *example, options, stop, progress);
  out.seconds = steady_clock().seconds() - started;
  return out;
}

std::string held_to(const ir::Graph& read, const ir::Graph& compiled, const Deadline& until) {
  constexpr double kLeast = 1, kMost = 10;  // of each of its two questions
  const double seconds = std::clamp(until.remaining() / 2, kLeast, kMost);
  const FoundCheck seen =
      check_evaluated(read, compiled, seconds,
                      Deadline(std::max(until.remaining(), 2 * kLeast), steady_clock(), until.stop()));
  require_right(seen, "what was found to be compiled");
  return seen.words();
}

CompileResult ProgramForCode::told_in(CompileResult out) const {
  out.rewritten = found.graph.has_value();
  out.decision = found.decision;
  if (out.rewritten) {
    out.rewrite_gain = found.gain.median;
    out.rewrite_gain_low = found.gain.low;
    out.rewrite_gain_high = found.gain.high;
  }
  out.rules_applied = found.rules_applied;
  out.rewrite_seconds = seconds;
  return out;
}

CompileResult compile_graph(const ir::Graph& graph, const InterfaceNames& names,
                            const CompileOptions& options, const Example* example, const StopToken& abandon) {
  const double begin = steady_clock().seconds();
  check_before_work(options);
  const codegen::ScheduleOptions schedule = codegen::options_for(machine_named(options.cpu));
  require_known_sizes(graph);
  CompileResult out;
  out.output = options.output;
  native::SharedObjectOptions how;
  how.cpu = options.cpu;
  how.gpu = options.gpu;
  how.inputs = names.inputs;
  how.outputs = names.outputs;
  how.check = [&](const std::string& path) {
    out.compile_seconds = steady_clock().seconds() - begin;
    unless_abandoned(abandon);
    if (options.check) {
      const CheckedRun seen = check(path, example ? *example : example_of(graph, options.seed), options);
      out.checked = true;
      out.difference = seen.difference;
      out.load_seconds = seen.run.load_seconds;
      out.run_seconds = seen.run.run_seconds;
      out.runs = seen.run.runs;
    }
    unless_abandoned(abandon);
  };
  const native::SharedObject made = native::write_shared_object(
      options.gpu.empty()
          ? codegen::generate(graph, schedule)
          : codegen::generate_for_gpu(graph, codegen::gpu_options_for(options.gpu), &out.written_out),
      graph.context(), how, options.output);
  out.kernels = made.kernels;
  out.calls = made.calls;
  out.calls_at_load = made.at_load;
  out.weight_bytes = made.weight_bytes;
  out.prepared_bytes = made.prepared_bytes;
  out.workspace_bytes = made.workspace_bytes;
  return out;
}

}  // namespace isomer::recipes
