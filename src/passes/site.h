// An instruction as a rewrite rule sees it, in the terms in which rules are stated: what its operands are,
// which of them are constants and of which value, how to say something in its place.
#pragma once

#include <optional>
#include <span>

#include "passes/alternatives.h"

namespace isomer::passes {

/// A value of which every element is the same number: a constant, or a broadcast of a scalar one.
struct Uniform {
  InstructionId scalar_or_array;  ///< the constant
  double value;
};

class Site {
 public:
  Site(AlternativeGraph& of, InstructionId instruction)
      : graph(of), w(of.writer()), m(w.module()), at(instruction) {
    w.write_for(of.computation_of(at));
  }

  AlternativeGraph& graph;
  Writer& w;
  Module& m;  ///< grows while fragments are written: no spans or references across writing
  InstructionId at;

  Opcode op(InstructionId id) const { return m[id].opcode; }
  bool is(InstructionId id, Opcode opcode) const { return m[id].opcode == opcode; }
  size_t arity(InstructionId id) const { return m[id].operands.count; }
  InstructionId in(InstructionId id, size_t i) const { return m.operands(id)[i]; }
  InstructionId in(size_t i) const { return in(at, i); }

  Primitive element(InstructionId id) const { return m.shapes[m.shape(id)].element; }
  bool is_array(InstructionId id) const { return m.shapes[m.shape(id)].kind == hlo::ShapeKind::kArray; }
  /// A copy.
  Dims dims(InstructionId id) const {
    const auto of = m.shapes.dims(m.shape(id));
    return {of.begin(), of.end()};
  }
  size_t rank(InstructionId id) const { return m.shapes.dims(m.shape(id)).size(); }
  int64_t elements(InstructionId id) const { return m.shapes.elements(m.shape(id)); }
  /// Sizes that are known, not bounds.
  bool is_static(InstructionId id) const { return is_array(id) && m.shapes[m.shape(id)].dynamic == 0; }
  /// No size of its own or of its operands is a bound.
  bool has_static_shapes() const;
  bool same_shape(InstructionId a, InstructionId b) const {
    return m.shapes.compatible(m.shape(a), m.shape(b));
  }
  bool is_floating(InstructionId id) const { return is_array(id) && hlo::is_float(element(id)); }
  bool is_integral(InstructionId id) const { return is_array(id) && hlo::is_integer(element(id)); }
  bool is_unsigned(InstructionId id) const {
    return hlo::row(element(id)).kind == hlo::PrimitiveKind::kUnsigned;
  }
  bool has_one_user(InstructionId id) const { return graph.has_one_user(id); }

  /// A copy.
  Dims list(InstructionId id, AttributeName name) const {
    const auto of = m.list(id, name);
    return {of.begin(), of.end()};
  }
  int64_t number(InstructionId id, AttributeName name) const { return m.number(id, name); }
  /// What a reduction and its like apply, where it is one operator of its two parameters.
  std::optional<Opcode> combiner(InstructionId id) const;

  /// A constant that is there (not `{...}`).
  bool is_constant(InstructionId id) const {
    return is(id, Opcode::kConstant) && !m.literal(id).elided && is_array(id);
  }
  /// A broadcast of a scalar; its scalar.
  std::optional<InstructionId> splat_of(InstructionId id) const;
  std::optional<Uniform> uniform(InstructionId id) const;
  bool is_all(InstructionId id, double value) const {
    const auto of = uniform(id);
    return of && of->value == value;
  }
  /// A constant or a broadcast of one (of any elements).
  bool is_constant_or_splat(InstructionId id) const;
  /// There are some, and all have the same bits.
  bool has_equal_elements(InstructionId constant) const;
  double element_of(InstructionId constant, int64_t i) const;

  /// `number` in each element of an array like `like`.
  InstructionId all(InstructionId like, double number) const;
  /// The smallest value of the type: -infinity where there is one.
  double lowest(Primitive type) const;
  double highest(Primitive type) const;
};

}  // namespace isomer::passes
