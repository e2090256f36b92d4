#include "formats/onnx_spell.h"

#include <fmt/format.h>
#include <onnx-ml.pb.h>

#include <algorithm>

#include "formats/onnx.h"
#include "formats/onnx_broadcast.h"
#include "formats/onnx_element_types.h"
#include "formats/onnx_spell_rows.h"
#include "formats/onnx_tensor.h"
#include "formats/onnx_types.h"
#include "ir/constant_data.h"
#include "ir/constant_of.h"
#include "ir/op_table.h"
#include "support/errors.h"

namespace isomer::formats {

NodeReader::NodeReader(const onnx::NodeProto& node, const Dialect& dialect, ir::Builder& builder,
                       eval::SizeValues& sizes, std::vector<ir::ValueId> inputs)
    : node_(node), dialect_(dialect), builder_(builder), sizes_(sizes), inputs_(std::move(inputs)) {}

ir::ValueId NodeReader::fail(std::string why) {
  if (why_.empty()) why_ = std::move(why);
  return {};
}

ir::ValueId NodeReader::in(size_t input) {
  if (!has(input)) return fail(fmt::format("input {} is missing", input));
  return inputs_[input];
}

std::vector<ir::ValueId> NodeReader::ins(size_t count) {
  std::vector<ir::ValueId> values;
  for (size_t i = 0; i < count; ++i) values.push_back(in(i));
  return values;
}

const ir::Shape& NodeReader::shape(size_t input) {
  static const ir::Shape kNone;
  const ir::ValueId v = in(input);
  if (!v.valid()) return kNone;
  const ir::Type& type = builder_.type(v);
  if (!type.is_ranked_tensor()) {
    fail(fmt::format("the shape of input {} is not known", input));
    return kNone;
  }
  return type.shape;
}

ir::DType NodeReader::dtype(size_t input) {
  const ir::ValueId v = in(input);
  return v.valid() ? builder_.type(v).dtype : ir::DType::kUndefined;
}

const onnx::AttributeProto* NodeReader::find(std::string_view attr) const {
  for (const onnx::AttributeProto& a : node_.attribute())
    if (a.name() == attr) return &a;
  return nullptr;
}

const onnx::AttributeProto* NodeReader::ask(std::string_view attr, int type) {
  asked_.emplace(attr);
  const onnx::AttributeProto* found = find(attr);
  if (!found) return nullptr;
  if (found->type() != type) {
    fail(fmt::format("attribute {} has another type", attr));
    return nullptr;
  }
  return found;
}

int64_t NodeReader::i(std::string_view attr, int64_t fallback) {
  const auto* a = ask(attr, onnx::AttributeProto::INT);
  return a ? a->i() : fallback;
}

double NodeReader::f(std::string_view attr, double fallback) {
  const auto* a = ask(attr, onnx::AttributeProto::FLOAT);
  return a ? static_cast<double>(a->f()) : fallback;
}

std::string NodeReader::s(std::string_view attr, const std::string& fallback) {
  const auto* a = ask(attr, onnx::AttributeProto::STRING);
  return a ? a->s() : fallback;
}

std::optional<std::vector<std::string>> NodeReader::strings(std::string_view attr) {
  const auto* a = ask(attr, onnx::AttributeProto::STRINGS);
  if (!a) return std::nullopt;
  return std::vector<std::string>(a->strings().begin(), a->strings().end());
}

std::optional<std::vector<int64_t>> NodeReader::ints(std::string_view attr) {
  const auto* a = ask(attr, onnx::AttributeProto::INTS);
  if (!a) return std::nullopt;
  return std::vector<int64_t>(a->ints().begin(), a->ints().end());
}

std::optional<std::vector<double>> NodeReader::floats(std::string_view attr) {
  const auto* a = ask(attr, onnx::AttributeProto::FLOATS);
  if (!a) return std::nullopt;
  return std::vector<double>(a->floats().begin(), a->floats().end());
}

std::optional<ir::Constant> NodeReader::tensor(std::string_view attr) {
  const auto* a = ask(attr, onnx::AttributeProto::TENSOR);
  if (!a || a->t().data_location() == onnx::TensorProto::EXTERNAL) return std::nullopt;
  TensorSource inline_only{node_.name(), nullptr, ExternalFiles("")};
  return read_tensor(context(), a->t(), inline_only);
}

std::optional<std::vector<int64_t>> NodeReader::const_ints(size_t input) {
  if (!has(input)) return std::nullopt;
  return eval::numbers_in(sizes(input));
}

std::optional<int64_t> NodeReader::const_int(size_t input) {
  const auto list = const_ints(input);
  return list && list->size() == 1 ? std::optional(list->front()) : std::nullopt;
}

std::optional<std::vector<ir::Size>> NodeReader::sizes(size_t input) {
  if (!has(input) || builder_.type(inputs_[input]).shape.size() > 1) return std::nullopt;
  if (const auto list = long_list(input)) return list;
  return sizes_.integers(inputs_[input]);
}

std::optional<std::vector<ir::Size>> NodeReader::long_list(size_t input) const {
  constexpr int64_t kMost = int64_t{1} << 16;
  const ir::Type& type = builder_.type(inputs_[input]);
  const std::optional<ir::Constant> given = constant(input);
  if (!given || !ir::is_integer(type.dtype) || type.shape.empty()) return std::nullopt;
  const int64_t count = type.shape[0].size();
  if (count <= eval::kMostSizeElements || count > kMost) return std::nullopt;
  std::vector<ir::Size> out;
  for (int64_t i = 0; i < count; ++i) out.emplace_back(ir::load_integer(type.dtype, given->bytes(), i));
  return out;
}

std::span<const eval::SizeElement> NodeReader::some_sizes(size_t input) {
  return has(input) ? sizes_.of(inputs_[input]) : std::span<const eval::SizeElement>();
}

std::optional<ir::Constant> NodeReader::constant(size_t input) const {
  if (!has(input)) return std::nullopt;
  const ir::Graph& graph = builder_.so_far();
  const ir::ValueId v = inputs_[input];
  if (!graph.def(v).is(ir::Core::kConstant)) return std::nullopt;
  return ir::constant_of(graph, v);
}

std::optional<double> NodeReader::number(const eval::SizeElement& element) const {
  if (const auto* real = std::get_if<double>(&element)) return *real;
  const std::optional<int64_t> integer = eval::as_number(element);
  constexpr int64_t kExact = int64_t{1} << 53;
  if (!integer || *integer > kExact || *integer < -kExact) return std::nullopt;
  return static_cast<double>(*integer);
}

std::optional<double> NodeReader::const_number(size_t input) {
  const auto elements = some_sizes(input);
  return elements.size() == 1 ? number(elements[0]) : std::nullopt;
}

std::optional<std::vector<double>> NodeReader::const_numbers(size_t input) {
  if (!has(input) || !ir::is_float(builder_.type(inputs_[input]).dtype)) return std::nullopt;
  const auto found = constant(input);
  if (!found) {
    std::vector<double> out;
    for (const eval::SizeElement& e : some_sizes(input)) {
      const auto* real = std::get_if<double>(&e);
      if (!real) return std::nullopt;
      out.push_back(*real);
    }
    return out.empty() ? std::nullopt : std::optional(out);
  }
  const ir::Type& type = context().get(found->type);
  std::vector<double> out;
  for (int64_t i = 0; i < element_count(type.shape); ++i)
    out.push_back(ir::load_number(type.dtype, found->bytes(), i));
  return out;
}

std::optional<std::vector<int64_t>> NodeReader::ints_attr_or_input(std::string_view attr, size_t input,
                                                                   int64_t last) {
  if (opset() <= last) return ints(attr);
  if (!has(input)) return std::nullopt;
  auto values = const_ints(input);
  if (!values) fail(fmt::format("{} is not constant", attr));
  return values;
}

int64_t NodeReader::axis(int64_t axis, int64_t rank) {
  if (axis < -rank || axis >= rank) {
    fail(fmt::format("axis {} is out of range", axis));
    return 0;
  }
  return axis < 0 ? axis + rank : axis;
}

/// Whether what a type rule refuses is the shapes: they and the element type are beyond doubt.
bool NodeReader::is_shape_error(const ir::OpDef& op, const std::vector<ir::ValueId>& operands) const {
  if (std::ranges::none_of(op.spellings, &ir::Spelling::strict)) return false;
  return std::ranges::all_of(operands, [&](ir::ValueId o) {
    const ir::Type& type = builder_.type(o);
    return type.is_static_tensor() && type.dtype == ir::DType::kF32 && type.shape.size() <= 5;
  });
}

ir::ValueId NodeReader::add(std::string_view name, const std::vector<ir::ValueId>& operands,
                            const std::vector<ir::NamedAttr>& attrs) {
  if (failed()) return {};
  for (ir::ValueId o : operands)
    if (!o.valid()) return fail("an input is missing");
  const ir::OpId op = context().ops().find(name);
  if (!op.valid()) return fail(fmt::format("there is no operator {}", name));
  for (const ir::NamedAttr& a : attrs)
    if (context().ops().get(op).attr_index(a.name) < 0)
      return fail(fmt::format("operator {} has no attribute {}", name, a.name));
  ir::ValueId out;
  const ir::Inferred result = builder_.try_add(op, builder_.make_payload(op, attrs), operands, out);
  if (result) return is_countable(context(), result.type) ? out : fail("its result is too large");
  if (is_shape_error(context().ops().get(op), operands)) wrong_ = result.error;
  return fail(result.error);
}

std::vector<ir::ValueId> NodeReader::broadcast_together(const std::vector<ir::ValueId>& values) {
  std::vector<ir::Shape> shapes;
  for (ir::ValueId v : values) {
    if (!v.valid()) return fail("an input is missing"), values;
    if (!builder_.type(v).is_ranked_tensor()) return fail("the shape of an input is not known"), values;
    shapes.push_back(builder_.type(v).shape);
  }
  const auto common = common_shape(shapes);
  if (never_broadcast(shapes)) {
    wrong_ = "expected shapes that broadcast together, got";
    for (ir::ValueId v : values) wrong_ += " " + print(context(), builder_.type_id(v));
  }
  if (!common) return fail("it is not certain how its inputs broadcast"), values;
  std::vector<ir::ValueId> out;
  for (ir::ValueId v : values) out.push_back(broadcast(v, *common));
  return out;
}

ir::ValueId NodeReader::broadcast(ir::ValueId value, const ir::Shape& shape) {
  if (failed() || !value.valid()) return {};
  const ir::ValueId out = broadcast_to(builder_, value, shape);
  if (out.valid() && !is_countable(context(), builder_.type_id(out))) return fail("its result is too large");
  return out.valid() ? out : fail("an input cannot be broadcast");
}

void NodeReader::results_at(std::vector<int> places) {
  places_ = std::move(places);
  for (int i = 0; i < node_.output_size(); ++i)
    if (!node_.output(i).empty() && std::ranges::find(places_, i) == places_.end())
      fail(fmt::format("output {} has no operator", i));
}

bool NodeReader::all_asked() const {
  return std::ranges::all_of(node_.attribute(),
                             [&](const onnx::AttributeProto& a) { return asked_.contains(a.name()); });
}

void set(onnx::NodeProto& node, const std::string& attr, int64_t value) {
  onnx::AttributeProto& a = *node.add_attribute();
  a.set_name(attr);
  a.set_type(onnx::AttributeProto::INT);
  a.set_i(value);
}

void set(onnx::NodeProto& node, const std::string& attr, double value) {
  onnx::AttributeProto& a = *node.add_attribute();
  a.set_name(attr);
  a.set_type(onnx::AttributeProto::FLOAT);
  a.set_f(static_cast<float>(value));
}

void set(onnx::NodeProto& node, const std::string& attr, const std::string& value) {
  onnx::AttributeProto& a = *node.add_attribute();
  a.set_name(attr);
  a.set_type(onnx::AttributeProto::STRING);
  a.set_s(value);
}

void set(onnx::NodeProto& node, const std::string& attr, const std::vector<int64_t>& values) {
  onnx::AttributeProto& a = *node.add_attribute();
  a.set_name(attr);
  a.set_type(onnx::AttributeProto::INTS);
  for (int64_t v : values) a.add_ints(v);
}

void set(onnx::NodeProto& node, const std::string& attr, const std::vector<std::string>& values) {
  onnx::AttributeProto& a = *node.add_attribute();
  a.set_name(attr);
  a.set_type(onnx::AttributeProto::STRINGS);
  for (const std::string& v : values) a.add_strings(v);
}

Spellings::Read Spellings::reader(const std::string& domain, const std::string& op_type) const {
  const auto it = readers_.find({domain, op_type});
  return it == readers_.end() ? nullptr : it->second;
}

const Spellings::Writer* Spellings::writer(const ir::Spelling& spelling, const std::string& op) const {
  const auto it = writers_.find({spelling.domain, op});
  return it == writers_.end() ? nullptr : &it->second;
}

const Spellings& Spellings::all() {
  static const Spellings table = [] {
    Spellings t;
    spell_movement(t);
    spell_shape(t);
    spell_resize(t);
    spell_fusion(t);
    spell_alike(t);
    return t;
  }();
  return table;
}

const ir::Spelling* spelling_of(const ir::OpInstance& op, const Dialect& dialect) {
  if (!has_element_types(op)) return nullptr;
  for (const ir::Spelling& s : op.op.spellings) {
    const bool known = s.domain.empty() || (dialect.contrib && s.domain == kContribDomain);
    if (s.format != "onnx" || !known || dialect.opset < s.since || dialect.opset > s.until) continue;
    if (!takes_element_type(s, op, dialect.opset)) continue;
    if (s.refuses && !s.refuses(op).empty()) continue;
    if (!s.irregular) {
      if (rows_say(s, op, dialect.opset)) return &s;
    } else if (const auto* code = Spellings::all().writer(s, op.op.name);
               code && (!code->can || code->can(op, dialect))) {
      return &s;
    }
  }
  return nullptr;
}

namespace {

/// What is read is written again: whatever the writer would refuse stays opaque.
bool can_be_written(const ir::Graph& graph, ir::ValueId v, const Dialect& dialect) {
  std::vector<ir::TypeId> types;
  for (ir::ValueId o : graph.operands(v)) types.push_back(graph.type_id(o));
  return can_spell(ir::OpInstance(graph.context(), graph.def(v), graph.attrs(v), types, graph.type_id(v)),
                   dialect);
}

}  // namespace

ir::ValueId read_node(NodeReader& r, std::string& why) {
  const bool standard = is_standard_domain(r.node().domain());
  const bool known = standard || (r.dialect().contrib && r.node().domain() == kContribDomain);
  const Spellings::Read code =
      known ? Spellings::all().reader(standard ? "" : kContribDomain, r.node().op_type()) : nullptr;
  const ir::ValueId value = code ? code(r) : read_by_rows(r);
  if (!r.failed() && !r.all_asked()) r.fail("an attribute is not known");
  if (!r.failed() && !can_be_written(r.builder().so_far(), value, r.dialect()))
    r.fail("it could not be written again");
  why = r.why();
  return r.failed() ? ir::ValueId() : value;
}

void write_node(NodeWriter& w, const ir::Spelling& spelling) {
  if (!spelling.irregular) return write_by_rows(w, spelling);
  Spellings::all().writer(spelling, w.op().op.name)->write(w);
}

}  // namespace isomer::formats
