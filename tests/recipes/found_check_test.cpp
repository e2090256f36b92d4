// Programs found, held to what they were found from: the same, the same in other words, another one, and one
// that is too large for the interpreter.
#include "recipes/found_check.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "ir/op_table.h"
#include "ir/print.h"
#include "support/errors.h"

namespace isomer::recipes {
namespace {

struct Programs {
  ir::Context ctx{ir::standard_ops()};
  ir::Graph parse(const std::string& lines, const std::string& result, const std::string& size = "4") {
    const std::string x = fmt::format("f32[{0},{0}]", size);
    return ir::parse_graph(
        ctx, fmt::format("graph g {{\n%0 = input{{name=\"x\"}} : {0}\n%1 = weight{{name=\"a\"}} : {0}\n"
                         "%2 = weight{{name=\"b\"}} : {0}\n{1}\nreturn {2}\n}}",
                         x, lines, result));
  }
  ir::Graph parted(const std::string& size = "4") {
    return parse(fmt::format("%3 = matmul(%0, %1) : f32[{0},{0}]\n%4 = matmul(%0, %2) : f32[{0},{0}]\n"
                             "%5 = add(%3, %4) : f32[{0},{0}]",
                             size),
                 "%5", size);
  }
  ir::Graph joined(const std::string& op, const std::string& size = "4") {
    return parse(fmt::format("%3 = {1}(%1, %2) : f32[{0},{0}]\n%4 = matmul(%0, %3) : f32[{0},{0}]", size, op),
                 "%4", size);
  }
};

TEST(FoundCheck, SaysWhatIsKnown) {
  Programs p;
  EXPECT_EQ(check_found(p.parted(), p.parted()).words(), "the same program");
  EXPECT_EQ(check_found(p.parted(), p.parted()).held(), Held::kSame);
  const FoundCheck same = check_found(p.parted(), p.joined("add"));
  EXPECT_TRUE(same.holds());
  EXPECT_EQ(same.held(), Held::kSame);
  EXPECT_EQ(same.field.kind, verify::VerdictKind::kProved);
  EXPECT_EQ(same.floats.kind, verify::VerdictKind::kTested);
  EXPECT_TRUE(same.words().starts_with("field; floats")) << same.words();
}

TEST(FoundCheck, InAWordItIsWhatTheFieldSaysUnlessItDiffers) {
  using verify::VerdictKind;
  const auto of = [](VerdictKind field, VerdictKind floats) {
    FoundCheck out;
    out.field.kind = field;
    out.floats.kind = floats;
    return to_string(out.held());
  };
  EXPECT_EQ(of(VerdictKind::kProved, VerdictKind::kUnknown), "same");
  EXPECT_EQ(of(VerdictKind::kSampled, VerdictKind::kTested), "same");
  EXPECT_EQ(of(VerdictKind::kSampled, VerdictKind::kUnknown), "open");
  EXPECT_EQ(of(VerdictKind::kTested, VerdictKind::kTested), "floats");
  EXPECT_EQ(of(VerdictKind::kUnknown, VerdictKind::kTested), "open");
  EXPECT_EQ(of(VerdictKind::kUnknown, VerdictKind::kRefuted), "differs");
  EXPECT_EQ(of(VerdictKind::kRefuted, VerdictKind::kUnknown), "differs");
}

// A difference was seen: that the comparison of rounded results came to no end neither excuses it nor says
// that it is none of rounding.
TEST(FoundCheck, ADifferenceThatWasNotHeldToRoundingIsRefusedAsThat) {
  using verify::VerdictKind;
  FoundCheck seen;
  seen.field.kind = VerdictKind::kRefuted;
  seen.field.counterexample = "here";
  seen.rounded.emplace();
  seen.rounded->kind = VerdictKind::kUnknown;
  seen.rounded->note = "no time";
  EXPECT_TRUE(seen.is_wrong());
  EXPECT_EQ(seen.words(), "DIFFERS (it may be rounding: no time): here");
  const auto said = [&] {
    try {
      require_right(seen, "a");
    } catch (const VerificationError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_TRUE(said().starts_with("a is not shown to be the same program (")) << said();
  seen.rounded->kind = VerdictKind::kRefuted;
  EXPECT_TRUE(said().starts_with("a is another program (DIFFERS: ")) << said();
}

TEST(FoundCheck, SaysThatAnotherProgramDiffers) {
  Programs p;
  const FoundCheck other = check_found(p.parted(), p.joined("mul"));
  EXPECT_TRUE(other.differs());
  EXPECT_FALSE(other.holds());
  EXPECT_TRUE(other.words().starts_with("DIFFERS: ")) << other.words();
  EXPECT_EQ(other.words().find_first_of("\n|"), std::string::npos);
}

TEST(FoundCheck, WhatTheFieldSawInAFewOrdersOrIntegersIsNoExcuse) {
  ir::Context ctx(ir::standard_ops());
  const auto program = [&](const std::string& type, const std::string& body) {
    return ir::parse_graph(
        ctx, fmt::format("graph {{ %x = input{{name=\"x\"}} : {0}[1] {1} : {0}[1] return %r }}", type, body));
  };
  // Half of what is twice a number is the number, unless that wraps: beyond the integers drawn over the
  // field.
  const FoundCheck wraps =
      check_evaluated(program("i32",
                              "%o = constant : i32[] {2} %k = broadcast{shape=[1]}(%o) : i32[1] "
                              "%t = mul(%x, %k) : i32[1] %r = div(%t, %k)"),
                      program("i32", "%n = neg(%x) : i32[1] %r = neg(%n)"), 5);
  EXPECT_TRUE(wraps.is_wrong()) << wraps.words();
  // One number has one order in each test: for some of these it is the same in all that are made.
  for (int i = 0; i < 24; ++i) {
    const std::string k =
        fmt::format("%o = constant : f32[] {{1.9{:02}}} %k = broadcast{{shape=[1]}}(%o) : f32[1] ", i);
    const FoundCheck larger = check_evaluated(program("f32", k + "%r = max(%x, %k)"),
                                              program("f32", k + "%n = neg(%x) : f32[1] %r = neg(%n)"), 5);
    EXPECT_TRUE(larger.is_wrong()) << i << ": " << larger.words();
  }
}

TEST(FoundCheck, TheWorseOfTwoIsKept) {
  Programs p;
  FoundCheck both = check_found(p.parted(), p.joined("add"));
  both.keep_worse(check_found(p.parted(), p.joined("mul")));
  EXPECT_TRUE(both.differs());
  both.keep_worse(check_found(p.parted(), p.joined("add")));
  EXPECT_TRUE(both.differs());
}

/// What differs on floats, of which that is known over the field.
FoundCheck differing(verify::OnField on_field) {
  FoundCheck out;
  out.field.kind = out.floats.kind = verify::VerdictKind::kRefuted;
  out.field.on_field = on_field;
  return out;
}

TEST(FoundCheck, OnlyWhatRoundingExplainsIsNotWrong) {
  using verify::OnField;
  EXPECT_FALSE(differing(OnField::kSame).is_wrong());
  for (const OnField other : {OnField::kNotKnown, OnField::kSameWhereSampled, OnField::kOther}) {
    FoundCheck check = differing(other);
    EXPECT_TRUE(check.is_wrong());
    check.rounded = verify::Verdict();
    EXPECT_TRUE(check.is_wrong());  // nothing came of it
    check.rounded->kind = verify::VerdictKind::kTested;
    EXPECT_FALSE(check.is_wrong());
    EXPECT_TRUE(check.words().starts_with("DIFFERS unless rounded: "));
  }
}

TEST(FoundCheck, TheWrongOneIsWorseThanTheOneThatRounds) {
  const FoundCheck rounds = differing(verify::OnField::kSame), wrong = differing(verify::OnField::kOther);
  FoundCheck kept = rounds;
  kept.keep_worse(wrong);
  EXPECT_TRUE(kept.is_wrong());
  kept.keep_worse(rounds);
  EXPECT_TRUE(kept.is_wrong());
}

// A tenth of the rows of what is too large to be compared whole is negated: the field may miss it.
TEST(FoundCheck, WhatOnlyFloatsFindIsWrongWhereElementsAreSampled) {
  constexpr int kRows = 2000, kWrong = 200;
  int found = 0, missed_by_field = 0;
  for (int first = kWrong; first + 2 * kWrong <= kRows; first += kWrong / 2) {
    Programs p;
    const std::string all = fmt::format("f32[{},1000]", kRows), wrong = fmt::format("f32[{},1000]", kWrong);
    const std::string head =
        fmt::format("graph {{ %x = input{{name=\"x\"}} : {0} %s = mul(%x, %x) : {0} ", all);
    const auto rows = [](int from, int to) {
      return fmt::format("slice{{axes=[0], starts=[{}], ends=[{}], steps=[1]}}(%s) : f32[{},1000] ", from, to,
                         to - from);
    };
    const ir::Graph start = ir::parse_graph(p.ctx, head + "return %s }");
    const ir::Graph other =
        ir::parse_graph(p.ctx, head + "%a = " + rows(0, first) + "%b = " + rows(first, first + kWrong) +
                                   "%n = neg(%b) : " + wrong + " %c = " + rows(first + kWrong, kRows) +
                                   "%r = concat{axis=0}(%a, %n, %c) : " + all + " return %r }");
    const FoundCheck check = check_evaluated(start, other, 10);
    EXPECT_EQ(check.differs(), check.is_wrong()) << check.words();
    found += check.differs();
    missed_by_field += check.differs() && check.field.on_field == verify::OnField::kSameWhereSampled;
  }
  EXPECT_GT(found, 0);
  EXPECT_GT(missed_by_field, 0);
}

TEST(FoundCheck, WhatIsGrantedToConstantsOfSixteenBitsIsSaid) {
  Programs p;
  const auto scaled = [&](double by) {
    return ir::parse_graph(
        p.ctx, fmt::format("graph {{ %x = input{{name=\"x\"}} : f16[4] %c = constant : f16[] {{{}}} "
                           "%k = broadcast{{shape=[4]}}(%c) : f16[4] %r = mul(%x, %k) : f16[4] return %r }}",
                           by));
  };
  const std::string words = check_evaluated(scaled(2), scaled(2.25), 10).words();
  EXPECT_NE(words.find("(0.25 granted)"), std::string::npos) << words;
}

}  // namespace
}  // namespace isomer::recipes
