// Writes instructions behind those of a module: what an alternative computes. Equal instructions (same
// opcode, shape, operands and attributes) are written once, so that alternatives of several passes share what
// they have in common. What is written stands in no computation until somebody decides for it
// (alternatives.h).
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "hlo/dot_dims.h"
#include "hlo/module.h"

namespace isomer::passes {

using hlo::AttributeName;
using hlo::ComputationId;
using hlo::DotDims;
using hlo::InstructionId;
using hlo::Module;
using hlo::Opcode;
using hlo::Primitive;
using hlo::ShapeId;

using Dims = std::vector<int64_t>;
using DimsView = std::span<const int64_t>;

/// The value of an attribute as Module keeps it.
struct AttributeValue {
  AttributeName name;
  Dims numbers;
};

class Writer {
 public:
  explicit Writer(Module& module) : module_(module) {}

  Module& module() { return module_; }
  /// Of which computation the next instructions are to be: those without operands would be shared between
  /// computations otherwise.
  void write_for(ComputationId computation) { home_ = computation; }

  /// Operands of one instruction stand in one computation; shapes are the caller's business.
  InstructionId add(Opcode opcode, ShapeId shape, std::span<const InstructionId> operands,
                    std::initializer_list<AttributeValue> attributes = {});
  InstructionId add(Opcode opcode, ShapeId shape, std::initializer_list<InstructionId> operands,
                    std::initializer_list<AttributeValue> attributes = {}) {
    return add(opcode, shape, std::span(operands.begin(), operands.size()), attributes);
  }
  /// As `like` with other operands and another shape: opcode and attributes are copied, metadata is left out.
  /// Attributes that are given stand for its own; one without numbers is left out.
  InstructionId again(InstructionId like, ShapeId shape, std::span<const InstructionId> operands,
                      std::span<const AttributeValue> instead = {});
  InstructionId again(InstructionId like, ShapeId shape, std::initializer_list<InstructionId> operands,
                      std::span<const AttributeValue> instead = {}) {
    return again(like, shape, std::span(operands.begin(), operands.size()), instead);
  }

  /// An array with the default layout (last dimension first).
  ShapeId array(Primitive element, DimsView dims) { return shape(module_, element, dims); }
  static ShapeId shape(Module& module, Primitive element, DimsView dims);

  InstructionId unary(Opcode opcode, InstructionId a) { return add(opcode, plain_array(a), {a}); }
  InstructionId binary(Opcode opcode, InstructionId a, InstructionId b) {
    return add(opcode, plain_array(a), {a, b});
  }
  InstructionId compare(hlo::Direction direction, InstructionId a, InstructionId b);
  InstructionId select(InstructionId condition, InstructionId a, InstructionId b) {
    return add(Opcode::kSelect, plain_array(a), {condition, a, b});
  }
  InstructionId broadcast(InstructionId a, DimsView dims, DimsView places);
  /// A scalar in each element.
  InstructionId splat(InstructionId scalar, DimsView dims) { return broadcast(scalar, dims, {}); }
  InstructionId reshape(InstructionId a, DimsView dims);
  InstructionId transpose(InstructionId a, DimsView permutation);
  InstructionId slice(InstructionId a, DimsView starts, DimsView limits, DimsView strides);
  InstructionId pad(InstructionId a, InstructionId value, DimsView low_high_interior);
  InstructionId concatenate(std::span<const InstructionId> parts, int64_t dimension);
  InstructionId iota(Primitive element, DimsView dims, int64_t dimension);
  InstructionId reverse(InstructionId a, DimsView dims);
  InstructionId convert(InstructionId a, Primitive element);
  InstructionId dot(InstructionId a, InstructionId b, const DotDims& dims, Primitive element,
                    std::span<const AttributeValue> precision = {});
  InstructionId reduce(InstructionId a, InstructionId initial, DimsView dims, ComputationId combiner);
  InstructionId tuple(std::span<const InstructionId> parts);
  InstructionId part(InstructionId tuple, int64_t index);
  /// A scalar; rounded to the type.
  InstructionId constant(Primitive element, double value);
  /// Of these bytes (as hlo::Literal has them).
  InstructionId constant(ShapeId shape, std::vector<std::byte> bytes);

  /// The computation of two scalars that is `opcode` of them.
  ComputationId combiner(Opcode opcode, Primitive element);
  /// A computation of the instructions that were written since `begin_computation`, of which `first` is the
  /// first and the last is its root.
  ComputationId computation(std::string_view name, uint32_t first, std::span<const InstructionId> parameters);
  /// Of a computation that is being written: instructions are shared within it alone.
  InstructionId parameter(int64_t number, ShapeId shape);
  void begin_computation();

 private:
  struct Written {
    ComputationId home;
    InstructionId id;
  };

  ShapeId plain_array(InstructionId a);
  hlo::Range attributes(std::span<const AttributeValue> values);
  void attribute(const AttributeValue& value);
  InstructionId append(const hlo::Instruction& instruction, std::span<const InstructionId> operands);
  uint64_t key(const hlo::Instruction& instruction) const;
  bool same(const hlo::Instruction& a, const hlo::Instruction& b) const;

  Module& module_;
  ComputationId home_, home_before_;
  uint32_t inside_ = 0;  ///< computations that were begun
  std::unordered_multimap<uint64_t, Written> written_;
  std::vector<std::pair<std::pair<Opcode, Primitive>, ComputationId>> combiners_;
};

/// The bytes of a scalar of the type; integers are taken whole, floats rounded.
std::vector<std::byte> scalar_bytes(Primitive element, double value);

}  // namespace isomer::passes
