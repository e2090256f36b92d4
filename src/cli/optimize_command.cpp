#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <cmath>
#include <memory>

#include "cli/commands.h"
#include "cli/optimize_flags.h"
#include "report/result_json.h"
#include "report/summary.h"
#include "support/errors.h"
#include "support/units.h"

namespace isomer::cli {
namespace {

std::string describe(const CompareResult& r) {
  const std::string verdict = r.verdict == Agreement::kProved   ? "equivalent, proved for " + r.scope
                              : r.verdict == Agreement::kTested ? "equivalent, tested"
                                                                : std::string(to_string(r.verdict));
  const char* const except = r.except == Except::kOverflow    ? ", except where the first alone overflows"
                             : r.except == Except::kPrecision ? ", except where the first alone loses digits"
                                                              : "";
  std::string out = fmt::format("{}{}: {}\n", verdict, except, r.method);
  if (!r.detail.empty()) out += r.detail + "\n";
  if (!r.witness.empty()) out += "inputs and outputs that show it: " + r.witness + "\n";
  return out;
}

std::string describe(const FirstDifference& first) {
  std::string out = fmt::format("first difference: {} ({}) against {} ({})", first.value_a, first.operator_a,
                                first.value_b, first.operator_b);
  if (std::isfinite(first.error)) out += fmt::format(", relative error {:.3g}", first.error);
  if (!first.note.empty()) out += ", " + first.note;
  if (!first.from.empty())
    out += fmt::format("\n  computed from {}, where both agree", fmt::join(first.from, ", "));
  if (!first.operators_between_a.empty())
    out += fmt::format("\n  by {}\n  against {}", fmt::join(first.operators_between_a, ", "),
                       fmt::join(first.operators_between_b, ", "));
  return out + "\n";
}

/// The only recipe whose result is a model again is the main job itself.
void refuse_other_recipes(const std::string& recipe) {
  if (recipe == "mirage")
    throw UsageError(
        "--recipe mirage: its result is kernels that no ONNX file can hold; isomer compile MODEL -o MODEL.so "
        "--recipe mirage writes them as a shared object");
  if (recipe != "default") throw UsageError(fmt::format("--recipe {}: expected default", recipe));
}

const CLI::Validator kNamed(
    [](const std::string& file) { return std::string(file.empty() ? "expected the name of a file" : ""); },
    "");

}  // namespace

void add_optimize(CLI::App& app, Session& session) {
  auto options = std::make_shared<OptimizeOptions>();
  auto json = std::make_shared<bool>(false);
  auto recipe = std::make_shared<std::string>("default");
  CLI::App* command = app.add_subcommand("optimize", "Write an equivalent model that runs faster, verified");
  command->add_option("model", options->input, "the ONNX model")->required();
  command->add_option("-o,--output", options->output, "where to write (default: MODEL.isomer.onnx)");
  command->add_flag("--json", *json, "print one JSON object on standard output");
  add_optimize_flags(*command, *options);
  command->get_option("--inputs")->check(kNamed);
  command->add_option("--recipe", *recipe)->group("");  // of isomer compile: said, not listed
  command->callback([options, json, recipe, &session] {
    refuse_other_recipes(*recipe);
    RunHooks hooks = terminal_hooks(session);
    if (*json)
      hooks.failed = [](const OptimizeResult& result) {
        end_progress();
        fmt::print("{}\n", report::to_json(result));
      };
    const OptimizeResult result = optimize(*options, hooks);
    end_progress();
    if (*json)
      fmt::print("{}\n", report::to_json(result));
    else
      fmt::print("{}", report::summary(result));
    if (options->explain)
      std::fputs(
          ("\n" + (result.explanation.empty() ? "No rewrite was applied.\n" : result.explanation)).c_str(),
          *json ? stderr : stdout);
  });
}

void add_verify(CLI::App& app, Session& session) {
  struct Args {
    std::string a, b;
    CompareOptions options;
    bool json = false;
  };
  auto args = std::make_shared<Args>();
  CompareOptions& o = args->options;
  CLI::App* command =
      app.add_subcommand("verify", "Are two models the same function, and where do they part?");
  command->add_option("a", args->a, "a program (ONNX, textual form, S-expression ...)")->required();
  command->add_option("b", args->b, "the program that it is compared with")->required();
  command->add_option("--inputs", o.inputs, "inputs as .npz (default: generated)")->check(kNamed);
  command
      ->add_option("--tolerance", o.tolerance, "largest error relative to what an element is computed from")
      ->capture_default_str();
  command
      ->add_option(
          "--float", o.float_promise,
          "finite: what overflows, or loses digits, in the first alone is an exception that is named; "
          "strict: a difference")
      ->capture_default_str();
  command->add_option("--seed", o.seed, "seed of generated inputs")->capture_default_str();
  command->add_option_function<std::string>(
      "--time-limit", [&o](const std::string& t) { o.time_limit = parse_seconds(t); },
      "of trying inputs, for example 60s (the default)");
  command->add_option(
      "--witness", o.witness,
      "if they differ, write inputs that show it, and both models' outputs (a/NAME, b/NAME), as .npz");
  command->add_flag("--json", args->json, "print one JSON object on standard output");
  command->callback([args, &session] {
    const CompareResult result = compare_models(args->a, args->b, args->options, session.stop);
    if (args->json)
      fmt::print("{}\n", report::to_json(result));
    else
      fmt::print("{}", describe(result));
    if (!args->json && !result.first_difference.value_a.empty())
      fmt::print("{}", describe(result.first_difference));
    if (!result.equivalent)
      session.status =
          static_cast<int>(result.interrupted ? ExitStatus::kInterrupted : ExitStatus::kVerificationFailed);
  });
}

}  // namespace isomer::cli
