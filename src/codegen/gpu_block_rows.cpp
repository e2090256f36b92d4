#include "codegen/gpu_block_rows.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "codegen/accesses.h"
#include "codegen/collapse.h"
#include "codegen/gpu_product_nest.h"
#include "codegen/make_loops.h"

namespace isomer::codegen {
namespace {

using ir::IndexExpr;

class BlockRows {
 public:
  BlockRows(LoopProgram& program, const CombiningNest& nest, const GpuOptions& options)
      : program_(program), nest_(nest), options_(options) {}

  std::optional<BlockSteps> run(bool later) {
    const int64_t rows = iterations(nest_.space), count = iterations(nest_.reduce);
    beside_ = std::min(rows, options_.threads);
    while (rows % beside_ != 0) --beside_;
    turns_ = rows / beside_;
    if (turns_ > kMostTurns) return std::nullopt;
    const int64_t most = rows == 1 ? options_.threads : std::min(kMostShares, options_.threads / beside_);
    for (shares_ = 1; shares_ * 2 <= most && shares_ * 2 <= count;) shares_ *= 2;
    turn_ = add_variable(program_, "n"), row_ = add_variable(program_, "t"),
    share_ = add_variable(program_, "tk");
    rows_inside_ = !reduces_neighbours();
    sum_ = own("share");
    BlockSteps out;
    for (const Store& s : nest_.before) {
      Store start = s;
      start.target = at(sum_);
      start.places.clear();  // named by nothing
      out.before.push_back(by_all(std::move(start)));
    }
    out.each = one(step(count));
    out.after = rows == 1 ? only_row() : met();
    if (later) return out;
    std::ranges::move(out.each, std::back_inserter(out.before));
    std::ranges::move(out.after, std::back_inserter(out.before));
    return BlockSteps{{}, std::move(out.before), {}};
  }

 private:
  static constexpr int64_t kMostTurns = 16, kMostShares = 32;

  /// Whether what is read lies along the reduction.
  bool reduces_neighbours() const {
    std::vector<int64_t> extents(program_.variables.size(), 0);
    for (const auto* loops : {&nest_.space, &nest_.reduce})
      for (const Loop* l : *loops) extents[static_cast<size_t>(l->variable)] = l->end.value();
    return std::ranges::any_of(reads_of(*nest_.combine), [&](int r) {
      const Access& a = nest_.combine->reads[static_cast<size_t>(r)];
      return !a.index.empty() && stride(program_, a, nest_.reduce.back()->variable, extents) == 1;
    });
  }

  std::pair<int, int64_t> rows() const { return {row_, beside_}; }
  std::pair<int, int64_t> shares() const { return {share_, shares_}; }
  int own(const char* name) {
    const Buffer sum = program_.buffers[static_cast<size_t>(nest_.combine->target.buffer)];
    const int64_t outer = rows_inside_ ? shares_ : beside_, inner = rows_inside_ ? beside_ : shares_;
    return add_private(program_, name, sum.dtype, {turns_, outer, inner});
  }
  Access at(int buffer) const {
    return access_of(buffer, {IndexExpr::var(turn_), IndexExpr::var(rows_inside_ ? share_ : row_),
                              IndexExpr::var(rows_inside_ ? row_ : share_)});
  }
  Statement over_turns(Statement s) const {
    return {make_loop(turn_, 0, turns_, LoopKind::kUnrolled, one(std::move(s)))};
  }
  Statement by_all(Store s) const {
    const std::pair<int, int64_t> threads[] = {rows_inside_ ? shares() : rows(),
                                               rows_inside_ ? rows() : shares()};
    return over_turns(loops_around(threads, LoopKind::kThread, {std::move(s)}));
  }
  /// With the number of the row for the nest's own variables.
  Store of_row(Store s) const {
    put_digits(s, nest_.space, IndexExpr::var(turn_) * beside_ + IndexExpr::var(row_));
    return s;
  }

  /// Each thread's share, of every `shares_`-th element.
  Statement step(int64_t count) {
    const int k = add_variable(program_, "k");
    Store s = *nest_.combine;
    s.target = at(sum_);
    const IndexExpr number = IndexExpr::var(k) * shares_ + IndexExpr::var(share_);
    if (count % shares_ != 0) {
      for (const int r : reads_of(s)) s.reads[static_cast<size_t>(r)].bounds.push_back({number, count});
      s.target.bounds.push_back({number, count});
    }
    s = of_row(std::move(s));
    put_digits(s, nest_.reduce, number);
    const int64_t steps = (count + shares_ - 1) / shares_;
    if (steps <= options_.unrolled)
      return {make_loop(k, 0, steps, LoopKind::kUnrolled, one(by_all(std::move(s))))};
    constexpr int64_t kUnrolled = 8;
    int64_t together = kUnrolled;
    while (steps % together != 0) together /= 2;
    const int outer = add_variable(program_, "k0"), inner = add_variable(program_, "k");
    std::vector<Statement> body = one(by_all(std::move(s)));
    substitute(body, [&](int v) {
      return v == k ? IndexExpr::var(outer) * together + IndexExpr::var(inner) : IndexExpr::var(v);
    });
    body = one({make_loop(inner, 0, together, LoopKind::kUnrolled, std::move(body))});
    return {make_loop(outer, 0, steps / together, LoopKind::kSerial, std::move(body))};
  }

  /// What all threads have is combined by warps.
  std::vector<Statement> only_row() const {
    std::vector<Statement> out;
    for (const Store& s : nest_.before) out.push_back({of_one(s)});
    out.push_back(by_all(gathered(at(sum_))));
    for (const Store& s : nest_.after) out.push_back({of_one(s)});
    return out;
  }
  Store of_one(Store s) const {
    put_digits(s, nest_.space, 0);
    return s;
  }
  Store gathered(Access from) const {
    Store out;
    out.target = nest_.combine->target;
    out.combine = nest_.combine->combine;
    out.reads = {std::move(from)};
    out.value = read_program(nest_.combine->value.sort, 0);
    return out;
  }

  /// A thread for each row takes all shares together.
  std::vector<Statement> met() {
    const Buffer old = program_.buffers[static_cast<size_t>(nest_.combine->target.buffer)];
    const int shared = own("shares"), whole = add_private(program_, "row", old.dtype, {turns_, beside_});
    if (!rows_inside_) program_.buffers[static_cast<size_t>(shared)].sizes.back() += 1;  // other banks
    const auto of_whole = [&](Access& a) {
      if (a.buffer == nest_.combine->target.buffer)
        a = access_of(whole, {IndexExpr::var(turn_), IndexExpr::var(row_)});
    };
    const auto by_rows = [&](Store s) {
      for_each_access(s, of_whole);
      return over_turns({make_loop(row_, 0, beside_, LoopKind::kThread, one({of_row(std::move(s))}))});
    };
    Store say;
    say.target = at(shared);
    say.reads = {at(sum_)};
    say.value = read_program(nest_.combine->value.sort, 0);
    std::vector<Statement> out = one(by_all(std::move(say)));
    for (const Store& s : nest_.before) out.push_back(by_rows(s));
    out.push_back({make_loop(share_, 0, shares_, LoopKind::kUnrolled, one(by_rows(gathered(at(shared)))))});
    for (const Store& s : nest_.after) out.push_back(by_rows(s));
    return out;
  }

  LoopProgram& program_;
  const CombiningNest& nest_;
  const GpuOptions& options_;
  int64_t beside_ = 1, turns_ = 1, shares_ = 1;  ///< rows at a time; threads of a row
  bool rows_inside_ = false;                     ///< neighbouring threads have neighbouring rows
  int turn_ = -1, row_ = -1, share_ = -1;        ///< variables
  int sum_ = -1;
};

}  // namespace

std::optional<BlockSteps> block_rows(LoopProgram& program, const CombiningNest& nest, bool later,
                                     const GpuOptions& options) {
  return BlockRows(program, nest, options).run(later);
}

}  // namespace isomer::codegen
