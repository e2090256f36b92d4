#include "isomer/compile.h"

#include "api/session.h"
#include "recipes/compile.h"
#include "recipes/mirage_compile.h"
#include "support/store.h"
#include "support/unknown_word.h"

namespace isomer {

namespace {

CompileResult compile_by_mirage(const CompileOptions& options, const recipes::CompileStops& stops,
                                ProgressSink& progress) {
  recipes::MirageCompileOptions how;
  how.compile = options;
  how.stops = stops;
  Store store = Store::of_user();
  return recipes::compile_with_mugraphs(how, store, progress);
}

}  // namespace

CompileResult compile_model(const CompileOptions& options, const RunHooks& hooks) {
  const bool by_mirage = choose<bool>("--recipe", options.recipe, {{"default", false}, {"mirage", true}});
  api::HookProgress progress(hooks);
  const api::StopRelay relay(hooks.stop);
  const api::StopRelay abandon(hooks.abandon);
  const recipes::CompileStops stops{relay.token(), abandon.token()};
  return by_mirage ? compile_by_mirage(options, stops, progress) : recipes::compile(options, stops, progress);
}

}  // namespace isomer
