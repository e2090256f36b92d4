#include "recipes/compare_interpreted.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>
#include <tuple>

#include "formats/onnx_interface.h"
#include "meaning/element_terms.h"
#include "recipes/choices.h"
#include "recipes/conditions.h"
#include "runtime/npz.h"
#include "support/atomic_file.h"
#include "support/errors.h"
#include "support/files.h"
#include "verify/by_operands.h"
#include "verify/where.h"

namespace isomer::recipes {

namespace {

bool has(const ir::Graph& graph, ir::MeaningKind kind) {
  for (size_t i = 0; i < graph.size(); ++i)
    if (graph.def(ir::ValueId(i)).kind == kind) return true;
  return false;
}

}  // namespace

bool has_opaque(const ir::Graph& graph) { return has(graph, ir::MeaningKind::kOpaque); }

CompareResult decided(CompareResult result, Agreement verdict) {
  result.equivalent = verdict == Agreement::kProved || verdict == Agreement::kTested;
  result.verdict = verdict;
  result.except = Except::kNothing;  // but_for() says what is
  return result;
}

bool is_strict(const CompareOptions& options) {
  const FloatPromise promise = float_promise(options.float_promise);
  if (promise == FloatPromise::kFast)
    throw UsageError("--float fast: promises nothing that two models could be held to; strict or finite");
  return promise == FloatPromise::kStrict;
}

CompareResult but_for(CompareResult result, Except except, const std::string& what, bool strict) {
  if (result.verdict == Agreement::kDifferent) return result;
  result.error_probability = std::numeric_limits<double>::quiet_NaN();
  if (strict) {
    result = decided(std::move(result), Agreement::kDifferent);
  } else if (result.equivalent) {
    result = decided(std::move(result), Agreement::kTested);
    result.except = except;
  }
  result.detail += fmt::format("{}{}{}", result.detail.empty() ? "" : "\n", strict ? "" : "but for ", what);
  return result;
}

std::string scope_at(const std::string& inputs, const std::vector<Sizes>& sets) {
  std::vector<std::string> sizes;
  for (const Sizes& s : sets) sizes.push_back(to_text(s));
  return sizes.empty() ? inputs : fmt::format("{} at {}", inputs, fmt::join(sizes, "; "));
}

namespace {

Agreement agreement_of(const verify::Verdict& verdict) {
  switch (verdict.kind) {
    case verify::VerdictKind::kProved: return Agreement::kProved;
    case verify::VerdictKind::kSampled:
    case verify::VerdictKind::kTested: return Agreement::kTested;
    case verify::VerdictKind::kRefuted: return Agreement::kDifferent;
    case verify::VerdictKind::kUnknown: break;
  }
  return Agreement::kUndecided;
}

FirstDifference first_difference(const ir::Graph& a, const ir::Graph& b,
                                 const verify::EquivalenceOptions& options) {
  FirstDifference out;
  const auto place = verify::where_apart(a, b, options);
  if (!place) return out;
  const auto name = [](const ir::Graph& g, ir::ValueId v) {
    return g.name(v).empty() ? fmt::format("%{}", v.index()) : g.name(v);
  };
  out.value_a = name(a, place->in_a);
  out.value_b = name(b, place->in_b);
  out.operator_a = a.def(place->in_a).name;
  out.operator_b = b.def(place->in_b).name;
  out.error = place->error;
  for (ir::ValueId v : place->from) out.from.push_back(name(a, v));
  return out;
}

verify::Verdict interpret(const ir::Graph& a, const ir::Graph& b, const verify::EquivalenceOptions& options) {
  verify::Verdict out = has_opaque(a) || has_opaque(b) ? verify::check_by_operands(a, b, options)
                                                       : verify::check_equivalent(a, b, options);
  // What sorts or repeats is not known from a few orders: it may be the same of the same operands.
  const bool open = out.kind == verify::VerdictKind::kUnknown || out.kind == verify::VerdictKind::kSampled;
  if (open && has(a, ir::MeaningKind::kProcedural))
    if (verify::Verdict v = verify::check_by_operands(a, b, options, verify::Paired::kProceduresToo);
        v.equivalent() && v.kind < out.kind)
      return v;
  return out;
}

/// Of all dynamic dimensions together, then of each: enough bytes of 255 for a sum beyond float16.
std::vector<Sizes> larger(const std::vector<Sizes>& sets) {
  constexpr int64_t kMany = 300;
  constexpr size_t kMost = 4;
  std::vector<Sizes> out;
  if (sets.empty()) return out;
  out.push_back(sets[0]);
  for (auto& [name, size] : out.back()) size = std::max(size, kMany);
  for (const auto& [name, size] : sets[0]) {
    if (sets[0].size() == 1 || out.size() > kMost) break;
    out.push_back(sets[0]);
    out.back()[name] = std::max(size, kMany);
  }
  return out;
}

/// Asked of what agrees wherever it was evaluated.
bool same_elements(const Program& a, const Program& b, const verify::Verdict& seen) {
  return seen.equivalent() && !has_opaque(a.graph) && !has_opaque(b.graph) &&
         meaning::same_elements(a.graph, b.graph);
}

}  // namespace

bool same_meanings(const Program& a, const Program& b) {
  return a.envelope == nullptr || b.envelope == nullptr || !has_opaque(a.graph) || !has_opaque(b.graph) ||
         formats::same_meanings(*a.envelope, *b.envelope);
}

std::string say_hidden_conditions(const std::string& path_a, const Program& a, const std::string& path_b,
                                  const Program& b) {
  const std::array models = {std::tuple(&path_a, &a, "first"), std::tuple(&path_b, &b, "second")};
  for (const auto& [path, program, which] : models) {
    if (program->envelope == nullptr) continue;
    for (const std::string& name : hidden_conditions_of_sizes(*path, program->graph))
      return fmt::format(
          "sizes may decide conditions in the bodies of {} in the {} model, which are not watched", name,
          which);
  }
  return {};
}

std::string say_sizes_decide(const std::string& path_a, const Program& a, const std::string& path_b,
                             const Program& b) {
  const std::array models = {std::tuple(&path_a, &a, "first"), std::tuple(&path_b, &b, "second")};
  for (const auto& [path, program, which] : models) {
    if (program->envelope == nullptr) continue;
    for (const runtime::Condition& c : conditions_of(*path, program->graph))
      if (c.of_sizes && c.can_be_true && c.can_be_false)
        return fmt::format(
            "sizes decide {} of the {} model; what is guarded by it was not compared at others", c.name,
            which);
  }
  return say_hidden_conditions(path_a, a, path_b, b);
}

Interpreted interpret_at(ir::Context& ctx, const std::string& path_a, const std::string& path_b,
                         const Program& a, const Program& b, const std::vector<Sizes>& sets,
                         const verify::EquivalenceOptions& options) {
  constexpr double kShareOfProof = 0.5;  // what rounds is asked for after it
  verify::EquivalenceOptions proof = options;
  proof.until = options.until.part(kShareOfProof);
  Interpreted out;
  // What one name means may have changed from one operator set to the next.
  const bool comparable = same_meanings(a, b);
  const auto judged = [&](const Program& x, const Program& y) {
    verify::Verdict v = interpret(x.graph, y.graph, proof);
    if (!comparable && v.kind != verify::VerdictKind::kRefuted) {
      v = {};
      v.note = "operators without a meaning here, in other operator sets or beside other functions";
    }
    return v;
  };
  if (sets.empty()) {
    out.verdict = judged(a, b);
    out.shown = witness_of(a.graph, b.graph, out.verdict.inputs, Arithmetic::kDouble, options.until);
    out.same_elements = same_elements(a, b, out.verdict);
    return out;
  }
  bool first = true;
  for (const Sizes& sizes : sets) {
    verify::Verdict v;
    auto x = try_load_program(ctx, path_a, sizes), y = try_load_program(ctx, path_b, sizes);
    if (x && y) {
      v = judged(*x, *y);
      out.shown = witness_of(x->graph, y->graph, v.inputs, Arithmetic::kDouble, options.until);
      if (v.kind == verify::VerdictKind::kRefuted)
        out.apart.emplace(*std::move(x.value), *std::move(y.value));
    } else {
      v.note = x ? y.why_not : x.why_not;
    }
    if (first || v.kind == verify::VerdictKind::kRefuted || v.kind > out.verdict.kind)
      out.verdict = std::move(v);
    first = false;
    if (out.apart) break;
  }
  out.same_elements = same_elements(a, b, out.verdict);
  return out;
}

namespace {

/// With every result rounded to its type: at these sizes, and at larger ones, at which sums of many overflow.
struct RoundedAt {
  verify::Rounding seen;
  Witness shown;  ///< of the difference, or, where there is none, of what overflows, if it is to be kept
};
RoundedAt rounded_at(ir::Context& ctx, const std::string& path_a, const std::string& path_b, const Program& a,
                     const Program& b, const std::vector<Sizes>& sets,
                     const verify::EquivalenceOptions& options) {
  if (!verify::computes_in_16_bits(a.graph) && !verify::computes_in_16_bits(b.graph)) return {};
  RoundedAt out;
  const auto shown = [&](const Program& x, const Program& y, const verify::Rounding& seen) {
    return witness_of(x.graph, y.graph, seen.inputs, Arithmetic::kRounded, options.until);
  };
  if (sets.empty()) {
    out.seen = verify::when_rounded(a.graph, b.graph, options);
    out.shown = shown(a, b, out.seen);
    return out;
  }
  const auto at = [&](const Sizes& sizes, const verify::EquivalenceOptions& how) {
    if (!out.seen.different.empty() || options.until.stop().requested()) return;
    const auto x = try_load_program(ctx, path_a, sizes), y = try_load_program(ctx, path_b, sizes);
    if (!x || !y) return;
    verify::Rounding seen = verify::when_rounded(x->graph, y->graph, how);
    if (!seen.different.empty() || out.shown.empty()) out.shown = shown(*x, *y, seen);
    for (std::string* said : {&seen.different, &seen.first_overflows})
      if (!said->empty()) *said += " at " + to_text(sizes);
    out.seen.different = std::move(seen.different);
    if (out.seen.first_overflows.empty()) out.seen.first_overflows = std::move(seen.first_overflows);
  };
  for (const Sizes& sizes : sets) at(sizes, options);
  verify::EquivalenceOptions brief = options;
  brief.full_float_work /= 4;
  for (const Sizes& sizes : larger(sets)) at(sizes, brief);
  return out;
}

/// What that says of a result that was not "different".
CompareResult decide_rounded(CompareResult result, const verify::Rounding& seen, const Judged& judged) {
  if (result.verdict == Agreement::kDifferent || (seen.different.empty() && seen.first_overflows.empty()))
    return result;
  const char* const how = judged.ran
                              ? "with every result rounded to its type, as ONNX says (ONNX Runtime computes "
                                "wider here)"
                              : "with every result rounded to its type";
  if (!seen.different.empty()) {
    result = decided(std::move(result), Agreement::kDifferent);
    result.error_probability = std::numeric_limits<double>::quiet_NaN();
    result.detail = fmt::format("{}: {}", how, seen.different);
    result.method = "in the interpreter, every result rounded to its type";
    return result;
  }
  return but_for(std::move(result), Except::kOverflow,
                 fmt::format("what leaves the range of its types in the first and not in the second, {}: {}",
                             how, seen.first_overflows),
                 judged.strict);
}

/// What the programs lose in single precision at these sizes (verify/digits_lost.h).
struct DigitsAt {
  verify::DigitsLost seen;
  Witness shown;  ///< of what the first loses, if it is to be kept
};
DigitsAt digits_lost_at(ir::Context& ctx, const std::string& path_a, const std::string& path_b,
                        const Program& a, const Program& b, const std::vector<Sizes>& sets,
                        const verify::EquivalenceOptions& options) {
  DigitsAt out;
  const auto at = [&](const Program& x, const Program& y) {
    verify::DigitsLost seen = verify::digits_lost(x.graph, y.graph, options);
    if (out.shown.empty())
      out.shown = witness_of(x.graph, y.graph, seen.inputs, Arithmetic::kSingle, options.until);
    if (out.seen.by_first.empty()) out.seen.by_first = std::move(seen.by_first);
    if (out.seen.by_second.empty()) out.seen.by_second = std::move(seen.by_second);
  };
  if (sets.empty()) at(a, b);
  for (const Sizes& sizes : sets) {
    if (options.until.stop().requested()) break;
    const auto x = try_load_program(ctx, path_a, sizes), y = try_load_program(ctx, path_b, sizes);
    if (x && y) at(*x, *y);
  }
  return out;
}

/// Nothing is decided where it is the second that loses them.
CompareResult decide_digits(CompareResult result, const verify::DigitsLost& seen, bool strict) {
  if (!result.equivalent) return result;
  if (!seen.by_second.empty()) {
    result = decided(std::move(result), Agreement::kUndecided);
    result.error_probability = std::numeric_limits<double>::quiet_NaN();
    result.detail += fmt::format("{}in single precision the second loses digits that the first keeps: {}",
                                 result.detail.empty() ? "" : "\n", seen.by_second);
  }
  if (seen.by_first.empty()) return result;
  return but_for(std::move(result), Except::kPrecision,
                 "digits that in single precision the first loses and the second keeps: " + seen.by_first,
                 strict);
}

/// Writes what makes them different, where nothing has been written yet; `path`: empty for nowhere. What
/// cannot be written is said, and the answer stands without it.
template <class Archive>
CompareResult with(CompareResult result, const std::string& path, const Archive& archive) {
  if (result.verdict != Agreement::kDifferent || path.empty() || !result.witness.empty()) return result;
  try {
    write_file(path, archive());
    result.witness = path;
  } catch (const Error& e) {
    result.detail += fmt::format("{}no inputs were written: {}", result.detail.empty() ? "" : "\n", e.what());
  }
  return result;
}

}  // namespace

CompareResult with_witness(CompareResult result, const std::string& path, const Witness& shown) {
  if (shown.empty()) return result;
  return with(std::move(result), path, [&] { return runtime::npz_of(shown); });
}

CompareResult with_witness(CompareResult result, const std::string& path, const WitnessFile& written) {
  return with(std::move(result), path, [&] { return read_file(written.path()); });
}

CompareResult judge_rounding(CompareResult result, ir::Context& ctx, const std::string& path_a,
                             const std::string& path_b, const Program& a, const Program& b,
                             const std::vector<Sizes>& sets, const verify::EquivalenceOptions& options,
                             const std::string& witness, const Judged& judged) {
  const RoundedAt rounded = rounded_at(ctx, path_a, path_b, a, b, sets, options);
  result = with_witness(decide_rounded(std::move(result), rounded.seen, judged), witness, rounded.shown);
  if (!result.equivalent || !judged.digits || options.until.stop().requested()) return result;
  const DigitsAt digits = digits_lost_at(ctx, path_a, path_b, a, b, sets, options);
  return with_witness(decide_digits(std::move(result), digits.seen, judged.strict), witness, digits.shown);
}

verify::EquivalenceOptions interpreting(const CompareOptions& asked, const StopToken& stop) {
  constexpr double kLeast = 10;
  verify::EquivalenceOptions out;
  out.seed = asked.seed + 1;
  out.until = Deadline(std::max(asked.time_limit, kLeast), steady_clock(), stop);
  out.keep_inputs = !asked.witness.empty();
  return out;
}

CompareResult in_the_interpreter(ir::Context& ctx, const std::string& path_a, const std::string& path_b,
                                 const Program& a, const Program& b, const std::vector<Sizes>& sets,
                                 const CompareOptions& asked, const StopToken& stop) {
  verify::EquivalenceOptions options = interpreting(asked, stop);
  options.tolerance = options.rounded_tolerance = asked.tolerance;
  const Interpreted seen = interpret_at(ctx, path_a, path_b, a, b, sets, options);
  const verify::Verdict& verdict = seen.verdict;
  CompareResult result;
  result.method = "in the interpreter: " + verify::summary(verdict);
  result.max_relative_error = verdict.max_relative_error;
  result.sizes.assign(sets.begin(), sets.end());
  result = decided(std::move(result), agreement_of(verdict));
  if (verdict.kind == verify::VerdictKind::kProved) result.error_probability = verdict.error_probability();
  result.scope = scope_at(result.verdict == Agreement::kTested ? "random inputs" : kExactly, sets);
  if (seen.same_elements) {
    result = decided(std::move(result), Agreement::kProved);
    result.error_probability = 0;
    result.scope = kEverySize;
    result.method = fmt::format("in the interpreter: {}", kSameElements);
  }
  if (result.verdict == Agreement::kProved && !seen.same_elements && !sets.empty())
    if (std::string open = say_sizes_decide(path_a, a, path_b, b); !open.empty()) {
      result = decided(std::move(result), Agreement::kTested);
      result.error_probability = std::numeric_limits<double>::quiet_NaN();
      result.detail = std::move(open);
    }
  if (verdict.kind == verify::VerdictKind::kRefuted) {
    result.detail = verdict.counterexample;
    result.first_difference = first_difference(seen.apart ? seen.apart->first.graph : a.graph,
                                               seen.apart ? seen.apart->second.graph : b.graph, options);
    return with_witness(std::move(result), asked.witness, seen.shown);
  }
  return judge_rounding(std::move(result), ctx, path_a, path_b, a, b, sets, options, asked.witness,
                        {.ran = false, .strict = is_strict(asked), .digits = !seen.same_elements});
}

}  // namespace isomer::recipes
