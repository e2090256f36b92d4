#include "recipes/judge_rule.h"

#include <algorithm>

namespace isomer::recipes {

JudgedRule judge(ir::Context& ctx, const rewrite::Rule& rule, const JudgeOptions& options) {
  rewrite::RuleCheckOptions checking;
  checking.equivalence.until = options.until;
  checking.seed = options.seed;
  checking.instances = options.instances;
  rewrite::StabilityOptions stability;
  stability.seed = options.seed;
  stability.instances = std::max(2, options.instances / 8);
  stability.until = options.until;
  JudgedRule out{rewrite::check_rule(ctx, rule, checking), rewrite::measure_stability(ctx, rule, stability)};
  if (verify::Verdict& v = out.verdict.verdict; v.equivalent() && !out.stability.difference.empty()) {
    v.kind = verify::VerdictKind::kRefuted;  // at instances of the measurement
    v.method = "floats";
    v.counterexample = out.stability.difference;
  }
  const auto seen = [&](verify::Limit limit, rewrite::Exception e) {  // also where numbers were compared
    if ((out.verdict.limits & limit) != 0) out.stability.exceptions.set(static_cast<size_t>(e));
  };
  seen(verify::kAtZero, rewrite::Exception::kZero);
  seen(verify::kAtOverflow, rewrite::Exception::kOverflow);
  seen(verify::kCancels, rewrite::Exception::kCancellation);
  out.overstated = out.stability.evaluations > 0 && out.stability.measured > rule.stability;
  out.cut = options.until.passed() && out.verdict.verdict.kind != verify::VerdictKind::kRefuted;
  return out;
}

}  // namespace isomer::recipes
