#include "verify/verdict.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <limits>
#include <utility>

namespace isomer::verify {

std::string_view to_string(VerdictKind kind) {
  switch (kind) {
    case VerdictKind::kProved: return "proved";
    case VerdictKind::kSampled: return "sampled";
    case VerdictKind::kTested: return "tested";
    case VerdictKind::kRefuted: return "refuted";
    case VerdictKind::kUnknown: return "unknown";
  }
  return "?";
}

double Verdict::error_probability() const { return kind == VerdictKind::kProved ? std::exp2(log2_error) : 1; }

Verdict proved_by_structure(const char* method) {
  Verdict v;
  v.kind = VerdictKind::kProved;
  v.evidence = Evidence::kStructure;
  v.method = method;
  v.log2_error = -std::numeric_limits<double>::infinity();
  return v;
}

Verdict refuted_by_signature(std::string what) {
  Verdict v;
  v.kind = VerdictKind::kRefuted;
  v.method = "signature";
  v.counterexample = std::move(what);
  return v;
}

Verdict unknown(std::string why, bool vacuous) {
  Verdict v;
  v.note = std::move(why);
  v.vacuous = vacuous;
  return v;
}

std::string summary(const Verdict& v) {
  if (v.kind == VerdictKind::kUnknown && v.method.empty() && v.counterexample.empty() && !v.note.empty())
    return fmt::format("{}: {}", to_string(v.kind), v.note);
  std::string out = fmt::format("{} ({}", to_string(v.kind), v.method);
  if (v.kind == VerdictKind::kProved && std::isfinite(v.log2_error))
    out += fmt::format("; error < 2^{:.0f}", std::ceil(v.log2_error));
  if (v.kind == VerdictKind::kSampled)
    out += fmt::format("; {} of {} elements", v.elements_compared, v.elements_total);
  if (v.kind == VerdictKind::kTested && v.on_floats)
    out += fmt::format("; relative error {:.2g}", v.max_relative_error);
  if (!v.uninterpreted.empty()) out += fmt::format("; any {}", fmt::join(v.uninterpreted, ", "));
  if ((v.limits & kAtZero) != 0) out += "; not at zero";
  if ((v.limits & kCancels) != 0) out += "; loses digits where terms cancel";
  if ((v.limits & kAtOverflow) != 0) out += "; differs where large numbers overflow";
  out += ")";
  if (!v.counterexample.empty()) out += ": " + v.counterexample;
  return v.note.empty() ? out : out + "; " + v.note;
}

}  // namespace isomer::verify
