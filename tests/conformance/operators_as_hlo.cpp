// Random instances of every operator as modules of XLA, with inputs and what evaluation makes of them. For
// operators_as_hlo.py, which runs them in XLA.
//
//   operators_as_hlo DRAWS SEED     a line each: {"op", "hlo", "inputs": [...], "outputs": [...]} or {"op",
//   "refused": "why"}
#include <fmt/format.h>

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
       eval::evaluate(domain, graph, std::span<const eval::Value<double>>(inputs), options)) {
    if (value.tensor) outputs.push_back(as_json(*value.tensor));
    for (const auto& part : value.elements) outputs.push_back(as_json(*part.tensor));
  }
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

void tell(const std::string& op, const ir::Graph& graph, const conformance::Case& c, Rng& rng) {
  Json line = {{"op", op}, {"program", ir::print(graph)}};
  line.update(written(graph, c, rng));
  std::cout << line << "\n";
}

/// A line of the case; false where the operator's type rule refuses it.
bool say(const std::string& op, const conformance::Case& c, Rng& rng) {
  ir::Context ctx(ir::standard_ops());
  const auto graph = conformance::build_case(ctx, op, c);
  if (graph) tell(op, *graph, c, rng);
  return graph.has_value();
}

struct Program {
  const char* op;
  std::string text;
  conformance::Case inputs;
};

/// What has regions: combiners of one array and of two, equal elements, loops of no and of several rounds,
/// one in another, both branches.
std::vector<Program> programs_with_regions(Rng& rng) {
  const int64_t rows = rng.between(2, 3), columns = rng.between(2, 6), axis = rng.between(0, 1);
  const int64_t rounds = rng.between(0, 4);
  const std::string x = fmt::format("f32[{},{}]", rows, columns),
                    i = fmt::format("i32[{},{}]", rows, columns);
  const conformance::Operand floats = {.sizes = {rows, columns}};
  const conformance::Operand few = {.dtype = ir::DType::kI32, .sizes = {rows, columns}, .lo = 0, .hi = 2};
  const std::string head = fmt::format("graph {{ %x = input{{name=\"x\"}} : {} ", x);
  const std::string begins = "%n = constant : i64[] {0} ";
  const auto loop = [&](const std::string& body) {
    return fmt::format(
        "%w = while{{condition={{ %i = input{{name=\"i\"}} : i64[] %v = input{{name=\"v\"}} : {0} "
        "%most = constant : i64[] {{{1}}} %more = less(%i, %most) : bool[] return %more }}, "
        "body={{ %i = input{{name=\"i\"}} : i64[] %v = input{{name=\"v\"}} : {0} "
        "%one = constant : i64[] {{1}} %next = add(%i, %one) : i64[] {2} }}}}(%n, %x) : (i64[], {0}) ",
        x, rounds, body);
  };
  const std::string twice = fmt::format("%t = add(%v, %v) : {} ", x);
  std::string inner = loop(twice + "return %next, %t");
  for (const auto& [from, to] : {std::pair{"(%n, %x)", "(%n, %v)"}, {"%w =", "%u ="}})
    inner.replace(inner.find(from), std::string(from).size(), to);
  const std::string of_two =
      "%a = input{name=\"a\"} : f32[] %p = input{name=\"p\"} : i32[] %b = input{name=\"b\"} : f32[] "
      "%q = input{name=\"q\"} : i32[] %m = max(%a, %b) : f32[] %s = add(%p, %q) : i32[] return %m, %s";
  const std::string of_one =
      "%a = input{name=\"a\"} : f32[] %b = input{name=\"b\"} : f32[] %m = min(%a, %b) : f32[] return %m";
  const conformance::Operand scalar = {.sizes = {}}, place = {.dtype = ir::DType::kI32, .sizes = {}};
  return {
      {"reduce",
       fmt::format(
           "graph {{ %x = input{{name=\"x\"}} : {0} %k = input{{name=\"k\"}} : {1} %i = input{{name=\"i\"}} "
           ": f32[] "
           "%j = input{{name=\"j\"}} : i32[] %r = reduce{{axes=[0], combiner={{ {2} }}}}(%x, %k, %i, %j) : "
           "(f32[{3}], i32[{3}]) return %r }}",
           x, i, of_two, columns),
       {.operands = {floats, few, scalar, place}}},
      {"reduce_window",
       fmt::format("graph {{ %x = input{{name=\"x\"}} : {0} %i = input{{name=\"i\"}} : f32[] %r = "
                   "reduce_window{{kernel=[1,2], "
                   "strides=[1,1], dilations=[1,1], input_dilations=[1,1], pads=[0,1,0,0], combiner={{ {1} "
                   "}}}}(%x, %i) : {0} "
                   "return %r }}",
                   x, of_one),
       {.operands = {floats, scalar}}},
      {"sort",
       fmt::format("graph {{ %k = input{{name=\"k\"}} : {1} %x = input{{name=\"x\"}} : {0} %s = "
                   "sort{{axis={2}, comparator={{ "
                   "%a = input{{name=\"a\"}} : i32[] %b = input{{name=\"b\"}} : i32[] %p = "
                   "input{{name=\"p\"}} : f32[] "
                   "%q = input{{name=\"q\"}} : f32[] %more = less(%b, %a) : bool[] return %more }}}}(%k, %x) "
                   ": ({1}, {0}) "
                   "return %s }}",
                   x, i, axis),
       {.operands = {few, floats}}},
      {"while", head + begins + loop(twice + "return %next, %t") + "return %w }", {.operands = {floats}}},
      {"while",
       head + begins +
           loop("%n = constant : i64[] {0} " + inner +
                fmt::format("%z = get{{index=1}}(%u) : {} return %next, %z", x)) +
           "return %w }",
       {.operands = {floats}}},
      {"conditional",
       fmt::format(
           "graph {{ %p = input{{name=\"p\"}} : bool[] %x = input{{name=\"x\"}} : {0} "
           "%y = conditional{{region={{ %v = input{{name=\"v\"}} : {0} %n = neg(%v) : {0} return %n, %v }}, "
           "otherwise={{ %v = input{{name=\"v\"}} : {0} %n = exp(%v) : {0} return %v, %n }}}}(%p, %x) : "
           "({0}, {0}) return %y }}",
           x),
       {.operands = {{.dtype = ir::DType::kBool, .sizes = {}, .lo = 0, .hi = 1}, floats}}}};
}

void run(int draws, uint64_t seed) {
  Rng rng(seed);
  for (const auto& [op, c] : wrapping_cases()) say(op, c, rng);
  for (int n = 0; n < draws; ++n)
    for (const Program& p : programs_with_regions(rng)) {
      ir::Context ctx(ir::standard_ops());
      tell(p.op, ir::parse_graph(ctx, p.text), p.inputs, rng);
    }
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
