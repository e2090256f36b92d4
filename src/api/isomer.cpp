#include "isomer/isomer.h"

#include "api/session.h"
#include "cost/cost_model.h"
#include "recipes/compare.h"
#include "recipes/optimize.h"
#include "recipes/staged_program.h"
#include "report/chain_text.h"
#include "report/gains.h"
#include "report/html.h"
#include "report/result_json.h"
#include "support/atomic_file.h"
#include "support/errors.h"

namespace isomer {

namespace {

/// With the places filled in that follow from others.
OptimizeOptions with_places(OptimizeOptions options) {
  if (options.output.empty()) options.output = recipes::default_output(options.input);
  if (options.no_report)
    options.report.clear();
  else if (options.report.empty())
    options.report = report::default_page(options.output);
  return options;
}

}  // namespace

OptimizeResult optimize(const OptimizeOptions& options, const RunHooks& hooks) {
  const OptimizeOptions placed = with_places(options);
  api::HookProgress progress(hooks);
  const api::StopRelay relay(hooks.stop);
  RunRecord record;
  std::string page;
  OptimizeResult last;
  const recipes::ProgramsSink draw = [&](const OptimizeResult& result, const recipes::Programs& programs) {
    last = report::with_gains(result, record);
    if (options.no_report || options.dry_run) return;
    const bool drawn = !programs.until.passed();
    report::PageInput input{options,        last, record, drawn ? &programs.original : nullptr,
                            programs.found, {},   {},     version()};
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
      result.report = placed.report;
      write_file(result.report, page);
    }
    if (!options.record.empty()) write_file(options.record, report::to_json(result, record) + "\n");
  };
  try {
    OptimizeResult result =
        report::with_gains(recipes::optimize(placed, relay.token(), progress, record, draw), record);
    result.explanation = report::chain_text(record.chain);
    write_reports(result);
    return result;
  } catch (const VerificationError& wrong) {
    try {
      write_reports(last);
    } catch (const Error& unwritten) {  // what is wrong with the program says more
      last.warnings.emplace_back(unwritten.what());
    }
    last.explanation = report::chain_text(record.chain);
    if (hooks.failed && !last.failure.empty()) hooks.failed(last);
    if (last.report.empty()) throw;
    throw VerificationError(std::string(wrong.what()) + "\nthe report is " + last.report);
  }
}

CompareResult compare_models(const std::string& a, const std::string& b, const CompareOptions& options,
                             const std::atomic<bool>* stop) {
  const api::StopRelay relay(stop);
  return recipes::compare(a, b, options, relay.token());
}

CompareResult compare_models(const std::string& a, const std::string& b, const std::string& inputs,
                             double tolerance, uint64_t seed) {
  CompareOptions options;
  options.inputs = inputs;
  options.tolerance = tolerance;
  options.seed = seed;
  return compare_models(a, b, options);
}

std::string version() { return ISOMER_VERSION; }

}  // namespace isomer
