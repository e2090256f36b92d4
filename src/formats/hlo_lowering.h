// What hlo_graph.h is made of: the computations of a module as graphs. The walk stands in hlo_graph.cpp; each
// family of opcodes has a file of its own.
//
// An array of complex numbers is two values, its real and its imaginary parts (hlo_complex.cpp). A token is a
// truth value that nobody looks at, computed after what the token waits for (hlo_memory.cpp).
#pragma once

#include <fmt/format.h>

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/hlo_graph.h"
#include "hlo/gemm_config.h"
#include "hlo/module.h"
#include "ir/graph.h"
#include "ir/shorthand.h"
#include "support/errors.h"

namespace isomer::formats {

class HloLowering {
 public:
  /// The values of an instruction: one, or those of a tuple's arrays; of complex arrays two each.
  using Values = std::vector<ir::ValueId>;

  /// The graph is called `name`.
  HloLowering(ir::Context& ctx, const hlo::Module& module, hlo::TextId name);

  /// The entry computation, with layouts of what it takes and gives, and what may be written over what.
  ir::Graph program();
  HloValues values_of(hlo::ComputationId id);

 private:
  using ValueId = ir::ValueId;
  using Sizes = ir::Sizes;

  /// Of a lowering and those of the regions in it.
  struct Shared {
    std::map<hlo::ComputationId, ir::RegionId> regions;  ///< of computations that are regions by themselves
    size_t values = 0;                                   ///< that instructions were made of, all together
  };
  /// A graph called `name` that is to be a region of this one.
  HloLowering(const HloLowering& outer, hlo::TextId name);

  // The walk.
  /// The computation by itself: its inputs are the arrays of its parameters.
  ir::Graph graph_of(hlo::ComputationId id);
  Values computation(hlo::ComputationId id, const std::vector<Values>& arguments);
  Values instruction(const std::vector<Values>& operands);
  bool is_more_than_its_value(hlo::InstructionId id) const;
  std::optional<Values> said_or_cut(const std::vector<std::optional<Values>>& operands);
  void hold_to_shape(const Values& values) const;
  Values got(const Values& tuple) const;
  /// Of opcodes that take arrays alone.
  Values of_arrays(const std::vector<Values>& operands);
  Values results(const Values& x);
  ValueId array(const Values& x);

  // Order and memory (hlo_memory.cpp).
  /// Instructions that must have been computed before this one, whatever it takes.
  std::span<const int64_t> before(hlo::InstructionId id) const {
    return m_.list(id, hlo::AttributeName::kControlPredecessors);
  }
  ValueId after(ValueId x, const Values& waits);
  Values all_after(Values values, const Values& waits);
  Values ordered(std::vector<Values> operands, const Values& waits);
  ValueId token(const std::vector<Values>& operands);
  std::span<const int64_t> of_module(hlo::AttributeName name) const;
  hlo::ShapeId entry_shape(size_t which, hlo::ShapeId own) const;
  std::vector<int> layout_of(hlo::ShapeId array) const;
  ir::TypeId input_type(hlo::ShapeId leaf) const;
  Values laid_out(Values values, hlo::ShapeId shape);
  std::pair<hlo::ShapeId, uint32_t> part_at(hlo::ShapeId shape, std::span<const int64_t> index) const;
  void donate();

  /// While it lives this instruction is the one that is being read; then the one before is again.
  class Reading {
   public:
    Reading(HloLowering& lowering, hlo::InstructionId id)
        : at_(lowering.at_), before_(std::exchange(lowering.at_, id)) {}
    ~Reading() { at_ = before_; }
    Reading(const Reading&) = delete;
    Reading& operator=(const Reading&) = delete;

   private:
    hlo::InstructionId& at_;
    hlo::InstructionId before_;
  };

  // What an instruction says. `at_` is the one that is being read.
  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    throw InputError(m_.position(at_), fmt::format(format, std::forward<Args>(args)...));
  }
  /// Of complex numbers that of a part.
  ir::DType dtype(hlo::Primitive element) const;
  hlo::Primitive element(hlo::ShapeId shape) const { return m_.shapes[shape].element; }
  hlo::Primitive element_of(size_t operand) const { return element(operand_shape(operand)); }
  /// Of an array of known sizes.
  Sizes sizes(hlo::ShapeId shape) const;
  hlo::ShapeId operand_shape(size_t i) const { return m_.shape(m_.operands(at_)[i]); }
  int64_t number(hlo::AttributeName name) const { return m_.number(at_, name); }
  std::vector<int64_t> list(hlo::AttributeName name) const;
  hlo::ComputationId called(hlo::AttributeName name) const;

  // Values that several families make.
  ir::TypeId array_type(hlo::ShapeId shape) const;
  /// The shapes of a shape's arrays and tokens.
  void leaves(hlo::ShapeId shape, std::vector<hlo::ShapeId>& out) const;
  /// How many values stand for one of these.
  size_t values_for(hlo::ShapeId leaf) const { return is_complex(leaf) ? 2 : 1; }
  size_t values_in(hlo::ShapeId shape) const;
  bool is_complex(hlo::ShapeId shape) const {
    return m_.shapes[shape].kind == hlo::ShapeKind::kArray && hlo::is_complex(element(shape));
  }
  std::vector<ir::TypeId> types_in(hlo::ShapeId shape) const;
  void inputs(hlo::ShapeId shape, const std::string& name, Values& out);
  Values inputs_of(hlo::ComputationId id, std::vector<Values>& arguments);
  ValueId cast(ValueId x, ir::DType to) { return b_.add("cast", {x}, {{"to", static_cast<int64_t>(to)}}); }
  ValueId integers(ir::DType type, const Sizes& sizes, const std::vector<int64_t>& values);
  /// Each element is its place along `axis`.
  ValueId counted(ir::DType type, const Sizes& sizes, size_t axis);
  /// All of a tuple, or the one value.
  Values parts(ValueId result, size_t count);
  std::vector<double> numbers(const hlo::Literal& literal, hlo::Primitive type) const;
  /// Whether operand `i` is a constant that is this number everywhere, sign and all.
  bool is_constant(size_t operand, double value) const;

  // Element by element (hlo_elements.cpp).
  ValueId elementwise(const Values& x);
  ValueId mapped(const Values& x);
  ValueId compare(const Values& operands);
  ValueId total_order(const Values& x, hlo::Direction direction);
  ValueId shift(const Values& x);
  ValueId converted(ValueId x, ir::DType to);
  ValueId same_bits(ValueId x);
  ValueId reduced_precision(ValueId x);
  Values threefry(const Values& x);
  bool is_threefry(const Values& x) const;
  Values random_bits(ValueId state);
  /// Two arrays of words of 32 bits of a counter from that word of 64 bits on; four of one of two words.
  Values threefry_words(ValueId key, ValueId counter, int64_t count);
  Values philox_words(ValueId key, const Values& counter, int64_t count);
  ValueId logical_shift(ValueId x, const char* direction, int64_t by);
  /// Words of 64 bits of those of 32: the lower first.
  ValueId joined_words(ValueId low, ValueId high);

  // Complex numbers (hlo_complex.cpp).
  using Complex = std::pair<ValueId, ValueId>;  ///< real and imaginary parts
  bool has_complex() const;
  Values complex(const std::vector<Values>& x);
  Complex function_of(const std::vector<Complex>& x);
  std::optional<Values> moved_parts(const std::vector<Values>& x);
  Values fourier(const Values& x);

  // Movement and constants (hlo_movement.cpp).
  ValueId movement(const Values& x);
  ValueId broadcast(ValueId x, const Sizes& out);
  ValueId ranges(ValueId x, const std::vector<int64_t>& starts, const std::vector<int64_t>& ends,
                 const std::vector<int64_t>& steps);
  ValueId slice(ValueId x);
  ValueId reversed(ValueId x, const std::vector<int64_t>& dims);
  ValueId starts(std::span<const ValueId> x);
  ValueId pad(const Values& operands, const Sizes& out);
  ValueId iota(const Sizes& out);
  ValueId constant(const hlo::Literal& literal, const Sizes& out);

  // Products (hlo_products.cpp).
  ValueId matrices(ValueId x, const Sizes& in, const std::vector<int64_t>& batch,
                   const std::vector<int64_t>& first, const std::vector<int64_t>& second);
  Values widened(const Values& x);
  ValueId dot(const Values& x, const Sizes& out);
  ValueId product(ValueId left, ValueId right, const hlo::DotDims& dims, const Sizes& out);
  hlo::DotDims gemm_dims(const hlo::GemmConfig& config, const Values& x) const;
  ValueId gemm(const hlo::GemmConfig& config, const Values& x);
  ValueId convolution(const Values& x);
  ValueId grouped_batch(ValueId image, int64_t groups);
  ValueId spread_image(ValueId image, const std::vector<int64_t>& low, const std::vector<int64_t>& high,
                       const std::vector<int64_t>& gaps);

  // Matrices row by row (hlo_linear_algebra.cpp).
  ValueId cholesky(ValueId a);
  ValueId triangular_solve(ValueId a, ValueId b);
  ValueId block(ValueId x, std::pair<int64_t, int64_t> rows, std::pair<int64_t, int64_t> columns);
  ValueId turned(ValueId x);
  int64_t rows_of_square(size_t operand) const;

  // Reductions, of axes and of windows (hlo_reductions.cpp).
  Values reduce(const Values& x);
  ValueId reduce_plainly(hlo::Opcode by, const Values& x, const std::vector<int64_t>& axes);
  ValueId combined(std::string_view op, double neutral, ValueId reached, ValueId initial);
  Values reduce_window(const Values& x);
  ValueId running_sum(const Values& x, const std::vector<hlo::WindowDim>& window);
  ValueId pooled_maximum(const Values& x, const std::vector<hlo::WindowDim>& window);
  ValueId select_and_scatter(const Values& x);
  ir::RegionId first_selected(ir::DType type);
  std::vector<hlo::WindowDim> window(size_t rank) const;

  // Places that are data (hlo_indexed.cpp).
  ValueId gather(const Values& x);
  ValueId scatter(const Values& x);
  ValueId index_numbers(ValueId indices);
  ValueId clamped(ValueId numbers, const std::vector<int64_t>& most);
  ValueId part(ValueId x, int64_t axis, int64_t from, int64_t to);
  ValueId column(ValueId numbers, size_t which);
  ValueId all_equal(ValueId a, ValueId b);
  ValueId with_batches(ValueId numbers, const std::vector<int64_t>& batching);
  ValueId tuples(ValueId numbers, const std::vector<int64_t>& starts, const std::vector<int64_t>& told,
                 const Sizes& window);
  ValueId scattered(ValueId x, ValueId tuples, ValueId valid, ValueId updates, const std::string& reduction);
  std::string scatter_reduction(hlo::ComputationId id, hlo::Primitive type) const;

  // Computations that are run (hlo_control.cpp).
  ir::RegionId region(hlo::ComputationId id);
  ir::RegionId add_region(ir::Graph graph);
  Values repeat(const Values& state);
  Values conditional(const std::vector<Values>& operands);
  Values branch(const std::vector<hlo::ComputationId>& branches, size_t first, ValueId index,
                const std::vector<Values>& operands);
  Values sort(const Values& x, ir::RegionId comparator);
  Values sort_of_complex(const std::vector<Values>& x);
  Values top_k(ValueId x);

  const hlo::Module& m_;
  ir::Context& ctx_;
  ir::Builder b_;
  std::shared_ptr<Shared> shared_;
  hlo::InstructionId at_;  ///< that is being read (Reading), for messages and attributes
  bool lays_out_ = false;  ///< copies, inputs and outputs: of the entry alone
};

/// The dimensions of an array of this rank that are not in the list.
std::vector<int64_t> other_dims(size_t rank, const std::vector<int64_t>& dims);
/// One after the other.
std::vector<int64_t> joined(std::vector<int64_t> a, const std::vector<int64_t>& b);
/// The permutation that undoes this one.
std::vector<int64_t> inverse(const std::vector<int64_t>& order);
/// Of an array's sizes those of some dimensions.
ir::Sizes picked(const ir::Sizes& sizes, const std::vector<int64_t>& dims);

}  // namespace isomer::formats
