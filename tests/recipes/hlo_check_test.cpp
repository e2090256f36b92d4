// Modules that were made of another, held to it: the same in other instructions, another function, and one
// that the IR cannot say.
#include "recipes/hlo_check.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "hlo/parse.h"
#include "support/errors.h"

namespace isomer::recipes {
namespace {

constexpr double kSeconds = 10;

/// Of x and y of eight numbers; the result is r.
hlo::Module computing(const std::string& body) {
  return hlo::parse(
      fmt::format(
          "HloModule m\n\nENTRY main {{\n  x = f32[8] parameter(0)\n  y = f32[8] parameter(1)\n  {}\n}}\n",
          body),
      "test");
}

const char* const kSum = "ROOT r = f32[8] add(x, y)";

TEST(HloCheck, SaysWhatIsTheSame) {
  const FoundCheck same = check_module(
      computing(kSum), computing("a = f32[8] negate(x)\n  ROOT r = f32[8] subtract(y, a)"), kSeconds);
  EXPECT_TRUE(same.holds());
  EXPECT_TRUE(same.words().starts_with("field; floats")) << same.words();
  EXPECT_NO_THROW(require_right(same, "what algsimp makes of the module"));
  EXPECT_EQ(check_module(computing(kSum), computing(kSum), kSeconds).words(), "the same program");
}

TEST(HloCheck, AnotherFunctionIsNoResult) {
  const FoundCheck other =
      check_module(computing(kSum), computing("ROOT r = f32[8] subtract(x, y)"), kSeconds);
  EXPECT_TRUE(other.is_wrong());
  EXPECT_TRUE(other.words().starts_with("DIFFERS: ")) << other.words();
  EXPECT_THROW(require_right(other, "what algsimp makes of the module"), VerificationError);
  // A sum of two numbers where the first is above the second: one row of a choice.
  const char* const chosen =
      "c = pred[8] compare(x, y), direction=GT\n  s = f32[8] add(x, y)\n  ROOT r = f32[8] select(c, s, {})";
  EXPECT_TRUE(check_module(computing(fmt::format(fmt::runtime(chosen), "x")),
                           computing(fmt::format(fmt::runtime(chosen), "y")), kSeconds)
                  .is_wrong());
}

// Constant folding has the bits that float32 gives: 1 - 1e-9 is 1.
TEST(HloCheck, WhatFoldingRoundsIsNoOtherProgram) {
  const hlo::Module start = computing(
      "one = f32[] constant(1)\n  eps = f32[] constant(1e-9)\n  a = f32[] subtract(one, eps)\n"
      "  b = f32[] subtract(one, a)\n  s = f32[8] broadcast(b), dimensions={}\n"
      "  ROOT r = f32[8] multiply(x, s)");
  const auto folded_to = [&](int number) {
    return check_module(start,
                        computing(fmt::format("b = f32[] constant({})\n  s = f32[8] broadcast(b), "
                                              "dimensions={{}}\n  ROOT r = f32[8] multiply(x, s)",
                                              number)),
                        kSeconds);
  };
  const FoundCheck right = folded_to(0);
  EXPECT_FALSE(right.is_wrong());
  EXPECT_TRUE(right.words().starts_with("DIFFERS unless rounded: ")) << right.words();
  EXPECT_TRUE(folded_to(1).is_wrong());
}

// (3 x + 4 x) / 7 - x is nothing but rounding, and so is (3 x + 4 x) * 0.14285715 - x: the seventh that
// float32 has is another number.
TEST(HloCheck, WhatCancelsIsHeldToWhatRoundingLeavesOfIt) {
  const auto less_itself = [](const char* number, const char* opcode) {
    std::string body;
    for (const auto& [name, value] : {std::pair{"three", "3"}, {"four", "4"}, {"last", number}})
      body += fmt::format("{0}.s = f32[] constant({1})\n  {0} = f32[8] broadcast({0}.s), dimensions={{}}\n  ",
                          name, value);
    return computing(body +
                     "a = f32[8] multiply(x, three)\n  b = f32[8] multiply(x, four)\n"
                     "  t = f32[8] add(a, b)\n  d = f32[8] " +
                     opcode + "(t, last)\n  ROOT r = f32[8] subtract(d, x)");
  };
  const hlo::Module start = less_itself("7", "divide");
  const auto multiplied_by = [&](const char* number) {
    return check_module(start, less_itself(number, "multiply"), kSeconds);
  };
  const FoundCheck right = multiplied_by("0.14285715");
  EXPECT_FALSE(right.is_wrong()) << right.words();
  EXPECT_TRUE(right.words().starts_with("DIFFERS unless rounded: ")) << right.words();
  EXPECT_TRUE(multiplied_by("0.1428575").is_wrong());  // 2.5e-6 of x
  EXPECT_TRUE(multiplied_by("0.142856").is_wrong());
}

// Which of two quotients is larger is another matter where they are equal: that rounding could part them is
// no excuse.
TEST(HloCheck, ATieOnTheWayIsNoRounding) {
  const auto above = [](const char* number, const char* opcode, const char* direction) {
    return computing(fmt::format(
        "c = f32[] constant({0})\n  cs = f32[8] broadcast(c), dimensions={{}}\n  a = f32[8] {1}(x, cs)\n"
        "  b = f32[8] {1}(y, cs)\n  p = pred[8] compare(a, b), direction={2}\n  ROOT r = f32[8] convert(p)",
        number, opcode, direction));
  };
  const hlo::Module start = above("7", "divide", "GT");
  EXPECT_FALSE(check_module(start, above("0.14285715", "multiply", "GT"), kSeconds).is_wrong());
  EXPECT_TRUE(check_module(start, above("0.14285715", "multiply", "GE"), kSeconds).is_wrong());
}

// c is 0 in exact arithmetic and 1 where single precision rounds (3 x + 4 x) / 7 up: another function of c is
// another program, also beside an output that only rounding excuses.
TEST(HloCheck, AJumpOfTheProgramItselfExcusesNothing) {
  std::string numbers;
  for (const auto& [name, value] : {std::pair{"three", "3"}, {"four", "4"}, {"seven", "7"}})
    numbers += fmt::format(
        "{0}.s = f32[] constant({1})\n  {0} = f32[8] broadcast({0}.s), dimensions={{}}\n  ", name, value);
  const std::string jump = numbers +
                           "a = f32[8] multiply(x, three)\n  b = f32[8] multiply(x, four)\n"
                           "  t = f32[8] add(a, b)\n  d = f32[8] divide(t, seven)\n"
                           "  p = pred[8] compare(d, x), direction=GT\n  c = f32[8] convert(p)\n  ";
  const hlo::Module start = computing(
      jump +
      "sa = f32[8] sine(c)\n  sb = f32[8] sine(sa)\n  one = f32[] constant(1)\n  eps = f32[] constant(1e-9)\n"
      "  o = f32[] subtract(one, eps)\n  q = f32[] subtract(one, o)\n"
      "  qs = f32[8] broadcast(q), dimensions={}\n  z = f32[8] multiply(y, qs)\n"
      "  ROOT r = (f32[8], f32[8]) tuple(sb, z)");
  const auto with = [&](const std::string& first) {
    return check_module(start,
                        computing(jump + first +
                                  "n = f32[] constant(0)\n  ns = f32[8] broadcast(n), dimensions={}\n"
                                  "  z = f32[8] multiply(y, ns)\n  ROOT r = (f32[8], f32[8]) tuple(sb, z)"),
                        kSeconds);
  };
  EXPECT_FALSE(with("sa = f32[8] sine(c)\n  sb = f32[8] sine(sa)\n  ").is_wrong());
  const FoundCheck wrong = with(
      "k = f32[] constant(5)\n  ks = f32[8] broadcast(k), dimensions={}\n  sb = f32[8] multiply(c, ks)\n  ");
  EXPECT_TRUE(wrong.is_wrong()) << wrong.words();
}

TEST(HloCheck, SaysWhyNothingIsKnown) {
  const hlo::Module foreign = computing("ROOT r = f32[8] custom-call(x, y), custom_call_target=\"mine\"");
  const FoundCheck made = check_module(computing(kSum), foreign, kSeconds);
  EXPECT_TRUE(made.words().starts_with("field open (the result:")) << made.words();
  EXPECT_TRUE(made.words().ends_with("); floats as well")) << made.words();
  const FoundCheck open = check_module(foreign, foreign, kSeconds);
  EXPECT_FALSE(open.differs());
  EXPECT_FALSE(open.holds());
  EXPECT_TRUE(open.words().starts_with("field open (")) << open.words();
}

}  // namespace
}  // namespace isomer::recipes
