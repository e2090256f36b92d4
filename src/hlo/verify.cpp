#include "hlo/verify.h"

#include <fmt/format.h>

#include <algorithm>

#include "hlo/checked.h"
#include "hlo/parse.h"

namespace isomer::hlo {

Array Checked::array_of(ShapeId shape, std::string_view what) const {
  require(of(shape).kind == ShapeKind::kArray, "expected an array as {} of {}, found {}", what, name(),
          print(shape));
  return {of(shape).element, module.shapes.dims(shape)};
}

Array Checked::array(size_t i) const {
  const ShapeId shape = operand(i);
  if (of(shape).kind != ShapeKind::kArray) return array_of(shape, fmt::format("operand {}", i));
  return {of(shape).element, module.shapes.dims(shape)};
}
Array Checked::result_array() const { return array_of(result(), "result"); }

Array Checked::scalar(size_t i) const {
  const Array out = array(i);
  require(out.is_scalar(), "expected a scalar as operand {} of {}, found {}", i, name(), print(operand(i)));
  return out;
}

size_t Checked::dimension(AttributeName attribute, size_t rank) const {
  const auto all = list(attribute);
  require(all.size() == 1, "expected one dimension in {} of {}, found {}", row(attribute).text, name(),
          all.size());
  require_dimensions(all, rank, row(attribute).text);
  return static_cast<size_t>(all[0]);
}

void Checked::require_dimensions(std::span<const int64_t> dims, size_t rank, std::string_view what) const {
  uint64_t seen = 0;
  for (const int64_t d : dims) {
    require(d >= 0 && d < static_cast<int64_t>(rank), "expected dimensions below {} in {} of {}, found {}",
            rank, what, name(), d);
    require((seen >> d & 1) == 0, "expected each dimension once in {} of {}, found {} again", what, name(),
            d);
    seen |= uint64_t{1} << d;
  }
}

void Checked::require_operands(size_t least, size_t most) const {
  require(operands() >= least && operands() <= most, "expected {} operands of {}, found {}",
          least == most ? fmt::format("{}", least)
          : most > 1000 ? fmt::format("at least {}", least)
                        : fmt::format("{} to {}", least, most),
          name(), operands());
}

void Checked::require_shape(ShapeId shape, ShapeId wanted, std::string_view what) const {
  require(module.shapes.compatible(shape, wanted), "expected {} as {} of {}, found {}", print(wanted), what,
          name(), print(shape));
}

void Checked::require_operand(size_t i, ShapeId wanted) const {
  if (!module.shapes.compatible(operand(i), wanted))
    require_shape(operand(i), wanted, fmt::format("operand {}", i));
}

void Checked::require_part(size_t i, ShapeId wanted) const {
  const ShapeId part = module.shapes.part(result(), i);
  if (!module.shapes.compatible(part, wanted))
    require_shape(part, wanted, fmt::format("part {} of the result", i));
}

std::string Checked::print(Primitive element, std::span<const int64_t> dims) {
  return fmt::format("{}[{}]", hlo::name(element), fmt::join(dims, ","));
}

void Checked::require_array(ShapeId shape, Primitive element, std::span<const int64_t> dims,
                            std::string_view what) const {
  const Shape& s = of(shape);
  require(s.kind == ShapeKind::kArray && s.element == element &&
              std::ranges::equal(module.shapes.dims(shape), dims),
          "expected {} as {} of {}, found {}", print(element, dims), what, name(), print(shape));
}

void Checked::require_result(Primitive element, std::span<const int64_t> dims) const {
  require_array(result(), element, dims, "result");
}

void Checked::require_tuple(ShapeId shape, size_t parts, std::string_view what) const {
  require(of(shape).kind == ShapeKind::kTuple && of(shape).count == parts,
          "expected a tuple of {} as {} of {}, found {}", parts, what, name(), print(shape));
}

void Checked::require_token(ShapeId shape, std::string_view what) const {
  require(of(shape).kind == ShapeKind::kToken, "expected token[] as {} of {}, found {}", what, name(),
          print(shape));
}

void Checked::require_parameters(ComputationId called, std::span<const ShapeId> wanted) const {
  const auto parameters = module.parameters_of(called);
  require(parameters.size() == wanted.size(), "expected {} parameters of {}, which {} calls, found {}",
          wanted.size(), called_name(called), name(), parameters.size());
  for (size_t i = 0; i < wanted.size(); ++i)
    require(module.shapes.compatible(module.shape(parameters[i]), wanted[i]),
            "expected {} as parameter {} of {}, which {} calls, found {}", print(wanted[i]), i,
            called_name(called), name(), print(module.shape(parameters[i])));
}

std::vector<Primitive> Checked::scalar_function(ComputationId called, std::span<const Primitive> wanted,
                                                size_t results) const {
  const auto scalar_of = [&](ShapeId shape, std::string_view what) {
    require(of(shape).kind == ShapeKind::kArray && of(shape).count == 0,
            "expected a scalar as {} of {}, which {} calls, found {}", what, called_name(called), name(),
            print(shape));
    return of(shape).element;
  };
  const auto parameters = module.parameters_of(called);
  require(parameters.size() == wanted.size(), "expected {} parameters of {}, which {} calls, found {}",
          wanted.size(), called_name(called), name(), parameters.size());
  for (size_t i = 0; i < wanted.size(); ++i) {
    const Primitive element = scalar_of(module.shape(parameters[i]), fmt::format("parameter {}", i));
    require(element == wanted[i] || (is_float(element) && is_float(wanted[i])),
            "expected {}[] as parameter {} of {}, which {} calls, found {}[]", hlo::name(wanted[i]), i,
            called_name(called), name(), hlo::name(element));
  }
  const ShapeId result = module.result_shape(called);
  std::vector<Primitive> out;
  if (of(result).kind != ShapeKind::kTuple && results == 1) {
    out.push_back(scalar_of(result, "result"));
    return out;
  }
  require(of(result).kind == ShapeKind::kTuple && of(result).count == results,
          "expected a tuple of {} scalars as result of {}, which {} calls, found {}", results,
          called_name(called), name(), print(result));
  for (size_t i = 0; i < results; ++i)
    out.push_back(scalar_of(module.shapes.part(result, i), "part of the result"));
  return out;
}

std::string fault_of(const Module& module, InstructionId id) {
  try {
    row(module[id].opcode).rule(Checked(module, id));
  } catch (const Mismatch& mismatch) {
    return mismatch.message;
  }
  return {};
}

std::vector<Fault> verify(const Module& module, size_t most) {
  std::vector<Fault> out;
  for (size_t i = 0; i < module.instructions.size() && out.size() < most; ++i)
    if (std::string fault = fault_of(module, InstructionId(i)); !fault.empty())
      out.push_back({InstructionId(i), std::move(fault)});
  return out;
}

void require_valid(const Module& module) {
  const std::vector<Fault> faults = verify(module, 1);
  if (!faults.empty()) throw InputError(module.position(faults[0].instruction), faults[0].message);
}

Module parse_valid(std::string_view text, const std::string& file) {
  Module out = parse(text, file);
  require_valid(out);
  return out;
}

void require_contents(const Module& module) {
  if (const size_t count = module.elided_literals(); count > 0)
    throw InputError(fmt::format("{}: expected constants with their contents, found {} written as {{...}}",
                                 module.file, count));
}

}  // namespace isomer::hlo
