// The machine that code is made for, as far as schedules know it, and what follows from it. Whoever makes
// code says which machine (native/compiler.h); nothing else knows numbers of one.
#pragma once

#include <cstdint>

namespace isomer::codegen {

/// Of the processors of the 2020s: bytes of a page; places of memory that are read on from, each in its turn,
/// as if it were one, since what follows has been fetched.
inline constexpr int64_t kPageBytes = 4096, kStreams = 24;
/// Of a core's cycle: products of vectors that are added, loads, and both; cycles until a sum may be added to
/// again.
inline constexpr double kSumsAtOnce = 2, kLoadsAtOnce = 2, kIssuedAtOnce = 5, kSumLatency = 4;

/// Of a processor that is known by its name alone; this machine's caches are machine::caches_here().
struct TargetMachine {
  int64_t register_bytes = 32;    ///< of a vector register
  int64_t registers = 16;         ///< vector registers
  int64_t near_bytes = 32 << 10;  ///< of the cache next to the registers
  int64_t far_bytes = 512 << 10;  ///< of the one behind it
  int64_t last_bytes = 16 << 20;  ///< of the last one, before memory
};

struct ScheduleOptions {
  int64_t lanes = 16;  ///< elements of a vector, of as many registers as that takes
  int64_t rows = 6;    ///< iterations of a loop outside the vectorised one that are jammed where it reduces
  int64_t block = 8;   ///< channels of an image that lie together: one register
  int64_t registers = TargetMachine{}.registers;    ///< vector registers
  int64_t near_bytes = TargetMachine{}.near_bytes;  ///< what a tile reads again and again fits in here
  int64_t far_bytes = TargetMachine{}.far_bytes;    ///< what all tiles beside each other read does
  int64_t last_bytes = TargetMachine{}.last_bytes;  ///< what does not fit in here comes from memory
};

/// Vectors of two registers, as many rows as leave a register for what they are multiplied by.
ScheduleOptions options_for(const TargetMachine& machine);

}  // namespace isomer::codegen
