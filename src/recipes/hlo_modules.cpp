#include "recipes/hlo_modules.h"

#include "support/errors.h"
#include "support/installed.h"

namespace isomer::recipes {

std::vector<std::string> hlo_modules_of_isomer() {
  const auto found = find_installed({"ISOMER_HLO_MODULES", "share/isomer/hlo_modules", "tests/hlo/corpus"});
  if (!found)
    throw MissingRuntimeError(
        "the HLO modules are not where they were installed; name their folder in ISOMER_HLO_MODULES");
  return {*found + "/hloenv", *found + "/jax"};
}

}  // namespace isomer::recipes
