// Cost of programs with symbolic dimensions at given sizes. Symbols are replaced before a cost model is
// asked, so that models need not know of them: what they count, measure and compare are numbers.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "cost/cost_model.h"

namespace isomer::cost {

/// Symbol -> size.
using SymbolSizes = std::map<std::string, int64_t>;

/// Turns questions about symbolic operators into questions about operators of known size. Symbols that have
/// no size, and unknown dimensions, stay. Remembers what it turned; knows one context only.
class SizedQueries {
 public:
  explicit SizedQueries(SymbolSizes sizes);
  ~SizedQueries();
  SizedQueries(SizedQueries&&) noexcept;
  SizedQueries& operator=(SizedQueries&&) noexcept;

  const SymbolSizes& sizes() const { return sizes_; }
  /// The question that stands for `query`: itself where nothing is replaced. Good until the next call.
  NodeCostQuery sized(const NodeCostQuery& query);

 private:
  struct Memo;
  SymbolSizes sizes_;
  std::unique_ptr<Memo> memo_;
};

/// What `inner` says at these sizes.
class SizedCost final : public CostModel {
 public:
  SizedCost(std::unique_ptr<CostModel> inner, SymbolSizes sizes)
      : inner_(std::move(inner)), queries_(std::move(sizes)) {}
  std::string name() const override { return inner_->name(); }
  double cost(const NodeCostQuery& query) override { return inner_->cost(queries_.sized(query)); }
  bool asks_operands() const override { return inner_->asks_operands(); }
  std::unique_ptr<CostModel> fork() const override;

 private:
  std::unique_ptr<CostModel> inner_;
  SizedQueries queries_;
};

}  // namespace isomer::cost
