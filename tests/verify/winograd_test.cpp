// Convolutions by Winograd's algorithm are the convolutions, exactly: over a prime field, at even and odd
// sizes, pads apart on each side, with and without a bias.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "ir/op_table.h"
#include "ir/print.h"
#include "verify/equivalence.h"

namespace isomer {
namespace {

struct Case {
  std::string sizes, pads, out;
};

class Winograd : public testing::TestWithParam<Case> {};

TEST_P(Winograd, IsTheConvolution) {
  const Case& c = GetParam();
  ir::Context ctx(ir::standard_ops());
  const std::string inputs = fmt::format(
      "graph {{\n %x = input{{name=\"x\"}} : f32[{}]\n %w = input{{name=\"w\"}} : f32[4,3,3,3]\n %b = "
      "input{{name=\"b\"}} : f32[4]\n",
      c.sizes);
  for (const std::string bias : {"", ", %b"}) {
    const ir::Graph direct = ir::parse_graph(
        ctx, fmt::format("{}%y = conv{{strides=[1,1], dilations=[1,1], pads=[{}], group=1}}(%x, %w{}) : "
                         "f32[{}]\n return %y }}",
                         inputs, c.pads, bias, c.out));
    const ir::Graph fewer = ir::parse_graph(
        ctx, fmt::format("{}%u = winograd_weights(%w) : f32[64,3,1,1]\n%y = winograd_conv{{pads=[{}]}}(%x, "
                         "%u{}) : f32[{}]\n return %y }}",
                         inputs, c.pads, bias, c.out));
    const verify::Verdict verdict = verify::check_equivalent(direct, fewer);
    EXPECT_TRUE(verdict.equivalent()) << verify::summary(verdict);
    EXPECT_EQ(verdict.kind, verify::VerdictKind::kProved) << verify::summary(verdict);
  }
}

INSTANTIATE_TEST_SUITE_P(At, Winograd,
                         testing::Values(Case{"1,3,6,8", "1,1,1,1", "1,4,6,8"},
                                         Case{"2,3,5,7", "0,0,0,0", "2,4,3,5"},
                                         Case{"1,3,7,4", "2,0,1,1", "1,4,8,3"},
                                         Case{"1,3,3,3", "0,0,0,0", "1,4,1,1"},
                                         Case{"0,3,4,4", "1,1,1,1", "0,4,4,4"}));

TEST(WinogradOperators, SayWhatTheyCannotDo) {
  ir::Context ctx(ir::standard_ops());
  const auto refusal = [&](const std::string& body) {
    try {
      ir::parse_graph(ctx, "graph {" + body + "return %y }");
    } catch (const std::exception& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_NE(refusal("%w = input{name=\"w\"} : f32[4,3,5,5]\n%y = winograd_weights(%w) : f32[64,3,1,1]\n")
                .find("expected kernels of 3 by 3"),
            std::string::npos);
  const std::string u = "%u = input{name=\"u\"} : f32[64,3,1,1]\n";
  EXPECT_NE(refusal(u + "%x = input{name=\"x\"} : f32[1,3,n,8]\n%y = winograd_conv{pads=[1,1,1,1]}(%x, %u) : "
                        "f32[1,4,n,8]\n")
                .find("expected known sizes"),
            std::string::npos);
  EXPECT_NE(refusal(u + "%x = input{name=\"x\"} : f32[1,3,2,8]\n%y = winograd_conv{pads=[0,0,0,0]}(%x, %u) : "
                        "f32[1,4,0,6]\n")
                .find("expected an image that the kernel fits into"),
            std::string::npos);
}

}  // namespace
}  // namespace isomer
