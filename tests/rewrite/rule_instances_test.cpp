// Which instances of a rule are found and chosen, and what becomes of them when they are made small.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <utility>

#include "ir/op_table.h"
#include "ir/size_formula.h"
#include "rewrite/rule_check.h"
#include "rewrite/rule_coverage.h"
#include "rewrite/rule_definitions.h"
#include "rewrite/rule_hints.h"
#include "rewrite/rule_mutation.h"
#include "rewrite/rule_parser.h"
#include "rewrite/rule_stability.h"

namespace isomer::rewrite {
namespace {

class Instances : public testing::Test {
 protected:
  const CompiledRule& compiled(const std::string& body) {
    set_ = parse_rules(ctx_.ops(), "rule r { " + body + " }", "test");
    rule_ = compile(ctx_, set_.rules[0], 0);
    return rule_;
  }
  bool is_found(const CompiledRule& rule) {
    Rng rng(1);
    Instance instance;
    for (int i = 0; i < 200; ++i)
      if (instantiate(ctx_, rule, hints_of(*rule.rule, ctx_.ops()), rng, instance)) return true;
    return false;
  }
  TensorFacts tensor(ir::Shape shape, bool is_weight = false) {
    return {ctx_.tensor_type(ir::DType::kF32, std::move(shape)), {}, is_weight};
  }
  ir::AttrId integers(std::vector<int64_t> list) { return ctx_.intern(ir::AttrValue(std::move(list))); }
  std::vector<int64_t> sizes(const TensorFacts& f) const { return ir::sizes(ctx_.get(f.type).shape); }

  ir::Context ctx_{ir::standard_ops()};
  RuleSet set_;
  CompiledRule rule_;
};

TEST_F(Instances, HintsAreWhatTheRuleNames) {
  compiled(
      "(leaky_relu{alpha=?a} (slice{axes=[0], starts=[0], ends=[17], steps=[1]} ?x)) => (relu ?x); "
      "if ?a == 0, dtype(?x) == i8");
  const RuleHints hints = hints_of(set_.rules[0], ctx_.ops());
  EXPECT_NE(std::ranges::find(hints.sizes, 17), hints.sizes.end());
  ASSERT_EQ(hints.numbers.size(), 1u);
  EXPECT_NE(std::ranges::find(hints.numbers[0], 0.0), hints.numbers[0].end());
  EXPECT_NE(std::ranges::find(hints.numbers[0], -1.0), hints.numbers[0].end()) << "beside it too";
  ASSERT_EQ(hints.dtypes.size(), 1u);
  EXPECT_EQ(hints.dtypes[0], std::vector<ir::DType>{ir::DType::kI8});
}

TEST_F(Instances, MutantsFitAndReachWhatDrawsSeldomDo) {
  const CompiledRule& rule = compiled("(transpose{perm=?p} ?x) => (transpose{perm=inverse(?p)} ?x)");
  Instance instance{{integers({0, 1, 2})}, {tensor(ir::static_shape({2, 2, 2}))}, {}};
  ASSERT_TRUE(refit(ctx_, rule, instance));
  Rng rng(1);
  bool cycle = false;
  const RuleRelations relations(ctx_, rule, std::span(&instance, 1));
  for (int i = 0; i < 300; ++i)
    if (auto changed = mutate(ctx_, rule, hints_of(*rule.rule, ctx_.ops()), relations, rng, instance)) {
      EXPECT_TRUE(refit(ctx_, rule, *changed));
      const auto perm = std::get<std::vector<int64_t>>(ctx_.get(changed->attributes[0]));
      cycle |= perm == std::vector<int64_t>{1, 2, 0};
      instance = *changed;
    }
  EXPECT_TRUE(cycle);
}

TEST_F(Instances, MutantsHaveAsManyElementsAlongOtherAxes) {
  const CompiledRule& rule = compiled("(neg ?x) => (neg ?x)");
  Instance instance{{}, {tensor(ir::static_shape({3, 7, 11}))}, {}};
  Rng rng(1);
  const RuleRelations relations(ctx_, rule, std::span(&instance, 1));
  std::set<std::vector<int64_t>> seen;
  for (int i = 0; i < 500; ++i)
    if (auto changed = mutate(ctx_, rule, hints_of(*rule.rule, ctx_.ops()), relations, rng, instance))
      seen.insert(sizes(changed->tensors[0]));
  EXPECT_TRUE(seen.contains({7, 3, 11}) && seen.contains({11, 7, 3}) && seen.contains({3, 11, 7}));
}

/// A bias along other axes than the scale that it counts as many numbers as, whatever the seed.
TEST_F(Instances, AsManyElementsAlongOtherAxesAreDrawn) {
  const CompiledRule& rule = compiled(
      "(add (layer_norm{axis=?a, epsilon=?e} ?x ?s) (broadcast{shape=?t} ?b)) => (layer_norm{axis=?a, "
      "epsilon=?e} ?x ?s (reshape{shape=shape(?s)} ?b)); if elements(?b) == elements(?s), dim(?b, -1) == "
      "dim(?s, -1)");
  const RuleHints hints = hints_of(*rule.rule, ctx_.ops());
  EXPECT_EQ(hints.as_many, (std::vector<std::vector<uint32_t>>{{}, {2}, {1}}));
  for (uint64_t seed = 1; seed <= 2; ++seed) {
    RuleCheckOptions options;
    options.instances = 192;
    options.seed = seed;
    EXPECT_EQ(check_rule(ctx_, *rule.rule, options).verdict.kind, verify::VerdictKind::kRefuted) << seed;
  }
}

TEST_F(Instances, NumbersThatHangTogetherChangeTogether) {
  const CompiledRule& rule = compiled("(rotary_embedding{interleaved=?i} ?x ?c ?s) => (neg ?x)");
  const auto instance = [&](int64_t whole, int64_t half) {
    const TensorFacts cache = tensor(ir::static_shape({2, 3, half}));
    return Instance{{ctx_.intern(ir::AttrValue(int64_t{0}))},
                    {tensor(ir::static_shape({2, 5, 3, whole})), cache, cache},
                    {}};
  };
  const std::vector<Instance> found = {instance(2, 1), instance(6, 3), instance(4, 2)};
  const RuleRelations relations(ctx_, rule, found);
  Instance changed = found[0];
  ASSERT_EQ(relations.values(ctx_, changed).size(), 4u + 3u + 3u + 1u);
  ASSERT_TRUE(relations.change(ctx_, changed, 3, 8));
  EXPECT_EQ(changed.tensors, instance(8, 4).tensors);
  EXPECT_FALSE(relations.change(ctx_, changed, 3, 7)) << "has no half";
  EXPECT_FALSE(relations.change(ctx_, changed, 11, 7)) << "there is no such place";
}

TEST_F(Instances, ProductsThatConditionsDefineAreTakenApart) {
  const CompiledRule& rule =
      compiled("(neg ?x) => ?x; if splat(?x) == 0 || dim(?x, 0) * dim(?x, 1) == 15, elements(?x) > 0");
  Rng rng(1);
  std::set<std::pair<int64_t, int64_t>> sizes;
  for (int i = 0; i < 200; ++i) {
    Instance instance{{}, {tensor(ir::static_shape({7, 11}))}, {}};
    define(ctx_, rule, RuleRelations(ctx_, rule, {}), rng, instance);
    const ir::Shape& shape = ctx_.get(instance.tensors[0].type).shape;
    if (shape[0].size() * shape[1].size() == 15) sizes.emplace(shape[0].size(), shape[1].size());
  }
  EXPECT_EQ(sizes, (std::set<std::pair<int64_t, int64_t>>{{1, 15}, {3, 5}, {5, 3}, {15, 1}}));
}

TEST_F(Instances, WhatConditionsDefineIsSetToIt) {
  const CompiledRule& rule = compiled(
      "(tile{repeats=?r} (depth_to_space{blocksize=?b, mode=?m} ?x)) => (neg ?x); "
      "if ?r == [1, ?b * ?b, 1, 1], dim(?x, 0) == 1 + ?b && ?m == \"CRD\"");
  const auto text = [&](const char* word) { return ctx_.intern(ir::AttrValue(std::string(word))); };
  std::vector<ir::AttrId> attributes(rule.rule->attributes.size());
  for (size_t a = 0; a < attributes.size(); ++a) {
    const std::string& name = rule.rule->attributes[a];
    attributes[a] = name == "r"   ? integers({1, 1, 1, 1})
                    : name == "b" ? ctx_.intern(ir::AttrValue(int64_t{3}))
                                  : text("DCR");
  }
  Instance instance{attributes, {tensor(ir::static_shape({1, 9, 2, 2}))}, {}};
  Rng rng(1);
  define(ctx_, rule, RuleRelations(ctx_, rule, {}), rng, instance);
  for (size_t a = 0; a < attributes.size(); ++a) {
    const std::string& name = rule.rule->attributes[a];
    if (name != "b") {
      EXPECT_EQ(instance.attributes[a], name == "r" ? integers({1, 9, 1, 1}) : text("CRD"));
    }
  }
  EXPECT_EQ(ctx_.get(instance.tensors[0].type).shape[0].size(), 4);
}

TEST_F(Instances, RulesThatFewDrawsFitAreFound) {
  const std::pair<const char*, const char*> rules[] = {
      {"an index is one before it is spread",
       "dtypes f32; (gather{axis=?a} ?x (broadcast{shape=?s} ?i)) => "
       "(broadcast{shape=shape(root)} (gather{axis=?a} ?x ?i)); if ?a == 1"},
      {"a bool is one before it is spread",
       "dtypes f32; (where (broadcast{shape=?s} ?c) ?x ?y) => (where (not (broadcast{shape=?s} ?c)) ?y ?x); "
       "if rank(?c) < rank(?x)"},
      {"what is added may lie along any axis of what stands beside it",
       "dtypes f32; (add (conv{strides=?s, dilations=?d, pads=?p, group=?g} ?x ?w) (broadcast{shape=?t} ?b)) "
       "=> (add (broadcast{shape=?t} ?b) (conv{strides=?s, dilations=?d, pads=?p, group=?g} ?x ?w)); "
       "if rank(?w) == 5, dim(?w, 0) > 1, elements(?b) == dim(?w, 0), dim(?b, -3) == dim(?w, 0)"},
      {"images have room for windows that leave gaps",
       "dtypes f32; (global_max_pool (max_pool{kernel=?k, strides=?s, dilations=[1], pads=[0, 0], "
       "ceil_mode=0} ?x)) => (global_max_pool ?x); "
       "if at(?k, 0) > at(?s, 0), dim(?x, 2) % at(?k, 0) == 0, dim(?x, 2) > at(?k, 0)"},
      {"a shape is drawn as long as wanted, and as the right side makes it",
       "dtypes f32; (reshape{shape=?s} (transpose{perm=[0, 3, 4, 1, 5, 2]} (reshape{shape=?t} ?x))) => "
       "(depth_to_space{blocksize=at(?t, 1), mode=\"DCR\"} ?x); if at(?t, 1) == at(?t, 2), at(?t, 0) == "
       "dim(?x, 0), at(?t, 1) * at(?t, 2) * at(?t, 3) == dim(?x, 1), at(?t, 1) > 1"},
      {"a type that is not written out is drawn too",
       "(cast{to=bool} (reduce_sum{axes=[0], keepdims=?k} (cast{to=?t} ?x))) => (cast{to=bool} "
       "(reduce_max{axes=[0], keepdims=?k} (cast{to=?t} ?x))); if dtype(?x) == bool, ?t == i8, dim(?x, 0) > "
       "255"},
      {"an operand has an axis less than one before it",
       "(rotary_embedding{interleaved=?i} ?x ?c ?s) => (mul ?x ?x); if splat(?s) == 0, dim(?c, 2) > 1"},
      {"an operand has an axis more than one before it",
       "(multi_head_attention{heads=?h, scale=?s} ?q ?k ?v ?b) => (broadcast{shape=shape(root)} ?v); "
       "if dim(?k, 1) == 1"},
      {"what is compared is no bool", "dtypes i32; (where (less ?x ?y) ?x ?y) => (min ?x ?y)"},
  };
  for (const auto& [what, rule] : rules) EXPECT_TRUE(is_found(compiled(rule))) << what;
}

TEST_F(Instances, AShapeIsAsLongAsItIsTransposed) {
  const CompiledRule& rule = compiled(
      "(transpose{perm=[0, 3, 4, 1, 5, 2]} (reshape{shape=?t} ?x)) => (neg ?x); if at(?t, 1) == at(?t, 2)");
  const std::vector<std::vector<size_t>> lengths = hints_of(*rule.rule, ctx_.ops()).lengths;
  EXPECT_NE(std::ranges::find(lengths, std::vector<size_t>{6}), lengths.end());
}

TEST_F(Instances, AnotherElementTypeIsTakenWhereTheRuleTakesIt) {
  Instance instance{{}, {tensor(ir::static_shape({2, 3})), tensor(ir::static_shape({2, 3}))}, {}};
  const CompiledRule& sum = compiled("(add ?x ?y) => (add ?y ?x)");
  instance.tensors[1].splat = ctx_.intern(ir::AttrValue(2.0));
  ASSERT_TRUE(refit(ctx_, sum, instance));
  const auto bytes = retyped(ctx_, sum, instance, ir::DType::kU8);
  ASSERT_TRUE(bytes);
  EXPECT_EQ(ctx_.get(bytes->tensors[0].type).dtype, ir::DType::kU8);
  EXPECT_EQ(ctx_.get(bytes->roots[0].type).dtype, ir::DType::kU8);
  EXPECT_FALSE(retyped(ctx_, sum, *bytes, ir::DType::kI8)) << "there are no floats";
}

TEST_F(Instances, WhatTheTypeCannotHoldIsRounded) {
  EXPECT_EQ(held_by(ir::DType::kI8, 200), -56);
  EXPECT_EQ(held_by(ir::DType::kF16, -1e10), -1);
  EXPECT_EQ(held_by(ir::DType::kBF16, 1.001), 1);
}

TEST_F(Instances, TheFirstChosenShowMost) {
  const CompiledRule& rule = compiled("(transpose{perm=?p} ?x) => (transpose{perm=inverse(?p)} ?x)");
  std::vector<Instance> candidates;
  for (int i = 0; i < 20; ++i)  // twenty of a kind, and one that is not its own inverse
    candidates.push_back({{integers({1, 0, 2})}, {tensor(ir::static_shape({3, 3, 3}))}, {}});
  candidates.push_back({{integers({1, 2, 0})}, {tensor(ir::static_shape({3, 3, 3}))}, {}});
  for (Instance& c : candidates) ASSERT_TRUE(refit(ctx_, rule, c));
  const std::vector<size_t> chosen = choose_instances(ctx_, set_.rules[0], candidates, 2);
  ASSERT_EQ(chosen.size(), 2u);
  EXPECT_TRUE(chosen[0] == 20 || chosen[1] == 20);
  EXPECT_EQ(choose_instances(ctx_, set_.rules[0], candidates, 100).size(), candidates.size());
}

TEST_F(Instances, WhatHoldsJustSoIsAmongTheFirstChosen) {
  compiled("(relu (relu ?x)) => (relu ?x); if elements(?x) <= 16");
  std::vector<Instance> candidates;
  for (int64_t size = 9; size <= 16; ++size) {
    candidates.push_back({{}, {tensor(ir::static_shape({size}))}, {}});
    ASSERT_TRUE(refit(ctx_, rule_, candidates.back()));
  }
  const std::vector<size_t> chosen = choose_instances(ctx_, set_.rules[0], candidates, 3);
  for (const size_t just : {6, 7})  // fifteen elements, and sixteen
    EXPECT_NE(std::ranges::find(chosen, just), chosen.end()) << just;
}

TEST_F(Instances, APadWiderThanTheWindowIsNone) {
  const CompiledRule& rule = compiled(
      "(max_pool{kernel=?k, strides=?s, dilations=?d, pads=?p, ceil_mode=?c} ?x) => "
      "(max_pool{kernel=?k, strides=?s, dilations=?d, pads=?p, ceil_mode=?c} ?x)");
  const auto wide = [&](const Instance& instance) {
    const auto list = [&](size_t a) {
      return std::get<std::vector<int64_t>>(ctx_.get(instance.attributes[a]));
    };
    const std::vector<int64_t> kernel = list(0), dilations = list(2), pads = list(3);
    for (size_t i = 0; i < pads.size(); ++i)
      if (const size_t axis = i % kernel.size(); pads[i] > (kernel[axis] - 1) * dilations[axis]) return true;
    return false;
  };
  const ir::AttrId one = integers({1}), closed = ctx_.intern(ir::AttrValue(int64_t{0}));
  Instance given{
      {integers({2}), one, one, integers({1, 1}), closed}, {tensor(ir::static_shape({1, 1, 5}))}, {}};
  EXPECT_TRUE(refit(ctx_, rule, given));
  given.attributes[3] = integers({1, 2});
  EXPECT_TRUE(wide(given));
  EXPECT_FALSE(refit(ctx_, rule, given)) << "a window would lie in the padding alone";
  Rng rng(1);
  const RuleHints hints = hints_of(*rule.rule, ctx_.ops());
  std::vector<Instance> found;
  for (int i = 0; i < 400; ++i)
    if (Instance instance; instantiate(ctx_, rule, hints, rng, instance)) found.push_back(instance);
  ASSERT_GT(found.size(), 50U);
  const RuleRelations relations(ctx_, rule, found);
  for (size_t i = 0; i < 2000; ++i)
    if (auto changed = mutate(ctx_, rule, hints, relations, rng, found[i % found.size()]))
      found.push_back(*changed);
  size_t padded = 0;
  for (const Instance& instance : found) {
    EXPECT_FALSE(wide(instance)) << describe(ctx_, *rule.rule, instance);
    const auto pads = std::get<std::vector<int64_t>>(ctx_.get(instance.attributes[3]));
    padded += std::ranges::any_of(pads, [](int64_t p) { return p > 0; });
  }
  EXPECT_GT(padded, 50U);
}

TEST_F(Instances, ImagesAreMadeForWeightsThatAreThere) {
  const CompiledRule& rule = compiled(
      "(conv{strides=?s, dilations=?d, pads=?p, group=?g} ?x (broadcast{shape=?t} ?w)) => "
      "(conv{strides=?s, dilations=?d, pads=?p, group=?g} ?x (broadcast{shape=?t} ?w)); "
      "if rank(?w) == 3, elements(?w) == 1, length(?t) == 3");
  const RuleHints hints = hints_of(*rule.rule, ctx_.ops());
  Rng rng(1);
  int found = 0, grouped = 0;
  for (int i = 0; i < 2000; ++i)
    if (Instance instance; instantiate(ctx_, rule, hints, rng, instance)) {
      ++found;
      grouped += std::get<int64_t>(ctx_.get(instance.attributes[3])) > 1;
    }
  EXPECT_GT(grouped, found / 10) << "of " << found;
}

TEST_F(Instances, WhatIsOnlyKeptAndConvertedIsDrawn) {
  compiled("(transpose{perm=?p} (transpose{perm=?q} ?x)) => (transpose{perm=compose(?q, ?p)} ?x)");
  const RuleVerdict moved = check_rule(ctx_, set_.rules[0], {.instances = 32});
  const auto of = [&](auto&& what) { return std::ranges::count_if(moved.scope.dtypes, what); };
  EXPECT_TRUE(moved.verdict.equivalent());
  EXPECT_GT(of([](ir::DType d) { return ir::is_integer(d) && ir::bit_width(d) == 4; }), 0)
      << summary(moved.scope);
  EXPECT_GT(of([](ir::DType d) { return ir::is_float(d) && ir::bit_width(d) == 8; }), 0)
      << summary(moved.scope);
  compiled(
      "(cast{to=?b} (cast{to=?a} ?x)) => (cast{to=?b} ?x); if dtype(?x) == f32, ?b == f32, ?a != f32, ?a != "
      "f64, "
      "?a != f16, ?a != bf16, ?a != bool, ?a != i8, ?a != u8, ?a != i16, ?a != u16, ?a != i32, ?a != u32, "
      "?a != i64, ?a != u64");
  EXPECT_EQ(check_rule(ctx_, set_.rules[0], {.instances = 32}).verdict.kind, verify::VerdictKind::kRefuted)
      << "what only floats of 8 bits or integers of 4 tell";
}

TEST_F(Instances, ShrinkingKeepsApartWhatIsApart) {
  const CompiledRule& rule = compiled("(add (matmul ?x ?a) (matmul ?x ?b)) => (matmul ?x (add ?a ?b))");
  Instance instance{{},
                    {tensor(ir::static_shape({64, 768})), tensor(ir::static_shape({768, 3072})),
                     tensor(ir::static_shape({768, 3072}))},
                    {}};
  ASSERT_TRUE(refit(ctx_, rule, instance));
  const std::vector<Instance> small = shrink(ctx_, rule, instance);
  ASSERT_EQ(small.size(), 1u);
  const auto x = sizes(small[0].tensors[0]), a = sizes(small[0].tensors[1]);
  EXPECT_LE(ir::element_count(ctx_.get(small[0].tensors[1].type).shape), 512);
  EXPECT_EQ(x[1], a[0]);
  const std::set<int64_t> apart = {x[0], x[1], a[1]};
  EXPECT_EQ(apart.size(), 3u) << fmt::format("{} {} {}", x[0], x[1], a[1]);
  EXPECT_GE(*apart.begin(), 2);
}

TEST_F(Instances, ShrinkingStaysAboveWhatActs) {
  const CompiledRule& rule = compiled(
      "(relu (max_pool{kernel=?k, strides=?s, dilations=?d, pads=?p} ?x)) => (max_pool{kernel=?k, "
      "strides=?s, "
      "dilations=?d, pads=?p} (relu ?x))");
  Instance instance{{integers({5, 5}), integers({3, 3}), integers({1, 1}), integers({2, 2, 2, 2})},
                    {tensor(ir::static_shape({1, 64, 112, 112}))},
                    {}};
  ASSERT_TRUE(refit(ctx_, rule, instance));
  for (const Instance& small : shrink(ctx_, rule, instance)) {
    const auto x = sizes(small.tensors[0]);
    EXPECT_LT(x[2], 112);
    EXPECT_GT(x[2], 5) << "the kernel must fit more than once";
    EXPECT_NE(x[1], x[2]);
    EXPECT_GE(x[1], 2);
  }
}

TEST_F(Instances, ASymbolHasSeveralSizes) {
  const CompiledRule& rule = compiled("(add (mul ?x ?a) (mul ?x ?b)) => (mul ?x (add ?a ?b))");
  const ir::Shape shape = {ir::Dim::symbol(ctx_.symbol("batch")), ir::Dim::symbol(ctx_.symbol("length")),
                           ir::Dim(3)};
  Instance instance{{}, {tensor(shape), tensor(shape), tensor(shape)}, {}};
  ASSERT_TRUE(refit(ctx_, rule, instance));
  std::set<std::vector<int64_t>> seen;
  for (const Instance& small : shrink(ctx_, rule, instance)) seen.insert(sizes(small.tensors[0]));
  EXPECT_GE(seen.size(), 3u);
  EXPECT_TRUE(seen.contains({1, 1, 3}));
  for (const auto& s : seen) {
    const bool ones = s[0] == 1 && s[1] == 1;
    EXPECT_TRUE(ones || (s[0] != s[1] && s[0] != 3 && s[1] != 3)) << s[0] << ' ' << s[1];
  }
}

/// What follows from other dimensions by a formula stays what it is of them.
TEST_F(Instances, FormulasAreSizedByTheirNames) {
  const CompiledRule& rule = compiled("(add (mul ?x ?a) (mul ?x ?b)) => (mul ?x (add ?a ?b))");
  const ir::Size n = ir::Size::named(ctx_.symbol("n")), m = ir::Size::named(ctx_.symbol("m"));
  const ir::Shape shape = {dim_of(ctx_, n), dim_of(ctx_, n + m), dim_of(ctx_, (n - 5).floor_div(2))};
  Instance instance{{}, {tensor(shape), tensor(shape), tensor(shape)}, {}};
  ASSERT_TRUE(refit(ctx_, rule, instance));
  const std::vector<Instance> smaller = shrink(ctx_, rule, instance);
  ASSERT_FALSE(smaller.empty());
  for (const Instance& small : smaller)
    for (const ir::Dim d : ctx_.get(small.tensors[0].type).shape) EXPECT_TRUE(d.is_static());
}

TEST_F(Instances, MeasuringSeesWhatIsNotEqualAtAll) {
  compiled(
      "(slice{axes=[0], starts=[0], ends=[4], steps=[1]} ?x) => (slice{axes=[0], starts=[0], ends=[8], "
      "steps=[2]} ?x); if dim(?x, 0) == 8");
  EXPECT_NE(measure_stability(ctx_, set_.rules[0]).difference, "");
  compiled(
      "dtypes f16; (reduce_mean{axes=[0], keepdims=0} ?x) => (mul (reduce_sum{axes=[0], keepdims=0} ?x) "
      "(broadcast{shape=shape(root)} (constant{id=scalar(1.0 / dim(?x, 0), ?x)}))); if dim(?x, 0) == 2");
  EXPECT_TRUE(
      measure_stability(ctx_, set_.rules[0]).exceptions.test(static_cast<size_t>(Exception::kOverflow)))
      << "a sum of two is beyond float16";
  compiled(
      "dtypes f16; (div ?x (broadcast{shape=?s} ?c)) => (mul ?x (broadcast{shape=?s} (reciprocal ?c))); "
      "if splat(?c) > 0");
  EXPECT_EQ(measure_stability(ctx_, set_.rules[0], {.instances = 8}).measured, Stability::kUnstable)
      << "so is the reciprocal of a small number";
  compiled("(add (add ?x ?y) ?z) => (add ?x (add ?y ?z)); if dtype(?x) == f16");
  EXPECT_GT(measure_stability(ctx_, set_.rules[0]).evaluations, 0) << "of other types where it asks for such";
  compiled(
      "(cast{to=i32} (reduce_sum{axes=[0], keepdims=1} (cast{to=f16} ?b))) => (reduce_sum{axes=[0], "
      "keepdims=1} (cast{to=i32} ?b)); if dtype(?b) == bool, dim(?b, 0) < 4000");
  EXPECT_EQ(arithmetic_of(measure_stability(ctx_, set_.rules[0])),
            "bit-exact, except at counts beyond what 16 bits hold (rounding)");
  for (const auto& [most, said] :
       {std::pair{"300", "bit-exact, except at counts beyond what 16 bits hold (rounding)"},
        {"256", "bit-exact"}}) {
    compiled(
        fmt::format("(cast{{to=i32}} (reduce_sum{{axes=?a, keepdims=?k}} (cast{{to=bf16}} ?b))) => "
                    "(reduce_sum{{axes=?a, keepdims=?k}} (cast{{to=i32}} ?b)); "
                    "if dtype(?b) == bool, rank(?b) == 3, elements(?b) <= {}",
                    most));
    EXPECT_EQ(arithmetic_of(measure_stability(ctx_, set_.rules[0])), said) << "bfloat16 counts to " << most;
  }
  compiled("(cast{to=i32} (abs (cast{to=f16} ?b))) => (cast{to=i32} ?b); if dtype(?b) == bool");
  EXPECT_EQ(arithmetic_of(measure_stability(ctx_, set_.rules[0])), "bit-exact") << "nothing is counted";
  compiled("(sub (add ?x ?y) ?y) => ?x");  // cancels, but is equal
  EXPECT_EQ(measure_stability(ctx_, set_.rules[0]).difference, "");
}

/// ONNX has no result where a place is out of bounds: neither does the side of a rule that puts it there.
TEST_F(Instances, WhatIsPutOutOfBoundsHasNoValue) {
  const auto kind = [&](const std::string& body) {
    RuleCheckOptions options;
    options.instances = 8;
    compiled(body);
    return check_rule(ctx_, set_.rules[0], options).verdict.kind;
  };
  EXPECT_NE(kind("dtypes f64, i64; (reduce_sum{axes=[0], keepdims=1} (scatter_elements{axis=0, "
                 "reduction=\"add\"} ?x ?i ?u)) => (add (reduce_sum{axes=[0], keepdims=1} ?x) "
                 "(reduce_sum{axes=[0], keepdims=1} ?u)); if rank(?x) == 1"),
            verify::VerdictKind::kRefuted);
  EXPECT_EQ(
      kind("dtypes f64, i64; (where (equal (iota{shape=?s, axis=0, to=i64}) (abs ?i)) ?u ?x) => "
           "(scatter_elements{axis=0, reduction=\"none\"} ?x (abs ?i) ?u); if length(?s) == 1, rank(?x) "
           "== 1, dim(?x, 0) == at(?s, 0), rank(?i) == 1, dim(?i, 0) == 1, rank(?u) == 1, dim(?u, 0) == 1"),
      verify::VerdictKind::kRefuted);
}

/// What conditions ask of a shape that something is spread to.
TEST_F(Instances, AreSpreadToTheSizesThatARuleNames) {
  EXPECT_TRUE(
      is_found(compiled("(relu (broadcast{shape=?t} ?x)) => (broadcast{shape=?t} (relu ?x)); "
                        "if rank(?x) == 0, length(?t) == 3, at(?t, 2) > 4")));
}

}  // namespace
}  // namespace isomer::rewrite
