// u64, which is kept as signed integers of 64 bits: order, quotients and conversions against those of C++.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "eval/run_text.h"

namespace isomer::eval_test {
namespace {

constexpr uint64_t kTop = uint64_t{1} << 63, kAll = ~uint64_t{0};

/// Pairs of numbers at which signed arithmetic would go wrong, and at random. Divisors are not 0.
std::vector<std::pair<uint64_t, uint64_t>> pairs() {
  const std::vector<uint64_t> some = {1, 2, 3, 7, kTop - 1, kTop, kTop + 1, kAll - 1, kAll};
  std::vector<std::pair<uint64_t, uint64_t>> out = {{0, 1}, {0, kTop}, {0, kAll}};
  for (uint64_t a : some)
    for (uint64_t b : some) out.emplace_back(a, b);
  Rng rng(1);
  while (out.size() < 300) out.emplace_back(rng.next(), (rng.next() >> rng.below(63)) | 1);
  return out;
}

class Unsigned : public testing::Test {
 protected:
  ir::Context ctx{ir::standard_ops()};

  Tensor<double> run(const std::string& op, const std::string& result, std::vector<Tensor<double>> in) {
    std::string text = "graph {\n", names;
    for (size_t i = 0; i < in.size(); ++i) {
      text +=
          fmt::format("%x{} = input{{name=\"x{}\"}} : {}[{}]\n", i, i, ir::name(in[i].dtype), in[i].count());
      names += fmt::format("{}%x{}", i ? ", " : "", i);
    }
    const int64_t count = in[0].count();
    text += fmt::format("%y = {}({}) : {}[{}]\nreturn %y }}", op, names, result, count);
    const ir::Graph graph = ir::parse_graph(ctx, text);
    std::vector<Value<double>> values;
    for (Tensor<double>& t : in) values.push_back(eval::make_value(std::move(t)));
    eval::Float64 domain;
    eval::EvalOptions<eval::Float64> options;
    options.round_results = true;
    return *eval::evaluate(domain, graph, std::span<const Value<double>>(values), options)[0].tensor;
  }

  static Tensor<double> tensor(const std::vector<uint64_t>& elements) {
    return {ir::DType::kU64, {static_cast<int64_t>(elements.size())}, {}, {elements.begin(), elements.end()}};
  }

  template <class Expected>
  void both(const std::string& op, const std::string& result, const Expected& expected) {
    std::vector<uint64_t> a, b;
    for (const auto& [x, y] : pairs()) {
      a.push_back(x);
      b.push_back(y);
    }
    const Tensor<double> out = run(op, result, {tensor(a), tensor(b)});
    for (size_t i = 0; i < a.size(); ++i)
      ASSERT_EQ(static_cast<uint64_t>(out.integers[i]), static_cast<uint64_t>(expected(a[i], b[i])))
          << op << " of " << a[i] << " and " << b[i];
  }
};

TEST_F(Unsigned, HaveAnOrder) {
  both("less", "bool", [](uint64_t a, uint64_t b) { return a < b; });
  both("less_equal", "bool", [](uint64_t a, uint64_t b) { return a <= b; });
  both("greater", "bool", [](uint64_t a, uint64_t b) { return a > b; });
  both("greater_equal", "bool", [](uint64_t a, uint64_t b) { return a >= b; });
  both("min", "u64", [](uint64_t a, uint64_t b) { return std::min(a, b); });
  both("max", "u64", [](uint64_t a, uint64_t b) { return std::max(a, b); });
}

TEST_F(Unsigned, HaveQuotientsAndRemainders) {
  both("div", "u64", [](uint64_t a, uint64_t b) { return a / b; });
  both("mod{fmod=0}", "u64", [](uint64_t a, uint64_t b) { return a % b; });
  both("mod{fmod=1}", "u64", [](uint64_t a, uint64_t b) { return a % b; });
}

TEST_F(Unsigned, BecomeTheNearestNumber) {
  std::vector<uint64_t> a = {0, 1, kTop - 1, kTop, kTop + 1, kTop + 1025, kTop + 3073, kAll};
  for (const auto& [x, y] : pairs()) a.push_back(x);
  const Tensor<double> wide = run("cast{to=f64}", "f64", {tensor(a)});
  for (size_t i = 0; i < a.size(); ++i) ASSERT_EQ(wide.numbers[i], static_cast<double>(a[i])) << a[i];
}

TEST_F(Unsigned, ComeOfNumbersBeyondSignedOnes) {
  Tensor<double> x{ir::DType::kF64, {6}, {0, 1.75, 0x1.8p62, 0x1p63, 0x1.8p63, 0x1.fffffffffffffp63}, {}};
  const std::vector<double> numbers = x.numbers;
  const Tensor<double> out = run("cast{to=u64}", "u64", {std::move(x)});
  for (size_t i = 0; i < numbers.size(); ++i)
    EXPECT_EQ(static_cast<uint64_t>(out.integers[i]), static_cast<uint64_t>(numbers[i])) << numbers[i];
}

TEST_F(Unsigned, AreSortedByTheirOrder) {
  const ir::Graph graph = ir::parse_graph(ctx, R"(graph { %x = input{name="x"} : u64[4]
    %t = top_k{axis=0, k=2}(%x) : (u64[2], i64[2])
    return %t })");
  const Value<double> in = eval::make_value(tensor({1, kTop + 1, 5, kTop}));
  eval::Float64 domain;
  const auto out = eval::evaluate(domain, graph, std::span<const Value<double>>(&in, 1));
  EXPECT_EQ(out[0].elements[1].tensor->integers, (std::vector<int64_t>{1, 3}));
}

TEST_F(Unsigned, BoolsHaveALargestAndASmallest) {
  for (const auto& [op, size, expected] : {std::tuple{"reduce_max", 3, 1}, std::tuple{"reduce_min", 3, 0},
                                           std::tuple{"reduce_max", 0, 0}, std::tuple{"reduce_min", 0, 1}}) {
    const ir::Graph graph = ir::parse_graph(ctx, fmt::format(R"(graph {{ %x = input{{name="x"}} : bool[{}]
      %y = {}{{axes=[0], keepdims=0}}(%x) : bool[]
      return %y }})",
                                                             size, op));
    Tensor<double> x{ir::DType::kBool, {size}, {}, {}};
    if (size > 0) x.integers = {0, 1, 0};
    const Value<double> in = eval::make_value(std::move(x));
    eval::Float64 domain;
    EXPECT_EQ(eval::evaluate(domain, graph, std::span<const Value<double>>(&in, 1))[0].tensor->integers[0],
              expected)
        << op << " of " << size;
  }
}

}  // namespace
}  // namespace isomer::eval_test
