#include "ir/ops/window.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ir/ops/declare.h"
#include "ir/ops/dims.h"

namespace isomer::ir::ops {
namespace {
constexpr int64_t kMost = int64_t{1} << 28;  // so that sums and products of two stay within 64 bits
constexpr int64_t kMostDilated = int64_t{1} << 20;
}  // namespace

bool Window::sticks_out() const {
  for (size_t i = 0; i < rank(); ++i)
    if (begins[i] > 0 || ends[i] > 0) return true;
  return ceil;
}

Window window_of(const OpInstance& op, std::vector<int64_t> kernel) {
  const auto rank = static_cast<std::ptrdiff_t>(kernel.size());
  const std::vector<int64_t>& pads = op.ints("pads");
  return {std::move(kernel),
          op.ints("strides"),
          op.ints("dilations"),
          {pads.begin(), pads.begin() + rank},
          {pads.begin() + rank, pads.end()}};
}

std::string check_window_attrs(const OpInstance& op, size_t rank) {
  for (auto [attr, count, least] :
       {std::tuple{"strides", rank, 1}, {"dilations", rank, 1}, {"pads", 2 * rank, 0}}) {
    if (auto bad = check_count(op, attr, count); !bad.empty()) return bad;
    for (int64_t value : op.ints(attr))
      if (value < least || value > kMost)
        return fmt::format("expected {} of {} to 2^28, got {}", attr, least, value);
  }
  return {};
}

std::string check_kernel(std::span<const int64_t> kernel) {
  for (int64_t size : kernel)
    if (size < 1 || size > kMost) return fmt::format("expected kernel of 1 to 2^28, got {}", size);
  return {};
}

std::string append_window_output(const OpInstance& op, const Window& window, std::span<const Dim> in,
                                 Shape& out) {
  for (size_t i = 0; i < window.rank(); ++i) {
    const int64_t pads = window.begins[i] + window.ends[i], stride = window.strides[i];
    const std::optional<Size> padded = sum(size_of(op, in[i]), pads);
    const std::optional<Size> free = padded ? sum(*padded, window.extent(i), -1) : std::nullopt;
    if (!free) return fmt::format("spatial dimension {} is beyond 64 bits", i);
    if (always_negative(*free))
      return fmt::format("spatial dimension {}: a window of {} does not fit into {}", i, window.extent(i),
                         print(op.ctx, *padded));
    // A last window that sticks out counts if it begins before the end of the input.
    const int64_t more = window.ceil ? std::min(stride - 1, window.extent(i) - 1 - window.ends[i]) : 0;
    const std::optional<Size> room = sum(*free, more);
    const std::optional<Size> steps = room ? floor_quotient(*room, stride) : std::nullopt;
    out.emplace_back();
    if (!steps || !set_dim(op, out.back(), sum(*steps, 1)))
      return fmt::format("spatial dimension {}: {} leaves no size", i, print(op.ctx, *free));
  }
  return {};
}

IndexExpr window_index(const Window& window, const Axis& axis) {
  const size_t i = axis.number;
  return axis.at * window.strides[i] + axis.step * window.dilations[i] - window.begins[i];
}

int64_t spread(int64_t size, int64_t between) { return size == 0 ? 0 : (size - 1) * (between + 1) + 1; }

std::string check_dilated_window_attrs(const OpInstance& op, size_t rank) {
  for (auto [attr, count, least] : {std::tuple{"strides", rank, int64_t{1}},
                                    {"dilations", rank, int64_t{1}},
                                    {"input_dilations", rank, int64_t{1}},
                                    {"pads", 2 * rank, -kMostDilated}}) {
    if (auto bad = check_count(op, attr, count); !bad.empty()) return bad;
    if (auto bad = check_entries(op, attr, least, kMostDilated); !bad.empty()) return bad;
  }
  return {};
}

int64_t dilated_places(const OpInstance& op, const Window& window, size_t i, int64_t size) {
  const int64_t wide = spread(size, op.ints("input_dilations")[i] - 1) + window.begins[i] + window.ends[i];
  return wide < window.extent(i) ? 0 : (wide - window.extent(i)) / window.strides[i] + 1;
}

void append_dilated_index(const OpInstance& op, const Window& window, const Axis& axis, Read& read) {
  const int64_t gap = op.ints("input_dilations")[axis.number];
  const IndexExpr at = window_index(window, axis);
  read.index.push_back(gap == 1 ? at : at.floor_div(gap));
  if (gap != 1) read.zero.push_back(at.mod(gap));
}

AxisRole under_window(const Window& window) {
  return {window.rank(), true, as_sizes(window.kernel), [window](const Axis& axis, std::vector<Read>& reads) {
            reads[0].index.push_back(window_index(window, axis));
          }};
}

AxisRole window_and_taps(const Window& window, std::function<void(const Axis&, Read& image)> from_image) {
  return {window.rank(), true, as_sizes(window.kernel),
          [from_image = std::move(from_image)](const Axis& axis, std::vector<Read>& reads) {
            from_image(axis, reads[0]);
            reads[1].index.push_back(axis.step);
          }};
}

}  // namespace isomer::ir::ops
