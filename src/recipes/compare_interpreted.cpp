#include "recipes/compare_interpreted.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "support/errors.h"
#include "verify/by_operands.h"
#include "verify/rounded.h"
#include "verify/where.h"

namespace isomer::recipes {

bool has_opaque(const ir::Graph& graph) {
  for (size_t i = 0; i < graph.size(); ++i)
    if (graph.def(ir::ValueId(i)).kind == ir::MeaningKind::kOpaque) return true;
  return false;
}

void decide(CompareResult& result, std::string verdict) {
  result.equivalent = verdict == "proved" || verdict == "tested";
  result.verdict = std::move(verdict);
}

std::string scope_at(const std::string& inputs, const std::vector<Sizes>& sets) {
  std::vector<std::string> sizes;
  for (const Sizes& s : sets) sizes.push_back(to_text(s));
  return sizes.empty() ? inputs : fmt::format("{} at {}", inputs, fmt::join(sizes, "; "));
}

namespace {

/// "proved", "tested", "different" or "undecided".
std::string word(const verify::Verdict& verdict) {
  switch (verdict.kind) {
    case verify::VerdictKind::kProved: return "proved";
    case verify::VerdictKind::kSampled:
    case verify::VerdictKind::kTested: return "tested";
    case verify::VerdictKind::kRefuted: return "different";
    case verify::VerdictKind::kUnknown: break;
  }
  return "undecided";
}

void say_where(const ir::Graph& a, const ir::Graph& b, const verify::EquivalenceOptions& options,
               CompareResult& result) {
  const auto place = verify::where_apart(a, b, options);
  if (!place) return;
  const auto name = [](const ir::Graph& g, ir::ValueId v) {
    return g.name(v).empty() ? fmt::format("%{}", v.index()) : g.name(v);
  };
  result.first.value_a = name(a, place->in_a);
  result.first.value_b = name(b, place->in_b);
  result.first.operator_a = a.def(place->in_a).name;
  result.first.operator_b = b.def(place->in_b).name;
  result.first.error = place->error;
  for (ir::ValueId v : place->from) result.first.from.push_back(name(a, v));
}

verify::Verdict interpret(const ir::Graph& a, const ir::Graph& b, const verify::EquivalenceOptions& options) {
  if (has_opaque(a) || has_opaque(b)) return verify::check_by_operands(a, b, options);
  verify::Verdict out = verify::check_equivalent(a, b, options);
  if (out.kind == verify::VerdictKind::kRefuted) return out;
  if (std::string rounded = verify::difference_when_rounded(a, b, options); !rounded.empty()) {
    out = {};
    out.kind = verify::VerdictKind::kRefuted;
    out.method = "floats, every result rounded to its type";
    out.counterexample = std::move(rounded);
  }
  return out;
}

}  // namespace

Interpreted interpret_at(ir::Context& ctx, const std::string& path_a, const std::string& path_b,
                         const Program& a, const Program& b, const std::vector<Sizes>& sets,
                         const verify::EquivalenceOptions& options) {
  Interpreted out;
  if (sets.empty()) {
    out.verdict = interpret(a.graph, b.graph, options);
    return out;
  }
  bool first = true;
  for (const Sizes& sizes : sets) {
    verify::Verdict v;
    try {
      Program x = load_program(ctx, path_a, sizes), y = load_program(ctx, path_b, sizes);
      v = interpret(x.graph, y.graph, options);
      if (v.kind == verify::VerdictKind::kRefuted) out.apart.emplace(std::move(x), std::move(y));
    } catch (const Error& error) {  // other names of dimensions, or sizes that do not fit
      v.note = error.what();
    }
    if (first || v.kind == verify::VerdictKind::kRefuted || v.kind > out.verdict.kind)
      out.verdict = std::move(v);
    first = false;
    if (out.apart) break;
  }
  return out;
}

CompareResult in_the_interpreter(ir::Context& ctx, const std::string& path_a, const std::string& path_b,
                                 const Program& a, const Program& b, const std::vector<Sizes>& sets,
                                 const CompareOptions& asked) {
  verify::EquivalenceOptions options;
  options.seed = asked.seed + 1;
  options.tolerance = options.rounded_tolerance = asked.tolerance;
  const Interpreted seen = interpret_at(ctx, path_a, path_b, a, b, sets, options);
  const verify::Verdict& verdict = seen.verdict;
  CompareResult result;
  result.method = "in the interpreter: " + verify::summary(verdict);
  result.max_relative_error = verdict.max_relative_error;
  result.sizes.assign(sets.begin(), sets.end());
  decide(result, word(verdict));
  if (verdict.kind == verify::VerdictKind::kProved) result.error_probability = verdict.error_probability();
  result.scope = scope_at(result.verdict == "tested" ? "random inputs" : kExactly, sets);
  if (result.equivalent) return result;
  result.detail = verdict.kind == verify::VerdictKind::kRefuted ? verdict.counterexample : std::string();
  if (result.verdict == "different")
    say_where(seen.apart ? seen.apart->first.graph : a.graph, seen.apart ? seen.apart->second.graph : b.graph,
              options, result);
  return result;
}

}  // namespace isomer::recipes
