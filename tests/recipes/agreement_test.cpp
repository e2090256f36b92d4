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
  EXPECT_EQ(coarse_shares_of(graph), (OutputSet{0}));
}

TEST(Shares, NearZeroAgreeUnlessMuchIsDifferent) {
  const auto agrees = [](double error, double largest, bool share, bool coarse = false) {
    runtime::Comparison c;
    c.outputs.resize(1);
    runtime::OutputDifference& o = c.outputs[0];
    o.same_type = o.same_shape = o.nan_agree = o.inf_agree = o.exact_equal = true;
    o.max_abs_error = error;
    o.max_abs_value = largest;
    o.max_relative_error = error / largest;
    const OutputSet first = {0}, none;
    return in_scale(c, share ? first : none, 1e-4, kMuchOfShares, coarse ? first : none)
        .outputs[0]
        .agrees(1e-4);
  };
  EXPECT_TRUE(agrees(1e-8, 1e-7, true));
  EXPECT_FALSE(agrees(1e-8, 1e-7, false));
  EXPECT_FALSE(agrees(6e-8, 1e-7, true)) << "another distribution";
  EXPECT_TRUE(agrees(1.5e-7, 1.5e-7, true, true)) << "the last digits of a sigmoid";
  EXPECT_FALSE(agrees(5e-7, 1e-6, true, true));
  EXPECT_FALSE(agrees(2e-6, 1e-3, true));
  EXPECT_TRUE(agrees(1e-5, 0.5, true));
}

}  // namespace
}  // namespace isomer::recipes
