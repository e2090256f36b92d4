#include "rewrite/term_enumeration.h"

#include <fmt/format.h>

#include <algorithm>

#include "eval/interpreter.h"
#include "ir/op_table.h"
#include "support/hash.h"

namespace isomer::rewrite {
namespace {

using eval::FieldValue;
using Tensor = eval::Tensor<FieldValue>;

std::vector<TermEnumeration::Operator> operators_of(TermEnumeration::Kind kind) {
  const bool images = kind == TermEnumeration::Kind::kImages;
  const int64_t rank = images ? 4 : 2;
  std::vector<TermEnumeration::Operator> out = {
      {"relu", "relu", {}, 1}, {"ewadd", "add", {}, 2}, {"ewmul", "mul", {}, 2}};
  for (int64_t axis : {0, 1})
    out.push_back(
        {fmt::format("concat {} {}", axis, rank), "taso.concat", {{"axis", axis}, {"ndim", rank}}, 2});
  if (!images) out.push_back({"matmul 0", "taso.matmul", {{"act", int64_t{0}}}, 2});
  for (int64_t act : {0, 2})
    if (images)
      out.push_back(
          {fmt::format("conv2d 1 1 0 {}", act),
           "taso.conv2d",
           {{"stride_h", int64_t{1}}, {"stride_w", int64_t{1}}, {"padding", int64_t{0}}, {"act", act}},
           2});
  return out;
}

ir::Shape dims(const std::vector<int64_t>& sizes) {
  ir::Shape out;
  for (int64_t s : sizes) out.push_back(ir::Dim(s));
  return out;
}

}  // namespace

TermEnumeration::TermEnumeration(const ir::OpTable& ops, Kind kind, int variables, uint64_t seed)
    : kind_(kind), ctx_(ops), operators_(operators_of(kind)), field_(seed) {
  // One shape for all: matrices are square, and an image is as large as a kernel, so that everything fits.
  // Half of the elements pass a relu: there must be enough of them that none ever passes, or stops, all.
  const std::vector<int64_t> sizes =
      kind == Kind::kMatrices ? std::vector<int64_t>{4, 4} : std::vector<int64_t>{2, 2, 3, 3};
  for (int v = 0; v < variables; ++v) {
    Tensor t;
    t.dtype = ir::DType::kF32;
    t.sizes = sizes;
    for (int64_t i = 0; i < t.count(); ++i)
      t.numbers.push_back(eval::PrimeField::from_hash(
          hash_combine(hash_combine(seed, static_cast<uint64_t>(v)), static_cast<uint64_t>(i))));
    Term term;
    term.a = static_cast<uint32_t>(v);
    term.variables = 1u << v;
    term.result = hash(t);
    term.first = static_cast<uint32_t>(terms_.size());
    by_result_.emplace(term.result, term.first);
    values_.emplace(term.first, eval::make_value(std::move(t)));
    terms_.push_back(std::move(term));
  }
}

uint64_t TermEnumeration::hash(const Tensor& t) {
  uint64_t h = 0;
  for (int64_t s : t.sizes) h = hash_combine(h, static_cast<uint64_t>(s));
  for (const FieldValue& x : t.numbers) h = hash_combine(h, x.p);
  return h;
}

const TermEnumeration::Template& TermEnumeration::shaped(uint32_t op, const std::vector<int64_t>& a,
                                                         const std::vector<int64_t>* b) {
  std::vector<int64_t> key = {static_cast<int64_t>(op)};
  key.insert(key.end(), a.begin(), a.end());
  if (b != nullptr) key.insert(key.end(), b->begin(), b->end());
  const auto known = templates_.find(key);
  if (known != templates_.end()) return known->second;
  Template made;
  ir::Builder builder(ctx_);
  std::vector<ir::ValueId> in = {builder.input("a", ctx_.tensor_type(ir::DType::kF32, dims(a)))};
  if (b != nullptr) in.push_back(builder.input("b", ctx_.tensor_type(ir::DType::kF32, dims(*b))));
  const ir::OpId id = ctx_.ops().at(operators_[op].op);
  if (builder.try_add(id, builder.make_payload(id, operators_[op].attrs), in, made.node))
    made.graph = std::make_unique<ir::Graph>(builder.finish({made.node}));
  return templates_.emplace(std::move(key), std::move(made)).first->second;
}

void TermEnumeration::combine(uint32_t op, uint32_t a, uint32_t b, size_t operators, bool keep) {
  Term term;
  term.op = op;
  term.a = a;
  term.b = b;
  const Term &first = terms_[a], *second = b == kNone ? nullptr : &terms_[b];
  term.operators = first.operators;
  term.variables = first.variables;
  if (second != nullptr) {
    term.variables |= second->variables;
    std::vector<uint32_t> both;
    std::ranges::set_union(first.operators, second->operators, std::back_inserter(both));
    term.operators = std::move(both);
  }
  if (term.operators.size() + 1 != operators) return;
  std::vector<Value> in = {values_.at(a)};
  if (second != nullptr) in.push_back(values_.at(b));
  const Template& how = shaped(op, in[0].tensor->sizes, second != nullptr ? &in[1].tensor->sizes : nullptr);
  if (how.graph == nullptr) return;
  Value value = eval::apply(field_, *how.graph, how.node, std::span<const Value>(in));
  const auto number = static_cast<uint32_t>(terms_.size());
  term.result = hash(*value.tensor);
  term.first = by_result_.try_emplace(term.result, number).first->second;
  term.operators.push_back(number);
  if (keep && term.first == number) values_.emplace(number, std::move(value));
  terms_.push_back(std::move(term));
}

StopReason TermEnumeration::run(int operators, const Limits& limits) {
  LimitWatch watch(limits);
  for (size_t size = 1; size <= static_cast<size_t>(operators); ++size) {
    const auto known = static_cast<uint32_t>(terms_.size());
    std::vector<uint32_t> usable;
    for (uint32_t t = 0; t < known; ++t)
      if (terms_[t].first == t && terms_[t].operators.size() < size) usable.push_back(t);
    const bool keep = size < static_cast<size_t>(operators);
    for (uint32_t op = 0; op < operators_.size(); ++op)
      for (uint32_t a : usable) {
        if (const StopReason stop = watch.check(terms_.size()); stop != StopReason::kRunning) return stop;
        if (operators_[op].arity == 1) {
          combine(op, a, kNone, size, keep);
        } else {
          for (uint32_t b : usable)
            if (terms_[a].operators.size() + 1 <= size && terms_[b].operators.size() + 1 <= size)
              combine(op, a, b, size, keep);
        }
      }
  }
  return StopReason::kSaturated;
}

std::string TermEnumeration::text(uint32_t term, const std::vector<uint32_t>& number) const {
  const Term& t = terms_[term];
  if (t.op == kNone) return fmt::format("?input_{}", (number.empty() ? t.a : number[t.a]) + 1);
  std::string out = fmt::format("({} {}", operators_[t.op].words, text(t.a, number));
  if (t.b != kNone) out += " " + text(t.b, number);
  return out + ")";
}

void TermEnumeration::occurrences(uint32_t term, std::vector<uint32_t>& order) const {
  const Term& t = terms_[term];
  if (t.op == kNone) {
    if (std::ranges::find(order, t.a) == order.end()) order.push_back(t.a);
    return;
  }
  occurrences(t.a, order);
  if (t.b != kNone) occurrences(t.b, order);
}

TermEnumeration::Halves TermEnumeration::halves(uint32_t term, size_t axis) const {
  const auto value = values_.find(term);
  if (value == values_.end()) return {};
  const Tensor& whole = *value->second.tensor;
  if (axis >= whole.sizes.size() || whole.sizes[axis] % 2 != 0) return {};
  Halves out;
  for (int half = 0; half < 2; ++half) {
    Tensor part;
    part.dtype = whole.dtype;
    part.sizes = whole.sizes;
    part.sizes[axis] /= 2;
    int64_t inner = 1, outer = 1;
    for (size_t d = 0; d < axis; ++d) outer *= whole.sizes[d];
    for (size_t d = axis + 1; d < whole.sizes.size(); ++d) inner *= whole.sizes[d];
    const int64_t rows = part.sizes[axis];
    for (int64_t o = 0; o < outer; ++o)
      for (int64_t r = 0; r < rows; ++r)
        for (int64_t i = 0; i < inner; ++i)
          part.numbers.push_back(whole.numbers[static_cast<size_t>(((o * 2 + half) * rows + r) * inner + i)]);
    const auto known = by_result_.find(hash(part));
    if (known == by_result_.end()) return {};
    (half == 0 ? out.first : out.second) = known->second;
  }
  return out;
}

}  // namespace isomer::rewrite
