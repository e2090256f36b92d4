// What operators cost on the runtime that will run them, measured one by one and kept between runs.
#pragma once

#include <memory>
#include <string>

#include "cost/cost_model.h"
#include "cost/roofline.h"
#include "cost/sized.h"
#include "formats/onnx.h"
#include "runtime/onnxruntime.h"
#include "support/store.h"

namespace isomer::runtime {

/// What an operator that is measured computes with at one time at most, in bytes (kernels_of.h). Measuring it
/// takes up to three times that.
inline constexpr double kMostComputedBytes = 96 << 20;

struct MeasuredOptions {
  int threads = 1;       ///< one: CPU time; more: wall time
  int64_t opset = 17;    ///< in which operators are written
  bool contrib = false;  ///< and the runtime's own
  formats::Dialect dialect() const { return {opset, contrib}; }
  double seconds = 0.03;  ///< of timing an operator; long ones take five runs in any case
  /// Of the whole program: weights are read as cold as they are in it, from the cache that they fit into.
  uint64_t weight_bytes = 0;
  cost::SymbolSizes sizes = {};  ///< at which operators with symbolic dimensions are measured
  Store* store = nullptr;        ///< where costs are kept between runs; nothing is kept without one
};

struct MeasuredCount {
  size_t known = 0;     ///< signatures with a cost: from the store, or measured
  size_t measured = 0;  ///< of these measured by this object
  size_t refused = 0;   ///< that the runtime would not run by themselves
  size_t shared = 0;    ///< that are not measured, since every program has them
  size_t large = 0;     ///< that are not measured, since one of them would hold too much
};

/// Milliseconds. An operator that was not measured yet costs a lower bound of what it may (a roofline with
/// caches), so that whoever minimises either avoids it for good reasons, or picks it, asks for it, and
/// measures it: extract, want what was picked, measure, and again until nothing is missing. What cannot be
/// measured alone costs what the roofline says. Operators that the runtime computes within their producer
/// cost next to nothing (cost/runtime_fusion.h), as do leaves, tuples and broadcasts. What would hold more
/// than kMostComputedBytes costs what others of its kind make likely, from the beginning; where none of them
/// is measured, what the roofline says.
class MeasuredCost final : public cost::CostModel {
 public:
  /// `profile` calibrated on the same runtime and threads. The runtime and the store must outlive this.
  MeasuredCost(OnnxRuntime& runtime, cost::DeviceProfile profile, const MeasuredOptions& options = {});
  ~MeasuredCost() override;

  std::string name() const override;  ///< of the runtime
  double cost(const cost::NodeCostQuery& query) override;
  /// Knows what is known now, and measures nothing.
  std::unique_ptr<cost::CostModel> fork() const override;

  /// Remembers an operator for the next measure(), unless its cost is known.
  void want(const cost::NodeCostQuery& query);
  size_t wanted() const;
  /// Whether every program has the operator (`out`), or it is a choice. What every program has is not
  /// measured, since its cost decides nothing: what is not known of it costs what others of its kind make
  /// likely.
  void leave_out(const cost::NodeCostQuery& query, bool out);
  /// Measures what is wanted, a batch after the other, for at most `seconds`; what is measured is in the
  /// store at once. The number of operators that were settled: with a cost, or refused by the runtime.
  size_t measure(double seconds, const Wait& wait = {});
  /// What operators of the program cost that are a choice: all but those that were left out.
  double open_cost(const ir::Graph& program);
  /// No operator of the program costs what was not measured, but for those that were left out.
  bool knows(const ir::Graph& program);
  /// No operator that was said to be a choice costs a guess: costs are lower bounds where they are not known,
  /// and nothing is too large, or refused by the runtime.
  bool bounds_choices() const;
  /// From now on what is unknown costs a guess instead of a lower bound: the bound times the usual ratio of
  /// measured costs to bounds of that operator, or of all.
  void guess_the_rest();

  MeasuredCount count() const;

 private:
  struct Table;
  explicit MeasuredCost(std::unique_ptr<Table> table);
  std::unique_ptr<Table> table_;
  cost::SizedQueries queries_;
};

}  // namespace isomer::runtime
