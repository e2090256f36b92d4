// A model as a shared object, held to the evaluation of the model before it gets its name.
#pragma once

#include "isomer/compile.h"

namespace isomer::recipes {

/// As isomer::compile_model.
CompileResult compile(const CompileOptions& options);

}  // namespace isomer::recipes
