// Products and convolutions.
#include <onnx-ml.pb.h>

#include <algorithm>
#include <array>

#include "formats/onnx_broadcast.h"
#include "formats/onnx_spell.h"
#include "formats/onnx_windows.h"
#include "ir/op_table.h"

namespace isomer::formats {
namespace {

using ir::Shape;
using ir::ValueId;

/// Batch dimensions broadcast, except against an operand of rank 2, which `matmul` shares between batches.
ValueId read_matmul(NodeReader& r) {
  const Shape a = r.shape(0);
  const Shape b = r.shape(1);
  if (a.size() < 2 || b.size() < 2) return r.fail("an operand is a vector");
  if (a.size() == 2 || b.size() == 2) return r.add("matmul", {r.in(0), r.in(1)});
  const auto batch = common_shape(std::array{Shape(a.begin(), a.end() - 2), Shape(b.begin(), b.end() - 2)});
  if (!batch) return r.fail("it is not certain how its batches broadcast");
  const auto whole = [&](const Shape& matrix) {
    Shape shape = *batch;
    shape.insert(shape.end(), matrix.end() - 2, matrix.end());
    return shape;
  };
  return r.add("matmul", {r.broadcast(r.in(0), whole(a)), r.broadcast(r.in(1), whole(b))});
}
void write_matmul(NodeWriter& w) { w.node("MatMul", w.ins()); }

ValueId read_gemm(NodeReader& r) {
  const double alpha = r.f("alpha", 1);
  const double beta = r.f("beta", 1);
  const int64_t trans_a = r.i("transA", 0) != 0;
  const int64_t trans_b = r.i("transB", 0) != 0;
  if (r.rank(0) != 2 || r.rank(1) != 2) return r.fail("expected matrices");
  std::vector<ValueId> operands = r.ins(2);
  if (r.has(2)) {
    const Shape result = {r.shape(0)[trans_a ? 1 : 0], r.shape(1)[trans_b ? 0 : 1]};
    operands.push_back(r.broadcast(r.in(2), result));
  }
  return r.add("gemm", operands,
               {{"alpha", alpha}, {"beta", beta}, {"trans_a", trans_a}, {"trans_b", trans_b}});
}
void write_gemm(NodeWriter& w) {
  const ir::OpInstance op = w.op();
  onnx::NodeProto& node = w.node("Gemm", w.ins());
  set(node, "alpha", op.f("alpha"));
  set(node, "beta", op.f("beta"));
  set(node, "transA", op.i("trans_a"));
  set(node, "transB", op.i("trans_b"));
}
bool can_gemm(const ir::OpInstance& op, int64_t opset) { return opset >= 11 || op.inputs.size() == 3; }

/// Spatial sizes of the kernel; fails where they are not known, or contradict kernel_shape.
std::vector<int64_t> kernel_sizes(NodeReader& r) {
  const Shape& w = r.shape(1);
  std::vector<int64_t> kernel;
  for (size_t i = 2; i < w.size(); ++i) {
    if (!w[i].is_static()) r.fail("the size of its kernel is not known");
    kernel.push_back(w[i].size());
  }
  if (const auto declared = r.ints("kernel_shape"); declared && *declared != kernel)
    r.fail("kernel_shape is not that of its kernel");
  return kernel;
}

std::vector<ValueId> convolution_operands(NodeReader& r) {
  std::vector<ValueId> operands = r.ins(2);
  if (r.has(2)) operands.push_back(r.in(2));
  return operands;
}

ValueId read_conv(NodeReader& r) {
  const Windows w = read_windows(r, kernel_sizes(r));
  return r.add(
      "conv", convolution_operands(r),
      {{"strides", w.strides}, {"dilations", w.dilations}, {"pads", w.pads}, {"group", r.i("group", 1)}});
}

ValueId read_conv_transpose(NodeReader& r) {
  if (r.has_attr("output_shape")) return r.fail("output_shape is given");
  const std::string mode = r.s("auto_pad", "NOTSET");
  if (mode != "NOTSET" && mode != "VALID") return r.fail("auto_pad is given");
  const Windows w = read_windows(r, kernel_sizes(r));
  const auto padding = r.ints("output_padding").value_or(std::vector<int64_t>(w.kernel.size(), 0));
  return r.add("conv_transpose", convolution_operands(r),
               {{"strides", w.strides},
                {"dilations", w.dilations},
                {"pads", w.pads},
                {"output_padding", padding},
                {"group", r.i("group", 1)}});
}

void put_windows(NodeWriter& w, onnx::NodeProto& node) {
  const ir::OpInstance op = w.op();
  std::vector<int64_t> kernel = op.in_sizes(1);
  kernel.erase(kernel.begin(), kernel.begin() + 2);
  set(node, "dilations", op.ints("dilations"));
  set(node, "group", op.i("group"));
  set(node, "kernel_shape", kernel);
  set(node, "pads", op.ints("pads"));
  set(node, "strides", op.ints("strides"));
}
void write_conv(NodeWriter& w) { put_windows(w, w.node("Conv", w.ins())); }
void write_conv_transpose(NodeWriter& w) {
  onnx::NodeProto& node = w.node("ConvTranspose", w.ins());
  put_windows(w, node);
  set(node, "output_padding", w.op().ints("output_padding"));
}
bool can_conv(const ir::OpInstance& op, int64_t) { return op.type(1).is_static_tensor(); }

}  // namespace

void spell_contraction(Spellings& t) {
  t.reads("MatMul", read_matmul);
  t.writes("matmul", {write_matmul});
  t.reads("Gemm", read_gemm);
  t.writes("gemm", {write_gemm, can_gemm, 7});
  t.reads("Conv", read_conv);
  t.writes("conv", {write_conv, can_conv});
  t.reads("ConvTranspose", read_conv_transpose);
  t.writes("conv_transpose", {write_conv_transpose, can_conv});
}

}  // namespace isomer::formats
