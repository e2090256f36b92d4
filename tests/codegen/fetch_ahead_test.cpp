// While a panel of weights is read, all of the next one is fetched, and little more, whatever runs of rows
// and columns of tiles there are.
#include "codegen/fetch_ahead.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "codegen/accesses.h"
#include "codegen/generate.h"
#include "codegen/llvm_text.h"
#include "codegen/parts.h"
#include "ir/op_table.h"
#include "ir/print.h"

namespace isomer::codegen {
namespace {

std::string numbers(int64_t count) {
  std::string out;
  for (int64_t i = 0; i < count; ++i) out += fmt::format("{}{}", i == 0 ? "" : ", ", i % 17);
  return out;
}
std::string product(int64_t rows, int64_t steps, int64_t columns) {
  return fmt::format(
      "graph {{ %x = input{{name=\"x\"}} : f32[{0},{1}]\n %w = constant : f32[{1},{2}] {{{3}}}\n"
      " %y = matmul(%x, %w) : f32[{0},{2}]\n return %y }}",
      rows, steps, columns, numbers(steps * columns));
}
std::string convolution(int64_t in, int64_t out, int64_t side) {
  return fmt::format(
      "graph {{ %x = input{{name=\"x\"}} : f32[1,{0},{2},{2}]\n %w = constant : f32[{1},{0},3,3] {{{3}}}\n"
      " %y = conv{{dilations=[1,1], group=1, pads=[1,1,1,1], strides=[1,1]}}(%x, %w) : f32[1,{1},{2},{2}]\n "
      "return %y }}",
      in, out, side, numbers(in * out * 9));
}

/// What runs, by the iteration of the outermost loop: elements of the buffer that are read, and fetched.
class Run {
 public:
  Run(const LoopProgram& program, int buffer)
      : program_(program), buffer_(buffer), fetched_(fetched_ahead(program)) {
    statements(program.body, true);
  }
  std::map<int64_t, std::set<int64_t>> read, fetched;

 private:
  int64_t number(const ir::IndexExpr& e) const {
    return ir::substituted(e, [&](int v) { return ir::IndexExpr(at_.at(v)); }).value();
  }
  void statements(const std::vector<Statement>& body, bool outermost) {
    for (const Statement& s : body)
      if (const auto* loop = std::get_if<Loop>(&s.node)) {
        for (int64_t i = number(loop->begin); i < number(loop->end); ++i) {
          at_[loop->variable] = i;
          if (outermost) first_ = i;
          if (fetched_.contains(loop))
            for (const Fetch& f : fetched_.at(loop))
              for (int64_t e = 0; f.buffer == buffer_ && e < f.elements; ++e)
                fetched[first_].insert(number(f.at) + e);
          statements(loop->body, false);
        }
      } else {
        const auto& store = std::get<Store>(s.node);
        for (const int r : reads_of(store)) {
          const Access& a = store.reads[static_cast<size_t>(r)];
          if (a.buffer != buffer_) continue;
          int64_t flat = 0;
          for (const Dimension& d : dimensions_of(program_.buffers[static_cast<size_t>(buffer_)], a))
            flat += number(d.index) * d.step;
          read[first_].insert(flat);
        }
      }
  }

  const LoopProgram& program_;
  int buffer_;
  std::map<const Loop*, std::vector<Fetch>> fetched_;
  std::map<int, int64_t> at_;
  int64_t first_ = 0;
};

/// Of the only part that fetches anything.
Run run_of(const std::string& text) {
  ir::Context ctx(ir::standard_ops());
  const LoopProgram program = generate(ir::parse_graph(ctx, text));
  for (const Part& part : in_parts(program).parts)
    for (const auto& [loop, fetches] : fetched_ahead(part.program)) {
      EXPECT_NE(llvm_function(part.program).text.find("llvm.prefetch"), std::string::npos);
      return {part.program, fetches.at(0).buffer};
    }
  ADD_FAILURE() << "nothing is fetched: " << print(program);
  return {program, -1};
}

void expect_next(const Run& run) {
  ASSERT_GE(run.read.size(), 2U);
  for (const auto& [panel, read] : run.read) {
    const auto next = run.read.find(panel + 1);
    if (next == run.read.end()) continue;
    const std::set<int64_t>& fetched = run.fetched.at(panel);
    for (const int64_t element : next->second)
      ASSERT_TRUE(fetched.contains(element)) << element << " of panel " << panel + 1;
    constexpr size_t kMost = 2;
    EXPECT_LE(fetched.size(), kMost * next->second.size());
  }
}

TEST(FetchAhead, AllOfTheNextPanel) { expect_next(run_of(product(60, 96, 128))); }
TEST(FetchAhead, WhereRowsAreLeftOver) { expect_next(run_of(product(67, 50, 128))); }
TEST(FetchAhead, OfConvolutionsWithColumnsBesideEachOther) { expect_next(run_of(convolution(16, 64, 9))); }

void expect_nothing(const std::string& text) {
  ir::Context ctx(ir::standard_ops());
  const LoopProgram program = generate(ir::parse_graph(ctx, text));
  for (const Part& part : in_parts(program).parts) EXPECT_TRUE(fetched_ahead(part.program).empty());
}
TEST(FetchAhead, NothingWherePanelsAreReadOnce) { expect_nothing(product(1, 96, 128)); }
/// Of a step a vector is read, and what lies behind it up to the next step is what other tiles read.
TEST(FetchAhead, NothingOfRowsThatLieApart) {
  expect_nothing(
      fmt::format("graph {{ %x = input{{name=\"x\"}} : f32[32,3136]\n %w = constant : f32[12,32] {{{}}}\n"
                  " %y = matmul(%w, %x) : f32[12,3136]\n return %y }}",
                  numbers(12 * 32)));
}
TEST(FetchAhead, NothingOfLanesThatAreReadInPlace) {
  expect_nothing(
      "graph { %x = input{name=\"x\"} : f32[10,128]\n %w = input{name=\"w\"} : f32[128,992]\n"
      " %y = matmul(%x, %w) : f32[10,992]\n return %y }");
}

}  // namespace
}  // namespace isomer::codegen
