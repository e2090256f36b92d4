// Loop nests whose variables run over factors of sizes, where reads ask for them: a reshape from [h, d] to [h
// * d] walks both, and the channels of a grouped convolution are groups and channels within one. Then no
// index is divided. Elements and steps are in the order in which they were.
#pragma once

#include "ir/op.h"

namespace isomer::meaning {

/// Of a nest at numbers. A variable that scalar expressions name the place of stays whole, and so does what a
/// scan goes along; so do all where reads ask for no factors.
ir::LoopNest in_factors(ir::LoopNest nest);

}  // namespace isomer::meaning
