// What a runtime alone tells apart, and what is apart.
#include "recipes/doubts.h"

#include <gtest/gtest.h>

#include "ir/constant_data.h"
#include "ir/op_table.h"
#include "ir/print.h"

namespace isomer::recipes {
namespace {

runtime::NamedTensor tensor(ir::DType dtype, const std::vector<double>& values) {
  const auto count = static_cast<int64_t>(values.size());
  runtime::NamedTensor out{"x", dtype, {count}, {}, {}};
  out.bytes.resize(static_cast<size_t>(ir::byte_size(dtype, count)));
  for (int64_t i = 0; i < count; ++i)
    if (ir::is_float(dtype))
      ir::store_number(dtype, out.bytes, i, values[static_cast<size_t>(i)]);
    else
      ir::store_integer(dtype, out.bytes, i, static_cast<int64_t>(values[static_cast<size_t>(i)]));
  return out;
}

/// Of two programs of %x that make %y, the runtime having told them apart at `x`, by a share or otherwise.
Settled settled(const std::string& a, const std::string& b, const runtime::NamedTensor& x, bool share,
                const std::string& left_out = "") {
  ir::Context ctx(ir::standard_ops());
  const auto program = [&](const std::string& body) {
    return Program{ir::parse_graph(ctx, "graph { " + body + " return %y }"), nullptr};
  };
  const Program one = program(a), two = program(b);
  const std::string no_path;
  const RunsAsked asked{no_path, no_path, one, two, {}, {}, {}, {}, 1e-4, 0, {}};
  runtime::TrialReport report;
  report.doubts.push_back({share ? 0 : -1, "output y", {}, {x}});
  report.doubt_left_out = left_out;
  return settle(ctx, asked, report);
}

const std::string kX = "%x = input{name=\"x\"} : f32[2] %one = constant : f32[2] {1, 1} ";
const std::string kSigmoid = kX + "%y = sigmoid(%x) : f32[2]";
const std::string kByHand = kX + R"(%n = neg(%x) : f32[2]
    %e = exp(%n) : f32[2]
    %s = add(%e, %one) : f32[2]
    %y = reciprocal(%s) : f32[2])";

TEST(Doubts, SharesNextToNothingAreHeldToTheirOwnSize) {
  const runtime::NamedTensor x = tensor(ir::DType::kF32, {-30, -18});
  EXPECT_EQ(settled(kSigmoid, kByHand, x, true).agreed, 1);
  const std::string beside = kX + R"(%shift = constant : f32[2] {0.001, 0.001}
    %z = add(%x, %shift) : f32[2]
    %y = sigmoid(%z) : f32[2])";
  const Settled other = settled(kSigmoid, beside, x, true);
  EXPECT_TRUE(other.shares_apart) << "of 1e-8 a thousandth";
  EXPECT_EQ(other.agreed, 0);
}

TEST(Doubts, DoublePrecisionHasNoDigitsOfItEither) {
  const std::string tangent = kX + R"(%half = constant : f32[2] {0.5, 0.5}
    %h = mul(%x, %half) : f32[2]
    %t = tanh(%h) : f32[2]
    %s = mul(%t, %half) : f32[2]
    %y = add(%s, %half) : f32[2])";
  EXPECT_EQ(settled(kSigmoid, tangent, tensor(ir::DType::kF32, {-18, -5}), true).agreed, 1);
  const Settled beyond = settled(kSigmoid, tangent, tensor(ir::DType::kF32, {-36, -5}), true);
  EXPECT_EQ(beyond.unknown, "output y");
  EXPECT_FALSE(beyond.shares_apart);
  const std::string next = kX + R"(%z = add(%x, %one) : f32[2]
    %y = sigmoid(%z) : f32[2])";
  EXPECT_TRUE(settled(kSigmoid, next, tensor(ir::DType::kF32, {-40, -41}), true).shares_apart);
}

TEST(Doubts, WhatOnnxDoesNotSeeTheInterpreterMaySee) {
  const std::string input = "%x = input{name=\"x\"} : i64[2] ";
  const std::string twice = input + "%y = add(%x, %x) : i64[2]";
  const std::string times = input + "%two = constant : i64[2] {2, 2} %y = mul(%x, %two) : i64[2]";
  const runtime::NamedTensor x = tensor(ir::DType::kI64, {8589934592, -5});
  EXPECT_EQ(settled(twice, times, x, false).agreed, 1);
  const Settled other = settled(twice, input + "%y = mul(%x, %x) : i64[2]", x, false);
  EXPECT_EQ(other.denied, "output y");
  EXPECT_FALSE(other.shares_apart);
}

TEST(Doubts, WhatIsNotAskedIsNotSettled) {
  const std::string strange = kX + "%y = opaque{format=\"onnx\", op=\"Strange\", body=\"\"}(%x) : f32[2]";
  const runtime::NamedTensor x = tensor(ir::DType::kF32, {-30, -18});
  EXPECT_EQ(settled(kSigmoid, strange, x, true).unknown, "output y");
  EXPECT_EQ(settled(kSigmoid, strange, x, false).denied, "output y");
  const Settled some = settled(kSigmoid, kByHand, x, true, "output z");
  EXPECT_EQ(some.agreed, 1);
  EXPECT_EQ(some.unknown, "output z") << "for which there was no room";
}

}  // namespace
}  // namespace isomer::recipes
