// Procedural meanings over a value domain: the tensors that a procedure works on, and the regions it applies.
#pragma once

#include <algorithm>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "eval/evaluation_cut.h"
#include "eval/scalar_run.h"
#include "eval/tensor.h"
#include "ir/graph.h"
#include "ir/op.h"
#include "meaning/nest.h"
#include "support/deadline.h"
#include "support/errors.h"

namespace isomer::eval {

/// `run(region, operands)` gives the region's outputs.
template <class D, class Run>
class ProcedureWorkspace final : public ir::Workspace {
 public:
  using Number = typename D::Number;

  ProcedureWorkspace(D& domain, const ir::Context& ctx, std::span<const Value<Number>> operands,
                     const Deadline& until, Run run)
      : domain_(domain), ctx_(ctx), until_(until), run_(std::move(run)) {
    for (const Value<Number>& value : operands) {
      REQUIRE(value.tensor != nullptr, "an operand without a value");
      add(value);
    }
  }

  bool less(Handle x, int64_t i, int64_t j) const override {
    const Tensor<Number>& t = *values_.at(x).tensor;
    const auto a = static_cast<size_t>(i), b = static_cast<size_t>(j);
    if (t.numbers.empty() && t.dtype == ir::DType::kU64)
      return static_cast<uint64_t>(known(domain_, t.integers[a])) <
             static_cast<uint64_t>(known(domain_, t.integers[b]));
    if (t.numbers.empty()) return known(domain_, t.integers[a]) < known(domain_, t.integers[b]);
    if (domain_.is_nan(t.numbers[a])) return false;
    return domain_.is_nan(t.numbers[b]) || domain_.less(t.numbers[a], t.numbers[b]);
  }
  int64_t integer(Handle x, int64_t at) const override {
    return known(domain_, values_.at(x).tensor->integers[static_cast<size_t>(at)]);
  }
  Handle picked(Handle from, std::span<const int64_t> places, ir::TypeId type) override {
    const Tensor<Number>& t = *values_.at(from).tensor;
    Tensor<Number> out{t.dtype, sizes_of(type, places.size()), {}, {}};
    if (meaning::sort_of(t.dtype) == meaning::Sort::kInteger) {
      for (int64_t at : places) out.integers.push_back(t.integers[static_cast<size_t>(at)]);
    } else {
      for (int64_t at : places) out.numbers.push_back(t.numbers[static_cast<size_t>(at)]);
    }
    return add(make_value(std::move(out)));
  }
  Handle integers(std::vector<int64_t> elements, ir::TypeId type) override {
    Tensor<Number> out{ctx_.get(type).dtype, sizes_of(type, elements.size()), {}, {}};
    out.integers = std::move(elements);
    return add(make_value(std::move(out)));
  }
  std::vector<Handle> apply(ir::RegionId region, std::span<const Handle> operands) override {
    std::vector<Value<Number>> in;
    for (Handle h : operands) in.push_back(values_.at(h));
    std::vector<Handle> out;
    for (Value<Number>& value : run_(ctx_.get(region), in)) out.push_back(add(std::move(value)));
    return out;
  }
  void keep_only(std::span<const Handle> values) override {
    const std::unordered_set<Handle> kept(values.begin(), values.end());
    std::erase_if(values_, [&](const auto& entry) { return !kept.contains(entry.first); });
  }
  void check_time() const override {
    if (until_.passed()) throw EvaluationCut();
  }

  Value<Number> result(Handle h) const { return values_.at(h); }

 private:
  /// Of a tensor of so many elements; one dimension may be known by that alone.
  std::vector<int64_t> sizes_of(ir::TypeId type, size_t count) const {
    std::vector<int64_t> sizes;
    int64_t others = 1;
    for (ir::Dim d : ctx_.get(type).shape) {
      sizes.push_back(d.is_static() ? d.size() : -1);
      if (d.is_static()) others *= d.size();
    }
    for (int64_t& size : sizes)
      if (size < 0) size = others == 0 ? 0 : static_cast<int64_t>(count) / others;
    return sizes;
  }
  Handle add(Value<Number> value) {
    values_.emplace(next_, std::move(value));
    return next_++;
  }

  D& domain_;
  const ir::Context& ctx_;
  const Deadline& until_;
  Run run_;
  std::unordered_map<Handle, Value<Number>> values_;
  Handle next_ = 0;
};

/// The tensors that the operator gives.
template <class D, class Run>
std::vector<Value<typename D::Number>> run_procedure(D& domain, const ir::OpInstance& op,
                                                     std::span<const Value<typename D::Number>> operands,
                                                     const Deadline& until, Run run) {
  ProcedureWorkspace<D, Run> workspace(domain, op.ctx, operands, until, std::move(run));
  std::vector<ir::Workspace::Handle> handles(operands.size());
  for (size_t i = 0; i < handles.size(); ++i) handles[i] = i;
  std::vector<Value<typename D::Number>> out;
  for (ir::Workspace::Handle h : op.op.procedure(workspace, op, handles)) out.push_back(workspace.result(h));
  return out;
}

}  // namespace isomer::eval
