// Kernels run by their schedules: the same numbers as by their definitions, and as what they are meant to be.
#include "eval/scheduled_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "eval/field.h"
#include "eval/kernel_texts.h"
#include "eval/run_text.h"

namespace isomer::eval_test {
namespace {

class ScheduledRuns : public testing::Test {
 protected:
  ir::Context ctx{ir::standard_ops()};

  static double difference(const Tensor<double>& a, const Tensor<double>& b) {
    if (a.sizes != b.sizes) return HUGE_VAL;
    double worst = 0;
    for (size_t i = 0; i < a.numbers.size(); ++i)
      worst = std::max(worst, std::abs(a.numbers[i] - b.numbers[i]));
    return worst;
  }

  template <class D>
  static eval::EvalOptions<D> by_schedule() {
    eval::EvalOptions<D> options;
    options.by_schedule = true;
    return options;
  }

  /// By definition; held to the run by schedule, in double precision and over the field.
  Ran both_ways(const std::string& text) {
    const Ran ran = run_text(ctx, text);
    const ir::Graph graph = ir::parse_graph(ctx, text);
    std::vector<Value<double>> in;
    for (const Tensor<double>& t : ran.inputs) in.push_back(eval::make_value(t));
    eval::Float64 floats;
    const auto out = eval::evaluate<eval::Float64>(floats, graph, in, by_schedule<eval::Float64>());
    for (size_t i = 0; i < out.size(); ++i) EXPECT_LT(difference(*out[i].tensor, ran.outputs[i]), 1e-12);

    std::vector<Value<eval::FieldValue>> elements;
    Rng rng(2);
    for (const Tensor<double>& t : ran.inputs) {
      Tensor<eval::FieldValue> e{t.dtype, t.sizes, {}, {}};
      for (size_t i = 0; i < t.numbers.size(); ++i)
        e.numbers.push_back(eval::PrimeField::from_hash(rng.next()));
      elements.push_back(eval::make_value(std::move(e)));
    }
    eval::PrimeField field(1);
    const auto plain = eval::evaluate<eval::PrimeField>(field, graph, elements);
    const auto looped =
        eval::evaluate<eval::PrimeField>(field, graph, elements, by_schedule<eval::PrimeField>());
    for (size_t i = 0; i < plain.size(); ++i)
      for (size_t n = 0; n < plain[i].tensor->numbers.size(); ++n)
        EXPECT_EQ(plain[i].tensor->numbers[n].p, looped[i].tensor->numbers[n].p);
    return ran;
  }
};

TEST_F(ScheduledRuns, AProductInPartsIsTheProduct) {
  const Ran r = both_ways(R"(graph {
    %x = input{name="x"} : f32[4,6]
    %w = input{name="w"} : f32[6,8]
    %k = kernel{body={
      %a = input{name="a"} : f32[2,2]
      %b = input{name="b"} : f32[2,2]
      %m = matmul(%a, %b) : f32[2,2]
      %s = accum.add(%m) : f32[2,2]
      return %s
    }, grid=[4,2,1], loops=[3], imap=[-1,0,-1,1,-1,-1], fmap=[1,0], omap=[1,0,-1]}(%x, %w) : f32[4,8]
    %p = matmul(%x, %w) : f32[4,8]
    return %k, %p })");
  EXPECT_LT(difference(r.outputs[0], r.outputs[1]), 1e-12);
}

// Sums of exp(x - largest x) and of those times y over two loops, as online softmax keeps them.
TEST_F(ScheduledRuns, RescaledSumsAreThoseOfTheWholeRow) {
  const Ran r = both_ways(R"(graph {
    %x = input{name="x"} : f32[4,12]
    %k = kernel{body={
      %a = input{name="a"} : f32[2,2]
      %m = accum.running_max(%a) : f32[2,1]
      %b = broadcast{shape=[2,2]}(%m) : f32[2,2]
      %d = sub(%a, %b) : f32[2,2]
      %e = exp(%d) : f32[2,2]
      %s = accum.sum_rescale(%e, %m) : f32[2,1]
      %t = accum.concat{axis=1, iterations=6}(%e) : f32[2,12]
      return %s, %t
    }, grid=[2,1,1], loops=[3,2], imap=[0,-1,-1], fmap=[1,1], omap=[0,-1,-1,0,-1,-1]}(%x)
      : (f32[4,1], f32[4,12])
    %s = get{index=0}(%k) : f32[4,1]
    %t = get{index=1}(%k) : f32[4,12]
    return %s, %t })");
  for (size_t row = 0; row < 4; ++row) {
    const double* x = &r.inputs[0].numbers[12 * row];
    const double most = *std::max_element(x, x + 12);
    double sum = 0;
    for (size_t c = 0; c < 12; ++c) sum += std::exp(x[c] - most);
    EXPECT_NEAR(r.outputs[0].numbers[row], sum, 1e-12);
  }
}

TEST_F(ScheduledRuns, ThreadsOfABlock) {
  const Ran r = both_ways(kThreadsOfABlock);
  for (size_t row = 0; row < 4; ++row) {
    double mean = 0;
    for (size_t c = 0; c < 6; ++c) mean += std::pow(r.inputs[0].numbers[6 * row + c], 2) / 6;
    EXPECT_NEAR(r.outputs[0].numbers[row], mean, 1e-12);
    EXPECT_NEAR(r.outputs[1].numbers[row], std::sqrt(mean), 1e-12);
  }
}

}  // namespace
}  // namespace isomer::eval_test
