#include "hlo/print.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "hlo/printer.h"

namespace isomer::hlo {
namespace {

/// Words that XLA's reader takes for something else than a name.
bool is_reserved(std::string_view text) {
  constexpr std::string_view kWords[] = {
      "true",          "false",     "inf",         "nan",          "HloModule",
      "ENTRY",         "ROOT",      "maximal",     "replicated",   "manual",
      "unknown",       "unreduced", "shard_as",    "shard_like",   "last_tile_dim_replicate",
      "FileLocations", "FileNames", "StackFrames", "FunctionNames"};
  return parse_primitive(text) || std::ranges::find(kWords, text) != std::end(kWords);
}

}  // namespace

void Printer::name(TextId id) {
  const std::string_view text = module_.text(id);
  if (long_ || is_reserved(text)) out_ += '%';
  out_ += text;
}

void Printer::module() {
  out_ += "HloModule ";
  out_ += module_.text(module_.name);
  attributes(module_.attributes_of(module_.header));
  out_ += '\n';
  if (!module_.stack_frames.empty()) {
    out_ += '\n';
    out_ += module_.stack_frames;
    out_ += '\n';
  }
  for (size_t i = 0; i < module_.computations.size(); ++i) {
    out_ += '\n';
    computation(ComputationId(i));
  }
}

void Printer::computation(ComputationId id) {
  const Computation& c = module_[id];
  if (id == module_.entry) out_ += "ENTRY ";
  name(c.name);
  out_ += ' ';
  if (long_) signature(c);
  out_ += "{\n";
  for (uint32_t i = 0; i < c.instructions.count; ++i) {
    const InstructionId instruction_id(c.instructions.first + i);
    out_ += "  ";
    if (instruction_id == c.root) out_ += "ROOT ";
    instruction(instruction_id);
    out_ += '\n';
  }
  out_ += '}';
  attributes(module_.attributes_of(c.attributes));
  out_ += '\n';
}

void Printer::signature(const Computation& computation) {
  out_ += '(';
  for (uint32_t i = 0; i < computation.parameters.count; ++i) {
    const InstructionId id = module_.parameters[computation.parameters.first + i];
    if (i > 0) out_ += ", ";
    out_ += module_.text(module_[id].name);
    out_ += ": ";
    module_.shapes.print(module_.shape(id), false, out_);
  }
  out_ += ") -> ";
  module_.shapes.print(module_.shape(computation.root), false, out_);
  out_ += ' ';
}

void Printer::opcode(const Instruction& instruction) {
  out_ += hlo::name(instruction.wrapped);
  if (instruction.wrapped == instruction.opcode) return;
  out_ += instruction.opcode == Opcode::kAsyncStart    ? "-start"
          : instruction.opcode == Opcode::kAsyncUpdate ? "-update"
                                                       : "-done";
}

void Printer::instruction(InstructionId id) {
  const Instruction& i = module_[id];
  name(i.name);
  out_ += " = ";
  module_.shapes.print(i.shape, true, out_);
  out_ += ' ';
  opcode(i);
  out_ += '(';
  if (i.opcode == Opcode::kParameter)
    fmt::format_to(std::back_inserter(out_), "{}", i.value);
  else if (i.opcode == Opcode::kConstant)
    print_literal(module_.shapes, module_.literal(id), out_);
  else
    operands(id);
  out_ += ')';
  attributes(module_.attributes_of(id));
}

void Printer::operands(InstructionId id) {
  const auto all = module_.operands(id);
  for (size_t i = 0; i < all.size(); ++i) {
    if (i > 0) out_ += ", ";
    if (long_) {
      if (i > 0 && i % 5 == 0) fmt::format_to(std::back_inserter(out_), "/*index={}*/", i);
      module_.shapes.print(module_.shape(all[i]), true, out_);
      out_ += ' ';
    }
    name(module_[all[i]].name);
  }
}

std::string print(const Module& module, Dialect dialect) {
  std::string out;
  Printer(module, dialect, out).module();
  return out;
}

std::string print(const Module& module, InstructionId id, Dialect dialect) {
  std::string out;
  Printer(module, dialect, out).instruction(id);
  return out;
}

}  // namespace isomer::hlo
