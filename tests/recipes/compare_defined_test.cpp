// A run of a file is what was read of it, or it is not.
#include "recipes/compare_defined.h"

#include <gtest/gtest.h>

#include <cmath>

#include "ir/constant_data.h"
#include "ir/op_table.h"
#include "ir/print.h"

namespace isomer::recipes {
namespace {

runtime::NamedTensor tensor(const std::string& name, ir::DType dtype, const std::vector<double>& values) {
  runtime::NamedTensor out{name, dtype, {static_cast<int64_t>(values.size())}, {}, {}};
  out.bytes.resize(static_cast<size_t>(ir::byte_size(dtype, static_cast<int64_t>(values.size()))));
  for (size_t i = 0; i < values.size(); ++i)
    if (ir::is_float(dtype))
      ir::store_number(dtype, out.bytes, static_cast<int64_t>(i), values[i]);
    else
      ir::store_integer(dtype, out.bytes, static_cast<int64_t>(i), static_cast<int64_t>(values[i]));
  return out;
}

AsDefined of(const std::string& body, ir::DType dtype, const std::vector<double>& x,
             const std::vector<double>& y) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph graph = ir::parse_graph(ctx, "graph { " + body + " return %y }");
  return as_defined(graph, {{tensor("x", dtype, x)}, {tensor("y", dtype, y)}},
                    {.tolerance = 1e-3, .shares = {}});
}

const char* const kRelu = "%x = input{name=\"x\"} : f32[2] %y = relu(%x) : f32[2]";

TEST(AsDefined, FloatsAreHeldToTheLargest) {
  const AsDefined right = of(kRelu, ir::DType::kF32, {-1, 2}, {0, 2.001});
  EXPECT_TRUE(right.known);
  EXPECT_EQ(right.departs, "");
  EXPECT_NE(of(kRelu, ir::DType::kF32, {-1, 2}, {0.1, 2}).departs, "");
  EXPECT_NE(of(kRelu, ir::DType::kF32, {-1, 2}, {0, NAN}).departs, "");
  EXPECT_NE(of(kRelu, ir::DType::kF32, {-1, 2}, {0}).departs, "") << "another shape";
}

TEST(AsDefined, IntegersAreExact) {
  const char* const kTwice = "%x = input{name=\"x\"} : i64[2] %y = add(%x, %x) : i64[2]";
  EXPECT_EQ(of(kTwice, ir::DType::kI64, {1000000, 2}, {2000000, 4}).departs, "");
  EXPECT_EQ(of(kTwice, ir::DType::kI64, {1000000, 2}, {2000001, 4}).departs,
            "output y at element 0: 2000001 against 2000000");
}

TEST(AsDefined, WhatHasNoMeaningSaysNothing) {
  const char* const kStrange =
      "%x = input{name=\"x\"} : f32[2] %y = opaque{format=\"onnx\", op=\"Strange\", body=\"\"}(%x) : f32[2]";
  EXPECT_FALSE(of(kStrange, ir::DType::kF32, {1, 2}, {1, 2}).known);
}

}  // namespace
}  // namespace isomer::recipes
