#include "recipes/mirage.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ranges>

#include "ir/op_table.h"
#include "mugraph/found_store.h"
#include "mugraph/subprograms.h"
#include "mugraph/verify_mugraph.h"
#include "recipes/load.h"
#include "support/errors.h"
#include "support/lexer.h"

namespace isomer::recipes {

mugraph::Program choose_program(const KernelProgram& which, std::string_view how) {
  if (which.name.empty() == which.file.empty())
    throw UsageError(
        fmt::format("expected {}, or --from FILE (one of them); isomer mugraph programs lists both", how));
  if (which.file.empty() && which.part) throw UsageError("--part: only with --from FILE");
  if (which.file.empty()) return mugraph::program(which.name);
  ir::Context ctx(ir::standard_ops());
  const Program file = load_program(ctx, which.file, parse_dims(which.dims));
  mugraph::Subprograms pieces = mugraph::subprograms_of(file.graph, which.file);
  const size_t count = pieces.found.size();
  if (count == 0) throw UsageError(fmt::format("--from {}: {}", which.file, mugraph::print(pieces)));
  if (which.part ? *which.part >= count : count > 1)
    throw UsageError(
        fmt::format("{}: expected 0 to {}, one of the programs that isomer mugraph programs "
                    "--from {} lists",
                    which.part ? fmt::format("--part {}", *which.part) : "--part", count - 1, which.file));
  return std::move(pieces.found[which.part.value_or(0)].program);
}

mugraph::Extents extents_of(const mugraph::Program& program, const KernelProgram& which) {
  mugraph::Extents out = program.extents;
  if (!which.file.empty()) return out;
  for (const std::string& d : which.dims) {
    const size_t eq = d.find('=');
    const auto at = out.find(d.substr(0, eq));
    int64_t size = 0;
    if (eq == std::string::npos || at == out.end() || !parse_integer(d.substr(eq + 1), size) || size < 1 ||
        size > (int64_t{1} << 24))
      throw UsageError(fmt::format("--dim {}: expected a dimension of {} ({}) and its size, as {}={}", d,
                                   program.name, fmt::join(std::views::keys(out), ", "), out.begin()->first,
                                   out.begin()->second));
    at->second = size;
  }
  return out;
}

KernelSearch search_kernels(const mugraph::Program& program, const mugraph::Extents& extents,
                            const mugraph::SearchOptions& options, bool fresh, Store& store) {
  const bool look = !fresh && !options.record_terms;
  auto kept = look ? mugraph::load_found(store, program, extents, options) : std::nullopt;
  KernelSearch out;
  out.kept = kept.has_value();
  out.result = kept ? std::move(*kept) : mugraph::search(program, extents, options);
  if (!out.kept) mugraph::keep_found(store, program, extents, options, out.result);
  if (out.result.stop_reason == StopReason::kInterrupted && out.result.found.empty())
    throw Error(ExitStatus::kInterrupted,
                fmt::format("search of {}: interrupted before a muGraph was found", program.name));
  for (const mugraph::FoundMuGraph& f : out.result.found)
    for (size_t i = 0; i < f.schedules.size(); ++i) out.schedules.emplace_back(f.costs[i], &f.schedules[i]);
  std::ranges::stable_sort(out.schedules, {}, &std::pair<double, const mugraph::MuGraph*>::first);
  return out;
}

KernelsJudged judge_kernels(std::span<const mugraph::MuGraph> graphs, const mugraph::Program& program,
                            const mugraph::MuVerifyOptions& options, const mugraph::NumericsOptions& numerics,
                            const StopToken& stop, const std::function<void(const JudgedKernel&)>& done) {
  KernelsJudged out;
  for (size_t i = 0; i < graphs.size() && !stop.requested(); ++i) {
    JudgedKernel kernel{i, mugraph::verify_mugraph(graphs[i], program, options, stop), {}};
    const verify::Verdict& verdict = kernel.verdict.verdict;
    if (stop.requested() && verdict.kind == verify::VerdictKind::kUnknown) break;
    ++out.judged;
    out.accepted += verdict.equivalent();
    if (options.floats && verdict.equivalent() && !stop.requested())
      kernel.errors = mugraph::format_errors(graphs[i], numerics);
    done(kernel);
  }
  return out;
}

}  // namespace isomer::recipes
