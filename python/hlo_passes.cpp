// Passes that are written in Python (isomer/hlo_passes.py): what proposes looks at a module and writes into
// it by these functions. Each instruction that is written is held to XLA's rules of types at once.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "hlo/verify.h"
#include "passes/pass.h"
#include "passes/rule_pass.h"
#include "passes/scalar_writer.h"
#include "passes/site.h"
#include "support/errors.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace isomer::python {
namespace {

using passes::AlternativeGraph;
using passes::Dims;
using passes::InstructionId;
using passes::Opcode;

Opcode opcode_named(const std::string& text) {
  const std::optional<Opcode> out = hlo::parse_opcode(text);
  if (!out) throw UsageError(fmt::format("opcode '{}': XLA has none of that name", text));
  return *out;
}

hlo::Primitive element_named(const std::string& text) {
  const std::optional<hlo::Primitive> out = hlo::parse_primitive(text);
  if (!out) throw UsageError(fmt::format("element type '{}': XLA has none of that name", text));
  return *out;
}

/// An alternative graph while a pass proposes on it; instructions are their numbers.
class Proposing {
 public:
  explicit Proposing(AlternativeGraph& graph) : graph_(&graph) {}
  /// What Python has kept of it says so from now on.
  void end() { graph_ = nullptr; }

  uint32_t originals() const { return graph().originals(); }
  std::string opcode(uint32_t i) const { return std::string(hlo::name(module()[at(i)].opcode)); }
  std::vector<uint32_t> operands(uint32_t i) const {
    std::vector<uint32_t> out;
    for (const InstructionId id : module().operands(at(i))) out.push_back(id.v);
    return out;
  }
  /// None of what is no array of known sizes.
  std::optional<std::pair<std::string, Dims>> shape(uint32_t i) const {
    const hlo::Shape& of = module().shapes[module().shape(at(i))];
    if (of.kind != hlo::ShapeKind::kArray || of.dynamic != 0) return std::nullopt;
    const auto dims = module().shapes.dims(module().shape(at(i)));
    return std::pair(std::string(hlo::name(of.element)), Dims(dims.begin(), dims.end()));
  }
  std::optional<Dims> attribute(uint32_t i, const std::string& name) const {
    for (const hlo::Attribute& a : module().attributes_of(at(i)))
      if (hlo::row(a.name).text == name) {
        const auto numbers = module().value(a);
        return Dims(numbers.begin(), numbers.end());
      }
    return std::nullopt;
  }
  /// The number in each of its elements, where it is a constant or a broadcast of one; of the module's own.
  std::optional<double> uniform(uint32_t i) const {
    if (i >= originals() || !shape(i)) return std::nullopt;
    const auto of = passes::Site(graph(), at(i)).uniform(at(i));
    write_for(target_);  // the question has asked the writer for another computation
    return of ? std::optional(of->value) : std::nullopt;
  }
  std::vector<uint32_t> users(uint32_t i) const {
    std::vector<uint32_t> out;
    if (i < originals())
      for (const InstructionId id : graph().users(at(i))) out.push_back(id.v);
    return out;
  }
  bool is_root(uint32_t i) const { return i < originals() && graph().is_root(at(i)); }
  bool may_be_replaced(uint32_t i) const {
    const passes::Site site(graph(), original(i));
    return passes::may_be_replaced(module(), original(i)) && site.has_static_shapes() &&
           !passes::has_side_effect(module(), original(i));
  }

  /// What is written from now on may stand in the target's place.
  void begin(uint32_t target) {
    target_ = target;
    write_for(target);
  }
  void propose(uint32_t value, const std::string& rule) {
    const InstructionId to = original(target_), what = at(value);
    if (home(value) != graph().computation_of(to))
      throw UsageError(fmt::format("rule {}: expected a value of the computation of {}, found one of another",
                                   rule, opcode(target_)));
    if (!module().shapes.compatible(module().shape(to), module().shape(what)))
      throw UsageError(fmt::format("rule {}: expected {} in the place of {}, found {}", rule,
                                   module().shapes.print(module().shape(to), false), opcode(target_),
                                   module().shapes.print(module().shape(what), false)));
    graph().propose(to, what, rule);
  }

  uint32_t elementwise(const std::string& opcode, const std::vector<uint32_t>& operands) {
    const Opcode of = opcode_named(opcode);
    const bool is_one = hlo::is_elementwise(of) && of != Opcode::kCompare && of != Opcode::kConvert;
    if (is_one && static_cast<int>(operands.size()) != hlo::row(of).arity)
      throw UsageError(fmt::format("opcode '{}': expected {} operands, found {}", opcode, hlo::row(of).arity,
                                   operands.size()));
    if (!is_one || operands.empty())
      throw UsageError(fmt::format(
          "opcode '{}': expected one that works element by element on operands of one type", opcode));
    const InstructionId like = at(operands[of == Opcode::kSelect ? 1 : 0]);
    return written(writer().add(of, writer().array(element(like), dims(like)), ids(operands)));
  }
  uint32_t compare(const std::string& direction, uint32_t a, uint32_t b) {
    const int word = hlo::find_word(hlo::WordList::kDirections, direction);
    if (word >= 0) return written(writer().compare(static_cast<hlo::Direction>(word), at(a), at(b)));
    throw UsageError(fmt::format("direction '{}': expected EQ, NE, GE, GT, LE or LT", direction));
  }
  uint32_t convert(uint32_t a, const std::string& to) {
    return written(writer().convert(at(a), element_named(to)));
  }
  uint32_t constant(const std::string& type, double value) {
    const hlo::Primitive element = element_named(type);
    if (!hlo::is_float(element))
      throw UsageError(fmt::format("constant of {}: expected a whole number", type));
    return written(writer().constant(element, value));
  }
  /// Of integers and pred.
  uint32_t whole(const std::string& type, int64_t value) {
    const hlo::Primitive element = element_named(type);
    const hlo::PrimitiveRow& row = hlo::row(element);
    const bool sign = row.kind == hlo::PrimitiveKind::kSigned;
    const int bits = std::min(63, row.bits - (sign ? 1 : 0));
    const int64_t least = sign ? -(int64_t{1} << (bits - 1)) * 2 : 0;
    const int64_t most = ((int64_t{1} << (bits - 1)) - 1) * 2 + 1;
    if ((!hlo::is_integer(element) && element != hlo::Primitive::kPred) || value < least || value > most)
      throw UsageError(fmt::format("constant of {}: it holds no {}", type, value));
    return written(passes::whole(writer(), element, value));
  }
  uint32_t broadcast(uint32_t a, const Dims& to, const Dims& places) {
    return written(writer().broadcast(at(a), to, places));
  }
  uint32_t reshape(uint32_t a, const Dims& to) { return written(writer().reshape(at(a), to)); }
  uint32_t transpose(uint32_t a, const Dims& permutation) {
    in_range(permutation, dims(at(a)).size());
    return written(writer().transpose(at(a), permutation));
  }
  uint32_t slice(uint32_t a, const Dims& starts, const Dims& limits, const Dims& strides) {
    const size_t rank = dims(at(a)).size();
    for (const Dims* list : {&starts, &limits, &strides})
      if (list->size() != rank)
        throw UsageError(fmt::format("slice: expected {} numbers, found {}", rank, list->size()));
    for (const int64_t stride : strides)
      if (stride < 1)
        throw UsageError(fmt::format("slice: expected strides of at least 1, found {}", stride));
    return written(writer().slice(at(a), starts, limits, strides));
  }
  uint32_t reverse(uint32_t a, const Dims& axes) { return written(writer().reverse(at(a), axes)); }
  uint32_t concatenate(const std::vector<uint32_t>& parts, int64_t axis) {
    if (parts.empty()) throw UsageError("concatenate: expected parts");
    for (const uint32_t part : parts) in_range({axis}, dims(at(part)).size());
    return written(writer().concatenate(ids(parts), axis));
  }
  uint32_t dot(uint32_t a, uint32_t b, const Dims& left_batch, const Dims& left_contracting,
               const Dims& right_batch, const Dims& right_contracting) {
    for (const Dims* list : {&left_batch, &left_contracting}) in_range(*list, dims(at(a)).size());
    for (const Dims* list : {&right_batch, &right_contracting}) in_range(*list, dims(at(b)).size());
    return written(writer().dot(at(a), at(b), {left_batch, left_contracting, right_batch, right_contracting},
                                element(at(a))));
  }
  uint32_t reduce(const std::string& opcode, uint32_t a, uint32_t initial, const Dims& axes) {
    in_range(axes, dims(at(a)).size());
    constexpr Opcode kAll[] = {Opcode::kAdd,     Opcode::kMultiply, Opcode::kMaximum,
                               Opcode::kMinimum, Opcode::kAnd,      Opcode::kOr};
    if (std::ranges::find(kAll, opcode_named(opcode)) == std::end(kAll))
      throw UsageError(
          fmt::format("reduce by '{}': expected add, multiply, maximum, minimum, and, or", opcode));
    const passes::ComputationId by = writer().combiner(opcode_named(opcode), element(at(a)));
    return written(writer().reduce(at(a), at(initial), axes, by));
  }

 private:
  AlternativeGraph& graph() const {
    if (graph_ == nullptr) throw UsageError("the pass has ended: what it looked at is no longer there");
    return *graph_;
  }
  const hlo::Module& module() const { return graph().module(); }
  passes::Writer& writer() const { return graph().writer(); }
  InstructionId at(uint32_t i) const {
    if (i >= module().instructions.size())
      throw UsageError(fmt::format("instruction {}: there are {}", i, module().instructions.size()));
    return InstructionId(i);
  }
  InstructionId original(uint32_t i) const {
    if (i >= originals())
      throw UsageError(
          fmt::format("instruction {}: expected one of the module, found one that was written", i));
    return InstructionId(i);
  }
  std::vector<InstructionId> ids(const std::vector<uint32_t>& all) const {
    std::vector<InstructionId> out;
    for (const uint32_t i : all) out.push_back(at(i));
    return out;
  }
  /// Of an array.
  hlo::Primitive element(InstructionId id) const {
    if (!shape(id.v)) throw UsageError(fmt::format("instruction {}: expected an array of known sizes", id.v));
    return module().shapes[module().shape(id)].element;
  }
  Dims dims(InstructionId id) const {
    element(id);
    const auto of = module().shapes.dims(module().shape(id));
    return {of.begin(), of.end()};
  }
  static void in_range(const Dims& axes, size_t rank) {
    for (const int64_t axis : axes)
      if (axis < 0 || axis >= static_cast<int64_t>(rank))
        throw UsageError(fmt::format("expected dimensions below {}, found {}", rank, axis));
  }
  void write_for(uint32_t target) const { writer().write_for(graph().computation_of(original(target))); }
  /// The computation that an instruction stands in, or may stand in.
  passes::ComputationId home(uint32_t i) const {
    if (i < originals()) return graph().computation_of(at(i));
    const auto found = homes_.find(i);
    return found == homes_.end() ? passes::ComputationId() : found->second;
  }
  /// By its operands, which stand in one; of none, the target's.
  uint32_t written(InstructionId id) {
    const passes::ComputationId here = graph().computation_of(original(target_));
    for (const InstructionId operand : module().operands(id))
      if (home(operand.v) != here)
        throw UsageError("expected operands of the target's computation, found one of another");
    homes_[id.v] = here;
    if (const std::string fault = hlo::fault_of(module(), id); !fault.empty()) throw UsageError(fault);
    return id.v;
  }

  AlternativeGraph* graph_;
  uint32_t target_ = 0;
  std::unordered_map<uint32_t, passes::ComputationId> homes_;  ///< of what was written
};

/// `propose(graph)` of Python's as a pass. Python keeps the function: it may be gone before what is static
/// here.
class PythonPass : public passes::Pass {
 public:
  PythonPass(std::string name, nb::handle propose) : name_(std::move(name)), propose_(propose) {}
  std::string_view name() const override { return name_; }
  void propose(AlternativeGraph& graph) const override {
    const nb::gil_scoped_acquire held;
    const auto proposing = std::make_shared<Proposing>(graph);
    struct End {
      Proposing& of;
      ~End() { of.end(); }
    } const end{*proposing};
    propose_(nb::cast(proposing));
  }

 private:
  std::string name_;
  nb::handle propose_;
};

}  // namespace

void bind_hlo_passes(nb::module_& m) {
  nb::class_<Proposing>(m, "HloProposing")
      .def("originals", &Proposing::originals)
      .def("opcode", &Proposing::opcode)
      .def("operands", &Proposing::operands)
      .def("shape", &Proposing::shape)
      .def("attribute", &Proposing::attribute)
      .def("uniform", &Proposing::uniform)
      .def("users", &Proposing::users)
      .def("is_root", &Proposing::is_root)
      .def("may_be_replaced", &Proposing::may_be_replaced)
      .def("begin", &Proposing::begin, "target"_a)
      .def("propose", &Proposing::propose, "value"_a, "rule"_a)
      .def("elementwise", &Proposing::elementwise, "opcode"_a, "operands"_a)
      .def("compare", &Proposing::compare, "direction"_a, "a"_a, "b"_a)
      .def("convert", &Proposing::convert, "a"_a, "to"_a)
      .def("constant", &Proposing::constant, "type"_a, "value"_a)
      .def("whole", &Proposing::whole, "type"_a, "value"_a)
      .def("broadcast", &Proposing::broadcast, "a"_a, "to"_a, "places"_a)
      .def("reshape", &Proposing::reshape, "a"_a, "to"_a)
      .def("transpose", &Proposing::transpose, "a"_a, "permutation"_a)
      .def("slice", &Proposing::slice, "a"_a, "starts"_a, "limits"_a, "strides"_a)
      .def("reverse", &Proposing::reverse, "a"_a, "axes"_a)
      .def("concatenate", &Proposing::concatenate, "parts"_a, "axis"_a)
      .def("dot", &Proposing::dot, "a"_a, "b"_a, "left_batch"_a, "left_contracting"_a, "right_batch"_a,
           "right_contracting"_a)
      .def("reduce", &Proposing::reduce, "opcode"_a, "a"_a, "initial"_a, "axes"_a);
  m.def(
      "add_hlo_pass",
      [](const std::string& name, nb::handle propose) {
        passes::add_pass(std::make_shared<PythonPass>(name, propose));
      },
      "name"_a, "propose"_a);
}

}  // namespace isomer::python
