// Small models that show what one operator costs: n copies of it on the same activations, each with weights
// of its own, so that two such models of unequal size differ by operators and nothing else: neither
// entry nor exit, nor the conversions into and out of a runtime's own layouts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cost/cost_model.h"
#include "formats/onnx.h"

namespace isomer::runtime {

/// How equal copies in a model are kept from being computed once. kWeights: weights are inputs, too, of which
/// the worker makes constants.
enum class Apart : uint8_t { kNo, kInputs, kWeights };

/// A query that owns what it refers to, every dimension a number (cost/nominal.h).
class MeasuredOperator {
 public:
  explicit MeasuredOperator(const cost::NodeCostQuery& query);

  /// Operator, attributes, operand types as they are before broadcasts, and which are weights ("!") or sums
  /// that are computed with the operator ("+"): "matmul(f32[64,1024], f32[1024,1024]!)".
  std::string signature() const;
  /// False for what cannot stand alone: opaque operators, those with regions, and those with
  /// operands or results that are no tensors of known size; what the dialect cannot say, or sizes that do
  /// not fit together.
  bool can_be_measured(const formats::Dialect& dialect) const;

  /// Of one copy's weights.
  uint64_t weight_bytes() const;
  /// What a runtime holds of the weights of one copy: those that operators spread are there as a whole, but
  /// for what is elementwise.
  uint64_t held_weight_bytes() const;

  struct Weight {
    std::string name;
    ir::DType dtype = ir::DType::kF32;
    std::vector<int64_t> shape;
  };
  struct Model {
    std::string onnx;             ///< a ModelProto; its activations are inputs
    std::vector<Weight> weights;  ///< initializers without contents
  };
  /// Copies side by side; from the one with number `distinct` on they use the weights of the first ones
  /// again. REQUIREs can_be_measured. `apart`: for a runtime that would merge equal copies. Each copy has
  /// inputs of its own then ("x0.1" is the first of copy 1); those with windows and weights share theirs and
  /// have weights of their own, all of them.
  Model model(int copies, int distinct, const formats::Dialect& dialect, Apart apart = Apart::kNo) const;

 private:
  ir::TypeId narrow(size_t operand) const;
  uint64_t weight_bytes(bool spread) const;
  /// Nothing where its sizes do not fit together.
  std::optional<ir::Graph> graph(int copies, int distinct, Apart apart, std::vector<Weight>& weights) const;

  ir::Context& ctx_;
  const ir::OpDef& op_;
  std::vector<ir::AttrId> attrs_;
  std::vector<ir::TypeId> inputs_;
  std::vector<cost::OperandFacts> operands_;
  ir::TypeId output_;
  bool with_sum_ = false;  ///< cost::takes_sum
};

}  // namespace isomer::runtime
