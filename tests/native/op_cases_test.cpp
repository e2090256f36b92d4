// Each operator at random attributes, shapes and types: what its machine code computes is what evaluation
// does.
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <span>

#include "codegen/generate.h"
#include "codegen/loops_agree.h"
#include "conformance/drawn_cases.h"
#include "eval/tensor_bytes.h"
#include "ir/constant_data.h"
#include "ir/op_table.h"
#include "native/guarded.h"
#include "native/program.h"
#include "support/sanitized.h"

namespace isomer::native {
namespace {

double tolerance(ir::DType dtype) {
  return ir::bit_width(dtype) < 32 ? 2e-2 : dtype == ir::DType::kF32 ? 1e-4 : 1e-11;
}

std::string difference(const eval::Tensor<double>& expected, std::span<const std::byte> bytes) {
  double largest = 1;
  for (const double x : expected.numbers)
    if (std::isfinite(x)) largest = std::max(largest, std::abs(x));
  for (int64_t i = 0; i < expected.count(); ++i) {
    if (!ir::is_float(expected.dtype)) {
      const int64_t is = ir::load_integer(expected.dtype, bytes, i),
                    was = expected.integers[static_cast<size_t>(i)];
      if (is != was) return fmt::format("element {}: {} instead of {}", i, is, was);
      continue;
    }
    const double is = ir::load_number(expected.dtype, bytes, i),
                 was = expected.numbers[static_cast<size_t>(i)];
    const bool same = is == was || (std::isnan(is) && std::isnan(was)) ||
                      std::abs(is - was) <= tolerance(expected.dtype) * largest;
    if (!same) return fmt::format("element {}: {} instead of {}", i, is, was);
  }
  return {};
}

/// What differs, with tensors that begin, or end, at a page that nobody may touch.
std::string ran(const ir::Graph& graph, const codegen::Doubles& inputs) {
  eval::Float64 domain;
  const auto expected = eval::evaluate(domain, graph, std::span<const eval::Value<double>>(inputs));
  codegen::ScheduleOptions options;
  options.lanes = 4;
  const codegen::LoopProgram program = codegen::generate(graph, options);
  Program compiled(program, graph.context());
  for (const Edge edge : {Edge::kBegin, Edge::kEnd}) {
    std::vector<Guarded> in, out;
    std::vector<const void*> in_at;
    std::vector<void*> out_at;
    for (const auto& v : inputs) in.emplace_back(eval::to_bytes(*v.tensor), edge);
    for (const auto& v : expected)
      out.emplace_back(static_cast<size_t>(ir::byte_size(v.tensor->dtype, v.tensor->count())), edge);
    for (auto& b : in) in_at.push_back(b.data());
    for (auto& b : out) out_at.push_back(b.data());
    compiled.run(in_at, out_at);
    for (size_t i = 0; i < expected.size(); ++i)
      if (const std::string d = difference(*expected[i].tensor, out[i].bytes()); !d.empty())
        return fmt::format("result {}, {}\n{}", i, d, codegen::print(program));
  }
  return {};
}

/// "" where there is a PTX of it.
std::string has_no_ptx(const ir::Graph& graph) {
  const std::string ptx = gpu_kernels_of(codegen::generate_for_gpu(graph)).ptx("sm_90");
  return ptx.find(".entry isomer_kernel_0") == std::string::npos ? "no kernel in " + ptx : "";
}

TEST(OpCases, GraphicsProcessorsHaveKernelsOfAllOperators) {
  if (const std::string why = why_no_compiler(); !why.empty()) GTEST_SKIP() << why;
  Rng rng(12);
  int cases = 0;
  int without = 0;
  conformance::for_each_case(rng, draws(2), [&](const auto& op, const auto& graph, const auto&) {
    try {
      EXPECT_EQ(has_no_ptx(graph), "") << ir::print(graph);
      ++cases;
    } catch (const InputError& e) {
      // Functions in double precision, of large angles, remainders; what has no loops.
      const std::string why = e.what();
      const bool known = why.find("for graphics processors is generated yet for") != std::string::npos ||
                         why.find("no code is generated for") != std::string::npos;
      EXPECT_TRUE(known) << op << ": " << why;
      ++without;
    }
  });
  EXPECT_GT(cases, draws(100));
  EXPECT_LT(without, cases / 4);
}

TEST(OpCases, MachineCodeComputesWhatTheOperatorsMean) {
  if (const std::string why = why_no_compiler(); !why.empty()) GTEST_SKIP() << why;
  Rng rng(11);
  int cases = 0;
  conformance::for_each_case(rng, draws(4), [&](const auto& op, const auto& graph, const auto& inputs) {
    try {
      EXPECT_EQ(ran(graph, inputs), "") << ir::print(graph);
      ++cases;
    } catch (const InputError& e) {
      const bool is_narrow = std::string_view(e.what()).find("elements of type f8") != std::string_view::npos;
      const bool of_integers = op == "pow";
      EXPECT_TRUE(conformance::without_loops().contains(op) || of_integers || is_narrow)
          << op << ": " << e.what();
    }
  });
  EXPECT_GT(cases, draws(250));
}

}  // namespace
}  // namespace isomer::native
