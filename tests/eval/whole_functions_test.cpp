// Functions of several steps, to all their digits where the steps lose them.
#include "eval/whole_functions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "eval/interpreter.h"
#include "ir/op_table.h"

namespace isomer::eval {
namespace {

/// Of one element.
struct Function {
  ir::Context ctx{ir::standard_ops()};
  ir::Graph graph;

  explicit Function(std::string_view op) : graph(made_of(ctx, op)) {}
  static ir::Graph made_of(ir::Context& ctx, std::string_view op) {
    ir::Builder b(ctx);
    const ir::ValueId x = b.input("x", ctx.tensor_type(ir::DType::kF32, {ir::Dim(1)}));
    return b.finish({b.add(op, {x})});
  }
  template <class D>
  double in(double x) const {
    D domain;
    Tensor<double> t{ir::DType::kF32, {1}, {x}, {}};
    const std::vector<Value<double>> inputs = {make_value(std::move(t))};
    return evaluate(domain, graph, std::span<const Value<double>>(inputs))[0].tensor->numbers[0];
  }
};

TEST(WholeFunctions, KeepTheDigitsThatTheStepsLose) {
  struct Case {
    const char* op;
    double x, y;
  };
  const double tiny = -1e-12, far = std::exp(-80.0);
  for (const Case& c :
       {Case{"softplus", -80, far},
        {"softplus", -20, std::log1p(std::exp(-20.0))},
        {"mish", -80, -80 * far},
        {"elu", tiny, std::expm1(tiny)},
        {"celu", tiny, std::expm1(tiny)},
        {"selu", tiny, 1.05070102214813232421875 * 1.67326319217681884765625 * std::expm1(tiny)},
        {"gelu", -9, -4.5 * std::erfc(9 / std::sqrt(2.0))}}) {
    const Function f(c.op);
    EXPECT_NEAR(f.in<WholeFloat64>(c.x) / c.y, 1, 1e-12) << c.op;
    EXPECT_EQ(f.in<WholeFloat32>(c.x), static_cast<double>(static_cast<float>(f.in<WholeFloat64>(c.x))))
        << c.op;
    EXPECT_GT(std::abs(f.in<Float32>(c.x) / c.y - 1), 1e-3) << c.op << ": the steps lose them";
  }
}

TEST(WholeFunctions, AreTheStepsElsewhere) {
  for (const char* op :
       {"softplus", "sigmoid", "mish", "elu", "celu", "selu", "gelu", "silu", "softsign", "tanh"}) {
    const Function f(op);
    for (const double x : {-3.5, -1.0, -0.5, 0.0, 0.25, 1.0, 2.0, 7.0, 100.0, 1e30})
      EXPECT_NEAR(f.in<WholeFloat64>(x), f.in<Float64>(x), 1e-14 * std::abs(f.in<Float64>(x)) + 1e-15)
          << op << " at " << x;
    EXPECT_EQ(std::signbit(f.in<WholeFloat64>(-0.0)), std::signbit(f.in<Float64>(-0.0))) << op;
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    for (const double x : {kInfinity, -kInfinity, std::numeric_limits<double>::quiet_NaN()}) {
      const double steps = f.in<Float64>(x), whole = f.in<WholeFloat64>(x);
      EXPECT_TRUE(steps == whole || (std::isnan(steps) && std::isnan(whole))) << op << " at " << x;
    }
  }
}

TEST(WholeFunctions, AreThoseOfSeveralSteps) {
  for (const char* op : {"softplus", "sigmoid", "gelu", "silu"})
    EXPECT_TRUE(has_whole_functions(Function(op).graph)) << op;
  for (const char* op : {"exp", "relu", "softsign", "hard_swish", "neg"})
    EXPECT_FALSE(has_whole_functions(Function(op).graph)) << op;
}

}  // namespace
}  // namespace isomer::eval
