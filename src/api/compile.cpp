#include "isomer/compile.h"

#include <limits>

#include "api/session.h"
#include "recipes/check_options.h"
#include "recipes/compile.h"
#include "recipes/mirage_compile.h"
#include "support/store.h"
#include "support/unknown_word.h"

namespace isomer {

namespace {

CompileResult compile_by_mirage(const CompileOptions& options, const RunHooks& hooks) {
  const api::StopRelay relay(hooks.stop);
  recipes::MirageCompileOptions how;
  how.compile = options;
  how.stop = relay.token();
  if (hooks.progress)
    how.progress = [&](double fraction, const std::string& what) {
      constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
      hooks.progress("muGraphs", fraction, kUnknown, kUnknown, what);
    };
  Store store = Store::of_user();
  return recipes::compile_with_mugraphs(how, store);
}

}  // namespace

CompileResult compile_model(const CompileOptions& options, const RunHooks& hooks) {
  recipes::check_options(options);
  if (choose<bool>("--recipe", options.recipe, {{"default", false}, {"mirage", true}}))
    return compile_by_mirage(options, hooks);
  api::HookProgress progress(hooks);
  const api::StopRelay relay(hooks.stop);
  const api::StopRelay abandon(hooks.abandon);
  return recipes::compile(options, {relay.token(), abandon.token()}, progress);
}

}  // namespace isomer
