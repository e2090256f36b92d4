#include "isomer/compile.h"

#include "api/session.h"
#include "recipes/compile.h"

namespace isomer {

CompileResult compile_model(const CompileOptions& options, const RunHooks& hooks) {
  api::HookProgress progress(hooks);
  const api::StopRelay relay(hooks.stop);
  return recipes::compile(options, relay.token(), progress);
}

}  // namespace isomer
