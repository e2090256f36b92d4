// Attributes of random instances (rule_instantiate.cpp), by the roles that operators declare for them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "ir/op.h"
#include "rewrite/rule_hints.h"
#include "support/rng.h"

namespace isomer::rewrite {

/// What an instance is meant to show. Small sizes alone miss what holds for them only.
enum class Style : uint8_t {
  kSmall,    ///< 1 to 4
  kPrimes,   ///< primes, apart from each other unless the rule makes them equal
  kNumbers,  ///< at and around the numbers that the rule names, and beyond them
  kAxes,     ///< five or six dimensions, more where the rule speaks of more
  kEqual,    ///< all dimensions of one size: what moves axes is well typed whatever it does
  kLong,     ///< one dimension longer than small types count, the others 1 or 2
  kEmpty,    ///< one size of 0, or more where shapes are alike, among small ones
};
constexpr int kStyles = 7;

/// How much of its axes a slice takes.
enum class Taken : uint8_t {
  kAll,       ///< forwards or backwards, so that only the steps count
  kWithin,    ///< between two places of the axis, each counted from its start or its end
  kAnywhere,  ///< also beyond it
};

/// Element types that are drawn where nothing wants a certain one: float32, then those that rules are held to
/// beside it where they name none, then other floats.
inline constexpr ir::DType kDrawnTypes[] = {
    ir::DType::kF32, ir::DType::kBool, ir::DType::kI64, ir::DType::kI32, ir::DType::kU8,  ir::DType::kI8,
    ir::DType::kU16, ir::DType::kI16,  ir::DType::kU32, ir::DType::kU64, ir::DType::kF16, ir::DType::kF64};
inline constexpr auto kBesideFloats = std::span(kDrawnTypes).subspan<1, 9>();
inline constexpr auto kDrawnIntegers = kBesideFloats.subspan<1>();
/// Floats that a rule may ask for in the place of float32.
inline constexpr ir::DType kOtherFloats[] = {ir::DType::kF16, ir::DType::kBF16, ir::DType::kF64};
/// What is only kept and converted: few operators take it.
inline constexpr ir::DType kKeptTypes[] = {ir::DType::kI4,       ir::DType::kU4,
                                           ir::DType::kF8E4M3FN, ir::DType::kF8E4M3FNUZ,
                                           ir::DType::kF8E5M2,   ir::DType::kF8E5M2FNUZ};

constexpr uint32_t kNoNode = UINT32_MAX;
/// Of each node an operand that what uses both has before it: what it makes has often the same shape.
std::vector<uint32_t> nodes_beside(const Term& term);

/// Of operands for the dimensions from an axis of the first one on (a normalisation's scale and bias), whose
/// sizes are `first`: theirs. Nothing where the operator, or the axis, is none of that kind.
std::optional<ir::Shape> trailing_shape(ir::Context& ctx, const ir::OpDef& def,
                                        std::span<const ir::AttrId> attrs, const std::vector<int64_t>& first);

class AttributeDraws {
 public:
  /// Both must outlive it.
  AttributeDraws(const RuleHints& hints, Rng& rng) : hints_(hints), rng_(rng) {}

  ir::DType dtype = ir::DType::kF32;  ///< of most tensors
  Style style = Style::kSmall;
  size_t sliced = 1;  ///< axes of the slice that is being drawn
  Taken taken = Taken::kAnywhere;
  std::vector<int64_t> ways;  ///< forwards (1) or backwards (-1), of each of them
  int64_t group = 1;          ///< of the weights that were drawn last
  size_t length = 0;          ///< that the rule wants of the attribute that is being drawn; 0: any

  /// Some shape of what was drawn before; null where there is none.
  using Near = std::function<const ir::Shape*()>;
  /// `sizes`: of operand 0, if they are known. Nothing: absent.
  std::optional<ir::AttrValue> attribute(const ir::OpDef& def, const ir::AttrSpec& spec,
                                         const std::vector<int64_t>& sizes, const Near& near);
  /// With some of its numbers at or around those that conditions compare it with, or where they change.
  ir::AttrValue steered(ir::AttrValue value, const ir::OpDef& def, uint32_t attribute);
  /// For a class variable that fills such a role. `lost`: the rule's own did not fit.
  ir::DType element_type(uint32_t variable, ir::Elements elements, bool lost);
  ir::DType some_float();
  /// As many elements, and axes of one among its axes: a count says nothing of where they lie. Mostly what
  /// can be spread over what stands beside it.
  ir::Shape along_other_axes(ir::Shape shape, const std::vector<int64_t>& whole);
  /// Weights for an image [N, C, ...]: [M, C / group, kernel ...], or transposed [C, M / group, kernel ...].
  /// One group where the operator has no `groups`.
  ir::Shape kernel_shape(bool transposed, bool groups, const std::vector<int64_t>& image);
  /// An image for weights that are there: what an operator that takes `groups` needs of it.
  ir::Shape image_shape(bool transposed, bool groups, const std::vector<int64_t>& weights);
  /// At or beside a number that the rule names.
  int64_t near_a_size();
  /// Rules move numbers between attributes and tensors.
  double held_as_attribute(double x) const;
  /// The axes of the slice that is being drawn are these, of operand 0's.
  void slice_axes(const std::vector<int64_t>& axes, const std::vector<int64_t>& sizes);
  template <class T>
  void shuffle(std::vector<T>& list) {
    for (size_t i = list.size(); i > 1; --i) std::swap(list[i - 1], list[rng_.below(i)]);
  }

 private:
  int64_t integer(ir::AttrRole role, int64_t rank);
  double number();
  std::vector<int64_t> slice_part(ir::AttrRole role, const std::vector<int64_t>& sizes);
  std::vector<int64_t> integers(ir::AttrRole role, const std::vector<int64_t>& sizes);
  /// Two to four numbers that add up to it, mostly alike but for one or two.
  std::vector<int64_t> parts_of(int64_t size);
  ir::Shape shape(const ir::OpDef& op, const std::vector<int64_t>& sizes, const Near& near);
  ir::Shape regrouped(std::vector<int64_t> sizes);
  int64_t divisor(int64_t number);
  std::vector<int64_t> places_of(const std::vector<int64_t>& sizes);
  ir::Shape around(const std::vector<int64_t>& sizes);
  void note_sizes_along(const std::vector<int64_t>& axes, const std::vector<int64_t>& sizes);

  ir::DType some_type();

  const RuleHints& hints_;
  Rng& rng_;
  std::vector<int64_t> placed_;  // where the operand's dimensions lie in the result, if that was drawn last
  std::vector<int64_t> sliced_sizes_;  // of the axes that were drawn last
};

}  // namespace isomer::rewrite
