#include "recipes/check_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <optional>
#include <set>

#include "ir/print.h"
#include "recipes/staging.h"
#include "runtime/onnxruntime.h"
#include "support/errors.h"
#include "support/files.h"

namespace isomer::recipes {
namespace {

constexpr double kLongest = 120;  ///< seconds of listing a file's tensors

[[noreturn]] void refuse(const std::string& npz, const std::string& why) {
  throw UsageError(fmt::format("--inputs {}: {}", npz, why));
}

/// An input of one of the programs; not valid where none has it, or none uses it.
struct Input {
  const ir::Graph* program = nullptr;
  ir::ValueId value;
};
Input input_of(const std::string& name, std::span<const Program* const> programs) {
  for (const Program* program : programs)
    for (ir::ValueId v : program->graph.inputs())
      if (program->graph.name(v) == name) return {&program->graph, v};
  return {};
}

/// Those too that the program does not use.
std::set<std::string> input_names(std::span<const Program* const> programs) {
  std::set<std::string> out;
  for (const Program* program : programs)
    for (const std::string& name : program->envelope->input_names()) out.insert(name);
  return out;
}

std::vector<int64_t> shape_of(const runtime::Argument& tensor) {
  std::vector<int64_t> out;
  for (const auto& size : tensor.shape) out.push_back(std::get<int64_t>(size));
  return out;
}

/// A symbol has one size wherever it stands.
bool fits(const ir::Shape& wanted, const std::vector<int64_t>& given, std::map<uint32_t, int64_t>& sizes) {
  if (wanted.size() != given.size()) return false;
  for (size_t i = 0; i < given.size(); ++i) {
    if (wanted[i].is_static() && wanted[i].size() != given[i]) return false;
    if (wanted[i].is_symbol() && sizes.try_emplace(wanted[i].symbol().v, given[i]).first->second != given[i])
      return false;
  }
  return true;
}

}  // namespace

std::vector<NamedFile> files_written(const OptimizeOptions& options) {
  if (options.dry_run) return {{"--record", options.record}};
  return {{"--output", options.output}, {"--report", options.report}, {"--record", options.record}};
}

void check_files(const OptimizeOptions& options) {
  open_for_reading(options.input);
  std::vector<NamedFile> read = {{"MODEL", options.input}, {"--inputs", options.inputs}};
  for (const std::string& file : options.rules) read.push_back({"--rules", file});
  for (const std::string& file : options.add_rules) read.push_back({"--add-rules", file});
  for (size_t i = 2; i < read.size(); ++i) open_for_reading(read[i].path);
  check_outputs(files_written(options), read);
  if (!options.dry_run) const Staging tried(options.output);
}

void check_files(const OptimizeOptions& options, std::span<const std::string> data_files) {
  std::vector<NamedFile> read;
  for (const std::string& file : data_files) read.push_back({"the model's weights", file});
  require_apart(files_written(options), read);
}

void check_inputs(const std::string& npz, std::span<const Program* const> programs, const Deadline& until) {
  if (npz.empty()) return;
  if (const FileKind kind = kind_of(npz); kind != FileKind::kRegular)
    refuse(npz, kind == FileKind::kNone ? "there is no such file"
                                        : fmt::format("expected a regular file, found {}", name_of(kind)));
  open_for_reading(npz);
  std::optional<runtime::OrFailure<std::vector<runtime::Argument>>> tensors;
  try {
    tensors.emplace(runtime::OnnxRuntime().archived(npz, runtime::wait_until(until, kLongest)));
  } catch (const MissingRuntimeError&) {
    return;  // nothing will be run
  }
  if (!*tensors) {
    const runtime::FailureKind kind = tensors->failure().kind;
    if (kind == runtime::FailureKind::kTimedOut || kind == runtime::FailureKind::kStopped) return;
    refuse(npz, tensors->failure().message);
  }
  const std::set<std::string> names = input_names(programs);
  std::map<uint32_t, int64_t> sizes;
  for (const runtime::Argument& tensor : **tensors) {
    // Outputs that `verify --witness` wrote beside the inputs.
    const bool output = tensor.name.starts_with("a/") || tensor.name.starts_with("b/");
    if (output && !names.contains(tensor.name)) continue;
    if (!names.contains(tensor.name))
      refuse(npz, fmt::format("the model has no input '{}'; expected some of {}", tensor.name,
                              fmt::join(names, ", ")));
    const Input input = input_of(tensor.name, programs);
    if (input.program == nullptr || !input.program->type(input.value).is_tensor()) continue;
    const ir::Type& wanted = input.program->type(input.value);
    if (tensor.dtype != ir::name(wanted.dtype) ||
        (wanted.is_ranked_tensor() && !fits(wanted.shape, shape_of(tensor), sizes)))
      refuse(npz, fmt::format("{}: expected {}, found {}[{}]", tensor.name,
                              ir::print(input.program->context(), input.program->type_id(input.value)),
                              tensor.dtype, fmt::join(shape_of(tensor), ",")));
  }
}

}  // namespace isomer::recipes
