#include "recipes/load.h"

#include <algorithm>
#include "formats/onnx_dims.h"
#include "formats/sexpr/sexpr.h"
#include "ir/constant_of.h"
#include "ir/op_table.h"
#include "ir/print.h"
#include "runtime/type_inference.h"
#include "support/errors.h"
#include "support/files.h"

namespace isomer::recipes {
namespace {

/// For all questions about a model together; most take a thousandth of a second.
constexpr double kInferenceSeconds = 20, kInferenceShare = 0.2;

Program load_onnx(ir::Context& ctx, const std::string& path, const formats::OnnxReadOptions& options) {
  const FileStamp stamp = stamp_of(path);
  formats::OnnxModel model = formats::read_onnx(ctx, path, options);
  Program program{std::move(model.graph), std::move(model.envelope)};
  program.notes = std::move(model.notes);
  program.contrib = options.contrib;
  program.dims = options.dims;
  program.types_inferred = model.types_inferred;
  program.first_cause = std::move(model.first_cause);
  program.stamp = stamp;
  return program;
}

}  // namespace

FileStamp stamp_of(const std::string& path) {
  std::error_code none;
  return {std::filesystem::last_write_time(path, none), std::filesystem::file_size(path, none)};
}

Program load_program(ir::Context& ctx, const std::string& path, const std::map<std::string, int64_t>& dims,
                     bool contrib, const Deadline& until) {
  if (path.ends_with(".onnx")) {
    if (!dims.empty()) {
      const formats::OnnxDims names = formats::list_onnx_dims(path);
      check_dim_names(dims, names.of_inputs, names.others);
    }
    runtime::TypeInference inference(std::min(kInferenceSeconds, kInferenceShare * until.remaining()),
                                     until.stop());
    Program program = load_onnx(
        ctx, path, {dims, contrib, [&](const std::string& question) { return inference.infer(question); }});
    if (!inference.failure().empty())
      program.notes.push_back("types of opaque results are not inferred: " + inference.failure());
    return program;
  }
  check_dim_names(dims, {});
  if (path.ends_with(".graph")) return {ir::parse_graph(ctx, read_file(path), path), nullptr};
  return {formats::read_sexpr_file(ctx, path), nullptr};
}

Possible<Program> try_load_program(ir::Context& ctx, const std::string& path,
                                   const std::map<std::string, int64_t>& dims, bool contrib,
                                   const Deadline& until) {
  return possible([&] { return load_program(ctx, path, dims, contrib, until); });
}

Program load_without_inference(ir::Context& ctx, const std::string& path,
                               const std::map<std::string, int64_t>& dims, bool contrib) {
  return load_onnx(ctx, path, {dims, contrib, {}});
}

uint64_t weight_bytes(const ir::Graph& graph) {
  uint64_t bytes = 0;
  for (size_t i = 0; i < graph.size(); ++i)
    if (graph.def(ir::ValueId(i)).is(ir::Core::kConstant))
      bytes += ir::constant_of(graph, ir::ValueId(i)).length;
  return bytes;
}

uint64_t larger_weight_bytes(const Program& a, const Program& b) {
  return std::max(weight_bytes(a.graph), weight_bytes(b.graph));
}

}  // namespace isomer::recipes
