#include "formats/onnx_element_counts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <string>

#include "ir/size_formula.h"

namespace isomer::formats {

std::optional<Count> count_of(const ir::Shape& shape) {
  Count count;
  for (ir::Dim d : shape) {
    if (d.is_unknown()) return std::nullopt;
    if (d.is_symbol())
      count.symbols.push_back(d.symbol());
    else if (__builtin_mul_overflow(count.factor, d.size(), &count.factor))
      return std::nullopt;
  }
  std::ranges::sort(count.symbols);
  return count;
}

std::optional<ir::Dim> divide(ir::Context& ctx, const Count& whole, const Count& part) {
  if (part.factor == 0 || whole.factor % part.factor != 0) return std::nullopt;
  const int64_t factor = whole.factor / part.factor;
  std::vector<ir::SymbolId> left;
  std::ranges::set_difference(whole.symbols, part.symbols, std::back_inserter(left));
  if (left.size() + part.symbols.size() != whole.symbols.size()) return std::nullopt;
  if (left.empty()) return ir::Dim(factor);
  if (left.size() == 1 && factor == 1) return ir::Dim::symbol(left[0]);
  std::vector<std::string> names;
  for (ir::SymbolId s : left) names.push_back(ctx.get(s));
  std::ranges::sort(names);
  std::string name = fmt::format("{}", fmt::join(names, "*"));
  if (factor != 1) name = fmt::format("{}*{}", factor, name);
  return ir::named_size(ctx, name);
}

}  // namespace isomer::formats
