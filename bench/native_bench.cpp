// Times machine code of a graph in textual form, on random inputs: native_bench FILE [LANES] [ROWS]
// [SECONDS]. Prints one JSON object: milliseconds for lowering with scheduling, for LLVM, and of runs (least,
// median).
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iostream>
#include <sstream>

#include "codegen/generate.h"
#include "ir/op_table.h"
#include "ir/print.h"
#include "native/program.h"
#include "support/rng.h"

namespace {

double milliseconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

int run(int argc, char** argv) {
  using namespace isomer;
  std::stringstream text;
  text << std::ifstream(argv[1]).rdbuf();
  ir::Context ctx(ir::standard_ops());
  const ir::Graph graph = ir::parse_graph(ctx, text.str());
  codegen::ScheduleOptions options;
  options.lanes = argc > 2 ? std::stoi(argv[2]) : 16;
  options.rows = argc > 3 ? std::stoi(argv[3]) : 6;
  const double seconds = argc > 4 ? std::stod(argv[4]) : 1;
  auto begin = std::chrono::steady_clock::now();
  const codegen::LoopProgram program = codegen::generate(graph, options);
  const double lowering = milliseconds_since(begin);
  if (argc > 5) std::cerr << codegen::print(program);
  begin = std::chrono::steady_clock::now();
  native::Program compiled(program, ctx);
  const double compiling = milliseconds_since(begin);
  Rng rng(1);
  std::vector<std::vector<float>> memory;
  std::vector<const void*> in;
  std::vector<void*> out;
  for (const auto* list : {&program.inputs, &program.outputs})
    for (const int b : *list) {
      const codegen::Buffer& buffer = program.buffers[static_cast<size_t>(b)];
      auto& m = memory.emplace_back(static_cast<size_t>(buffer.count()));
      for (float& x : m) x = static_cast<float>(rng.uniform() - 0.5);
    }
  for (size_t i = 0; i < memory.size(); ++i)
    if (i < program.inputs.size())
      in.push_back(memory[i].data());
    else
      out.push_back(memory[i].data());
  std::vector<double> times;
  for (const auto start = std::chrono::steady_clock::now(); milliseconds_since(start) < 1000 * seconds;) {
    begin = std::chrono::steady_clock::now();
    compiled.run(in, out);
    times.push_back(milliseconds_since(begin));
  }
  std::ranges::sort(times);
  fmt::print(
      "{{\"lowering_ms\": {:.2f}, \"compiling_ms\": {:.2f}, \"least_ms\": {:.4f}, \"median_ms\": {:.4f}}}\n",
      lowering, compiling, times.front(), times[times.size() / 2]);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& e) {
    std::cerr << e.what() << "\n";
    return 1;
  }
}
