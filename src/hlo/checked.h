// An instruction as its rule of types sees it: shapes of operands and result, attributes, signatures of what
// it calls; and the ways to say that something does not fit.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "hlo/module.h"

namespace isomer::hlo {

/// Types do not fit; caught where the instruction's place is known.
struct Mismatch {
  std::string message;
};

using Dims = std::vector<int64_t>;

struct Array {
  Primitive element;
  std::span<const int64_t> dims;

  size_t rank() const { return dims.size(); }
  bool is_scalar() const { return dims.empty(); }
};

class Checked {
 public:
  Checked(const Module& of, InstructionId instruction) : module(of), id(instruction) {}

  const Module& module;
  InstructionId id;

  size_t operands() const { return module[id].operands.count; }
  ShapeId operand(size_t i) const { return module.shape(module.operands(id)[i]); }
  ShapeId result() const { return module.shape(id); }
  std::string_view name() const { return hlo::name(module[id].opcode); }
  const Shape& of(ShapeId shape) const { return module.shapes[shape]; }

  /// Fail where it is no array.
  Array array(size_t operand) const;
  Array result_array() const;
  Array array_of(ShapeId shape, std::string_view what) const;
  Array scalar(size_t operand) const;

  std::span<const int64_t> list(AttributeName name) const { return module.list(id, name); }
  int64_t number(AttributeName name) const { return module.number(id, name); }
  bool has(AttributeName name) const { return module.find(id, name).has_value(); }
  ComputationId computation(AttributeName name) const {
    return ComputationId(static_cast<uint32_t>(number(name)));
  }
  /// The one item of a list of dimensions, of which there are `rank`.
  size_t dimension(AttributeName name, size_t rank) const;
  /// That all are below `rank`, and none is there twice.
  void require_dimensions(std::span<const int64_t> dims, size_t rank, std::string_view what) const;

  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    throw Mismatch{fmt::format(format, std::forward<Args>(args)...)};
  }
  template <class... Args>
  void require(bool condition, fmt::format_string<Args...> format, Args&&... args) const {
    if (!condition) [[unlikely]]
      fail(format, std::forward<Args>(args)...);
  }
  void require_operands(size_t least, size_t most) const;
  /// Equal but for layouts.
  void require_shape(ShapeId shape, ShapeId wanted, std::string_view what) const;
  void require_operand(size_t i, ShapeId wanted) const;
  /// Of the result, a tuple of that many parts at least.
  void require_part(size_t i, ShapeId wanted) const;
  void require_result(ShapeId wanted) const { require_shape(result(), wanted, "result"); }
  void require_result(Primitive element, std::span<const int64_t> dims) const;
  void require_array(ShapeId shape, Primitive element, std::span<const int64_t> dims,
                     std::string_view what) const;
  /// A tuple of so many parts.
  void require_tuple(ShapeId shape, size_t parts, std::string_view what) const;
  void require_token(ShapeId shape, std::string_view what) const;
  /// A computation of these parameters (any result).
  void require_parameters(ComputationId called, std::span<const ShapeId> wanted) const;
  /// A computation from scalars to a scalar (or to `results` of them, as a tuple); returns the elements of
  /// the results. Scalars that stand for floats of other precisions fit.
  std::vector<Primitive> scalar_function(ComputationId called, std::span<const Primitive> parameters,
                                         size_t results) const;

  std::string print(ShapeId shape) const { return module.shapes.print(shape, false); }
  static std::string print(Primitive element, std::span<const int64_t> dims);

 private:
  std::string_view called_name(ComputationId called) const { return module.text(module[called].name); }
};

/// What a window makes of dimensions; faults are the instruction's.
Dims windowed(const Checked& c, std::span<const int64_t> dims, std::span<const int64_t> window);
/// What dot makes: batch dimensions, those of the left, those of the right; `group` of the right is left out
/// where it is one of its dimensions.
Dims dot_dims(const Checked& c, const Array& left, const Array& right, std::span<const int64_t> without = {});

}  // namespace isomer::hlo
