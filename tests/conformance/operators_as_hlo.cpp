// Random instances of every operator as modules of XLA, with inputs and what evaluation makes of them. For
// operators_as_hlo.py, which runs them in XLA.
//
//   operators_as_hlo DRAWS SEED     a line each: {"op", "hlo", "inputs": [...], "outputs": [...]} or {"op",
//   "refused": "why"}
#include <cmath>
#include <exception>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "conformance/drawn_cases.h"
#include "eval/float_domain.h"
#include "eval/interpreter.h"
#include "hlo/parse.h"
#include "hlo/print.h"
#include "hlo/verify.h"
#include "ir/op_table.h"
#include "ir/print.h"
#include "passes/program_writer.h"
#include "support/errors.h"

namespace {

using namespace isomer;
using Json = nlohmann::ordered_json;

Json as_json(const eval::Tensor<double>& tensor) {
  Json values = Json::array();
  for (const double x : tensor.numbers)
    values.push_back(std::isfinite(x) ? Json(x) : Json(std::isnan(x) ? "nan" : x > 0 ? "inf" : "-inf"));
  for (const int64_t x : tensor.integers)
    values.push_back(tensor.dtype == ir::DType::kU64 ? Json(static_cast<uint64_t>(x)) : Json(x));
  return {{"type", ir::name(tensor.dtype)}, {"values", values}};
}

Json written(const ir::Graph& graph, const conformance::Case& c, Rng& rng) {
  std::string text;
  try {
    const hlo::Module module = passes::module_of(graph);
    text = hlo::print(module, hlo::Dialect::kShort);
  } catch (const InputError& refused) {
    return {{"refused", refused.what()}};
  }
  hlo::require_valid(hlo::parse(text, "module"));
  std::vector<eval::Value<double>> inputs;
  Json given = Json::array(), outputs = Json::array();
  for (const conformance::Operand& o : c.operands) {
    inputs.push_back(conformance::draw_value(o, rng));
    given.push_back(as_json(*inputs.back().tensor));
  }
  eval::Float64 domain;
  eval::EvalOptions<eval::Float64> options;
  options.round_results = true;
  for (const auto& value :
       eval::evaluate(domain, graph, std::span<const eval::Value<double>>(inputs), options))
    outputs.push_back(as_json(*value.tensor));
  return {{"hlo", text}, {"inputs", given}, {"outputs", outputs}};
}

/// Integers whose sums and products leave their type.
std::vector<std::pair<std::string, conformance::Case>> wrapping_cases() {
  const auto integers = [](ir::DType type, double low, double high) {
    return conformance::Operand{.dtype = type, .sizes = {3, 2}, .lo = low, .hi = high};
  };
  const conformance::Operand wide = integers(ir::DType::kI32, 2e9, 2147483647);
  const conformance::Operand bytes = integers(ir::DType::kU8, 200, 255);
  const std::vector<ir::NamedAttr> rows = {{"axes", std::vector<int64_t>{0}}, {"keepdims", int64_t{0}}};
  std::vector<std::pair<std::string, conformance::Case>> out;
  for (const conformance::Operand& x : {wide, bytes})
    for (const char* op : {"reduce_mean", "reduce_sum", "reduce_max", "reduce_sum_square", "reduce_l1"})
      out.push_back({op, {.operands = {x}, .attrs = rows}});
  for (const conformance::Operand& x : {wide, bytes})
    for (const char* op : {"add", "mul", "div", "max", "less"}) out.push_back({op, {.operands = {x, x}}});
  return out;
}

/// A line of the case; false where the operator's type rule refuses it.
bool say(const std::string& op, const conformance::Case& c, Rng& rng) {
  ir::Context ctx(ir::standard_ops());
  const auto graph = conformance::build_case(ctx, op, c);
  if (!graph) return false;
  Json line = {{"op", op}, {"program", ir::print(*graph)}};
  line.update(written(*graph, c, rng));
  std::cout << line << "\n";
  return true;
}

void run(int draws, uint64_t seed) {
  Rng rng(seed);
  for (const auto& [op, c] : wrapping_cases()) say(op, c, rng);
  for (const auto& [op, draw] : conformance::op_cases())
    for (int n = 0, tries = 0; n < draws && tries < 20 * draws; ++tries)
      if (say(op, draw(rng), rng)) ++n;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 3) throw UsageError("expected DRAWS SEED");
    run(std::stoi(argv[1]), std::stoull(argv[2]));
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
  return 0;
}
