#include "verify/signature.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "ir/layout.h"
#include "ir/print.h"
#include "meaning/element_terms.h"

namespace isomer::verify {

std::string signature_difference(const ir::Graph& a, const ir::Graph& b) {
  const auto compare = [&](const auto& left, const auto& right, std::string_view what) -> std::string {
    if (left.size() != right.size()) return fmt::format("{} {}s against {}", left.size(), what, right.size());
    for (size_t i = 0; i < left.size(); ++i)
      if (ir::without_layout(a.context(), a.type_id(left[i])) !=
          ir::without_layout(b.context(), b.type_id(right[i])))
        return fmt::format("{} {}: {} against {}", what, i, ir::print(a.context(), a.type_id(left[i])),
                           ir::print(b.context(), b.type_id(right[i])));
    return {};
  };
  const std::string inputs = compare(a.inputs(), b.inputs(), "input");
  return inputs.empty() ? compare(a.outputs(), b.outputs(), "output") : inputs;
}

bool same_at_every_size(const ir::Graph& a, const ir::Graph& b) {
  const bool named = std::ranges::any_of(a.inputs(), [&](ir::ValueId i) {
    return a.type(i).is_ranked_tensor() && !ir::is_static(a.type(i).shape);
  });
  return named && meaning::same_elements(a, b);
}

}  // namespace isomer::verify
