// What the threads of a warp do together on NVIDIA's graphics processors, as LLVM IR: exchanges, pieces of
// matrices from shared memory, products by tensor cores.
#pragma once

#include <string>
#include <vector>

#include "codegen/llvm_access.h"
#include "codegen/loop_program.h"

namespace isomer::codegen {

/// What the combiner begins with.
std::string identity_of(ScalarText& text, ir::Combiner combiner, meaning::Sort sort);
/// What the first `count` threads of each warp have, a power of two: each of them has it then.
Scalar combined_in_warp(ScalarText& text, ir::Combiner combiner, Scalar v, int count);
/// Each warp says what it has, to all that wait then; returns the number of a thread in its warp.
std::string say_of_warp(ScalarText& text, const Scalar& v);
/// What all warps said, combined, in every thread.
Scalar combined_of_warps(ScalarText& text, ir::Combiner combiner, const Scalar& v, const std::string& lane,
                         int warps, const std::string& none);

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
