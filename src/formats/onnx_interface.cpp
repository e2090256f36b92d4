#include "formats/onnx_interface.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "formats/onnx_envelope.h"
#include "formats/onnx_types.h"

namespace isomer::formats {
namespace {

using Values = google::protobuf::RepeatedPtrField<onnx::ValueInfoProto>;

std::vector<std::string> names(const Values& values) {
  std::vector<std::string> out;
  for (const auto& v : values) out.push_back(v.name());
  return out;
}

std::string element_type(const onnx::TypeProto& type) {
  const int32_t number = type.tensor_type().elem_type();
  return onnx::TensorProto_DataType_IsValid(number)
             ? onnx::TensorProto_DataType_Name(static_cast<onnx::TensorProto_DataType>(number))
             : fmt::format("type {}", number);
}

/// A number, a name, or "?".
std::string size_of(const onnx::TensorShapeProto_Dimension& dim) {
  if (dim.has_dim_value()) return std::to_string(dim.dim_value());
  return dim.dim_param().empty() ? "?" : dim.dim_param();
}

std::string text(const onnx::TypeProto& type) {
  if (!type.has_tensor_type()) return type.ShortDebugString();
  std::vector<std::string> sizes;
  for (const auto& dim : type.tensor_type().shape().dim()) sizes.push_back(size_of(dim));
  return fmt::format("{}[{}]", element_type(type),
                     type.tensor_type().has_shape() ? fmt::format("{}", fmt::join(sizes, ",")) : "...");
}

/// Dynamic dimensions of one model by those of the other, as far as they have been seen.
class Symbols {
 public:
  /// Unnamed ones stand for themselves.
  bool agree(const onnx::TensorShapeProto_Dimension& a, const onnx::TensorShapeProto_Dimension& b) {
    if (a.has_dim_value() != b.has_dim_value()) return false;
    if (a.has_dim_value()) return a.dim_value() == b.dim_value();
    const std::string &x = a.dim_param(), &y = b.dim_param();
    if (x.empty() || y.empty()) return x.empty() && y.empty() ? true : fresh(x, y);
    return to_b_.try_emplace(x, y).first->second == y && to_a_.try_emplace(y, x).first->second == x;
  }

 private:
  /// A named dimension beside an unnamed one: the name may stand nowhere else.
  bool fresh(const std::string& x, const std::string& y) {
    return x.empty() ? to_a_.try_emplace(y, "?").second : to_b_.try_emplace(x, "?").second;
  }
  std::map<std::string, std::string> to_b_, to_a_;
};

bool same_input(const onnx::TypeProto& a, const onnx::TypeProto& b, Symbols& symbols) {
  if (!a.has_tensor_type() || !b.has_tensor_type()) return a.SerializeAsString() == b.SerializeAsString();
  const auto &x = a.tensor_type(), &y = b.tensor_type();
  if (x.elem_type() != y.elem_type() || x.has_shape() != y.has_shape() ||
      x.shape().dim_size() != y.shape().dim_size())
    return false;
  for (int i = 0; i < x.shape().dim_size(); ++i)
    if (!symbols.agree(x.shape().dim(i), y.shape().dim(i))) return false;
  return true;
}

/// What both say.
bool may_be_same_output(const onnx::TypeProto& a, const onnx::TypeProto& b) {
  if (a.value_case() != b.value_case()) return false;
  if (!a.has_tensor_type()) return true;
  const auto &x = a.tensor_type(), &y = b.tensor_type();
  if (x.elem_type() != y.elem_type()) return false;
  if (!x.has_shape() || !y.has_shape()) return true;
  if (x.shape().dim_size() != y.shape().dim_size()) return false;
  for (int i = 0; i < x.shape().dim_size(); ++i) {
    const auto &p = x.shape().dim(i), &q = y.shape().dim(i);
    if (p.has_dim_value() && q.has_dim_value() && p.dim_value() != q.dim_value()) return false;
  }
  return true;
}

/// Of inputs that a caller may leave out, by name: what they are then.
std::map<std::string, std::string> defaults(const OnnxEnvelope& model) {
  std::map<std::string, std::string> out;
  const std::vector<std::string> inputs = names(model.parts().model.graph().input());
  const auto is_input = [&](const std::string& name) {
    return std::ranges::find(inputs, name) != inputs.end();
  };
  for (const auto& [name, constant] : model.parts().loose_constants) {
    if (!is_input(name)) continue;
    const auto bytes = constant.bytes();
    out[name] = std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  for (onnx::TensorProto tensor : model.parts().loose_tensors)
    if (is_input(tensor.name())) {
      tensor.clear_doc_string();
      out[tensor.name()] = tensor.SerializeAsString();
    }
  for (const onnx::SparseTensorProto& tensor : model.parts().loose_sparse_tensors)
    if (is_input(tensor.values().name())) out[tensor.values().name()] = tensor.SerializeAsString();
  return out;
}

std::string difference_of_defaults(const OnnxEnvelope& a, const OnnxEnvelope& b) {
  const auto x = defaults(a), y = defaults(b);
  for (const auto& [name, value] : x) {
    const auto it = y.find(name);
    if (it == y.end()) return fmt::format("input {}: only the first has a default", name);
    if (it->second != value) return fmt::format("input {}: other defaults", name);
  }
  for (const auto& [name, value] : y)
    if (!x.contains(name)) return fmt::format("input {}: only the second has a default", name);
  return {};
}

}  // namespace

std::string interface_difference(const OnnxEnvelope& a, const OnnxEnvelope& b) {
  const auto &left = a.parts().model.graph(), &right = b.parts().model.graph();
  const auto of_names = [](const char* what, const std::vector<std::string>& x,
                           const std::vector<std::string>& y) {
    return x == y ? std::string()
                  : fmt::format("{}: {} against {}", what, fmt::join(x, ", "), fmt::join(y, ", "));
  };
  if (std::string d = of_names("inputs", names(left.input()), names(right.input())); !d.empty()) return d;
  if (std::string d = of_names("outputs", names(left.output()), names(right.output())); !d.empty()) return d;
  Symbols symbols;
  for (int i = 0; i < left.input_size(); ++i)
    if (!same_input(left.input(i).type(), right.input(i).type(), symbols))
      return fmt::format("input {}: {} against {}", left.input(i).name(), text(left.input(i).type()),
                         text(right.input(i).type()));
  for (int i = 0; i < left.output_size(); ++i)
    if (!may_be_same_output(left.output(i).type(), right.output(i).type()))
      return fmt::format("output {}: {} against {}", left.output(i).name(), text(left.output(i).type()),
                         text(right.output(i).type()));
  return difference_of_defaults(a, b);
}

std::string version_difference(const OnnxEnvelope& a, const OnnxEnvelope& b) {
  for (const auto& set : a.parts().model.opset_import()) {
    const std::string& domain = set.domain();
    if (is_standard_domain(domain)) continue;
    const int64_t x = imported_opset(a.parts().model, domain), y = imported_opset(b.parts().model, domain);
    if (y != 0 && x != y) return fmt::format("{} {} against {}", domain, x, y);
  }
  return {};
}

bool same_meanings(const OnnxEnvelope& a, const OnnxEnvelope& b) {
  if (a.opset() != b.opset()) return false;
  const auto &left = a.parts().model.functions(), &right = b.parts().model.functions();
  return std::ranges::equal(left, right, [](const auto& x, const auto& y) {
    return x.SerializeAsString() == y.SerializeAsString();
  });
}

}  // namespace isomer::formats
