// What is made of a module's timings against itself; a worker in XLA's place says always the same.
#include "recipes/hlo_noise.h"

#include <cmath>

#include "hlo/parse.h"
#include "runtime/fake_xla.h"
#include "support/errors.h"
#include "support/rng.h"

namespace isomer::recipes {
namespace {

using HloNoiseTest = runtime::FakeXla;

TEST(NoiseSummary, BoundsAreQuantiles) {
  std::vector<double> ratios;
  for (int i = 0; i <= 10'000; ++i) ratios.push_back(0.9 + i * 2e-5);
  const NoiseSummary s = noise_of(ratios);
  EXPECT_TRUE(s.observed);
  EXPECT_NEAR(s.low, 0.9 + 0.2 * 0.0005, 1e-9);
  EXPECT_NEAR(s.high, 0.9 + 0.2 * 0.9995, 1e-9);
  EXPECT_NEAR(s.median, 1, 1e-9);
  EXPECT_NEAR(s.p1, 0.902, 1e-9);
  EXPECT_NEAR(s.p99, 1.098, 1e-9);
  EXPECT_GT(s.covered, 0.999);
}

TEST(NoiseSummary, FewRatiosHaveTheirExtremes) {
  const NoiseSummary s = noise_of({1.1, 0.8, 1});
  EXPECT_FALSE(s.observed);
  EXPECT_EQ(s.low, 0.8);
  EXPECT_EQ(s.high, 1.1);
  // 93 values are the least of which 95 % of all lie between the extremes, with 95 % confidence (Wilks).
  EXPECT_GE(noise_of(std::vector<double>(93, 1.0)).covered, 0.95);
  EXPECT_LT(noise_of(std::vector<double>(92, 1.0)).covered, 0.95);
  EXPECT_EQ(noise_of({1.0}).covered, 0);
}

TEST(NoiseSummary, NormalBoundsFollowTheSpread) {
  Rng rng(1);
  std::vector<double> ratios;
  for (int i = 0; i < 20'000; ++i) {
    double sum = 0;  // of twelve uniform ones: variance 1
    for (int k = 0; k < 12; ++k) sum += rng.uniform();
    ratios.push_back(std::exp(0.02 * (sum - 6)));
  }
  const NoiseSummary s = noise_of(ratios);
  EXPECT_NEAR(std::log(s.normal_low), -0.0658, 0.002);
  EXPECT_NEAR(std::log(s.normal_high), 0.0658, 0.002);
}

TEST_F(HloNoiseTest, EqualTimesAreRatiosOfOne) {
  const hlo::Module module = hlo::parse(
      "HloModule m\n\nENTRY main {\n  x = f32[3] parameter(0)\n  ROOT r = f32[3] tanh(x)\n}\n", "test");
  HloNoiseOptions options;
  options.ratios = 25;
  options.loads = 4;
  const HloNoise noise = hlo_noise(module, options);
  EXPECT_EQ(noise.ratios, std::vector<double>(25, 1.0));
  EXPECT_DOUBLE_EQ(noise.runtime_us, 2);
  options.ratios = 2;  // less than one for each load
  EXPECT_EQ(hlo_noise(module, options).ratios.size(), 2U);
}

TEST_F(HloNoiseTest, WhatXlaRefusesIsSaid) {
  const hlo::Module module =
      hlo::parse("HloModule m\n\nENTRY main {\n  ROOT refuse = f32[3] parameter(0)\n}\n", "test");
  EXPECT_THROW((void)hlo_noise(module, {}), InputError);
}

}  // namespace
}  // namespace isomer::recipes
