#include "rewrite/tensor_facts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>

#include "cost/known.h"
#include "ir/constant_data.h"
#include "ir/scalar_table.h"

namespace isomer::rewrite {

static_assert(sizeof(ir::AttrId) == sizeof(uint32_t) && std::is_standard_layout_v<ir::AttrId>);

std::span<const uint32_t> TensorLanguage::slots(uint32_t payload) const {
  const std::span<const ir::AttrId> attrs = ctx_.get(ir::PayloadId(payload));
  return {reinterpret_cast<const uint32_t*>(attrs.data()), attrs.size()};
}

uint32_t TensorLanguage::payload(uint32_t, std::span<const uint32_t> slots) {
  std::vector<ir::AttrId> attrs;
  for (uint32_t s : slots) attrs.emplace_back(s);
  return ctx_.intern(attrs).v;
}

ir::TypeId TensorAnalysis::infer(uint32_t op, uint32_t payload, std::span<const ir::TypeId> operands) {
  words_.assign({op, payload});
  for (ir::TypeId t : operands) words_.push_back(t.v);
  const auto [number, fresh] = questions_.number(words_);
  if (!fresh) return answers_[number];
  answers_.emplace_back();
  if (std::ranges::all_of(operands, [](ir::TypeId t) { return t.valid(); })) {
    const ir::Inferred result = ir::infer(ctx_, ir::OpId(op), ctx_.get(ir::PayloadId(payload)), operands);
    if (result) answers_.back() = result.type;
  }
  return answers_.back();
}

TensorFacts TensorAnalysis::make(uint32_t op, uint32_t payload, std::span<const Data> children) {
  std::array<ir::TypeId, 8> few;
  std::vector<ir::TypeId> many;
  ir::TypeId* types = few.data();
  if (children.size() > few.size()) {
    many.resize(children.size());
    types = many.data();
  }
  bool weights = true;
  for (size_t i = 0; i < children.size(); ++i) {
    types[i] = children[i].type;
    weights = weights && children[i].is_weight;
  }
  Data out;
  out.type = infer(op, payload, std::span<const ir::TypeId>(types, children.size()));
  const ir::OpDef& def = ctx_.ops().get(ir::OpId(op));
  out.is_weight = cost::is_known(def, !children.empty(), weights);
  out.splat = splat_of(def, payload, children, out.type);
  if (promise_ == FloatPromise::kFinite) out.range = range_of(op, payload, children, out.type);
  return out;
}

ir::AttrId TensorAnalysis::range_of(uint32_t op, uint32_t payload, std::span<const Data> children,
                                    ir::TypeId type) {
  operands_.clear();
  for (const Data& c : children) operands_.push_back({c.type, range_at(ctx_, c.range), c.is_weight});
  return intern(ctx_, range_rules_.result(ctx_, op, ctx_.get(ir::PayloadId(payload)), operands_, type));
}

ir::AttrId TensorAnalysis::constant_splat(uint32_t id) {
  const auto it = splats_.find(id);
  if (it != splats_.end()) return it->second;
  const ir::Constant& constant = ctx_.get(ir::ConstantId(id));
  const ir::Type& type = ctx_.get(constant.type);
  ir::AttrId splat;
  if (ir::is_float(type.dtype) || (ir::is_integer(type.dtype) && ir::bit_width(type.dtype) >= 8)) {
    const int64_t count = ir::element_count(type.shape);
    const std::span<const std::byte> bytes = constant.bytes();
    const auto size = static_cast<size_t>(ir::bit_width(type.dtype)) / 8;
    bool same = count > 0;
    for (int64_t i = 1; i < count && same; ++i)
      same = std::equal(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size),
                        bytes.begin() + i * static_cast<std::ptrdiff_t>(size));
    if (same) splat = ctx_.intern(ir::AttrValue(ir::load_number(type.dtype, bytes, 0)));
  }
  splats_.emplace(id, splat);
  return splat;
}

/// The arithmetic of constants that rules ask about; nullopt for other operators.
static std::optional<double> arithmetic(const ir::OpDef& op, std::span<const double> x) {
  if (op.range == ir::RangeKind::kReciprocal) return 1 / x[0];  // no scalar operator, but a quotient
  switch (op.element.value_or(ir::ScalarOp::kRead)) {
    case ir::ScalarOp::kNeg:
    case ir::ScalarOp::kSqrt: return ir::row(*op.element).of_one(x[0]);
    case ir::ScalarOp::kAdd:
    case ir::ScalarOp::kSub:
    case ir::ScalarOp::kMul:
    case ir::ScalarOp::kDiv: return ir::row(*op.element).of_two(x[0], x[1]);
    default: return std::nullopt;
  }
}

ir::AttrId TensorAnalysis::splat_of(const ir::OpDef& def, uint32_t payload, std::span<const Data> children,
                                    ir::TypeId type) {
  if (children.empty()) {
    if (!def.is(ir::Core::kConstant)) return {};
    const ir::AttrId id = ctx_.get(ir::PayloadId(payload))[static_cast<size_t>(def.attr_index("id"))];
    return constant_splat(static_cast<uint32_t>(std::get<int64_t>(ctx_.get(id))));
  }
  if (std::ranges::any_of(children, [](const Data& c) { return !c.splat.valid(); })) return {};
  if (def.kind == ir::MeaningKind::kPointwise && children.size() <= 2) {
    std::array<double, 2> numbers{};
    for (size_t i = 0; i < children.size(); ++i) numbers[i] = std::get<double>(ctx_.get(children[i].splat));
    if (!type.valid()) return {};
    const ir::DType dtype = ctx_.get(type).dtype;
    if (dtype != ir::DType::kF32 && dtype != ir::DType::kF64) return {};
    std::optional<double> value = arithmetic(def, numbers);
    if (value && dtype == ir::DType::kF32) value = static_cast<double>(static_cast<float>(*value));
    return value && std::isfinite(*value) ? ctx_.intern(ir::AttrValue(*value)) : ir::AttrId();
  }
  if (children.size() != 1) return {};
  const bool keeps = def.moves == ir::Moves::kSelects || def.moves == ir::Moves::kReshapes;
  return keeps ? children[0].splat : ir::AttrId();
}

ir::TypeId TensorAnalysis::meet(ir::TypeId a, ir::TypeId b) {
  if (a == b || !b.valid()) return a;
  if (!a.valid()) return b;
  const ir::Type& x = ctx_.get(a);
  const ir::Type& y = ctx_.get(b);
  const ir::TypeId lower = std::min(a, b);
  if (x.kind != y.kind) {
    if (x.kind == ir::TypeKind::kOpaque) return b;
    if (y.kind == ir::TypeKind::kOpaque) return a;
    ++contradictions_;
    return lower;
  }
  if (x.kind == ir::TypeKind::kTuple && x.elements.size() == y.elements.size()) {
    std::vector<ir::TypeId> elements;
    for (size_t i = 0; i < x.elements.size(); ++i) elements.push_back(meet(x.elements[i], y.elements[i]));
    return ctx_.intern(ir::Type::tuple(std::move(elements)));
  }
  if (x.kind != ir::TypeKind::kTensor || x.dtype != y.dtype) {
    ++contradictions_;
    return lower;
  }
  if (!x.ranked) return b;
  if (!y.ranked) return a;
  if (x.shape.size() != y.shape.size()) {
    ++contradictions_;
    return lower;
  }
  ir::Shape shape = x.shape;
  for (size_t i = 0; i < shape.size(); ++i) {
    const ir::Dim p = x.shape[i], q = y.shape[i];
    if (p == q || q.is_unknown()) continue;
    if (p.is_unknown() || (p.is_symbol() && q.is_static()))
      shape[i] = q;
    else if (p.is_static() && q.is_symbol())
      continue;
    else {
      if (p.is_static()) ++contradictions_;
      shape[i] = std::min(p, q);
    }
  }
  const ir::DType dtype = x.dtype;
  return ctx_.tensor_type(dtype, std::move(shape));
}

TensorFacts TensorAnalysis::join(const Data& a, const Data& b) {
  if (a == b) return a;
  Data out;
  out.type = meet(a.type, b.type);
  out.splat = a.splat.valid() ? (b.splat.valid() ? std::min(a.splat, b.splat) : a.splat) : b.splat;
  out.is_weight = a.is_weight || b.is_weight;
  if (!a.range.valid() || !b.range.valid() || a.range == b.range)
    out.range = a.range.valid() ? a.range : b.range;
  else
    out.range = intern(ctx_, rewrite::meet(range_at(ctx_, a.range), range_at(ctx_, b.range)));
  return out;
}

}  // namespace isomer::rewrite
