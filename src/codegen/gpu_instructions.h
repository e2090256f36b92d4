// What the threads of a warp do together on NVIDIA's graphics processors, as LLVM IR: exchanges, pieces of
// matrices from shared memory, products by tensor cores.
#pragma once

#include <string>
#include <vector>

#include "codegen/llvm_access.h"
#include "codegen/loop_program.h"

namespace isomer::codegen {

/// The value of the thread whose number in the warp differs in these bits; of the warp's first thread.
std::string of_other(ScalarText& text, const Scalar& v, int bits);
std::string of_first(ScalarText& text, const Scalar& v);

/// One store of kTensor loops, which are of those variables: `thread` is a thread's number in the block (32
/// bits), `shared` the address of what is moved, in the space of shared memory. Numbers of warps are in
/// place.
void multiply_pieces(AccessText& at, const Store& store, const std::vector<const Loop*>& loops);
void move_pieces(AccessText& at, const Store& store, const std::vector<const Loop*>& loops,
                 const std::string& thread, const std::string& shared, bool turned);

/// A copy of 16 bytes, the store at the first of its elements, to that address in the space of shared memory.
void copy_piece(AccessText& at, const Store& store, const std::string& shared);
/// What was copied since the last lot is one; threads wait until all lots but the last `but` are there.
void end_lot(ScalarText& text);
void wait_for_lots(ScalarText& text, int64_t but);

}  // namespace isomer::codegen
