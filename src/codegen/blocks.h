// Images in blocks of channels: of the scratch that convolutions write, as many neighbouring channels as a
// register holds lie together at each point (NCHWc: Georganas et al., SC 2018; Liu et al., ATC 2019), so that
// a vector is stored and read as one wherever the image is cut. Which images is decided for all at once:
// buffers that a loop goes through side by side are blocked together or not at all.
#pragma once

#include <cstddef>
#include <cstdint>

#include "codegen/loop_program.h"
#include "codegen/target.h"

namespace isomer::codegen {

/// Of an image [batch, channel, points...]: the dimension of its channels, and how many it has at least.
inline constexpr size_t kChannels = 1, kImageRank = 3;

/// Channels of grouped convolutions as a loop over groups and one within: their indices need no division.
LoopProgram groups_apart(LoopProgram program);

/// Dimension 1 of the buffer becomes two: blocks where it was, what lies within one as the last.
LoopProgram block_channels(LoopProgram program, const ScheduleOptions& options);

/// Channels of the smallest block.
int64_t smallest_block(const ScheduleOptions& options);
/// Whether it has such a dimension, and whole blocks of it.
bool has_blocks(const Buffer& buffer, int64_t block);

}  // namespace isomer::codegen
