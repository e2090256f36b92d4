// An alternative that no rule says: it comes in, is extracted, explained and checked as those of rules are.
#include "rewrite/alternative.h"

#include <gtest/gtest.h>

#include "cost/ast_size.h"
#include "ir/dag_hash.h"
#include "ir/op_table.h"
#include "ir/print.h"
#include "rewrite/explain_chain.h"
#include "rewrite/rule_parser.h"

namespace isomer::rewrite {
namespace {

class Alternative : public ::testing::Test {
 protected:
  ir::Context ctx_{ir::standard_ops()};
  ir::Graph source_ = ir::parse_graph(ctx_, R"(graph g {
    %0 = input{name="x"} : f64[2,3]
    %1 = input{name="y"} : f64[2,3]
    %2 = add(%0, %1) : f64[2,3]
    %3 = add(%2, %2) : f64[2,3]
    %4 = relu(%3) : f64[2,3] "out"
    return %4
  })");
  RuleSet rules_ =
      parse_rules(ctx_.ops(), "rule relu-twice { origin \"t\"; (relu (relu ?x)) => (relu ?x); }", "t");
  TensorEGraph program_{source_};
  Saturation saturation_{program_, rules_};

  /// (add (add a b) (add a b)) = RIGHT, over variables of f64[2,3].
  StatedSource doubled(const std::string& right_op, ir::TypeId type) {
    const ir::OpId add = ctx_.ops().at("add");
    const ir::PayloadId none = ctx_.intern(std::vector<ir::AttrId>{});
    const std::vector<FragmentNode> leaves{{true, 0, {}, {}}, {true, 1, {}, {}}};
    TensorFacts facts;
    facts.type = type;
    Equation e{"doubled", {"a", "b"}, {facts, facts}, {}, {}};
    e.before.fragment = {{leaves[0], leaves[1], {false, 0, add, {0, 1}}, {false, 0, add, {2, 2}}}, {3}};
    e.before.payloads = {{}, {}, none, none};
    const ir::OpId other = ctx_.ops().at(right_op);
    e.after.fragment = {
        {leaves[0], leaves[1], {false, 0, other, {0, 0}}, {false, 0, other, {1, 1}}, {false, 0, add, {2, 3}}},
        {4}};
    e.after.payloads = {{}, {}, none, none, none};
    return {"halves-apart", "a pass", std::move(e)};
  }
  egraph::ClassId of(uint32_t value) {
    return program_.graph().find(program_.first_class(ir::ValueId(value)));
  }
  ir::TypeId type() { return source_.type_id(ir::ValueId(0)); }
};

TEST_F(Alternative, OfAnotherSourceIsExtractedExplainedAndChecked) {
  const StatedSource pass = doubled("add", type());
  Alternatives& alternatives = saturation_.alternatives();
  const uint32_t number = alternatives.add_source(pass);
  EXPECT_EQ(number, 1u);  // after the rule
  const std::vector<egraph::ClassId> variables{of(0), of(1)}, roots{of(3)};
  EXPECT_EQ(alternatives.insert(number, pass, variables, roots), Applied::kChanged);
  program_.graph().rebuild();
  EXPECT_EQ(alternatives.insert(number, pass, variables, roots), Applied::kNothingNew);
  ASSERT_EQ(alternatives.applications().size(), 1u);

  cost::AstSizeCost model;
  ExtractOptions options;  // without the program's own sum: what the pass says is all there is
  options.allowed = [&](egraph::NodeId n) {
    return alternatives.maker(n) != Alternatives::kNone || program_.graph().class_of(n) != of(3);
  };
  const TensorExtraction result = extract(program_, alternatives, model, options);
  ASSERT_TRUE(result.found);
  EXPECT_NE(ir::dag_hash(result.graph), ir::dag_hash(source_));
  EXPECT_EQ(rules_used(result, saturation_),
            (std::vector<std::pair<std::string, size_t>>{{"halves-apart", 1}}));

  std::string why;
  const auto chain = explain_chain(saturation_, result, why);
  ASSERT_TRUE(chain) << why;
  ASSERT_EQ(chain->steps.size(), 1u);
  const StepText text = describe(saturation_, chain->steps[0]);
  EXPECT_EQ(text.rule, "halves-apart");
  EXPECT_EQ(text.before, "(add (add ?a ?b) (add ?a ?b))");
  EXPECT_EQ(text.after, "(add (add ?a ?a) (add ?b ?b))");
  EXPECT_EQ(text.variables, "a: f64[2,3], b: f64[2,3]");
  EXPECT_EQ(ir::dag_hash(chain->program(1)), ir::dag_hash(result.graph));

  const Application& applied = alternatives.applications()[0];
  const Source& said_by = alternatives.source_of(applied);
  EXPECT_EQ(said_by.family(), "a pass");
  EXPECT_EQ(said_by.rule(), nullptr);
  EXPECT_TRUE(said_by.check(ctx_, applied.instance, {}).equivalent());
}

TEST_F(Alternative, ThatDoesNotHoldIsRefutedByItsSource) {
  const StatedSource wrong = doubled("mul", type());
  Alternatives& alternatives = saturation_.alternatives();
  const uint32_t number = alternatives.add_source(wrong);
  ASSERT_EQ(alternatives.insert(number, wrong, std::vector{of(0), of(1)}, std::vector{of(3)}),
            Applied::kChanged);
  EXPECT_EQ(wrong.check(ctx_, alternatives.applications()[0].instance, {}).kind,
            verify::VerdictKind::kRefuted);
}

TEST_F(Alternative, OfOtherTypesIsRefused) {
  const ir::TypeId other = ctx_.intern(ir::Type::tensor(ir::DType::kF64, ir::static_shape({3, 2})));
  const StatedSource pass = doubled("add", other);
  Alternatives& alternatives = saturation_.alternatives();
  const uint32_t number = alternatives.add_source(pass);
  const size_t before = program_.graph().slots();
  EXPECT_EQ(alternatives.insert(number, pass, std::vector{of(0), of(1)}, std::vector{of(3)}),
            Applied::kIllTyped);
  EXPECT_EQ(program_.graph().slots(), before);
}

}  // namespace
}  // namespace isomer::rewrite
