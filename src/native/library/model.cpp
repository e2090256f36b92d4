// The functions of a compiled model (include/isomer/model.h), linked into each beside the runtime; what is
// its own are the tables and the description, which native/shared_object.cpp writes.
#include "isomer/model.h"

#include "native/runtime/runtime.h"

extern "C" {
extern const IsomerTables isomer_tables;  // NOLINT(readability-identifier-naming): LLVM's text names it
extern const char isomer_description[];   // NOLINT(readability-identifier-naming)

namespace {
const char* failure = nullptr;
}  // namespace

#define ISOMER_EXPORTED __attribute__((visibility("default")))

ISOMER_EXPORTED const char* isomer_model_description(void) { return isomer_description; }
ISOMER_EXPORTED const char* isomer_model_error(void) { return failure; }
ISOMER_EXPORTED isomer_model* isomer_model_new(int threads) {
  isomer_model* out = isomer_run_new(&isomer_tables, threads);
  failure = out == nullptr ? "memory or threads are lacking" : nullptr;
  return out;
}
ISOMER_EXPORTED void isomer_model_run(isomer_model* model, const void* const* inputs, void* const* outputs) {
  failure = nullptr;
  isomer_run_call(model, inputs, outputs);
}
ISOMER_EXPORTED void isomer_model_delete(isomer_model* model) { isomer_run_delete(model); }
}
