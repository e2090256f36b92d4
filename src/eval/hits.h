// Scatters, whose declaration asks every element of the result about every update, computed the other way
// round: where an update goes follows from the update itself. As compilers of sparse tensor algebra go
// through what is stored instead of all places (Kjolstad et al., OOPSLA 2017); ours finds the form in the
// step's scalar program, whatever operator it is of.
#pragma once

#include <cstdint>
#include <vector>

#include "meaning/nest.h"

namespace isomer::eval {

/// Where the step does anything, output variable `variable` is the integer that it computes in register
/// `place`, of which no variable of a hit decides.
struct Hit {
  size_t variable = 0;
  size_t place = 0;
};

/// Of a nest with one accumulator that changes only where all hits are met; none: of no such nest.
std::vector<Hit> hits_of(const meaning::CompiledNest& nest);

}  // namespace isomer::eval
