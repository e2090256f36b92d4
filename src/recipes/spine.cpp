#include "recipes/spine.h"

#include <exception>

namespace isomer::recipes {

Spine::Spine(RunRecord& record, ProgressSink& progress, const Limits& limits)
    : Spine(record, progress, limits, Deadline(limits.seconds, steady_clock(), limits.stop)) {}

Spine::Spine(RunRecord& record, ProgressSink& progress, const Limits& limits, const Deadline& search)
    : record_(record), progress_(progress), limits_(limits), search_(search) {}

void Spine::step(const std::string& name, const Gate& gate, const std::function<std::string()>& work) {
  Phase phase;
  phase.name = name;
  if (!gate.empty()) {
    phase.outcome = "skipped: " + gate;
    record_.phases.push_back(phase);
    return;
  }
  Progress start;
  start.phase = name;
  start.seconds_left = remaining();
  progress_.update(start);
  const double wall = wall_seconds(), cpu = process_cpu_seconds();
  const auto file = [&](std::string outcome) {
    if (limits_.stop.requested() && interrupted_.empty()) interrupted_ = name;
    phase.wall_seconds = wall_seconds() - wall;
    phase.cpu_seconds = process_cpu_seconds() - cpu;
    phase.outcome = std::move(outcome);
    record_.phases.push_back(phase);
  };
  try {
    std::string outcome = work();
    file(outcome.empty() ? "done" : std::move(outcome));
  } catch (const std::exception& error) {
    file(std::string("failed: ") + error.what());
    throw;
  }
}

void Spine::improved(const std::string& what, double cost) {
  record_.steps.push_back({wall_seconds() - begin_, what, cost});
  Progress p;
  p.phase = what;
  p.best = cost;
  p.seconds_left = remaining();
  progress_.update(p);
}

}  // namespace isomer::recipes
