// Outputs that hold shares, and how closely they are compared.
#include "recipes/agreement.h"

#include <gtest/gtest.h>

#include "ir/op_table.h"
#include "ir/print.h"

namespace isomer::recipes {
namespace {

TEST(Shares, AreWhatSigmoidAndSoftmaxMakeAndWhatIsMovedOfIt) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph graph = ir::parse_graph(ctx, R"(graph {
    %x = input{name="x"} : f32[2,3]
    %a = sigmoid(%x) : f32[2,3]
    %b = softmax{axis=1}(%x) : f32[2,3]
    %c = transpose{perm=[1,0]}(%b) : f32[3,2]
    %d = relu(%x) : f32[2,3]
    %e = add(%a, %d) : f32[2,3]
    return %a, %b, %c, %d, %e })");
  EXPECT_EQ(shares_of(graph), (OutputSet{0, 1, 2}));
}

TEST(Shares, NearZeroAgreeUnlessMuchIsDifferent) {
  const auto agrees = [](double error, double largest, bool share) {
    runtime::Comparison c;
    c.outputs.resize(1);
    runtime::OutputDifference& o = c.outputs[0];
    o.same_type = o.same_shape = o.nan_agree = o.inf_agree = o.exact_equal = true;
    o.max_abs_error = error;
    o.max_abs_value = largest;
    o.max_relative_error = error / largest;
    return in_scale(c, share ? OutputSet{0} : OutputSet{}, 1e-4).outputs[0].agrees(1e-4);
  };
  EXPECT_TRUE(agrees(1e-8, 1e-7, true));
  EXPECT_FALSE(agrees(1e-8, 1e-7, false));
  EXPECT_FALSE(agrees(6e-8, 1e-7, true)) << "another distribution";
  EXPECT_FALSE(agrees(2e-6, 1e-3, true));
  EXPECT_TRUE(agrees(1e-5, 0.5, true));
}

formats::OnnxNodes with_sigmoid(const std::string& of, bool logits_are_an_output) {
  formats::OnnxNodes out;
  out.nodes.resize(2);
  out.nodes[0].op = "MatMul", out.nodes[0].inputs = {"x", "w"}, out.nodes[0].outputs = {of};
  out.nodes[1].op = "Sigmoid", out.nodes[1].inputs = {of}, out.nodes[1].outputs = {"y"};
  out.outputs = {"y"};
  if (logits_are_an_output) out.outputs.push_back(of);
  return out;
}

TEST(Sigmoids, AreKnownByInnerOperandsOfBothModels) {
  const auto found = operands_of_sigmoids(with_sigmoid("a", false), with_sigmoid("b", false));
  EXPECT_EQ(found, (std::map<size_t, std::pair<std::string, std::string>>{{0, {"a", "b"}}}));
  EXPECT_TRUE(operands_of_sigmoids(with_sigmoid("a", true), with_sigmoid("b", false)).empty());
}

runtime::OutputDifference difference(double error, double largest) {
  runtime::OutputDifference o;
  o.same_type = o.same_shape = o.nan_agree = o.inf_agree = o.exact_equal = o.is_float = true;
  o.max_abs_error = error;
  o.max_abs_value = largest;
  o.max_relative_error = error / largest;
  return o;
}

TEST(Sigmoids, NearZeroAgreeWhereTheirOperandsDo) {
  const auto agrees = [](double error, double largest, double error_before) {
    runtime::Comparison seen, within;
    seen.outputs = {difference(error, largest)};
    const std::vector<size_t> asked = apart_by_digits(seen, 1e-4);
    within.outputs = {seen.outputs[0], difference(error_before, 16)};
    return (asked.empty() ? seen : by_operands(seen, asked, within, 1e-4)).agrees(1e-4);
  };
  EXPECT_TRUE(agrees(1.2e-7, 1.2e-7, 1e-5)) << "the last digits";
  EXPECT_FALSE(agrees(1.2e-7, 1.2e-7, 1)) << "other logits, of which a sigmoid near 0 shows nothing";
  EXPECT_FALSE(agrees(5e-7, 1e-6, 1e-5)) << "more than digits";
  EXPECT_FALSE(agrees(1e-3, 1, 1e-5));
}

}  // namespace
}  // namespace isomer::recipes
