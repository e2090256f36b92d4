// Operators without a meaning, paired by what they are applied to.
#include "verify/by_operands.h"

#include <gtest/gtest.h>

#include <functional>

#include "ir/graph.h"
#include "ir/op_table.h"

namespace isomer::verify {
namespace {

class ByOperands : public testing::Test {
 protected:
  using Body = std::function<ir::ValueId(ir::Builder&, ir::ValueId)>;

  /// `foreign`: as operators of domains that nobody knows are read, each with an identity of its own.
  ir::ValueId opaque(ir::Builder& b, const std::string& op, std::vector<ir::ValueId> operands,
                     bool foreign = true, bool typed = true) {
    const ir::TypeId type = typed ? type_ : ctx_.intern(ir::Type{});
    const auto number = static_cast<int64_t>(type.v);
    const std::string format = "test";
    const std::vector<ir::NamedAttr> attrs =
        foreign ? std::vector<ir::NamedAttr>{{"format", format},
                                             {"op", op},
                                             {"body", op},
                                             {"type", number},
                                             {"identity", ctx_.fresh_identity()}}
                : std::vector<ir::NamedAttr>{{"format", format}, {"op", op}, {"body", op}, {"type", number}};
    const ir::OpId id = ctx_.ops().at("opaque");
    return b.add_typed(id, b.make_payload(id, attrs), operands, type);
  }
  ir::Graph graph(const Body& body) {
    ir::Builder b(ctx_);
    const ir::ValueId x = b.input("x", type_);
    return b.finish({body(b, x)});
  }
  Verdict check(const Body& a, const Body& b) { return check_by_operands(graph(a), graph(b)); }

  ir::Context ctx_{ir::standard_ops()};
  ir::TypeId type_ = ctx_.tensor_type(ir::DType::kF32, {ir::Dim(4)});
};

TEST_F(ByOperands, EqualOperandsInOtherWords) {
  const Verdict v =
      check([&](ir::Builder& b,
                ir::ValueId x) { return opaque(b, "Alpha", {b.add("add", {x, b.add("exp", {x})})}); },
            [&](ir::Builder& b, ir::ValueId x) {
              return opaque(b, "Alpha", {b.add("add", {b.add("exp", {x}), x})});
            });
  EXPECT_EQ(v.kind, VerdictKind::kProved) << summary(v);
}

TEST_F(ByOperands, NearIsNotEqual) {
  const Verdict v = check(
      [&](ir::Builder& b, ir::ValueId x) { return opaque(b, "Alpha", {x}); },
      [&](ir::Builder& b, ir::ValueId x) {
        return opaque(b, "Alpha",
                      {b.add("mul", {x, b.constant(ir::DType::kF32, {4}, std::vector<double>(4, 1.00001))})});
      });
  EXPECT_EQ(v.kind, VerdictKind::kRefuted) << summary(v);
}

TEST_F(ByOperands, OnceIsNotTwiceAndOthersAreOthers) {
  const Body once = [&](ir::Builder& b, ir::ValueId x) { return opaque(b, "Alpha", {x}); };
  const Body twice = [&](ir::Builder& b, ir::ValueId x) {
    return opaque(b, "Alpha", {opaque(b, "Alpha", {x})});
  };
  const Body other = [&](ir::Builder& b, ir::ValueId x) { return opaque(b, "Beta", {x}); };
  const Body linear = [&](ir::Builder& b, ir::ValueId x) {
    const ir::ValueId y = opaque(b, "Alpha", {x});
    return b.add("add", {y, y});
  };
  EXPECT_EQ(check(once, once).kind, VerdictKind::kProved);
  EXPECT_EQ(check(once, twice).kind, VerdictKind::kRefuted);
  EXPECT_EQ(check(twice, once).kind, VerdictKind::kRefuted);
  EXPECT_EQ(check(once, other).kind, VerdictKind::kRefuted);
  EXPECT_EQ(check(once, linear).kind, VerdictKind::kRefuted);
}

TEST_F(ByOperands, ResultsOfUnknownTypeAreComparedByWhereTheyComeFrom) {
  const auto nested = [&](const std::string& inner) {
    return [&, inner](ir::Builder& b, ir::ValueId x) {
      return opaque(b, "Alpha", {opaque(b, inner, {x}, true, false)});
    };
  };
  EXPECT_EQ(check(nested("Beta"), nested("Beta")).kind, VerdictKind::kProved);
  EXPECT_EQ(check(nested("Beta"), nested("Gamma")).kind, VerdictKind::kRefuted);
}

TEST_F(ByOperands, WhatHasAMeaningElsewhereIsLeftOpen) {
  const Verdict v = check([&](ir::Builder& b, ir::ValueId x) { return opaque(b, "Neg", {x}, false); },
                          [&](ir::Builder& b, ir::ValueId x) { return b.add("neg", {x}); });
  EXPECT_EQ(v.kind, VerdictKind::kUnknown) << summary(v);
}

// A pooling's maxima and their places go together: taken as any values they do not.
TEST_F(ByOperands, WhatDiffersForAnyResultsOfKnownOnesIsLeftOpen) {
  const auto doubled = [&](bool foreign) {
    return check([&, foreign](ir::Builder& b, ir::ValueId x) { return opaque(b, "Relu", {x}, foreign); },
                 [&, foreign](ir::Builder& b, ir::ValueId x) {
                   return b.add("abs", {opaque(b, "Relu", {x}, foreign)});
                 });
  };
  EXPECT_EQ(doubled(false).kind, VerdictKind::kUnknown) << summary(doubled(false));
  EXPECT_EQ(doubled(true).kind, VerdictKind::kRefuted) << summary(doubled(true));
}

}  // namespace
}  // namespace isomer::verify
