// What may be applied under `--float finite`: bounds of weights and operators decide, and the constants.
#include "rewrite/float_range.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "ir/constant_data.h"
#include "ir/op_table.h"
#include "ir/print.h"
#include "rewrite/constant_range.h"
#include "rewrite/rule_parser.h"
#include "rewrite/saturate.h"

namespace isomer::rewrite {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

TEST(FloatRange, RoundsOutwardAndMeets) {
  ir::Context ctx(ir::standard_ops());
  const FloatRange r(-3, 0.3, 0.3);
  EXPECT_EQ(rounded(r), FloatRange(-4, 0.5, 0.25));
  EXPECT_EQ(range_at(ctx, intern(ctx, r)), FloatRange(-4, 0.5, 0.25));
  EXPECT_EQ(rounded(FloatRange(0.3, 4)), FloatRange(0.25, 4));
  EXPECT_EQ(rounded(FloatRange(-4, -0.3)), FloatRange(-4, -0.25));
  EXPECT_FALSE(intern(ctx, FloatRange()).valid());
  EXPECT_EQ(meet(FloatRange(-1, kInf), FloatRange(-kInf, 2, 0.5)), FloatRange(-1, 2, 0.5));
}

TEST(FloatRange, OfConstantsSmallAndLarge) {
  ir::Context ctx(ir::standard_ops());
  for (ir::DType dtype : {ir::DType::kF32, ir::DType::kF16, ir::DType::kBF16, ir::DType::kF64})
    for (int64_t count : {3, 65'601}) {
      std::vector<double> values(static_cast<size_t>(count), 0.5);
      const auto range = [&] {
        return range_of(ctx, ctx.get(ir::add_constant(ctx, dtype, {count}, values)));
      };
      values.back() = -3;
      EXPECT_EQ(range(), count == 3 ? FloatRange(-3, 0.5) : FloatRange(-3, 3)) << ir::name(dtype);
      values.front() = -kInf;
      EXPECT_EQ(range().low, -kInf);
      values.front() = std::nan("");
      EXPECT_FALSE(range().bounded()) << ir::name(dtype) << " " << count;
    }
}

/// How often the rule (of the shipped ones, by name) changed the e-graph of `body` under the promise.
uint64_t applied(const std::string& body, const std::string& rule, FloatPromise promise) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph graph = ir::parse_graph(ctx, "graph {\n" + body + "}");
  RuleSet rules;
  for (const char* file : {"algebra", "less_work", "spelling"})
    rules.append(load_rules(ctx.ops(), std::string(ISOMER_SOURCE_DIR "/rules/") + file + ".rules"));
  TensorEGraph program(graph, promise);
  Saturation saturation(program, rules);
  SaturateOptions options;
  options.limits.iterations = 6;
  options.limits.nodes = 5000;
  const SaturateReport report = saturation.run(options);
  EXPECT_EQ(program.graph().check_invariants(), "");
  for (size_t i = 0; i < rules.rules.size(); ++i)
    if (rules.rules[i].name == rule) return report.rules[i].applied;
  ADD_FAILURE() << "no rule " << rule;
  return 0;
}

struct RangeCase {
  const char* rule;
  bool stays;  ///< applied under `finite`; under `fast` it is in any case
  std::string body;
};

std::string scaled_product(const char* dtype, const std::string& factor) {
  const std::string t = std::string(" : ") + dtype + "[4]\n";
  return "%0 = input{name=\"x\"}" + t + "%1 = input{name=\"y\"}" + t + "%2 = constant" + " : " + dtype +
         "[4] {" + factor + ", " + factor + ", " + factor + ", " + factor + "}\n%3 = mul(%0, %2)" + t +
         "%4 = mul(%3, %1)" + t + "return %4\n";
}

std::string divided_twice(const std::string& divisor) {
  const std::string constant = " = constant : f32[2] {" + divisor + ", " + divisor + "}\n";
  return "%0 = input{name=\"x\"} : f32[2]\n%1" + constant +
         "%2 = div(%0, %1) : f32[2]\n%3 = div(%2, %1) : f32[2]\nreturn %3\n";
}

std::string scaled_scores(const char* dtype, const char* factor) {
  const auto t = [&](const char* shape) { return std::string(" : ") + dtype + shape + "\n"; };
  return "%0 = input{name=\"q\"}" + t("[4,8]") + "%1 = input{name=\"k\"}" + t("[8,4]") +
         "%2 = constant : " + dtype + "[] {" + factor + "}\n%3 = matmul(%0, %1)" + t("[4,4]") +
         "%4 = broadcast{shape=[4, 4]}(%2)" + t("[4,4]") + "%5 = mul(%3, %4)" + t("[4,4]") + "return %5\n";
}

std::string power(const char* of, const char* exponent) {
  return std::string("%0 = input{name=\"x\"} : f32[2]\n%1 = ") + of +
         "(%0) : f32[2]\n%2 = constant : f32[2] {" + exponent + ", " + exponent +
         "}\n%3 = pow(%1, %2) : f32[2]\n%4 = reciprocal(%3) : f32[2]\nreturn %4\n";
}

constexpr const char* kRootOfPositive = R"(
  %0 = input{name="x"} : f32[2]
  %1 = abs(%0) : f32[2]
  %2 = constant : f32[2] {1, 1}
  %3 = add(%1, %2) : f32[2]
  %4 = constant : f32[2] {0.5, 0.5}
  %5 = pow(%3, %4) : f32[2]
  return %5
)";

std::string shifted(const char* bound) {
  return std::string("%0 = input{name=\"x\"} : f32[2]\n%1 = constant : f32[2] {-1, -1}\n%2 = ") + bound +
         "(%0, %1) : f32[2]\n%3 = constant : f32[2] {1, 1}\n%4 = add(%2, %3) : f32[2]\n"
         "%5 = constant : f32[2] {3, 3}\n%6 = mul(%4, %5) : f32[2]\n%7 = sqrt(%6) : f32[2]\nreturn %7\n";
}

/// A convolution of `of`(x) with nine equal weights.
std::string filtered(const char* of, const std::string& weight) {
  std::string nine = weight;
  for (int i = 1; i < 9; ++i) nine += ", " + weight;
  return std::string("%0 = input{name=\"x\"} : f32[1,1,6,6]\n%1 = ") + of +
         "(%0) : f32[1,1,6,6]\n%2 = constant : f32[1,1,3,3] {" + nine +
         "}\n%3 = conv{strides=[1,1], dilations=[1,1], pads=[1,1,1,1], group=1}(%1, %2) : f32[1,1,6,6]\n"
         "return %3\n";
}

TEST(FloatRange, DecidesWhatIsApplied) {
  const RangeCase cases[] = {
      // (x 0.01) y at x = y = 300 is finite in f16, x y is not.
      {"mul-constant-outward", false, scaled_product("f16", "0.01")},
      {"mul-constant-outward", true, scaled_product("f16", "0.25")},
      {"mul-constant-outward", true, scaled_product("f32", "0.01")},
      {"mul-constant-outward", false, scaled_product("f32", "1e-20")},
      {"mul-constant-outward", false, scaled_product("bf16", "1e-20")},
      {"mul-constant-outward", false, scaled_product("f32", "1e20")},  // x y may vanish
      {"mul-constant-outward", false, scaled_product("f32", "0")},  // that (x y) 0 is 0 says nothing of x y
      // The product of the reciprocals is infinite, or zero.
      {"mul-constants-meet", false, divided_twice("1e-25")},
      {"mul-constants-meet", false, divided_twice("1e25")},
      {"mul-constants-meet", true, divided_twice("1e-15")},
      {"div-constant", false, divided_twice("1e-39")},
      {"matmul-scalar-into-left", true, scaled_scores("f16", "0.125")},
      {"matmul-scalar-into-left", false, scaled_scores("f16", "100")},
      {"matmul-scalar-into-left", true, scaled_scores("f32", "100")},
      // sqrt(-0) is -0, and its reciprocal the other infinity.
      {"pow-half", false, power("neg", "0.5")},
      {"pow-minus-half", false, power("neg", "-0.5")},
      {"pow-half", true, kRootOfPositive},
      // (max(x, -1) + 1) 3 is not negative; x 3 + 3 may be, by rounding, and then has no square root.
      {"mul-add-distribute", false, shifted("max")},
      {"mul-add-distribute", true, shifted("add")},
      // Differences of elements come between, times weights; and what is not negative may be, by rounding.
      {"winograd-3x3", true, filtered("neg", "0.1")},
      {"winograd-3x3", false, filtered("neg", "1e8")},
      {"winograd-3x3", false, filtered("abs", "0.1")},
  };
  for (const RangeCase& c : cases) {
    EXPECT_GT(applied(c.body, c.rule, FloatPromise::kFast), 0u) << c.rule << "\n" << c.body;
    EXPECT_EQ(applied(c.body, c.rule, FloatPromise::kFinite) > 0, c.stays) << c.rule << "\n" << c.body;
  }
}

}  // namespace
}  // namespace isomer::rewrite
