#include "recipes/load.h"


#include "formats/onnx_dims.h"
#include "formats/sexpr/sexpr.h"
#include "ir/constant_of.h"
#include "ir/op_table.h"
#include "ir/print.h"
#include "support/errors.h"
#include "support/files.h"

namespace isomer::recipes {

Program load_program(ir::Context& ctx, const std::string& path, const std::map<std::string, int64_t>& dims,
                     bool contrib) {
  if (path.ends_with(".onnx")) {
    if (!dims.empty()) {
      const formats::OnnxDims names = formats::list_onnx_dims(path);
      check_dim_names(dims, names.of_inputs, names.others);
    }
    formats::OnnxModel model = formats::read_onnx(ctx, path, {dims, contrib});
    return {std::move(model.graph), std::move(model.envelope), std::move(model.notes), contrib};
  }
  check_dim_names(dims, {});
  if (path.ends_with(".graph")) return {ir::parse_graph(ctx, read_file(path), path), nullptr, {}, false};
  return {formats::read_sexpr_file(ctx, path), nullptr, {}, false};
}

uint64_t weight_bytes(const ir::Graph& graph) {
  const ir::OpId constant = graph.context().ops().at("constant");
  uint64_t bytes = 0;
  for (size_t i = 0; i < graph.size(); ++i)
    if (graph.op(ir::ValueId(i)) == constant) bytes += ir::constant_of(graph, ir::ValueId(i)).length;
  return bytes;
}

}  // namespace isomer::recipes
