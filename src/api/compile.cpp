#include "isomer/compile.h"

#include "recipes/compile.h"

namespace isomer {

CompileResult compile_model(const CompileOptions& options) { return recipes::compile(options); }

}  // namespace isomer
