#include "formats/onnx_scan.h"

#include <onnx-ml.pb.h>

#include <span>

#include "formats/onnx.h"
#include "formats/onnx_nesting.h"
#include "support/possible.h"

namespace isomer::formats {

std::optional<OnnxScan> read_scan(ir::Context& ctx, const std::string& node, int64_t opset) {
  constexpr int64_t kFirstWithoutBatches = 9;
  onnx::NodeProto scan;
  if (opset < kFirstWithoutBatches || !parse_nested(scan, node)) return std::nullopt;
  onnx::ModelProto model;
  model.set_ir_version(8);
  model.add_opset_import()->set_version(opset);
  int64_t scanned = -1;
  for (const onnx::AttributeProto& a : scan.attribute()) {
    if (a.name() == "num_scan_inputs") scanned = a.i();
    if (a.name() == "body") *model.mutable_graph() = a.g();
    if (a.name().ends_with("_axes")) return std::nullopt;
  }
  const int64_t states = model.graph().input_size() - scanned;
  if (scanned < 0 || states < 0 || states > model.graph().output_size()) return std::nullopt;
  const std::string bytes = model.SerializeAsString();
  // One that names outer values is none by itself.
  auto body =
      possible([&] { return read_onnx_bytes(ctx, std::as_bytes(std::span(bytes)), "the body of a Scan"); });
  if (!body) return std::nullopt;
  return OnnxScan{std::move(body.value->graph), static_cast<size_t>(states)};
}

}  // namespace isomer::formats
