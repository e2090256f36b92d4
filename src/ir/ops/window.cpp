#include "ir/ops/window.h"

#include <fmt/format.h>

#include "ir/ops/declare.h"

namespace isomer::ir::ops {

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
      if (value < least) return fmt::format("expected {} of at least {}, got {}", attr, least, value);
  }
  return {};
}

std::string append_window_output(const OpInstance& op, const Window& window, std::span<const Dim> in,
                                 Shape& out) {
  for (size_t i = 0; i < window.rank(); ++i) {
    const int64_t pads = window.begins[i] + window.ends[i];
    if (!in[i].is_static()) {
      if (window.strides[i] != 1 || pads != window.extent(i) - 1)
        return fmt::format("spatial dimension {}: expected a fixed size, or a window that keeps {}", i,
                           print_shape(op.ctx, {in[i]}));
      out.push_back(in[i]);
      continue;
    }
    const int64_t free = in[i].size() + pads - window.extent(i);
    if (free < 0)
      return fmt::format("spatial dimension {}: a window of {} does not fit into {}", i, window.extent(i),
                         in[i].size() + pads);
    int64_t size = free / window.strides[i] + 1;
    if (window.ceil && free % window.strides[i] != 0 &&
        size * window.strides[i] < in[i].size() + window.begins[i])
      ++size;
    out.emplace_back(size);
  }
  return {};
}

IndexExpr window_index(const Window& window, size_t i, const IndexExpr& at, const IndexExpr& tap) {
  return at * window.strides[i] + tap * window.dilations[i] - window.begins[i];
}

}  // namespace isomer::ir::ops
