#include "cost/hlo_analysis.h"

#include <gtest/gtest.h>

#include <numeric>

#include "hlo/parse.h"

namespace isomer::cost {
namespace {

constexpr const char* kUnfused = R"(HloModule m

ENTRY e {
  a = f32[1024]{0} parameter(0)
  x = f32[1024]{0} exponential(a)
  y = f32[1024]{0} add(x, a)
  ROOT r = f32[1024]{0} negate(y)
}
)";

constexpr const char* kFused = R"(HloModule m

f {
  p = f32[1024]{0} parameter(0)
  x = f32[1024]{0} exponential(p)
  y = f32[1024]{0} add(x, p)
  ROOT r = f32[1024]{0} negate(y)
}

ENTRY e {
  a = f32[1024]{0} parameter(0)
  ROOT r.1 = f32[1024]{0} fusion(a), kind=kLoop, calls=f
}
)";

HloCounts counts_of(const char* text) { return hlo_counts(hlo::parse(text, "m.hlo")); }

TEST(HloAnalysis, CountsByHand) {
  const HloCounts plain = counts_of(kUnfused);
  EXPECT_EQ(plain.flops, 2048);
  EXPECT_EQ(plain.transcendentals, 1024);
  EXPECT_EQ(plain.bytes, 7 * 4096);
  const HloCounts fused = counts_of(kFused);
  EXPECT_EQ(fused.flops, 2048);
  EXPECT_EQ(fused.transcendentals, 1024);
  EXPECT_EQ(fused.bytes, 2 * 4096);
}

TEST(HloAnalysis, ConvolutionsCountWhatMeetsTheInput) {
  // 5 places of 3 elements of the kernel, of which the outer two meet padding once; 2 channels in, 4 out.
  const HloCounts counts = counts_of(R"(HloModule m

ENTRY e {
  a = f32[1,5,2]{2,1,0} parameter(0)
  k = f32[3,2,4]{2,1,0} parameter(1)
  ROOT r = f32[1,5,4]{2,1,0} convolution(a, k), window={size=3 pad=1_1}, dim_labels=b0f_0io->b0f
}
)");
  EXPECT_EQ(counts.flops, 2 * 13 * 2 * 4);
}

TEST(HloAnalysis, TheRooflineIsTheLongerOfBothAndALaunchEach) {
  machine::DeviceProfile device;
  device.flops_per_second = 1e9;
  device.bytes_per_second = 1e9;
  device.overhead_ms = 0.001;
  // An exponential is ten operations: 10240 beside 8192 bytes; the others move 12288 and 8192 bytes.
  EXPECT_NEAR(hlo_roofline_seconds(hlo::parse(kUnfused, "m.hlo"), device),
              (10240 + 12288 + 8192) * 1e-9 + 3e-6, 1e-12);
  EXPECT_NEAR(hlo_roofline_seconds(hlo::parse(kFused, "m.hlo"), device), 12288 * 1e-9 + 1e-6, 1e-12);
  const std::vector<double> each = hlo_roofline_seconds_of_each(hlo::parse(kUnfused, "m.hlo"), device);
  EXPECT_NEAR(std::accumulate(each.begin(), each.end(), 0.0), (10240 + 12288 + 8192) * 1e-9 + 3e-6, 1e-12);
}

}  // namespace
}  // namespace isomer::cost
