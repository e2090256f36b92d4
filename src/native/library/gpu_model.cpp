// The functions of a model compiled for a graphics processor (include/isomer/model.h), linked into each
// beside the runtime; what is its own are the tables and the description, which native/gpu_object.cpp writes.
#include "isomer/model.h"
#include "native/runtime/gpu.h"

struct IsomerRun;  // one of the other kind, by the name that users see

extern "C" {
extern const IsomerGpuTables
    isomer_gpu_tables;                   // NOLINT(readability-identifier-naming): LLVM's text names it
extern const char isomer_description[];  // NOLINT(readability-identifier-naming)

#define ISOMER_EXPORTED __attribute__((visibility("default")))

namespace {
IsomerGpuRun* of(isomer_model* model) { return reinterpret_cast<IsomerGpuRun*>(model); }
}  // namespace

ISOMER_EXPORTED const char* isomer_model_description(void) { return isomer_description; }
ISOMER_EXPORTED const char* isomer_model_error(void) { return isomer_gpu_error(); }
ISOMER_EXPORTED isomer_model* isomer_model_new(int) {
  return reinterpret_cast<isomer_model*>(isomer_gpu_new(&isomer_gpu_tables));
}
ISOMER_EXPORTED void isomer_model_run(isomer_model* model, const void* const* inputs, void* const* outputs) {
  isomer_gpu_call(of(model), inputs, outputs);
}
ISOMER_EXPORTED void isomer_model_enqueue(isomer_model* model, const void* const* inputs,
                                          void* const* outputs, void* stream) {
  isomer_gpu_enqueue(of(model), inputs, outputs, stream);
}
ISOMER_EXPORTED void isomer_model_time(isomer_model* model, double* seconds, int count) {
  isomer_gpu_time(of(model), seconds, count);
}
ISOMER_EXPORTED void isomer_model_delete(isomer_model* model) { isomer_gpu_delete(of(model)); }
}
