// gpu_cases FOLDER [SEED [DRAWS]]: writes each operator at random attributes, shapes and types, and some
// kernels with a schedule, as a shared object for a graphics processor, with inputs and what evaluation
// computes: what gpu_cases.py runs where there is one. Prints how many there are, and of which operators
// there is no code.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "codegen/generate.h"
#include "codegen/kernel_graphs.h"
#include "conformance/drawn_cases.h"
#include "eval/float64.h"
#include "eval/interpreter.h"
#include "eval/run_text.h"
#include "eval/tensor_bytes.h"
#include "ir/op_table.h"
#include "ir/print.h"
#include "native/shared_object.h"
#include "support/errors.h"

namespace {

using namespace isomer;
using Values = std::vector<eval::Value<double>>;

nlohmann::ordered_json described(const Values& values, std::ofstream& data) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const auto& v : values) {
    const std::vector<std::byte> bytes = eval::to_bytes(*v.tensor);
    out.push_back({{"type", ir::name(v.tensor->dtype)}, {"shape", v.tensor->sizes}, {"bytes", bytes.size()}});
    data.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  }
  return out;
}

/// What is written of all cases.
class Cases {
 public:
  explicit Cases(const std::string& folder)
      : folder_(folder), data_(folder + "/data.bin", std::ios::binary) {}

  /// Throws InputError where there is no code of it.
  void add(const std::string& what, const ir::Graph& graph, const Values& inputs) {
    const std::string name = fmt::format("{}.so", list_.size());
    native::SharedObjectOptions options;
    options.gpu = "sm_80";  // whatever comes later runs it, too
    options.cpu = "x86-64";
    native::write_shared_object(codegen::generate_for_gpu(graph, codegen::gpu_options_for("sm_80")),
                                graph.context(), options, folder_ + "/" + name);
    eval::Float64 domain;
    const Values expected = eval::evaluate(domain, graph, std::span<const eval::Value<double>>(inputs));
    nlohmann::ordered_json one = {{"op", what}, {"file", name}};
    one["inputs"] = described(inputs, data_);
    one["outputs"] = described(expected, data_);
    list_.push_back(std::move(one));
  }
  const nlohmann::ordered_json& list() const { return list_; }

 private:
  std::string folder_;
  nlohmann::ordered_json list_ = nlohmann::ordered_json::array();
  std::ofstream data_;
};

/// Kernels that run as they say.
void add_kernels(Cases& cases, Rng& rng) {
  std::vector<std::string> texts;
  for (const char* dtype : {"f32", "f16", "bf16"})
    for (const int rows : {2, 3, 16}) {
      texts.push_back(codegen::kernel_graphs::product(dtype, rows, true));
      texts.push_back(codegen::kernel_graphs::product(dtype, rows, true, 8));
      texts.push_back(codegen::kernel_graphs::attention(dtype, rows));
    }
  for (const std::string& text : texts) {
    ir::Context ctx(ir::standard_ops());
    const ir::Graph graph = ir::parse_graph(ctx, text);
    Values inputs;
    for (const ir::ValueId v : graph.inputs())
      inputs.push_back(eval::make_value(
          eval_test::random_tensor(graph.type(v).dtype, ir::sizes(graph.type(v).shape), rng)));
    cases.add("kernel", graph, inputs);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return fmt::print(stderr, "gpu_cases FOLDER [SEED [DRAWS]]\n"), 2;
  const std::string folder = argv[1];
  Rng rng(argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1);
  const int draws = argc > 3 ? std::atoi(argv[3]) : 2;
  std::filesystem::create_directories(folder);
  Cases cases(folder);
  std::set<std::string> without;
  for (const auto& [op, draw] : conformance::op_cases())
    for (int n = 0; n < draws; ++n) {
      ir::Context ctx(ir::standard_ops());
      const conformance::Case c = draw(rng);
      const auto graph = conformance::build_case(ctx, op, c);
      if (!graph) continue;
      Values inputs;
      for (const conformance::Operand& o : c.operands) inputs.push_back(conformance::draw_value(o, rng));
      try {
        cases.add(op, *graph, inputs);
      } catch (const InputError& e) {
        without.insert(op);
      }
    }
  add_kernels(cases, rng);
  std::ofstream(folder + "/cases.json") << cases.list().dump();
  fmt::print("{} cases; no code for {}\n", cases.list().size(), fmt::join(without, ", "));
  return 0;
}
