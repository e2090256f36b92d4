// Where two programs part: random programs with one operator changed, against the place that was changed.
#include "verify/where.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "ir/op_table.h"
#include "ir/print.h"
#include "support/rng.h"
#include "verify/parting.h"

namespace isomer::verify {
namespace {

TEST(Parting, TheFirstDifferenceAndWhatItComesFrom) {
  // 0 -> 1 -> 2 -> 4 -> 5, 3 -> 4
  const std::vector<std::vector<uint32_t>> operands{{}, {0}, {1}, {}, {2, 3}, {4}};
  using S = Standing;
  const std::vector<S> standing{S::kEqual, S::kUnpaired, S::kDiffers, S::kEqual, S::kUnpaired, S::kDiffers};
  const auto parting = find_parting(operands, standing, 5);
  ASSERT_TRUE(parting);
  EXPECT_EQ(parting->value, 2u);
  EXPECT_EQ(parting->from, (std::vector<uint32_t>{0}));
  EXPECT_EQ(parting->between, (std::vector<uint32_t>{1}));
}

TEST(Parting, APairThatDiffersBeforeEqualOnesWasNoPair) {
  const std::vector<std::vector<uint32_t>> operands{{}, {0}, {1}, {2}};
  using S = Standing;
  const auto parting =
      find_parting(operands, std::vector<S>{S::kEqual, S::kDiffers, S::kEqual, S::kDiffers}, 3);
  ASSERT_TRUE(parting);
  EXPECT_EQ(parting->value, 3u);
  EXPECT_EQ(parting->from, (std::vector<uint32_t>{2}));
  EXPECT_FALSE(find_parting(operands, std::vector<S>(4, S::kEqual), 3));
}

/// A random program of float operators as lines "%v7 = add(%v1, %v3)"; every value has an influence.
struct RandomProgram {
  std::vector<std::string> ops;
  std::vector<std::pair<int, int>> operands;

  explicit RandomProgram(Rng& rng) {
    static const char* const kOps[] = {"add", "sub", "mul", "max", "tanh", "exp"};
    for (int i = 0; i < 12; ++i) {
      ops.emplace_back(kOps[rng.below(6)]);
      operands.emplace_back(i == 0 ? -1 : i - 1, static_cast<int>(rng.between(-2, i - 1)));
    }
  }
  std::string text() const {
    const auto name = [](int v) { return v < 0 ? fmt::format("%x{}", -v) : fmt::format("%v{}", v); };
    std::string out = "graph { %x1 = input{name=\"x1\"} : f32[2,3] %x2 = input{name=\"x2\"} : f32[2,3] ";
    for (size_t i = 0; i < ops.size(); ++i) {
      const auto& [a, b] = operands[i];
      // tanh keeps numbers within reach of each other, so that a change is not lost below larger ones.
      const bool one = ops[i] == "tanh" || ops[i] == "exp";
      out += fmt::format("%t{0} = tanh({1}) : f32[2,3] %v{0} = {2}(%t{0}{3}) : f32[2,3] \"v{0}\" ", i,
                         name(a), ops[i], one ? "" : ", " + name(b));
    }
    return out + fmt::format("return %v{} }}", ops.size() - 1);
  }
};

TEST(Where, MutatedProgramsAreRefutedAtThePlace) {
  Rng rng(20);
  int placed = 0;
  for (int round = 0; round < 60; ++round) {
    ir::Context ctx(ir::standard_ops());
    const RandomProgram program(rng);
    RandomProgram mutant = program;
    const size_t at = rng.below(mutant.ops.size());
    std::string& op = mutant.ops[at];
    op = op == "add" ? "sub" : op == "tanh" ? "exp" : op == "exp" ? "tanh" : "add";
    const ir::Graph a = ir::parse_graph(ctx, program.text()), b = ir::parse_graph(ctx, mutant.text());
    const Verdict verdict = check_equivalent(a, b);
    const auto place = where_apart(a, b);
    // A difference can be lost in a maximum; then both must say so.
    EXPECT_EQ(verdict.kind == VerdictKind::kRefuted, place.has_value()) << program.text() << "\n"
                                                                        << mutant.text();
    if (!place) continue;
    ++placed;
    EXPECT_EQ(a.name(place->in_a), fmt::format("v{}", at)) << program.text() << "\n" << mutant.text();
    EXPECT_EQ(a.name(place->in_a), b.name(place->in_b));
    EXPECT_GT(place->error, 1e-6);
  }
  EXPECT_GT(placed, 50);
}

TEST(Where, EqualProgramsUnderOtherSpellingsAreAccepted) {
  Rng rng(21);
  for (int round = 0; round < 60; ++round) {
    ir::Context ctx(ir::standard_ops());
    const RandomProgram program(rng);
    // Operands of the commutative operators change places; a - b becomes a + -b.
    std::string other = program.text();
    for (size_t i = 0; i < program.ops.size(); ++i) {
      const auto& [a, b] = program.operands[i];
      const std::string second = b < 0 ? fmt::format("%x{}", -b) : fmt::format("%v{}", b);
      const std::string& op = program.ops[i];
      const std::string before = fmt::format("%v{} = {}(%t{}, {})", i, op, i, second);
      std::string after;
      if (op == "sub")
        after = fmt::format("%n{} = neg({}) : f32[2,3] %v{} = add(%t{}, %n{})", i, second, i, i, i);
      else if (op == "add" || op == "mul" || op == "max")
        after = fmt::format("%v{} = {}({}, %t{})", i, op, second, i);
      if (const size_t where = other.find(before); !after.empty() && where != std::string::npos)
        other.replace(where, before.size(), after);
    }
    const ir::Graph a = ir::parse_graph(ctx, program.text()), b = ir::parse_graph(ctx, other);
    const Verdict verdict = check_equivalent(a, b);
    EXPECT_EQ(verdict.kind, VerdictKind::kProved) << summary(verdict) << "\n"
                                                  << program.text() << "\n"
                                                  << other;
    EXPECT_FALSE(where_apart(a, b));
  }
}

}  // namespace
}  // namespace isomer::verify
