#include "native/tables.h"

#include <algorithm>

namespace isomer::native {

std::vector<IsomerBuffer> buffers_of(const codegen::LoopProgram& program, const codegen::Parts& parts) {
  using codegen::Memory;
  std::vector<IsomerBuffer> out;
  for (size_t b = 0; b < program.buffers.size(); ++b) {
    const Memory memory = program.buffers[b].memory;
    IsomerBuffer buffer{kIsomerWorkspace, 0, std::max<int64_t>(parts.offsets[b], 0), nullptr};
    if (memory == Memory::kConstant) buffer.place = kIsomerConstant;
    if (parts.kept[b]) buffer.place = kIsomerKept;
    out.push_back(buffer);
  }
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    out[static_cast<size_t>(program.inputs[i])].place = kIsomerInput;
    out[static_cast<size_t>(program.inputs[i])].number = static_cast<int32_t>(i);
  }
  for (size_t i = 0; i < program.outputs.size(); ++i) {
    out[static_cast<size_t>(program.outputs[i])].place = kIsomerOutput;
    out[static_cast<size_t>(program.outputs[i])].number = static_cast<int32_t>(i);
  }
  return out;
}

IsomerTables tables_of(const codegen::LoopProgram& program, const codegen::Parts& parts) {
  IsomerTables out{};
  out.buffer_count = static_cast<int64_t>(program.buffers.size());
  out.at_load_count = std::ranges::count_if(parts.parts, &codegen::Part::at_load);
  out.call_count = static_cast<int64_t>(parts.parts.size()) - out.at_load_count;
  out.input_count = static_cast<int64_t>(program.inputs.size());
  out.output_count = static_cast<int64_t>(program.outputs.size());
  out.workspace_bytes = parts.workspace_bytes;
  out.kept_bytes = parts.kept_bytes;
  return out;
}

}  // namespace isomer::native
