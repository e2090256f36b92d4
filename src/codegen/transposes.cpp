#include "codegen/transposes.h"

#include <algorithm>
#include <map>

#include "codegen/accesses.h"
#include "codegen/make_loops.h"
#include "codegen/product_nest.h"
#include "codegen/tile_plan.h"

namespace isomer::codegen {
namespace {

using ir::IndexExpr;

/// A stretch of a loop in steps of the side of a square; of side 1 where there is no room for any.
struct Stretch {
  int64_t begin = 0, end = 0, side = 1;
};
/// What is left over is in a square that begins within what was turned before: some elements are written
/// twice, the same both times.
std::vector<Stretch> stretches_of(int64_t count, int64_t most) {
  if (std::min(count, most) < kShortestOverlap) return {{0, count, 1}};
  int64_t side = most;
  while (side > count) side /= 2;
  const int64_t whole = count / side * side;
  std::vector<Stretch> out = {{0, whole, side}};
  if (whole == count) return out;
  const int64_t width = shortest_vector(count - whole);
  out.push_back({count - width, count, width});
  return out;
}

class Squares {
 public:
  Squares(LoopProgram& program, const Loop& loop, std::vector<int64_t>& extents)
      : program_(program), loops_(chain_of(loop).loops), store_(only_store(loop)), extents_(extents) {}

  std::vector<Statement> run(int64_t most) {
    std::vector<Statement> out;
    if (!find()) return out;
    const std::vector<Stretch> all_rows = stretches_of(write_->end.value(), most),
                               all_lanes = stretches_of(read_->end.value(), most);
    if (all_rows.size() + all_lanes.size() > 2)
      for (const Loop* l : loops_)
        if (l != write_ && l != read_) shared_.emplace(l, variable("p", l->end.value()));
    for (const Stretch& rows : all_rows)
      for (const Stretch& lanes : all_lanes) out.push_back(nest(rows, lanes));
    for (size_t i = loops_.size(); i-- > 0;)
      if (shared_.contains(loops_[i]))
        out = one({make_loop(shared_.at(loops_[i]), 0, loops_[i]->end, LoopKind::kSerial, std::move(out))});
    return out;
  }

 private:
  /// Whether no two iterations write one element, and none reads what another writes.
  bool writes_once() const {
    std::vector<std::pair<int64_t, int64_t>> steps;  // with how often each is taken
    for (const Loop* l : loops_) {
      const auto s = stride(program_, store_->target, l->variable, extents_);
      if (!s) return false;
      if (l->end.value() > 1) steps.emplace_back(*s, l->end.value());
    }
    std::ranges::sort(steps);
    int64_t farthest = 0;
    for (const auto& [step, times] : steps) {
      if (step <= farthest) return false;
      farthest += step * (times - 1);
    }
    return std::ranges::none_of(reads_of(*store_), [&](int r) {
      return store_->reads[static_cast<size_t>(r)].buffer == store_->target.buffer;
    });
  }

  bool find() {
    if (store_ == nullptr || store_->combine || loads(store_->target)) return false;
    if (!std::ranges::all_of(loops_, [](const Loop* l) { return starts_at_zero(*l); })) return false;
    const auto along = [&](const Access& a, const Loop* l) {
      return a.bounds.empty() && !loads(a) ? stride(program_, a, l->variable, extents_) : std::nullopt;
    };
    const std::vector<int> reads = reads_of(*store_);
    for (const Loop* l : loops_) {
      if (l->end.value() < kShortestOverlap) continue;
      if (along(store_->target, l) == 1) write_ = l;
      bool all = !reads.empty();
      for (const int r : reads) all = all && along(store_->reads[static_cast<size_t>(r)], l) == 1;
      if (all) read_ = l;
    }
    return write_ != nullptr && writes_once() && read_ != nullptr && write_ != read_ &&
           std::ranges::none_of(store_->value.code,
                                [](const auto& in) { return in.op == ir::ScalarOp::kVar; });
  }

  int variable(const char* name, int64_t extent) {
    program_.variables.emplace_back(name);
    extents_.push_back(extent);
    return static_cast<int>(program_.variables.size()) - 1;
  }
  static Statement around(Statement body, int variable, int64_t end, LoopKind kind) {
    Loop loop;
    loop.variable = variable;
    loop.end = end;
    loop.kind = kind;
    loop.body.push_back(std::move(body));
    return {std::move(loop)};
  }

  Statement nest(const Stretch& rows, const Stretch& lanes) {
    const int64_t side = std::min(rows.side, lanes.side);
    std::map<int, IndexExpr> by;
    std::vector<std::pair<int, int64_t>> outer;
    const auto split = [&](const Loop* l, const Stretch& s, const char* name) {
      const int64_t count = (s.end - s.begin) / side;
      outer.emplace_back(variable("s", count), count);
      IndexExpr e = IndexExpr::var(outer.back().first) * side + s.begin;
      const int within = variable(name, side);
      if (side > 1) e = e + IndexExpr::var(within);
      by.emplace(l->variable, e);
      return within;
    };
    int row = -1, lane = -1;
    for (const Loop* l : loops_)
      if (l == write_) {
        row = split(l, rows, "u");
      } else if (l == read_) {
        lane = split(l, lanes, "v");
      } else if (shared_.contains(l)) {
        by.emplace(l->variable, IndexExpr::var(shared_.at(l)));
      } else {
        outer.emplace_back(variable("p", l->end.value()), l->end.value());
        by.emplace(l->variable, IndexExpr::var(outer.back().first));
      }
    Store store = *store_;
    const std::vector<int> named = reads_of(store);
    for (size_t r = 0; r < store.reads.size(); ++r)
      if (std::ranges::find(named, static_cast<int>(r)) == named.end()) store.reads[r] = {};
    store.places.clear();
    const auto of = [&](int v) {
      return by.contains(v) ? by.at(v) : IndexExpr::var(v);
    };  // else it is of a loop around
    for_each_index_of_store(store, [&](IndexExpr& i) { i = simplified(substituted(i, of), extents_); });
    Statement out{std::move(store)};
    if (side > 1) {
      out = around(std::move(out), lane, side, LoopKind::kVector);
      out = around(std::move(out), row, side, LoopKind::kUnrolled);
    }
    for (size_t i = outer.size(); i-- > 0;)
      out = around(std::move(out), outer[i].first, outer[i].second, LoopKind::kSerial);
    return out;
  }

  LoopProgram& program_;
  std::vector<const Loop*> loops_;
  const Store* store_;
  std::vector<int64_t>& extents_;
  const Loop *read_ = nullptr, *write_ = nullptr;  // along which neighbours are read, and written
  std::map<const Loop*, int> shared_;  // variables of loops around all stretches, whose lines meet
};

}  // namespace

std::vector<Statement> in_squares(LoopProgram& program, const Loop& loop, int64_t most,
                                  std::vector<int64_t>& extents) {
  return Squares(program, loop, extents).run(most);
}

bool is_square(const LoopProgram& program, const Loop& rows, std::span<const int64_t> extents) {
  const auto* lanes = rows.body.size() == 1 ? std::get_if<Loop>(&rows.body[0].node) : nullptr;
  if (rows.kind != LoopKind::kUnrolled || lanes == nullptr || lanes->kind != LoopKind::kVector) return false;
  const auto* store = lanes->body.size() == 1 ? std::get_if<Store>(&lanes->body[0].node) : nullptr;
  if (store == nullptr || store->combine || loads(store->target)) return false;
  const int64_t side = rows.end.value() - rows.begin.value();
  const bool is_power = side >= kShortestOverlap && (side & (side - 1)) == 0;
  return is_power && lanes->end.value() - lanes->begin.value() == side &&
         stride(program, store->target, rows.variable, extents) == 1 &&
         stride(program, store->target, lanes->variable, extents).value_or(0) > 1 &&
         std::ranges::none_of(reads_of(*store), [&](int r) {
           return store->reads[static_cast<size_t>(r)].buffer == store->target.buffer;
         });
}

}  // namespace isomer::codegen
