// The two sides of a rule, run on the same numbers: where they part, and which one is right.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "eval/tensor.h"
#include "ir/graph.h"

namespace isomer::rewrite {

/// At one instance.
struct Sides {
  ir::Graph left, right;
  bool of_functions;  ///< some operator computes a function of several steps
};

/// Of one draw, or of several ways to run it.
struct SidesSeen {
  void join(const SidesSeen& other) {
    ratio = std::max(ratio, other.ratio);
    overflows |= other.overflows;
    vanishes |= other.vanishes;
    apart |= other.apart;
    signs |= other.signs;
    lost |= other.lost;
    jumps |= other.jumps;
    identical &= other.identical;
    compared |= other.compared;
    far |= other.far;
    differs |= other.differs;
  }

  double ratio = 0;        ///< right error over left error
  bool overflows = false;  ///< the left side is finite, the right side is not
  bool vanishes = false;   ///< the left side is not zero, the right side is
  bool apart = false;      ///< not the same infinities and NaN, or not the same integers
  bool signs = false;      ///< zeros of different signs
  bool lost = false;       ///< an element is nothing like what it is, and the left side has it right
  bool jumps = false;      ///< the same where it is 0
  bool identical = true;
  bool compared = false;
  bool far = false;      ///< some element is, by more than rounding to 16 bits can explain
  bool differs = false;  ///< so is one over the reals, as far as double precision and chance tell
};

/// What numbers tell of sides that are said to be equal over the reals.
enum class Tells : uint8_t {
  kNothing,
  kEach,        ///< elements are close, each against its own size
  kEachAndAll,  ///< and against the largest
};
/// What is seen on these inputs; of functions of several steps, step by step or as one. Throws as
/// eval::evaluate does.
SidesSeen seen_on(const Sides& sides, std::span<const eval::Value<double>> inputs, Tells tells);

}  // namespace isomer::rewrite
