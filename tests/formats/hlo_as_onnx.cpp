// Writes HLO modules as ONNX models, for hlo_as_onnx.py.
//
//   hlo_as_onnx FILE...     a line each: {"file", "model"} (FILE.onnx) or {"file", "refused": "why"}
#include <exception>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "formats/hlo_graph.h"
#include "formats/onnx.h"
#include "hlo/parse.h"
#include "hlo/verify.h"
#include "ir/op_table.h"
#include "support/errors.h"
#include "support/files.h"

namespace {

using namespace isomer;
using Json = nlohmann::ordered_json;

Json write(const std::string& file) {
  const hlo::Module module = hlo::parse(read_file(file), file);
  hlo::require_valid(module);
  ir::Context ctx(ir::standard_ops());
  try {
    const ir::Graph graph = formats::without_memory(formats::hlo_graph(ctx, module));
    const auto envelope = formats::OnnxEnvelope::plain(graph, 18);
    if (const std::string bad = formats::unspellable(graph, formats::dialect_of(graph, *envelope, false));
        !bad.empty())
      return {{"file", file}, {"refused", bad}};
    formats::write_onnx(graph, *envelope, file + ".onnx");
    return {{"file", file}, {"model", file + ".onnx"}};
  } catch (const InputError& refused) {
    return {{"file", file}, {"refused", refused.what()}};
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    for (int i = 1; i < argc; ++i) std::cout << write(argv[i]) << std::endl;
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
  return 0;
}
