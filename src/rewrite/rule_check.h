// Is a rule true? Its variables are given small random types and attributes under which both sides are well
// typed and its conditions hold, and the two sides, as programs, go to the verifier (identities over a prime
// field where they have one, else floats). And the same for one application at the types it had: translation
// validation.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rewrite/rule_apply.h"
#include "rewrite/rule_hints.h"
#include "support/rng.h"
#include "verify/draws.h"
#include "verify/equivalence.h"

namespace isomer::rewrite {

struct RuleCheckOptions {
  uint64_t seed = 1;
  int instances = 4;        ///< how many different ones are checked
  int screened = 16;        ///< for each of these, further ones that are tried on one kind of elements only
  int attempts = 20'000;    ///< to find them; the ones that are checked are chosen among eight times as many
  int other_attempts = 40;  ///< a rule that names no element types claims all: for each type but floats
  /// Its `until` ends the drawing of instances too. What it cut says only what was seen by then: ask it.
  verify::EquivalenceOptions equivalence = {.float_tests = verify::kFirstOfEnds,
                                            .thorough = true,
                                            .full_work = 5e5,
                                            .full_float_work = 5e6,
                                            .samples = 48};
};

/// What instances were like: a verdict by instances holds for these.
struct RuleScope {
  size_t low_rank = SIZE_MAX, high_rank = 0;
  int64_t smallest = INT64_MAX, largest = 0;  ///< sizes of dimensions
  std::vector<ir::DType> dtypes;

  void add(const ir::Context& ctx, const Instance& instance);
};
/// "ranks 0 to 6, sizes 0 to 257, f32 i64"; empty where there was no instance.
std::string summary(const RuleScope& scope);

struct RuleVerdict {
  std::string rule;
  int instances = 0;        ///< 0: none was found, and nothing is known (kUnknown)
  int screened = 0;         ///< further ones that one test did not tell apart
  int drawn = 0;            ///< instances that were drawn (not all of them are checked)
  int other_type = 0;       ///< what was drawn where all fits but that the right side has no or another type
  int swept = 0;            ///< of those of integers: compared at all values (rule_sweep.h)
  verify::Verdict verdict;  ///< the weakest of the instances' (of those of floats, where there are any)
  std::string instance;     ///< types and attributes of that one
  RuleScope scope;
  uint8_t limits = 0;  ///< of verify::Limit, of all instances
};

/// "identity", "sampled", "tested", "refuted", "unknown": as of its weakest instance. None says that a rule
/// is proved: what is shown is shown of instances.
std::string_view to_string(const RuleVerdict& verdict);
/// One line: "holds at 16 instances (field; error < 2^-112; any exp)".
std::string summary(const RuleVerdict& verdict);

/// 0 for proved, more the less is known, most for refuted.
int weakness(const verify::Verdict& v);

RuleVerdict check_rule(ir::Context& ctx, const Rule& rule, const RuleCheckOptions& options = {});

/// Random types and attributes that fit the rule; false when none was found in one attempt. `dtype`: of its
/// tensors; undefined: one that the rule names, else f32. `failed_at_first`: whether not even operands of the
/// left side's first operator were found. `other_type`: as for refit.
bool instantiate(ir::Context& ctx, const CompiledRule& rule, const RuleHints& hints, Rng& rng, Instance& out,
                 ir::DType dtype = ir::DType::kUndefined, bool* failed_at_first = nullptr,
                 bool* other_type = nullptr);

/// Takes from constants what is known of their elements, wherever the rule does not need it: an instance on
/// zeros says little.
void generalise(ir::Context& ctx, const CompiledRule& rule, Instance& instance);

/// The two sides as programs over the class variables (alternative.h). Throws MisuseError when the instance
/// does not fit the rule.
std::pair<ir::Graph, ir::Graph> as_programs(ir::Context& ctx, const CompiledRule& rule,
                                            const Instance& instance, Splats splats = Splats::kConstants);

/// The same application at smaller sizes, structure kept (rule_shrink.cpp): one instance, with symbols
/// several, each at other sizes for them. The instance itself where nothing smaller fits the rule.
std::vector<Instance> shrink(ir::Context& ctx, const CompiledRule& rule, const Instance& instance);

/// Whether types and attributes fit: both sides well typed, equal types at the roots, conditions met. Sets
/// the roots' facts from the left sides. `other_type`: whether all fits but the right sides' types.
bool refit(ir::Context& ctx, const CompiledRule& rule, Instance& instance, bool* other_type = nullptr);

/// Equality of the two sides at the instance, shrunken where it is large (the verdict's method says so): the
/// weakest verdict of the instances that `shrink` makes of it.
verify::Verdict check_instance(ir::Context& ctx, const CompiledRule& rule, const Instance& instance,
                               const verify::EquivalenceOptions& options = {});

/// "x: f32[2,3], w: f32[3,4] constant, p = [1, 0]"
std::string describe(const ir::Context& ctx, const Rule& rule, const Instance& instance);

}  // namespace isomer::rewrite
