#include "formats/onnx_run_time_sizes.h"

#include "ir/size_sums.h"

namespace isomer::formats {
namespace {

std::optional<int64_t> number_in(const std::optional<ir::Size>& size) {
  return size && size->is_number() && size->number() > 0 ? std::optional(size->number()) : std::nullopt;
}

}  // namespace

std::optional<RunTimeSize> at_run_time(const ir::Context& ctx, const ir::Shape& shape, ir::Dim size) {
  if (size.is_static()) return RunTimeSize{size.size()};
  if (size.is_unknown()) return std::nullopt;
  const ir::Size wanted = ir::size_of(ctx, size);
  std::optional<RunTimeSize> out;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i].is_static() || shape[i].is_unknown()) continue;
    const ir::Size had = ir::size_of(ctx, shape[i]);
    const auto axis = static_cast<int64_t>(i);
    if (shape[i].same(size)) return RunTimeSize{0, axis};
    if (const auto times = number_in(ir::exact_quotient(wanted, had)))
      out = RunTimeSize{0, axis, *times, 1};
    else if (const auto over = number_in(ir::exact_quotient(had, wanted)))
      out = RunTimeSize{0, axis, 1, *over};
  }
  return out;
}

std::string write_sizes(NodeWriter& w, std::span<const RunTimeSize> sizes) {
  const std::string shape = w.helper("Shape", {w.in(0)});
  std::vector<std::string> parts;
  for (const RunTimeSize& size : sizes) {
    std::string part = size.axis ? w.helper("Gather", {shape, w.ints({*size.axis})}) : w.ints({size.number});
    if (size.times != 1) part = w.helper("Mul", {part, w.ints({size.times})});
    if (size.over != 1) part = w.helper("Div", {part, w.ints({size.over})});
    parts.push_back(part);
  }
  return w.helper("Concat", parts, 0);
}

}  // namespace isomer::formats
