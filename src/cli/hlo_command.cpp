#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/hlo_commands.h"
#include "cli/print_json.h"
#include "cli/standard_output.h"
#include "cost/hlo_analysis.h"
#include "hlo/dag_hash.h"
#include "hlo/print.h"
#include "hlo/verify.h"
#include "isomer/isomer.h"
#include "passes/pass.h"
#include "runtime/hlo_files.h"
#include "support/atomic_file.h"
#include "support/errors.h"
#include "support/files.h"
#include "support/outputs.h"

namespace isomer::cli {
namespace {

struct HloArgs {
  std::string file, output;
  bool json = false, is_short = false, is_long = false;
};

hlo::Module read(const HloArgs& args) {
  return runtime::unchecked_hlo_file(read_file(args.file), args.file).module;
}

CLI::App* one_module(CLI::App& app, const char* name, const char* help,
                     const std::shared_ptr<HloArgs>& args) {
  CLI::App* command = app.add_subcommand(name, help);
  command->add_option("file", args->file, kHloFile)->required();
  return command;
}

void json_flag(CLI::App* command, const std::shared_ptr<HloArgs>& args) {
  command->add_flag("--json", args->json, "print one JSON object");
}

void add_show(CLI::App& app, const std::shared_ptr<HloArgs>& args) {
  CLI::App* command = one_module(app, "show", "print it again", args);
  command->add_option("-o,--output", args->output,
                      "the file to write (else standard output); .mlir and .mlirbc: as StableHLO");
  CLI::Option* shorter =
      command->add_flag("--short", args->is_short, "bare names, as jax prints it (the default)");
  command
      ->add_flag("--long", args->is_long,
                 "%names, signatures and the types of operands, as older dumps have them")
      ->excludes(shorter);
  command->callback([args] {
    const NamedFile outputs[] = {{"-o", args->output}}, inputs[] = {{"file", args->file}};
    check_outputs(outputs, inputs);
    const hlo::Module module = read(*args);
    if (runtime::form_to_write(args->output) != runtime::HloForm::kHlo)
      return runtime::write_hlo(args->output, module);
    const std::string text = hlo::print(module, args->is_long ? hlo::Dialect::kLong : hlo::Dialect::kShort);
    if (args->output.empty())
      fmt::print("{}", text);
    else
      write_file(args->output, text);
  });
}

void add_hash(CLI::App& app, const std::shared_ptr<HloArgs>& args) {
  CLI::App* command =
      one_module(app, "hash", "a hash of its graph: names and the order of the text do not count", args);
  json_flag(command, args);
  command->callback([args] {
    const hlo::Module module = read(*args);
    const std::string hash = fmt::format("{:016x}", hlo::dag_hash(module));
    if (args->json)
      print_json({{"dag_hash", hash},
                  {"instructions", module.instructions.size()},
                  {"elided_constants", module.elided_literals()}});
    else
      fmt::print("{}\n", hash);
  });
}

void add_check(CLI::App& app, Session& session, const std::shared_ptr<HloArgs>& args) {
  CLI::App* command = one_module(app, "check", "whether its types fit, by XLA's rules", args);
  json_flag(command, args);
  command->callback([args, &session] {
    const hlo::Module module = read(*args);
    const std::vector<hlo::Fault> faults = hlo::verify(module);
    if (!faults.empty()) session.status = static_cast<int>(ExitStatus::kBadInput);
    auto list = nlohmann::ordered_json::array();
    for (const hlo::Fault& fault : faults) {
      const InputPosition at = module.position(fault.instruction);
      list.push_back({{"line", at.line}, {"column", at.column}, {"message", fault.message}});
      if (!args->json) note(fmt::format("isomer: {}:{}:{}: {}", at.file, at.line, at.column, fault.message));
    }
    if (args->json)
      return print_json({{"valid", faults.empty()},
                         {"computations", module.computations.size()},
                         {"instructions", module.instructions.size()},
                         {"elided_constants", module.elided_literals()},
                         {"faults", list}});
    if (!faults.empty()) return;
    fmt::print("{} in {}: types fit\n", how_many(module.instructions.size(), "instruction"),
               how_many(module.computations.size(), "computation"));
    if (const size_t left_out = module.elided_literals(); left_out > 0)
      fmt::print("without the contents of {}, which the text leaves out ({{...}})\n",
                 how_many(left_out, "constant"));
  });
}

void add_stats(CLI::App& app, const std::shared_ptr<HloArgs>& args) {
  CLI::App* command =
      one_module(app, "stats", "instructions by opcode, computations, what a run computes and moves", args);
  json_flag(command, args);
  command->callback([args] {
    const hlo::Module module = read(*args);
    std::map<std::string_view, size_t> counts;
    for (const hlo::Instruction& i : module.instructions) ++counts[hlo::name(i.opcode)];
    const auto sorted = by_count(counts);
    const cost::HloCounts work = cost::hlo_counts(module);
    if (args->json) {
      nlohmann::ordered_json opcodes = nlohmann::ordered_json::object();
      for (const auto& [opcode, count] : sorted) opcodes[std::string(opcode)] = count;
      return print_json({{"module", module.text(module.name)},
                         {"computations", module.computations.size()},
                         {"instructions", module.instructions.size()},
                         {"entry_instructions", module[module.entry].instructions.count},
                         {"parameters", module[module.entry].parameters.count},
                         {"elided_constants", module.elided_literals()},
                         {"flops", work.flops},
                         {"transcendentals", work.transcendentals},
                         {"bytes", work.bytes},
                         {"opcodes", opcodes}});
    }
    fmt::print("{}: {} in {}, {} of them in the entry computation\n", module.text(module.name),
               how_many(module.instructions.size(), "instruction"),
               how_many(module.computations.size(), "computation"), module[module.entry].instructions.count);
    fmt::print("{:.4g} floating-point operations, {:.4g} transcendental functions, {:.4g} bytes moved\n",
               work.flops, work.transcendentals, work.bytes);
    for (const auto& [opcode, count] : sorted) fmt::print("{:>8}  {}\n", count, opcode);
  });
}

void add_version(CLI::App& app, const std::shared_ptr<HloArgs>& args) {
  CLI::App* command = app.add_subcommand("version", "of the program and of its passes");
  json_flag(command, args);
  command->callback([args] {
    if (args->json) return print_json({{"version", version()}, {"passes", passes::version()}});
    fmt::print("{}, passes {}\n", version(), passes::version());
  });
}

}  // namespace

std::string how_many(size_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

void add_hlo(CLI::App& app, Session& session) {
  CLI::App* command = app.add_subcommand("hlo",
                                         "HLO modules of XLA: show, hash, check, stats, graph, passes, run, "
                                         "noise, search, optimize, collect, dataset, version");
  command->require_subcommand(1);
  auto args = std::make_shared<HloArgs>();
  add_show(*command, args);
  add_hash(*command, args);
  add_check(*command, session, args);
  add_stats(*command, args);
  add_hlo_passes(*command, session);
  add_hlo_run(*command, session);
  add_hlo_optimize(*command, session);
  add_hlo_search(*command, session);
  add_hlo_exemplars(*command, session);
  add_hlo_noise(*command, session);
  add_hlo_graph(*command);
  add_hlo_collect(*command, session);
  add_hlo_dataset(*command, session);
  add_version(*command, args);
}

}  // namespace isomer::cli
