// Attention and rotary embedding of operator set 23, and ONNX Runtime's own operators ("com.microsoft"), as
// far as its CPU kernels compute what our composites say. Those kernels know float32 only. What a schema
// leaves to the runtime (masks given by their lengths, past keys) is not read, and never written.
#include <onnx-ml.pb.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "formats/onnx_spell.h"
#include "formats/onnx_windows.h"
#include "ir/op_table.h"

namespace isomer::formats {
namespace {

using ir::ValueId;

bool is_f32(const ir::OpInstance& op, int64_t) { return op.in_dtype(0) == ir::DType::kF32; }

bool is_f32_and_no_scalar(const ir::OpInstance& op, int64_t opset) {
  return is_f32(op, opset) && op.type(0).is_ranked_tensor() && !op.in_shape(0).empty();
}

void refuse_beyond(NodeReader& r, size_t inputs) {
  for (size_t i = inputs; i < r.inputs(); ++i)
    if (r.has(i)) r.fail("it has further inputs");
}

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

ValueId read_attention(NodeReader& r) {
  refuse_beyond(r, 4);
  if (r.i("is_causal", 0) != 0 || r.f("softcap", 0) != 0) return r.fail("it is causal, or caps");
  r.i("qk_matmul_output_mode", 0);
  r.i("softmax_precision", 0);
  const int64_t heads = r.i("q_num_heads", 0), shared = r.i("kv_num_heads", heads);
  if (heads != shared) return r.fail("queries share keys");
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

bool no_bf16(const ir::OpInstance& op, int64_t) { return op.in_dtype(0) != ir::DType::kBF16; }

ValueId read_rotary(NodeReader& r) {
  refuse_beyond(r, 3);
  if (r.rank(0) != 4 || r.i("rotary_embedding_dim", 0) != 0) return r.fail("it turns a part of its operand");
  r.i("num_heads", 0);
  const int64_t interleaved = r.i("interleaved", 0);
  return r.add("rotary_embedding", r.ins(3), {{"interleaved", interleaved}});
}
void write_rotary(NodeWriter& w) {
  set(w.node("RotaryEmbedding", w.ins()), "interleaved", w.op().i("interleaved"));
}

// ONNX Runtime's own

ValueId read_fused_matmul(NodeReader& r) {
  if (r.i("transBatchA", 0) != 0 || r.i("transBatchB", 0) != 0) return r.fail("it moves batches");
  const double alpha = r.f("alpha", 1);
  const int64_t trans_a = r.i("transA", 0), trans_b = r.i("transB", 0);
  return r.add("fused_matmul", r.ins(2), {{"alpha", alpha}, {"trans_a", trans_a}, {"trans_b", trans_b}});
}
void write_fused_matmul(NodeWriter& w) {
  onnx::NodeProto& node = w.node("FusedMatMul", w.ins(), kContribDomain);
  set(node, "alpha", w.op().f("alpha"));
  set(node, "transA", w.op().i("trans_a"));
  set(node, "transB", w.op().i("trans_b"));
}

ValueId read_own_gelu(NodeReader& r) { return r.add("gelu", {r.in(0)}, {{"approximate", "none"}}); }
ValueId read_bias_gelu(NodeReader& r) { return r.add("bias_gelu", r.ins(2), {{"approximate", "none"}}); }
ValueId read_fast_gelu(NodeReader& r) {
  if (!r.has(1)) return r.add("gelu", {r.in(0)}, {{"approximate", "tanh"}});
  return r.add("bias_gelu", r.ins(2), {{"approximate", "tanh"}});
}
ValueId read_quick_gelu(NodeReader& r) {
  return r.add("quick_gelu", {r.in(0)}, {{"alpha", r.f("alpha", static_cast<double>(1.702F))}});
}
void write_own_gelu(NodeWriter& w) {
  const bool tanh = w.op().s("approximate") == "tanh";
  w.node(tanh ? "FastGelu" : w.inputs() == 2 ? "BiasGelu" : "Gelu", w.ins(), kContribDomain);
}
void write_quick_gelu(NodeWriter& w) {
  set(w.node("QuickGelu", w.ins(), kContribDomain), "alpha", w.op().f("alpha"));
}

ValueId read_skip(NodeReader& r, const char* op, size_t operands) {
  refuse_beyond(r, operands);
  r.results_at({0, 3});
  return r.add(op, r.ins(operands), {{"epsilon", r.f("epsilon", static_cast<double>(1e-12F))}});
}
ValueId read_skip_layer_norm(NodeReader& r) { return read_skip(r, "skip_layer_norm", 4); }
ValueId read_skip_rms_norm(NodeReader& r) { return read_skip(r, "skip_rms_norm", 3); }
/// Outputs 1 and 2 are for training.
void write_skip(NodeWriter& w, const char* op_type) {
  onnx::NodeProto& node = w.node(op_type, w.ins(), kContribDomain);
  const std::string sum = node.output(1);
  node.set_output(1, "");
  node.add_output("");
  node.add_output(sum);
  set(node, "epsilon", w.op().f("epsilon"));
}
void write_skip_layer_norm(NodeWriter& w) { write_skip(w, "SkipLayerNormalization"); }
void write_skip_rms_norm(NodeWriter& w) { write_skip(w, "SkipSimplifiedLayerNormalization"); }

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
bool can_fused_conv(const ir::OpInstance& op, int64_t) {
  return op.in_dtype(0) == ir::DType::kF32 && op.type(1).is_static_tensor() && op.in_shape(0).size() == 4;
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
  t.reads("Attention", read_attention);
  t.writes("attention", {write_attention, no_bf16, 23});
  t.writes("multi_head_attention", {write_attention, no_bf16, 23});
  t.reads("RotaryEmbedding", read_rotary);
  t.writes("rotary_embedding", {write_rotary, nullptr, 23});

  t.reads_contrib("FusedMatMul", read_fused_matmul);
  t.writes_contrib("fused_matmul", {write_fused_matmul, is_f32});
  t.reads_contrib("Gelu", read_own_gelu);
  t.reads_contrib("BiasGelu", read_bias_gelu);
  t.reads_contrib("FastGelu", read_fast_gelu);
  t.writes_contrib("gelu", {write_own_gelu, is_f32_and_no_scalar});
  t.writes_contrib("bias_gelu", {write_own_gelu, is_f32});
  t.reads_contrib("QuickGelu", read_quick_gelu);
  t.writes_contrib("quick_gelu", {write_quick_gelu, is_f32});
  t.reads_contrib("SkipLayerNormalization", read_skip_layer_norm);
  t.writes_contrib("skip_layer_norm", {write_skip_layer_norm, is_f32});
  t.reads_contrib("SkipSimplifiedLayerNormalization", read_skip_rms_norm);
  t.writes_contrib("skip_rms_norm", {write_skip_rms_norm, is_f32});
  t.reads_contrib("FusedConv", read_fused_conv);
  t.writes_contrib("fused_conv", {write_fused_conv, can_fused_conv});
  t.reads_contrib("MultiHeadAttention", read_multi_head);
  t.writes_contrib("multi_head_attention", {write_multi_head, is_f32});
}

}  // namespace isomer::formats
