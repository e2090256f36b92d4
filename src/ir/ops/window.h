// The window that convolutions and poolings slide over spatial dimensions: one entry a spatial dimension.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ir/op.h"
#include "ir/ops/axes.h"

namespace isomer::ir::ops {

struct Window {
  std::vector<int64_t> kernel;
  std::vector<int64_t> strides;
  std::vector<int64_t> dilations;
  std::vector<int64_t> begins;  ///< padding before and after
  std::vector<int64_t> ends;
  bool ceil = false;  ///< a last window may stick out at the end, if it starts within input or begin padding

  size_t rank() const { return kernel.size(); }
  /// Positions from the window's first to its last tap.
  int64_t extent(size_t i) const { return (kernel[i] - 1) * dilations[i] + 1; }
  /// Whether some tap of some window may lie outside of the input.
  bool sticks_out() const;
};

/// Attributes strides, dilations and pads (begins, then ends) of `op`, which must have passed
/// check_window_attrs.
Window window_of(const OpInstance& op, std::vector<int64_t> kernel);
/// Empty, or which of strides, dilations and pads does not fit `rank` spatial dimensions or is out of range.
/// Numbers that are accepted are small enough for sums and products of them.
std::string check_window_attrs(const OpInstance& op, size_t rank);
/// Empty, or which spatial size of a kernel is not from 1 to what extents can hold.
std::string check_kernel(std::span<const int64_t> kernel);
/// Appends the output's spatial dimensions for input dimensions `in`, or says why there are none.
std::string append_window_output(const OpInstance& op, const Window& window, std::span<const Dim> in,
                                 Shape& out);
/// Input position of spatial axis i: output position `at`, tap `step`.
IndexExpr window_index(const Window& window, const Axis& axis);
/// Of `size` elements with `between` more in each gap.
int64_t spread(int64_t size, int64_t between);
/// Empty, or which of strides, dilations, input_dilations and pads (which may cut) does not fit `rank`
/// dimensions of an input with gaps, input_dilations - 1 between elements, or is out of range.
std::string check_dilated_window_attrs(const OpInstance& op, size_t rank);
/// How often the window fits into `size` elements with gaps and pads, along axis i.
int64_t dilated_places(const OpInstance& op, const Window& window, size_t i, int64_t size);
/// window_index where the input has gaps: appends to the index of a guarded read, which is out of bounds in
/// them.
void append_dilated_index(const OpInstance& op, const Window& window, const Axis& axis, Read& read);
/// The spatial axes: operand 0 is read where the window's taps lie.
AxisRole under_window(const Window& window);
/// And operand 1, the kernel, at its taps. What a tap meets of operand 0 is `from_image`'s to say.
AxisRole window_and_taps(const Window& window, std::function<void(const Axis&, Read& image)> from_image);

}  // namespace isomer::ir::ops
