// Functions that are generated, not called: their error in units in the last place against the C library in
// double precision, and that lanes do not matter. `make test` takes a sample, the long test every argument.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "codegen/lower.h"
#include "codegen/schedule.h"
#include "ir/op_table.h"
#include "ir/print.h"
#include "native/program.h"
#include "support/rng.h"
#include "support/sanitized.h"

namespace isomer::native {
namespace {

constexpr size_t kBlock = 1 << 16;
using Floats = std::vector<float>;

/// What docs/codegen.md states.
struct Function {
  const char* name;
  double bound;  ///< in units in the last place
  double (*reference)(double);
};
constexpr Function kFunctions[] = {
    {"exp", 2, std::exp},        {"log", 2, std::log},        {"tanh", 3, std::tanh},
    {"erf", 2.5, std::erf},      {"sin", 2, std::sin},        {"cos", 2, std::cos},
    {"tan", 3, std::tan},        {"asin", 3, std::asin},      {"acos", 2, std::acos},
    {"atan", 2, std::atan},      {"sinh", 0.51, std::sinh},   {"cosh", 0.51, std::cosh},
    {"asinh", 0.51, std::asinh}, {"acosh", 0.51, std::acosh}, {"atanh", 0.51, std::atanh},
};
constexpr double kBoundOfPower = 0.51;

/// Machine code of one operator over blocks.
class Compiled {
 public:
  Compiled(const std::string& op, int arity, int lanes, const std::string& cpu) : ctx_(ir::standard_ops()) {
    std::string text = "graph { ", names;
    for (int i = 0; i < arity; ++i) {
      text += fmt::format("%x{} = input{{name=\"x{}\"}} : f32[{}]\n ", i, i, kBlock);
      names += fmt::format("{}%x{}", i == 0 ? "" : ", ", i);
    }
    text += fmt::format("%y = {}({}) : f32[{}]\n return %y }}", op, names, kBlock);
    codegen::ScheduleOptions options;
    options.lanes = lanes;
    program_ =
        std::make_unique<Program>(codegen::schedule(codegen::lower(ir::parse_graph(ctx_, text)), options),
                                  ctx_, ProgramOptions{1, cpu});
  }
  Floats operator()(const std::vector<Floats>& x) {
    Floats y(kBlock);
    std::vector<const void*> in;
    for (const Floats& f : x) in.push_back(f.data());
    void* out[] = {y.data()};
    program_->run(in, out);
    return y;
  }

 private:
  ir::Context ctx_;
  std::unique_ptr<Program> program_;
};

/// The reciprocal of the distance between floats at x.
double per_unit(double x) {
  constexpr int kWidth = 52, kBias = 1023, kDigits = 23, kLeast = -126, kMost = 127;
  const int biased = static_cast<int>(std::bit_cast<uint64_t>(std::abs(x)) >> kWidth);
  const int exponent = std::clamp(biased - kBias, kLeast, kMost);
  return std::bit_cast<double>(static_cast<uint64_t>(kBias + kDigits - exponent) << kWidth);
}
/// Infinity counts as 2^128, so that it may be met from below; zeros have signs.
double units_apart(float is, double should) {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  if (std::isnan(is) || std::isnan(should)) return std::isnan(is) && std::isnan(should) ? 0 : kNever;
  if (is == 0 && std::signbit(is) != std::signbit(should)) return kNever;
  const auto held = [](double x) { return std::clamp(x, -0x1p128, 0x1p128); };
  return std::abs(held(static_cast<double>(is)) - held(should)) * per_unit(should);
}

/// The largest error so far, and where.
struct Worst {
  double apart = 0;
  size_t arguments = 0;
  std::string where = "nowhere";
  void see(const Floats& is, const std::vector<double>& should, const std::vector<Floats>& x) {
    arguments += kBlock;
    for (size_t i = 0; i < kBlock; ++i)
      if (const double now = units_apart(is[i], should[i]); !(now <= apart)) {
        apart = now;
        where = fmt::format("f({:a}{}) = {:a} instead of {:a}", x[0][i],
                            x.size() > 1 ? fmt::format(", {:a}", x[1][i]) : "", is[i], should[i]);
      }
  }
};

bool same(float a, float b) {
  return std::bit_cast<uint32_t>(a) == std::bit_cast<uint32_t>(b) || (std::isnan(a) && std::isnan(b));
}

/// With and without instructions that multiply and add; in one lane and in many.
class Judge {
 public:
  Judge(const std::string& op, int arity, bool all_lanes)
      : fused_(op, arity, 8, ""), apart_(op, arity, 8, "x86-64-v2") {
    if (!all_lanes) return;
    others_.push_back(std::make_unique<Compiled>(op, arity, 1, ""));
    others_.push_back(std::make_unique<Compiled>(op, arity, 16, ""));
  }
  void see(const std::vector<Floats>& x, const std::vector<double>& should) {
    const Floats y = fused_(x);
    worst_.see(y, should, x);
    worst_apart_.see(apart_(x), should, x);
    for (const auto& other : others_) {
      const Floats z = (*other)(x);
      for (size_t i = 0; i < kBlock; ++i)
        if (!same(y[i], z[i])) ++unlike_;
    }
  }
  void say(const std::string& name, double bound) const {
    EXPECT_LE(worst_.apart, bound) << name << ", " << worst_.where;
    EXPECT_LE(worst_apart_.apart, bound) << name << " without fused operations, " << worst_apart_.where;
    EXPECT_EQ(unlike_, 0) << name << ": results that depend on the number of lanes";
    fmt::print("  {}: {:.3f} units in the last place over {} arguments, {:.3f} without fused operations\n",
               name, worst_.apart, worst_.arguments, worst_apart_.apart);
  }

 private:
  Compiled fused_, apart_;
  std::vector<std::unique_ptr<Compiled>> others_;
  Worst worst_, worst_apart_;
  int64_t unlike_ = 0;
};

/// Over blocks of patterns: `pattern(i)` for i below `count`.
template <class Pattern>
void judge(Judge& judge, const Function& f, uint64_t count, Pattern&& pattern) {
  std::vector<Floats> x(1, Floats(kBlock));
  std::vector<double> should(kBlock);
  for (uint64_t begin = 0; begin < count; begin += kBlock) {
    for (size_t i = 0; i < kBlock; ++i) {
      x[0][i] = std::bit_cast<float>(static_cast<uint32_t>(pattern(begin + i)));
      should[i] = f.reference(static_cast<double>(x[0][i]));
    }
    judge.see(x, should);
  }
}

class Unary : public testing::TestWithParam<Function> {};
TEST_P(Unary, IsWithinItsBound) {
  if (const std::string why = why_no_compiler(); !why.empty()) GTEST_SKIP() << why;
  const Function& f = GetParam();
  Judge all(f.name, 1, true);
  for (const uint64_t low :
       {0U, 1U, 0x8000U, 0xFFFFU})  // zeros, infinities, the least and the largest of each size
    judge(all, f, kBlock, [&](uint64_t i) { return i << 16 | low; });
  constexpr uint64_t kStride = 2741;  // a prime: all low bits occur
  const auto count = static_cast<uint64_t>(draws(24)) * kBlock;
  judge(all, f, count, [&](uint64_t i) { return i * kStride; });
  all.say(f.name, f.bound);
}
INSTANTIATE_TEST_SUITE_P(Functions, Unary, testing::ValuesIn(kFunctions),
                         [](const auto& tested) { return std::string(tested.param.name); });

class EveryArgument : public testing::TestWithParam<Function> {};
TEST_P(EveryArgument, IsWithinItsBound) {
  if (const std::string why = why_no_compiler(); !why.empty()) GTEST_SKIP() << why;
  const Function& f = GetParam();
  Judge all(f.name, 1, false);
  judge(all, f, uint64_t{1} << 32, [](uint64_t i) { return i; });
  all.say(f.name, f.bound);
}
INSTANTIATE_TEST_SUITE_P(DISABLED_Long, EveryArgument, testing::ValuesIn(kFunctions),
                         [](const auto& tested) { return std::string(tested.param.name); });

/// Zeros, subnormals, what is near 1, integers odd and even, halves, the largest; of both signs.
Floats specials() {
  using Limits = std::numeric_limits<float>;
  Floats out = {0,
                Limits::denorm_min(),
                0x1.fffffcp-127F,
                Limits::min(),
                0x1p-64F,
                0x1p-30F,
                0.1F,
                0.5F,
                1 - 0x1p-24F,
                1,
                1 + 0x1p-23F,
                1.5F,
                2,
                2.5F,
                3,
                4,
                5,
                10,
                0x1p10F,
                127,
                128,
                149,
                150,
                0x1p23F - 0.5F,
                0x1p23F + 1,
                0x1p24F - 1,
                0x1p24F,
                0x1p31F,
                0x1p64F,
                0x1p127F,
                Limits::max(),
                Limits::infinity()};
  for (size_t i = 0, n = out.size(); i < n; ++i) out.push_back(-out[i]);
  out.push_back(Limits::quiet_NaN());
  return out;
}
/// Every special with every other, then the same sizes at random, then all patterns.
std::vector<Floats> drawn_pairs(int round, Rng& rng) {
  std::vector<Floats> x(2, Floats(kBlock));
  const Floats all = specials();
  for (size_t i = 0; i < kBlock; ++i)
    for (size_t side = 0; side < 2; ++side) {
      float& to = x[side][i];
      const size_t at = side == 0 ? i % all.size() : i / all.size() % all.size();
      const auto any = std::bit_cast<float>(static_cast<uint32_t>(rng.next()));
      const auto near = static_cast<float>(rng.uniform() * 8 - 2);
      if (round == 0)
        to = all[at];
      else if (round % 3 == 1)
        to = any;
      else if (round % 3 == 2)
        to = side == 0 ? near : static_cast<float>(rng.between(-40, 40)) * 0.5F;
      else
        to = side == 0 ? static_cast<float>(std::exp(rng.uniform() * 60 - 30)) : near * 4;
    }
  return x;
}

TEST(Functions, BitsOfFloatsAreTheirs) {
  if (const std::string why = why_no_compiler(); !why.empty()) GTEST_SKIP() << why;
  ir::Context ctx(ir::standard_ops());
  const ir::Graph graph = ir::parse_graph(
      ctx,
      fmt::format("graph {{ %x = input{{name=\"x\"}} : f32[{0}]\n %y = bit_cast{{to=u32}}(%x) : u32[{0}]\n"
                  " return %y }}",
                  kBlock));
  Program program(codegen::schedule(codegen::lower(graph), {}), ctx, ProgramOptions{1, ""});
  Floats x = specials();
  for (int exponent = -126; exponent <= 127; ++exponent)
    for (const float size : {1.0F, 1.5F, 2 - 0x1p-23F}) x.push_back(std::ldexp(size, exponent));
  const size_t count = x.size();
  x.resize(kBlock, 1);
  std::vector<uint32_t> bits(kBlock);
  const void* in[] = {x.data()};
  void* out[] = {bits.data()};
  program.run(in, out);
  for (size_t i = 0; i < count; ++i) {
    const uint32_t own = std::isnan(x[i]) ? 0x7fc00000U : std::bit_cast<uint32_t>(x[i]);
    EXPECT_EQ(bits[i], own) << fmt::format("{:a}", x[i]);
  }
}

TEST(Functions, PowerIsWithinItsBound) {
  if (const std::string why = why_no_compiler(); !why.empty()) GTEST_SKIP() << why;
  Judge all("pow", 2, true);
  Rng rng(3);
  std::vector<double> should(kBlock);
  for (int round = 0; round < draws(40); ++round) {
    const std::vector<Floats> x = drawn_pairs(round, rng);
    for (size_t i = 0; i < kBlock; ++i)
      should[i] = std::pow(static_cast<double>(x[0][i]), static_cast<double>(x[1][i]));
    all.see(x, should);
  }
  all.say("pow", kBoundOfPower);
}

}  // namespace
}  // namespace isomer::native
