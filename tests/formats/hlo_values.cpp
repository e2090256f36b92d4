// Evaluates HLO modules as programs of the IR on made-up inputs. For hlo_values.py, which makes the same
// ones.
//
//   hlo_values FILE...     a line each: {"file", "outputs": [[...], ...]} or {"file", "refused": "why"}
#include <algorithm>
#include <cmath>
#include <exception>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "eval/float_domain.h"
#include "eval/interpreter.h"
#include "formats/hlo_graph.h"
#include "hlo/parse.h"
#include "hlo/verify.h"
#include "ir/op_table.h"
#include "ir/type.h"
#include "support/errors.h"
#include "support/files.h"

namespace {

using namespace isomer;
using Json = nlohmann::ordered_json;

eval::Tensor<double> made_up(ir::DType type, std::vector<int64_t> sizes, int64_t which) {
  eval::Tensor<double> out{type, std::move(sizes), {}, {}};
  for (int64_t i = 0; i < out.count(); ++i) {
    const int64_t step = i * 7 + which * 13;
    if (type == ir::DType::kBool)
      out.integers.push_back(step % 2);
    else if (ir::is_integer(type))
      out.integers.push_back(step % 5);
    else
      out.numbers.push_back(static_cast<double>(step % 17) / 8 - 0.75);
  }
  return out;
}

/// Of more elements so many, evenly spread.
constexpr int64_t kMostPrinted = 1 << 16;

Json numbers(const eval::Tensor<double>& tensor) {
  Json out = Json::array();
  const int64_t count = tensor.count(), printed = std::min(count, kMostPrinted);
  for (int64_t i = 0; i < printed; ++i) {
    const auto at = static_cast<size_t>(i * count / printed);
    if (tensor.numbers.empty()) {
      out.push_back(tensor.dtype == ir::DType::kU64 ? Json(static_cast<uint64_t>(tensor.integers[at]))
                                                    : Json(tensor.integers[at]));
      continue;
    }
    const double x = tensor.numbers[at];
    out.push_back(std::isfinite(x) ? Json(x) : Json(std::isnan(x) ? "nan" : x > 0 ? "inf" : "-inf"));
  }
  return out;
}

Json run(const std::string& file) {
  const hlo::Module module = hlo::parse(read_file(file), file);
  hlo::require_valid(module);
  ir::Context ctx(ir::standard_ops());
  try {
    const ir::Graph graph = formats::hlo_graph(ctx, module);
    std::vector<eval::Value<double>> inputs;
    for (const ir::ValueId v : graph.inputs())
      inputs.push_back(eval::make_value(
          made_up(graph.type(v).dtype, ir::sizes(graph.type(v).shape), static_cast<int64_t>(inputs.size()))));
    eval::Float64 domain;
    eval::EvalOptions<eval::Float64> options;
    options.round_results = true;
    Json outputs = Json::array();
    for (const auto& value :
         eval::evaluate(domain, graph, std::span<const eval::Value<double>>(inputs), options))
      outputs.push_back(numbers(*value.tensor));
    return {{"file", file}, {"outputs", outputs}};
  } catch (const InputError& refused) {
    return {{"file", file}, {"refused", refused.what()}};
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    for (int i = 1; i < argc; ++i) std::cout << run(argv[i]) << std::endl;
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
  return 0;
}
