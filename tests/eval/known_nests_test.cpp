// Compiled nests that are kept: of equal instances one, and whoever runs it is named as himself.
#include "meaning/known_nests.h"

#include <gtest/gtest.h>

#include "eval/run_text.h"
#include "support/errors.h"

namespace isomer::eval_test {
namespace {

class Known : public testing::Test {
 protected:
  const std::vector<meaning::CompiledNest>& of(const std::string& text) { return of(ctx_, text); }
  const std::vector<meaning::CompiledNest>& of(ir::Context& ctx, const std::string& text) {
    const ir::Graph g = ir::parse_graph(ctx, text);
    const ir::ValueId v = g.outputs()[0];
    std::vector<ir::TypeId> types;
    for (ir::ValueId o : g.operands(v)) types.push_back(g.type_id(o));
    return known_.of({g.context(), g.def(v), g.attrs(v), types, g.type_id(v)}, "op");
  }
  ir::Context ctx_{ir::standard_ops()};
  meaning::KnownNests known_;
};

std::string sum(const std::string& axes, const std::string& type, const std::string& out) {
  return "graph { %x = input{name=\"x\"} : " + type + "\n %y = reduce_sum{axes=" + axes +
         ",keepdims=0}(%x) : " + out + "\n return %y }";
}

TEST_F(Known, OneOfEqualInstances) {
  const auto& first = of(sum("[0]", "f32[4,4]", "f32[4]"));
  EXPECT_EQ(&of(sum("[0]", "f32[4,4]", "f32[4]")), &first);
  EXPECT_NE(&of(sum("[1]", "f32[4,4]", "f32[4]")), &first);
  EXPECT_NE(&of(sum("[0]", "f64[4,4]", "f64[4]")), &first);
  EXPECT_NE(&of(sum("[0]", "f32[6,4]", "f32[4]")), &first);
  EXPECT_EQ(first[0].reduce, (std::vector<int64_t>{4}));
}

TEST_F(Known, ContextsHaveNumbersOfTheirOwn) {
  ir::Context first(ir::standard_ops()), second(ir::standard_ops());
  EXPECT_EQ(of(first, sum("[0]", "f32[4,4]", "f32[4]"))[0].reduce, (std::vector<int64_t>{4}));
  EXPECT_EQ(of(second, sum("[0]", "f32[6,4]", "f32[4]"))[0].reduce, (std::vector<int64_t>{6}));
}

TEST_F(Known, ErrorsNameTheNodeThatRuns) {
  eval::EvalOptions<eval::Float64> options;
  options.nests = &known_;
  const auto failing = [&](const std::string& name, int64_t index) -> std::string {
    const ir::Graph g =
        ir::parse_graph(ctx_,
                        "graph { %x = input{name=\"x\"} : f32[4]\n %i = input{name=\"i\"} : i64[1]\n"
                        "%y = gather{axis=0}(%x, %i) : f32[1] \"" +
                            name + "\"\n return %y }");
    const std::vector<Value<double>> in = {
        eval::make_value(Tensor<double>{ir::DType::kF32, {4}, {1, 2, 3, 4}, {}}),
        eval::make_value(Tensor<double>{ir::DType::kI64, {1}, {}, {index}})};
    eval::Float64 domain;
    try {
      eval::evaluate<eval::Float64>(domain, g, in, options);
    } catch (const InputError& e) {
      return e.what();
    }
    return "none";
  };
  EXPECT_EQ(failing("first", 2), "none");
  EXPECT_NE(failing("second", 9).find("'second'"), std::string::npos);
  EXPECT_NE(failing("third", 7).find("'third'"), std::string::npos);
}

}  // namespace
}  // namespace isomer::eval_test
