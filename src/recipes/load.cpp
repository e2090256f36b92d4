#include "recipes/load.h"

#include <fmt/format.h>

#include <charconv>

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
    formats::OnnxModel model = formats::read_onnx(ctx, path, {dims, contrib});
    return {std::move(model.graph), std::move(model.envelope), std::move(model.notes), contrib};
  }
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
