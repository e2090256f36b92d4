// Loop programs as LLVM IR, in its textual form (LLVM: Lattner, Adve, CGO 2004). Vector loops become explicit
// vectors, unrolled loops are written out, private buffers are stack slots, which LLVM's SROA makes
// registers; so that no loop pass of LLVM is needed, and text is all that the library which holds LLVM is
// given.
#pragma once

#include <string>

#include "codegen/loop_program.h"

namespace isomer::codegen {

/// A function of that name: void (ptr buffers), an array with the address of each buffer of the program but
/// private ones, in order; bools are bytes, 0 or 1. Parallel loops run one iteration after the other. Numbers
/// are computed in double precision where a statement touches f64, else in single precision; a product that
/// is added may be fused with the sum. Throws InputError for element types and functions that it does not
/// know.
std::string llvm_text(const LoopProgram& program, const std::string& name);

}  // namespace isomer::codegen
