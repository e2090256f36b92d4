// Operators that are written as a file has them: what their regions must be like.
#include <gtest/gtest.h>

#include "ir/op_case.h"
#include "ir/print.h"
#include "support/errors.h"

namespace isomer::ir {
namespace {

class Kept : public testing::Test {
 protected:
  Context ctx{standard_ops()};

  int64_t region(const std::string& text) {
    return static_cast<int64_t>(ctx.add(std::make_shared<const Graph>(parse_graph(ctx, text))).index());
  }
  std::string type_of(const std::string& op, const std::vector<std::string>& operands,
                      std::vector<NamedAttr> attrs) {
    Builder b(ctx);
    std::vector<ValueId> in;
    for (const std::string& type : operands) in.push_back(b.input("", parse_type(ctx, type)));
    for (const char* name : {"format", "op", "body"}) attrs.push_back({name, std::string()});
    const OpId id = ctx.ops().at(op);
    ValueId out;
    const Inferred type = b.try_add(id, b.make_payload(id, attrs), in, out);
    return type ? print(ctx, type.type) : "error: " + type.error;
  }
};

using Ints = std::vector<int64_t>;

constexpr const char* kAdds = R"(graph { %i = input{name="i"} : i64[]
  %c = input{name="c"} : bool[]
  %s = input{name="s"} : f32[2]
  %t = add(%s, %s) : f32[2]
  return %c, %t, %s })";

TEST_F(Kept, ALoopStacksWhatItsRoundsShow) {
  const int64_t body = region(kAdds);
  const auto loop = [&](Ints given, int64_t states, int64_t trips, std::vector<std::string> operands) {
    return type_of("loop", operands,
                   {{"region", body}, {"given", given}, {"states", states}, {"trips", trips}});
  };
  EXPECT_EQ(loop({0, 1}, 1, 5, {"i64[]", "bool[]", "f32[2]"}), "(f32[2], f32[5,2])");
  EXPECT_EQ(loop({1}, 1, 5, {"bool[]", "f32[2]"}), "(f32[2], f32[5,2])");
  EXPECT_EQ(loop({0, 1}, 1, -1, {"i64[]", "bool[]", "f32[2]"}),
            "error: loop: how many rounds are stacked is not known");
  EXPECT_NE(loop({0, 1}, 1, 5, {"i64[]", "bool[]", "f32[3]"}).find("operand 2: expected f32[2]"),
            std::string::npos);
  EXPECT_NE(loop({1, 0}, 1, 5, {"bool[]", "i64[]", "f32[2]"}).find("`given`"), std::string::npos);
  EXPECT_NE(loop({0, 1}, -1, 5, {"i64[]", "bool[]", "f32[2]"}).find("states"), std::string::npos);
  EXPECT_NE(loop({0, 1}, 2, 5, {"i64[]", "bool[]", "f32[2]"}).find("error"), std::string::npos);
  EXPECT_NE(loop({0, 1}, 1, 5, {"i64[]", "bool[]", "f32[N]"}).find("known sizes"), std::string::npos);
}

TEST_F(Kept, AStateKeepsItsType) {
  const int64_t body = region(R"(graph { %s = input{name="s"} : f32[2]
    %e = input{name="e"} : f32[3]
    %t = concat{axis=0}(%s, %e) : f32[5]
    return %t })");
  EXPECT_EQ(type_of("scan", {"f32[2]", "f32[4,3]"},
                    {{"region", body},
                     {"states", int64_t{1}},
                     {"axes", Ints{0}},
                     {"backwards", Ints{0}},
                     {"out_axes", Ints{}},
                     {"out_backwards", Ints{}}}),
            "error: scan: state 0: expected f32[2] after a round, got f32[5]");
}

TEST_F(Kept, AScanGoesAlongAnAxisAndStacksAlongAnother) {
  const int64_t body = region(R"(graph { %e = input{name="e"} : f32[3]
    %w = input{name="w"} : f32[3]
    %t = mul(%e, %w) : f32[3]
    return %t })");
  const auto scan = [&](Ints axes, Ints out_axes, const char* type) {
    return type_of("scan", {type, "f32[3]"},
                   {{"region", body},
                    {"states", int64_t{0}},
                    {"axes", axes},
                    {"backwards", Ints{1}},
                    {"out_axes", out_axes},
                    {"out_backwards", Ints{0}}});
  };
  EXPECT_EQ(scan({1}, {1}, "f32[3,4]"), "f32[3,4]");
  EXPECT_EQ(scan({0}, {1}, "f32[4,3]"), "f32[3,4]");
  EXPECT_NE(scan({0}, {1}, "f32[3,4]").find("error"), std::string::npos);
  EXPECT_NE(scan({2}, {1}, "f32[3,4]").find("error"), std::string::npos);
  EXPECT_NE(scan({1}, {2}, "f32[3,4]").find("error"), std::string::npos);
  EXPECT_NE(scan({}, {1}, "f32[3,4]").find("error"), std::string::npos);
}

TEST_F(Kept, BranchesGiveTheSame) {
  const int64_t two = region(R"(graph { %x = input{name="x"} : f32[2]
    return %x })");
  const int64_t other = region(R"(graph { %x = input{name="x"} : f32[2]
    %y = concat{axis=0}(%x, %x) : f32[4]
    return %y })");
  EXPECT_EQ(type_of("if", {"bool[]", "f32[2]"}, {{"region", two}, {"otherwise", two}}), "f32[2]");
  EXPECT_EQ(type_of("if", {"bool[]", "f32[2]"}, {{"region", two}, {"otherwise", other}}),
            "error: if: expected branches that give tensors of the same types");
  EXPECT_NE(type_of("if", {"bool[1]", "f32[2]"}, {{"region", two}, {"otherwise", two}}).find("bool[]"),
            std::string::npos);
  EXPECT_NE(type_of("if", {"bool[]"}, {{"region", two}, {"otherwise", two}}).find("takes 1 operands"),
            std::string::npos);
  EXPECT_EQ(type_of("defined", {"f32[2]"}, {{"region", other}}), "f32[4]");
  EXPECT_NE(type_of("defined", {"f32[3]"}, {{"region", other}}).find("error"), std::string::npos);
}

TEST(Regions, AnOperatorHasAtMostOneOfARole) {
  const auto add = [](AttrRole other) {
    OpTable table;
    OpDef def = standard_ops().get(standard_ops().at("while"));
    for (AttrSpec& spec : def.attrs)
      if (spec.role == AttrRole::kCondition) spec.role = other;
    table.add(def);
  };
  EXPECT_NO_THROW(add(AttrRole::kCondition));
  EXPECT_THROW(add(AttrRole::kBody), MisuseError);
}

TEST_F(Kept, ARegionIsAskedForByItsRole) {
  const OpId loop = ctx.ops().at("while");
  Builder b(ctx);
  const PayloadId payload = b.make_payload(loop, {{"condition", int64_t{8}}, {"body", int64_t{7}}});
  const OpInstance op(ctx, ctx.ops().get(loop), ctx.get(payload), {});
  EXPECT_EQ(op.region(AttrRole::kBody), RegionId(7));
  EXPECT_EQ(op.region(AttrRole::kCondition), RegionId(8));
  EXPECT_THROW(op.region(AttrRole::kCombiner), MisuseError);
  EXPECT_THROW(op.region(AttrRole::kAxis), MisuseError);
}

}  // namespace
}  // namespace isomer::ir
