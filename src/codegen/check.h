// Whether a loop program is one: what each step of code generation is held to, before anything runs.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>

#include "codegen/loop_program.h"

namespace isomer::codegen {

/// Empty, or what is wrong: numbers of buffers, reads and variables, variables out of scope or bound twice,
/// ranks, writes to what is only read, vector loops and threads that hold more than stores, vector loops of
/// no constant bounds, parallel loops of which two iterations may write one element.
std::string check(const LoopProgram& program);

/// Whether iterations of the loop may run in any order, by a sufficient sign: they write different elements
/// (cut_by of accesses.h), and what is private and not cut is written before it is read in each, and nowhere
/// else touched (`outside`: buffers that are). `but`: buffers that are not looked at. `fixed`: loops around
/// are taken to stay at one iteration meanwhile.
bool is_parallel(const LoopProgram& program, const Loop& loop, const std::set<int>& outside,
                 std::span<const int64_t> extents, const std::set<int>& but = {}, bool fixed = false);

/// And nothing private goes in or out, so that threads may run them.
bool may_run_in_threads(const LoopProgram& program, const Loop& loop, const std::set<int>& outside,
                        std::span<const int64_t> extents);

}  // namespace isomer::codegen
