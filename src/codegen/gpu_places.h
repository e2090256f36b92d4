// Where what a block has for itself lies on a graphics processor, and which threads meet in an element: what
// the text of a kernel (gpu_text.h) needs to know.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "codegen/gpu_schedule.h"
#include "codegen/llvm_access.h"
#include "codegen/loop_program.h"

namespace isomer::codegen {

enum class Place : uint8_t {
  kGlobal,   ///< not private
  kThread,   ///< each thread has elements that no other one touches: registers
  kUniform,  ///< small, and the same for all threads: each has a copy
  kShared,   ///< of the block
};

struct Places {
  std::vector<Place> of;                      ///< by buffer
  std::vector<AccessText::Own> own;           ///< by buffer
  std::vector<bool> meet;                     ///< by buffer: one thread may read what another has written
  std::vector<int64_t> offsets;               ///< kShared: in bytes
  int64_t shared_bytes = 0;                   ///< with room to combine in
  int64_t threads = kWarp;                    ///< of a block
  static constexpr int64_t kSwizzled = 1024;  ///< bytes: addresses of what is copied are multiples
  static constexpr int64_t kCombining = int64_t{kWarp} * 8;  ///< the first bytes, one number for each warp
};

/// Whether no element where threads meet is touched twice in the loop, by any threads in any iterations: by a
/// sufficient sign. `meet`: by buffer.
bool writes_apart(const LoopProgram& program, const Loop& loop, const std::vector<bool>& meet,
                  std::span<const int64_t> extents);

struct PlacesOrError {
  Places places;
  std::string error;  ///< why a block has no room; else empty
  explicit operator bool() const { return error.empty(); }
};

/// Of a program that is one kernel (parts.h), a block of which has `most` bytes of shared memory.
PlacesOrError places_within(const LoopProgram& program, int64_t most);
/// The same on the processor that has most. Throws InputError where a block has no room.
Places places_of(const LoopProgram& program);

}  // namespace isomer::codegen
