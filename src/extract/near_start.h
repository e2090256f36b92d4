// A first selection of a part of a problem, made of one of the whole: what that picks stays where it can.
#pragma once

#include <cstdint>

#include "extract/blocks.h"
#include "extract/reduce.h"

namespace isomer::extract {

/// Of `reduced`, which `part` of `problem` was reduced to: by costs at which the picks of `whole` are all but
/// free, then by local search of so much work.
Selection near_start(const Problem& problem, const Selection& whole, const Block& part,
                     const Reduced& reduced, uint64_t work);

}  // namespace isomer::extract
