// Attention and rotary embedding of operator set 23, and ONNX Runtime's own operators ("com.microsoft"), as
// far as its CPU kernels compute what our composites say. Those kernels know float32 only. What a schema
// leaves to the runtime (masks given by their lengths, past keys) is not read, and never written.
#include <onnx-ml.pb.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "formats/onnx_spell.h"
#include "formats/onnx_spell_rows.h"
#include "formats/onnx_windows.h"
#include "ir/op_table.h"

namespace isomer::formats {
namespace {

using ir::ValueId;

void refuse_beyond(NodeReader& r, size_t inputs) {
  for (size_t i = inputs; i < r.inputs(); ++i)
    if (r.has(i)) r.fail("it has further inputs");
}

/// Of any number of operands: from the left, as runtimes compute it. Two of one shape are `sum`.
ValueId read_sum(NodeReader& r) {
  if (r.inputs() == 2 && same_shape(r.shape(0), r.shape(1)) && !r.failed() && ir::is_float(r.dtype(0)))
    return r.add("sum", r.ins(2));
  if (r.inputs() == 0) return r.fail("expected an operand");
  ValueId sum = r.in(0);
  for (size_t i = 1; i < r.inputs(); ++i) sum = r.add("add", r.broadcast_together({sum, r.in(i)}));
  return sum;
}
void write_sum(NodeWriter& w) { w.node("Sum", w.ins()); }

// Operator set 23

/// 1 / sqrt(size of a head), in float32 as runtimes compute it.
double usual_scale(int64_t width) { return static_cast<double>(1 / std::sqrt(static_cast<float>(width))); }

/// A mask of four dimensions, or nothing.
void add_bias(NodeReader& r, size_t input, std::vector<ValueId>& operands) {
  if (!r.has(input)) return;
  if (!ir::is_float(r.dtype(input)) || r.rank(input) != 4) r.fail("its mask is no bias of four dimensions");
  operands.push_back(r.in(input));
}

/// Width of a head of `input`; fails when it is not known.
int64_t head_width(NodeReader& r, size_t input, int64_t heads) {
  const ir::Shape& shape = r.shape(input);
  if (r.failed() || shape.empty() || !shape.back().is_static() || heads < 1) {
    r.fail("the width of its heads is not known");
    return 1;
  }
  return shape.back().size() / heads;
}

/// Whether `attention` or `multi_head_attention` say it; else it is read by what `full_attention` declares.
bool is_plain_attention(NodeReader& r) {
  for (size_t i = 4; i < r.inputs(); ++i)
    if (r.has(i)) return false;
  for (int i = 1; i < r.node().output_size(); ++i)
    if (!r.node().output(i).empty()) return false;
  for (const char* attr : {"left_window_size", "right_window_size", "softmax_precision"})
    if (r.has_attr(attr)) return false;
  const int64_t heads = r.i("q_num_heads", 0);
  if (r.i("is_causal", 0) != 0 || r.f("softcap", 0) != 0 || r.i("kv_num_heads", heads) != heads) return false;
  if (r.has(3) && (!ir::is_float(r.dtype(3)) || r.rank(3) != 4)) return false;
  return r.rank(0) != 4 || (r.shape(1).size() == 4 && r.shape(0)[1].same(r.shape(1)[1]));
}

ValueId read_attention(NodeReader& r) {
  if (!is_plain_attention(r)) return read_by_rows(r);
  r.i("qk_matmul_output_mode", 0);
  const int64_t heads = r.i("q_num_heads", 0);
  std::vector<ValueId> operands = r.ins(3);
  add_bias(r, 3, operands);
  const bool apart = r.rank(0) == 4;
  const double scale = r.f("scale", usual_scale(head_width(r, 0, apart ? 1 : heads)));
  if (apart) return r.add("attention", operands, {{"scale", scale}});
  return r.add("multi_head_attention", operands, {{"heads", heads}, {"scale", scale}});
}

void write_attention(NodeWriter& w) {
  onnx::NodeProto& node = w.node("Attention", w.ins());
  set(node, "scale", w.op().f("scale"));
  if (w.op().op.attr_index("heads") < 0) return;
  set(node, "q_num_heads", w.op().i("heads"));
  set(node, "kv_num_heads", w.op().i("heads"));
}

struct Activation {
  const char* op;
  const char* node;
};
constexpr std::array<Activation, 6> kActivations = {{{"relu", "Relu"},
                                                     {"sigmoid", "Sigmoid"},
                                                     {"tanh", "Tanh"},
                                                     {"leaky_relu", "LeakyRelu"},
                                                     {"hard_sigmoid", "HardSigmoid"},
                                                     {"clip", "Clip"}}};

void write_fused_conv(NodeWriter& w) {
  const ir::OpInstance op = w.op();
  onnx::NodeProto& node = w.node("FusedConv", w.ins(), kContribDomain);
  std::vector<int64_t> kernel = op.in_sizes(1);
  kernel.erase(kernel.begin(), kernel.begin() + 2);
  set(node, "dilations", op.ints("dilations"));
  set(node, "group", op.i("group"));
  set(node, "kernel_shape", kernel);
  set(node, "pads", op.ints("pads"));
  set(node, "strides", op.ints("strides"));
  for (const Activation& a : kActivations)
    if (op.s("activation") == a.op) set(node, "activation", std::string(a.node));
  if (!op.has("alpha")) return;
  onnx::AttributeProto& numbers = *node.add_attribute();
  numbers.set_name("activation_params");
  numbers.set_type(onnx::AttributeProto::FLOATS);
  for (const char* name : {"alpha", "beta"})
    if (op.has(name)) numbers.add_floats(static_cast<float>(op.f(name)));
}
/// The kernel takes its summand for the output where it lies: both must be of one shape, which they are.
bool can_fused_conv(const ir::OpInstance& op, const Dialect&) {
  return op.type(1).is_static_tensor() && op.in_shape(0).size() == 4;
}
ValueId read_fused_conv(NodeReader& r) {
  const std::string name = r.s("activation", "");
  const auto numbers = r.floats("activation_params").value_or(std::vector<double>());
  std::vector<int64_t> kernel;
  for (size_t i = 2; i < r.shape(1).size(); ++i)
    kernel.push_back(r.shape(1)[i].is_static() ? r.shape(1)[i].size() : 0);
  if (const auto declared = r.ints("kernel_shape"); declared && *declared != kernel)
    return r.fail("kernel_shape is not that of its kernel");
  if (r.has(3) && !r.has(2)) return r.fail("it has a summand and no bias");
  const Windows w = read_windows(r, kernel);
  for (const Activation& a : kActivations) {
    if (name != a.node) continue;
    std::vector<ir::NamedAttr> attrs = {{"strides", w.strides},
                                        {"dilations", w.dilations},
                                        {"pads", w.pads},
                                        {"group", r.i("group", 1)},
                                        {"activation", std::string(a.op)}};
    for (size_t i = 0; i < std::min<size_t>(2, numbers.size()); ++i) {
      const ir::NamedAttr number = {i == 0 ? "alpha" : "beta", ir::AttrValue(numbers[i])};
      attrs.push_back(number);
    }
    return r.add("fused_conv", r.ins(r.inputs()), attrs);
  }
  return r.fail("its activation is not known");
}

/// Bias (of the projections) and padding mask lie between the value and the attention bias.
ValueId read_multi_head(NodeReader& r) {
  refuse_beyond(r, 6);
  if (r.has(3) || r.has(4)) return r.fail("it has a bias or a padding mask");
  if (r.i("unidirectional", 0) != 0) return r.fail("it is causal");
  r.f("mask_filter_value", 0);  // of padding masks
  const int64_t heads = r.i("num_heads", 0);
  std::vector<ValueId> operands = r.ins(3);
  add_bias(r, 5, operands);
  const double scale = r.f("scale", usual_scale(head_width(r, 0, heads)));
  return r.add("multi_head_attention", operands, {{"heads", heads}, {"scale", scale}});
}
void write_multi_head(NodeWriter& w) {
  std::vector<std::string> inputs = w.ins();
  if (inputs.size() == 4) inputs.insert(inputs.begin() + 3, {"", ""});
  onnx::NodeProto& node = w.node("MultiHeadAttention", inputs, kContribDomain);
  set(node, "num_heads", w.op().i("heads"));
  set(node, "scale", w.op().f("scale"));
}

}  // namespace

void spell_fusion(Spellings& t) {
  t.reads("Sum", read_sum);
  t.writes("sum", {write_sum});
  t.reads("Attention", read_attention);
  t.writes("attention", {write_attention});
  t.writes("multi_head_attention", {write_attention});
  t.reads_contrib("FusedConv", read_fused_conv);
  t.writes_contrib("fused_conv", {write_fused_conv, can_fused_conv});
  t.reads_contrib("MultiHeadAttention", read_multi_head);
  t.writes_contrib("multi_head_attention", {write_multi_head});
}

}  // namespace isomer::formats
