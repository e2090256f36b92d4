// What a nest combines that reads no elements (how many taps of a window lie within the image) is worked out
// once, in a buffer of its own.
#pragma once

#include "codegen/loop_program.h"

namespace isomer::codegen {

LoopProgram counts_apart(LoopProgram program);

}  // namespace isomer::codegen
