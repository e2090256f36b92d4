// What kernels are made for: how fast a machine is, what a block and a thread of it may hold, and which grids
// and loops are worth a try.
//
// On a GPU a block runs on a multiprocessor, its tiles lie in shared memory, and a thread graph runs in the
// registers of one thread. On a CPU a core runs a block from its first operator to its last: tiles that live
// longer than an iteration lie in its L2 cache, those that an iteration loads and makes anew in its L1 cache,
// and what a thread graph does to a few vectors stays in the vector registers. There is no launch of a kernel
// but a fork and a join of the cores, and no barrier in a block.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "machine/device.h"
#include "mugraph/spec.h"

namespace isomer::mugraph {

using machine::Cpu;
using machine::Machine;
using machine::this_cpu;

inline const Machine& a100() { return *machine::find_device("a100")->machine; }

/// Out of which schedules are made. A dimension of D elements is cut into D / x blocks for each x of
/// `tile_extents`; where a grid cuts two dimensions, or more, into each number of `parts`.
struct ScheduleChoices {
  std::vector<int64_t> tile_extents, parts, ranges;
  int64_t min_blocks = 1, max_blocks = 4096;
};

struct Target {
  Machine machine;
  MemoryLimits memory;
  ScheduleChoices choices;
  std::optional<ScheduleChoices> finer = std::nullopt;  ///< whose schedules count beside those of `choices`
};

/// The A100 with the memory limits, grids and ranges of the public project: 96 KiB for a block's tiles in
/// float16; extents of 8, 16 ... 256, parts of 4, 8, 16, loops of 4, 16, 64, 32 to 4,096 blocks.
const Target& a100_target();

/// A CPU in float32 (machine::machine_of), its tiles in its own caches.
Target cpu_target(const Cpu& cpu);

/// The same with finer choices beside its own: every power of two for grids, loops of 2 to 1,024 iterations.
/// Where a program has few schedules and many are to be told apart.
Target with_finer_choices(Target target);

/// What has a name: a100_target(), cpu_target of Cpu{} (the same everywhere) and of this_cpu(). The default
/// is the first.
struct TargetChoice {
  std::string_view name, what;
  Target (*make)();
};
std::span<const TargetChoice> target_choices();
/// UsageError, with the names there are, when there is none.
Target target(std::string_view name);

/// Of all that is in it.
uint64_t target_number(const Target& target);

}  // namespace isomer::mugraph
