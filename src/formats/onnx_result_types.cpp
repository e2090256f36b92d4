#include "formats/onnx_result_types.h"

#include <fmt/format.h>
#include <onnx-ml.pb.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>

#include "formats/onnx_broadcast.h"
#include "formats/onnx_computed_shapes.h"
#include "formats/onnx_types.h"
#include "formats/onnx_windows.h"
#include "ir/size_formula.h"

namespace isomer::formats {
namespace {

using ir::Dim;
using ir::DType;
using ir::Shape;
using ir::TypeId;
using Types = std::vector<TypeId>;

// So that the sizes computed here stay within 64 bits.
constexpr int64_t kMostGroups = 1 << 20;
constexpr int64_t kMostSize = int64_t{1} << 32;

Dim named(NodeReader& r, const std::string& formula) { return ir::named_size(r.context(), formula); }

/// Places that a kernel takes in `size` (with pads), or the size that a transposed one makes.
Dim places(NodeReader& r, Dim size, int64_t kernel, int64_t stride, int64_t pads, bool ceil,
           bool transposed) {
  if (size.is_unknown() || (size.is_static() && size.size() > kMostSize)) return Dim::unknown();
  const ir::Size known = size_of(r.context(), size);
  std::optional<ir::Size> count;
  if (transposed) {
    const auto steps = product(known, stride);
    count = steps ? sum(*steps, kernel - pads - stride) : std::nullopt;
  } else {
    const auto room = sum(known, pads - kernel + (ceil ? stride - 1 : 0));
    const auto steps = room ? floor_quotient(*room, stride) : std::nullopt;
    count = steps ? sum(*steps, 1) : std::nullopt;
  }
  return r.dim(count && count->is_number() ? larger(*count, 0) : count);
}

Types window_types(NodeReader& r) {
  const std::string& op = r.node().op_type();
  const bool transposed = op == "ConvTranspose";
  const bool pooling = op == "MaxPool" || op == "AveragePool" || op == "LpPool";
  const std::string mode = r.s("auto_pad", "NOTSET");
  if (r.has_attr("output_shape") || (mode != "NOTSET" && mode != "VALID" && mode != "")) return {};
  if (pooling && r.i("ceil_mode", 0) != 0)
    return {};  // which last windows count differs between operator sets
  std::vector<int64_t> kernel;
  if (pooling) {
    kernel = r.ints("kernel_shape").value_or(kernel);
  } else {
    const Shape& w = r.shape(1);
    if (w.size() < 3 || !is_static(w)) return {};
    for (size_t i = 2; i < w.size(); ++i) kernel.push_back(w[i].size());
  }
  const Windows w = read_windows(r, kernel);
  if (r.failed()) return {};
  Shape shape = r.shape(0);
  const int64_t group = r.i("group", 1);
  if (group < 1 || group > kMostGroups || (transposed && r.shape(1)[1].size() > kMostSize)) return {};
  if (!pooling) shape[1] = transposed ? Dim(r.shape(1)[1].size() * group) : r.shape(1)[0];
  const auto extra = r.ints("output_padding").value_or(std::vector<int64_t>(kernel.size(), 0));
  if (extra.size() != kernel.size()) return {};
  for (size_t i = 0; i < kernel.size(); ++i) {
    const int64_t extent = (w.kernel[i] - 1) * w.dilations[i] + 1 + (transposed ? extra[i] : 0);
    shape[i + 2] = places(r, shape[i + 2], extent, w.strides[i], w.pads[i] + w.pads[kernel.size() + i], false,
                          transposed);
  }
  Types types = {r.context().tensor_type(r.dtype(0), shape)};
  if (op == "MaxPool") types.push_back(r.context().tensor_type(DType::kI64, shape));
  return types;
}

/// LSTM, GRU and RNN with the sequence first.
Types recurrent_types(NodeReader& r) {
  const Shape& x = r.shape(0);
  const Shape& weights = r.shape(2);  // [directions, gates * hidden, hidden]
  if (r.failed() || x.size() != 3 || weights.size() != 3 || r.i("layout", 0) != 0) return {};
  const TypeId last = r.context().tensor_type(r.dtype(0), {weights[0], x[1], weights[2]});
  return {r.context().tensor_type(r.dtype(0), {x[0], weights[0], x[1], weights[2]}), last, last};
}

/// As ONNX and its runtimes have it: the product of two floats, rounded down.
int64_t scaled(int64_t size, double scale) {
  const float product = static_cast<float>(size) * static_cast<float>(scale);
  return static_cast<int64_t>(std::clamp(static_cast<double>(product), 0.0, 1e15));
}

/// Constant sizes, or constant scales of constant or named sizes.
Types resize_types(NodeReader& r) {
  const bool old = r.node().op_type() == "Upsample" || r.opset() < 11;
  Shape shape = r.shape(0);
  if (r.failed() || r.has_attr("axes") || r.s("keep_aspect_ratio_policy", "stretch") != "stretch") return {};
  if (!old && r.has(3)) {
    const auto sizes = r.sizes(3);
    if (!sizes || sizes->size() != shape.size()) return {};
    for (size_t i = 0; i < shape.size(); ++i) {
      shape[i] = r.dim((*sizes)[i]);
      if (shape[i].is_unknown()) return {};
    }
    return {r.context().tensor_type(r.dtype(0), shape)};
  }
  const auto scales = r.const_numbers(old ? 1 : 2);
  if (!scales || scales->size() != shape.size()) return {};
  for (size_t i = 0; i < shape.size(); ++i) {
    const double scale = (*scales)[i];
    if (scale == 1) continue;
    if (shape[i].is_static())
      shape[i] = Dim(scaled(shape[i].size(), scale));
    else if (!shape[i].is_unknown())
      shape[i] = named(r, fmt::format("({}*{})", r.context().get(shape[i].symbol()), scale));
  }
  return {r.context().tensor_type(r.dtype(0), shape)};
}

Types arg_types(NodeReader& r) {
  Shape shape = r.shape(0);
  const auto axis = static_cast<size_t>(r.axis(r.i("axis", 0), r.rank(0)));
  if (r.failed()) return {};
  if (r.i("keepdims", 1) != 0)
    shape[axis] = Dim(1);
  else
    shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
  return {r.context().tensor_type(DType::kI64, shape)};
}

Types top_k_types(NodeReader& r) {
  Shape shape = r.shape(0);
  const auto axis = static_cast<size_t>(r.axis(r.i("axis", -1), r.rank(0)));
  const auto k = r.opset() < 10 ? std::optional(r.i("k", -1)) : r.const_int(1);
  if (r.failed() || !k || *k < 0) return {};
  shape[axis] = Dim(*k);
  return {r.context().tensor_type(r.dtype(0), shape), r.context().tensor_type(DType::kI64, shape)};
}

/// Shape of input 0, element type of another input.
Types retyped(NodeReader& r, DType dtype) {
  const Shape& shape = r.shape(0);
  if (r.failed() || dtype == DType::kUndefined) return {};
  return {r.context().tensor_type(dtype, shape)};
}

/// Shape of input 1, elements of input 0.
Types gathered(NodeReader& r) {
  const Shape shape = r.shape(1);
  return r.failed() ? Types() : Types{r.context().tensor_type(r.dtype(0), shape)};
}

Types cast_types(NodeReader& r) {
  const std::optional<DType> to = element_type(r.i("to", 0));
  return to ? retyped(r, *to) : Types();
}

Types quantised(NodeReader& r) {
  return r.has(2) ? retyped(r, r.dtype(2)) : r.has_attr("output_dtype") ? Types() : retyped(r, DType::kU8);
}

Types dequantised(NodeReader& r) { return r.has_attr("output_dtype") ? Types() : retyped(r, r.dtype(1)); }

Types non_zero_types(NodeReader& r) {
  const int64_t rank = r.rank(0);
  return r.failed() ? Types() : Types{r.context().tensor_type(DType::kI64, {Dim(rank), Dim::unknown()})};
}

/// As many dimensions as input 0 has.
Types resized(NodeReader& r) {
  return r.failed() || !r.has(0)
             ? Types()
             : Types{r.context().tensor_type(r.dtype(0), Shape(r.shape(0).size(), Dim::unknown()))};
}

Types dropout_types(NodeReader& r) {
  if (!r.has(0)) return {};
  Types types = retyped(r, r.dtype(0));
  if (!types.empty()) types.push_back(retyped(r, r.opset() < 10 ? r.dtype(0) : DType::kBool)[0]);
  return types;
}

/// Type of input 0.
Types same(NodeReader& r) { return r.has_attr("dtype") ? Types() : retyped(r, r.dtype(0)); }

using TypeRule = Types (*)(NodeReader&);

/// What is known of the results of nodes that stay opaque. But for the last group there is an operator of
/// ours, whose type rule says the type of what it takes; a node is here because that refused it: by an
/// attribute, a size, an element type or an output. What does not depend on that is known all the same.
const std::unordered_map<std::string_view, TypeRule>& type_rules() {
  static const std::unordered_map<std::string_view, TypeRule> kRules = {
      // How many places a window has, a formula of the size, whatever the channels and the elements are.
      {"Conv", window_types},
      {"ConvTranspose", window_types},
      {"MaxPool", window_types},
      {"AveragePool", window_types},
      {"LpPool", window_types},
      // Sizes of the operands and of the weights, whatever is computed at each step.
      {"LSTM", recurrent_types},
      {"GRU", recurrent_types},
      {"RNN", recurrent_types},
      // Sizes that are told, or formulas of scales, whatever is made of the elements.
      {"Resize", resize_types},
      {"Upsample", resize_types},
      // Shapes by a rank, an axis or a count, whichever elements are taken.
      {"NonZero", non_zero_types},
      {"ArgMax", arg_types},
      {"ArgMin", arg_types},
      {"TopK", top_k_types},
      // The shape of an operand, whatever the elements are.
      {"Cast", cast_types},
      {"CastLike", [](NodeReader& r) { return retyped(r, r.dtype(1)); }},
      {"QuantizeLinear", quantised},
      {"DequantizeLinear", dequantised},
      {"GatherElements", gathered},
      {"IsInf", [](NodeReader& r) { return retyped(r, DType::kBool); }},
      {"Size", [](NodeReader& r) { return Types{r.context().tensor_type(DType::kI64, {})}; }},
      {"Pad", resized},
      // The type of operand 0, whatever the attributes and the other operands say.
      {"CumSum", same},
      {"CumProd", same},
      {"ScatterElements", same},
      {"ScatterND", same},
      {"Scatter", same},
      {"Hardmax", same},
      {"LpNormalization", same},
      {"Shrink", same},
      {"ReverseSequence", same},
      {"MeanVarianceNormalization", same},
      {"GroupNormalization", same},
      {"Softmax", same},
      {"LogSoftmax", same},
      {"LayerNormalization", same},
      {"BatchNormalization", same},
      {"Trilu", same},
      {"Swish", same},
      {"Clip", same},
      // None of ours: random, at least in training.
      {"Dropout", dropout_types},
      {"Bernoulli", same},
      {"RandomNormalLike", same},
      {"RandomUniformLike", same},
  };
  return kRules;
}

Types types_of(NodeReader& r) {
  if (Types computed = computed_shape_types(r); !computed.empty() || r.failed()) return computed;
  const auto rule = type_rules().find(r.node().op_type());
  return rule == type_rules().end() ? Types() : rule->second(r);
}

}  // namespace

Types result_types(NodeReader& r) {
  const bool standard = is_standard_domain(r.node().domain());
  Types types = standard ? types_of(r) : Types();
  if (r.failed()) types.clear();
  // A shape without an element type (of an operand of which nothing is known) says nothing that can be
  // written.
  const auto typed = [&](TypeId type) { return r.context().get(type).dtype != DType::kUndefined; };
  for (TypeId& type : types)
    if (!is_countable(r.context(), type) || !typed(type)) type = {};
  types.resize(static_cast<size_t>(r.node().output_size()));
  return types;
}

}  // namespace isomer::formats
