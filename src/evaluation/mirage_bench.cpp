#include "evaluation/mirage_bench.h"

#include <algorithm>

#include "mugraph/structural_hash.h"
#include "published/mirage_figures.h"
#include "support/errors.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace isomer::evaluation {
namespace {

bool finds(const mugraph::SearchResult& result, const published::mirage::Figure& p) {
  const uint64_t wanted = mugraph::structure_hash(p.graph);
  return std::ranges::any_of(result.found,
                             [&](const auto& f) { return mugraph::structure_hash(f.model) == wanted; });
}

}  // namespace

MirageTask at_own_sizes(const char* table, const char* program, int block_ops, bool prune, bool canonical) {
  MirageTask task{table, program, block_ops, prune, canonical};
  for (const published::mirage::Figure& p : published::mirage::figures())
    if (p.program == program && p.searched) task.published.push_back(p.name);
  return task;
}

std::optional<bool> MirageRun::found() const {
  if (published.empty()) return std::nullopt;
  return std::ranges::all_of(published, &std::pair<std::string, bool>::second);
}

MirageRun run_mirage(const MirageTask& task, const MirageBenchOptions& options) {
  const mugraph::Program& program = mugraph::program(task.program);
  mugraph::SearchOptions o = mugraph::preset_for(program);
  if (task.block_ops > 0) o.max_block_ops = task.block_ops;
  o.target = mugraph::target(options.target);
  o.prune = task.prune;
  o.canonical = task.canonical;
  o.verify.floats = !task.sizes.empty();
  o.threads = options.threads;
  o.limits.seconds = options.seconds;
  o.limits.memory_bytes = options.memory;
  o.limits.stop = options.stop;
#ifdef __GLIBC__
  malloc_trim(0);  // or the limit counts what an earlier search has given back
#endif
  MirageRun run{task, options.target, {}, {}};
  if (task.sizes.empty()) run.task.sizes = program.extents;
  run.task.block_ops = o.max_block_ops;
  run.result = mugraph::search(program, run.task.sizes, o);
  for (const std::string& asked : task.published) {
    run.published.emplace_back(asked, finds(run.result, published::mirage::figure(asked)));
  }
  return run;
}

}  // namespace isomer::evaluation
