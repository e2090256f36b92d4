// Operators applied to many tiles at once give what they give of each tile.
#include "ir/lift.h"

#include <gtest/gtest.h>

#include "eval/run_text.h"
#include "ir/op_table.h"
#include "support/errors.h"

namespace isomer::eval_test {
namespace {

using Ints = std::vector<int64_t>;

struct Case {
  const char* op;
  std::vector<ir::Sizes> operands;
  std::vector<ir::NamedAttr> attrs = {};
};

class Lifting : public testing::Test {
 protected:
  ir::Context ctx{ir::standard_ops()};

  /// One application to the operands `lead` before their own sizes.
  ir::Graph graph_of(const Case& c, const ir::Sizes& lead) {
    ir::Builder b(ctx);
    std::vector<ir::ValueId> values;
    std::vector<ir::TypeId> types;
    for (const ir::Sizes& s : c.operands) {
      ir::Sizes whole = lead;
      whole.insert(whole.end(), s.begin(), s.end());
      values.push_back(b.input("x", ctx.tensor_type(ir::DType::kF32, ir::static_shape(whole))));
      types.push_back(ctx.tensor_type(ir::DType::kF32, ir::static_shape(s)));
    }
    const ir::OpId id = ctx.ops().at(c.op);
    const ir::PayloadId payload = b.make_payload(id, c.attrs);
    const ir::Inferred type = ir::infer(ctx, id, ctx.get(payload), types);
    EXPECT_TRUE(bool(type)) << type.error;
    const ir::OpInstance op(ctx, ctx.ops().get(id), ctx.get(payload), types, type.type);
    return b.finish(ir::lift_parts(b, op, values, lead));
  }

  static std::vector<Value<double>> run(const ir::Graph& g, const std::vector<Tensor<double>>& in) {
    std::vector<Value<double>> values;
    for (const auto& t : in) values.push_back(eval::make_value(t));
    eval::Float64 domain;
    return eval::evaluate<eval::Float64>(domain, g, values);
  }
};

TEST_F(Lifting, GivesWhatEachTileGives) {
  const std::vector<Case> cases = {
      {"add", {{2, 3}, {2, 3}}},
      {"silu", {{2, 3}}},
      {"softmax", {{2, 3}}, {{"axis", int64_t{1}}}},
      {"matmul", {{2, 3}, {3, 4}}},
      {"reduce_max", {{2, 3}}, {{"axes", Ints{0}}, {"keepdims", int64_t{0}}}},
      {"transpose", {{2, 3, 4}}, {{"perm", Ints{2, 0, 1}}}},
      {"reshape", {{2, 6}}, {{"shape", ir::static_shape({3, 4})}}},
      {"broadcast", {{3}}, {{"shape", ir::static_shape({2, 3})}}},
      {"concat", {{2, 3}, {2, 4}}, {{"axis", int64_t{1}}}},
      {"slice", {{4, 5}}, {{"axes", Ints{1}}, {"starts", Ints{1}}, {"ends", Ints{5}}, {"steps", Ints{2}}}},
      {"squeeze", {{2, 1, 3}}, {{"axes", Ints{1}}}},
      {"unsqueeze", {{2, 3}}, {{"axes", Ints{1}}}},
      {"layer_norm", {{2, 3}, {3}}, {{"axis", int64_t{1}}}},
      {"mirage.rms_norm", {{2, 3}}},
      {"mirage.reshape", {{2, 3, 4}}},
      {"mirage.sum_to", {{2, 6}}, {{"width", int64_t{3}}}},
      {"skip_rms_norm", {{1, 2, 3}, {1, 2, 3}, {3}}},
  };
  const ir::Sizes lead = {2, 3};
  for (const Case& c : cases) {
    SCOPED_TRACE(c.op);
    Rng rng(4);
    std::vector<Tensor<double>> whole;
    const ir::Graph all = graph_of(c, lead), one = graph_of(c, {});
    for (ir::ValueId v : all.inputs())
      whole.push_back(random_tensor(ir::DType::kF32, ir::sizes(all.type(v).shape), rng));
    const auto out = run(all, whole);
    for (size_t tile = 0; tile < 6; ++tile) {
      std::vector<Tensor<double>> in;
      for (size_t i = 0; i < whole.size(); ++i) {
        Tensor<double> t{ir::DType::kF32, c.operands[i], {}, {}};
        const auto count = t.count();
        const auto first = whole[i].numbers.begin() + static_cast<std::ptrdiff_t>(tile) * count;
        t.numbers.assign(first, first + count);
        in.push_back(std::move(t));
      }
      std::vector<Value<double>> should = run(one, in);
      if (should[0].tensor == nullptr) should = should[0].elements;
      ASSERT_EQ(out.size(), should.size());
      for (size_t o = 0; o < out.size(); ++o) {
        const auto& own = should[o].tensor->numbers;
        ASSERT_EQ(out[o].tensor->numbers.size(), 6 * own.size());
        for (size_t i = 0; i < own.size(); ++i)
          EXPECT_NEAR(out[o].tensor->numbers[tile * own.size() + i], own[i], 1e-12);
      }
    }
  }
}

TEST_F(Lifting, IsRefusedWhereItIsNotKnown) {
  const std::vector<int64_t> ones = {1}, none = {0, 0};
  EXPECT_THROW(graph_of({"conv",
                         {{1, 2, 5}, {3, 2, 2}},
                         {{"strides", ones}, {"dilations", ones}, {"pads", none}, {"group", int64_t{1}}}},
                        {2}),
               MisuseError);
  EXPECT_THROW(
      graph_of({"pad", {{3}}, {{"pads", none}, {"mode", std::string("constant")}, {"value", 0.0}}}, {2}),
      MisuseError);
}

}  // namespace
}  // namespace isomer::eval_test
