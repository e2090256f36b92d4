#include "recipes/hlo_check.h"

#include "formats/hlo_graph.h"
#include "ir/op_table.h"
#include "support/errors.h"

namespace isomer::recipes {

FoundCheck check_module(const hlo::Module& start, const hlo::Module& found, double seconds,
                        const StopToken& stop) {
  FoundCheck out;
  try {
    ir::Context ctx(ir::standard_ops());
    return check_evaluated(formats::hlo_graph(ctx, start), formats::hlo_graph(ctx, found), seconds, stop);
  } catch (const InputError& unsaid) {
    out.field.note = out.floats.note = unsaid.what();
  }
  return out;
}

}  // namespace isomer::recipes
