#include "recipes/mirage.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ranges>

#include "ir/op_table.h"
#include "mugraph/found_store.h"
#include "mugraph/restate.h"
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
  mugraph::Subprograms pieces = mugraph::subprograms_of(mugraph::restated(file.graph), which.file);
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

namespace {

/// All schedules, the cheapest first.
std::vector<std::pair<double, const mugraph::MuGraph*>> by_cost(const mugraph::SearchResult& result) {
  std::vector<std::pair<double, const mugraph::MuGraph*>> out;
  for (const mugraph::FoundMuGraph& f : result.found)
    for (size_t i = 0; i < f.schedules.size(); ++i) out.emplace_back(f.costs[i], &f.schedules[i]);
  std::ranges::stable_sort(out, {}, &std::pair<double, const mugraph::MuGraph*>::first);
  return out;
}

}  // namespace

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
  out.schedules = by_cost(out.result);
  return out;
}

namespace {

/// What `change` makes of the schedules, where it makes something; false where nothing is left.
bool change_schedules(mugraph::FoundMuGraph& found,
                      const std::function<std::optional<mugraph::MuGraph>(const mugraph::MuGraph&)>& change) {
  std::vector<mugraph::MuGraph> schedules;
  std::vector<double> costs;
  for (size_t i = 0; i < found.schedules.size(); ++i) {
    std::optional<mugraph::MuGraph> changed = change(found.schedules[i]);
    if (!changed) continue;
    schedules.push_back(std::move(*changed));
    costs.push_back(found.costs[i]);
  }
  found.schedules = std::move(schedules);
  found.costs = std::move(costs);
  return !found.schedules.empty();
}

}  // namespace

KernelSearch search_piece(const mugraph::Subprogram& piece, const mugraph::Target& target,
                          const Limits& limits, const std::function<bool(const mugraph::MuGraph&)>& allowed,
                          Store& store) {
  const mugraph::Program& program = piece.program;
  const mugraph::Program& searched = piece.aside ? piece.aside->core : program;
  mugraph::SearchOptions options = mugraph::preset_for(searched);
  options.target = target;
  options.limits = limits;
  KernelSearch out = search_kernels(searched, searched.extents, options, false, store);
  const std::vector<mugraph::Sizes> inputs = program.input_sizes(program.extents);
  mugraph::MuVerifyOptions field_only;
  field_only.floats = false;
  mugraph::VerifyMemory memory(ir::standard_ops());
  std::erase_if(out.result.found, [&](mugraph::FoundMuGraph& f) {
    const auto whole = [&](const mugraph::MuGraph& m) -> std::optional<mugraph::MuGraph> {
      if (!allowed(m)) return std::nullopt;
      return piece.aside ? mugraph::put_back(m, *piece.aside, inputs) : m;
    };
    if (!change_schedules(f, whole)) return true;
    if (!piece.aside) return false;
    f.verdict = mugraph::verify_mugraph(f.schedules[0], program, field_only, limits.stop, memory);
    return !f.verdict.verdict.equivalent();
  });
  out.schedules = by_cost(out.result);
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
