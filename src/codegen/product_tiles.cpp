#include "codegen/product_tiles.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include "codegen/accesses.h"
#include "codegen/make_loops.h"
#include "codegen/product_nest.h"
#include "codegen/schedule.h"
#include "codegen/tile_plan.h"
#include "codegen/windows.h"
#include "meaning/nest.h"
#include "support/errors.h"

namespace isomer::codegen {
namespace {

using ir::IndexExpr;

class Tiles {
 public:
  Tiles(LoopProgram& program, const ProductAxes& axes, std::vector<int64_t>& extents,
        const ScheduleOptions& options)
      : program_(program), axes_(axes), extents_(extents), options_(options) {
    lanes_ = std::min(options.lanes, extent(axes.lane));
  }

  std::vector<Statement> run(std::vector<Statement> inner) {
    repeatable_ = is_repeatable(program_, inner);
    windows_ = in_windows(inner);
    const bool alone = !windows_ && nothing_shared(inner);
    if (alone && axes_.row >= 0) axes_.outside.push_back(std::exchange(axes_.row, -1));
    in_strips(inner);
    if (alone) vectors_as_rows(inner);
    plan();
    in_bands(inner);
    std::vector<Statement> body = in_steps(inner);
    if (body.empty()) body = nest(std::move(inner), true);
    REQUIRE(!axes_.panels, "panels that nobody makes");
    if (band_ >= 0) body = around(std::move(body), band_);
    std::vector<int> outside = axes_.outside;
    if (axes_.column >= 0) {
      std::erase(outside, axes_.column);
      body = in_columns(around(std::move(body), axes_.column));
    }
    for (size_t i = outside.size(); i-- > 0;) body = around(std::move(body), outside[i]);
    return body;
  }

 private:
  int64_t extent(int variable) const { return extents_[static_cast<size_t>(variable)]; }
  int64_t registers_of(int64_t lanes) const { return std::max<int64_t>(lanes / options_.block, 1); }

  std::vector<Statement> around(std::vector<Statement> body, int variable) const {
    Loop loop;
    loop.variable = variable;
    loop.end = variable == last_.first ? last_.second : extent(variable);
    loop.body = std::move(body);
    std::vector<Statement> out;
    out.push_back({std::move(loop)});
    return out;
  }

  /// Loops of lanes, of what is inside, of rows, taken apart.
  std::vector<Statement> nest(std::vector<Statement> inner, bool in_rows) {
    if (in_rows) unroll_reduction(inner);
    if (axes_.row >= 0) inner = around(std::move(inner), axes_.row);
    for (size_t i = axes_.inside.size(); i-- > 0;) inner = around(std::move(inner), axes_.inside[i]);
    std::vector<Statement> body = around(std::move(inner), axes_.lane);
    return in_lanes(std::get<Loop>(body[0].node), options_.lanes, in_rows);
  }

  /// Whether steps of the loop read what other rows of the tile read: side by side, all of that would be held
  /// in registers.
  bool meets_rows(const Store& store, int variable) const {
    return std::ranges::any_of(operands_of(program_, store), [&](int r) {
      return std::ranges::any_of(store.reads[static_cast<size_t>(r)].index, [&](const IndexExpr& i) {
        return mentions(i, variable) && mentions(i, axes_.row);
      });
    });
  }
  /// Innermost loops of the reduction, as long as it is not much code.
  void unroll_reduction(std::vector<Statement>& inner) {
    constexpr int64_t kMostSums = 128;
    if (axes_.row < 0) return;
    int64_t sums = plan_.columns * registers_of(lanes_) * plan_.runs[0].rows;
    std::vector<Loop*> loops;
    for (Loop* l = only_loop(inner); l != nullptr; l = only_loop(l->body)) loops.push_back(l);
    for (size_t i = loops.size(); i-- > 0;) {
      sums *= loops[i]->end.value();
      if (sums > kMostSums || meets_rows(*only_store(*loops[i]), loops[i]->variable)) return;
      loops[i]->kind = LoopKind::kUnrolled;
    }
  }

  /// The axis becomes one of `part` iterations; the variable of the parts, of which the last may be shorter.
  int split(std::vector<Statement>& inner, int& axis, int64_t part, const char* suffix) {
    const int old = axis, of = add_variable(program_, program_.variables[static_cast<size_t>(old)] + suffix);
    axis = add_variable(program_, program_.variables[static_cast<size_t>(old)]);
    extents_.push_back((extent(old) + part - 1) / part);
    extents_.push_back(part);
    const IndexExpr by = IndexExpr::var(of) * part + IndexExpr::var(axis);
    substitute(inner, [&](int v) { return v == old ? by : IndexExpr::var(v); });
    return of;
  }

  void bind(const std::vector<Statement>& body) {
    extents_.resize(program_.variables.size(), 0);
    add_extents(body, extents_);
  }

  /// Vectors of `lanes`, what is left over in vectors half as long, and so on; each with its rows.
  std::vector<Statement> in_lanes(const Loop& loop, int64_t lanes, bool with_rows) {
    const int64_t count = loop.end.value() - loop.begin.value();
    while (lanes > count) lanes /= 2;
    std::vector<Statement> parts = push_inside(program_, loop, lanes, LoopKind::kVector, extents_);
    const std::optional<LanePanels> panels = std::exchange(axes_.panels, {});
    if (parts.empty()) {
      Loop one = loop;
      if (panels) read_at_source(one.body, *panels, options_.lanes);
      if (with_rows) in_rows(one.body, axes_.inside.size(), 1);
      parts.push_back({std::move(one)});
      return parts;
    }
    bind(parts);
    if (with_rows) in_rows(std::get<Loop>(parts[0].node).body, axes_.inside.size(), registers_of(lanes));
    std::optional<Loop> rest;
    if (parts.size() > 1) {
      rest = std::move(std::get<Loop>(parts[1].node));
      parts.pop_back();
      if (panels) read_at_source(rest->body, *panels, options_.lanes);
      overlap(*rest, lanes, !panels);
    }
    if (panels) {
      Loop& main = std::get<Loop>(parts[0].node);
      int64_t around = 1;
      for (const int v : axes_.outside) around *= extent(v);
      const int64_t each = panels_at_once(program_, *panels, main.end.value(), around, extents_, options_);
      parts[0] = copied_in_groups(program_, std::move(main), axes_.inside.size(), *panels, each);
      bind(parts);
    }
    if (!rest) return parts;
    std::ranges::move(in_lanes(*rest, lanes, with_rows), std::back_inserter(parts));
    return parts;
  }

  /// What is left over begins earlier, where one vector does then: some elements are computed twice. Not
  /// before the panel that it may lie in, whose neighbours lie elsewhere.
  void overlap(Loop& rest, int64_t lanes, bool in_panels) const {
    const int64_t end = rest.end.value(), left = end - rest.begin.value();
    const int64_t width = shortest_vector(left), begin = end - width;
    if (!repeatable_ || width == left || width > lanes || begin < 0 ||
        (in_panels && begin / options_.lanes != (end - 1) / options_.lanes))
      return;
    rest.begin = begin;
  }

  /// The loop that many loops further in.
  void in_rows(std::vector<Statement>& body, size_t below, int64_t registers) {
    if (axes_.row < 0 || body.size() != 1) return;
    auto* loop = std::get_if<Loop>(&body[0].node);
    if (loop == nullptr) return;
    if (below > 0) return in_rows(loop->body, below - 1, registers);
    const std::vector<TilePlan::Run> runs = runs_of_rows(registers);
    std::vector<Statement> out;
    int64_t begin = 0;
    for (const TilePlan::Run& run : runs) {
      Loop part = *loop;
      part.begin = begin;
      part.end = begin + run.rows * run.groups;
      begin = part.end.value();
      std::vector<Statement> tiles =
          run.rows > 1 ? push_inside(program_, part, run.rows, LoopKind::kUnrolled, extents_)
                       : std::vector<Statement>();
      if (tiles.empty()) tiles.push_back({std::move(part)});
      bind(tiles);
      if (windows_ && run.rows > 1) read_rows_once(std::get<Loop>(tiles[0].node).body, extents_);
      std::ranges::move(tiles, std::back_inserter(out));
    }
    body = std::move(out);
  }

  std::vector<TilePlan::Run> runs_of_rows(int64_t registers) const {
    if (axes_.column >= 0) return plan_.runs;
    const int64_t rows = extent(axes_.row);
    if (!windows_) return plan_tiles(1, rows, registers, options_).runs;
    const int64_t most = most_rows_of_windows(axes_.reduce, registers, extents_, options_);
    return runs_of(rows, (rows + most - 1) / most);
  }

  std::vector<Statement> in_columns(std::vector<Statement> body) {
    std::vector<Statement> out;
    for (int64_t columns = plan_.columns; !body.empty();) {
      const Loop loop = std::move(std::get<Loop>(body[0].node));
      body.clear();
      columns = std::min(columns, loop.end.value() - loop.begin.value());
      std::vector<Statement> parts = columns > 1
                                         ? push_inside(program_, loop, columns, LoopKind::kUnrolled, extents_)
                                         : std::vector<Statement>();
      if (parts.empty()) parts.push_back({loop});
      bind(parts);
      out.push_back(std::move(parts[0]));
      if (parts.size() > 1) body.push_back(std::move(parts[1]));
    }
    return out;
  }

  void plan() {
    plan_ = plan_tiles(axes_.column < 0 ? 1 : extent(axes_.column), axes_.row < 0 ? 1 : extent(axes_.row),
                       registers_of(lanes_), options_);
  }

  // --- what no rows share

  /// Whether no rows read the same of the lanes' operands: a product of a matrix and a vector, also many of
  /// them.
  bool nothing_shared(const std::vector<Statement>& inner) const {
    const Loop* loop = only_loop(inner);
    if (axes_.column >= 0 || loop == nullptr) return false;
    for (const int v : axes_.inside)
      if (extent(v) > 1) return false;
    const Store& store = *only_store(*loop);
    return axes_.row < 0 || extent(axes_.row) == 1 ||
           std::ranges::all_of(
               operands_of(program_, store),
               [&](int r) {
                 const Access& a = store.reads[static_cast<size_t>(r)];
                 return !mentions(a, axes_.lane) || mentions(a, axes_.row);
               });
  }
  /// Whether rows of a tile read what others of it read in lanes (windows.h).
  bool in_windows(const std::vector<Statement>& inner) const {
    const Loop* loop = only_loop(inner);
    return axes_.column < 0 && loop != nullptr &&
           std::ranges::all_of(
               axes_.inside, [&](int v) { return extent(v) == 1; }) &&
           meets_in_windows(program_, *only_store(*loop), axes_.lane, axes_.row, axes_.reduce, extents_);
  }
  /// Vectors beside each other become the rows of the tile: they share what the lanes do not depend on, and
  /// lines are read as a whole.
  void vectors_as_rows(std::vector<Statement>& inner) {
    const int64_t all = extent(axes_.lane);
    if (axes_.row >= 0 || all < 2 * lanes_ || all % lanes_ != 0) return;
    axes_.row = split(inner, axes_.lane, lanes_, "s");
  }
  // --- a strip of the lanes at a time

  /// Whether the operand of the lanes is read down its columns, a page from each element to the next, and
  /// more of it than stays near: each line of memory is then found anew.
  bool reads_down_pages(const Store& store) const {
    if (axes_.reduce.size() != 1 || bytes_of(store, true) <= options_.near_bytes) return false;
    return std::ranges::any_of(operands_of(program_, store), [&](int r) {
      const Access& a = store.reads[static_cast<size_t>(r)];
      return stride(program_, a, axes_.lane, extents_) == 1 &&
             skips_pages(program_, a, axes_.reduce[0], extents_);
    });
  }
  /// The largest divisor of a number from `least` to `most` that is a multiple of `of`; 0: none.
  static int64_t divisor(int64_t number, int64_t least, int64_t most, int64_t of) {
    for (int64_t d = most / of * of; d >= least && d > 0; d -= of)
      if (number % d == 0) return d;
    return 0;
  }
  /// Few rows of so long a strip at a time that lines are read on from, all of the strip before the next
  /// rows: the sums of the strip are in memory meanwhile, near.
  void in_strips(std::vector<Statement>& inner) {
    constexpr int64_t kShortest = 128, kLongest = 512, kFewest = 8, kMost = 24, kFloat = 4, kPart = 2;
    const Loop* loop = only_loop(inner);
    if (axes_.column >= 0 || axes_.panels || loop == nullptr || !reads_down_pages(*only_store(*loop))) return;
    const int64_t longest =
        std::min(kLongest, options_.near_bytes / kPart / kFloat / std::max<int64_t>(shared_rows(), 1));
    const int64_t strip = divisor(extent(axes_.lane), kShortest, longest, options_.lanes);
    const int64_t steps = divisor(extent(axes_.reduce[0]), kFewest, kMost, 1);
    if (strip == 0 || steps == 0) return;
    steps_ = steps;
    axes_.outside.push_back(split(inner, axes_.lane, strip, "s"));
  }

  // --- a band of the image at a time

  /// Bytes of the operands that depend on lanes, or of the others, once each.
  int64_t bytes_of(const Store& store, bool of_lanes) const {
    int64_t out = 0;
    for (const int r : operands_of(program_, store)) {
      const Access& a = store.reads[static_cast<size_t>(r)];
      if (mentions(a, axes_.lane) != of_lanes) continue;
      int64_t count = 1;
      for (size_t v = 0; v < extents_.size(); ++v)
        if (mentions(a, static_cast<int>(v))) count *= extents_[v];
      const Buffer& b = program_.buffers[static_cast<size_t>(a.buffer)];
      out += ir::byte_size(b.dtype, std::min(count, b.count()));
    }
    return out;
  }
  /// Products of registers.
  double steps_of_all() const {
    double out = static_cast<double>(extent(axes_.lane)) / static_cast<double>(options_.block);
    for (const auto& axes : {axes_.outside, axes_.inside, axes_.reduce, std::vector<int>{axes_.row}})
      for (const int v : axes) out *= v < 0 ? 1 : static_cast<double>(extent(v));
    return out;
  }
  /// Bytes of the sums that a group of columns works on.
  int64_t bytes_of_sums() const {
    constexpr int64_t kFloat = 4;
    return shared_rows() * plan_.columns * lanes_ * kFloat;
  }
  /// Where an image, or the sums between parts of the reduction, would come from beyond the cache again and
  /// again, a band of rows is worked on at a time: by all columns before the next one if it is the image,
  /// else by each.
  void in_bands(std::vector<Statement>& inner) {
    constexpr double kBytesAtOnce = 0.2;      // for each product of registers
    constexpr int64_t kImage = 2, kSums = 8;  // parts of the cache
    const auto of = std::ranges::find_if(axes_.inside, [&](int v) { return extent(v) > 1; });
    if (axes_.column < 0 || of == axes_.inside.end()) return;
    const Store& store = *only_store(*only_loop(inner));
    const int64_t passes = (extent(axes_.column) + plan_.columns - 1) / plan_.columns;
    const int64_t parts = extent(axes_.reduce[0]) / steps_at_once(store);
    const int64_t image = bytes_of(store, false), far = options_.far_bytes;
    const int64_t of_image = image > far / kImage ? image * passes : 0;
    const int64_t of_sums =
        parts > 1 && bytes_of_sums() > far / kSums ? 2 * parts * passes * bytes_of_sums() : 0;
    const double little = kBytesAtOnce * steps_of_all();
    if (static_cast<double>(of_image + of_sums) < little) return;
    int64_t bands = parts > 1 ? (bytes_of_sums() + far / kSums - 1) / (far / kSums) : 1;
    const bool outside = static_cast<double>(of_image) >= little;
    if (outside) bands = std::max(bands, (image + far / kImage - 1) / (far / kImage));
    bands = std::min(bands, extent(*of));
    if (bands == 1 || (outside && bands * bytes_of(store, true) > of_image + of_sums)) return;
    in_so_many(inner, *of, bands, outside);
  }
  void in_so_many(std::vector<Statement>& inner, int& variable, int64_t bands, bool outside) {
    const int64_t all = extent(variable), rows = (all + bands - 1) / bands;
    const int band = split(inner, variable, rows, "b");
    if (all % rows != 0) last_ = {variable, min(IndexExpr::var(band) * -rows + all, rows)};
    if (outside)
      axes_.outside.insert(axes_.outside.begin(), band);
    else
      band_ = band;
  }

  // --- a part of the reduction at a time

  /// Whether an index of the operand goes through both.
  static bool meet(const Access& a, int one, int other) {
    return std::ranges::any_of(a.index,
                               [&](const IndexExpr& i) { return mentions(i, one) && mentions(i, other); });
  }
  /// Bytes of the other operands that a row of tiles reads in a step of the outermost loop of the reduction,
  /// if the next row reads them again.
  int64_t bytes_read_again(const Store& store) const {
    int64_t out = 0;
    for (const int r : operands_of(program_, store)) {
      const Access& a = store.reads[static_cast<size_t>(r)];
      if (mentions(a, axes_.lane)) continue;
      int64_t count = extent(axes_.row);
      bool again = false;
      for (size_t i = 1; i < axes_.reduce.size(); ++i) {
        const int v = axes_.reduce[i];
        for (const int row : axes_.inside) again = again || meet(a, v, row);
        if (mentions(a, v) && !meet(a, v, axes_.row)) count *= extent(v);
      }
      if (again) out += ir::byte_size(program_.buffers[static_cast<size_t>(a.buffer)].dtype, count);
    }
    return out;
  }
  /// Steps of the outermost loop of the reduction that are taken at a time, so that all that is read again
  /// stays near; all, if that is all.
  int64_t steps_at_once(const Store& store) const {
    constexpr int64_t kPart = 2;  // of the cache
    constexpr int64_t kFloat = 4;
    const int64_t all = extent(axes_.reduce[0]);
    int64_t each = plan_.columns * lanes_ * kFloat;
    for (size_t i = 1; i < axes_.reduce.size(); ++i) each *= extent(axes_.reduce[i]);
    if (axes_.row >= 0) each += bytes_read_again(store);
    const int64_t most = std::max<int64_t>(options_.near_bytes / kPart / each, 1);
    // One loop streams its panel well from the next cache, and sums that go to memory between parts cost
    // more.
    const bool streams = axes_.reduce.size() == 1 && all * each <= options_.far_bytes / kPart;
    if (all <= most || streams) return all;
    int64_t parts = (all + most - 1) / most;
    while (all % parts != 0) ++parts;
    return all / parts;
  }
  /// Rows that share what a tile reads of the lanes' operand.
  int64_t shared_rows() const {
    int64_t out = axes_.row < 0 ? 1 : extent(axes_.row);
    for (const int v : axes_.inside) out *= extent(v);
    return out;
  }

  /// Where the sums are between parts of the reduction: in the result, or in memory of their own.
  Access sums(const std::vector<Statement>& inner, const Buffer& acc) {
    const Store* only = nullptr;
    int stores = 0;
    bool fits = true;
    std::vector<int> space = axes_.outside;
    space.insert(space.end(), axes_.inside.begin(), axes_.inside.end());
    space.push_back(axes_.lane);
    if (band_ >= 0) space.push_back(band_);
    if (axes_.row >= 0) space.push_back(axes_.row);
    for_each_store(inner, [&](const Store& s) {
      const Buffer& to = program_.buffers[static_cast<size_t>(s.target.buffer)];
      if (to.memory == Memory::kPrivate) return;
      only = &s;
      ++stores;
      fits = fits && to.dtype == acc.dtype;
    });
    for_each_store(inner, [&](const Store& s) {
      for (const int r : reads_of(s))
        fits = fits && (only == nullptr || s.reads[static_cast<size_t>(r)].buffer != only->target.buffer);
    });
    if (stores == 1 && fits &&
        std::ranges::all_of(space, [&](int v) { return extent(v) == 1 || mentions(only->target, v); }))
      return only->target;
    Access out;
    Buffer b;
    b.name = "sums" + std::to_string(program_.buffers.size());
    b.dtype = acc.dtype;
    std::ranges::rotate(space, std::ranges::find(space, axes_.lane));
    std::ranges::rotate(space, space.begin() + 1);  // lanes last
    for (const int v : space) {
      b.sizes.push_back(extent(v));
      out.index.push_back(IndexExpr::var(v));
    }
    out.buffer = static_cast<int>(program_.buffers.size());
    program_.buffers.push_back(std::move(b));
    return out;
  }

  /// Whether all that is done after the sums were fetched is to put them where they are.
  static bool puts_back(const std::vector<Statement>& fetched, int kept, int sum) {
    const auto* store = fetched.size() == 2 ? std::get_if<Store>(&fetched[1].node) : nullptr;
    if (store == nullptr || store->target.buffer != kept || store->combine || store->value.code.size() != 1)
      return false;
    const auto& in = store->value.code[0];
    return in.op == ir::ScalarOp::kRead && store->reads[static_cast<size_t>(in.index)].buffer == sum;
  }

  /// Sums begin in memory, parts of the reduction go on with them, then the rest of the nest reads them; none
  /// where all of what tiles share is near already.
  std::vector<Statement> in_steps(const std::vector<Statement>& inner) {
    constexpr int64_t kWorthIt = 4;                  // tiles
    if (axes_.column < 0 && steps_ == 0) return {};  // lanes go through all columns: nothing would stay near
    const int64_t all = extent(axes_.reduce[0]);
    const int64_t steps = steps_ > 0 ? steps_ : steps_at_once(*only_store(*only_loop(inner)));
    if (steps == all || (steps_ == 0 && shared_rows() < kWorthIt * plan_.runs[0].rows)) return {};
    size_t at = 0;  // of the reduction
    while (!std::holds_alternative<Loop>(inner[at].node)) ++at;
    const Store& sum = *only_store(std::get<Loop>(inner[at].node));
    const Buffer acc = program_.buffers[static_cast<size_t>(sum.target.buffer)];
    if (acc.memory != Memory::kPrivate || !acc.sizes.empty()) return {};
    const Access kept = sums(inner, acc);
    const auto moved = [&](const Access& to, const Access& from) {
      Store s;
      s.target = to;
      s.reads = {from};
      s.value = read_program(sum.value.sort, 0);
      return Statement{std::move(s)};
    };
    const Statement keep = moved(kept, sum.target), again = moved(sum.target, kept);
    std::vector<Statement> first(inner.begin(), inner.begin() + static_cast<std::ptrdiff_t>(at)),
        middle = {again, inner[at], keep}, last = {again};
    first.push_back(keep);
    last.insert(last.end(), inner.begin() + static_cast<std::ptrdiff_t>(at) + 1, inner.end());
    Loop& loop = std::get<Loop>(middle[1].node);
    const int part = split(loop.body, loop.variable, steps, "0");
    loop.end = steps;
    repeatable_ = false;
    std::vector<Statement> out = nest(std::move(first), false);
    std::ranges::move(around(nest(std::move(middle), true), part), std::back_inserter(out));
    if (!puts_back(last, kept.buffer, sum.target.buffer))
      std::ranges::move(nest(std::move(last), false), std::back_inserter(out));
    return out;
  }

  LoopProgram& program_;
  ProductAxes axes_;
  std::vector<int64_t>& extents_;
  const ScheduleOptions& options_;
  int64_t lanes_ = 1;
  bool repeatable_ = false, windows_ = false;
  TilePlan plan_;
  int64_t steps_ = 0;                         ///< of the reduction at a time, of a strip; 0: no strips
  int band_ = -1;                             ///< the loop of bands for each group of columns
  std::pair<int, IndexExpr> last_ = {-1, 0};  ///< a loop that is shorter in the last band, and its end
};

}  // namespace

std::vector<Statement> tiles_of(LoopProgram& program, std::vector<Statement> inner, const ProductAxes& axes,
                                std::vector<int64_t>& extents, const ScheduleOptions& options) {
  return Tiles(program, axes, extents, options).run(std::move(inner));
}

}  // namespace isomer::codegen
