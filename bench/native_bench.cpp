// Where the time of machine code goes: native_bench FILE [SECONDS]. Compiles each distinct part of the
// program by itself, runs it on random elements for about so long (default 0.1), and prints, the longest
// first: share of all parts' time, milliseconds of one run, how often it is run, GFLOP/s of multiply-adds,
// and the loops of its longest nest. native_bench peak: GFLOP/s of independent multiply-adds in registers,
// nothing else. native_bench bandwidth: GB/s of reading what no cache holds. One thread, CPU time.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <ctime>
#include <iostream>
#include <map>
#include <string_view>

#include "codegen/generate.h"
#include "codegen/parts.h"
#include "ir/op_table.h"
#include "native/program.h"
#include "recipes/load.h"
#include "support/rng.h"

namespace {

using namespace isomer;
using codegen::LoopProgram;

double cpu_milliseconds() {
  timespec t{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) / 1e6;
}

/// Sums of products, and their loops; of guarded ones all.
double multiply_adds(const std::vector<codegen::Statement>& body, double times) {
  double out = 0;
  for (const codegen::Statement& s : body)
    if (const auto* loop = std::get_if<codegen::Loop>(&s.node)) {
      using Kind = ir::IndexExpr::Kind;
      const ir::IndexExpr end = loop->end.kind() == Kind::kMin ? loop->end.rhs() : loop->end;
      const bool known = end.kind() == Kind::kConst && loop->begin.kind() == Kind::kConst;
      out += multiply_adds(loop->body,
                           known ? times * static_cast<double>(end.value() - loop->begin.value()) : times);
    } else if (const auto& store = std::get<codegen::Store>(s.node); store.combine) {
      for (const auto& in : store.value.code) out += in.op == ir::ScalarOp::kMul ? times : 0;
    }
  return out;
}

/// The best of its runs.
double milliseconds_of(const LoopProgram& program, const ir::Context& ctx, double seconds) {
  native::Program compiled(program, ctx);
  Rng rng(1);
  std::vector<std::vector<float>> memory;
  std::vector<const void*> in;
  std::vector<void*> out;
  const auto add = [&](int b) {
    const codegen::Buffer& buffer = program.buffers[static_cast<size_t>(b)];
    auto& m = memory.emplace_back(static_cast<size_t>(ir::byte_size(buffer.dtype, buffer.count()) / 4 + 16));
    for (float& x : m) x = static_cast<float>(rng.uniform() - 0.5);
    return m.data();
  };
  for (const int b : program.inputs) in.push_back(add(b));
  for (const int b : program.outputs) out.push_back(add(b));
  double best = 1e30;
  for (const double start = cpu_milliseconds(); cpu_milliseconds() - start < 1000 * seconds;) {
    const double begin = cpu_milliseconds();
    compiled.run(in, out);
    best = std::min(best, cpu_milliseconds() - begin);
  }
  return best;
}

std::string loops_of(const LoopProgram& program) {
  const std::string text = codegen::print(program);
  std::string out;
  for (size_t at = text.find("for "); at != std::string::npos && out.size() < 150;
       at = text.find("for ", at + 1))
    out += text.substr(at + 4, text.find('\n', at) - at - 4) + "; ";
  return out;
}

struct Timed {
  const codegen::Part* part = nullptr;
  int times = 0;
  double milliseconds = 0;
};

int parts_of(const std::string& path, double seconds) {
  ir::Context ctx(ir::standard_ops());
  const recipes::Program p = recipes::load_program(ctx, path);
  const LoopProgram program = codegen::generate(p.graph, codegen::options_for(native::machine_of("")));
  const codegen::Parts parts = codegen::in_parts(program);
  std::map<std::string, Timed> by_text;
  for (const codegen::Part& part : parts.parts) {
    if (part.at_load) continue;
    Timed& t = by_text[codegen::print(part.program)];
    if (t.times++ == 0) {
      t.part = &part;
      t.milliseconds = milliseconds_of(part.program, ctx, seconds);
    }
  }
  std::vector<Timed> all;
  double sum = 0;
  for (const auto& [text, t] : by_text) {
    all.push_back(t);
    sum += t.milliseconds * t.times;
  }
  std::ranges::sort(all, std::greater(), [](const Timed& t) { return t.milliseconds * t.times; });
  fmt::print("{:.3f} ms in all\n", sum);
  for (const Timed& t : all)
    fmt::print("{:5.1f} %  {:9.4f} ms x {:2}  {:6.1f} GFLOP/s  {}\n", 100 * t.milliseconds * t.times / sum,
               t.milliseconds, t.times, 2e-6 * multiply_adds(t.part->program.body, 1) / t.milliseconds,
               loops_of(t.part->program));
  return 0;
}

/// GFLOP/s of more sums than an instruction takes cycles, in vectors of 8.
#if defined(__x86_64__)
__attribute__((target("avx2,fma"))) double peak_of_eight(int64_t rounds) {
  constexpr int kSums = 10, kLanes = 8;
  using Vector = float __attribute__((vector_size(4 * kLanes)));
  Vector sums[kSums] = {}, x{};
  const double begin = cpu_milliseconds();
  for (int64_t r = 0; r < rounds; ++r)
#pragma GCC unroll 10
    for (Vector& s : sums) asm volatile("vfmadd231ps %1, %1, %0" : "+x"(s) : "x"(x));
  return 2e-6 * static_cast<double>(rounds) * kSums * kLanes / (cpu_milliseconds() - begin);
}
__attribute__((target("avx512f"))) double peak_of_sixteen(int64_t rounds) {
  constexpr int kSums = 10, kLanes = 16;
  using Vector = float __attribute__((vector_size(4 * kLanes)));
  Vector sums[kSums] = {}, x{};
  const double begin = cpu_milliseconds();
  for (int64_t r = 0; r < rounds; ++r)
#pragma GCC unroll 10
    for (Vector& s : sums) asm volatile("vfmadd231ps %1, %1, %0" : "+v"(s) : "v"(x));
  return 2e-6 * static_cast<double>(rounds) * kSums * kLanes / (cpu_milliseconds() - begin);
}
#endif

int print_peak() {
  double best = 0;
#if defined(__x86_64__)
  constexpr int kTries = 20;
  constexpr int64_t kRounds = 2'000'000;
  for (int i = 0; i < kTries; ++i) {
    if (__builtin_cpu_supports("fma")) best = std::max(best, peak_of_eight(kRounds));
    if (__builtin_cpu_supports("avx512f")) best = std::max(best, peak_of_sixteen(kRounds));
  }
#endif
  fmt::print("{:.1f}\n", best);
  return 0;
}

/// The best of several walks through more than a last-level cache, at one place or at several at a time.
int print_bandwidth() {
  constexpr size_t kWords = size_t{1} << 26;  // half a GiB
  constexpr int kTries = 4;
  constexpr size_t kSums = 16;
  std::vector<uint64_t> memory(kWords);
  for (size_t i = 0; i < kWords; ++i) memory[i] = i;
  double best = 0;
  uint64_t all = 0;
  for (const size_t places : {1, 2, 4, 8})
    for (int t = 0; t < kTries; ++t) {
      std::array<uint64_t, kSums> sums{};
      const size_t apart = kWords / places;
      const double begin = cpu_milliseconds();
      for (size_t i = 0; i < apart; i += kSums)
        for (size_t p = 0; p < places; ++p)
          for (size_t k = 0; k < kSums; ++k) sums[k] += memory[p * apart + i + k];
      best = std::max(best, 8e-6 * static_cast<double>(kWords) / (cpu_milliseconds() - begin));
      for (const uint64_t s : sums) all += s;
    }
  fmt::print("{:.1f}\n", all == 1 ? 0 : best);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    constexpr double kSeconds = 0.1;
    if (argc < 2) return 2;
    const std::string_view what = argv[1];
    if (what == "peak") return print_peak();
    if (what == "bandwidth") return print_bandwidth();
    return parts_of(argv[1], argc > 2 ? std::stod(argv[2]) : kSeconds);
  } catch (const std::exception& e) {
    std::cerr << e.what() << "\n";
    return 1;
  }
}
