// What float16 makes of programs that are equal in exact arithmetic.
#include "verify/rounded.h"

#include <gtest/gtest.h>

#include "ir/op_table.h"
#include "ir/print.h"

namespace isomer::verify {
namespace {

std::string difference(const std::string& a, const std::string& b, const std::string& type = "f16") {
  ir::Context ctx(ir::standard_ops());
  const auto graph = [&](const std::string& body) {
    std::string text =
        "graph { %x = input{name=\"x\"} : T[2] %k = input{name=\"k\"} : T[2] " + body + " return %y }";
    for (size_t at = text.find("T["); at != std::string::npos; at = text.find("T[", at))
      text.replace(at, 1, type);
    return ir::parse_graph(ctx, text);
  };
  return difference_when_rounded(graph(a), graph(b));
}

const char* const kOutward = "%a = mul(%x, %x) : T[2] %y = mul(%a, %k) : T[2]";
const char* const kInward = "%a = mul(%x, %k) : T[2] %y = mul(%a, %x) : T[2]";

TEST(Rounded, AnOrderThatOverflows) {
  EXPECT_FALSE(difference(kInward, kOutward).empty());
  EXPECT_EQ(difference(kInward, kInward), "");
}

TEST(Rounded, WiderTypesAreNotLookedAt) { EXPECT_EQ(difference(kInward, kOutward, "f32"), ""); }

TEST(Rounded, RoundingAloneIsNoDifference) {
  EXPECT_EQ(difference("%a = add(%x, %k) : T[2] %y = add(%a, %x) : T[2]",
                       "%a = add(%x, %x) : T[2] %y = add(%a, %k) : T[2]"),
            "");
}

}  // namespace
}  // namespace isomer::verify
