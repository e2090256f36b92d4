#include "rewrite/rule_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "ir/print.h"
#include "rewrite/rule_coverage.h"
#include "rewrite/rule_mutation.h"
#include "rewrite/term_parser.h"
#include "support/errors.h"

namespace isomer::rewrite {
namespace {

ir::ValueId add_left(ir::Builder& builder, const Term& term, std::span<const ir::AttrId> attributes,
                     std::span<const ir::ValueId> variables) {
  ir::Context& ctx = builder.context();
  std::vector<ir::ValueId> made;
  for (const TermNode& n : term.nodes) {
    if (n.is_variable) {
      made.push_back(variables[n.variable]);
      continue;
    }
    std::vector<ir::AttrId> ids;
    for (const Expr& e : n.attrs)
      ids.push_back(e.kind == Expr::Kind::kLiteral ? ctx.intern(e.value)
                    : e.kind == Expr::Kind::kAttr  ? attributes[e.index]
                                                   : ir::AttrId());
    std::vector<ir::ValueId> operands;
    for (uint32_t c : n.children) operands.push_back(made[c]);
    made.push_back(builder.add(n.op, ctx.intern(ids), operands));
  }
  return made.back();
}

std::vector<ir::ValueId> add_variables(ir::Builder& builder, const Rule& rule, const RuleInstance& instance,
                                       Splats splats) {
  ir::Context& ctx = builder.context();
  std::vector<ir::ValueId> out(rule.tensors.size());
  for (size_t i = 0; i < out.size(); ++i) {
    const TensorFacts& facts = instance.tensors[i];
    const ir::Type& type = ctx.get(facts.type);
    if (splats == Splats::kConstants && facts.splat.valid() && type.is_static_tensor()) {
      const double value = std::get<double>(ctx.get(facts.splat));
      const ir::ValueId scalar = builder.constant(type.dtype, {}, std::vector<double>{value});
      out[i] = builder.add("broadcast", {scalar}, {{"shape", type.shape}});
    } else {
      out[i] = builder.input(rule.tensors[i], facts.type);
    }
  }
  return out;
}

}  // namespace

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

std::pair<ir::Graph, ir::Graph> as_programs(ir::Context& ctx, const CompiledRule& compiled,
                                            const RuleInstance& instance, Splats splats) {
  const Rule& rule = *compiled.rule;
  REQUIRE(
      instance.tensors.size() == rule.tensors.size() && instance.attributes.size() == rule.attributes.size(),
      "an instance of another rule");
  ir::Builder left(ctx, rule.name + ".left");
  const std::vector<ir::ValueId> left_variables = add_variables(left, rule, instance, splats);
  std::vector<ir::ValueId> left_roots;
  for (const Term& term : rule.left)
    left_roots.push_back(add_left(left, term, instance.attributes, left_variables));

  ir::Builder right(ctx, rule.name + ".right");
  const std::vector<ir::ValueId> variables = add_variables(right, rule, instance, splats);
  const ExprScope scope{ctx, instance.attributes, instance.tensors, instance.roots};
  std::vector<ir::ValueId> made;
  for (const RightNode& n : compiled.right) {
    if (n.is_variable) {
      made.push_back(variables[n.variable]);
      continue;
    }
    const ir::PayloadId payload = right_payload(ctx.ops().get(n.op), n, scope);
    REQUIRE(payload.valid(), "an attribute of the right side has no value");
    std::vector<ir::ValueId> operands;
    for (uint32_t c : n.children) operands.push_back(made[c]);
    made.push_back(right.add(n.op, payload, operands));
  }
  std::vector<ir::ValueId> right_roots;
  for (uint32_t r : compiled.right_roots) right_roots.push_back(made[r]);
  return {left.finish(std::move(left_roots)), right.finish(std::move(right_roots))};
}

verify::Verdict check_instance(ir::Context& ctx, const CompiledRule& rule, const RuleInstance& instance,
                               const verify::EquivalenceOptions& options) {
  std::optional<verify::Verdict> weakest;
  for (const RuleInstance& small : shrink(ctx, rule, instance)) {
    const auto [left, right] = as_programs(ctx, rule, small);
    verify::Verdict verdict = verify::check_equivalent(left, right, options);
    if (!(small.tensors == instance.tensors)) verdict.method += ", shrunken shapes";
    const bool says_more = !verdict.vacuous && weakest && weakness(verdict) > weakness(*weakest);
    if (!weakest || weakest->vacuous || says_more) weakest = std::move(verdict);
    if (weakest->kind == verify::VerdictKind::kRefuted) break;
  }
  return *weakest;
}

std::string describe(const ir::Context& ctx, const Rule& rule, const RuleInstance& instance) {
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

void generalise(ir::Context& ctx, const CompiledRule& rule, RuleInstance& instance) {
  for (size_t i = 0; i < instance.tensors.size(); ++i) {
    if (!instance.tensors[i].splat.valid()) continue;
    RuleInstance trial = instance;
    trial.tensors[i].splat = {};
    if (refit(ctx, rule, trial)) instance = std::move(trial);
  }
}

namespace {

/// Random instances of floats, or the types that the rule names, and of all others where it names none.
std::vector<RuleInstance> draw_candidates(ir::Context& ctx, const CompiledRule& compiled, Rng& rng,
                                          const RuleCheckOptions& options) {
  using enum ir::DType;
  static constexpr ir::DType kOthers[] = {kI64, kU8, kBool, kI32, kI8, kU16, kI16, kU32};
  constexpr int kPool = 8;  // candidates for each that is chosen
  const RuleHints hints = hints_of(*compiled.rule, ctx.ops());
  const Deadline& until = options.equivalence.until;
  std::vector<RuleInstance> out;
  const auto draw = [&](ir::DType dtype, int wanted, int attempts) {
    RuleInstance instance;
    for (int found = 0; found < wanted && attempts > 0 && !until.passed(); --attempts) {
      if (!instantiate(ctx, compiled, hints, rng, instance, dtype)) continue;
      if (++found % 4 != 0) generalise(ctx, compiled, instance);
      out.push_back(instance);
    }
  };
  draw(kUndefined, kPool * options.instances, options.attempts);
  if (compiled.rule->dtypes.empty())
    for (const ir::DType dtype : kOthers)
      draw(dtype, std::max(1, kPool * options.instances / 8), options.other_attempts);
  constexpr size_t kLeast = 400;  // changes that are tried: where little was found they find more
  const size_t drawn = out.size();
  const size_t changes = drawn > 0 ? std::max(4 * drawn, kLeast) : 0;
  for (size_t i = 0; i < changes && !until.passed(); ++i)  // also of what was changed before
    if (auto changed = mutate(ctx, compiled, hints, rng, out[i % out.size()]))
      out.push_back(std::move(*changed));
  return out;
}

bool has_floats(const ir::Context& ctx, const RuleInstance& instance) {
  const auto is_float = [&](const TensorFacts& f) {
    const ir::Type& type = ctx.get(f.type);
    return type.is_tensor() && ir::is_float(type.dtype);
  };
  return std::ranges::any_of(instance.tensors, is_float) || std::ranges::any_of(instance.roots, is_float);
}

/// Whether a condition takes numbers that are nearly what the rule names: what it computes is nearly right
/// too.
bool is_of_nearly(const Expr& e) {
  return (e.kind == Expr::Kind::kCall && e.function == "near") || std::ranges::any_of(e.args, is_of_nearly);
}

}  // namespace

RuleVerdict check_rule(ir::Context& ctx, const Rule& rule, const RuleCheckOptions& options) {
  const CompiledRule compiled = compile(ctx, rule, 0);
  RuleVerdict out;
  out.rule = rule.name;
  Rng rng(options.seed ^ hash_string(rule.name));
  const std::vector<RuleInstance> candidates = draw_candidates(ctx, compiled, rng, options);
  if (candidates.empty())
    out.verdict.note =
        fmt::format("no types and attributes were found in {} attempts that fit the rule", options.attempts);
  // Integers come from ranges, and cannot be proved over the field: they refute, or leave the floats'
  // verdict.
  bool floats = false;
  const auto wanted = static_cast<size_t>(options.instances);
  size_t said = 0;  // instances that say something: on the others the left side has no value
  for (const size_t c : choose_instances(ctx, rule, candidates, 4 * wanted)) {
    if (said == wanted || options.equivalence.until.passed()) break;
    const RuleInstance& instance = candidates[c];
    verify::EquivalenceOptions equivalence = options.equivalence;
    constexpr double kNearly = 1e-5;  // a number of float32, where terms cancel
    if (std::ranges::any_of(rule.conditions, is_of_nearly))
      equivalence.tolerance = std::max(equivalence.tolerance, kNearly);
    equivalence.seed = rng.next();
    const auto [left, right] =
        as_programs(ctx, compiled, instance);  // as large as it is: that may be the fault
    verify::Verdict verdict = verify::check_equivalent(left, right, equivalence);
    if (verdict.vacuous || verdict.kind == verify::VerdictKind::kUnknown) {  // says nothing, or is too large
      if (said == 0) out.verdict = std::move(verdict);
      continue;
    }
    ++out.instances;
    out.scope.add(ctx, instance);
    out.limits |= verdict.limits;
    const bool of_floats = has_floats(ctx, instance);
    const bool refuted = verdict.kind == verify::VerdictKind::kRefuted;
    const bool worse = weakness(verdict) > weakness(out.verdict);
    if (said++ == 0 || refuted || (of_floats && !floats) || (of_floats == floats && worse)) {
      out.verdict = std::move(verdict);
      out.instance = describe(ctx, rule, instance);
    }
    floats |= of_floats;
    if (refuted) break;
  }
  return out;
}

void RuleScope::add(const ir::Context& ctx, const RuleInstance& instance) {
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
  return fmt::format("holds at {} instance{} {}", verdict.instances, verdict.instances == 1 ? "" : "s",
                     std::string_view(how).substr(how.find('(')));
}

}  // namespace isomer::rewrite
