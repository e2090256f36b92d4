// Identities and non-identities, each with the verdict that it must get.
#include "verify/equivalence.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "ir/op_table.h"
#include "ir/print.h"
#include "meaning/flatten.h"
#include "verify/degree.h"
#include "verify/draws.h"

namespace isomer::verify {
namespace {

class Equivalence : public testing::Test {
 protected:
  ir::Context ctx{ir::standard_ops()};

  Verdict check(const std::string& a, const std::string& b, const EquivalenceOptions& options = {}) {
    return check_equivalent(ir::parse_graph(ctx, a), ir::parse_graph(ctx, b), options);
  }
  /// Bodies over the inputs x, y, z of type f32[3,3]; the result is %r.
  Verdict square(const std::string& a, const std::string& b) {
    const auto program = [](const std::string& body) {
      return R"(graph {
        %x = input{name="x"} : f32[3,3]
        %y = input{name="y"} : f32[3,3]
        %z = input{name="z"} : f32[3,3]
      )" + body +
             " return %r }";
    };
    return check(program(a), program(b));
  }
};

TEST_F(Equivalence, MatmulIsAssociative) {
  const Verdict v = square("%a = matmul(%x, %y) : f32[3,3] %r = matmul(%a, %z) : f32[3,3]",
                           "%a = matmul(%y, %z) : f32[3,3] %r = matmul(%x, %a) : f32[3,3]");
  EXPECT_EQ(v.kind, VerdictKind::kProved) << summary(v);
  EXPECT_LT(v.log2_error, -100);
  EXPECT_TRUE(v.uninterpreted.empty()) << summary(v);
  EXPECT_EQ(v.elements_compared, 9);
}

TEST_F(Equivalence, MatmulIsNotCommutative) {
  const Verdict v = square("%r = matmul(%x, %y) : f32[3,3]", "%r = matmul(%y, %x) : f32[3,3]");
  EXPECT_EQ(v.kind, VerdictKind::kRefuted) << summary(v);
  EXPECT_NE(v.counterexample.find("output 0 at ["), std::string::npos) << v.counterexample;
}

TEST_F(Equivalence, ReluIsNotAdditive) {
  const Verdict v = square("%a = relu(%x) : f32[3,3] %b = relu(%y) : f32[3,3] %r = add(%a, %b) : f32[3,3]",
                           "%a = add(%x, %y) : f32[3,3] %r = relu(%a) : f32[3,3]");
  EXPECT_EQ(v.kind, VerdictKind::kRefuted) << summary(v);
}

TEST_F(Equivalence, ReluCommutesWithTransposeByOrderAlone) {
  const Verdict v = square("%a = relu(%x) : f32[3,3] %r = transpose{perm=[1,0]}(%a) : f32[3,3]",
                           "%a = transpose{perm=[1,0]}(%x) : f32[3,3] %r = relu(%a) : f32[3,3]");
  EXPECT_EQ(v.kind, VerdictKind::kProved) << summary(v);
  EXPECT_EQ(v.uninterpreted, std::vector<std::string>{"order"});
}

TEST_F(Equivalence, SoftmaxIsShifted) {
  const Verdict v = square("%r = softmax{axis=1}(%x) : f32[3,3]", R"(
      %e = exp(%x) : f32[3,3]
      %s = reduce_sum{axes=[1], keepdims=1}(%e) : f32[3,1]
      %b = broadcast{shape=[3,3]}(%s) : f32[3,3]
      %r = div(%e, %b) : f32[3,3])");
  EXPECT_EQ(v.kind, VerdictKind::kProved) << summary(v);
  EXPECT_NE(std::ranges::find(v.uninterpreted, "exp"), v.uninterpreted.end());
}

TEST_F(Equivalence, AnUninterpretedFunctionOfEqualArguments) {
  const Verdict v = square("%a = add(%x, %y) : f32[3,3] %r = erf(%a) : f32[3,3]",
                           "%a = add(%y, %x) : f32[3,3] %r = erf(%a) : f32[3,3]");
  EXPECT_EQ(v.kind, VerdictKind::kProved) << summary(v);
  EXPECT_EQ(v.uninterpreted, std::vector<std::string>{"erf"});
}

TEST_F(Equivalence, WhatNeedsTheRealOrderIsOnlyTested) {
  const Verdict v =
      square("%a = add(%x, %z) : f32[3,3] %b = add(%y, %z) : f32[3,3] %r = max(%a, %b) : f32[3,3]",
             "%a = max(%x, %y) : f32[3,3] %r = add(%a, %z) : f32[3,3]");
  EXPECT_EQ(v.kind, VerdictKind::kTested) << summary(v);
  EXPECT_LT(v.max_relative_error, 1e-12);
}

TEST_F(Equivalence, WhatIsOtherAtOneNumberIsNotProved) {
  const std::string at =
      R"(%k = constant : f32[3,3] {66666, 66666, 66666, 66666, 66666, 66666, 66666, 66666, 66666}
    %t = add(%x, %x) : f32[3,3]
    %q = equal(%t, %k) : bool[3,3]
    %n = neg(%x) : f32[3,3]
    %w = where(%q, %n, %x) : f32[3,3] )";
  const Verdict one = square("%r = add(%x, %y) : f32[3,3]", at + "%r = add(%w, %y) : f32[3,3]");
  EXPECT_EQ(one.kind, VerdictKind::kSampled) << summary(one);
  EXPECT_NE(one.note.find("chosen or compared"), std::string::npos) << summary(one);
  const Verdict both = square(at + "%r = add(%w, %y) : f32[3,3]", at + "%r = add(%y, %w) : f32[3,3]");
  EXPECT_EQ(both.kind, VerdictKind::kProved) << summary(both);
  const std::string below =
      R"(%k = constant : f32[3,3] {66666, 66666, 66666, 66666, 66666, 66666, 66666, 66666, 66666}
    %n = neg(%x) : f32[3,3] )";
  const Verdict border =
      square(below + "%q = less(%x, %k) : bool[3,3] %r = where(%q, %n, %x) : f32[3,3]",
             below + "%q = less_equal(%x, %k) : bool[3,3] %r = where(%q, %n, %x) : f32[3,3]");
  EXPECT_NE(border.kind, VerdictKind::kProved) << summary(border);
  const Verdict squared = square("%s = sign(%x) : f32[3,3] %r = mul(%s, %s) : f32[3,3]",
                                 "%a = abs(%x) : f32[3,3] %r = div(%a, %a) : f32[3,3]");
  EXPECT_NE(squared.kind, VerdictKind::kProved) << summary(squared);
}

TEST_F(Equivalence, SharedTermsAreArbitraryInputs) {
  // layer_norm and erf below are shared; what differs is associativity of add.
  const std::string shared = R"(
      %e = erf(%x) : f32[3,3]
      %s = softmax{axis=0}(%e) : f32[3,3] )";
  const Verdict v = square(shared + "%a = add(%s, %y) : f32[3,3] %r = add(%a, %z) : f32[3,3]",
                           shared + "%a = add(%y, %z) : f32[3,3] %r = add(%s, %a) : f32[3,3]");
  EXPECT_EQ(v.kind, VerdictKind::kProved) << summary(v);
  EXPECT_TRUE(v.uninterpreted.empty()) << summary(v);
}

/// Whatever the place is at which the operands differ, and if only their shapes do.
TEST_F(Equivalence, OperandsOfOpaqueOperatorsAreComparedWhole) {
  const auto program = [](const std::string& body) {
    return R"(graph { %x = input{name="x"} : f32[40] )" + body +
           R"( %r = opaque{format="onnx", op="Mystery", body=""}(%a) : f32[2] return %r })";
  };
  for (int place = 0; place < 40; ++place) {
    std::string ones;
    for (int i = 0; i < 40; ++i) ones += std::string(i == 0 ? "" : ", ") + (i == place ? "1" : "0");
    const Verdict v = check(program("%z = sub(%x, %x) : f32[40] %a = add(%x, %z) : f32[40]"),
                            program("%k = constant : f32[40] {" + ones + "} %a = add(%x, %k) : f32[40]"));
    EXPECT_NE(v.kind, VerdictKind::kProved) << place << ": " << summary(v);
  }
  const Verdict v = check(program("%a = reshape{shape=[4,10]}(%x) : f32[4,10]"),
                          program("%a = reshape{shape=[8,5]}(%x) : f32[8,5]"));
  EXPECT_FALSE(v.equivalent()) << summary(v);
}

TEST_F(Equivalence, AnIdentityThatHoldsOnlyWithoutTheCut) {
  const Verdict v = square("%a = relu(%x) : f32[3,3] %r = relu(%a) : f32[3,3]", "%r = relu(%x) : f32[3,3]");
  EXPECT_EQ(v.kind, VerdictKind::kProved) << summary(v);
}

TEST_F(Equivalence, OpaqueOperatorsAreFunctionsOfTheirOperandsValues) {
  const std::string opaque = R"(opaque{format="onnx", op="Mystery", body=""})";
  Verdict v = square("%a = add(%x, %y) : f32[3,3] %r = " + opaque + "(%a) : f32[3,3]",
                     "%a = add(%y, %x) : f32[3,3] %r = " + opaque + "(%a) : f32[3,3]");
  EXPECT_EQ(v.kind, VerdictKind::kProved) << summary(v);
  v = square("%a = add(%x, %y) : f32[3,3] %r = " + opaque + "(%a) : f32[3,3]",
             "%a = sub(%y, %x) : f32[3,3] %r = " + opaque + "(%a) : f32[3,3]");
  EXPECT_EQ(v.kind, VerdictKind::kRefuted) << summary(v);
}

TEST_F(Equivalence, WeightsAreTheSameByName) {
  const auto program = [](const std::string& name) {
    return R"(graph { %x = input{name="x"} : f32[2] %w = weight{name=")" + name +
           R"("} : f32[2] %r = mul(%x, %w) : f32[2] return %r })";
  };
  const auto swapped = R"(graph { %x = input{name="x"} : f32[2] %w = weight{name="w"} : f32[2]
    %r = mul(%w, %x) : f32[2] return %r })";
  EXPECT_EQ(check(program("w"), swapped).kind, VerdictKind::kProved);
  EXPECT_EQ(check(program("v"), swapped).kind, VerdictKind::kRefuted);
}

TEST_F(Equivalence, LargeShapesAreSampled) {
  const auto chain = [](const std::string& body) {
    return R"(graph {
      %a = input{name="a"} : f32[512,512]
      %b = input{name="b"} : f32[512,512]
      %c = input{name="c"} : f32[512,512]
      )" + body +
           " return %r }";
  };
  EquivalenceOptions options;
  options.field_tests = 1;
  options.samples = 2;
  const std::string left = "%d = matmul(%a, %b) : f32[512,512] %r = matmul(%d, %c) : f32[512,512]";
  Verdict v = check(chain(left),
                    chain("%d = matmul(%b, %c) : f32[512,512] %r = matmul(%a, %d) : f32[512,512]"), options);
  EXPECT_EQ(v.kind, VerdictKind::kSampled) << summary(v);
  EXPECT_EQ(v.elements_compared, 2);
  EXPECT_EQ(v.elements_total, 512 * 512);
  v = check(chain(left), chain("%d = matmul(%b, %a) : f32[512,512] %r = matmul(%d, %c) : f32[512,512]"),
            options);
  EXPECT_EQ(v.kind, VerdictKind::kRefuted) << summary(v);
}

TEST_F(Equivalence, TwoConvolutionsAreOneWithMoreFilters) {
  const auto program = [](const std::string& body) {
    return R"(graph {
      %x = input{name="x"} : f32[1,2,4,4]
      %w = input{name="w"} : f32[3,2,3,3]
      %v = input{name="v"} : f32[2,2,3,3]
      )" + body +
           " return %r }";
  };
  const std::string attrs = "{strides=[1,1], dilations=[1,1], pads=[1,1,1,1], group=1}";
  const Verdict v = check(
      program("%a = conv" + attrs + "(%x, %w) : f32[1,3,4,4] %b = conv" + attrs +
              "(%x, %v) : f32[1,2,4,4] %r = concat{axis=1}(%a, %b) : f32[1,5,4,4]"),
      program("%k = concat{axis=0}(%w, %v) : f32[5,2,3,3] %r = conv" + attrs + "(%x, %k) : f32[1,5,4,4]"));
  EXPECT_EQ(v.kind, VerdictKind::kProved) << summary(v);
}

TEST_F(Equivalence, IntegersAreExactButNoFieldElements) {
  const auto program = [](const std::string& body) {
    return R"(graph { %x = input{name="x"} : i32[4] %y = input{name="y"} : i32[4] )" + body + " return %r }";
  };
  const Verdict v = check(program("%r = add(%x, %y) : i32[4]"), program("%r = add(%y, %x) : i32[4]"));
  EXPECT_EQ(v.kind, VerdictKind::kSampled) << summary(v);
  EXPECT_EQ(v.note, "integer inputs from [-1048576, 1048576)");
  EXPECT_EQ(check(program("%r = sub(%x, %y) : i32[4]"), program("%r = sub(%y, %x) : i32[4]")).kind,
            VerdictKind::kRefuted);
}

TEST_F(Equivalence, IndicesStayInBounds) {
  const auto program = [](const std::string& body) {
    return R"(graph { %x = input{name="x"} : f32[5,4] %i = input{name="i"} : i64[6] )" + body +
           " return %r }";
  };
  const std::string plain = "%g = gather{axis=0}(%x, %i) : f32[6,4] %r = neg(%g) : f32[6,4]";
  Verdict v =
      check(program(plain), program("%n = neg(%x) : f32[5,4] %r = gather{axis=0}(%n, %i) : f32[6,4]"));
  EXPECT_EQ(v.kind, VerdictKind::kSampled) << summary(v);
  EXPECT_EQ(v.note, "integer inputs from [-1048576, 1048576)") << "but the indices, which are derived";
  v = check(program(plain), program("%c = constant : i64[6] {0, 1, 2, 3, 4, 0} %n = neg(%x) : f32[5,4] "
                                    "%r = gather{axis=0}(%n, %c) : f32[6,4]"));
  EXPECT_EQ(v.kind, VerdictKind::kRefuted) << summary(v);
}

// Both sides have the same scores but for their last digits, of which the softmax makes 0 and 1.
TEST_F(Equivalence, WhichOfNearlyEqualNumbersIsLargestIsNoDifferenceOfRules) {
  const auto program = [](const std::string& q, const std::string& k) {
    return R"(graph {
      %q = input{name="q"} : f32[2,2,9,4]
      %k = input{name="k"} : f32[2,2,9,4]
      %v = input{name="v"} : f32[2,2,9,4]
      %a = slice{axes=[3], starts=[-1], ends=[-9000], steps=[-1]}(%q) : f32[2,2,9,4]
      %b = slice{axes=[3], starts=[-1], ends=[-9000], steps=[-1]}(%k) : f32[2,2,9,4]
      %r = attention{scale=-1e+10}()" +
           q + ", " + k + R"(, %v) : f32[2,2,9,4]
      return %r
    })";
  };
  EquivalenceOptions options;
  options.thorough = true;
  options.float_tests = 7;
  bool cancels = false;
  for (options.seed = 1; options.seed <= 10; ++options.seed) {
    const Verdict v = check(program("%q", "%k"), program("%a", "%b"), options);
    EXPECT_LE(v.kind, VerdictKind::kSampled) << options.seed << ": " << summary(v);
    cancels |= (v.limits & kCancels) != 0;
  }
  EXPECT_TRUE(cancels) << "no draw has nearly equal scores";
  EXPECT_EQ(check(program("%q", "%k"), program("%a", "%k"), options).kind, VerdictKind::kRefuted);
}

// That twenty comparisons hold at once is in no random order: what is equal in those that were drawn is not
// proved, and elements that are alike but for one tell the sides apart.
TEST_F(Equivalence, ManyComparisonsThatHoldAtOnceAreNoIdentityOfRules) {
  const auto program = [](const std::string& first, int count) {
    return R"(graph {
      %x = input{name="x"} : f32[20]
      %y = input{name="y"} : f32[20]
      %l = less(%x, %y) : bool[20]
      %i = cast{to=f32}(%l) : f32[20]
      %s = slice{axes=[0], starts=[)" +
           first + "], ends=[20], steps=[1]}(%i) : f32[" + std::to_string(count) + R"(]
      %m = reduce_min{axes=[0], keepdims=0}(%s) : f32[]
      return %m })";
  };
  EquivalenceOptions options;
  options.thorough = true;
  options.float_tests = 7;
  bool refuted = false;
  for (options.seed = 1; options.seed <= 400; ++options.seed) {
    const Verdict v = check(program("0", 20), program("1", 19), options);
    EXPECT_NE(v.kind, VerdictKind::kProved) << summary(v);
    EXPECT_EQ(std::ranges::count(v.uninterpreted, "order"), 0) << summary(v);
    refuted |= v.kind == VerdictKind::kRefuted;
  }
  EXPECT_TRUE(refuted);
  const Verdict same = check(program("1", 19), program("-19", 19), options);
  EXPECT_EQ(same.kind, VerdictKind::kProved) << summary(same);
}

// Where three numbers are equal the first side jumps when one of them moves: that excuses nothing.
TEST_F(Equivalence, AJumpIsNoLossOfDigits) {
  EquivalenceOptions options;
  options.thorough = true;
  options.float_tests = 7;
  const auto program = [](const std::string& result) {
    return R"(graph {
      %x = input{name="x"} : f32[200]
      %y = input{name="y"} : f32[200]
      %z = input{name="z"} : f32[200]
      %t = add(%z, %z) : f32[200]
    )" + result;
  };
  bool refuted = false;
  for (options.seed = 1; options.seed <= 8; ++options.seed) {
    const Verdict v = check(program(R"(%a = equal(%x, %y) : bool[200]
      %b = equal(%y, %z) : bool[200]
      %c = and(%a, %b) : bool[200]
      %r = where(%c, %x, %t) : f32[200]
      return %r })"),
                            program("return %t }"), options);
    EXPECT_GT(v.kind, VerdictKind::kProved) << summary(v);
    refuted |= v.kind == VerdictKind::kRefuted;
  }
  EXPECT_TRUE(refuted);
}

// Which operand of a concatenation is read depends on places, not on values: nothing jumps.
TEST_F(Equivalence, WhatIsChosenByPlacesDoesNotJump) {
  const auto jumps = [&](const std::string& text) {
    return analyse(meaning::flatten(ir::parse_graph(ctx, text)).graph).jumps;
  };
  EXPECT_FALSE(jumps(R"(graph { %x = input{name="x"} : f32[2] %y = input{name="y"} : f32[3]
    %c = concat{axis=0}(%x, %y) : f32[5] return %c })"));
  EXPECT_TRUE(jumps(R"(graph { %x = input{name="x"} : f32[2] %y = input{name="y"} : f32[2]
    %l = less(%x, %y) : bool[2] %w = where(%l, %x, %y) : f32[2] return %w })"));
  EXPECT_TRUE(jumps(R"(graph { %x = input{name="x"} : f32[2] %f = floor(%x) : f32[2] return %f })"));
}

// The slices that the indices choose are empty, so that the first side reads nothing: it has no value all
// the same.
TEST_F(Equivalence, IndicesIntoADimensionOfNoElementsSayNothing) {
  EquivalenceOptions options;
  options.thorough = true;
  const Verdict v = check(R"(graph {
    %x = input{name="x"} : f32[0,0]
    %i = input{name="i"} : i64[3]
    %y = input{name="y"} : f32[0,2]
    %g = gather{axis=0}(%x, %i) : f32[3,0]
    %r = matmul(%g, %y) : f32[3,2]
    return %r
  })",
                          R"(graph {
    %x = input{name="x"} : f32[0,0]
    %i = input{name="i"} : i64[3]
    %y = input{name="y"} : f32[0,2]
    %m = matmul(%x, %y) : f32[0,2]
    %r = gather{axis=0}(%m, %i) : f32[3,2]
    return %r
  })",
                          options);
  EXPECT_TRUE(v.vacuous) << summary(v);
}

TEST_F(Equivalence, PlacesOfNoUpdatesAreNotOutOfBounds) {
  const auto puts = [&](const std::string& rest) {
    return unread_indices(ir::parse_graph(ctx, R"(graph { %x = input{name="x"} : f32[2,0]
      %i = input{name="i"} : i64[3,1] )" + rest + " return %r }"))
        .out_of_bounds;
  };
  EXPECT_FALSE(puts(R"(%u = input{name="u"} : f32[3,0]
    %r = scatter_nd{reduction="none"}(%x, %i, %u) : f32[2,0])"));
  EXPECT_TRUE(puts(R"(%y = input{name="y"} : f32[0,2] %u = input{name="u"} : f32[3,2]
    %r = scatter_nd{reduction="none"}(%y, %i, %u) : f32[0,2])"));
}

TEST_F(Equivalence, FoldedConstantsAreRounded) {
  // w and v = w / 3 in float32: 24 elements that differ from the quotient by up to 2^-25 of it.
  std::string w, v;
  for (int i = 1; i <= 24; ++i) {
    w += (i > 1 ? ", " : "") + std::to_string(i);
    v += (i > 1 ? ", " : "") + std::to_string(static_cast<float>(i) / 3.0f);
  }
  const auto program = [](const std::string& body) {
    return "graph { %x = input{name=\"x\"} : f32[24] " + body + " %r = mul(%x, %c) : f32[24] return %r }";
  };
  const std::string quotient = "%w = constant : f32[24] {" + w + "} %t = constant : f32[] {3} " +
                               "%b = broadcast{shape=[24]}(%t) : f32[24] %c = div(%w, %b) : f32[24]";
  const Verdict near = check(program(quotient), program("%c = constant : f32[24] {" + v + "}"));
  EXPECT_EQ(near.kind, VerdictKind::kTested) << summary(near);
  EXPECT_GT(near.max_relative_error, 0);
  const Verdict far = check(program(quotient), program("%c = constant : f32[24] {" + w + "}"));
  EXPECT_EQ(far.kind, VerdictKind::kRefuted) << summary(far);
}

TEST_F(Equivalence, WhatHasNoValueIsSeenInSinglePrecisionToo) {
  // A cast of what its integer cannot hold may be anything, whatever the order of the factors is.
  const auto program = [](const std::string& product) {
    return "graph { %x = input{name=\"x\"} : f32[4] %o = constant : f32[] {1e30} %k = "
           "broadcast{shape=[4]}(%o) : f32[4] " +
           product +
           " : f32[4] %s = mul(%p, %p) : f32[4] %q = add(%s, %k) : f32[4] %r = cast{to=i64}(%q) : i64[4] "
           "return %r }";
  };
  EquivalenceOptions options;
  options.field = false;
  for (const bool single : {false, true}) {
    options.rounded_results = single;
    const Verdict v = check(program("%p = mul(%x, %k)"), program("%p = mul(%k, %x)"), options);
    EXPECT_EQ(v.kind, VerdictKind::kUnknown) << summary(v);
    const Verdict other = check(
        "graph { %x = input{name=\"x\"} : f32[4] %c = constant : i64[4] {9223372036854775807, "
        "9223372036854775807, 9223372036854775807, 9223372036854775807} return %c }",
        program("%p = mul(%x, %k)"), options);
    EXPECT_EQ(other.kind, VerdictKind::kRefuted) << "only the second has no value: " << summary(other);
  }
}

TEST_F(Equivalence, TheInputsOfACounterexampleAreKeptIfAsked) {
  const std::string a =
      "graph { %i = input{name=\"i\"} : i64[3] %x = input{name=\"x\"} : f32[2,2] %r = relu(%x) : f32[2,2] "
      "return %r }";
  const std::string b =
      "graph { %i = input{name=\"i\"} : i64[3] %x = input{name=\"x\"} : f32[2,2] %r = abs(%x) : f32[2,2] "
      "return %r }";
  EquivalenceOptions options;
  EXPECT_TRUE(check(a, b, options).inputs.empty());
  options.keep_inputs = true;
  const Verdict v = check(a, b, options);
  EXPECT_EQ(v.kind, VerdictKind::kRefuted);
  ASSERT_EQ(v.inputs.size(), 2U);
  EXPECT_EQ(v.inputs[0].integers.size(), 3U);
  ASSERT_EQ(v.inputs[1].numbers.size(), 4U);
  EXPECT_TRUE(std::ranges::any_of(v.inputs[1].numbers, [](double x) { return x < 0; }));
  EXPECT_TRUE(check(a, a, options).inputs.empty());
}

TEST_F(Equivalence, WhereTheSecondAloneHasNoValueTheInputsAreKept) {
  const auto program = [](const std::string& index) {
    return "graph { %x = input{name=\"x\"} : f32[5,4] %i = input{name=\"i\"} : i64[6] "
           "%o = constant : i64[6] {1, 1, 1, 1, 1, 1} %j = " +
           index + "(%i, %o) : i64[6] %r = gather{axis=0}(%x, %j) : f32[6,4] return %r }";
  };
  EquivalenceOptions options;
  options.keep_inputs = true;
  const Verdict v = check(program("mul"), program("add"), options);
  EXPECT_EQ(v.kind, VerdictKind::kRefuted) << summary(v);
  EXPECT_EQ(v.method, "field") << "floats were not asked";
  ASSERT_EQ(v.inputs.size(), 2U);
  EXPECT_TRUE(std::ranges::any_of(v.inputs[1].integers, [](int64_t i) { return i == 4; }))
      << "the last row, of which the next is out of bounds";
}

TEST_F(Equivalence, ADeepNetworkIsComparedWholeOnFloats) {
  // The difference lies at the bottom, so that an output element depends on nearly everything.
  const auto program = [](const std::string& first) {
    std::string body = "graph { %x = input{name=\"x\"} : f32[1,16,24,24] " + first;
    for (int i = 1; i <= 4; ++i) {
      const std::string n = std::to_string(i);
      body += "%w" + n + " = weight{name=\"w" + n + "\"} : f32[16,16,3,3] %c" + n +
              " = conv{strides=[1,1], dilations=[1,1], pads=[1,1,1,1], group=1}(%c" + std::to_string(i - 1) +
              ", %w" + n + ") : f32[1,16,24,24] ";
    }
    return body + "%r = reduce_sum{axes=[1,2,3], keepdims=0}(%c4) : f32[1] return %r }";
  };
  const std::string doubled = program("%c0 = add(%x, %x) : f32[1,16,24,24] ");
  const std::string scaled =
      R"(%t = constant : f32[] {2} %b = broadcast{shape=[1,16,24,24]}(%t) : f32[1,16,24,24]
                                %c0 = mul(%x, %b) : f32[1,16,24,24] )";
  EquivalenceOptions options;
  options.sample_budget = 1000;
  const Verdict v = check(doubled, program(scaled), options);
  EXPECT_EQ(v.kind, VerdictKind::kTested) << summary(v);
  EXPECT_EQ(v.method, "floats");
  EXPECT_TRUE(v.on_floats);
  EXPECT_EQ(v.elements_compared, v.elements_total);
  EXPECT_NE(v.note.find("budget"), std::string::npos) << v.note;
  EXPECT_EQ(check(doubled, program("%c0 = neg(%x) : f32[1,16,24,24] "), options).kind, VerdictKind::kRefuted);
}

TEST_F(Equivalence, Signatures) {
  const Verdict v = check(R"(graph { %x = input{name="x"} : f32[2] return %x })",
                          R"(graph { %x = input{name="x"} : f32[3] return %x })");
  EXPECT_EQ(v.kind, VerdictKind::kRefuted);
  EXPECT_EQ(v.counterexample, "input 0: f32[2] against f32[3]");
}

TEST_F(Equivalence, SymbolicShapesAreNotGuessed) {
  const Verdict v = check(
      R"(graph { %x = input{name="x"} : f32[N] %y = neg(%x) : f32[N] %r = neg(%y) : f32[N] return %r })",
      R"(graph { %x = input{name="x"} : f32[N] return %x })");
  EXPECT_EQ(v.kind, VerdictKind::kUnknown) << summary(v);
  EXPECT_FALSE(v.note.empty());
}

}  // namespace
}  // namespace isomer::verify
