#include "recipes/compile.h"

#include "codegen/generate.h"
#include "ir/op_table.h"
#include "native/compiler.h"
#include "recipes/load.h"
#include "support/clock.h"

namespace isomer::recipes {

CompileResult compile(const CompileOptions& options) {
  const double begin = steady_clock().seconds();
  ir::Context ctx(ir::standard_ops());
  const Program p = load_program(ctx, options.input, parse_dims(options.dims));
  native::SharedObjectOptions how;
  how.cpu = options.cpu;
  if (p.envelope != nullptr) {
    how.inputs = p.envelope->input_names();
    how.outputs = p.envelope->output_names();
  }
  const codegen::ScheduleOptions schedule =
      options.cpu.empty() ? native::schedule_of_this_machine() : codegen::ScheduleOptions();
  CompileResult out;
  out.made = native::write_shared_object(codegen::generate(p.graph, schedule), ctx, how, options.output);
  out.seconds = steady_clock().seconds() - begin;
  return out;
}

}  // namespace isomer::recipes
