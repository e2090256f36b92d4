#include "formats/hlo_graph.h"

#include <algorithm>
#include <cmath>

#include "formats/hlo_lowering.h"
#include "ir/attempt.h"
#include "ir/constant_data.h"
#include "ir/layout.h"

namespace isomer::formats {

using hlo::AttributeName;
using hlo::ComputationId;
using hlo::InstructionId;
using hlo::Opcode;
using hlo::Primitive;
using ir::ValueId;

namespace {

/// Programs of more values are refused: what is written out may double at each call, and at each branch.
constexpr size_t kMostValues = size_t{1} << 20;

}  // namespace

std::vector<int64_t> other_dims(size_t rank, const std::vector<int64_t>& dims) {
  std::vector<int64_t> out;
  for (int64_t d = 0; d < static_cast<int64_t>(rank); ++d)
    if (std::ranges::find(dims, d) == dims.end()) out.push_back(d);
  return out;
}

std::vector<int64_t> joined(std::vector<int64_t> a, const std::vector<int64_t>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

std::vector<int64_t> inverse(const std::vector<int64_t>& order) {
  std::vector<int64_t> out(order.size());
  for (size_t i = 0; i < order.size(); ++i) out[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
  return out;
}

ir::Sizes picked(const ir::Sizes& sizes, const std::vector<int64_t>& dims) {
  ir::Sizes out;
  for (const int64_t d : dims) out.push_back(sizes[static_cast<size_t>(d)]);
  return out;
}

HloLowering::HloLowering(ir::Context& ctx, const hlo::Module& module, hlo::TextId name)
    : m_(module), ctx_(ctx), b_(ctx, std::string(module.text(name))), shared_(std::make_shared<Shared>()) {}

HloLowering::HloLowering(const HloLowering& outer, hlo::TextId name)
    : m_(outer.m_),
      ctx_(outer.ctx_),
      b_(outer.ctx_, std::string(outer.m_.text(name))),
      shared_(outer.shared_),
      at_(outer.at_) {}

ir::Graph HloLowering::graph_of(ComputationId id) {
  std::vector<Values> arguments;
  inputs_of(id, arguments);
  return b_.finish(computation(id, arguments));
}

// --- what an instruction says

ir::DType HloLowering::dtype(Primitive element) const {
  const ir::DType out = hlo::row(hlo::is_complex(element) ? hlo::part_of(element) : element).dtype;
  if (out == ir::DType::kUndefined)
    fail("expected an element type that the IR computes in, found {}", name(element));
  return out;
}

HloLowering::Sizes HloLowering::sizes(hlo::ShapeId shape) const {
  if (m_.shapes[shape].kind != hlo::ShapeKind::kArray || m_.shapes[shape].dynamic != 0)
    fail("expected an array of known sizes, found {}", m_.shapes.print(shape, false));
  const auto dims = m_.shapes.dims(shape);
  return Sizes(dims.begin(), dims.end());
}

std::vector<int64_t> HloLowering::list(AttributeName name) const {
  const auto numbers = m_.list(at_, name);
  return {numbers.begin(), numbers.end()};
}

ComputationId HloLowering::called(AttributeName name) const {
  return ComputationId(static_cast<uint32_t>(number(name)));
}

std::vector<double> HloLowering::numbers(const hlo::Literal& literal, Primitive type) const {
  if (literal.elided) fail("expected the contents of a constant, found {{...}}");
  const hlo::PrimitiveRow& row = hlo::row(type);
  std::vector<double> out(literal.bytes.size() / static_cast<size_t>(row.bytes));
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = hlo::real_value(type, literal.bytes.data() + i * static_cast<size_t>(row.bytes));
  return out;
}

bool HloLowering::is_constant(size_t operand, double value) const {
  const InstructionId id = m_.operands(at_)[operand];
  if (m_[id].opcode != Opcode::kConstant || is_complex(m_.shape(id))) return false;
  return std::ranges::all_of(numbers(m_.literal(id), element(m_.shape(id))),
                             [&](double x) { return x == value && std::signbit(x) == std::signbit(value); });
}

// --- values

/// Of a complex one the type of either part.
ir::TypeId HloLowering::array_type(hlo::ShapeId shape) const {
  if (m_.shapes[shape].kind == hlo::ShapeKind::kToken) return ctx_.tensor_type(ir::DType::kBool, {});
  const ir::DType type = dtype(element(shape));
  return ctx_.tensor_type(type, ir::static_shape(sizes(shape)));
}

void HloLowering::leaves(hlo::ShapeId shape, std::vector<hlo::ShapeId>& out) const {
  if (m_.shapes[shape].kind != hlo::ShapeKind::kTuple) return out.push_back(shape);
  for (size_t i = 0; i < m_.shapes[shape].count; ++i) leaves(m_.shapes.part(shape, i), out);
}

size_t HloLowering::values_in(hlo::ShapeId shape) const {
  std::vector<hlo::ShapeId> all;
  leaves(shape, all);
  size_t out = 0;
  for (const hlo::ShapeId leaf : all) out += values_for(leaf);
  return out;
}

std::vector<ir::TypeId> HloLowering::types_in(hlo::ShapeId shape) const {
  std::vector<hlo::ShapeId> all;
  leaves(shape, all);
  std::vector<ir::TypeId> out;
  for (const hlo::ShapeId leaf : all) out.insert(out.end(), values_for(leaf), array_type(leaf));
  return out;
}

void HloLowering::inputs(hlo::ShapeId shape, const std::string& name, Values& out) {
  if (m_.shapes[shape].kind == hlo::ShapeKind::kTuple) {
    for (size_t i = 0; i < m_.shapes[shape].count; ++i)
      inputs(m_.shapes.part(shape, i), fmt::format("{}.{}", name, i), out);
    return;
  }
  const ir::TypeId type = input_type(shape);
  if (!is_complex(shape)) return out.push_back(b_.input(name, type));
  for (const char* part : {"real", "imag"}) out.push_back(b_.input(fmt::format("{}.{}", name, part), type));
}

/// Of all parameters, and by parameter.
HloLowering::Values HloLowering::inputs_of(ComputationId id, std::vector<Values>& arguments) {
  Values all;
  for (const InstructionId parameter : m_.parameters_of(id)) {
    const Reading reading(*this, parameter);
    arguments.emplace_back();
    inputs(lays_out_ ? entry_shape(m_[parameter].value, m_.shape(parameter)) : m_.shape(parameter),
           std::string(m_.text(m_[parameter].name)), arguments.back());
    all.insert(all.end(), arguments.back().begin(), arguments.back().end());
  }
  return all;
}

ValueId HloLowering::integers(ir::DType type, const Sizes& sizes, const std::vector<int64_t>& values) {
  return b_.constant(ir::add_constant(ctx_, type, sizes, values));
}

HloLowering::Values HloLowering::parts(ValueId result, size_t count) {
  if (count == 1) return {result};
  Values out;
  for (size_t i = 0; i < count; ++i) out.push_back(b_.get(result, static_cast<int64_t>(i)));
  return out;
}

// --- the walk

HloLowering::Values HloLowering::computation(ComputationId id, const std::vector<Values>& arguments) {
  const hlo::Computation& c = m_[id];
  const uint32_t first = c.instructions.first;
  std::vector<bool> needed(c.instructions.count);
  needed[c.root.v - first] = true;
  for (uint32_t i = c.instructions.count; i-- > 0;)
    if (needed[i]) {
      for (const InstructionId operand : m_.operands(InstructionId(first + i)))
        needed[operand.v - first] = true;
      for (const int64_t other : before(InstructionId(first + i)))
        needed[static_cast<size_t>(other) - first] = true;
    }
  std::vector<Values> values(c.instructions.count);
  for (uint32_t i = 0; i < c.instructions.count; ++i) {
    if (!needed[i]) continue;
    const Reading reading(*this, InstructionId(first + i));
    std::vector<Values> operands;
    for (const InstructionId operand : m_.operands(at_)) operands.push_back(values[operand.v - first]);
    Values waits;
    for (const int64_t other : before(at_)) {
      const Values& of = values[static_cast<size_t>(other) - first];
      waits.insert(waits.end(), of.begin(), of.end());
    }
    values[i] =
        m_[at_].opcode == Opcode::kParameter ? arguments[m_[at_].value] : ordered(std::move(operands), waits);
    hold_to_shape(values[i]);
    shared_->values += 1 + values[i].size();
    if (shared_->values > kMostValues) fail("expected a program of at most {} values", kMostValues);
  }
  return values[c.root.v - first];
}

/// A parameter, a barrier that nothing may be moved over, a product of a precision or an algorithm of its
/// own: what the IR would make of it does not say all.
bool HloLowering::is_more_than_its_value(InstructionId id) const {
  switch (m_[id].opcode) {
    case Opcode::kParameter:
    case Opcode::kOptimizationBarrier: return true;
    case Opcode::kDot:
    case Opcode::kConvolution:
      return std::ranges::any_of(m_.list(id, AttributeName::kOperandPrecision),
                                 [](int64_t p) { return p != 0; }) ||
             m_.number(id, AttributeName::kDotAlgorithm) != 0;
    case Opcode::kCustomCall: {
      const auto product = hlo::gemm_config_of(m_, id);
      return product &&
             std::ranges::any_of(product->precision, [](const std::string& p) { return p != "DEFAULT"; });
    }
    default: return false;
  }
}

/// The instruction by its operands; an input where it cannot be said, and nothing where that is no array
/// either.
std::optional<HloLowering::Values> HloLowering::said_or_cut(
    const std::vector<std::optional<Values>>& operands) {
  const InstructionId id = at_;
  const auto is_array = [&](hlo::ShapeId shape) {
    const hlo::Shape& s = m_.shapes[shape];
    return s.kind == hlo::ShapeKind::kArray && s.dynamic == 0 && !hlo::is_complex(s.element) &&
           hlo::row(s.element).dtype != ir::DType::kUndefined;
  };
  const auto cut = [&]() -> std::optional<Values> {
    if (!is_array(m_.shape(id))) return std::nullopt;
    Values out;
    inputs(m_.shape(id), std::string(m_.text(m_[id].name)), out);
    return out;
  };
  const bool is_known =
      before(id).empty() && std::ranges::all_of(operands, [](const auto& x) { return x.has_value(); });
  if (!is_known || is_more_than_its_value(id)) return cut();
  std::vector<Values> all;
  for (const auto& x : operands) all.push_back(*x);
  try {
    return instruction(all);
  } catch (const InputError&) {  // it is said why, which nobody asks here
    return cut();
  }
}

HloValues HloLowering::values_of(ComputationId id) {
  const hlo::Range range = m_[id].instructions;
  std::vector<std::optional<Values>> values(range.count);
  std::vector<ValueId> value_of(m_.instructions.size()), outputs;
  for (uint32_t i = 0; i < range.count; ++i) {
    const Reading reading(*this, InstructionId(range.first + i));
    std::vector<std::optional<Values>> operands;
    for (const InstructionId operand : m_.operands(at_)) operands.push_back(values[operand.v - range.first]);
    values[i] = said_or_cut(operands);
    if (!values[i] || m_.shapes[m_.shape(at_)].kind != hlo::ShapeKind::kArray || is_complex(m_.shape(at_)))
      continue;
    value_of[at_.v] = (*values[i])[0];
    outputs.push_back((*values[i])[0]);
  }
  return {b_.finish(std::move(outputs)), std::move(value_of)};
}

/// What the verifier does not know, such as the result of a custom call, may be of another shape.
void HloLowering::hold_to_shape(const Values& values) const {
  const auto type_of = [&](ValueId v) { return ir::without_layout(ctx_, b_.type_id(v)); };
  if (std::ranges::equal(values, types_in(m_.shape(at_)), {}, type_of)) return;
  std::string found;
  for (const ValueId v : values) found += (found.empty() ? "" : ", ") + ir::print(ctx_, type_of(v));
  fail("expected what has the shape {}, found {}", m_.shapes.print(m_.shape(at_), false), found);
}

HloLowering::Values HloLowering::got(const Values& tuple) const {
  const int64_t index = number(AttributeName::kIndex);
  const auto [part, first] = part_at(operand_shape(0), std::span(&index, 1));
  const auto begin = tuple.begin() + first;
  return Values(begin, begin + static_cast<std::ptrdiff_t>(values_in(part)));
}

HloLowering::Values HloLowering::instruction(const std::vector<Values>& operands) {
  const InstructionId id = at_;
  const Opcode opcode = m_[id].opcode;
  const auto flat = [&] {
    Values out;
    for (const Values& operand : operands) out.insert(out.end(), operand.begin(), operand.end());
    return out;
  };
  switch (opcode) {
    case Opcode::kTuple: return flat();
    case Opcode::kGetTupleElement: return got(operands[0]);
    case Opcode::kCall:
    case Opcode::kFusion: {
      return computation(called(opcode == Opcode::kCall ? AttributeName::kToApply : AttributeName::kCalls),
                         operands);
    }
    case Opcode::kCopy: return laid_out(operands[0], m_.shape(id));
    case Opcode::kOptimizationBarrier: return operands[0];
    case Opcode::kAfterAll: return {token(operands)};
    case Opcode::kAddDependency: return all_after(operands[0], operands[1]);
    default: break;
  }
  const ir::Attempt attempt(b_);
  Values out;
  if (opcode == Opcode::kWhile) {
    out = repeat(flat());
  } else if (opcode == Opcode::kConditional) {
    out = conditional(operands);
  } else {
    out = of_arrays(operands);
  }
  if (!attempt)
    fail("expected what the IR has an operator for, found {}: {}", name(opcode), attempt.refusal());
  return out;
}

HloLowering::Values HloLowering::of_arrays(const std::vector<Values>& operands) {
  Values flat;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (m_.shapes[operand_shape(i)].kind != hlo::ShapeKind::kArray)
      fail("expected arrays as operands of {}, found {}", name(m_[at_].opcode),
           m_.shapes.print(operand_shape(i), false));
    flat.insert(flat.end(), operands[i].begin(), operands[i].end());
  }
  return has_complex() ? complex(operands) : results(flat);
}

HloLowering::Values HloLowering::results(const Values& x) {
  switch (m_[at_].opcode) {
    case Opcode::kReduce: return reduce(x);
    case Opcode::kReduceWindow: return reduce_window(x);
    case Opcode::kSort: return sort(x, region(called(AttributeName::kToApply)));
    case Opcode::kTopK: return top_k(x[0]);
    case Opcode::kRngBitGenerator: return random_bits(x[0]);
    case Opcode::kCustomCall:
      if (is_threefry(x)) return threefry(x);
      if (const auto config = hlo::gemm_config_of(m_, at_)) {
        return {gemm(*config, x)};
      }
      break;
    default: break;
  }
  if (m_.shapes[m_.shape(at_)].kind != hlo::ShapeKind::kArray)
    fail("expected an opcode that the IR has operators for, found {}", name(m_[at_].opcode));
  dtype(element(m_.shape(at_)));  // refuses what no type of the IR holds
  return {array(x)};
}

ValueId HloLowering::array(const Values& x) {
  if (const ValueId out = elementwise(x); out.valid()) return out;
  if (const ValueId out = movement(x); out.valid()) return out;
  switch (m_[at_].opcode) {
    case Opcode::kDot: return dot(x, sizes(m_.shape(at_)));
    case Opcode::kConvolution: return convolution(x);
    case Opcode::kSelectAndScatter: return select_and_scatter(x);
    case Opcode::kGather: return gather(x);
    case Opcode::kScatter: return scatter(x);
    case Opcode::kMap: return mapped(x);
    case Opcode::kCholesky: return cholesky(x[0]);
    case Opcode::kTriangularSolve: return triangular_solve(x[0], x[1]);
    default: fail("expected an opcode that the IR has operators for, found {}", name(m_[at_].opcode));
  }
}

HloValues hlo_values(ir::Context& ctx, const hlo::Module& module, ComputationId id) {
  return HloLowering(ctx, module, module[id].name).values_of(id);
}

ir::Graph hlo_graph(ir::Context& ctx, const hlo::Module& module) {
  return HloLowering(ctx, module, module.name).program();
}

}  // namespace isomer::formats
