#include "eval/size_values.h"

#include <algorithm>
#include <array>

#include "eval/interpreter.h"
#include "ir/constant_data.h"
#include "meaning/combiner.h"
#include "meaning/flatten.h"
#include "meaning/nest.h"
#include "support/floor_div.h"

namespace isomer::eval {
namespace {

using ir::ScalarOp;
using ir::ValueId;
using Elements = std::vector<SizeElement>;

bool is_small(const ir::Type& type) {
  return type.is_static_tensor() && (ir::is_integer(type.dtype) || ir::is_float(type.dtype)) &&
         ir::element_count(type.shape) <= kMostSizeElements;
}

/// Runs a compiled nest for one output element. A read at a place that is not certain, or outside of its
/// operand, is no certain element.
class ElementRunner {
 public:
  ElementRunner(const meaning::CompiledNest& nest, std::span<const std::span<const SizeElement>> operands)
      : nest_(nest), operands_(operands), vars_(nest.extents.size()) {}

  SizeElement at(int64_t linear) {
    for (size_t i = nest_.space.size(); i-- > 0;) {
      vars_[i] = linear % nest_.space[i];
      linear /= nest_.space[i];
    }
    reduce();
    return rounded(nest_.dtype, run(nest_.result));
  }

 private:
  void reduce() {
    accumulators_.assign(nest_.bodies.size(), {});
    const size_t rank = nest_.space.size();
    for (size_t i = rank; i < vars_.size(); ++i) vars_[i] = 0;
    for (size_t a = 0; a < accumulators_.size(); ++a)
      if (nest_.reductions == 0) accumulators_[a] = identity(a);
    for (int64_t r = 0; r < nest_.reductions; ++r) {
      for (size_t a = 0; a < accumulators_.size(); ++a) {
        const SizeElement next = run(nest_.bodies[a]);
        accumulators_[a] = r == 0 ? next : combine(a, next);
      }
      for (size_t i = vars_.size(); i-- > rank;) {
        if (++vars_[i] < nest_.extents[i]) break;
        vars_[i] = 0;
      }
    }
  }

  SizeElement identity(size_t a) const {
    if (nest_.bodies[a].sort == meaning::Sort::kNumber) return {};
    if (nest_.combiners[a] == ir::Combiner::kSum) return whole(0);
    return nest_.combiners[a] == ir::Combiner::kProduct ? whole(1) : SizeElement();
  }

  SizeElement combine(size_t a, const SizeElement& next) {
    const ir::Combiner how = nest_.combiners[a];
    const bool rounds = how == ir::Combiner::kSum || how == ir::Combiner::kProduct;
    if (rounds && nest_.bodies[a].sort == meaning::Sort::kNumber)
      return {};  // in which order is the runtime's affair
    return apply_scalar(meaning::operator_of(how), {}, accumulators_[a], next);
  }

  SizeElement run(const meaning::ScalarProgram& program) {
    std::vector<SizeElement> registers(program.code.size());
    const auto reg = [&](int32_t r) { return r < 0 ? SizeElement() : registers[static_cast<size_t>(r)]; };
    for (size_t r = 0; r < program.code.size(); ++r) {
      const meaning::ScalarProgram::Instr& in = program.code[r];
      const auto index = static_cast<size_t>(in.index);
      switch (in.op) {
        case ScalarOp::kRead: registers[r] = read(nest_.reads[index]); break;
        case ScalarOp::kValid:
          if (const auto place = locate(nest_.reads[index])) registers[r] = whole(*place >= 0);
          break;
        case ScalarOp::kAcc: registers[r] = accumulators_[index]; break;
        case ScalarOp::kVar: registers[r] = whole(vars_[index]); break;
        case ScalarOp::kConst: registers[r] = in.value; break;
        case ScalarOp::kIntConst: registers[r] = whole(in.integer); break;
        default: registers[r] = apply_scalar(in.op, in.dtype, reg(in.a), reg(in.b), reg(in.c));
      }
    }
    return registers.back();
  }

  SizeElement read(const meaning::CompiledRead& read) {
    const auto place = locate(read);
    if (!place) return {};
    if (*place < 0)
      return read.sort == meaning::Sort::kNumber ? SizeElement(read.fill)
                                                 : whole(static_cast<int64_t>(read.fill));
    const auto& elements = operands_[static_cast<size_t>(read.input)];
    const auto at = static_cast<size_t>(*place);
    return at < elements.size() ? elements[at] : SizeElement();
  }

  /// Row-major; -1: outside, where that is allowed.
  std::optional<int64_t> locate(const meaning::CompiledRead& read) {
    for (const ir::IndexExpr& zero : read.zero) {
      const auto rest = index(zero);
      if (!rest) return std::nullopt;
      if (*rest != 0) return -1;
    }
    int64_t linear = 0;
    for (size_t d = 0; d < read.extents.size(); ++d) {
      const auto i = index(read.index[d]);
      if (!i) return std::nullopt;
      if (*i < 0 || *i >= read.extents[d]) return read.guarded ? std::optional<int64_t>(-1) : std::nullopt;
      linear = linear * read.extents[d] + *i;
    }
    return linear;
  }

  std::optional<int64_t> index(const ir::IndexExpr& e) {
    using Kind = ir::IndexExpr::Kind;
    if (e.kind() == Kind::kConst) return e.value();
    if (e.kind() == Kind::kVar) return vars_[static_cast<size_t>(e.value())];
    if (e.kind() == Kind::kLoad) {
      const SizeElement loaded = read(nest_.reads[static_cast<size_t>(e.value())]);
      const std::optional<int64_t> number = as_number(loaded);
      if (!number) return std::nullopt;
      return *number < 0 && e.wrap() > 0 ? *number + e.wrap() : *number;
    }
    const auto a = index(e.lhs());
    if (!a) return std::nullopt;
    if (e.kind() == Kind::kMulConst) {
      int64_t product = 0;
      return __builtin_mul_overflow(*a, e.value(), &product) ? std::nullopt : std::optional(product);
    }
    if (e.kind() == Kind::kFloorDiv) return floor_div(*a, e.value());
    if (e.kind() == Kind::kMod) return floor_mod(*a, e.value());
    const auto b = index(e.rhs());
    if (!b) return std::nullopt;
    if (e.kind() == Kind::kAdd) {
      int64_t sum = 0;
      return __builtin_add_overflow(*a, *b, &sum) ? std::nullopt : std::optional(sum);
    }
    return e.kind() == Kind::kMin ? std::min(*a, *b) : std::max(*a, *b);
  }

  const meaning::CompiledNest& nest_;
  std::span<const std::span<const SizeElement>> operands_;
  std::vector<int64_t> vars_;
  std::vector<SizeElement> accumulators_;
};

/// Whether a float result is rounded once: then every runtime has the same bits.
bool rounds_once(const meaning::CompiledNest& nest) {
  const auto rounds = [](const meaning::ScalarProgram::Instr& in) {
    static constexpr std::array kRounded = {ScalarOp::kAdd, ScalarOp::kSub, ScalarOp::kMul, ScalarOp::kDiv,
                                            ScalarOp::kSqrt};
    return in.sort == meaning::Sort::kNumber && std::ranges::find(kRounded, in.op) != kRounded.end();
  };
  int64_t count = std::ranges::count_if(nest.result.code, rounds);
  for (const meaning::ScalarProgram& body : nest.bodies) count += std::ranges::count_if(body.code, rounds);
  return count <= 1;
}

}  // namespace

std::span<const SizeElement> SizeValues::of(ValueId v) {
  while (known_.size() <= v.index()) known_.push_back(compute(ValueId(known_.size())));
  const Tensors& tensors = known_[v.index()];
  return tensors.size() == 1 ? std::span<const SizeElement>(tensors[0]) : std::span<const SizeElement>();
}

std::optional<std::vector<int64_t>> numbers_in(const std::optional<std::vector<ir::Size>>& sizes) {
  if (!sizes || !std::ranges::all_of(*sizes, &ir::Size::is_number)) return std::nullopt;
  return ir::numbers(*sizes);
}

std::optional<int64_t> SizeValues::number(ValueId v) {
  const auto numbers = numbers_in(integers(v));
  return numbers && numbers->size() == 1 ? std::optional(numbers->front()) : std::nullopt;
}

std::optional<std::vector<ir::Size>> SizeValues::integers(ValueId v) {
  const ir::Type& type = graph_.type(v);
  if (!is_small(type) || !ir::is_integer(type.dtype)) return std::nullopt;
  std::vector<ir::Size> out;
  for (const SizeElement& e : of(v)) {
    const auto* size = std::get_if<ir::Size>(&e);
    if (!size) return std::nullopt;
    out.push_back(*size);
  }
  if (static_cast<int64_t>(out.size()) != ir::element_count(type.shape)) return std::nullopt;
  return out;
}

SizeValues::Tensors SizeValues::compute(ValueId v) {
  const ir::OpDef& def = graph_.def(v);
  const ir::Type& type = graph_.type(v);
  if (def.is(ir::Core::kGet)) {
    const Tensors& tuple = known_[graph_.operands(v)[0].index()];
    const auto at = static_cast<size_t>(std::get<int64_t>(graph_.context().get(graph_.attrs(v)[0])));
    return at < tuple.size() ? Tensors{tuple[at]} : Tensors();
  }
  if (type.kind != ir::TypeKind::kTuple && !is_small(type)) return {};
  if (def.is(ir::Core::kConstant)) return {constant(v)};
  if (def.moves == ir::Moves::kAsksShape) return {dimensions(v)};
  const bool some =
      std::ranges::any_of(graph_.operands(v), [&](ValueId o) { return known_[o.index()].size() == 1; });
  const bool may_count =
      type.kind != ir::TypeKind::kTuple && type.shape.empty() && ir::is_integer(type.dtype);
  if ((!some && !may_count) || def.nests == nullptr || !can_evaluate(graph_, v)) return {};
  return nests(v);
}

SizeValues::Elements SizeValues::constant(ValueId v) const {
  const ir::DType dtype = graph_.type(v).dtype;
  const auto bytes = eval::constant_of(graph_, v).bytes();
  Elements out;
  for (int64_t i = 0; i < ir::element_count(graph_.type(v).shape); ++i)
    out.push_back(ir::is_integer(dtype) ? whole(ir::load_integer(dtype, bytes, i))
                                        : SizeElement(ir::load_number(dtype, bytes, i)));
  return out;
}

SizeValues::Elements SizeValues::dimensions(ValueId v) const {
  const ir::Type& of = graph_.type(graph_.operands(v)[0]);
  if (!of.is_ranked_tensor()) return {};
  const std::vector<ir::TypeId> types = {graph_.type_id(graph_.operands(v)[0])};
  const ir::OpInstance op(graph_.context(), graph_.def(v), graph_.attrs(v), types, graph_.type_id(v));
  const auto rank = static_cast<int64_t>(of.shape.size());
  const auto bound = [&](int64_t i) { return std::clamp(i < 0 ? i + rank : i, int64_t{0}, rank); };
  Elements out;
  for (int64_t i = bound(op.i("start")); i < bound(op.i("end")); ++i)
    out.push_back(size_element(graph_.context(), of.shape[static_cast<size_t>(i)]));
  return out;
}

SizeValues::Tensors SizeValues::nests(ValueId v) {
  std::vector<ir::TypeId> types;
  std::vector<std::span<const SizeElement>> operands;
  for (ValueId o : graph_.operands(v)) {
    types.push_back(graph_.type_id(o));
    operands.push_back(of(o));
  }
  const ir::OpInstance op(graph_.context(), graph_.def(v), graph_.attrs(v), types, graph_.type_id(v));
  Tensors out;
  bool some = false;
  for (const meaning::CompiledNest& nest : meaning::compile_nests(op, meaning::describe(graph_, v))) {
    Elements& elements = out.emplace_back();
    if (!nest.plain || std::max(nest.outputs, nest.reductions) > kMostSizeElements) continue;
    if (nest.result.sort == meaning::Sort::kNumber && !rounds_once(nest)) continue;
    ElementRunner runner(nest, operands);
    for (int64_t i = 0; i < nest.outputs; ++i) elements.push_back(runner.at(i));
    some = some || elements.empty() || std::ranges::any_of(elements, is_certain);
  }
  return some ? out : Tensors();
}

}  // namespace isomer::eval
