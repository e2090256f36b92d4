// Convolutions within channels (depthwise) on images that stay as they are, channel by channel: vectors lie
// along the rows of the image, and a tile is as many rows of the result, so that an element of the image
// that was read once is multiplied for all rows that it is in the window of. Tiles of rows that keep what
// windows share in registers are those of Zhang, Lo, Lu (High Performance Depthwise and Pointwise
// Convolutions on Mobile Devices, AAAI 2020), who turn images into blocks of channels for it. Here nothing is
// turned, and what is shorter than a vector is computed with columns beside it that nobody reads.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "codegen/loop_program.h"
#include "codegen/target.h"

namespace isomer::codegen {

/// The loops of a convolution within channels: of a channel, of rows and of columns of the result. Only where
/// windows lie one beside the other (of every second one, lanes read apart), and a copy of the image with its
/// border is not much larger than the image.
struct ChannelWindows {
  int channel = 0, row = 0, column = 0;  ///< variables
  int64_t columns = 0;                   ///< lanes that those take
  int64_t steps = 0;                     ///< of the reduction
};
/// `known`: buffers that depend on constants only.
std::optional<ChannelWindows> windows_of(const LoopProgram& program, const Loop& loop,
                                         const std::set<int>& known, std::span<const int64_t> extents,
                                         const ScheduleOptions& options);

/// Columns of results that are fewer than a register has lanes: sums have as many as fill it, or half of it,
/// and what is done with them is a nest of its own.
LoopProgram columns_filled(LoopProgram program, const ScheduleOptions& options);

/// Whether rows of a tile read what others of them read, in lanes, in so few steps that all are written out.
bool meets_in_windows(const LoopProgram& program, const Store& store, int lane, int row,
                      std::span<const int> reduce, std::span<const int64_t> extents);
/// Rows of a tile of windows.
int64_t most_rows_of_windows(std::span<const int> reduce, int64_t registers, std::span<const int64_t> extents,
                             const ScheduleOptions& options);
/// The steps of a tile one by one, in the order of the rows that they read; each sum keeps its order.
void read_rows_once(std::vector<Statement>& tile, std::span<const int64_t> extents);

}  // namespace isomer::codegen
