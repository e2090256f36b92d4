#include "codegen/products.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "codegen/accesses.h"
#include "codegen/check.h"
#include "codegen/make_loops.h"
#include "codegen/product_nest.h"
#include "codegen/product_tiles.h"
#include "codegen/tile_plan.h"
#include "codegen/windows.h"
#include "meaning/affine.h"
#include "meaning/nest.h"

namespace isomer::codegen {
namespace {

using ir::IndexExpr;

std::vector<int> variables_of(const std::vector<const Loop*>& loops) {
  std::vector<int> out;
  for (const Loop* l : loops) out.push_back(l->variable);
  return out;
}

/// A product's loops and operands, and which axis is which.
class Product {
 public:
  /// `known`: buffers that depend on constants only.
  Product(LoopProgram& program, const Loop& loop, std::vector<int64_t>& extents, const std::set<int>& known,
          const ScheduleOptions& options)
      : program_(program),
        options_(options),
        known_(known),
        extents_(extents),
        space_(variables_of(chain_of(loop).loops)),
        inner_(chain_of(loop).inner()),
        reduce_(variables_of(reductions_of(program, inner_, 1))) {}

  /// Of a product whose loops of space are parallel. Nothing where no axis can run in lanes.
  std::vector<Statement> tiled() {
    while (collapse_two()) {
    }
    if (!choose_axes()) return {};
    order_reduction();
    std::vector<Statement> out;
    for (const int r : operands_of(program_, store())) {
      Access& a = store().reads[static_cast<size_t>(r)];
      if (!names_validity(r)) std::ranges::move(without_guards(a), std::back_inserter(out));
      if (may_be_in_panels(a))
        panels_ = panels_of(program_, a, lane_, space_, reduce_, options_.lanes, extents_);
      else
        std::ranges::move(laid_out(a), std::back_inserter(out));
    }
    std::ranges::move(tiles_of(program_, std::move(inner_), axes(), extents_, options_),
                      std::back_inserter(out));
    return out;
  }

 private:
  /// The store that combines, in the body that is worked on.
  Store& store() { return *only_store(*only_loop(inner_)); }
  int64_t extent(int variable) const { return extents_[static_cast<size_t>(variable)]; }
  const Buffer& buffer(const Access& a) const { return program_.buffers[static_cast<size_t>(a.buffer)]; }
  static std::string names(size_t dimension) {
    static constexpr std::string_view kLetters = "pqrst";
    return std::string(1, kLetters[std::min(dimension, kLetters.size() - 1)]);
  }
  int new_variable(std::string name, int64_t extent) {
    program_.variables.push_back(std::move(name));
    extents_.push_back(extent);
    return static_cast<int>(program_.variables.size()) - 1;
  }
  int new_buffer(const Access& of, const char* name, std::vector<int64_t> sizes) {
    Buffer b;
    b.name = fmt::format("{}{}", name, program_.buffers.size());
    b.dtype = buffer(of).dtype;
    b.sizes = std::move(sizes);
    program_.buffers.push_back(std::move(b));
    return static_cast<int>(program_.buffers.size()) - 1;
  }
  /// Loops of these variables, from outside, around the store of what is read at the source.
  Statement copied(const std::vector<IndexExpr>& variables, Access target, const Access& source) {
    Store s;
    s.value = read_program(meaning::sort_of(buffer(target).dtype), 0);
    s.reads = {source};
    s.target = std::move(target);
    std::vector<std::pair<int, int64_t>> loops;
    for (const IndexExpr& v : variables) {
      const auto variable = static_cast<int>(v.value());
      loops.emplace_back(variable, extent(variable));
    }
    return loops_around(loops, LoopKind::kSerial, {std::move(s)});
  }

  // --- which axis is which

  bool is_constant(const Access& a) const { return known_.contains(a.buffer); }
  bool in_place(const Access& a, int lane) const { return stride(program_, a, lane, extents_) == 1; }
  std::vector<int> axes_of(const Access& a) const {
    std::vector<int> out;
    for (const auto& axes : {space_, reduce_})
      for (const int v : axes)
        if (mentions(a, v)) out.push_back(v);
    return out;
  }
  /// Whether it reads about each element once, for all the axes that it depends on.
  bool is_dense(const Access& a) const {
    int64_t points = 1;
    for (const int v : axes_of(a)) points *= extent(v);
    return points <= 2 * buffer(a).count();
  }

  /// Whether the nest writes it: what it reads there is not there before.
  bool is_made_here(const Access& a) const {
    bool out = is_private(a);
    for_each_store(inner_, [&](const Store& s) { out |= s.target.buffer == a.buffer; });
    return out;
  }
  bool may_be_copied(const Access& a) const { return is_dense(a) && !loads(a) && !is_made_here(a); }

  double row_cycles(int64_t rows) const {
    return plan_tiles(1, rows, std::max<int64_t>(options_.lanes / options_.block, 1), options_).cycles /
           static_cast<double>(rows);
  }
  /// Accesses of memory outside the reduction, by how many of them lie next to each other in lanes.
  std::pair<int, int> epilogue_accesses(int lane) {
    int together = 0, apart = 0;
    const auto count = [&](const Access& a) {
      if (is_private(a) || a.index.empty()) return;
      const auto s = stride(program_, a, lane, extents_);
      ++(s == 0 || s == 1 ? together : apart);
    };
    for (const Statement& s : inner_)
      if (const auto* store = std::get_if<Store>(&s.node)) {
        count(store->target);
        for (const int r : reads_of(*store)) count(store->reads[static_cast<size_t>(r)]);
      }
    return {together, apart};
  }

  /// Cycles for each element and step of the reduction, more or less, if the axis runs in lanes; nothing
  /// where it cannot. `row`: the axis that goes with it, or -1.
  std::optional<double> time_of(int lane, int& row) {
    constexpr double kAlone = 4, kNoReuse = 1.5, kGather = 0.5, kCopied = 2, kOneByOne = 2, kTogether = 2,
                     kFoundAnew = 4;
    constexpr int64_t kLeast = 4;
    std::vector<const Access*> lanes, others;
    for (const int r : operands_of(program_, store())) {
      const Access& a = store().reads[static_cast<size_t>(r)];
      (mentions(a, lane) ? lanes : others).push_back(&a);
    }
    if (extent(lane) < kLeast || lanes.empty()) return std::nullopt;
    row = -1;
    int any_row = -1;
    double reuse = 1, steps = 1, out = 0;
    for (const int v : reduce_) steps *= static_cast<double>(extent(v));
    for (const int v : space_) {  // the innermost that the lanes' operands do not depend on
      if (v == lane) continue;
      const auto depends = [&](const Access* a) { return mentions(*a, v); };
      any_row = v;
      if (std::ranges::any_of(lanes, depends)) continue;
      reuse *= static_cast<double>(extent(v));
      if (std::ranges::any_of(others, depends)) row = v;
    }
    const bool shares = row >= 0;
    if (!shares) row = any_row;
    for (const Access* a : lanes) {
      if (in_place(*a, lane) || (is_constant(*a) && may_be_copied(*a))) continue;
      if (may_be_copied(*a) && shares)
        out += kCopied * static_cast<double>(options_.lanes) / reuse;
      else if (stride(program_, *a, lane, extents_) == 2)
        out += kGather;
      else
        return std::nullopt;
    }
    double each = row < 0 ? kAlone : row_cycles(extent(row)) * (shares ? 1 : kNoReuse);
    if (std::ranges::any_of(others, [&](const Access* a) { return is_found_anew(*a); })) each += kFoundAnew;
    const auto [together, apart] = epilogue_accesses(lane);
    const double epilogue =
        (kTogether * together + kOneByOne * static_cast<double>(options_.lanes) * apart) / steps;
    return out + vectors_for(extent(lane), options_) * (each + epilogue);
  }
  /// Whether a few elements are read of each page, of more than the caches hold.
  bool is_found_anew(const Access& a) const {
    const Buffer& b = buffer(a);
    return !loads(a) && skips_pages(program_, a, reduce_.back(), extents_) &&
           ir::byte_size(b.dtype, b.count()) > options_.far_bytes;
  }
  bool choose_axes() {
    std::optional<double> best;
    for (const int v : space_) {
      int row = -1;
      const auto time = time_of(v, row);
      if (!time || (best && *time >= *best)) continue;
      best = time;
      lane_ = v;
      row_ = row;
    }
    return lane_ >= 0;
  }

  /// Two axes as one, where every access goes through both without a gap: of an image that is read point by
  /// point the rows are one long row.
  bool collapse_two() {
    for (size_t n = 0; n + 1 < space_.size(); ++n) {
      const int outer = space_[n], inner = space_[n + 1];
      bool fits = true;
      for_each_store(inner_, [&](const Store& s) {
        for (const auto& in : s.value.code) fits = fits && in.op != ir::ScalarOp::kVar;
        for_each_access(s, [&](const Access& a) { fits = fits && collapses(a, outer, inner); });
      });
      if (!fits) continue;
      const int64_t width = extent(inner);
      const int both = new_variable("s", extent(outer) * width);
      const IndexExpr v = IndexExpr::var(both);
      substitute(inner_, [&](int i) {
        return i == outer ? v.floor_div(width) : i == inner ? v.mod(width) : IndexExpr::var(i);
      });
      space_[n] = both;
      space_.erase(space_.begin() + static_cast<std::ptrdiff_t>(n) + 1);
      return true;
    }
    return false;
  }
  bool collapses(const Access& a, int outer, int inner) const {
    if (!mentions(a, outer) && !mentions(a, inner)) return true;
    if (is_private(a) || !a.bounds.empty()) return false;
    bool found = false;
    for (size_t d = 0; d < a.index.size(); ++d)
      if (!found && d + 1 < a.index.size() && is_variable(a.index[d], outer) &&
          is_variable(a.index[d + 1], inner) && buffer(a).sizes[d + 1] == extent(inner)) {
        found = true;
        ++d;
      } else if (mentions(a.index[d], outer) || mentions(a.index[d], inner)) {
        return false;
      }
    return found;
  }

  // --- operands

  /// A copy with what lies outside written out, read without asking: filled, then copied inside. Where the
  /// index says by itself what lies outside, and the copy is not much larger or much is done with each of its
  /// elements; else nothing.
  std::vector<Statement> without_guards(Access& a) {
    constexpr double kWorthIt = 8;  // an element is filled, read and written; not asking saves part of a step
    if (a.bounds.empty() || is_made_here(a)) return {};
    std::vector<int64_t> sizes, firsts, begins,
        ends;  // of the copy; of its first element in the index; of the inside
    int64_t count = 1;
    for (const IndexExpr& i : a.index) {
      const auto affine = meaning::to_affine(i, extents_);
      if (!affine) return {};
      const auto [low, high] = affine->range(extents_);
      firsts.push_back(low);
      sizes.push_back(high - low + 1);
      begins.push_back(0);
      ends.push_back(sizes.back());
      count *= sizes.back();
    }
    for (const Bound& b : a.bounds) {
      size_t d = 0;
      while (d < a.index.size() && !apart(a.index[d], b.value)) ++d;
      if (d == a.index.size()) return {};
      const int64_t first = *apart(a.index[d], b.value) - firsts[d];
      begins[d] = std::max(begins[d], first);
      ends[d] = std::min(ends[d], first + b.below);
      if (begins[d] >= ends[d]) return {};
    }
    if (!is_little_more(count, buffer(a).count()) && steps() < kWorthIt * static_cast<double>(count))
      return {};
    Access all, inside, source;
    std::vector<IndexExpr> of_inside;
    source.buffer = a.buffer;
    all.buffer = inside.buffer = new_buffer(a, "padded", sizes);
    for (size_t d = 0; d < sizes.size(); ++d) {
      of_inside.push_back(IndexExpr::var(new_variable(names(d), ends[d] - begins[d])));
      inside.index.push_back(of_inside[d] + begins[d]);
      source.index.push_back(of_inside[d] + (begins[d] + firsts[d]));
      a.index[d] = a.index[d] - firsts[d];
    }
    std::vector<Statement> out;
    Store fill;
    fill.target = all;
    fill.value = constant_program(meaning::sort_of(buffer(a).dtype), a.fill);
    out.push_back(at_all_elements(program_, fill, extents_));
    out.push_back(copied(of_inside, inside, source));
    a.bounds.clear();
    a.buffer = all.buffer;
    return out;
  }
  /// Of the reduction, of all elements.
  double steps() const {
    double out = 1;
    for (const auto& axes : {space_, reduce_})
      for (const int v : axes) out *= static_cast<double>(extent(v));
    return out;
  }
  /// How far the first is from the second, if that is always the same.
  std::optional<int64_t> apart(const IndexExpr& a, const IndexExpr& b) const {
    const auto from = meaning::to_affine(a - b, extents_);
    return from && from->terms.empty() ? std::optional(from->constant) : std::nullopt;
  }

  /// The operand as the tile reads it. That of the lanes in panels of as many columns as there are lanes;
  /// another one only where finding its elements costs more than reading them.
  std::vector<Statement> laid_out(Access& a) {
    if (!may_be_copied(a) || !a.bounds.empty()) return {};
    const bool in_lanes = mentions(a, lane_), at_load = is_constant(a);
    if (in_lanes ? !at_load && !is_reused(a) && in_place(a, lane_) : is_affine(a)) return {};
    Access target, source = a, read;
    std::vector<int64_t> sizes;
    const auto dimension = [&](int64_t size, const IndexExpr& from) {
      sizes.push_back(size);
      target.index.push_back(IndexExpr::var(new_variable(names(sizes.size() - 1), size)));
      read.index.push_back(from);
      return target.index.back();
    };
    std::map<int, IndexExpr> in_source;
    const std::vector<int> axes = axes_of(a);
    for (const int v : axes)  // what is chosen outside
      if (v != lane_ && is_space(v)) in_source.emplace(v, dimension(extent(v), IndexExpr::var(v)));
    const int64_t lanes = std::min(options_.lanes, extent(lane_)),
                  panels = (extent(lane_) + lanes - 1) / lanes;
    const IndexExpr panel = in_lanes ? dimension(panels, IndexExpr::var(lane_).floor_div(lanes)) : 0;
    for (const int v : axes)
      if (!is_space(v)) in_source.emplace(v, dimension(extent(v), IndexExpr::var(v)));
    if (in_lanes) {
      const IndexExpr column = panel * lanes + dimension(lanes, IndexExpr::var(lane_).mod(lanes));
      in_source.emplace(lane_, column);
    }
    for_each_index(source, [&](IndexExpr& i) { i = substituted(i, [&](int v) { return in_source.at(v); }); });
    const bool ragged = in_lanes && panels * lanes > extent(lane_);
    if (ragged && at_load) source.bounds.push_back({in_source.at(lane_), extent(lane_)});
    read.buffer = target.buffer = new_buffer(a, in_lanes ? "panels" : "rows", sizes);
    a = std::move(read);
    const std::vector<IndexExpr> variables = target.index;
    Statement copy = copied(variables, std::move(target), source);
    if (!ragged || at_load) return one(std::move(copy));
    return whole_and_rest(program_, std::move(copy), panel, variables.back(), extent(lane_), extents_);
  }
  bool is_affine(const Access& a) const {
    return std::ranges::all_of(dimensions_of(buffer(a), a), [&](const Dimension& d) {
      return meaning::to_affine(d.index, extents_).has_value();
    });
  }
  /// Whether panels pay that are made in each run: read by several tiles.
  bool is_read_again(const Access& a) const {
    return row_ >= 0 && !mentions(a, row_) && extent(row_) >= kTilesForPanels * options_.rows;
  }
  bool is_reused(const Access& a) const { return is_read_again(a) && extent(lane_) % options_.lanes == 0; }
  /// Whether panels of it can be made right before they are read: no other operand is read in lanes, tiles
  /// have no columns (axes()), and there is more than one panel: of one the rows would not run in threads.
  bool may_be_in_panels(const Access& a) {
    if (!mentions(a, lane_) || is_constant(a) || !may_be_copied(a) || !a.bounds.empty() ||
        !is_read_again(a) || !in_place(a, lane_) || extent(lane_) < options_.lanes ||
        options_.lanes <= options_.block)
      return false;
    int64_t panel = options_.lanes, in_lanes = 0, panels = extent(lane_) / options_.lanes;
    for (const int v : space_)
      if (v != lane_ && mentions(a, v)) panels *= extent(v);
    if (panels == 1) return false;
    for (const int v : reduce_) panel *= extent(v);
    for (const int r : operands_of(program_, store()))
      in_lanes += static_cast<int64_t>(mentions(store().reads[static_cast<size_t>(r)], lane_));
    return in_lanes == 1 && ir::byte_size(buffer(a).dtype, panel) <= room_for_panels(options_);
  }
  bool is_private(const Access& a) const { return buffer(a).memory == Memory::kPrivate; }
  bool is_space(int variable) const { return std::ranges::find(space_, variable) != space_.end(); }
  bool names_validity(int read) {
    return std::ranges::any_of(store().value.code, [&](const auto& in) {
      return in.op == ir::ScalarOp::kValid && in.index == read;
    });
  }

  // --- loops

  /// Loops in order: those that the lanes' operand depends on, lanes, the others, rows. Of those outside the
  /// innermost that no other operand depends on comes last: tiles take several of it.
  ProductAxes axes() {
    ProductAxes out;
    out.lane = lane_;
    out.row = row_;
    out.reduce = reduce_;
    out.panels = panels_;
    const std::vector<int> operands = operands_of(program_, store());
    const auto depends = [&](int r, int v) { return mentions(store().reads[static_cast<size_t>(r)], v); };
    for (const int v : space_) {
      if (v == lane_ || v == row_) continue;
      const bool outside =
          std::ranges::any_of(operands, [&](int r) { return depends(r, lane_) && depends(r, v); });
      (outside ? out.outside : out.inside).push_back(v);
      const bool shared =
          std::ranges::any_of(operands, [&](int r) { return !depends(r, lane_); }) &&
          std::ranges::all_of(operands, [&](int r) { return depends(r, lane_) || !depends(r, v); });
      if (outside && shared && extent(lane_) <= options_.block) out.column = v;
    }
    if (out.column >= 0) {
      std::erase(out.outside, out.column);
      out.outside.push_back(out.column);
    }
    return out;
  }

  /// The loop of the reduction along which the operands that are not laid out anew lie together goes
  /// innermost.
  void order_reduction() {
    const auto together = [&](int v) {
      bool any = false, all = true;
      for (const int r : operands_of(program_, store())) {
        const Access& a = store().reads[static_cast<size_t>(r)];
        if (!mentions(a, v) || is_constant(a)) continue;
        any = true;
        all = all && stride(program_, a, v, extents_) == 1;
      }
      return any && all;
    };
    if (together(reduce_.back())) return;
    const auto at = std::ranges::find_if(reduce_, together);
    if (at == reduce_.end()) return;
    std::rotate(at, at + 1, reduce_.end());
    Statement body{std::move(store())};
    for (size_t i = reduce_.size(); i-- > 0;) {
      Loop loop;
      loop.variable = reduce_[i];
      loop.end = extent(reduce_[i]);
      loop.body.push_back(std::move(body));
      body = {std::move(loop)};
    }
    *only_loop(inner_) = std::move(std::get<Loop>(body.node));
  }

  LoopProgram& program_;
  const ScheduleOptions& options_;
  const std::set<int>& known_;
  std::vector<int64_t>& extents_;
  std::vector<int> space_;        // variables of the loops around
  std::vector<Statement> inner_;  // what they hold
  std::vector<int> reduce_;       // variables of the loops in there
  int lane_ = -1, row_ = -1;
  std::optional<LanePanels> panels_;
};

/// Whether iterations of each loop are parallel while those around it stand still; of what is written by one
/// access only, the loops around count as standing still wherever they are.
bool are_parallel(const LoopProgram& program, const std::vector<const Loop*>& loops,
                  const std::set<int>& shared, const std::vector<int64_t>& extents) {
  std::vector<int64_t> still = extents;
  return std::ranges::all_of(loops, [&](const Loop* l) {
    bool out = is_parallel(program, *l, shared, extents);
    if (!out) {
      const auto uses = uses_of(l->body);
      out = std::ranges::all_of(uses,
                                [&](const auto& use) {
                                  const Buffer& b = program.buffers[static_cast<size_t>(use.first)];
                                  return b.memory == Memory::kPrivate || !use.second.written ||
                                         use.second.accesses.size() == 1;
                                }) &&
            is_parallel(program, *l, shared, still);
    }
    still[static_cast<size_t>(l->variable)] = 1;
    return out;
  });
}

}  // namespace

LoopProgram tile_products(LoopProgram program, const ScheduleOptions& options) {
  const std::set<int> known = known_at_load(program);
  std::vector<int64_t> extents = extents_of(program);
  const std::set<int> shared = touched_by_several(program.body);
  std::vector<Statement> before = std::move(program.body), after;
  for (Statement& s : before) {
    const auto* loop = std::get_if<Loop>(&s.node);
    std::vector<Statement> tiled;
    if (loop != nullptr && combines(program, *loop, 1) &&
        are_parallel(program, chain_of(*loop).loops, shared, extents))
      tiled = Product(program, *loop, extents, known, options).tiled();
    if (tiled.empty()) tiled.push_back(std::move(s));
    std::ranges::move(tiled, std::back_inserter(after));
  }
  program.body = std::move(after);
  return program;
}

}  // namespace isomer::codegen
