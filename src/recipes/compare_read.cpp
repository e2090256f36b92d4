#include "recipes/compare_read.h"

#include <algorithm>

namespace isomer::recipes {
namespace {

struct RunAndRead {
  runtime::FedRun run;
  AsDefined as;
};

/// In the runtime, without its own rewrites, and in the interpreter.
RunAndRead run_and_read(runtime::OnnxRuntime& runtime, const ReadAsked& asked, const std::string& path,
                        const Program& program, const runtime::InputSpec& spec, int sample) {
  runtime::LoadOptions load = asked.load;
  load.optimisation = "off";
  runtime::Wait wait;
  wait.timeout_seconds = asked.seconds;
  wait.stop = asked.stop;
  const auto outcome = runtime::fed_run(runtime, path, spec, sample, load, wait);
  if (!outcome) return {};
  RunAndRead out{*outcome, {}};
  const Deadline until = Deadline().with(asked.stop);
  if (spec.dims.empty())
    out.as = as_defined(program.graph, out.run, asked.leeway, until);
  else if (const auto sized = try_load_program(asked.ctx, path, spec.dims))
    out.as = as_defined(sized->graph, out.run, asked.leeway, until);
  return out;
}

}  // namespace

ReadAndRun run_what_was_read(runtime::OnnxRuntime& runtime, const ReadAsked& asked) {
  constexpr int kEach = 2;
  ReadAndRun out;
  const auto at = [&](const runtime::InputSpec& spec, int sample) {
    const RunAndRead a = run_and_read(runtime, asked, asked.path_a, asked.a, spec, sample),
                     b = run_and_read(runtime, asked, asked.path_b, asked.b, spec, sample);
    const bool ran = !a.run.outputs.empty() && !b.run.outputs.empty();
    out.held += a.as.known && b.as.known;
    out.ran += ran;
    if (ran) out.apart = apart(a.run.outputs, b.run.outputs, asked.leeway);
    out.of_first = !a.as.departs.empty();
    out.departs = out.of_first ? a.as.departs : b.as.departs;
    if (!out.apart.empty()) out.shown = witness_of(a.run, b.run);
  };
  const auto goes_on = [&] { return out.apart.empty() && out.departs.empty() && !asked.stop.requested(); };
  for (size_t set = 0; set < std::max<size_t>(asked.sets.size(), 1); ++set) {
    runtime::InputSpec spec = asked.inputs;
    if (set < asked.sets.size()) {
      spec.dims = asked.sets[set].first;
      for (const auto& [name, range] : asked.sets[set].second) spec.bounds[name] = range;
    }
    for (int sample = 0; sample < kEach && goes_on(); ++sample) at(spec, sample);
    for (const InputBounds& branch : asked.branches) {
      if (set > 0 || !goes_on()) break;
      runtime::InputSpec other = spec;
      for (const auto& [name, range] : branch) other.bounds[name] = range;
      at(other, 0);
    }
  }
  return out;
}

}  // namespace isomer::recipes
