#include "isomer/isomer.h"

#include <fmt/format.h>

#include <fstream>

#include "api/session.h"
#include "cost/cost_model.h"
#include "formats/atomic_file.h"
#include "recipes/compare.h"
#include "recipes/optimize.h"
#include "report/chain_text.h"
#include "report/html.h"
#include "report/result_json.h"
#include "support/errors.h"

namespace isomer {

OptimizeResult optimize(const OptimizeOptions& options, const RunHooks& hooks) {
  api::HookProgress progress(hooks);
  const api::StopRelay relay(hooks.stop);
  RunRecord record;
  std::string page;
  OptimizeResult last;
  const recipes::ProgramsSink draw = [&](const OptimizeResult& result, const recipes::Programs& programs) {
    last = result;
    if (options.no_report || options.dry_run) return;
    const bool drawn = !programs.until.passed();
    report::PageInput input{options,        result, record, drawn ? &programs.original : nullptr,
                            programs.found, {},     {},     version()};
    std::vector<double> before, after;
    if (drawn && programs.model != nullptr) {
      before = cost::node_costs(*programs.model, programs.original);
      if (programs.found != nullptr) after = cost::node_costs(*programs.model, *programs.found);
    }
    input.before_costs = before;
    input.after_costs = after;
    page = report::html(input);
  };
  const auto write_reports = [&](OptimizeResult& result) {
    if (!page.empty()) {
      result.report = options.report.empty() ? report::default_page(result.output) : options.report;
      formats::AtomicFile file(result.report);
      file.write(page);
      file.commit(result.report);
    }
    if (options.record.empty()) return;
    std::ofstream file(options.record, std::ios::binary | std::ios::trunc);
    file << report::to_json(result, record) << "\n";
    if (!file.flush()) throw InputError({options.record, 0, 0}, "cannot be written");
  };
  try {
    OptimizeResult result = recipes::optimize(options, relay.token(), progress, record, draw);
    result.explanation = report::chain_text(record.chain);
    write_reports(result);
    return result;
  } catch (const VerificationError& wrong) {
    write_reports(last);
    last.explanation = report::chain_text(record.chain);
    if (hooks.failed && !last.failure.empty()) hooks.failed(last);
    if (last.report.empty()) throw;
    throw VerificationError(std::string(wrong.what()) + "\nthe report is " + last.report);
  }
}

CompareResult compare_models(const std::string& a, const std::string& b, const std::string& inputs,
                             double tolerance, uint64_t seed) {
  return recipes::compare(a, b, inputs, tolerance, seed);
}

std::string version() { return ISOMER_VERSION; }

}  // namespace isomer
