#include "formats/hlo_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "ir/attempt.h"
#include "ir/constant_data.h"
#include "ir/shorthand.h"

namespace isomer::formats {
namespace {

using hlo::AttributeName;
using hlo::ComputationId;
using hlo::InstructionId;
using hlo::Opcode;
using hlo::Primitive;
using ir::Sizes;
using ir::ValueId;

/// The values of an instruction: one, or those of a tuple's arrays.
using Values = std::vector<ValueId>;

/// Graphs of more values are refused: calls that are written out may double at each step.
constexpr size_t kMostValues = size_t{1} << 20;
constexpr int64_t kMostElements = int64_t{1} << 26;

/// Opcodes that are one operator of the IR, whatever their elements are.
constexpr std::pair<Opcode, std::string_view> kPlain[] = {
    {Opcode::kAbs, "abs"},     {Opcode::kAcos, "acos"},    {Opcode::kAcosh, "acosh"},
    {Opcode::kAsin, "asin"},   {Opcode::kAsinh, "asinh"},  {Opcode::kAtanh, "atanh"},
    {Opcode::kCeil, "ceil"},   {Opcode::kCos, "cos"},      {Opcode::kCosh, "cosh"},
    {Opcode::kDivide, "div"},  {Opcode::kErf, "erf"},      {Opcode::kExp, "exp"},
    {Opcode::kFloor, "floor"}, {Opcode::kLog, "log"},      {Opcode::kLogistic, "sigmoid"},
    {Opcode::kNegate, "neg"},  {Opcode::kPower, "pow"},    {Opcode::kRoundNearestEven, "round"},
    {Opcode::kSign, "sign"},   {Opcode::kSin, "sin"},      {Opcode::kSinh, "sinh"},
    {Opcode::kSqrt, "sqrt"},   {Opcode::kSubtract, "sub"}, {Opcode::kTan, "tan"},
    {Opcode::kTanh, "tanh"}};

/// Those that are another operator on pred than on numbers; empty: none.
struct ByElement {
  Opcode opcode;
  std::string_view numbers, pred, integers;
};
constexpr ByElement kByElement[] = {
    {Opcode::kAdd, "add", "or", "add"},     {Opcode::kMultiply, "mul", "and", "mul"},
    {Opcode::kMaximum, "max", "or", "max"}, {Opcode::kMinimum, "min", "and", "min"},
    {Opcode::kAnd, "", "and", "bit_and"},   {Opcode::kOr, "", "or", "bit_or"},
    {Opcode::kXor, "", "xor", "bit_xor"},   {Opcode::kNot, "", "not", "bit_not"}};

std::string_view by_element(Opcode opcode, Primitive element) {
  for (const ByElement& row : kByElement)
    if (row.opcode == opcode)
      return element == Primitive::kPred ? row.pred : hlo::is_integer(element) ? row.integers : row.numbers;
  return {};
}

class Lowering {
 public:
  Lowering(ir::Context& ctx, const hlo::Module& module)
      : m_(module), ctx_(ctx), b_(ctx, std::string(module.text(module.name))) {}

  ir::Graph run() {
    std::vector<Values> arguments;
    for (const InstructionId id : m_.parameters_of(m_.entry)) {
      at_ = id;
      arguments.emplace_back();
      inputs(m_.shape(id), std::string(m_.text(m_[id].name)), arguments.back());
    }
    return b_.finish(computation(m_.entry, arguments));
  }

 private:
  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    throw InputError(m_.position(at_), fmt::format(format, std::forward<Args>(args)...));
  }

  ir::DType dtype(Primitive element) const {
    const ir::DType out = hlo::row(element).dtype;
    if (out == ir::DType::kUndefined || hlo::is_complex(element))
      fail("expected an element type that the IR computes in, found {}", name(element));
    return out;
  }

  Primitive element(hlo::ShapeId shape) const { return m_.shapes[shape].element; }

  /// Of an array of known sizes.
  Sizes sizes(hlo::ShapeId shape) const {
    if (m_.shapes[shape].kind != hlo::ShapeKind::kArray || m_.shapes[shape].dynamic != 0)
      fail("expected an array of known sizes, found {}", m_.shapes.print(shape, false));
    const auto dims = m_.shapes.dims(shape);
    return Sizes(dims.begin(), dims.end());
  }

  void inputs(hlo::ShapeId shape, const std::string& name, Values& out) {
    if (m_.shapes[shape].kind == hlo::ShapeKind::kTuple) {
      for (size_t i = 0; i < m_.shapes[shape].count; ++i)
        inputs(m_.shapes.part(shape, i), fmt::format("{}.{}", name, i), out);
      return;
    }
    const ir::DType type = dtype(element(shape));
    ir::Shape dims;
    for (const int64_t n : sizes(shape)) dims.push_back(ir::Dim(n));
    out.push_back(b_.input(name, ctx_.tensor_type(type, std::move(dims))));
  }

  Values computation(ComputationId id, const std::vector<Values>& arguments) {
    const hlo::Computation& c = m_[id];
    const uint32_t first = c.instructions.first;
    std::vector<bool> needed(c.instructions.count);
    needed[c.root.v - first] = true;
    for (uint32_t i = c.instructions.count; i-- > 0;)
      if (needed[i])
        for (const InstructionId operand : m_.operands(InstructionId(first + i)))
          needed[operand.v - first] = true;
    std::vector<Values> values(c.instructions.count);
    for (uint32_t i = 0; i < c.instructions.count; ++i) {
      if (!needed[i]) continue;
      at_ = InstructionId(first + i);
      if (b_.so_far().size() > kMostValues) fail("expected a program of at most {} values", kMostValues);
      std::vector<Values> operands;
      for (const InstructionId operand : m_.operands(at_)) operands.push_back(values[operand.v - first]);
      values[i] = m_[at_].opcode == Opcode::kParameter ? arguments[m_[at_].value] : instruction(operands);
    }
    return values[c.root.v - first];
  }

  Values instruction(const std::vector<Values>& operands) {
    const InstructionId id = at_;
    switch (m_[id].opcode) {
      case Opcode::kTuple: {
        Values out;
        for (const Values& part : operands) out.insert(out.end(), part.begin(), part.end());
        return out;
      }
      case Opcode::kGetTupleElement: {
        const auto index = static_cast<size_t>(m_.number(id, AttributeName::kIndex));
        const hlo::ShapeId tuple = m_.shape(m_.operands(id)[0]);
        int64_t from = 0;
        for (size_t i = 0; i < index; ++i) from += m_.shapes.leaves(m_.shapes.part(tuple, i));
        const auto begin = operands[0].begin() + from;
        return Values(begin, begin + m_.shapes.leaves(m_.shape(id)));
      }
      case Opcode::kCall:
      case Opcode::kFusion: {
        const AttributeName callee =
            m_[id].opcode == Opcode::kCall ? AttributeName::kToApply : AttributeName::kCalls;
        Values out = computation(ComputationId(static_cast<uint32_t>(m_.number(id, callee))), operands);
        at_ = id;
        return out;
      }
      case Opcode::kCopy:
      case Opcode::kOptimizationBarrier: return operands[0];
      default: break;
    }
    if (m_.shapes[m_.shape(id)].kind != hlo::ShapeKind::kArray)
      fail("expected an opcode that the IR has operators for, found {}", name(m_[id].opcode));
    std::vector<ValueId> flat;
    for (const Values& operand : operands) {
      if (operand.size() != 1) fail("expected arrays as operands of {}, found a tuple", name(m_[id].opcode));
      flat.push_back(operand[0]);
    }
    dtype(element(m_.shape(id)));
    const ir::Attempt attempt(b_);
    const ValueId out = array(flat);
    if (!attempt)
      fail("expected what the IR has an operator for, found {}: {}", name(m_[id].opcode), attempt.refusal());
    return {out};
  }

  ValueId array(const std::vector<ValueId>& x) {
    const Opcode opcode = m_[at_].opcode;
    const Sizes out = sizes(m_.shape(at_));
    for (const auto& [plain, op] : kPlain)
      if (plain == opcode) return b_.add(op, x);
    if (!x.empty())
      if (const std::string_view op = by_element(opcode, element(operand_shape(0))); !op.empty())
        return b_.add(op, x);
    switch (opcode) {
      case Opcode::kRemainder: return b_.add("mod", x, {{"fmod", int64_t{1}}});
      case Opcode::kRsqrt: return b_.add("reciprocal", {b_.add("sqrt", x)});
      case Opcode::kIsFinite:
        return b_.add("not", {b_.add("or", {b_.add("is_nan", x), b_.add("is_inf", x)})});
      case Opcode::kSelect: return b_.add("where", {ir::broadcast(b_, x[0], out), x[1], x[2]});
      case Opcode::kClamp:
        return b_.add("min",
                      {b_.add("max", {x[1], ir::broadcast(b_, x[0], out)}), ir::broadcast(b_, x[2], out)});
      case Opcode::kConvert:
        return b_.add("cast", x, {{"to", static_cast<int64_t>(dtype(element(m_.shape(at_))))}});
      case Opcode::kCompare: return compare(x);
      case Opcode::kReshape: return ir::reshape(b_, x[0], out);
      case Opcode::kTranspose: return ir::transpose(b_, x[0], list(AttributeName::kDimensions));
      case Opcode::kBroadcast: return broadcast(x[0], out);
      case Opcode::kConcatenate:
        return x.size() == 1 ? x[0] : b_.add("concat", x, {{"axis", list(AttributeName::kDimensions)[0]}});
      case Opcode::kReverse: return reverse(x[0]);
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
      case Opcode::kReduce: return reduce(x);
      case Opcode::kDot: return dot(x, out);
      case Opcode::kConvolution: return convolution(x);
      default: fail("expected an opcode that the IR has operators for, found {}", name(opcode));
    }
  }

  hlo::ShapeId operand_shape(size_t i) const { return m_.shape(m_.operands(at_)[i]); }
  std::vector<int64_t> list(AttributeName name) const {
    const auto numbers = m_.list(at_, name);
    return {numbers.begin(), numbers.end()};
  }

  ValueId compare(const std::vector<ValueId>& x) {
    const auto type = m_.find(at_, AttributeName::kType);
    if (type && static_cast<hlo::ComparisonType>((*type)[0]) == hlo::ComparisonType::kTotalOrder)
      fail("expected a comparison as IEEE has it, found TOTALORDER");
    switch (static_cast<hlo::Direction>(m_.number(at_, AttributeName::kDirection))) {
      case hlo::Direction::kEq: return b_.add("equal", x);
      case hlo::Direction::kNe: return b_.add("not", {b_.add("equal", x)});
      case hlo::Direction::kGe: return b_.add("greater_equal", x);
      case hlo::Direction::kGt: return b_.add("greater", x);
      case hlo::Direction::kLe: return b_.add("less_equal", x);
      case hlo::Direction::kLt: return b_.add("less", x);
    }
    fail("expected a direction of comparison");
  }

  ValueId broadcast(ValueId x, const Sizes& out) {
    std::vector<int64_t> dims = list(AttributeName::kDimensions);
    std::vector<int64_t> order(dims.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, {}, [&](int64_t i) { return dims[static_cast<size_t>(i)]; });
    Sizes spread(out.size(), 1);
    for (const int64_t d : dims) spread[static_cast<size_t>(d)] = out[static_cast<size_t>(d)];
    return ir::broadcast(b_, ir::reshape(b_, ir::transpose(b_, x, order), spread), out);
  }

  ValueId ranges(ValueId x, const std::vector<int64_t>& starts, const std::vector<int64_t>& ends,
                 const std::vector<int64_t>& steps) {
    std::vector<int64_t> axes(starts.size());
    std::iota(axes.begin(), axes.end(), 0);
    if (axes.empty()) return x;
    return b_.add("slice", {x}, {{"axes", axes}, {"starts", starts}, {"ends", ends}, {"steps", steps}});
  }

  ValueId slice(ValueId x) {
    std::vector<int64_t> parts[3];
    const auto numbers = m_.list(at_, AttributeName::kSlice);
    for (size_t i = 0; i < numbers.size(); ++i) parts[i % 3].push_back(numbers[i]);
    return ranges(x, parts[0], parts[1], parts[2]);
  }

  ValueId reverse(ValueId x) {
    const Sizes in = sizes(operand_shape(0));
    std::vector<int64_t> starts(in.size(), 0), ends = in, steps(in.size(), 1);
    for (const int64_t d : list(AttributeName::kDimensions)) {
      const auto i = static_cast<size_t>(d);
      starts[i] = in[i] - 1;
      ends[i] = -in[i] - 1;
      steps[i] = -1;
    }
    return ranges(x, starts, ends, steps);
  }

  /// One vector of what are scalars in HLO, or a vector already (as XLA's older texts have it).
  ValueId starts(std::span<const ValueId> x) {
    if (x.size() == 1 && b_.type(x[0]).shape.size() == 1) return x[0];
    std::vector<ValueId> each;
    for (const ValueId start : x) each.push_back(ir::reshape(b_, start, {1}));
    return each.size() == 1 ? each[0] : b_.add("concat", each, {{"axis", int64_t{0}}});
  }

  ValueId pad(const std::vector<ValueId>& operands, const Sizes& out) {
    std::vector<int64_t> parts[3];
    const auto padding = m_.list(at_, AttributeName::kPadding);
    for (size_t i = 0; i < padding.size(); ++i) parts[i % 3].push_back(padding[i]);
    auto& [low, high, interior] = parts;
    const InstructionId value = m_.operands(at_)[1];
    const size_t n = interior.size();
    const bool plain = m_[value].opcode == Opcode::kConstant &&  // as ONNX has it
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

  ValueId iota(const Sizes& out) {
    const auto d = static_cast<size_t>(m_.number(at_, AttributeName::kIotaDimension));
    if (out[d] > kMostElements)
      fail("expected an iota of at most {} elements, found {}", kMostElements, out[d]);
    std::vector<int64_t> steps(static_cast<size_t>(out[d]));
    std::iota(steps.begin(), steps.end(), 0);
    const ir::DType type = dtype(element(m_.shape(at_)));
    const ValueId line = ir::is_integer(type)
                             ? b_.constant(ir::add_constant(ctx_, type, {out[d]}, steps))
                             : b_.constant(ir::add_constant(ctx_, type, {out[d]},
                                                            std::vector<double>(steps.begin(), steps.end())));
    Sizes spread(out.size(), 1);
    spread[d] = out[d];
    return ir::broadcast(b_, ir::reshape(b_, line, spread), out);
  }

  std::vector<double> numbers(const hlo::Literal& literal, Primitive type) const {
    if (literal.elided) fail("expected the contents of a constant, found {{...}}");
    const hlo::PrimitiveRow& row = hlo::row(type);
    std::vector<double> out(literal.bytes.size() / static_cast<size_t>(row.bytes));
    for (size_t i = 0; i < out.size(); ++i)
      out[i] = hlo::real_value(type, literal.bytes.data() + i * static_cast<size_t>(row.bytes));
    return out;
  }

  ValueId constant(const hlo::Literal& literal, const Sizes& out) {
    const Primitive type = element(literal.shape);
    const std::vector<double> values = numbers(literal, type);
    if (hlo::is_float(type)) return b_.constant(ir::add_constant(ctx_, dtype(type), out, values));
    const hlo::PrimitiveRow& row = hlo::row(type);
    std::vector<int64_t> whole;
    for (size_t i = 0; i < values.size(); ++i)
      whole.push_back(hlo::whole_value(type, literal.bytes.data() + i * static_cast<size_t>(row.bytes)));
    return b_.constant(ir::add_constant(ctx_, dtype(type), out, whole));
  }

  /// The opcode of a computation that combines its two parameters by one instruction.
  Opcode combiner(ComputationId id) const {
    const auto function = m_.binary_function(id);
    if (!function)
      fail("expected a reduction by one operator of its two parameters, found {}", m_.text(m_[id].name));
    return *function;
  }

  ValueId reduce(const std::vector<ValueId>& x) {
    if (x.size() != 2) fail("expected a reduction of one array, found {}", x.size() / 2);
    const Opcode by = combiner(ComputationId(static_cast<uint32_t>(m_.number(at_, AttributeName::kToApply))));
    const Primitive type = element(operand_shape(0));
    const std::vector<int64_t> axes = list(AttributeName::kDimensions);
    std::vector<int64_t> sorted = axes;
    std::ranges::sort(sorted);
    const bool all = by == Opcode::kAnd || by == Opcode::kMinimum || by == Opcode::kMultiply;
    if (type == Primitive::kPred) {
      if (!all && by != Opcode::kOr && by != Opcode::kMaximum && by != Opcode::kAdd)
        fail("expected a reduction of pred by and or or, found {}", name(by));
      const auto to = [&](ValueId v, ir::DType t) {
        return b_.add("cast", {v}, {{"to", static_cast<int64_t>(t)}});
      };
      const ValueId reached =
          ir::reduce(b_, all ? "reduce_min" : "reduce_max", to(x[0], ir::DType::kI32), sorted, false);
      return combined(all ? "and" : "or", all ? 1 : 0, to(reached, ir::DType::kBool), x[1]);
    }
    switch (by) {
      case Opcode::kAdd: return combined("add", 0, ir::reduce(b_, "reduce_sum", x[0], sorted, false), x[1]);
      case Opcode::kMultiply:
        return combined("mul", 1, ir::reduce(b_, "reduce_prod", x[0], sorted, false), x[1]);
      case Opcode::kMaximum:
        return combined("max", -HUGE_VAL, ir::reduce(b_, "reduce_max", x[0], sorted, false), x[1]);
      case Opcode::kMinimum:
        return combined("min", HUGE_VAL, ir::reduce(b_, "reduce_min", x[0], sorted, false), x[1]);
      default: fail("expected a reduction by add, multiply, maximum or minimum, found {}", name(by));
    }
  }

  /// What a reduction reached and what it began with; the latter changes nothing where it is neutral.
  ValueId combined(std::string_view op, double neutral, ValueId reached, ValueId initial) {
    const InstructionId id = m_.operands(at_)[1];
    const auto is_neutral = [&](double value) {
      return value == neutral && std::signbit(value) == std::signbit(neutral);
    };
    if (m_[id].opcode == Opcode::kConstant && is_neutral(numbers(m_.literal(id), element(m_.shape(id)))[0]))
      return reached;
    return b_.add(op, {reached, ir::broadcast(b_, initial, ir::sizes_of(b_, reached))});
  }

  /// Batch dimensions, then those of `first`, then those of `second` as one each.
  ValueId matrices(ValueId x, const Sizes& in, const std::vector<int64_t>& batch,
                   const std::vector<int64_t>& first, const std::vector<int64_t>& second) {
    std::vector<int64_t> order = batch;
    order.insert(order.end(), first.begin(), first.end());
    order.insert(order.end(), second.begin(), second.end());
    Sizes to;
    for (const int64_t d : batch) to.push_back(in[static_cast<size_t>(d)]);
    for (const auto& dims : {first, second}) {
      to.push_back(1);
      for (const int64_t d : dims) to.back() *= in[static_cast<size_t>(d)];
    }
    return ir::reshape(b_, ir::transpose(b_, x, order), to);
  }

  static std::vector<int64_t> free_dims(size_t rank, const std::vector<int64_t>& batch,
                                        const std::vector<int64_t>& contracting) {
    std::vector<int64_t> out;
    for (int64_t d = 0; d < static_cast<int64_t>(rank); ++d)
      if (std::ranges::find(batch, d) == batch.end() &&
          std::ranges::find(contracting, d) == contracting.end())
        out.push_back(d);
    return out;
  }

  void require_same_elements() const {
    if (element(operand_shape(0)) != element(operand_shape(1)) ||
        element(operand_shape(0)) != element(m_.shape(at_)))
      fail("expected {} of one element type, found {} and {} to {}", name(m_[at_].opcode),
           name(element(operand_shape(0))), name(element(operand_shape(1))), name(element(m_.shape(at_))));
  }

  ValueId dot(const std::vector<ValueId>& x, const Sizes& out) {
    require_same_elements();
    const auto lb = list(AttributeName::kLhsBatchDims), rb = list(AttributeName::kRhsBatchDims);
    const auto lc = list(AttributeName::kLhsContractingDims), rc = list(AttributeName::kRhsContractingDims);
    const Sizes left = sizes(operand_shape(0)), right = sizes(operand_shape(1));
    const ValueId a = matrices(x[0], left, lb, free_dims(left.size(), lb, lc), lc);
    const ValueId b = matrices(x[1], right, rb, rc, free_dims(right.size(), rb, rc));
    return ir::reshape(b_, b_.add("matmul", {a, b}), out);
  }

  ValueId convolution(const std::vector<ValueId>& x) {
    require_same_elements();
    const hlo::DimLabels labels{m_.list(at_, AttributeName::kDimLabels)};
    if (m_.number(at_, AttributeName::kBatchGroupCount) != 1)
      fail("expected a convolution without groups of its batch");
    const auto window = m_.list(at_, AttributeName::kWindow);
    const size_t n = labels.spatial();
    std::vector<int64_t> strides, dilations, gaps, pads(2 * n);
    bool plain = n > 0;  // as ONNX has it
    for (size_t i = 0; i < n; ++i) {
      const auto w = window.subspan(i * hlo::kWindowNumbers, hlo::kWindowNumbers);
      if (w[6] != 0) fail("expected a convolution without reversal");
      plain = plain && w[4] == 1 && w[2] >= 0 && w[3] >= 0;
      gaps.push_back(w[4]);
      strides.push_back(w[1]);
      dilations.push_back(w[5]);
      pads[i] = w[2];
      pads[n + i] = w[3];
    }
    const auto order = [](int64_t first, int64_t second, std::span<const int64_t> rest) {
      std::vector<int64_t> out = {first, second};
      out.insert(out.end(), rest.begin(), rest.end());
      return out;
    };
    const ValueId image =
        ir::transpose(b_, x[0], order(labels.input_batch(), labels.input_feature(), labels.input()));
    const ValueId kernel =
        ir::transpose(b_, x[1], order(labels.kernel_output(), labels.kernel_input(), labels.kernel()));
    const int64_t group = m_.number(at_, AttributeName::kFeatureGroupCount);
    if (!plain && group != 1) fail("expected a convolution of one group, where its input is dilated or cut");
    std::vector<ir::NamedAttr> attrs = {{"strides", strides}, {"dilations", dilations}, {"pads", pads}};
    attrs.push_back(plain ? ir::NamedAttr{"group", group} : ir::NamedAttr{"input_dilations", gaps});
    const ValueId y = b_.add(plain ? "conv" : "dilated_conv", {image, kernel}, attrs);
    const std::vector<int64_t> places =
        order(labels.output_batch(), labels.output_feature(), labels.output());
    std::vector<int64_t> back(places.size());
    for (size_t i = 0; i < places.size(); ++i) back[static_cast<size_t>(places[i])] = static_cast<int64_t>(i);
    return ir::transpose(b_, y, back);
  }

  const hlo::Module& m_;
  ir::Context& ctx_;
  ir::Builder b_;
  InstructionId at_;  ///< that is being lowered, for messages
};

}  // namespace

ir::Graph hlo_graph(ir::Context& ctx, const hlo::Module& module) { return Lowering(ctx, module).run(); }

}  // namespace isomer::formats
