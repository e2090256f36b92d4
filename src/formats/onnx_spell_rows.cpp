#include "formats/onnx_spell_rows.h"

#include <fmt/format.h>
#include <onnx-ml.pb.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>

#include "formats/onnx_broadcast.h"
#include "formats/onnx_types.h"
#include "formats/onnx_windows.h"
#include "ir/constant_data.h"
#include "ir/op_table.h"
#include "support/errors.h"

namespace isomer::formats {
namespace {

using ir::AttrKind;
using ir::AttrRole;
using ir::AttrSpelling;
using ir::AttrValue;
using ir::Unsaid;
using ir::ValueId;
using Ints = std::vector<int64_t>;

constexpr double kMostNumber = 0x1p53;  // of integers that are said as floats

const std::string& name_of(const AttrSpelling& row) { return row.name.empty() ? row.ours : row.name; }
bool is_input(const AttrSpelling& row, int64_t opset) { return row.input >= 0 && opset >= row.input_since; }

const ir::AttrSpec& spec_of(const ir::OpDef& def, const AttrSpelling& row) {
  return def.attrs[static_cast<size_t>(def.attr_index(row.ours))];
}

/// The rows, and one for each attribute that has none.
std::vector<AttrSpelling> rows_of(const ir::OpDef& def, const ir::Spelling& spelling) {
  std::vector<AttrSpelling> rows = spelling.attrs;
  for (const ir::AttrSpec& attr : def.attrs)
    if (std::ranges::find(spelling.attrs, attr.name, &AttrSpelling::ours) == spelling.attrs.end())
      rows.push_back({.ours = attr.name});
  return rows;
}

/// The operand whose spatial sizes are those of the window: the first behind 0 of as many dimensions.
size_t weights_among(const ir::Context& ctx, std::span<const ir::TypeId> types) {
  const size_t rank = ctx.get(types[0]).shape.size();
  for (size_t i = 1; i < types.size(); ++i)
    if (rank > 2 && ctx.get(types[i]).is_ranked_tensor() && ctx.get(types[i]).shape.size() == rank) return i;
  return types.size() > 1 ? 1 : 0;
}

/// One node while it is read as one operator.
class Rows {
 public:
  Rows(NodeReader& r, const ir::OpDef& def, const ir::Spelling& spelling)
      : r_(r), def_(def), spelling_(spelling), rows_(rows_of(def, spelling)) {}

  bool takes_as_many() const {
    const auto count = static_cast<int>(places().size());
    return spelling_.folds || (count >= def_.min_inputs && (def_.max_inputs < 0 || count <= def_.max_inputs));
  }
  /// Whether all outputs that the node has are among its results.
  bool gives_as_many() const {
    if (spelling_.results.empty()) return true;
    for (int i = 0; i < r_.node().output_size(); ++i)
      if (!r_.node().output(i).empty() && std::ranges::find(spelling_.results, i) == spelling_.results.end())
        return false;
    return true;
  }

  ValueId read() {
    std::vector<ValueId> operands;
    for (size_t place : places()) operands.push_back(r_.in(place));
    std::vector<ir::NamedAttr> attrs;
    for (const AttrSpelling& row : rows_) {
      if (row.ours.empty()) {
        check_alone(row);
      } else if (std::optional<AttrValue> value = value_of(row)) {
        attrs.emplace_back(row.ours, std::move(*value));
      }
    }
    if (r_.failed()) return {};
    if (!spelling_.results.empty()) r_.results_at(spelling_.results);
    if (spelling_.folds) return fold(operands, attrs);
    const ir::PayloadId payload = r_.builder().make_payload(r_.context().ops().at(def_.name), attrs);
    if (const std::string why = refused(payload, operands); !why.empty()) return r_.fail(why);
    return r_.add(def_.name, meeting(operands, payload), attrs);
  }

 private:
  /// Inputs that are operands: those that no attribute is said by, up to the last that is there.
  std::vector<size_t> places() const {
    const auto said = [&](size_t input) {
      return std::ranges::any_of(rows_, [&](const AttrSpelling& row) {
        return is_input(row, r_.opset()) && row.input == static_cast<int>(input);
      });
    };
    std::vector<size_t> out;
    const bool present = std::ranges::find(rows_, Unsaid::kPresent, &AttrSpelling::rule) != rows_.end();
    for (size_t i = 0; i < r_.inputs(); ++i)
      if (!said(i) && (!present || r_.has(i))) out.push_back(i);
    const bool may_lack = !spelling_.folds && def_.max_inputs >= 0;
    while (may_lack && !out.empty() && !r_.has(out.back())) out.pop_back();
    return out;
  }

  /// An attribute of the format's alone.
  void check_alone(const AttrSpelling& row) {
    r_.know(row.name);
    if (!r_.has_attr(row.name)) return;
    if (row.rule == Unsaid::kKernel) {
      if (r_.ints(row.name) != windows().kernel) r_.fail("kernel_shape is not that of its kernel");
      return;
    }
    if (!row.unsaid) {
      if (!row.why.empty()) r_.fail(row.why);
      return;
    }
    if (said(row.name, ir::kind_of(*row.unsaid)) != row.unsaid) r_.fail(row.why);
  }

  /// Nothing: what the declaration says, where it says something.
  std::optional<AttrValue> value_of(const AttrSpelling& row) {
    if (row.implied) return row.implied;
    if (row.rule == Unsaid::kPresent) {
      const std::vector<size_t> present = places();
      return Ints(present.begin(), present.end());
    }
    const ir::AttrSpec& spec = spec_of(def_, row);
    switch (spec.role) {
      case AttrRole::kKernel: r_.know(name_of(row)); return windows().kernel;
      case AttrRole::kStrides: return windows().strides;
      case AttrRole::kDilations: return windows().dilations;
      case AttrRole::kWindowPads: return windows().pads;
      default: break;
    }
    std::optional<AttrValue> value =
        is_input(row, r_.opset()) ? from_input(row, spec.kind) : said(name_of(row), spec.kind);
    if (value && spec.kind == AttrKind::kFloat && row.input >= 0 && !is_input(row, r_.opset()))
      value = ir::round_to(r_.dtype(0), std::get<double>(*value));  // in float32 whatever the elements are
    if (row.rule == Unsaid::kAllAxes) value = all_if_none(std::move(value));
    if (!value) value = unsaid(row);
    if (!value) {
      if (!spec.optional && !spec.fallback) r_.fail(fmt::format("attribute {} is missing", name_of(row)));
      return std::nullopt;
    }
    return ours(row, spec, std::move(*value));
  }

  std::optional<AttrValue> said(const std::string& name, AttrKind kind) {
    if (!r_.has_attr(name)) return std::nullopt;
    switch (kind) {
      case AttrKind::kInt: return r_.i(name, 0);
      case AttrKind::kFloat: return r_.f(name, 0);
      case AttrKind::kString: return r_.s(name, {});
      case AttrKind::kStrings: return r_.strings(name).value_or(std::vector<std::string>());
      case AttrKind::kInts: return r_.ints(name).value_or(Ints());
      default: r_.fail("its attributes have no reader"); return std::nullopt;
    }
  }

  std::optional<AttrValue> from_input(const AttrSpelling& row, AttrKind kind) {
    const auto input = static_cast<size_t>(row.input);
    if (!r_.has(input)) return std::nullopt;
    std::optional<AttrValue> value;
    if (kind == AttrKind::kFloat) {
      value = r_.const_number(input);
    } else if (const auto list = r_.const_ints(input); list && kind == AttrKind::kInts) {
      value = *list;
    } else if (const auto only = r_.const_int(input)) {
      value = *only;
    } else if (const auto number = r_.const_number(input);
               kind == AttrKind::kInt && number && std::abs(*number) < kMostNumber) {
      value = static_cast<int64_t>(*number);
    }
    if (!value) r_.fail(fmt::format("{} is not constant", name_of(row)));
    return value;
  }

  /// Nothing where an empty list stands for all.
  std::optional<AttrValue> all_if_none(std::optional<AttrValue> axes) {
    const bool empty = !axes || std::get<Ints>(*axes).empty();
    if (r_.i("noop_with_empty_axes", 0) != 0 && empty) r_.fail("it does nothing");
    return empty ? std::nullopt : std::move(axes);
  }

  std::optional<AttrValue> unsaid(const AttrSpelling& row) {
    Ints all(row.rule == Unsaid::kReversed || row.rule == Unsaid::kAllAxes ? static_cast<size_t>(r_.rank(0))
                                                                           : 0);
    std::iota(all.begin(), all.end(), 0);
    switch (row.rule) {
      case Unsaid::kValue:
      case Unsaid::kKernel: return row.unsaid;
      case Unsaid::kReversed: return Ints(all.rbegin(), all.rend());
      case Unsaid::kAllAxes: return all;
      case Unsaid::kUnits: return units();
      case Unsaid::kOnes: return Ints(windows().kernel.size(), 1);
      case Unsaid::kZeros: return Ints(windows().kernel.size(), 0);
      case Unsaid::kPresent: break;
    }
    return std::nullopt;
  }

  Ints units() {
    Ints out;
    const ir::Shape& shape = r_.shape(0);
    for (size_t i = 0; i < shape.size(); ++i) {
      if (!shape[i].is_static()) r_.fail("it is not certain which dimensions are 1");
      if (shape[i] == ir::Dim(1)) out.push_back(static_cast<int64_t>(i));
    }
    return out;
  }

  /// As we have it: dimensions from the beginning and ascending, element types by our numbers.
  AttrValue ours(const AttrSpelling& row, const ir::AttrSpec& spec, AttrValue value) {
    if (row.flag) return int64_t{std::get<int64_t>(value) != 0};
    if (spec.role == AttrRole::kAxis) return r_.axis(std::get<int64_t>(value), r_.rank(0));
    if (spec.role == AttrRole::kDType) {
      const std::optional<ir::DType> dtype = element_type(std::get<int64_t>(value));
      if (!dtype) r_.fail("an element type that is not known");
      return static_cast<int64_t>(dtype.value_or(ir::DType::kUndefined));
    }
    if (spec.role == AttrRole::kAxes || spec.role == AttrRole::kNewAxes) {
      auto& axes = std::get<Ints>(value);
      const bool made = spec.role == AttrRole::kNewAxes;
      const int64_t rank = r_.rank(0) + (made ? static_cast<int64_t>(axes.size()) : 0);
      for (int64_t& a : axes) a = r_.axis(a, rank);
      std::ranges::sort(axes);
    }
    return value;
  }

  const Windows& windows() {
    if (!windows_) {
      windows_ = read_windows(r_, kernel());
      if (!def_.windowed && r_.s("auto_pad", "").starts_with("SAME")) r_.fail("auto_pad is given");
    }
    return *windows_;
  }

  /// Said by an attribute, or the spatial sizes of the weights.
  Ints kernel() {
    for (const AttrSpelling& row : rows_)
      if (!row.ours.empty() && spec_of(def_, row).role == AttrRole::kKernel)
        return r_.ints(name_of(row)).value_or(Ints());
    Ints out;
    std::vector<ir::TypeId> types;
    for (size_t i = 0; i < r_.inputs(); ++i)
      types.push_back(r_.has(i) ? r_.builder().type_id(r_.in(i)) : r_.context().intern(ir::Type::unknown()));
    const ir::Shape& w = r_.context().get(types[weights_among(r_.context(), types)]).shape;
    for (size_t i = 2; i < w.size(); ++i) {
      if (!w[i].is_static()) r_.fail("the size of its kernel is not known");
      out.push_back(w[i].size());
    }
    return out;
  }

  std::string refused(ir::PayloadId payload, const std::vector<ValueId>& operands) const {
    if (!spelling_.refuses) return {};
    if (static_cast<int>(operands.size()) < def_.min_inputs) return "an input is missing";
    const std::vector<ir::TypeId> types = types_of(operands);
    return spelling_.refuses(ir::OpInstance(r_.context(), def_, r_.context().get(payload), types));
  }

  std::vector<ir::TypeId> types_of(std::span<const ValueId> operands) const {
    std::vector<ir::TypeId> types;
    for (ValueId o : operands) types.push_back(r_.builder().type_id(o));
    return types;
  }

  /// The operands as they are once they are broadcast where ONNX broadcasts them.
  std::vector<ValueId> meeting(const std::vector<ValueId>& operands, ir::PayloadId payload) {
    switch (def_.meets) {
      case ir::Meets::kBatches: return broadcast_batches(operands);
      case ir::Meets::kLastAlone: return broadcast_last(operands, payload);
      case ir::Meets::kAll:
      case ir::Meets::kNot: break;
    }
    const bool meet = def_.meets == ir::Meets::kAll || def_.kind == ir::MeaningKind::kPointwise;
    return meet && operands.size() > 1 ? r_.broadcast_together(operands) : operands;
  }

  /// Batch dimensions broadcast, except against an operand of rank 2, which all batches share.
  std::vector<ValueId> broadcast_batches(const std::vector<ValueId>& operands) {
    std::vector<ir::Shape> batches;
    for (ValueId o : operands) {
      const ir::Shape& shape = r_.builder().type(o).shape;
      if (shape.size() <= 2) return operands;
      batches.emplace_back(shape.begin(), shape.end() - 2);
    }
    const auto batch = common_shape(batches);
    if (!batch) return r_.fail("it is not certain how its batches broadcast"), operands;
    std::vector<ValueId> out;
    for (ValueId o : operands) {
      const ir::Shape& matrix = r_.builder().type(o).shape;
      ir::Shape whole = *batch;
      whole.insert(whole.end(), matrix.end() - 2, matrix.end());
      out.push_back(r_.broadcast(o, whole));
    }
    return out;
  }

  /// The last operand to the shape of the result without it, or of operand 0 where it may not be left out.
  std::vector<ValueId> broadcast_last(std::vector<ValueId> operands, ir::PayloadId payload) {
    const auto most = static_cast<size_t>(def_.max_inputs);
    if (operands.size() != most) return operands;
    ir::Shape shape = r_.shape(0);
    if (def_.min_inputs < def_.max_inputs) {
      const std::vector<ir::TypeId> types = types_of(std::span(operands).first(most - 1));
      const ir::Inferred without =
          infer(r_.context(), r_.context().ops().at(def_.name), r_.context().get(payload), types);
      if (!without) return r_.fail(without.error), operands;
      shape = r_.context().get(without.type).shape;
    }
    operands.back() = r_.broadcast(operands.back(), shape);
    return operands;
  }

  /// From the left, as runtimes compute it.
  ValueId fold(const std::vector<ValueId>& operands, const std::vector<ir::NamedAttr>& attrs) {
    if (operands.empty()) return r_.fail("expected an operand");
    ValueId all = operands[0];
    for (size_t i = 1; i < operands.size(); ++i)
      all = r_.add(def_.name, r_.broadcast_together({all, operands[i]}), attrs);
    return all;
  }

  NodeReader& r_;
  const ir::OpDef& def_;
  const ir::Spelling& spelling_;
  std::vector<AttrSpelling> rows_;
  std::optional<Windows> windows_;
};

/// What a node that leaves the attribute out means, if that does not depend on its operands.
bool is_unsaid(const AttrSpelling& row, const ir::OpInstance& op) {
  const auto at = static_cast<size_t>(op.op.attr_index(row.ours));
  const AttrValue& value = op.ctx.get(op.attrs[at]);
  if (row.rule == Unsaid::kOnes)
    return std::ranges::all_of(std::get<Ints>(value), [](int64_t v) { return v == 1; });
  const std::optional<AttrValue>& unsaid = row.unsaid ? row.unsaid : op.op.attrs[at].fallback;
  return row.rule == Unsaid::kValue && unsaid && ir::identical(value, *unsaid);
}

Ints kernel_of(const ir::OpInstance& op) {
  const Ints sizes = op.in_sizes(weights_among(op.ctx, op.inputs));
  return {sizes.begin() + 2, sizes.end()};
}

void set_attribute(onnx::NodeProto& node, const std::string& name, const ir::AttrSpec& spec,
                   const ir::OpInstance& op) {
  switch (spec.kind) {
    case AttrKind::kInt: {
      const int64_t value = op.i(spec.name);
      const bool type = spec.role == AttrRole::kDType;
      set(node, name, type ? int64_t{onnx_number(static_cast<ir::DType>(value))} : value);
      break;
    }
    case AttrKind::kFloat: set(node, name, op.f(spec.name)); break;
    case AttrKind::kString: set(node, name, op.s(spec.name)); break;
    case AttrKind::kStrings: set(node, name, op.strings(spec.name)); break;
    case AttrKind::kInts: set(node, name, op.ints(spec.name)); break;
    default: REQUIRE(false, "no spelling has an attribute like " + op.op.name + "'s " + spec.name);
  }
}

std::string initializer(NodeWriter& w, const AttrSpelling& row, AttrKind kind) {
  const ir::OpInstance op = w.op();
  if (!op.has(row.ours)) return {};
  if (kind == AttrKind::kFloat) return w.scalar(w.type(0).dtype, op.f(row.ours));
  if (kind == AttrKind::kInts) return w.ints(op.ints(row.ours));
  const int64_t number = op.i(row.ours);
  return row.scalar ? w.scalar(ir::DType::kI64, static_cast<double>(number)) : w.ints({number});
}

/// Inputs at their places, nothing at the others.
void spread_inputs(std::vector<std::string>& inputs, const Ints& places) {
  std::vector<std::string> all(places.empty() ? 0 : static_cast<size_t>(places.back()) + 1);
  for (size_t i = 0; i < places.size(); ++i) all[static_cast<size_t>(places[i])] = std::move(inputs[i]);
  inputs = std::move(all);
}

/// Results at their places; behind the first, those that nobody needs are left out.
void place_results(const NodeWriter& w, onnx::NodeProto& node, const std::vector<int>& places) {
  const std::vector<std::string> names(node.output().begin(), node.output().end());
  node.clear_output();
  for (int i = 0; i <= std::ranges::max(places); ++i) node.add_output();
  for (size_t i = 0; i < std::min(places.size(), names.size()); ++i)
    if (i == 0 || w.needed(i)) node.set_output(places[i], names[i]);
  while (node.output_size() > 1 && node.output(node.output_size() - 1).empty())
    node.mutable_output()->RemoveLast();
}

bool takes_strings(NodeReader& r) {
  for (size_t i = 0; i < r.inputs(); ++i)
    if (r.has(i) && r.dtype(i) == ir::DType::kString) return true;
  return false;
}

/// Why an operator that is not declared is not: what it works on.
const char* why_unknown(NodeReader& r) {
  static constexpr std::string_view kOnSequences[] = {
      "ConcatFromSequence", "SequenceAt",     "SequenceConstruct", "SequenceEmpty",  "SequenceErase",
      "SequenceInsert",     "SequenceLength", "SequenceMap",       "SplitToSequence"};
  static constexpr std::string_view kOnOptionals[] = {"Optional", "OptionalGetElement", "OptionalHasElement"};
  const std::string& op = r.node().op_type();
  if (std::ranges::count(kOnSequences, op) > 0)
    return "it works on a sequence of tensors, as many as a run says";
  if (std::ranges::count(kOnOptionals, op) > 0) return "it works on a value that may be missing";
  if (takes_strings(r)) return "it works on strings, with which nothing is computed here";
  return "unknown operator";
}

}  // namespace

ValueId read_by_rows(NodeReader& r) {
  const bool standard = is_standard_domain(r.node().domain());
  const std::string domain = standard ? std::string() : r.node().domain();
  std::optional<Rows> fits, first;
  const auto named = r.context().ops().spelled("onnx", domain, r.node().op_type());
  if (domain != kContribDomain || r.dialect().contrib)
    for (const auto& [id, spelling] : named) {
      if (spelling->irregular || r.opset() < spelling->since || r.opset() > spelling->until) continue;
      Rows rows(r, r.context().ops().get(id), *spelling);
      if (!fits && rows.takes_as_many() && rows.gives_as_many()) fits.emplace(rows);
      if (!first) first.emplace(std::move(rows));
    }
  if (!first) return r.fail(named.empty() ? why_unknown(r) : "its operator set has no such operator");
  return (fits ? fits : first)->read();
}

namespace {

/// Whether what the row says is the number itself: ONNX's attributes are floats of 32 bits.
bool holds(const AttrSpelling& row, const ir::OpInstance& op, int64_t opset) {
  if (row.ours.empty() || row.implied || is_input(row, opset) || !op.has(row.ours)) return true;
  const auto* number =
      std::get_if<double>(&op.ctx.get(op.attrs[static_cast<size_t>(op.op.attr_index(row.ours))]));
  return number == nullptr || std::isnan(*number) || ir::round_to(ir::DType::kF32, *number) == *number;
}

}  // namespace

bool rows_say(const ir::Spelling& spelling, const ir::OpInstance& op, int64_t opset) {
  const bool doubles = !op.inputs.empty() && op.in_dtype(0) == ir::DType::kF64;
  if (doubles && !std::ranges::all_of(rows_of(op.op, spelling),
                                      [&](const AttrSpelling& row) { return holds(row, op, opset); }))
    return false;
  return std::ranges::all_of(spelling.attrs, [&](const AttrSpelling& row) {
    if (row.rule == Unsaid::kKernel) return op.type(weights_among(op.ctx, op.inputs)).is_static_tensor();
    if (row.ours.empty()) return true;
    const auto at = static_cast<size_t>(op.op.attr_index(row.ours));
    if (row.implied) return ir::identical(op.ctx.get(op.attrs[at]), *row.implied);
    if (row.rule == Unsaid::kPresent) return true;
    if (row.rule == Unsaid::kUnits) return !op.ints(row.ours).empty();
    if (row.rule == Unsaid::kAllAxes)
      return !op.ints(row.ours).empty() || (op.type(0).is_ranked_tensor() && op.in_shape(0).empty());
    return opset >= row.since || is_unsaid(row, op);
  });
}

void write_by_rows(NodeWriter& w, const ir::Spelling& spelling) {
  const ir::OpInstance op = w.op();
  const std::vector<AttrSpelling> rows = rows_of(op.op, spelling);
  std::vector<std::string> inputs = w.ins();
  for (const AttrSpelling& row : rows)
    if (row.rule == Unsaid::kPresent) spread_inputs(inputs, op.ints(row.ours));
  for (const AttrSpelling& row : rows) {
    if (!is_input(row, w.opset())) continue;
    const auto place = static_cast<size_t>(row.input);
    if (inputs.size() < place) inputs.resize(place);
    inputs.insert(inputs.begin() + row.input, initializer(w, row, spec_of(op.op, row).kind));
  }
  while (!inputs.empty() && inputs.back().empty()) inputs.pop_back();
  onnx::NodeProto& node = w.node(spelling.name, inputs, spelling.domain);
  if (!spelling.results.empty()) place_results(w, node, spelling.results);
  for (const AttrSpelling& row : rows) {
    if (row.rule == Unsaid::kKernel) set(node, row.name, kernel_of(op));
    if (row.rule == Unsaid::kPresent) continue;
    if (row.ours.empty() || row.implied || is_input(row, w.opset()) || w.opset() < row.since) continue;
    if (!op.has(row.ours) || (row.quiet && is_unsaid(row, op))) continue;
    set_attribute(node, name_of(row), spec_of(op.op, row), op);
  }
}

}  // namespace isomer::formats
