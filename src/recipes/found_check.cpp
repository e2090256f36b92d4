#include "recipes/found_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "recipes/whole_programs.h"
#include "rewrite/tensor_extract.h"
#include "support/errors.h"

namespace isomer::recipes {

using verify::VerdictKind;

bool FoundCheck::differs() const {
  return field.kind == VerdictKind::kRefuted || floats.kind == VerdictKind::kRefuted;
}

bool FoundCheck::is_wrong() const {
  const bool identity =
      field.kind == VerdictKind::kRefuted ? field.of_floats : field.kind <= VerdictKind::kSampled;
  return differs() && !identity;
}

bool FoundCheck::holds() const { return field.equivalent() && floats.equivalent(); }

std::string FoundCheck::words() const {
  const auto one_line = [](std::string text) {
    for (char& c : text)
      if (c == '\n' || c == '|') c = ' ';
    return text;
  };
  if (differs())
    return (is_wrong() ? "DIFFERS: " : "DIFFERS on floats only: ") +
           one_line(field.kind == VerdictKind::kRefuted ? field.counterexample : floats.counterexample);
  const std::string on_floats =
      floats.equivalent() ? fmt::format("{} {:.1g}", floats.method.empty() ? "floats" : floats.method,
                                        floats.max_relative_error)
                          : "floats open: " + one_line(floats.note);
  if (field.evidence == verify::Evidence::kStructure) return "the same program";
  if (field.kind == VerdictKind::kUnknown)
    return fmt::format("field open ({}); {}", one_line(field.note), on_floats);
  return fmt::format("{}; {}",
                     field.kind == VerdictKind::kProved    ? "field"
                     : field.kind == VerdictKind::kSampled ? "field, sampled"
                                                           : "no identity over the field",
                     on_floats);
}

void FoundCheck::keep_worse(const FoundCheck& other) {
  const auto known = [](const FoundCheck& c) {
    return std::max(static_cast<int>(c.field.kind), static_cast<int>(c.floats.kind)) -
           (c.differs() ? -10 : 0);
  };
  const double most = std::max(floats.max_relative_error, other.floats.max_relative_error);
  if (known(other) > known(*this)) *this = other;
  floats.max_relative_error = most;
}

namespace {

/// What the interpreter cannot come to the end of, in ONNX Runtime with weights of our own making.
verify::Verdict in_runtime(const ir::Graph& start, const ir::Graph& found, const StopToken& stop) {
  constexpr double kTolerance = 1e-4;
  verify::Verdict out;
  out.method = "floats, ONNX Runtime";
  try {
    const WholeProgram whole = compare_whole(start, found, stop);
    out.note = whole.failure;
    if (!whole.failure.empty()) return out;
    out.on_floats = true;
    out.max_relative_error = whole.error;
    out.kind = whole.error <= kTolerance ? VerdictKind::kTested : VerdictKind::kRefuted;
    out.counterexample = fmt::format("ONNX Runtime: {:.2g} of the largest output", whole.error);
  } catch (const MissingRuntimeError& missing) {
    out.note = missing.what();
  }
  return out;
}

}  // namespace

FoundCheck check_evaluated(const ir::Graph& start, const ir::Graph& found, double seconds,
                           const StopToken& stop) {
  const ir::Graph a = without_tuples(start), b = without_tuples(found);
  verify::EquivalenceOptions options;
  options.until = Deadline(seconds, steady_clock(), stop);
  options.full_work = options.full_float_work = 1e6;
  options.sample_budget = 1'000'000;
  options.samples = 3;
  FoundCheck out;
  out.field = verify::check_equivalent(a, b, options);
  options.field = false;
  options.until = Deadline(seconds, steady_clock(), stop);
  out.floats = verify::check_equivalent(a, b, options);
  return out;
}

FoundCheck check_found(const ir::Graph& start, const ir::Graph& found, double seconds,
                       const StopToken& stop) {
  FoundCheck out = check_evaluated(start, found, seconds, stop);
  if (out.floats.kind == VerdictKind::kUnknown && !stop.requested())
    out.floats = in_runtime(start, found, stop);
  return out;
}

void require_right(const FoundCheck& seen, const std::string& found) {
  if (seen.is_wrong())
    throw VerificationError(
        fmt::format("{} is another program ({}); nothing was written", found, seen.words()));
}

std::optional<ir::Graph> cheapest_program(const ir::Graph& start, const rewrite::EGraph& grown,
                                          cost::CostModel& model, const Limits& limits) {
  rewrite::TensorEGraph program(start);
  program.graph() = grown;
  rewrite::ExtractOptions pick;
  pick.limits = limits;
  rewrite::TensorExtraction e = rewrite::extract(program, rewrite::Alternatives(program), model, pick);
  if (!e.found) return std::nullopt;
  return std::move(e.graph);
}

}  // namespace isomer::recipes
