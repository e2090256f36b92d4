#include "ir/schedule.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>

namespace isomer::ir {
namespace {

std::string text(const Sizes& s) { return fmt::format("[{}]", fmt::join(s, ",")); }

GridSizes three(const std::vector<int64_t>& list) { return {list[0], list[1], list[2]}; }

GridMap map_at(const std::vector<int64_t>& list, size_t number) {
  const auto at = [&](size_t d) { return static_cast<int>(list[3 * number + d]); };
  return {at(0), at(1), at(2)};
}

}  // namespace

int64_t Schedule::range() const { return element_count(loops); }

SizesOrError cut_tile(const Sizes& tensor, const GridSizes& grid, std::span<const int64_t> loops,
                      const GridMap& imap, std::span<const int> fmap) {
  Sizes sizes = tensor;
  const auto cut = [&](int dim, int64_t by, std::string_view what) -> std::string {
    if (dim == kWhole) return {};
    if (dim < 0 || dim >= static_cast<int>(sizes.size()))
      return fmt::format("{} cuts dimension {} of {}", what, dim, text(tensor));
    int64_t& size = sizes[static_cast<size_t>(dim)];
    if (by < 1 || size % by != 0)
      return fmt::format("{} cuts dimension {} of {} into {} uneven parts", what, dim, text(tensor), by);
    size /= by;
    return {};
  };
  for (size_t d = 0; d < 3; ++d)
    if (auto bad = cut(imap[d], grid[d], "the grid"); !bad.empty()) return {{}, bad};
  if (fmap.size() != loops.size()) return {{}, "expected one fmap entry for each loop"};
  for (size_t l = 0; l < loops.size(); ++l)
    if (auto bad = cut(fmap[l], loops[l], "the loop"); !bad.empty()) return {{}, bad};
  return {std::move(sizes), {}};
}

SizesOrError joined_tiles(const Sizes& tile, const GridSizes& grid, const GridMap& omap) {
  Sizes sizes = tile;
  for (size_t d = 0; d < 3; ++d) {
    const int dim = omap[d];
    if (dim == kWhole) {
      if (grid[d] > 1)
        return {{}, fmt::format("what runs along {} writes the same elements of an output", "xyz"[d])};
      continue;
    }
    if (dim < 0 || dim >= static_cast<int>(sizes.size()))
      return {{}, fmt::format("omap names dimension {} of a tile {}", dim, text(sizes))};
    int64_t& size = sizes[static_cast<size_t>(dim)];
    if (size > std::numeric_limits<int32_t>::max() / grid[d]) return {{}, "an output is too large"};
    size *= grid[d];
  }
  return {std::move(sizes), {}};
}

std::vector<bool> after_loop(const Graph& body) {
  std::vector<bool> out(body.size());
  for (size_t i = 0; i < body.size(); ++i) {
    const ValueId v(i);
    out[i] = body.def(v).accumulate != Accumulate::kNone;
    for (ValueId o : body.operands(v)) out[i] = out[i] || out[o.index()];
  }
  return out;
}

Schedule schedule_of(const OpInstance& op) {
  Schedule out;
  out.grid = three(op.ints("grid"));
  out.threads = three(op.ints("threads"));
  out.loops = op.ints("loops");
  out.width = op.i("width");
  const std::vector<int64_t>&imap = op.ints("imap"), &fmap = op.ints("fmap"), &omap = op.ints("omap");
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    ScheduledInput input{map_at(imap, i), {}};
    for (size_t l = 0; l < out.loops.size(); ++l)
      input.fmap.push_back(static_cast<int>(fmap[i * out.loops.size() + l]));
    out.inputs.push_back(std::move(input));
  }
  for (size_t o = 0; 3 * o < omap.size(); ++o) out.omaps.push_back(map_at(omap, o));
  return out;
}

const Graph& body_of(const OpInstance& op) { return op.ctx.get(op.region(AttrRole::kBody)); }

std::vector<NamedAttr> attributes(Context& ctx, const Graph& body, const Schedule& schedule) {
  std::vector<int64_t> imap, fmap, omap;
  for (const ScheduledInput& i : schedule.inputs) {
    imap.insert(imap.end(), i.imap.begin(), i.imap.end());
    fmap.insert(fmap.end(), i.fmap.begin(), i.fmap.end());
  }
  for (const GridMap& m : schedule.omaps) omap.insert(omap.end(), m.begin(), m.end());
  const RegionId region = ctx.add(std::make_shared<const Graph>(body));
  const auto list = [](const GridSizes& s) { return std::vector<int64_t>(s.begin(), s.end()); };
  return {{"body", static_cast<int64_t>(region.v)},
          {"grid", list(schedule.grid)},
          {"threads", list(schedule.threads)},
          {"loops", schedule.loops},
          {"imap", std::move(imap)},
          {"fmap", std::move(fmap)},
          {"omap", std::move(omap)},
          {"width", schedule.width}};
}

}  // namespace isomer::ir
