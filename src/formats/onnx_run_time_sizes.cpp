#include "formats/onnx_run_time_sizes.h"

#include <map>
#include <utility>

#include "ir/size_sums.h"

namespace isomer::formats {
namespace {

std::optional<int64_t> number_in(const std::optional<ir::Size>& size) {
  return size && size->is_number() && size->number() > 0 ? std::optional(size->number()) : std::nullopt;
}

/// `wanted` as a multiple or part of what the dimension `had` is.
std::optional<RunTimeSize> as_multiple(const ir::Size& wanted, const ir::Size& had, RunTimeSize source) {
  if (const auto times = number_in(ir::exact_quotient(wanted, had))) {
    source.times = *times;
    return source;
  }
  const auto over = number_in(ir::exact_quotient(had, wanted));
  if (!over) return std::nullopt;
  source.over = *over;
  return source;
}

}  // namespace

std::optional<RunTimeSize> at_run_time(const ir::Context& ctx, const ir::Shape& shape, ir::Dim size) {
  if (size.is_static()) return RunTimeSize{.number = size.size()};
  if (size.is_unknown()) return std::nullopt;
  const ir::Size wanted = ir::size_of(ctx, size);
  std::optional<RunTimeSize> out;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i].is_static() || shape[i].is_unknown()) continue;
    const RunTimeSize there{.axis = static_cast<int64_t>(i)};
    if (shape[i].same(size)) return there;
    if (!out) out = as_multiple(wanted, ir::size_of(ctx, shape[i]), there);
  }
  for (const ir::SymbolId name : ctx.given())
    if (!out) out = as_multiple(wanted, ir::size_of(ctx, ir::Dim::symbol(name)), {.of_input = name});
  return out;
}

std::optional<std::vector<RunTimeSize>> all_at_run_time(const ir::Context& ctx, const ir::Shape& shape,
                                                        const ir::Shape& sizes) {
  std::vector<RunTimeSize> out;
  for (const ir::Dim d : sizes) {
    const auto size = at_run_time(ctx, shape, d);
    if (!size) return std::nullopt;
    out.push_back(*size);
  }
  return out;
}

std::string write_sizes(NodeWriter& w, std::span<const RunTimeSize> sizes) {
  std::map<std::string, std::string> shapes;  // of tensors, by name
  const auto dimension = [&](const RunTimeSize& size) {
    const auto [tensor, axis] =
        size.of_input ? w.input_of_size(*size.of_input) : std::pair(w.in(0), *size.axis);
    std::string& shape = shapes[tensor];
    if (shape.empty()) shape = w.helper("Shape", {tensor});
    return w.helper("Gather", {shape, w.ints({axis})});
  };
  std::vector<std::string> parts;
  for (const RunTimeSize& size : sizes) {
    std::string part = size.axis || size.of_input ? dimension(size) : w.ints({size.number});
    if (size.times != 1) part = w.helper("Mul", {part, w.ints({size.times})});
    if (size.over != 1) part = w.helper("Div", {part, w.ints({size.over})});
    parts.push_back(part);
  }
  return w.helper("Concat", parts, 0);
}

}  // namespace isomer::formats
