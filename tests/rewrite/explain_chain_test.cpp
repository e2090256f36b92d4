// Chains of rewrites are replayed: each program on the way is evaluated by the interpreter on the same
// inputs, the first one is the source, the last one what was extracted, and both sides of each step's rule
// agree.
#include "rewrite/explain_chain.h"

#include <gtest/gtest.h>

#include <cmath>

#include "cost/ast_size.h"
#include "eval/float_domain.h"
#include "eval/interpreter.h"
#include "ir/dag_hash.h"
#include "ir/op_table.h"
#include "ir/print.h"
#include "rewrite/rule_check.h"
#include "rewrite/rule_parser.h"
#include "support/hash.h"
#include "support/rng.h"

namespace isomer::rewrite {
namespace {

using Values = std::vector<eval::Value<double>>;

std::vector<double> run(const ir::Graph& graph) {
  Rng rng(7);
  Values inputs;
  for (ir::ValueId v : graph.inputs()) {
    eval::Tensor<double> t{graph.type(v).dtype, ir::sizes(graph.type(v).shape), {}, {}};
    for (int64_t i = 0; i < t.count(); ++i) t.numbers.push_back(rng.uniform() * 2 - 1);
    inputs.push_back(eval::make_value(std::move(t)));
  }
  eval::Float64 domain;
  std::vector<double> out;
  for (const auto& value : eval::evaluate(domain, graph, std::span<const eval::Value<double>>(inputs)))
    out.insert(out.end(), value.tensor->numbers.begin(), value.tensor->numbers.end());
  return out;
}

void expect_equal(const std::vector<double>& a, const std::vector<double>& b, const std::string& where) {
  ASSERT_EQ(a.size(), b.size()) << where;
  for (size_t i = 0; i < a.size(); ++i)
    ASSERT_NEAR(a[i], b[i], 1e-9 * std::max(1.0, std::abs(a[i]))) << where << ", element " << i;
}

/// Prices by a hash, so that each seed wants another program.
class HashedCost final : public cost::CostModel {
 public:
  explicit HashedCost(uint64_t seed) : seed_(seed) {}
  std::string name() const override { return "hashed"; }
  double cost(const cost::NodeCostQuery& q) override {
    uint64_t h = hash_combine(seed_, hash_string(q.op.op.name));
    for (ir::TypeId t : q.op.inputs) h = hash_combine(h, t.v);
    return 1 + static_cast<double>(h % 1000) / 250;
  }

 private:
  uint64_t seed_;
};

struct ChainCase {
  ir::Context ctx{ir::standard_ops()};
  ir::Graph source;
  RuleSet rules;
  TensorEGraph program;
  Saturation saturation;

  ChainCase(const std::string& graph, const std::string& rule_text)
      : source(ir::parse_graph(ctx, graph)),
        rules(parse_rules(ctx.ops(), rule_text, "test")),
        program(source),
        saturation(program, rules) {
    SaturateOptions options;
    options.limits.iterations = 4;
    options.limits.nodes = 2000;
    saturation.run(options);
  }

  /// Extracts, explains, replays.
  RewriteChain chain(cost::CostModel& model, extract::Extractor extractor = extract::Extractor::kDagGreedy) {
    ExtractOptions options;
    options.extractor = extractor;
    options.prices.weights_free = false;
    const TensorExtraction result = extract(program, saturation.alternatives(), model, options);
    std::string why;
    auto found = explain_chain(saturation, result, why);
    EXPECT_TRUE(found.has_value()) << why;
    if (!found) return {};
    EXPECT_TRUE(found->minimal);
    EXPECT_EQ(ir::dag_hash(found->program(0)), ir::dag_hash(ir::prune(source)));
    EXPECT_EQ(ir::dag_hash(found->program(found->steps.size())), ir::dag_hash(result.graph));
    const std::vector<double> expected = run(source);
    for (size_t k = 0; k <= found->steps.size(); ++k)
      expect_equal(expected, run(found->program(k)), "after step " + std::to_string(k));
    for (const ChainStep& step : found->steps) {
      const Application& application = saturation.alternatives().applications()[step.instance];
      const Source& source = saturation.alternatives().source_of(application);
      const auto [left, right] = as_programs(ctx, source.equation(ctx, application.instance));
      expect_equal(run(left), run(right), source.name());
      EXPECT_FALSE(step.places.empty());
    }
    return *found;
  }
};

constexpr const char* kIdentities = R"(
rule mul-one { origin "t"; (mul ?x ?a) => ?x; if splat(?a) == 1; }
rule add-commutes { origin "t"; (add ?x ?y) => (add ?y ?x); }
rule relu-twice { origin "t"; (relu (relu ?x)) => (relu ?x); }
)";

TEST(ExplainChain, AUnionWithoutNewNodesIsAStep) {
  ChainCase c(R"(graph g {
    %0 = input{name="x"} : f64[2,3]
    %1 = constant : f64[] {1}
    %2 = broadcast{shape=[2,3]}(%1) : f64[2,3]
    %3 = mul(%0, %2) : f64[2,3] "scaled"
    %4 = relu(%3) : f64[2,3] "out"
    return %4
  })",
              kIdentities);
  cost::AstSizeCost model;
  const RewriteChain chain = c.chain(model);
  ASSERT_EQ(chain.steps.size(), 1u);
  EXPECT_FALSE(chain.steps[0].backward);
  EXPECT_EQ(chain.steps[0].places[0].where, "scaled");
  const StepText text = describe(c.saturation, chain.steps[0]);
  EXPECT_EQ(text.rule, "mul-one");
  EXPECT_EQ(text.before, "(mul ?x ?a)");
  EXPECT_EQ(text.after, "?x");
}

TEST(ExplainChain, ASharedValueIsRewrittenInOneStep) {
  ChainCase c(R"(graph g {
    %0 = input{name="x"} : f64[2,3]
    %1 = relu(%0) : f64[2,3]
    %2 = relu(%1) : f64[2,3]
    %3 = exp(%2) : f64[2,3]
    %4 = tanh(%2) : f64[2,3]
    %5 = mul(%3, %4) : f64[2,3]
    return %5, %2
  })",
              kIdentities);
  cost::AstSizeCost model;
  EXPECT_EQ(c.chain(model).steps.size(), 1u);
}

TEST(ExplainChain, NothingChangedIsAnEmptyChain) {
  ChainCase c(R"(graph g {
    %0 = input{name="x"} : f64[2,3]
    %1 = exp(%0) : f64[2,3]
    return %1
  })",
              kIdentities);
  cost::AstSizeCost model;
  const RewriteChain chain = c.chain(model);
  EXPECT_TRUE(chain.steps.empty());
  EXPECT_TRUE(chain.instances.empty());
}

TEST(ExplainChain, StepsThatDoNotMatterAreLeftOut) {
  // Commuting first is possible, and in the e-graph, but the result does not need it.
  ChainCase c(R"(graph g {
    %0 = input{name="x"} : f64[2,3]
    %1 = input{name="y"} : f64[2,3]
    %2 = add(%0, %1) : f64[2,3]
    %3 = relu(%2) : f64[2,3]
    %4 = relu(%3) : f64[2,3]
    %5 = relu(%4) : f64[2,3]
    return %5
  })",
              kIdentities);
  cost::AstSizeCost model;
  const RewriteChain chain = c.chain(model);
  for (const ChainStep& step : chain.steps) EXPECT_EQ(describe(c.saturation, step).rule, "relu-twice");
  EXPECT_LE(chain.steps.size(), 2u);
}

TEST(ExplainChain, MultiPatternsAreOneStep) {
  ChainCase c(R"(graph g {
    %0 = input{name="x"} : f64[2,3]
    %1 = input{name="a"} : f64[3,4]
    %2 = input{name="b"} : f64[3,4]
    %3 = matmul(%0, %1) : f64[2,4]
    %4 = matmul(%0, %2) : f64[2,4]
    return %3, %4
  })",
              R"(rule merge { origin "t";
      (matmul ?x ?a) => (get{index=0} (split{axis=1, sizes=[dim(root1, 1), dim(root2, 1)]}
                          (matmul ?x (concat{axis=1} ?a ?b))));
      (matmul ?x ?b) => (get{index=1} (split{axis=1, sizes=[dim(root1, 1), dim(root2, 1)]}
                          (matmul ?x (concat{axis=1} ?a ?b)))); })");
  class FewProducts final : public cost::CostModel {
   public:
    std::string name() const override { return "few products"; }
    double cost(const cost::NodeCostQuery& q) override { return q.op.op.name == "matmul" ? 100 : 1; }
  } model;
  const RewriteChain chain = c.chain(model, extract::Extractor::kAuto);
  ASSERT_EQ(chain.steps.size(), 1u);
  EXPECT_EQ(chain.steps[0].places.size(), 2u);
}

constexpr const char* kArithmetic = R"(
rule add-commutes { origin "t"; (add ?x ?y) => (add ?y ?x); }
rule mul-commutes { origin "t"; (mul ?x ?y) => (mul ?y ?x); }
rule add-associates { origin "t"; (add (add ?x ?y) ?z) => (add ?x (add ?y ?z)); }
rule mul-associates { origin "t"; (mul (mul ?x ?y) ?z) => (mul ?x (mul ?y ?z)); }
rule distribute { origin "t"; (mul ?x (add ?y ?z)) => (add (mul ?x ?y) (mul ?x ?z)); }
rule factor { origin "t"; (add (mul ?x ?y) (mul ?x ?z)) => (mul ?x (add ?y ?z)); }
rule negate-twice { origin "t"; (neg (neg ?x)) => ?x; }
rule negate-sum { origin "t"; (neg (add ?x ?y)) => (add (neg ?x) (neg ?y)); }
rule subtract { origin "t"; (sub ?x ?y) => (add ?x (neg ?y)); }
)";

TEST(ExplainChain, RandomProgramsAndPricesAreExplained) {
  size_t steps = 0, backward = 0;
  for (uint64_t seed = 1; seed <= 80; ++seed) {
    Rng rng(seed);
    std::string text =
        "graph g {\n%0 = input{name=\"x\"} : f64[2]\n%1 = input{name=\"y\"} : f64[2]\n"
        "%2 = input{name=\"z\"} : f64[2]\n";
    constexpr size_t kNodes = 9;
    for (size_t i = 3; i < 3 + kNodes; ++i) {
      const char* binary[] = {"add", "mul", "sub"};
      const uint64_t kind = rng.below(4), a = rng.below(i), b = rng.below(i);
      text += kind == 3 ? "%" + std::to_string(i) + " = neg(%" + std::to_string(a) + ") : f64[2]\n"
                        : "%" + std::to_string(i) + " = " + binary[kind] + "(%" + std::to_string(a) + ", %" +
                              std::to_string(b) + ") : f64[2]\n";
    }
    text += "return %10, %11\n}";
    ChainCase c(text, kArithmetic);
    HashedCost model(seed);
    const RewriteChain chain = c.chain(model);
    steps += chain.steps.size();
    for (const ChainStep& step : chain.steps) backward += step.backward;
    if (HasFatalFailure()) FAIL() << "seed " << seed << "\n" << text;
  }
  // Otherwise the programs were too easy to show anything.
  EXPECT_GT(steps, 50u);
  EXPECT_GT(backward, 0u);
}

}  // namespace
}  // namespace isomer::rewrite
