#include "isomer/compile.h"

#include "api/session.h"
#include "recipes/compile.h"
#include "recipes/mirage_compile.h"
#include "support/store.h"
#include "support/unknown_word.h"

namespace isomer {

namespace {

CompileResult compile_by_mirage(const CompileOptions& options, const RunHooks& hooks) {
  const api::StopRelay relay(hooks.stop);
  api::HookProgress progress(hooks);
  recipes::MirageCompileOptions how;
  how.compile = options;
  how.stop = relay.token();
  Store store = Store::of_user();
  return recipes::compile_with_mugraphs(how, store, progress);
}

}  // namespace

CompileResult compile_model(const CompileOptions& options, const RunHooks& hooks) {
  if (choose<bool>("--recipe", options.recipe, {{"default", false}, {"mirage", true}}))
    return compile_by_mirage(options, hooks);
  api::HookProgress progress(hooks);
  const api::StopRelay relay(hooks.stop);
  return recipes::compile(options, relay.token(), progress);
}

}  // namespace isomer
