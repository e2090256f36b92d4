// Which elements the tests of two programs are made on. A difference that shows only where elements are
// equal, zero, beyond a threshold that the programs name, or large is missed by numbers drawn from one
// interval, so each test has a way of its own (boundary values, as in Myers, The Art of Software Testing,
// chapter 4).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "ir/graph.h"

namespace isomer::verify {

/// How the floats of a test are drawn.
enum class Floats : uint8_t {
  kSigned,      ///< uniform in [-2, 2)
  kPositive,    ///< uniform in [0.1, 2), unless they are arranged
  kCoarse,      ///< of -2, -1, -0.5, 0, 0.5, 1, 2, unless they are arranged: ties and zeros
  kThresholds,  ///< at and around the numbers that the programs name, else signed
  kLarge,       ///< of all magnitudes from 1e-6 to 1e6
  kSmall,       ///< uniform in [-0.002, 0.002): against an epsilon
  kSpecials,    ///< infinities and NaN among signed ones: only what has no value there is looked for
};
std::string_view name_of(Floats how);

/// How elements of a whole tensor stand to each other. What many comparisons say together (an array is in
/// order, all numbers are below a bound) is never met by elements drawn apart, and one that is left out is
/// seen only where all others hold and that one does not.
enum class Arrangement : uint8_t {
  kApart,     ///< each by itself
  kInOrder,   ///< equal steps, up or down, of either sign; in every second tensor one is out of place
  kAllAlike,  ///< one number; in every second tensor another one at the first place, the last or between
};
/// Half of the tests of ties and zeros (Floats::kCoarse) are arranged; of a quarter of those of positive
/// numbers the elements are alike.
Arrangement arrangement_of(Floats how, uint64_t seed);

/// How integers that are no known indices are drawn.
enum class Integers : uint8_t {
  kRange,            ///< uniform in the range that the test has
  kExtremes,         ///< of the whole element type: anywhere, at its ends, at and around powers of two; one
                     ///< of them in all elements of every third leaf, and of every second one of bools
  kNonzero,          ///< as kRange, with 1 for 0
  kNonzeroExtremes,  ///< as kExtremes, with 1 for 0
  kHighest,          ///< the largest of the element type everywhere: what sums wrap at first
  kLowest,           ///< the smallest
  kStray,            ///< as kRange, but one of six is out of it: indices too. By a little, or by what a
                     ///< narrower type does not see
};

/// The ways of the test of that number; the first ones are the most telling.
Floats floats_of(int test);
Integers integers_of(int test);
/// A test of each kind of elements comes first; then the two at which integers are the largest of their
/// types, and the smallest, which follow where that many are asked for and integers are inputs.
constexpr int kFirstOfEnds = 7, kTestsOfEnds = 2;

/// Numbers that the programs compare or combine with: float attributes and small constants, without 0, at
/// most 32.
std::vector<double> thresholds_of(const ir::Graph& a, const ir::Graph& b);

/// Half-open range of the integers of one leaf (random_leaves.h).
struct LeafRange {
  uint64_t leaf;
  int64_t low, high;
  bool optional = false;  ///< kExtremes, kHighest and kLowest need not keep to it
};
/// What inputs that are indices may hold: [-n, n) for n rows where `a` counts negative ones from the end.
std::vector<LeafRange> index_ranges(const ir::Graph& a);
/// Which indices of `a` choose slices without elements: nothing is read, so that none is seen to be out of
/// bounds. Those into a dimension without elements all are, constants may be; so are places in what has none.
struct UnreadIndices {
  bool some = false, out_of_bounds = false;
};
UnreadIndices unread_indices(const ir::Graph& a);

}  // namespace isomer::verify
