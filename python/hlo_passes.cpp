// Passes that are written in Python (isomer/hlo_passes.py): what proposes looks at a module and writes into
// it by these functions. Each instruction that is written is held to XLA's rules of types at once.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hlo/verify.h"
#include "passes/pass.h"
#include "passes/rule_pass.h"
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
    const passes::Site site(graph(), at(i));
    if (!site.is_static(at(i))) return std::nullopt;
    return std::pair(std::string(hlo::name(site.element(at(i)))), site.dims(at(i)));
  }
  std::optional<Dims> attribute(uint32_t i, const std::string& name) const {
    for (const hlo::Attribute& a : module().attributes_of(at(i)))
      if (hlo::row(a.name).text == name) {
        const auto numbers = module().value(a);
        return Dims(numbers.begin(), numbers.end());
      }
    return std::nullopt;
  }
  /// The number in each of its elements, where it is a constant or a broadcast of one.
  std::optional<double> uniform(uint32_t i) const {
    const passes::Site site(graph(), at(i));
    if (!site.is_static(at(i))) return std::nullopt;
    const auto of = site.uniform(at(i));
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
    const passes::Site site(graph(), at(i));
    return passes::may_be_replaced(module(), at(i)) && site.has_static_shapes() &&
           !passes::has_side_effect(module(), at(i));
  }

  void write_for(uint32_t target) { writer().write_for(graph().computation_of(original(target))); }
  void propose(uint32_t target, uint32_t value, const std::string& rule) {
    const InstructionId to = original(target), what = at(value);
    if (!module().shapes.compatible(module().shape(to), module().shape(what)))
      throw UsageError(fmt::format("rule {}: expected {} in the place of {}, found {}", rule,
                                   module().shapes.print(module().shape(to), false), opcode(target),
                                   module().shapes.print(module().shape(what), false)));
    graph().propose(to, what, rule);
  }

  uint32_t elementwise(const std::string& opcode, const std::vector<uint32_t>& operands) {
    const Opcode of = opcode_named(opcode);
    if (!hlo::is_elementwise(of) || operands.empty() || of == Opcode::kCompare || of == Opcode::kConvert)
      throw UsageError(fmt::format(
          "opcode '{}': expected one that works element by element on operands of one type", opcode));
    const InstructionId like = at(operands[of == Opcode::kSelect ? 1 : 0]);
    return written(writer().add(of, writer().array(element(like), dims(like)), ids(operands)));
  }
  uint32_t compare(const std::string& direction, uint32_t a, uint32_t b) {
    constexpr std::pair<std::string_view, hlo::Direction> kAll[] = {
        {"EQ", hlo::Direction::kEq}, {"NE", hlo::Direction::kNe}, {"GE", hlo::Direction::kGe},
        {"GT", hlo::Direction::kGt}, {"LE", hlo::Direction::kLe}, {"LT", hlo::Direction::kLt}};
    for (const auto& [word, value] : kAll)
      if (word == direction) return written(writer().compare(value, at(a), at(b)));
    throw UsageError(fmt::format("direction '{}': expected EQ, NE, GE, GT, LE or LT", direction));
  }
  uint32_t convert(uint32_t a, const std::string& to) {
    return written(writer().convert(at(a), element_named(to)));
  }
  uint32_t constant(const std::string& type, double value) {
    return written(writer().constant(element_named(type), value));
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
  uint32_t written(InstructionId id) const {
    if (const std::string fault = hlo::fault_of(module(), id); !fault.empty()) throw UsageError(fault);
    return id.v;
  }

  AlternativeGraph* graph_;
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
      .def("write_for", &Proposing::write_for)
      .def("propose", &Proposing::propose, "target"_a, "value"_a, "rule"_a)
      .def("elementwise", &Proposing::elementwise, "opcode"_a, "operands"_a)
      .def("compare", &Proposing::compare, "direction"_a, "a"_a, "b"_a)
      .def("convert", &Proposing::convert, "a"_a, "to"_a)
      .def("constant", &Proposing::constant, "type"_a, "value"_a)
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
