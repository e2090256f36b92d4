// The data of a program that its runtime reads (runtime/runtime.h), but for addresses.
#pragma once

#include <vector>

#include "codegen/parts.h"
#include "native/runtime/runtime.h"

namespace isomer::native {

/// By buffer of the program. Of constants the place only.
std::vector<IsomerBuffer> buffers_of(const codegen::LoopProgram& program, const codegen::Parts& parts);
/// The counts and sizes.
IsomerTables tables_of(const codegen::LoopProgram& program, const codegen::Parts& parts);

}  // namespace isomer::native
