// Which classes a class cannot do without: m is necessary for c if every finite term of c contains a term of
// m. These are dominators, generalised from flow graphs to choices over sets of children: the greatest
// solution of
//   N(c) = {c} + intersection over the nodes n of c of the union over the children m of n of N(m).
// By induction over finite terms, that solution names only classes that are truly necessary, with cycles as
// well.
#pragma once

#include <cstdint>
#include <vector>

#include "extract/choices.h"
#include "extract/problem.h"

namespace isomer::extract {

class Necessary {
 public:
  /// One bit for each pair of classes: above this many classes nothing is computed.
  static constexpr size_t kMostClasses = 24000;

  /// False if there are too many classes, or the solution is not reached in a sensible number of passes; then
  /// nothing may be asked. Every class must have a finite term.
  bool compute(const Choices& choices);

  /// Every term of c contains a term of m (true for m == c).
  bool needs(uint32_t c, uint32_t m) const { return (bits_[c * words_ + m / 64] >> (m % 64) & 1) != 0; }
  /// The bits of what all of these classes together cannot do without; `bits` has words() words.
  void of_all(std::span<const ClassId> classes, std::span<uint64_t> bits) const;
  size_t words() const { return words_; }

 private:
  size_t words_ = 0;
  std::vector<uint64_t> bits_;
};

/// By node: whether every selection picks it, as the only one of a class that the roots cannot do without.
/// None where that was not found out (Necessary::compute). Some selection must exist.
std::vector<bool> in_every_selection(const Problem& problem);

}  // namespace isomer::extract
