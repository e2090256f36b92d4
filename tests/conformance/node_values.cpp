// Reads ONNX models, writes them again and evaluates them on given inputs. For node_tests.py.
//
//   node_values LIST DATA RESULTS
//
// LIST: a JSON object a line: "model", "copy" (a path, or empty: not written), "inputs" ({name: byte offset
// in DATA}). DATA and RESULTS hold elements of 8 bytes, doubles of float types and integers of others. An
// answer a line on standard output: "error" (not read, or not written), "opaque" ([[operator, why], ...]),
// "unknown" (why it was not evaluated) or "outputs" ([{dtype, sizes, offset}, ...]).
#include <cstring>
#include <exception>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "eval/float_domain.h"
#include "eval/interpreter.h"
#include "formats/onnx.h"
#include "formats/onnx_opaque.h"
#include "ir/op_table.h"
#include "ir/type.h"
#include "support/deadline.h"
#include "support/errors.h"
#include "support/files.h"

namespace {

using namespace isomer;
using Json = nlohmann::ordered_json;
using Value = eval::Value<double>;
using Tensor = eval::Tensor<double>;

Tensor given(const ir::Type& type, const std::string& data, size_t offset) {
  if (!type.is_static_tensor()) throw InputError("an input whose shape is not known");
  Tensor out{type.dtype, ir::sizes(type.shape), {}, {}};
  if (!ir::is_float(type.dtype) && !ir::is_integer(type.dtype))
    throw InputError("an input of elements that are no numbers");
  const auto count = static_cast<size_t>(out.count());
  const auto take = [&](auto& elements) {
    elements.resize(count);
    if (offset + 8 * count > data.size()) throw InputError("an input of another shape than its data");
    if (count > 0) std::memcpy(elements.data(), data.data() + offset, 8 * count);
  };
  if (ir::is_float(type.dtype))
    take(out.numbers);
  else
    take(out.integers);
  return out;
}

Json opaque_nodes(const formats::OnnxModel& model) {
  Json out = Json::array();
  for (size_t i = 0; i < model.graph.size(); ++i)
    if (model.graph.def(ir::ValueId(i)).kind == ir::MeaningKind::kOpaque)
      out.push_back(formats::view_opaque(model.graph, ir::ValueId(i)).op);
  return out;
}

class Runs {
 public:
  Runs(const std::string& data, const std::string& results)
      : data_(read_file(data)), results_(results, std::ios::binary) {}

  Json one(const Json& task) {
    Json answer;
    try {
      ir::Context ctx(ir::standard_ops());
      const formats::OnnxModel model = formats::read_onnx(ctx, task["model"]);
      if (const std::string copy = task["copy"]; !copy.empty())
        formats::write_onnx(model.graph, *model.envelope, copy, {.durable = false});
      answer["opaque"] = opaque_nodes(model);
      answer["notes"] = model.notes;
      if (answer["opaque"].empty()) evaluate(model, task["inputs"], answer);
    } catch (const Error& error) {
      answer["error"] = error.what();
    } catch (const std::exception& error) {
      answer["bug"] = error.what();
    }
    return answer;
  }

 private:
  void evaluate(const formats::OnnxModel& model, const Json& offsets, Json& answer) {
    try {
      std::vector<Value> inputs;
      const std::vector<std::string> names = model.envelope->input_names();
      for (size_t i = 0; i < model.graph.inputs().size(); ++i) {
        if (!offsets.contains(names.at(i))) throw InputError(names[i] + ": no tensor is given");
        inputs.push_back(
            eval::make_value(given(model.graph.type(model.graph.inputs()[i]), data_, offsets[names[i]])));
      }
      eval::Float64 domain;
      eval::EvalOptions<eval::Float64> options;
      options.round_results = true;
      options.until = Deadline(kMostSeconds, steady_clock());
      Json outputs = Json::array();
      for (const Value& value : eval::evaluate(domain, model.graph, std::span<const Value>(inputs), options))
        outputs.push_back(stored(*value.tensor));
      answer["outputs"] = outputs;
    } catch (const eval::EvaluationCut&) {
      answer["unknown"] = "it takes too long";
    } catch (const InputError& error) {
      answer["unknown"] = error.what();
    }
  }

  Json stored(const Tensor& t) {
    const bool real = ir::is_float(t.dtype);
    const char* bytes = real ? reinterpret_cast<const char*>(t.numbers.data())  // NOLINT: as bytes
                             : reinterpret_cast<const char*>(t.integers.data());
    const size_t size = 8 * (real ? t.numbers.size() : t.integers.size());
    results_.write(bytes, static_cast<std::streamsize>(size));
    results_.flush();
    at_ += size;
    return {{"dtype", ir::name(t.dtype)}, {"sizes", t.sizes}, {"offset", at_ - size}};
  }

  static constexpr double kMostSeconds = 20;
  std::string data_;
  std::ofstream results_;
  size_t at_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 4) throw UsageError("node_values LIST DATA RESULTS");
    Runs runs(argv[2], argv[3]);
    std::istringstream list(read_file(argv[1]));
    for (std::string line; std::getline(list, line);)
      std::cout << runs.one(Json::parse(line)).dump() << std::endl;
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
  return 0;
}
