// Costs from a file: measured elsewhere, or made up for a test. A JSON object that maps signatures or
// operator names to milliseconds, for example
//
//   {"matmul": 0.5, "relu(f32[2,3])": 0.01, "*": 0.1}
//
// The full signature goes before the name, the name before "*"; leaves and tuples that have no entry cost 0.
#pragma once

#include <string>
#include <unordered_map>

#include "cost/cost_model.h"

namespace isomer::cost {

/// "conv{strides=[1,1],...}(f32[1,3,8,8], f32[4,3,3,3])": attributes that are present, operand types.
std::string signature(const ir::OpInstance& op);

class TableCost final : public CostModel {
 public:
  explicit TableCost(std::unordered_map<std::string, double> entries, std::string source = "table");
  /// Throws InputError that names the file and what was expected.
  static TableCost read(const std::string& path);

  std::string name() const override { return source_; }
  /// Throws InputError when nothing covers the operator.
  double cost(const NodeCostQuery& query) override;
  bool asks_operands() const override { return false; }
  std::unique_ptr<CostModel> fork() const override { return std::make_unique<TableCost>(*this); }

 private:
  std::unordered_map<std::string, double> entries_;
  std::string source_;
};

}  // namespace isomer::cost
