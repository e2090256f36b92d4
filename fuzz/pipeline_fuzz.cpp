// Any bytes are a pipeline of passes or an InputError; what was read says what it decides, or that it decides
// nothing.
#include <cstdint>
#include <string_view>

#include "passes/pipeline.h"
#include "support/errors.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace isomer;
  try {
    passes::decided(passes::parse_pipeline({reinterpret_cast<const char*>(data), size}, "fuzz"));
  } catch (const InputError&) {
    return 0;
  } catch (const UsageError&) {
    return 0;
  }
  return 0;
}
