// Opcodes that move elements, or bring them along.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "formats/hlo_lowering.h"
#include "ir/constant_data.h"

namespace isomer::formats {

using hlo::AttributeName;
using hlo::InstructionId;
using hlo::Opcode;
using hlo::Primitive;
using ir::ValueId;

namespace {

constexpr int64_t kMostElements = int64_t{1} << 26;

/// Whether a double is all of what a scalar's literal says.
bool holds_exactly(const hlo::Literal& scalar, Primitive type) {
  constexpr double kMost = 0x1p53;
  return scalar.elided || !hlo::is_integer(type) ||
         std::abs(hlo::real_value(type, scalar.bytes.data())) < kMost;
}

}  // namespace

ValueId HloLowering::movement(const Values& x) {
  const Sizes out = sizes(m_.shape(at_));
  switch (m_[at_].opcode) {
    case Opcode::kReshape: return ir::reshape(b_, x[0], out);
    case Opcode::kTranspose: return ir::transpose(b_, x[0], list(AttributeName::kDimensions));
    case Opcode::kBroadcast: return broadcast(x[0], out);
    case Opcode::kConcatenate:
      return x.size() == 1 ? x[0] : b_.add("concat", x, {{"axis", list(AttributeName::kDimensions)[0]}});
    case Opcode::kReverse: return reversed(x[0], list(AttributeName::kDimensions));
    case Opcode::kSlice: return slice(x[0]);
    case Opcode::kPad: return pad(x, out);
    case Opcode::kDynamicSlice:
      return x.size() == 1 ? x[0]
                           : b_.add("dynamic_slice", {x[0], starts(std::span(x).subspan(1))},
                                    {{"sizes", list(AttributeName::kDynamicSliceSizes)}});
    case Opcode::kDynamicUpdateSlice:
      return x.size() == 2 ? x[1]
                           : b_.add("dynamic_update_slice", {x[0], x[1], starts(std::span(x).subspan(2))});
    case Opcode::kIota: return iota(out);
    case Opcode::kConstant: return constant(m_.literal(at_), out);
    default: return {};
  }
}

ValueId HloLowering::broadcast(ValueId x, const Sizes& out) {
  std::vector<int64_t> dims = list(AttributeName::kDimensions);
  std::vector<int64_t> order(dims.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](int64_t i) { return dims[static_cast<size_t>(i)]; });
  Sizes spread(out.size(), 1);
  for (const int64_t d : dims) spread[static_cast<size_t>(d)] = out[static_cast<size_t>(d)];
  return ir::broadcast(b_, ir::reshape(b_, ir::transpose(b_, x, order), spread), out);
}

ValueId HloLowering::ranges(ValueId x, const std::vector<int64_t>& starts, const std::vector<int64_t>& ends,
                            const std::vector<int64_t>& steps) {
  std::vector<int64_t> axes(starts.size());
  std::iota(axes.begin(), axes.end(), 0);
  if (axes.empty()) return x;
  return b_.add("slice", {x}, {{"axes", axes}, {"starts", starts}, {"ends", ends}, {"steps", steps}});
}

ValueId HloLowering::slice(ValueId x) {
  std::vector<int64_t> parts[3];
  const auto numbers = m_.list(at_, AttributeName::kSlice);
  for (size_t i = 0; i < numbers.size(); ++i) parts[i % 3].push_back(numbers[i]);
  return ranges(x, parts[0], parts[1], parts[2]);
}

ValueId HloLowering::reversed(ValueId x, const std::vector<int64_t>& dims) {
  const Sizes in = ir::sizes_of(b_, x);
  std::vector<int64_t> starts(in.size(), 0), ends = in, steps(in.size(), 1);
  for (const int64_t d : dims) {
    const auto i = static_cast<size_t>(d);
    starts[i] = in[i] - 1;
    ends[i] = -in[i] - 1;
    steps[i] = -1;
  }
  return ranges(x, starts, ends, steps);
}

/// One vector of what are scalars in HLO, or a vector already (as XLA's older texts have it).
ValueId HloLowering::starts(std::span<const ValueId> x) {
  if (x.size() == 1 && b_.type(x[0]).shape.size() == 1) return x[0];
  Values each;
  for (const ValueId start : x) each.push_back(ir::reshape(b_, start, {1}));
  return each.size() == 1 ? each[0] : b_.add("concat", each, {{"axis", int64_t{0}}});
}

ValueId HloLowering::pad(const Values& operands, const Sizes& out) {
  std::vector<int64_t> parts[3];
  const auto padding = m_.list(at_, AttributeName::kPadding);
  for (size_t i = 0; i < padding.size(); ++i) parts[i % 3].push_back(padding[i]);
  auto& [low, high, interior] = parts;
  const InstructionId value = m_.operands(at_)[1];
  const size_t n = interior.size();
  // As ONNX has it, with a number that a double holds.
  const bool plain = m_[value].opcode == Opcode::kConstant && !is_complex(m_.shape(value)) &&
                     holds_exactly(m_.literal(value), element_of(1)) &&
                     std::ranges::all_of(interior, [](int64_t i) { return i == 0; });
  if (!plain) {
    low.insert(low.end(), high.begin(), high.end());
    return b_.add("dilated_pad", operands, {{"pads", low}, {"interior", interior}});
  }
  const std::vector<double> fill = numbers(m_.literal(value), element(m_.shape(value)));
  std::vector<int64_t> pads(2 * n), starts(n), ends(n);
  for (size_t i = 0; i < n; ++i) {
    pads[i] = std::max<int64_t>(low[i], 0);
    pads[n + i] = std::max<int64_t>(high[i], 0);
    starts[i] = std::max<int64_t>(-low[i], 0);
    ends[i] = starts[i] + out[i];
  }
  const ValueId padded =
      b_.add("pad", {operands[0]}, {{"pads", pads}, {"mode", std::string("constant")}, {"value", fill[0]}});
  return ranges(padded, starts, ends, std::vector<int64_t>(n, 1));
}

ValueId HloLowering::counted(ir::DType type, const Sizes& sizes, size_t axis) {
  const int64_t count = sizes[axis];
  if (count > kMostElements) fail("expected an iota of at most {} elements, found {}", kMostElements, count);
  std::vector<int64_t> steps(static_cast<size_t>(count));
  std::iota(steps.begin(), steps.end(), 0);
  const std::vector<double> as_floats(steps.begin(), steps.end());
  const ValueId line = ir::is_integer(type) ? integers(type, {count}, steps)
                                            : b_.constant(ir::add_constant(ctx_, type, {count}, as_floats));
  Sizes spread(sizes.size(), 1);
  spread[axis] = count;
  return ir::broadcast(b_, ir::reshape(b_, line, spread), sizes);
}

ValueId HloLowering::iota(const Sizes& out) {
  return counted(dtype(element(m_.shape(at_))), out,
                 static_cast<size_t>(number(AttributeName::kIotaDimension)));
}

ValueId HloLowering::constant(const hlo::Literal& literal, const Sizes& out) {
  const Primitive type = element(literal.shape);
  const std::vector<double> values = numbers(literal, type);
  if (hlo::is_float(type)) return b_.constant(ir::add_constant(ctx_, dtype(type), out, values));
  const hlo::PrimitiveRow& row = hlo::row(type);
  std::vector<int64_t> whole;
  for (size_t i = 0; i < values.size(); ++i)
    whole.push_back(hlo::whole_value(type, literal.bytes.data() + i * static_cast<size_t>(row.bytes)));
  return integers(dtype(type), out, whole);
}

}  // namespace isomer::formats
