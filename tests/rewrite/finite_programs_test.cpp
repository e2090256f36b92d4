// Random programs with constants of all sizes, rewritten by the shipped rules under `--float finite`: what an
// e-graph then holds is evaluated in float32, whatever nodes are picked. Where the original computes ordinary
// numbers alone, every program in the e-graph must compute finite ones. Under `fast` some do not.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "eval/float_domain.h"
#include "eval/interpreter.h"
#include "ir/constant_data.h"
#include "ir/op_table.h"
#include "ir/print.h"
#include "rewrite/float_range.h"
#include "rewrite/rule_parser.h"
#include "rewrite/rule_stability.h"
#include "rewrite/saturate.h"
#include "rewrite/shipped_files.h"
#include "support/rng.h"
#include "support/sanitized.h"

namespace isomer::rewrite {
namespace {

using Values = std::vector<eval::Value<double>>;

class RandomPrograms {
 public:
  RandomPrograms(ir::DType dtype, uint64_t seed) : dtype_(dtype), rng_(seed) {}

  /// Near 1, or near the ends of what is ordinary; now and then zero.
  double number() {
    if (rng_.chance(0.04)) return 0;
    const bool half = dtype_ == ir::DType::kF16;
    const double most = half ? 2.5 : 29;
    const double exponent = rng_.chance(0.4) ? rng_.uniform() : most * (0.5 + 0.5 * rng_.uniform());
    return std::pow(10, rng_.chance(0.5) ? exponent : -exponent) * (rng_.chance(0.3) ? -1 : 1);
  }

  std::string program() {
    std::string text;
    const std::string type = fmt::format(" : {}[2,2]\n", ir::name(dtype_));
    values_ = 0;
    const auto add = [&](const std::string& what) {
      text += fmt::format("%{} = {}{}", values_++, what, type);
      return values_ - 1;
    };
    const auto constant = [&] {
      const double a = number(), b = rng_.chance(0.7) ? a : number();
      return add(fmt::format("constant", 0).append("@") + fmt::format("{} {}", a, b));
    };
    add("input{name=\"x\"}");
    add("input{name=\"y\"}");
    std::vector<int> floats{0, 1};
    const auto pick = [&] {
      return floats[floats.size() - 1 - rng_.below(std::min<size_t>(3, floats.size()))];
    };
    for (int n = 3 + static_cast<int>(rng_.below(6)); n > 0; --n) {
      static constexpr const char* kBinary[] = {"mul", "mul", "mul", "mul",   "div",
                                                "div", "add", "sub", "matmul"};
      static constexpr const char* kUnary[] = {"neg", "relu", "sigmoid", "tanh", "abs", "reciprocal"};
      const int x = pick();
      const uint64_t kind = rng_.below(10);
      if (kind < 6) {
        const int c = constant();
        floats.push_back(add(fmt::format("{}(%{}, %{})", kBinary[rng_.below(std::size(kBinary))], x, c)));
      } else if (kind < 8) {
        floats.push_back(
            add(fmt::format("{}(%{}, %{})", kBinary[rng_.below(std::size(kBinary))], x, pick())));
      } else if (kind < 9) {
        floats.push_back(add(fmt::format("{}(%{})", kUnary[rng_.below(6)], x)));
      } else {
        static constexpr double kPowers[] = {2, 3, 0.5, -0.5, -1, 1};
        const double p = kPowers[rng_.below(6)];
        const int c = add("constant@" + fmt::format("{} {}", p, p));
        floats.push_back(add(fmt::format("pow(%{}, %{})", x, c)));
      }
    }
    // "constant@a b : type" -> "constant : type {a, b, a, b}"
    std::string out;
    for (size_t at = 0; at < text.size();) {
      const size_t end = text.find('\n', at);
      std::string line = text.substr(at, end - at);
      if (const size_t mark = line.find('@'); mark != std::string::npos) {
        const size_t colon = line.find(" :"), space = line.find(' ', mark);
        const std::string a = line.substr(mark + 1, space - mark - 1);
        const std::string b = line.substr(space + 1, colon - space - 1);
        line = line.substr(0, mark) + line.substr(colon) + fmt::format(" {{{}, {}, {}, {}}}", a, b, a, b);
      }
      out += line + "\n";
      at = end + 1;
    }
    return out;
  }
  int values() const { return values_; }
  Rng& rng() { return rng_; }

 private:
  ir::DType dtype_;
  Rng rng_;
  int values_ = 0;
};

/// Smallest and largest size of what is not zero; infinity for what is not a number.
std::pair<double, double> sizes(const Values& values) {
  double least = INFINITY, most = 0;
  for (const auto& v : values)
    for (double x : v.tensor->numbers) {
      most = std::isnan(x) ? INFINITY : std::max(most, std::abs(x));
      if (x != 0) least = std::min(least, std::abs(x));
    }
  return {least, most};
}

Values run(const ir::Graph& graph, const Values& inputs) {
  eval::Float32 narrow;
  eval::EvalOptions<eval::Float32> stored;
  stored.round_results = true;
  return eval::evaluate(narrow, graph, std::span<const eval::Value<double>>(inputs), stored);
}

/// Some program of the e-graph: each class the first of its nodes whose operands have one; half of the time
/// those that were made last.
ir::Graph some_program(const TensorEGraph& program, Rng& rng) {
  const EGraph& g = program.graph();
  std::vector<uint32_t> order(g.slots());
  for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  if (rng.chance(0.5))
    std::ranges::reverse(order);
  else
    for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[rng.below(i)]);
  std::vector<egraph::NodeId> picked(g.slots());
  for (bool more = true; more;) {
    more = false;
    for (uint32_t i : order) {
      const egraph::NodeId n(i);
      if (g.dead(n) || !g.usable(n) || picked[g.class_of(n).index()].valid()) continue;
      const auto children = g.children(n);
      if (!std::ranges::all_of(children, [&](auto c) { return picked[g.find(c).index()].valid(); })) continue;
      picked[g.class_of(n).index()] = n;
      more = true;
    }
  }
  return program.to_graph([&](egraph::ClassId c) { return picked[c.index()]; });
}

RuleSet shipped(ir::Context& ctx) {
  RuleSet rules;
  for (const char* file : {"algebra", "less_work", "selection", "spelling"})
    rules.append(load_rules(ctx.ops(), std::string(ISOMER_SOURCE_DIR "/rules/") + file + ".rules"));
  return rules;
}

SaturateOptions little() {
  SaturateOptions options;
  options.limits.iterations = 5;
  options.limits.nodes = 400;
  return options;
}

struct Count {
  int programs = 0, compared = 0, broken = 0;
  std::string first;  ///< that is broken
};

Count count(ir::DType dtype, FloatPromise promise, int programs, uint64_t seed = 1) {
  ir::Context ctx(ir::standard_ops());
  const RuleSet rules = shipped(ctx);
  RandomPrograms random(dtype, seed);
  const FloatRange usual = ordinary(dtype);
  Count out;
  for (; out.programs < programs; ++out.programs) {
    const std::string body = random.program();
    std::string all;
    for (int i = 0; i < random.values(); ++i) all += fmt::format("{}%{}", i == 0 ? "" : ", ", i);
    const ir::Graph graph =
        ir::parse_graph(ctx, fmt::format("graph {{\n{}return %{} }}", body, random.values() - 1));
    const ir::Graph watched = ir::parse_graph(ctx, fmt::format("graph {{\n{}return {} }}", body, all));
    TensorEGraph program(graph, promise);
    Saturation saturation(program, rules);
    saturation.run(little());
    for (int draw = 0; draw < 10; ++draw) {
      Values inputs;
      for (int i = 0; i < 2; ++i) {
        eval::Tensor<double> t{dtype, {2, 2}, {}, {}};
        for (int k = 0; k < 4; ++k) t.numbers.push_back(ir::round_to(dtype, random.number()));
        inputs.push_back(eval::make_value(std::move(t)));
      }
      const Values values = run(watched, inputs);
      Values computed;
      for (size_t i = 0; i < values.size(); ++i)
        if (watched.def(watched.outputs()[i]).name != "constant") computed.push_back(values[i]);
      const auto [least, most] = sizes(computed);
      if (most > usual.high || least < usual.least) continue;
      for (int pick = 0; pick < 4; ++pick) {
        const ir::Graph other = some_program(program, random.rng());
        ++out.compared;
        if (std::isfinite(sizes(run(other, inputs)).second)) continue;
        ++out.broken;
        if (out.first.empty()) out.first = ir::print(graph) + "became\n" + ir::print(other);
      }
    }
  }
  return out;
}

TEST(FinitePrograms, StayFinite) {
  for (ir::DType dtype : {ir::DType::kF32, ir::DType::kF16, ir::DType::kBF16}) {
    const Count finite = count(dtype, FloatPromise::kFinite, draws(160));
    EXPECT_GT(finite.compared, draws(100));
    EXPECT_EQ(finite.broken, 0) << finite.first;
    if constexpr (!kSanitized) {
      EXPECT_GT(count(dtype, FloatPromise::kFast, 160).broken, 0) << "the test sees nothing";
    }
  }
}

// Minutes.
TEST(FinitePrograms, DISABLED_LongManyStayFinite) {
  for (ir::DType dtype : {ir::DType::kF32, ir::DType::kF16, ir::DType::kBF16}) {
    const Count finite = count(dtype, FloatPromise::kFinite, 5000, 2);
    const Count fast = count(dtype, FloatPromise::kFast, 5000, 2);
    EXPECT_EQ(finite.broken, 0) << finite.first;
    const std::string name(ir::name(dtype));
    RecordProperty(name + "_finite", fmt::format("{} of {}", finite.broken, finite.compared));
    RecordProperty(name + "_fast", fmt::format("{} of {}", fast.broken, fast.compared));
  }
}

bool same_bits(double a, double b) {
  return std::isnan(a) ? std::isnan(b) : a == b && std::signbit(a) == std::signbit(b);
}

// What `--float strict` uses, at zeros of both signs, infinities and NaN too.
TEST(FinitePrograms, OfBitExactRulesAreTheSame) {
  ir::Context ctx(ir::standard_ops());
  RuleSet rules = shipped(ctx);
  rules.rules = some_of(rules.rules, 3);
  std::erase_if(rules.rules, [&](const Rule& rule) {
    return rule.stability != Stability::kExact || !is_bit_exact(measure_stability(ctx, rule));
  });
  EXPECT_GT(rules.rules.size(), size_t(draws(40)));
  RandomPrograms random(ir::DType::kF32, 3);
  int compared = 0;
  for (int n = 0; n < draws(200); ++n) {
    const std::string body = random.program();
    const ir::Graph graph =
        ir::parse_graph(ctx, fmt::format("graph {{\n{}return %{} }}", body, random.values() - 1));
    TensorEGraph program(graph, FloatPromise::kStrict);
    Saturation saturation(program, rules);
    saturation.run(little());
    for (int draw = 0; draw < 4; ++draw) {
      Values inputs;
      for (int i = 0; i < 2; ++i) {
        eval::Tensor<double> t{ir::DType::kF32, {2, 2}, {}, {}};
        static constexpr double kEdges[] = {0, -0.0, 1, -1, INFINITY, -INFINITY, NAN, 3e38};
        for (int k = 0; k < 4; ++k)
          t.numbers.push_back(random.rng().chance(0.5) ? kEdges[random.rng().below(8)]
                                                       : ir::round_to(ir::DType::kF32, random.number()));
        inputs.push_back(eval::make_value(std::move(t)));
      }
      const Values before = run(graph, inputs);
      const ir::Graph other = some_program(program, random.rng());
      const Values after = run(other, inputs);
      ++compared;
      for (size_t k = 0; k < before[0].tensor->numbers.size(); ++k)
        ASSERT_TRUE(same_bits(before[0].tensor->numbers[k], after[0].tensor->numbers[k]))
            << ir::print(graph) << "became\n"
            << ir::print(other);
    }
  }
  EXPECT_GT(compared, draws(500));
}

}  // namespace
}  // namespace isomer::rewrite
