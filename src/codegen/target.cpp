#include "codegen/target.h"

namespace isomer::codegen {

ScheduleOptions options_for(const TargetMachine& machine) {
  constexpr int64_t kFloat = 4;
  ScheduleOptions out;
  out.block = machine.register_bytes / kFloat;
  out.lanes = 2 * out.block;
  out.rows = machine.registers * 3 / 8;
  out.registers = machine.registers;
  out.near_bytes = machine.near_bytes;
  out.far_bytes = machine.far_bytes;
  out.last_bytes = machine.last_bytes;
  return out;
}

}  // namespace isomer::codegen
