// Where images stay as they are, channel by channel, instead of in blocks of channels (blocks.h): a
// convolution of one point multiplies along the points of an image as well as along its channels (it is a
// product of matrices), so that where no other convolution is, blocks only cost their making.
#pragma once

#include "codegen/loop_program.h"
#include "codegen/target.h"

namespace isomer::codegen {

/// Whether all convolutions with weights are of one point, and what vectors along the points leave unused is
/// less than turning the images would be.
bool images_stay_plain(const LoopProgram& program, const ScheduleOptions& options);

}  // namespace isomer::codegen
