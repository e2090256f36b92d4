#include "codegen/pieces.h"

#include <cstdlib>
#include <numeric>
#include <optional>

namespace isomer::codegen {
namespace {

using ir::IndexExpr;

/// A multiple of `of` (0: none but 0), the same for all iterations, and `times` the variable.
struct Multiple {
  int64_t of = 1;
  int64_t times = 0;
};

class Pieces {
 public:
  Pieces(int variable, int64_t count) : variable_(variable), count_(count) {}

  std::optional<Multiple> multiple(const IndexExpr& e) const {
    using Kind = IndexExpr::Kind;
    switch (e.kind()) {
      case Kind::kConst: return Multiple{std::abs(e.value()), 0};
      case Kind::kVar: return e.value() == variable_ ? Multiple{0, 1} : Multiple{1, 0};
      case Kind::kAdd: {
        const auto a = multiple(e.lhs()), b = multiple(e.rhs());
        if (!a || !b) return std::nullopt;
        return Multiple{std::gcd(a->of, b->of), a->times + b->times};
      }
      case Kind::kMulConst: {
        const auto a = multiple(e.lhs());
        const int64_t factor = e.size().number();
        if (!a) return std::nullopt;
        return Multiple{a->of * std::abs(factor), a->times * factor};
      }
      case Kind::kFloorDiv:
      case Kind::kMod: {
        // Of a whole piece all elements have one quotient, and remainders that are neighbours.
        const auto a = multiple(e.lhs());
        const int64_t by = e.size().number();
        if (!a) return std::nullopt;
        const bool whole = a->times == 1 && a->of % count_ == 0 && by % count_ == 0;
        if (a->times != 0 && !whole) return std::nullopt;
        if (e.kind() == Kind::kMod) return Multiple{std::gcd(a->of, by), a->times};
        return Multiple{a->of % by == 0 ? a->of / by : 1, 0};
      }
      default: return mentions(e, variable_) ? std::nullopt : std::optional(Multiple{1, 0});
    }
  }

 private:
  int variable_;
  int64_t count_;
};

}  // namespace

bool is_piece(const LoopProgram& program, const Access& access, int variable, int64_t count) {
  const Buffer& b = program.buffers[static_cast<size_t>(access.buffer)];
  const Pieces pieces(variable, count);
  Multiple all{0, 0};
  int64_t step = 1;
  for (size_t d = b.sizes.size(); d-- > 0; step *= b.sizes[d]) {
    const auto index = pieces.multiple(access.index[d]);
    if (!index) return false;
    all = {std::gcd(all.of, index->of * step), all.times + index->times * step};
  }
  return all.times == 1 && all.of % count == 0;
}

bool is_of_whole_pieces(const Bound& bound, int variable, int64_t count) {
  const auto value = Pieces(variable, count).multiple(bound.value);
  if (!value) return false;
  return value->times == 0 || (value->times == 1 && value->of % count == 0 && bound.below % count == 0);
}

}  // namespace isomer::codegen
