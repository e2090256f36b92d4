#include "rewrite/rule_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "ir/print.h"
#include "rewrite/rule_coverage.h"
#include "rewrite/rule_draws.h"
#include "rewrite/rule_mutation.h"
#include "rewrite/rule_sweep.h"
#include "rewrite/term_parser.h"
#include "support/errors.h"

namespace isomer::rewrite {

int weakness(const verify::Verdict& v) {
  switch (v.kind) {
    case verify::VerdictKind::kProved: return 0;
    case verify::VerdictKind::kSampled: return 1;
    case verify::VerdictKind::kTested: return 2;
    case verify::VerdictKind::kUnknown: return 3;
    case verify::VerdictKind::kRefuted: return 4;
  }
  return 3;
}

std::pair<ir::Graph, ir::Graph> as_programs(ir::Context& ctx, const CompiledRule& rule,
                                            const Instance& instance, Splats splats) {
  return as_programs(ctx, equation(ctx, rule, instance), splats);
}

verify::Verdict check_instance(ir::Context& ctx, const CompiledRule& rule, const Instance& instance,
                               const verify::EquivalenceOptions& options) {
  std::optional<verify::Verdict> weakest;
  for (const Instance& small : shrink(ctx, rule, instance)) {
    const auto [left, right] = as_programs(ctx, rule, small);
    verify::Verdict verdict = verify::check_equivalent(left, right, options);
    if (!(small.tensors == instance.tensors)) verdict.method += ", shrunken shapes";
    const bool says_more = !verdict.vacuous && weakest && weakness(verdict) > weakness(*weakest);
    if (!weakest || weakest->vacuous || says_more) weakest = std::move(verdict);
    if (weakest->kind == verify::VerdictKind::kRefuted) break;
  }
  return *weakest;
}

std::string describe(const ir::Context& ctx, const Rule& rule, const Instance& instance) {
  std::vector<std::string> parts;
  for (size_t i = 0; i < rule.tensors.size(); ++i) {
    const TensorFacts& f = instance.tensors[i];
    parts.push_back(fmt::format("{}: {}{}", rule.tensors[i], ir::print(ctx, f.type),
                                f.splat.valid() ? " all " + ir::print(ctx, f.splat)
                                : f.is_weight   ? " constant"
                                                : ""));
  }
  for (size_t i = 0; i < rule.attributes.size(); ++i)
    parts.push_back(
        fmt::format("{} = {}", rule.attributes[i],
                    instance.attributes[i].valid() ? ir::print(ctx, instance.attributes[i]) : "absent"));
  return fmt::format("{}", fmt::join(parts, ", "));
}

void generalise(ir::Context& ctx, const CompiledRule& rule, Instance& instance) {
  for (size_t i = 0; i < instance.tensors.size(); ++i) {
    if (!instance.tensors[i].splat.valid()) continue;
    Instance trial = instance;
    trial.tensors[i].splat = {};
    if (refit(ctx, rule, trial)) instance = std::move(trial);
  }
}

namespace {

/// Random instances of floats, or the types that the rule names, and of all others where it names none.
std::vector<Instance> draw_candidates(ir::Context& ctx, const CompiledRule& compiled, Rng& rng,
                                      const RuleCheckOptions& options, RuleVerdict& verdict) {
  constexpr int kPool = 8;            // candidates for each that is chosen
  constexpr int kMostAtFirst = 1000;  // attempts that find nothing for the first operator: nothing fits it
  const RuleHints hints = hints_of(*compiled.rule, ctx.ops());
  const Deadline& until = options.equivalence.until;
  std::vector<Instance> out;
  const auto draw = [&](ir::DType dtype, int wanted, int attempts) {
    Instance instance;
    bool at_first = false, other_type = false;
    int failed_at_first = 0;
    for (int found = 0; found < wanted && attempts > 0 && !until.passed(); --attempts) {
      if (!instantiate(ctx, compiled, hints, rng, instance, dtype, &at_first, &other_type)) {
        if (other_type) ++verdict.other_type;
        failed_at_first = at_first ? failed_at_first + 1 : 0;
        if (failed_at_first == kMostAtFirst) break;
        continue;
      }
      failed_at_first = 0;
      if (++found % 4 != 0) generalise(ctx, compiled, instance);
      out.push_back(instance);
    }
  };
  draw(ir::DType::kUndefined, kPool * options.instances, options.attempts);
  const size_t of_floats = out.size();
  const auto draw_of = [&](ir::DType dtype, int wanted, int attempts) {
    draw(dtype, wanted, attempts);
    const auto most = std::min(of_floats, static_cast<size_t>(attempts));
    for (size_t i = 0; i < most && !until.passed(); ++i)  // what draws seldom meet
      if (auto other = retyped(ctx, compiled, out[rng.below(of_floats)], dtype))
        out.push_back(std::move(*other));
  };
  if (compiled.rule->dtypes.empty()) {
    constexpr int kFewer = 8;
    const int wanted = std::max(1, kPool * options.instances / 8);
    for (const ir::DType dtype : kBesideFloats) draw_of(dtype, wanted, options.other_attempts);
    for (const ir::DType dtype : kKeptTypes)
      draw_of(dtype, std::max(1, wanted / kFewer), options.other_attempts / kFewer);
  }
  // Where few were drawn, changes find more: as many as elsewhere are wanted then.
  const size_t drawn = out.size();
  verdict.drawn = static_cast<int>(drawn);
  const size_t wanted = size_t{kPool} * static_cast<size_t>(options.instances);
  constexpr size_t kLeast = 400;
  const size_t changes = drawn == 0        ? 0
                         : drawn >= wanted ? std::max(4 * drawn, kLeast)
                                           : static_cast<size_t>(options.attempts);
  const RuleRelations relations(ctx, compiled, out);
  for (size_t i = 0; i < changes && (drawn >= wanted || out.size() < 4 * wanted) && !until.passed(); ++i)
    if (auto changed = mutate(ctx, compiled, hints, relations, rng, out[i % out.size()]))
      out.push_back(std::move(*changed));  // and is changed again
  return out;
}

bool has_floats(const ir::Context& ctx, const Instance& instance) {
  const auto is_float = [&](const TensorFacts& f) {
    const ir::Type& type = ctx.get(f.type);
    return type.is_tensor() && ir::is_float(type.dtype);
  };
  return std::ranges::any_of(instance.tensors, is_float) || std::ranges::any_of(instance.roots, is_float);
}

/// Whether a condition takes numbers that are nearly what the rule names: what it computes is nearly right
/// too.
bool is_of_nearly(const Expr& e) {
  return (e.kind == Expr::Kind::kCall && e.function == Function::kNear) ||
         std::ranges::any_of(e.args, is_of_nearly);
}

/// Whether the right side has float attributes that are worked out: they become constants of 24 bits.
bool computes_numbers(const ir::OpTable& ops, const CompiledRule& rule) {
  for (size_t n = 0; n < rule.payloads.size(); ++n) {
    const std::vector<RightAttr>& attrs = rule.payloads[n].attrs;
    for (size_t i = 0; i < attrs.size(); ++i) {
      const bool made =
          attrs[i].kind == RightAttr::Kind::kComputed ||
          (attrs[i].kind == RightAttr::Kind::kVariable && attrs[i].variable >= rule.matched_attributes);
      if (made && ops.get(rule.right.nodes[n].op).attrs[i].kind == ir::AttrKind::kFloat) return true;
    }
  }
  return false;
}

/// With eleven bits, so that a product of two has no more than its type holds.
double shortened(double x) {
  constexpr int kBits = 11;
  int exponent = 0;
  const double fraction = std::frexp(x, &exponent);
  return std::isfinite(x) ? std::ldexp(std::round(std::ldexp(fraction, kBits)), exponent - kBits) : x;
}

/// Numbers of few digits, where the rule takes them.
void shorten_numbers(ir::Context& ctx, const CompiledRule& rule, Instance& instance) {
  Instance trial = instance;
  const auto shorten = [&](ir::AttrId& id) {
    if (!id.valid()) return;
    if (const auto* x = std::get_if<double>(&ctx.get(id))) id = ctx.intern(ir::AttrValue(shortened(*x)));
  };
  for (uint32_t i = 0; i < rule.matched_attributes; ++i) shorten(trial.attributes[i]);
  for (TensorFacts& f : trial.tensors) shorten(f.splat);
  if (refit(ctx, rule, trial)) instance = std::move(trial);
}

class RuleCheck {
 public:
  RuleCheck(ir::Context& ctx, const Rule& rule, const RuleCheckOptions& options)
      : ctx_(ctx), rule_(rule), options_(options), compiled_(compile(ctx, rule, 0)) {
    constexpr double kNearly = 1e-5;  // a number of float32, where terms cancel
    if (std::ranges::any_of(rule.conditions, is_of_nearly))
      options_.equivalence.tolerance = std::max(options_.equivalence.tolerance, kNearly);
    out_.rule = rule.name;
  }

  RuleVerdict run() {
    Rng rng(options_.seed ^ hash_string(rule_.name));
    std::vector<Instance> candidates = draw_candidates(ctx_, compiled_, rng, options_, out_);
    if (computes_numbers(ctx_.ops(), compiled_))
      for (Instance& instance : candidates) shorten_numbers(ctx_, compiled_, instance);
    if (candidates.empty())
      out_.verdict.note = fmt::format("no types and attributes were found in {} attempts that fit the rule",
                                      options_.attempts);
    const auto wanted = static_cast<size_t>(options_.instances);
    const std::vector<size_t> chosen = choose_instances(ctx_, rule_, candidates, 4 * wanted);
    std::vector<bool> left(candidates.size(), true);
    for (const size_t c : chosen) {
      if (said_ == wanted || refuted_ || options_.equivalence.until.passed()) break;
      check(candidates[c], rng.next());
      left[c] = false;
    }
    for (size_t c = 0; c < candidates.size() && said_ == 0; ++c) {  // the chosen ones were of nothing
      if (options_.equivalence.until.passed()) break;
      if (left[c]) check(candidates[c], rng.next());
      left[c] = false;
    }
    sweep_some(candidates, chosen);
    const int most = options_.screened * options_.instances;
    for (size_t c = candidates.size(); c-- > 0;) {  // what was changed most often first
      if (out_.screened == most || refuted_ || options_.equivalence.until.passed()) break;
      if (left[c]) screen(candidates[c], c, rng.next());
    }
    return std::move(out_);
  }

 private:
  void check(const Instance& instance, uint64_t seed) {
    verify::EquivalenceOptions equivalence = options_.equivalence;
    equivalence.seed = seed;
    const auto [left, right] =
        as_programs(ctx_, compiled_, instance);  // as large as it is: that may be the fault
    verify::Verdict verdict = verify::check_equivalent(left, right, equivalence);
    if (verdict.vacuous || verdict.kind == verify::VerdictKind::kUnknown) {  // says nothing, or is too large
      if (said_ == 0) out_.verdict = std::move(verdict);
      return;
    }
    ++out_.instances;
    out_.scope.add(ctx_, instance);
    out_.limits |= verdict.limits;
    const bool of_floats = has_floats(ctx_, instance);
    refuted_ = verdict.kind == verify::VerdictKind::kRefuted;
    const auto says = [](const verify::Verdict& v) { return std::pair(weakness(v), v.log2_error); };
    const bool worse = says(verdict) > says(out_.verdict);
    if (said_++ == 0 || refuted_ || (of_floats && !floats_) || (of_floats == floats_ && worse)) {
      out_.verdict = std::move(verdict);
      out_.instance = describe(ctx_, rule_, instance);
    }
    floats_ |= of_floats;
  }

  /// Of each element type a few of the chosen ones, at all values of their integers.
  void sweep_some(const std::vector<Instance>& candidates, const std::vector<size_t>& chosen) {
    constexpr int kOfEach = 2, kWithConstants = 16;  // floats that are constants are others each time
    std::map<ir::DType, int> done;
    for (const size_t c : chosen) {
      if (refuted_ || options_.equivalence.until.passed()) break;
      const Instance& instance = candidates[c];
      if (!is_of_integers(ctx_, instance)) continue;
      int& of_its_type = done[ctx_.get(instance.tensors[0].type).dtype];
      if (of_its_type == (has_floats(ctx_, instance) ? kWithConstants : kOfEach)) continue;
      verify::EveryValue seen = sweep(ctx_, compiled_, instance, options_.equivalence.until);
      if (seen.compared == 0 && seen.difference.empty()) continue;
      ++of_its_type;
      ++out_.swept;
      if (seen.difference.empty()) continue;
      refuted_ = true;
      out_.verdict = {};
      out_.verdict.kind = verify::VerdictKind::kRefuted;
      out_.verdict.method = "all values of integers";
      out_.verdict.counterexample = std::move(seen.difference);
      out_.instance = describe(ctx_, rule_, instance);
    }
  }

  /// One test, of another kind each time; with the last kind the ends of integers, where there are some
  /// (verify/draws.h). What it refutes is checked like the others.
  void screen(const Instance& instance, size_t number, uint64_t seed) {
    constexpr int64_t kMost = 512;
    if (!has_at_most(ctx_, instance, kMost)) return;
    verify::EquivalenceOptions once = options_.equivalence;
    once.seed = seed;
    once.field = false;
    once.stray_tests = 0;
    once.first_float_test = static_cast<int>(number % static_cast<size_t>(once.float_tests));
    once.float_tests = 1;
    const auto [left, right] = as_programs(ctx_, compiled_, instance);
    const verify::Verdict verdict = verify::check_equivalent(left, right, once);
    if (verdict.kind == verify::VerdictKind::kRefuted)
      check(instance, seed);
    else if (!verdict.vacuous && verdict.kind != verify::VerdictKind::kUnknown)
      ++out_.screened;
  }

  ir::Context& ctx_;
  const Rule& rule_;
  RuleCheckOptions options_;
  CompiledRule compiled_;
  RuleVerdict out_;
  size_t said_ = 0;  // instances that say something: on the others the left side has no value
  bool floats_ =
      false;  // integers cannot be proved over the field: they refute, or leave the floats' verdict
  bool refuted_ = false;
};

}  // namespace

RuleVerdict check_rule(ir::Context& ctx, const Rule& rule, const RuleCheckOptions& options) {
  return RuleCheck(ctx, rule, options).run();
}

void RuleScope::add(const ir::Context& ctx, const Instance& instance) {
  for (const auto* list : {&instance.tensors, &instance.roots})
    for (const TensorFacts& f : *list) {
      const ir::Type& type = ctx.get(f.type);
      if (!type.is_static_tensor()) continue;
      low_rank = std::min(low_rank, type.shape.size());
      high_rank = std::max(high_rank, type.shape.size());
      for (const ir::Dim d : type.shape) {
        smallest = std::min(smallest, d.size());
        largest = std::max(largest, d.size());
      }
      if (std::ranges::find(dtypes, type.dtype) == dtypes.end()) dtypes.push_back(type.dtype);
    }
}

std::string summary(const RuleScope& scope) {
  if (scope.dtypes.empty()) return {};
  std::vector<std::string_view> names;
  for (const ir::DType d : scope.dtypes) names.push_back(ir::name(d));
  std::ranges::sort(names);
  return fmt::format("ranks {} to {}, sizes {} to {}, {}", scope.low_rank, scope.high_rank,
                     std::min(scope.smallest, scope.largest), scope.largest, fmt::join(names, " "));
}

std::string_view to_string(const RuleVerdict& verdict) {
  const verify::VerdictKind kind = verdict.verdict.kind;
  return kind == verify::VerdictKind::kProved ? "identity" : verify::to_string(kind);
}

std::string summary(const RuleVerdict& verdict) {
  const std::string how = verify::summary(verdict.verdict);
  if (!verdict.verdict.equivalent()) return how;
  const std::string all =
      verdict.swept == 0 ? "" : fmt::format(", {} of them at all values of integers", verdict.swept);
  return fmt::format("holds at {} instance{}{} {}", verdict.instances, verdict.instances == 1 ? "" : "s", all,
                     std::string_view(how).substr(how.find('(')));
}

}  // namespace isomer::rewrite
