// cpu_cases FOLDER CPU [SEED [DRAWS]]: writes each operator at random attributes, shapes and types, and
// kernels with a schedule, as shared objects for that processor, with inputs and what evaluation computes:
// what aarch64_cases.py runs. Prints how many there are, and of which operators there is no code; fails where
// there should be, and where there are few.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <set>
#include <string>

#include "codegen/generate.h"
#include "codegen/kernel_graphs.h"
#include "ir/print.h"
#include "native/case_files.h"
#include "native/compiler.h"

namespace {

using namespace isomer;

/// As machine code of one processor.
class Cases {
 public:
  Cases(std::string folder, const std::string& cpu)
      : files_(std::move(folder)), schedule_(codegen::options_for(native::machine_of(cpu))) {
    options_.cpu = cpu;
  }

  void add(const std::string& op, const ir::Graph& graph, const native::Values& inputs) {
    files_.add(op, codegen::generate(graph, schedule_), options_, graph, inputs,
               eval::rounding_sizes(graph, inputs));
  }
  /// In all types that are summed in single precision.
  void add_kernels(Rng& rng) {
    namespace graphs = codegen::kernel_graphs;
    for (const char* dtype : {"f32", "f16", "bf16"})
      for (const std::string& text :
           {graphs::product(dtype, 3, true), graphs::attention(dtype, 5), graphs::online_attention(dtype, 2),
            graphs::two_kernels(dtype, 3), graphs::among_operators(dtype, 64)}) {
        ir::Context ctx(ir::standard_ops());
        const ir::Graph graph = ir::parse_graph(ctx, text);
        add("kernel", graph, native::small_inputs(graph, rng));
      }
  }
  size_t write() {
    files_.write();
    return files_.count();
  }

 private:
  native::CaseFiles files_;
  codegen::ScheduleOptions schedule_;
  native::SharedObjectOptions options_;
};

/// Of which there is code but for some types: powers of integers, casts to floats of 8 bits.
const std::set<std::string>& in_part() {
  static const std::set<std::string> some = {"cast_unsaturated", "pow"};
  return some;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return fmt::print(stderr, "cpu_cases FOLDER CPU [SEED [DRAWS]]\n"), 2;
  if (const std::string why = native::why_no_linker(); !why.empty()) return fmt::print("{}\n", why), 77;
  Rng rng(argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1);
  const int draws = argc > 4 ? std::atoi(argv[4]) : 2;
  if (native::architecture_of(argv[2]).empty())
    return fmt::print("this program was built without {}'s kind of processors\n", argv[2]), 77;
  Cases cases(argv[1], argv[2]);
  const auto without = native::each_operator(
      rng, draws,
      [&](const auto& op, const auto& graph, const auto& inputs) { cases.add(op, graph, inputs); });
  cases.add_kernels(rng);
  const size_t count = cases.write();
  fmt::print("{} cases; no code for {}\n", count, fmt::join(without, ", "));
  const auto fewest = static_cast<size_t>(100 * draws);
  if (count < fewest) return fmt::print("expected {} cases or more\n", fewest), 1;
  for (const std::string& op : without)
    if (!conformance::without_loops().contains(op) && !in_part().contains(op))
      return fmt::print("{}: code was expected\n", op), 1;
  return 0;
}
