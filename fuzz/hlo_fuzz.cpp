// Any bytes are an HLO module or an InputError. What was read is written in both dialects and read again as
// the same module with the same hash; checking types ends in faults or in none.
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string_view>

#include "hlo/dag_hash.h"
#include "hlo/parse.h"
#include "hlo/print.h"
#include "hlo/verify.h"
#include "support/errors.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace isomer;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  hlo::Module module;
  try {
    module = hlo::parse(text, "fuzz");
  } catch (const InputError&) {
    return 0;
  }
  hlo::verify(module);
  for (const hlo::Dialect dialect : {hlo::Dialect::kShort, hlo::Dialect::kLong}) {
    const std::string written = hlo::print(module, dialect);
    const hlo::Module again = hlo::parse(written, "written");
    const std::string differs = hlo::difference(module, again);
    if (!differs.empty() || hlo::print(again, dialect) != written ||
        hlo::dag_hash(again) != hlo::dag_hash(module)) {
      std::cerr << "reading what was written gives another module: " << differs << "\n" << written;
      std::abort();
    }
  }
  return 0;
}
