#include "recipes/load.h"

#include <fmt/format.h>

#include <charconv>
#include <fstream>
#include <sstream>

#include "formats/sexpr/sexpr.h"
#include "ir/constant_of.h"
#include "ir/op_table.h"
#include "ir/print.h"
#include "runtime/type_inference.h"
#include "support/errors.h"

namespace isomer::recipes {
namespace {

/// For all questions about a model together; most take a thousandth of a second.
constexpr double kInferenceSeconds = 20;

Program load_onnx(ir::Context& ctx, const std::string& path, const formats::OnnxReadOptions& options) {
  formats::OnnxModel model = formats::read_onnx(ctx, path, options);
  Program program{std::move(model.graph), std::move(model.envelope)};
  program.notes = std::move(model.notes);
  program.contrib = options.contrib;
  program.dims = options.dims;
  program.types_inferred = model.types_inferred;
  return program;
}

}  // namespace

Program load_program(ir::Context& ctx, const std::string& path, const std::map<std::string, int64_t>& dims,
                     bool contrib, const StopToken& stop) {
  if (path.ends_with(".onnx")) {
    runtime::TypeInference inference(kInferenceSeconds, stop);
    Program program = load_onnx(
        ctx, path, {dims, contrib, [&](const std::string& question) { return inference.infer(question); }});
    if (!inference.failure().empty())
      program.notes.push_back("types of opaque results are not inferred: " + inference.failure());
    return program;
  }
  if (path.ends_with(".graph")) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw InputError({path, 0, 0}, "cannot be opened");
    std::ostringstream text;
    text << file.rdbuf();
    return {ir::parse_graph(ctx, text.str(), path), nullptr};
  }
  return {formats::read_sexpr_file(ctx, path), nullptr};
}

Program load_without_inference(ir::Context& ctx, const std::string& path,
                               const std::map<std::string, int64_t>& dims, bool contrib) {
  return load_onnx(ctx, path, {dims, contrib, {}});
}

uint64_t weight_bytes(const ir::Graph& graph) {
  const ir::OpId constant = graph.context().ops().at("constant");
  uint64_t bytes = 0;
  for (size_t i = 0; i < graph.size(); ++i)
    if (graph.op(ir::ValueId(i)) == constant) bytes += ir::constant_of(graph, ir::ValueId(i)).length;
  return bytes;
}

std::map<std::string, int64_t> parse_dims(const std::vector<std::string>& pairs) {
  std::map<std::string, int64_t> dims;
  for (const std::string& pair : pairs) {
    const size_t equals = pair.find('=');
    int64_t value = -1;
    if (equals != std::string::npos && equals > 0) {
      const char* end = pair.data() + pair.size();
      const auto [rest, error] = std::from_chars(pair.data() + equals + 1, end, value);
      if (error != std::errc() || rest != end) value = -1;
    }
    if (value < 0)
      throw UsageError(fmt::format("--dim {}: expected name=value with a value of at least 0", pair));
    dims[pair.substr(0, equals)] = value;
  }
  return dims;
}

}  // namespace isomer::recipes
