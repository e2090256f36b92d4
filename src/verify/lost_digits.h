// Whether rounding explains a difference of two programs that are equal over the field.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "ir/graph.h"
#include "verify/program_outputs.h"

namespace isomer::verify {

/// What both sides, as of meaning::flatten, make of the elements of one draw after the other.
class LostDigits {
 public:
  LostDigits(const ir::Graph& a, const ir::Graph& b, const OutputRequest& request)
      : a_(a), b_(b), request_(request) {}

  void forget() {
    single_gap_.clear();
    own_gaps_.clear();
    roundings_.clear();
  }
  /// Whether they are why an element is x on the first side and y on the second: in single precision the
  /// difference is much larger, or nothing is left of the number; or the first side, if it has no jumps,
  /// itself moves so far when its inputs and constants move by their last digit (what divides by nearly
  /// nothing); or it is in the largest inputs' last digits.
  bool explain(const Draw& draw, size_t output, size_t element, double x, double y, bool jumps);
  /// The same of results that were rounded, of any two programs: the difference is within what rounding makes
  /// of this element on the first side, which of a sum that cancels is all there is. Of whole results.
  bool rounds(const Draw& draw, size_t output, size_t element, double x, double y);

 private:
  /// The largest difference of an output in single precision, worked out once for a draw; 0 where there is no
  /// value.
  double single_gap(const Draw& draw, size_t output);
  /// How far an element of the first side moves when its inputs and constants do by a unit in the last place.
  double own_gap(const Draw& draw, size_t output, size_t element);
  /// How far rounding at random moves each element of each output of the first side.
  const std::vector<std::vector<double>>& rounding(const Draw& draw);
  /// Elements of an output of one side; none where they cannot be evaluated.
  template <class D>
  std::vector<double> numbers_of(D domain, const ir::Graph& side, const Draw& draw, size_t output) const;

  const ir::Graph &a_, &b_;
  const OutputRequest& request_;
  std::map<std::pair<uint64_t, size_t>, double> single_gap_;             ///< by seed of the draw and output
  std::map<std::pair<uint64_t, size_t>, std::vector<double>> own_gaps_;  ///< the same, by element
  std::map<uint64_t, std::vector<std::vector<double>>> roundings_;       ///< by seed of the draw
};

}  // namespace isomer::verify
