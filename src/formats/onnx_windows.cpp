#include "formats/onnx_windows.h"

#include <algorithm>

namespace isomer::formats {

Windows read_windows(NodeReader& r, std::vector<int64_t> kernel) {
  const size_t n = kernel.size();
  const ir::Shape& shape = r.shape(0);
  Windows w{std::move(kernel), r.ints("strides").value_or(std::vector<int64_t>(n, 1)),
            r.ints("dilations").value_or(std::vector<int64_t>(n, 1)),
            r.ints("pads").value_or(std::vector<int64_t>(2 * n, 0))};
  const std::string mode = r.s("auto_pad", "NOTSET");
  constexpr int64_t kMost = int64_t{1} << 28;  // so that sums and products of these stay within 64 bits
  const auto positive = [](const std::vector<int64_t>& v) {
    return std::ranges::all_of(v, [](int64_t x) { return x > 0 && x < kMost; });
  };
  const auto small = [](int64_t x) { return -kMost < x && x < kMost; };
  if (shape.size() != n + 2 || w.strides.size() != n || w.dilations.size() != n || w.pads.size() != 2 * n ||
      !positive(w.strides) || !positive(w.dilations) || !positive(w.kernel) ||
      !std::ranges::all_of(w.pads, small)) {
    r.fail("its windows do not fit its input");
    return w;
  }
  if (mode == "NOTSET") return w;
  std::ranges::fill(w.pads, 0);
  if (mode == "VALID") return w;
  if (mode != "SAME_UPPER" && mode != "SAME_LOWER") r.fail("auto_pad has an unknown mode");
  for (size_t i = 0; i < n; ++i) {
    const ir::Dim d = shape[i + 2];
    const int64_t reach = (w.kernel[i] - 1) * w.dilations[i];
    int64_t total = reach;  // of whatever size, in steps of one
    if (w.strides[i] != 1) {
      if (!d.is_static()) {
        r.fail("auto_pad needs known sizes where windows move by more than one");
        return w;
      }
      const int64_t out = (d.size() + w.strides[i] - 1) / w.strides[i];
      total = std::max<int64_t>(0, (out - 1) * w.strides[i] + reach + 1 - d.size());
    }
    const int64_t less = total / 2;
    w.pads[i] = mode == "SAME_UPPER" ? less : total - less;
    w.pads[n + i] = total - w.pads[i];
  }
  return w;
}

}  // namespace isomer::formats
