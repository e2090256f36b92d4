#include "isomer/isomer.h"

#include <fmt/format.h>

#include <fstream>

#include "api/session.h"
#include "recipes/compare.h"
#include "recipes/optimize.h"
#include "report/chain_text.h"
#include "report/result_json.h"
#include "support/errors.h"

namespace isomer {

OptimizeResult optimize(const OptimizeOptions& options, const RunHooks& hooks) {
  api::HookProgress progress(hooks);
  const api::StopRelay relay(hooks.stop);
  RunRecord record;
  OptimizeResult result = recipes::optimize(options, relay.token(), progress, record);
  result.explanation = report::chain_text(record.chain);
  if (!options.record.empty()) {
    std::ofstream file(options.record, std::ios::binary | std::ios::trunc);
    file << report::to_json(result, record) << "\n";
    if (!file.flush()) throw InputError({options.record, 0, 0}, "cannot be written");
  }
  return result;
}

CompareResult compare_models(const std::string& a, const std::string& b, const std::string& inputs,
                             double tolerance, uint64_t seed) {
  return recipes::compare(a, b, inputs, tolerance, seed);
}

std::string version() { return ISOMER_VERSION; }

}  // namespace isomer
