#include "ir/print.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <unordered_map>

#include "ir/constant_data.h"
#include "ir/op_table.h"

namespace isomer::ir {
namespace {

std::string quote(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    const auto u = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      (out += '\\') += c;
    else if (c == '\n')
      out += "\\n";
    else if (c == '\t')
      out += "\\t";
    else if (u < 0x20 || u >= 0x7F)
      out += fmt::format("\\x{:02x}", u);
    else
      out += c;
  }
  return out + '"';
}

std::string number(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  return fmt::format("{}", value);
}

/// Shortest digits that read back as the same element.
std::string element(DType dtype, std::span<const std::byte> bytes, int64_t index) {
  if (dtype == DType::kU64)
    return fmt::format("{}", static_cast<uint64_t>(load_integer(dtype, bytes, index)));
  if (is_integer(dtype)) return fmt::format("{}", load_integer(dtype, bytes, index));
  const double value = load_number(dtype, bytes, index);
  if (dtype == DType::kF64 || !std::isfinite(value)) return number(value);
  return fmt::format("{}", static_cast<float>(value));
}

template <class T, class Print>
std::string bracketed(const std::vector<T>& items, Print&& print_one) {
  std::string out = "[";
  for (size_t i = 0; i < items.size(); ++i) out += (i > 0 ? "," : "") + print_one(items[i]);
  return out + "]";
}

std::string identifier_or_quoted(const std::string& text) {
  const bool plain = !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '-';
  });
  return plain ? text : quote(text);
}

class Printer {
 public:
  explicit Printer(const Context& ctx) : ctx_(ctx) {}

  std::string attributes(const Graph& graph, ValueId v) {
    nested_ = false;
    std::string out;
    const auto ids = graph.attrs(v);
    for (size_t i = 0; i < ids.size(); ++i) out += attribute(graph.def(v), i, ids[i], out.empty(), 0);
    return out;
  }

  std::string alone(const OpDef& def, std::span<const AttrId> ids, int64_t elements) {
    std::string attrs, type;
    for (size_t i = 0; i < ids.size(); ++i) {
      attrs += attribute(def, i, ids[i], attrs.empty(), 0);
      if (!ids[i].valid()) continue;
      const auto number = [&] { return std::get<int64_t>(ctx_.get(ids[i])); };
      if (def.attrs[i].role == AttrRole::kType)
        type = " : " + print(ctx_, TypeId(static_cast<uint32_t>(number())));
      if (def.attrs[i].role == AttrRole::kConstant) {
        const Constant& c = ctx_.get(ConstantId(static_cast<uint32_t>(number())));
        type = " : " + print(ctx_, c.type) + " " + contents(number(), elements);
      }
    }
    return def.name + (attrs.empty() ? "" : "{" + attrs + "}") + type;
  }

  std::string body(const Graph& graph, int indent) {
    const std::string margin(static_cast<size_t>(indent) + 2, ' ');
    std::string out = "{\n";
    for (size_t i = 0; i < graph.size(); ++i) out += margin + line(graph, ValueId(i), indent + 2) + "\n";
    out += margin + "return";
    for (size_t i = 0; i < graph.outputs().size(); ++i) {
      out += fmt::format("{} %{}", i ? "," : "", graph.outputs()[i].v);
      for (const Graph::Donation& d : graph.donations())
        if (d.output == i) out += fmt::format(" over %{}", graph.inputs()[d.input].v);
    }
    return out + "\n" + std::string(static_cast<size_t>(indent), ' ') + "}";
  }

 private:
  std::string line(const Graph& graph, ValueId v, int indent) {
    const OpDef& def = graph.def(v);
    std::string out = fmt::format("%{} = {}", v.v, def.name);
    std::string attrs;
    const auto ids = graph.attrs(v);
    for (size_t i = 0; i < ids.size(); ++i) attrs += attribute(def, i, ids[i], attrs.empty(), indent);
    if (!attrs.empty()) out += "{" + attrs + "}";
    const auto operands = graph.operands(v);
    for (size_t i = 0; i < operands.size(); ++i) out += fmt::format("{}%{}", i ? ", " : "(", operands[i].v);
    if (!operands.empty()) out += ")";
    out += " : " + print(ctx_, graph.type_id(v));
    if (def.is(ir::Core::kConstant)) out += " " + contents(std::get<int64_t>(ctx_.get(ids[0])));
    const bool named = !graph.name(v).empty() && !def.is(ir::Core::kInput);
    return named ? out + " " + quote(graph.name(v)) : out;
  }

  std::string attribute(const OpDef& def, size_t i, AttrId id, bool first, int indent) {
    const AttrSpec& spec = def.attrs[i];
    const std::string prefix = (first ? "" : ", ") + spec.name + "=";
    if (!id.valid()) return spec.fallback ? prefix + "none" : "";
    const AttrValue& value = ctx_.get(id);
    if (spec.fallback && identical(*spec.fallback, value)) return "";
    const auto* integer = std::get_if<int64_t>(&value);
    if (integer == nullptr) return prefix + print(ctx_, id);
    if (is_region(spec.role)) {
      const Graph& region = ctx_.get(RegionId(static_cast<uint32_t>(*integer)));
      const std::string title =
          region.title().empty() ? "" : "graph " + identifier_or_quoted(region.title()) + " ";
      return prefix + title + (nested_ ? body(region, indent) : "{...}");
    }
    switch (spec.role) {
      case AttrRole::kType:
      case AttrRole::kConstant: return "";  // the result's type and contents say it
      case AttrRole::kDType: {
        const std::string_view dtype = name(static_cast<DType>(std::clamp<int64_t>(*integer, 0, 255)));
        return prefix + (dtype == "?" ? std::to_string(*integer) : std::string(dtype));
      }
      case AttrRole::kIdentity:  // numbered by first appearance: reading gives fresh ones
        return prefix +
               std::to_string(identities_.try_emplace(*integer, identities_.size() + 1).first->second);
      default: break;
    }
    return prefix + std::to_string(*integer);
  }

  std::string contents(int64_t number, int64_t most = kPrintedElements) const {
    const ConstantId id(static_cast<uint32_t>(number));
    const Constant& c = ctx_.get(id);
    const Type& type = ctx_.get(c.type);
    const bool numeric = is_float(type.dtype) || is_integer(type.dtype);
    if (!numeric || element_count(type.shape) > most) return fmt::format("<#{:016x}>", ctx_.content_hash(id));
    std::string out = "{";
    for (int64_t i = 0; i < element_count(type.shape); ++i)
      out += (i ? ", " : "") + element(type.dtype, c.bytes(), i);
    return out + "}";
  }

  const Context& ctx_;
  bool nested_ = true;  ///< print nested graphs, rather than their titles
  std::unordered_map<int64_t, size_t> identities_;
};

}  // namespace

std::string print_attributes(const Graph& graph, ValueId v) {
  return Printer(graph.context()).attributes(graph, v);
}

std::string print(const Context& ctx, OpId op, PayloadId payload, int64_t elements) {
  return Printer(ctx).alone(ctx.ops().get(op), ctx.get(payload), elements);
}

std::string print(const Context& ctx, AttrId id) {
  if (!id.valid()) return "none";
  const AttrValue& value = ctx.get(id);
  switch (kind_of(value)) {
    case AttrKind::kInt: return std::to_string(std::get<int64_t>(value));
    case AttrKind::kFloat: return number(std::get<double>(value));
    case AttrKind::kString: return quote(std::get<std::string>(value));
    case AttrKind::kInts:
      return bracketed(std::get<std::vector<int64_t>>(value), [](int64_t v) { return std::to_string(v); });
    case AttrKind::kFloats: return bracketed(std::get<std::vector<double>>(value), number);
    case AttrKind::kStrings:
      return bracketed(std::get<std::vector<std::string>>(value),
                       [](const std::string& v) { return quote(v); });
    case AttrKind::kShape:
      return bracketed(std::get<Shape>(value), [&](Dim d) {
        return d.is_static()   ? std::to_string(d.size())
               : d.is_symbol() ? ctx.get(d.symbol())
                               : std::string("?");
      });
  }
  return "?";
}

std::string print(const Graph& graph) {
  const std::string title = graph.title().empty() ? "" : identifier_or_quoted(graph.title()) + " ";
  return "graph " + title + Printer(graph.context()).body(graph, 0) + "\n";
}

}  // namespace isomer::ir
