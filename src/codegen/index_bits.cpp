#include "codegen/index_bits.h"

#include <algorithm>
#include <cmath>
#include <variant>
#include <vector>

#include "codegen/accesses.h"

namespace isomer::codegen {
namespace {

using ir::IndexExpr;

/// How far from 0 an expression or a part of it may be.
double reach(const IndexExpr& e, std::span<const int64_t> extents) {
  using Kind = IndexExpr::Kind;
  switch (e.kind()) {
    case Kind::kConst: return std::abs(static_cast<double>(e.value()));
    case Kind::kVar: return static_cast<double>(extents[static_cast<size_t>(e.value())]);
    case Kind::kLoad: return 0;
    case Kind::kMulConst: return reach(e.lhs(), extents) * std::abs(static_cast<double>(e.value()));
    case Kind::kAdd: return reach(e.lhs(), extents) + reach(e.rhs(), extents);
    case Kind::kFloorDiv:
    case Kind::kMod: return reach(e.lhs(), extents);
    case Kind::kMin:
    case Kind::kMax: return std::max(reach(e.lhs(), extents), reach(e.rhs(), extents));
  }
  return 0;
}
double reach(const LoopProgram& program, const Access& a, std::span<const int64_t> extents) {
  double out = 0, step = 1;
  const Buffer& b = program.buffers[static_cast<size_t>(a.buffer)];
  for (size_t d = b.sizes.size(); d-- > 0; step *= static_cast<double>(b.sizes[d]))
    out += reach(a.index[d], extents) * step;
  for (const Bound& bound : a.bounds)
    out = std::max({out, reach(bound.value, extents), static_cast<double>(bound.below)});
  return out;
}
double reach(const LoopProgram& program, const std::vector<Statement>& body,
             std::span<const int64_t> extents) {
  double out = 0;
  for (const Statement& s : body) {
    if (const auto* loop = std::get_if<Loop>(&s.node)) {
      out = std::max({out, reach(loop->end, extents), reach(program, loop->body, extents)});
      continue;
    }
    const auto& store = std::get<Store>(s.node);
    for_each_access(store, [&](const Access& a) { out = std::max(out, reach(program, a, extents)); });
    for (const IndexExpr& place : store.places) out = std::max(out, reach(place, extents));
  }
  return out;
}

}  // namespace

int index_bits(const LoopProgram& program, std::span<const int64_t> extents) {
  constexpr double kMost = 1 << 30;
  constexpr int kSmall = 32, kLarge = 64;
  return reach(program, program.body, extents) < kMost ? kSmall : kLarge;
}

}  // namespace isomer::codegen
