#include "meaning/factors.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "ir/size_sums.h"
#include "meaning/affine.h"
#include "meaning/places.h"

namespace isomer::meaning {
namespace {

using ir::IndexExpr;

/// Calls with every scalar expression of the nest.
template <class Nest, class Visit>
void for_each_scalar(Nest& nest, Visit&& visit) {
  visit(nest.result);
  for (auto& further : nest.further) visit(further);
  for (auto& accumulator : nest.accumulators) {
    visit(accumulator.body);
    visit(accumulator.initial);
  }
}

template <class Nest, class Visit>
void for_each_index(Nest& nest, Visit&& visit) {
  for (auto& read : nest.reads) {
    for (auto& e : read.index) visit(e);
    for (auto& e : read.zero) visit(e);
  }
}

bool stays_whole(const ir::LoopNest& nest, size_t variable) {
  const auto number = static_cast<int>(variable);
  const bool scanned = nest.scan.up_to >= 0 && (number == nest.scan.up_to || variable == nest.space.size());
  bool named = false;
  for_each_scalar(nest, [&](const ir::ScalarExpr& e) { named |= e.names(number); });
  return scanned || named;
}

/// A variable that is better two.
std::optional<Places::Split> wanted(const ir::LoopNest& nest) {
  std::vector<ir::Size> extents = nest.space;
  extents.insert(extents.end(), nest.reduce.begin(), nest.reduce.end());
  const std::vector<int64_t> numbers = ir::numbers(extents);
  std::vector<const IndexExpr*> divided;
  for (const ir::Read& read : nest.reads) {
    if (!read.zero.empty()) continue;  // where it holds is no box, however its places are written
    for (const IndexExpr& e : read.index)
      if (!e.loads() && !to_affine(e, numbers)) divided.push_back(&e);
  }
  if (divided.empty()) return std::nullopt;
  Places places;
  std::vector<ir::Size> vars;
  for (const ir::Size& extent : extents) vars.push_back(places.variable(extent));
  for (const IndexExpr* e : divided) places.at(*e, vars);
  const auto split = std::ranges::find_if(
      places.wanted(), [&](const Places::Split& s) { return !stays_whole(nest, s.variable); });
  return split != places.wanted().end() ? std::optional(*split) : std::nullopt;
}

/// Variables after the one that is split move up by one.
void split(ir::LoopNest& nest, const Places::Split& by) {
  const auto first = static_cast<int>(by.variable);
  const auto moved = [&](int v) { return v > first ? v + 1 : v; };
  const bool reduced = by.variable >= nest.space.size();
  std::vector<ir::Size>& extents = reduced ? nest.reduce : nest.space;
  const auto at =
      extents.begin() + static_cast<std::ptrdiff_t>(by.variable - (reduced ? nest.space.size() : 0));
  *at = *ir::exact_quotient(*at, by.inner);
  extents.insert(at + 1, by.inner);
  for_each_index(nest, [&](IndexExpr& e) {
    e = substituted(e, [&](int v) {
      return v == first ? IndexExpr::var(v) * by.inner + IndexExpr::var(v + 1) : IndexExpr::var(moved(v));
    });
  });
  for_each_scalar(nest, [&](ir::ScalarExpr& e) { e = e.renumbered(moved); });
  if (nest.scan.up_to >= 0) nest.scan.up_to = moved(nest.scan.up_to);
}

}  // namespace

ir::LoopNest in_factors(ir::LoopNest nest) {
  while (const auto by = wanted(nest)) split(nest, *by);
  return nest;
}

}  // namespace isomer::meaning
