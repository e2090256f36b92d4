#include "ir/context.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <memory>

#include "ir/dag_hash.h"
#include "ir/graph.h"
#include "ir/op_table.h"
#include "ir/print.h"
#include "ir/same_structure.h"
#include "support/hash.h"

namespace isomer::ir {
namespace {

constexpr const char* kProgram = R"(graph outer {
  %0 = input{name="x"} : f32[2]
  %1 = constant : f32[2] {1, 2}
  %2 = add(%0, %1) : f32[2]
  %3 = call{region={
    %0 = input{name="q"} : f32[2]
    %1 = neg(%0) : f32[2]
    return %1
  }}(%2) : f32[2]
  return %3
}
)";

TEST(Context, ACloneHasTheSameUnderTheSameIdsAndGoesItsOwnWay) {
  Context ctx(standard_ops());
  const Graph graph = parse_graph(ctx, kProgram);
  const SymbolId batch = ctx.symbol("batch");
  auto clone = ctx.branch();
  const Graph copy = graph.over(*clone);
  EXPECT_EQ(&copy.context(), clone.get());
  EXPECT_EQ(print(copy), print(graph));
  EXPECT_EQ(&clone->get(RegionId(0)).context(), clone.get());
  EXPECT_EQ(clone->symbol("batch"), batch);
  EXPECT_EQ(clone->fresh_identity(), ctx.fresh_identity());

  const TypeId three = ctx.tensor_type(DType::kF32, {Dim(3)});
  const TypeId five = clone->tensor_type(DType::kF32, {Dim(5)});
  EXPECT_EQ(three, five);  // the next number in both
  EXPECT_EQ(ctx.get(three).shape[0], Dim(3));
  EXPECT_EQ(clone->get(five).shape[0], Dim(5));
  EXPECT_EQ(ctx.intern(ctx.get(graph.type_id(graph.outputs()[0]))), graph.type_id(graph.outputs()[0]));
  EXPECT_EQ(clone->intern(copy.type(copy.outputs()[0])), graph.type_id(graph.outputs()[0]));
}

/// The x with mix64(x) == h: each of its steps can be undone.
uint64_t unmix64(uint64_t h) {
  constexpr uint64_t kFirst = 0xBF58476D1CE4E5B9ull, kSecond = 0x94D049BB133111EBull;
  const auto inverse = [](uint64_t odd) {
    uint64_t x = odd;  // right in the last three bits; each round doubles them
    for (int i = 0; i < 5; ++i) x *= 2 - odd * x;
    return x;
  };
  h ^= h >> 31 ^ h >> 62;
  h *= inverse(kSecond);
  h ^= h >> 27 ^ h >> 54;
  h *= inverse(kFirst);
  return h ^ h >> 30 ^ h >> 60;
}

/// The value with hash_combine(seed, value) == h.
uint64_t uncombine(uint64_t seed, uint64_t h) {
  return (unmix64(h) ^ seed) - 0x9E3779B97F4A7C15ull - (seed << 6) - (seed >> 2);
}

Graph activation(Context& ctx, TypeId type, const char* op, double alpha) {
  Builder b(ctx);
  return b.finish({b.add(op, {b.input("x", type)}, {{"alpha", alpha}})});
}

// dag_hash is no secret and each of its steps can be undone, so somebody may make two bodies of one hash: for
// leaky_relu{alpha=0.5} the alpha of an elu that hashes alike.
TEST(Context, RegionsOfOneHashAreComparedAndStayApart) {
  Context ctx(standard_ops());
  const TypeId type = ctx.tensor_type(DType::kF32, {Dim(2)});
  const uint64_t typed = hash_combine(hash_string(print(ctx, type)), hash_string(""));
  const uint64_t one = hash_combine(hash_string("leaky_relu"), typed);
  const uint64_t other = hash_combine(hash_string("elu"), typed);
  const AttrValue half = 0.5;
  const uint64_t wanted = uncombine(other, hash_combine(one, hash_of(half)));
  const double alpha = std::bit_cast<double>(unmix64(uncombine(half.index(), wanted)) - 2);

  const auto leaky = std::make_shared<const Graph>(activation(ctx, type, "leaky_relu", 0.5));
  const auto elu = std::make_shared<const Graph>(activation(ctx, type, "elu", alpha));
  ASSERT_EQ(dag_hash(*leaky), dag_hash(*elu)) << "the hash has changed: make the collision anew";
  EXPECT_FALSE(same_structure(*leaky, *elu));
  const RegionId first = ctx.add(leaky), second = ctx.add(elu);
  EXPECT_NE(first, second);
  EXPECT_EQ(ctx.get(second).def(ctx.get(second).outputs()[0]).name, "elu");
  EXPECT_EQ(ctx.add(std::make_shared<const Graph>(activation(ctx, type, "leaky_relu", 0.5))), first);
  EXPECT_EQ(ctx.add(std::make_shared<const Graph>(activation(ctx, type, "elu", alpha))), second);
}

TEST(SameStructure, LooksAtTermsNotAtOrderNorNames) {
  Context ctx(standard_ops());
  const auto same = [&](const char* a, const char* b, Identities identities = Identities::kEqual) {
    const Graph left = parse_graph(ctx, a), right = parse_graph(ctx, b);
    EXPECT_TRUE(dag_hash(left) == dag_hash(right) || !same_structure(left, right));
    return same_structure(left, right, identities);
  };
  constexpr const char* kSum = R"(graph {
    %0 = input{name="x"} : f32[2]
    %1 = neg(%0) : f32[2]
    %2 = abs(%0) : f32[2]
    %3 = add(%1, %2) : f32[2]
    return %3
  })";
  EXPECT_TRUE(same(kSum, R"(graph {
    %0 = input{name="other"} : f32[2]
    %1 = abs(%0) : f32[2]
    %2 = neg(%0) : f32[2]
    %3 = neg(%0) : f32[2]
    %4 = add(%3, %1) : f32[2]
    return %4
  })"));
  EXPECT_FALSE(same(kSum, R"(graph {
    %0 = input{name="x"} : f32[2]
    %1 = neg(%0) : f32[2]
    %2 = abs(%0) : f32[2]
    %3 = add(%2, %1) : f32[2]
    return %3
  })"));
  constexpr const char* kConstant = R"(graph {
    %0 = input{name="x"} : f32[2]
    %1 = constant : f32[2] {1, 2}
    %2 = add(%0, %1) : f32[2]
    return %2
  })";
  EXPECT_TRUE(same(kConstant, kConstant));
  EXPECT_FALSE(same(kConstant, R"(graph {
    %0 = input{name="x"} : f32[2]
    %1 = constant : f32[2] {1, 3}
    %2 = add(%0, %1) : f32[2]
    return %2
  })"));
  // Read twice, random operators are others, but those of two runs of one program.
  constexpr const char* kRandom = R"(graph {
    %0 = input{name="x"} : f32[2]
    %1 = opaque{format="f", op="Draw", body="d", identity=1}(%0) : f32[2]
    %2 = opaque{format="f", op="Draw", body="d", identity=2}(%0) : f32[2]
    %3 = sub(%1, %2) : f32[2]
    return %3
  })";
  EXPECT_FALSE(same(kRandom, kRandom));
  EXPECT_TRUE(same(kRandom, kRandom, Identities::kRenamed));
  EXPECT_FALSE(same(kRandom, R"(graph {
    %0 = input{name="x"} : f32[2]
    %1 = opaque{format="f", op="Draw", body="d", identity=1}(%0) : f32[2]
    %2 = sub(%1, %1) : f32[2]
    return %2
  })",
                    Identities::kRenamed));
  // A size that no input has is named after a result, and results are named otherwise in another file.
  const auto filtered = [](const char* size, const char* other) {
    return fmt::format(R"(graph {{
      %0 = input{{name="x"}} : f32[N]
      %1 = opaque{{format="f", op="Filter", body="a"}}(%0) : f32[{}]
      %2 = opaque{{format="f", op="Filter", body="b"}}(%0) : f32[{}]
      %3 = constant : f32[] {{1}}
      %4 = broadcast{{shape=[{}]}}(%3) : f32[{}]
      %5 = add(%1, %4) : f32[{}]
      return %5, %2
    }})",
                       size, other, size, size, size);
  };
  const std::string mine = filtered("y:0", "z:0");
  EXPECT_FALSE(same(mine.c_str(), filtered("v:0", "w:0").c_str()));
  EXPECT_TRUE(same(mine.c_str(), filtered("v:0", "w:0").c_str(), Identities::kRenamed));
  EXPECT_FALSE(same(mine.c_str(), filtered("v:0", "v:0").c_str(), Identities::kRenamed));
  EXPECT_FALSE(same(mine.c_str(), filtered("N", "w:0").c_str(), Identities::kRenamed));
  EXPECT_FALSE(same(R"(graph {
    %0 = input{name="x"} : f32[N]
    return %0
  })",
                    R"(graph {
    %0 = input{name="x"} : f32[M]
    return %0
  })",
                    Identities::kRenamed));
}

}  // namespace
}  // namespace isomer::ir
