// Functions that are generated, not called: their error in units in the last place, over numbers of all sizes
// and over specials.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "codegen/lower.h"
#include "codegen/schedule.h"
#include "ir/op_table.h"
#include "ir/print.h"
#include "native/program.h"

namespace isomer::native {
namespace {

constexpr int64_t kCount = 1 << 16;

/// A number of each pattern of the upper 16 bits.
std::vector<float> all_sizes(uint32_t low) {
  std::vector<float> out;
  for (uint32_t i = 0; i < kCount; ++i) out.push_back(std::bit_cast<float>(i << 16 | low));
  return out;
}

std::vector<float> applied(const std::string& op, const std::vector<float>& x) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph graph = ir::parse_graph(
      ctx, "graph { %x = input{name=\"x\"} : f32[65536]\n %y = " + op + "(%x) : f32[65536]\n return %y }");
  codegen::ScheduleOptions options;
  options.lanes = 8;
  Program compiled(codegen::schedule(codegen::lower(graph), options), ctx);
  std::vector<float> y(x.size());
  const void* in[] = {x.data()};
  void* out[] = {y.data()};
  compiled.run(in, out);
  return y;
}

/// Of what is in the range of normal and subnormal numbers.
double units_apart(float is, double should) {
  const auto rounded = static_cast<float>(should);
  if (is == rounded || (std::isnan(is) && std::isnan(should))) return 0;
  if (!std::isfinite(is) || !std::isfinite(rounded)) return std::numeric_limits<double>::infinity();
  const float next = std::nextafter(std::abs(rounded), std::numeric_limits<float>::infinity());
  return std::abs(is - should) / (static_cast<double>(next) - std::abs(rounded));
}

TEST(Functions, ExponentialIsWithinTwoUnits) {
  if (const std::string why = why_no_compiler(); !why.empty()) GTEST_SKIP() << why;
  for (const uint32_t low : {0U, 0x8000U, 0x1234U, 0xFFFFU}) {
    const std::vector<float> x = all_sizes(low), y = applied("exp", x);
    double worst = 0;
    float where = 0;
    for (size_t i = 0; i < x.size(); ++i)
      if (const double apart = units_apart(y[i], std::exp(static_cast<double>(x[i]))); !(apart <= worst)) {
        worst = apart;
        where = x[i];
      }
    EXPECT_LE(worst, 2) << "at " << where;
  }
}

}  // namespace
}  // namespace isomer::native
