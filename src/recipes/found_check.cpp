#include "recipes/found_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "recipes/whole_programs.h"
#include "support/cpu_clock.h"
#include "support/errors.h"
#include "verify/rounded_constants.h"

namespace isomer::recipes {

using verify::OnField;
using verify::VerdictKind;

namespace {

/// Of floats that agree: by how much, and what more was granted where that is not little.
std::string said_of(const verify::Verdict& floats) {
  constexpr double kLittle = 1e-3;
  std::string out =
      fmt::format("{} {:.1g}", floats.method.empty() ? "floats" : floats.method, floats.max_relative_error);
  if (floats.granted > kLittle) out += fmt::format(" ({:.2g} granted)", floats.granted);
  return out;
}

/// The comparison of rounded results came to no end.
bool may_be_rounding(const FoundCheck& seen) {
  return seen.rounded && seen.rounded->kind == VerdictKind::kUnknown;
}

}  // namespace

std::string_view to_string(Held held) {
  switch (held) {
    case Held::kSame: return "same";
    case Held::kOnFloats: return "floats";
    case Held::kOpen: return "open";
    case Held::kDiffers: return "differs";
  }
  return "?";
}

Held FoundCheck::held() const {
  if (field.kind == VerdictKind::kRefuted || floats.kind == VerdictKind::kRefuted) return Held::kDiffers;
  if (field.kind == VerdictKind::kUnknown) return Held::kOpen;
  if (field.kind != VerdictKind::kProved && floats.kind == VerdictKind::kUnknown) return Held::kOpen;
  return field.kind == VerdictKind::kTested ? Held::kOnFloats : Held::kSame;
}

bool FoundCheck::is_wrong() const {
  return differs() && field.on_field != OnField::kSame && !(rounded && rounded->equivalent());
}

bool FoundCheck::holds() const { return field.equivalent() && floats.equivalent(); }

std::string FoundCheck::words() const {
  const auto one_line = [](std::string text) {
    for (char& c : text)
      if (c == '\n' || c == '|') c = ' ';
    return text;
  };
  if (differs()) {
    std::string how = field.on_field == OnField::kSame ? " on floats only" : " unless rounded";
    if (is_wrong())
      how = may_be_rounding(*this) ? fmt::format(" (it may be rounding: {})", one_line(rounded->note)) : "";
    return fmt::format(
        "DIFFERS{}: {}", how,
        one_line(field.kind == VerdictKind::kRefuted ? field.counterexample : floats.counterexample));
  }
  if (field.evidence == verify::Evidence::kStructure) return "the same program";
  if (!field.equivalent() && !floats.equivalent() && field.note == floats.note)
    return fmt::format("field open ({}); floats as well", one_line(field.note));
  const std::string on_floats =
      floats.equivalent() ? said_of(floats) : "floats open: " + one_line(floats.note);
  if (field.kind == VerdictKind::kUnknown)
    return fmt::format("field open ({}); {}", one_line(field.note), on_floats);
  return fmt::format("{}; {}",
                     field.kind == VerdictKind::kProved    ? "field"
                     : field.kind == VerdictKind::kSampled ? "field, sampled"
                                                           : "no identity over the field",
                     on_floats);
}

void FoundCheck::keep_worse(const FoundCheck& other) {
  constexpr int kWrong = 20, kDiffers = 10;
  const auto badness = [](const FoundCheck& c) {
    return std::max(static_cast<int>(c.field.kind), static_cast<int>(c.floats.kind)) + (c.is_wrong() ? kWrong
                                                                                        : c.differs()
                                                                                            ? kDiffers
                                                                                            : 0);
  };
  const double most = std::max(floats.max_relative_error, other.floats.max_relative_error);
  if (badness(other) > badness(*this)) *this = other;
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
                           const Deadline& until) {
  constexpr double kClockOverWork = 10;
  const ir::Graph a = without_tuples(start), b = without_tuples(found);
  verify::EquivalenceOptions options;
  options.full_work = options.full_float_work = 1e6;
  options.sample_budget = 1'000'000;
  options.samples = 3;
  const auto ask = [&] {
    const CpuClock clock(until.part(1, kClockOverWork * seconds));
    options.until = Deadline(seconds, clock, until.stop());
    return verify::check_equivalent(a, b, options);
  };
  FoundCheck out;
  out.field = ask();
  if (out.field.evidence == verify::Evidence::kStructure) {
    out.floats = out.field;
    return out;
  }
  options.field = false;
  out.floats = ask();
  const bool said = out.field.on_field == OnField::kSame ||
                    (out.field.on_field == OnField::kOther && !verify::made_numbers(a, b));
  if (out.differs() && !said) {
    options.rounded_results = true;
    out.rounded = ask();
  }
  return out;
}

FoundCheck check_found(const ir::Graph& start, const ir::Graph& found, double seconds,
                       const StopToken& stop) {
  FoundCheck out = check_evaluated(start, found, seconds, Deadline().with(stop));
  if (out.floats.kind == VerdictKind::kUnknown && !stop.requested())
    out.floats = in_runtime(start, found, stop);
  return out;
}

void require_right(const FoundCheck& seen, const std::string& found) {
  if (seen.is_wrong())
    throw VerificationError(fmt::format(
        "{} is {} ({}); nothing was written", found,
        may_be_rounding(seen) ? "not shown to be the same program" : "another program", seen.words()));
}

}  // namespace isomer::recipes
