#include "passes/program_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <numeric>

#include "hlo/window.h"
#include "ir/constant_data.h"
#include "meaning/flatten.h"
#include "passes/nest_writer.h"
#include "passes/rebuild.h"
#include "passes/stepwise_writer.h"
#include "support/errors.h"

namespace isomer::passes {
namespace {

using ir::AttrRole;
using ir::Core;
using ir::Graph;
using ir::OpInstance;
using ir::ValueId;

bool is_static_tensor(const ir::Type& type) {
  return type.kind == ir::TypeKind::kTensor && ir::is_static(type.shape) &&
         primitive_of(type.dtype).has_value();
}

ShapeId shape_of(Writer& w, const ir::Type& type) {
  const std::vector<int64_t> sizes = ir::sizes(type.shape);
  if (type.layout.empty()) return w.array(*primitive_of(type.dtype), sizes);
  const hlo::Layout layout = {true, {type.layout.begin(), type.layout.end()}, {}};
  return w.module().shapes.array(*primitive_of(type.dtype), sizes, 0, layout);
}

/// Little-endian elements; those below a byte have one each in HLO.
std::vector<std::byte> literal_bytes(const ir::Context& ctx, ir::ConstantId id) {
  const ir::Constant& constant = ctx.get(id);
  const ir::Type& type = ctx.get(constant.type);
  const auto bytes = constant.bytes();
  if (ir::bit_width(type.dtype) >= 8) return {bytes.begin(), bytes.end()};
  std::vector<std::byte> out;
  const std::vector<int64_t> sizes = ir::sizes(type.shape);
  const int64_t count = std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<>());
  if (ir::is_integer(type.dtype)) {
    for (int64_t i = 0; i < count; ++i)
      out.push_back(static_cast<std::byte>(ir::load_integer(type.dtype, bytes, i)));
    return out;
  }
  for (int64_t i = 0; i < count; ++i)  // floats of four bits, two to a byte
    out.push_back(bytes[static_cast<size_t>(i / 2)] >> (4 * (i % 2)) & std::byte{15});
  return out;
}

/// The attributes of these roles, in the order of the declaration.
std::vector<const std::vector<int64_t>*> lists(const OpInstance& op, AttrRole role) {
  std::vector<const std::vector<int64_t>*> out;
  for (const ir::AttrSpec& spec : op.op.attrs)
    if (spec.role == role) out.push_back(&op.ints(spec.name));
  return out;
}

/// An integer attribute of that role; `otherwise` where the operator has none.
int64_t number(const OpInstance& op, AttrRole role, int64_t otherwise) {
  for (const ir::AttrSpec& spec : op.op.attrs)
    if (spec.role == role) return op.i(spec.name);
  return otherwise;
}

/// What HLO says of one operator; `why` where it cannot.
class NodeWriter {
 public:
  NodeWriter(Writer& writer, const OpInstance& op, std::span<const InstructionId> operands, std::string what)
      : w_(writer), op_(op), operands_(operands), what_(std::move(what)) {}

  std::vector<InstructionId> run() {
    if (op_.op.moves == ir::Moves::kReshapes) return {reshaped()};
    if (op_.op.range == ir::RangeKind::kUnion) return {concatenation()};
    if (op_.op.range == ir::RangeKind::kConvolution && op_.op.windowed) return {convolution()};
    if (op_.op.procedure) return step_by_step();
    std::vector<InstructionId> out;
    if (!op_.op.nests) why_ = fmt::format("the operator {} has no loops", op_.op.name);
    if (!why_.empty()) return {};
    for (const meaning::CompiledNest& nest : meaning::compile_nests(op_, what_)) {
      if (nest.ordered) return step_by_step();
      NestWriter writer(w_, nest, operands_);
      out.push_back(writer.run());
      if (!out.back().valid()) why_ = fmt::format("{}: {}", op_.op.name, writer.why());
    }
    return out;
  }
  const std::string& why() const { return why_; }

 private:
  std::vector<InstructionId> step_by_step() {
    StepwiseWriter writer(w_, op_, operands_);
    std::vector<InstructionId> out = writer.run();
    why_ = writer.why();
    return out;
  }

  /// A copy where that says more: another layout, or, by operands that are not read, an order.
  InstructionId reshaped() {
    const std::vector<int64_t> sizes = op_.out_sizes();
    const InstructionId out = op_.in_sizes(0) == sizes ? operands_[0] : w_.reshape(operands_[0], sizes);
    Dims before;
    for (const InstructionId id : operands_.subspan(1))
      if (id != out) before.push_back(id.v);
    if (before.empty() && op_.type(0).layout == op_.out_type().layout) return out;
    const ShapeId shape = shape_of(w_, op_.out_type());
    if (before.empty()) return w_.add(Opcode::kCopy, shape, {out});
    return w_.add(Opcode::kCopy, shape, {out}, {{AttributeName::kControlPredecessors, before}});
  }

  InstructionId concatenation() {
    return operands_.size() == 1 ? operands_[0] : w_.concatenate(operands_, number(op_, AttrRole::kAxis, 0));
  }

  /// [N, C, d..] by [O, C / groups, k..], and what is added to each channel.
  InstructionId convolution() {
    const std::vector<int64_t> x = op_.in_sizes(0), kernel = op_.in_sizes(1), y = op_.out_sizes();
    const size_t n = x.size() - 2;
    const auto& strides = *lists(op_, AttrRole::kStrides)[0];
    const auto dilations =
        lists(op_, AttrRole::kDilations);  // of the kernel, then, where there are any, of the image
    const auto& pads = *lists(op_, AttrRole::kWindowPads)[0];
    Dims labels = {int64_t(n) + 2, int64_t(n) + 2, int64_t(n) + 2, int64_t(n)};
    std::vector<hlo::WindowDim> window(n);
    for (size_t i = 0; i < n; ++i) {
      hlo::WindowDim& w = window[i];
      w = {.size = kernel[2 + i], .stride = strides[i], .low = pads[i]};
      w.window_dilation = (*dilations[0])[i];
      if (dilations.size() > 1) w.base_dilation = (*dilations[1])[i];
      const int64_t reach = (y[2 + i] - 1) * w.stride + (w.size - 1) * w.window_dilation + 1;
      w.high = reach - hlo::dilated(x[2 + i], w.base_dilation) - w.low;
    }
    // Of the input batch and feature, of the kernel input and output feature, of the output batch and
    // feature.
    for (const auto& [first, second] : {std::pair{0, 1}, std::pair{1, 0}, std::pair{0, 1}}) {
      labels.insert(labels.end(), {first, second});
      for (size_t i = 0; i < n; ++i) labels.push_back(static_cast<int64_t>(2 + i));
    }
    const ShapeId shape = w_.array(element_of(w_.module(), operands_[0]), y);
    const InstructionId product =
        w_.add(Opcode::kConvolution, shape, operands_.subspan(0, 2),
               {{AttributeName::kWindow, hlo::window_numbers(window)},
                {AttributeName::kDimLabels, labels},
                {AttributeName::kFeatureGroupCount, {number(op_, AttrRole::kGroups, 1)}}});
    if (operands_.size() < 3) return product;
    return w_.binary(Opcode::kAdd, product, w_.broadcast(operands_[2], y, Dims{1}));
  }

  Writer& w_;
  const OpInstance& op_;
  std::span<const InstructionId> operands_;
  std::string what_, why_;
};

class ProgramWriter {
 public:
  ProgramWriter(Writer& writer, const Graph& graph) : w_(writer), g_(graph), values_(graph.size()) {}

  WrittenProgram run(std::span<const InstructionId> inputs) {
    size_t next = 0;
    for (const ValueId v : g_.inputs()) values_[v.index()] = {inputs[next++]};
    WrittenProgram out;
    for (uint32_t i = 0; i < g_.size(); ++i) {
      const ValueId v(i);
      if (g_.def(v).core == Core::kInput) continue;
      if (g_.def(v).core == Core::kWeight)
        values_[i] = {inputs[next++]};
      else
        values_[i] = node(v);
      if (!why_.empty()) return {{}, fmt::format("{}: {}", meaning::describe(g_, v), why_)};
    }
    for (const ValueId v : g_.outputs())
      out.outputs.insert(out.outputs.end(), values_[v.index()].begin(), values_[v.index()].end());
    return out;
  }

 private:
  using Values = std::vector<InstructionId>;

  Values node(ValueId v) {
    const ir::OpDef& def = g_.def(v);
    std::vector<ir::TypeId> types;
    Values operands;
    for (const ValueId x : g_.operands(v)) {
      types.push_back(g_.type_id(x));
      operands.insert(operands.end(), values_[x.index()].begin(), values_[x.index()].end());
    }
    const OpInstance op(g_.context(), def, g_.attrs(v), types, g_.type_id(v));
    switch (def.core) {
      case Core::kTuple: return operands;
      case Core::kGet: return {operands[static_cast<size_t>(op.i("index"))]};
      default: break;
    }
    const ir::Type& type = g_.type(v);
    const bool known =
        type.kind == ir::TypeKind::kTuple
            ? std::ranges::all_of(type.elements,
                                  [&](ir::TypeId t) { return is_static_tensor(g_.context().get(t)); })
            : is_static_tensor(type);
    if (!known) return refuse("expected a tensor of sizes that are numbers, of a type that XLA has");
    if (def.core == Core::kConstant) {
      const auto id = ir::ConstantId(static_cast<uint32_t>(op.i("id")));
      return {w_.constant(shape_of(w_, type), literal_bytes(g_.context(), id))};
    }
    NodeWriter writer(w_, op, operands, meaning::describe(g_, v));
    Values out = writer.run();
    return writer.why().empty() ? out : refuse(writer.why());
  }

  Values refuse(std::string why) {
    why_ = std::move(why);
    return {};
  }

  Writer& w_;
  const Graph& g_;
  std::vector<Values> values_;
  std::string why_;
};

/// As HLO has names: letters, digits, `_`, `-` and `.`, no digit first.
std::string as_name(const std::string& text, const std::string& otherwise) {
  std::string out;
  for (const char c : text) {
    const bool good = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.';
    out += good ? c : '_';
  }
  if (out.empty()) return otherwise;
  return std::isdigit(static_cast<unsigned char>(out[0])) != 0 || out[0] == '-' || out[0] == '.' ? "_" + out
                                                                                                 : out;
}

/// What outputs may be written over, as the module's header says it. Weights stand behind the inputs.
/// `count`: of the module's results.
void write_donations(Module& module, const Graph& graph, size_t count) {
  if (graph.donations().empty()) return;
  std::vector<int64_t> places;  // in the result's tuple, of which a tuple has several
  int64_t next = 0;
  for (const ValueId v : graph.outputs()) {
    places.push_back(next);
    const ir::Type& type = graph.type(v);
    next += type.is_tensor() ? 1 : static_cast<int64_t>(type.elements.size());
  }
  const auto first = static_cast<uint32_t>(module.numbers.size());
  for (const Graph::Donation& d : graph.donations()) {
    Dims alias = {0};
    if (count != 1) alias = {1, places[d.output]};
    alias.insert(alias.end(), {d.input, 0, static_cast<int64_t>(hlo::AliasKind::kMay)});
    module.numbers.insert(module.numbers.end(), alias.begin(), alias.end());
  }
  module.header = {static_cast<uint32_t>(module.attributes.size()), 1};
  module.attributes.push_back(
      {AttributeName::kInputOutputAlias, {first, static_cast<uint32_t>(module.numbers.size()) - first}});
}

hlo::TextId free_text(Module& module, const std::string& name) {
  std::string free = name;
  for (int n = 1; module.texts.find(free).valid(); ++n) free = fmt::format("{}.{}", name, n);
  return module.texts.intern(free);
}

}  // namespace

WrittenProgram write_program(Writer& writer, const Graph& graph, std::span<const InstructionId> inputs) {
  const meaning::Flat flat = meaning::flatten(graph);
  return ProgramWriter(writer, flat.graph).run(inputs);
}

hlo::Module module_of(const Graph& graph) {
  const meaning::Flat flat = meaning::flatten(graph);
  Module module;
  module.name = module.texts.intern(as_name(graph.title(), "program"));
  Writer w(module);
  w.begin_computation();
  std::vector<InstructionId> parameters;
  const auto parameter = [&](ValueId v) {
    const ir::Type& type = flat.graph.type(v);
    if (!is_static_tensor(type))
      throw InputError(fmt::format("{}: expected a tensor of sizes that are numbers, of a type that XLA has",
                                   meaning::describe(flat.graph, v)));
    const InstructionId id = w.parameter(static_cast<int64_t>(parameters.size()), shape_of(w, type));
    module.instructions[id.v].name = free_text(module, as_name(flat.graph.name(v), "parameter"));
    parameters.push_back(id);
  };
  for (const ValueId v : flat.graph.inputs()) parameter(v);
  for (uint32_t i = 0; i < flat.graph.size(); ++i)
    if (flat.graph.def(ValueId(i)).core == Core::kWeight) parameter(ValueId(i));
  const WrittenProgram written = ProgramWriter(w, flat.graph).run(parameters);
  if (!written.why.empty()) throw InputError(written.why);
  const InstructionId root = written.outputs.size() == 1 ? written.outputs[0] : w.tuple(written.outputs);
  module.entry = w.computation("main", 0, parameters);
  module.computations[module.entry.v].root = root;
  write_donations(module, flat.graph, written.outputs.size());
  return rebuilt(module, {});
}

}  // namespace isomer::passes
