// Products of groups of four warps (LoopKind::kWarpgroup) as LLVM IR: LLVM has no names for these
// instructions of sm_90a, so they are written as PTX within it. Sums are operands and results at once, so
// that no other instruction can take them for known while they are summed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "codegen/llvm_access.h"
#include "codegen/loop_program.h"

namespace isomer::codegen {

/// One store of kWarpgroup loops, which are of those variables; `left` and `right` are the addresses of what
/// is read along rows and along columns, in the space of shared memory. Numbers of groups are in place.
void multiply_shared(AccessText& at, const Store& store, const std::vector<const Loop*>& loops,
                     const std::string& left, const std::string& right);
/// Reads of that store: along rows, along columns.
std::pair<const Access*, const Access*> operands_of_group(const Store& store,
                                                          const std::vector<const Loop*>& loops);
/// Until all such products but the last `but` are done.
void wait_for_products(ScalarText& text, int64_t but);
/// Until all are done; `count` sums of a thread lie there, in single precision.
void wait_for_sums(AccessText& at, int buffer, int64_t count);
/// What this thread wrote to shared memory is what such products will read, after the next barrier.
void show_to_products(ScalarText& text);

}  // namespace isomer::codegen
