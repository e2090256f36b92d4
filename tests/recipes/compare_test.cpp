// Two models compared and, where they differ, the place named: pairs of which ONNX Runtime's own optimizer
// made one (tests/data/verify/make_models.py).
#include "recipes/compare.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "ir/op_table.h"
#include "ir/print.h"
#include "recipes/agreement.h"
#include "recipes/load.h"
#include "support/errors.h"

namespace isomer::recipes {
namespace {

std::string model(const std::string& name) {
  return ISOMER_SOURCE_DIR "/tests/data/verify/" + name + ".onnx";
}

bool contains(const std::vector<std::string>& list, const std::string& what) {
  return std::ranges::find(list, what) != list.end();
}

class CompareModels : public testing::Test {
 protected:
  void SetUp() override {
    try {
      runtime::OnnxRuntime().info();
    } catch (const MissingRuntimeError& error) {
      GTEST_SKIP() << error.what();
    }
  }
  static CompareResult run(const std::string& a, const std::string& b, uint64_t seed = 0) {
    CompareOptions options;
    options.seed = seed;
    return compare(model(a), model(b), options);
  }
};

TEST_F(CompareModels, AMaskReplacedByItsLengthIsFoundWithThePlace) {
  for (uint64_t seed : {0, 1, 2}) {
    const CompareResult result = run("mask", "mask_length", seed);
    EXPECT_FALSE(result.equivalent);
    EXPECT_GT(result.max_relative_error, 0.1);
    EXPECT_EQ(result.first_difference.value_a, "Reshape_4");
    EXPECT_EQ(result.first_difference.value_b, "Reshape_4");
    EXPECT_EQ(result.first_difference.operator_a, "Reshape");
    EXPECT_EQ(result.first_difference.operator_b, "com.microsoft.Attention");
    EXPECT_GT(result.first_difference.error, 0.1);
    EXPECT_TRUE(contains(result.first_difference.from, "LayerNormalization_1"));
    EXPECT_TRUE(contains(result.first_difference.operators_between_a, "Softmax"));
    EXPECT_TRUE(contains(result.first_difference.operators_between_b, "ReduceSum"));
  }
}

TEST_F(CompareModels, TheSameOptimizerIsRightWhenItKeepsTheMask) {
  const CompareResult result = run("mask", "mask_raw");
  EXPECT_TRUE(result.equivalent) << result.detail;
  EXPECT_LT(result.max_relative_error, 1e-5);
  EXPECT_TRUE(result.first_difference.value_a.empty());
}

TEST_F(CompareModels, ValuesUnderOtherNamesAreMatchedByTheirContents) {
  const CompareResult result = run("mask", "renamed");
  EXPECT_FALSE(result.equivalent);
  EXPECT_EQ(result.first_difference.value_a,
            "LayerNormalization_3");  // an output: all between has other names
  EXPECT_TRUE(contains(result.first_difference.from, "LayerNormalization_1"));
  EXPECT_FALSE(contains(result.first_difference.from, "input_ids"));
}

TEST_F(CompareModels, FirstAndLastOfEqualNumbersAreDifferentPlaces) {
  const CompareResult last = run("argmax", "argmax_last");
  EXPECT_EQ(last.verdict, Agreement::kDifferent);
  EXPECT_EQ(last.first_difference.value_a, "place");
  const CompareResult wrong = run("argmax", "argmax_wrong");
  EXPECT_FALSE(wrong.equivalent);
  EXPECT_EQ(wrong.first_difference.value_a, "place");
  EXPECT_EQ(wrong.first_difference.operator_b, "Sub");
}

TEST_F(CompareModels, InputsFromAFile) {
  // Ones and then zeros: here the optimizer's mask is right, which is why generated masks are random.
  const std::string file = std::filesystem::temp_directory_path() / "isomer_compare_mask.npz";
  const std::string script =
      "import numpy as np; np.savez('" + file +
      "', input_ids=np.arange(8).reshape(1, 8), token_type_ids=np.zeros((1, 8), np.int64), "
      "attention_mask=np.array([[1, 1, 1, 1, 1, 0, 0, 0]]))";
  const char* python = std::getenv("ISOMER_PYTHON");
  const std::string command =
      std::string(python ? python : ISOMER_SOURCE_DIR "/.venv/bin/python") + " -c \"" + script + "\"";
  if (std::system(command.c_str()) != 0) GTEST_SKIP() << "no numpy to write an .npz with";
  CompareOptions options;
  options.inputs = file;
  const CompareResult result = compare(model("mask"), model("mask_length"), options);
  EXPECT_EQ(result.verdict, Agreement::kTested) << result.detail;
  std::filesystem::remove(file);
}

TEST(Compare, ProgramsThatNoRuntimeRuns) {
  const auto folder = std::filesystem::temp_directory_path();
  const auto write = [&](const std::string& name, const std::string& body) {
    std::ofstream(folder / name)
        << "graph { %x = input{name=\"x\"} : f32[2,3] %y = input{name=\"y\"} : f32[2,3] " << body << " }";
    return (folder / name).string();
  };
  const std::string a =
      write("isomer_a.graph", "%s = add(%x, %y) : f32[2,3] \"s\" %t = mul(%s, %s) : f32[2,3] return %t");
  const std::string b =
      write("isomer_b.graph", "%s = add(%y, %x) : f32[2,3] %t = mul(%s, %s) : f32[2,3] return %t");
  const std::string c =
      write("isomer_c.graph", "%s = sub(%x, %y) : f32[2,3] \"s\" %t = mul(%s, %s) : f32[2,3] return %t");
  const CompareResult same = compare(a, b);
  EXPECT_TRUE(same.equivalent);
  EXPECT_EQ(same.verdict, Agreement::kProved);
  EXPECT_EQ(same.scope, "all inputs, in exact arithmetic");
  EXPECT_LT(same.error_probability, 0x1p-100);
  const CompareResult other = compare(a, c);
  EXPECT_FALSE(other.equivalent);
  EXPECT_EQ(other.first_difference.value_a, "s");
  EXPECT_EQ(other.first_difference.operator_a, "add");
  EXPECT_EQ(other.first_difference.operator_b, "sub");
  for (const std::string& file : {a, b, c}) std::filesystem::remove(file);
}

TEST(Agreement, TolerancesGoByPrecision) {
  ir::Context ctx(ir::standard_ops());
  const auto tolerance = [&](const std::string& type) {
    return tolerance_for(ir::parse_graph(ctx, "graph { %x = input{name=\"x\"} : " + type +
                                                  "[2] %y = exp(%x) : " + type + "[2] return %y }"),
                         1e-4);
  };
  EXPECT_EQ(tolerance("f32"), 1e-4);
  EXPECT_EQ(tolerance("f16"), 1e-2);
  EXPECT_EQ(tolerance("bf16"), 5e-2);
  EXPECT_LT(tolerance("f64"), 1e-7);
}

TEST(Agreement, EachOutputIsHeldToTheTypesThatItIsComputedThrough) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph graph = ir::parse_graph(ctx,
                                          "graph { %x = input{name=\"x\"} : f32[2] %h = cast{to=bf16}(%x) : "
                                          "bf16[2] %y = cast{to=f32}(%h) : f32[2] "
                                          "%z = exp(%x) : f32[2] return %y, %z }");
  EXPECT_EQ(tolerances_for(graph, 1e-4), (std::vector<double>{5e-2, 1e-4}));
}

}  // namespace
}  // namespace isomer::recipes
