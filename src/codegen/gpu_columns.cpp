#include "codegen/gpu_columns.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "codegen/accesses.h"
#include "codegen/collapse.h"
#include "codegen/make_loops.h"
#include "codegen/product_nest.h"

namespace isomer::codegen {
namespace {

using ir::IndexExpr;

class Columns {
 public:
  Columns(LoopProgram& program, const Chain& chain, std::vector<int64_t>& extents, const GpuOptions& options)
      : program_(program), chain_(chain), extents_(extents), options_(options) {}

  std::vector<Statement> run() {
    const std::vector<const Loop*> reduce = reductions_of(program_, chain_.inner(), 1);
    if (reduce.empty() || !fits(reduce)) return {};
    const Loop flat = collapsed(program_, reduce, extents_);
    const Store sum = std::get<Store>(flat.body[0].node);
    const int64_t count = flat.end.value(), columns = chain_.loops.back()->end.value();
    wide_ = options_.warp;
    groups_ = std::max<int64_t>(1, std::min(options_.threads / wide_, count));
    each_ = neighbours(columns);
    ahead_ = rows_ahead(count);
    block_ = variable("j0"), column_ = variable("t"), group_ = variable("tk"), step_ = variable("k0");
    if (each_ > 1) neighbour_ = variable("u");
    const int row = variable("k");
    const IndexExpr column = (IndexExpr::var(block_) * wide_ + IndexExpr::var(column_)) * each_ + neighbour();
    const IndexExpr number =
        (IndexExpr::var(step_) * ahead_ + IndexExpr::var(row)) * groups_ + IndexExpr::var(group_);

    std::vector<Statement> body;
    const Access own = partial("part", {each_, groups_, wide_}),
                 meeting = partial("parts", {each_, groups_, wide_ + 1});
    Store start;
    start.target = own;
    start.value = identity_program(sum.value.sort, *sum.combine);
    body.push_back(in_threads(start));
    Store step = sum;
    step.target = own;
    substitute_in(step, chain_.loops.back()->variable, column, columns, true);
    substitute_in(step, flat.variable, number, count, true);
    const int64_t steps = (count + groups_ * ahead_ - 1) / (groups_ * ahead_);
    body.push_back({make_loop(step_, 0, steps, LoopKind::kSerial,
                              one({make_loop(row, 0, ahead_, LoopKind::kUnrolled, one(in_threads(step)))}))});
    Store share;
    share.target = meeting;
    share.reads = {own};
    share.value = read_program(sum.value.sort, 0);
    body.push_back(in_threads(share));
    bool combined = false;
    for (const Statement& s : chain_.inner()) {
      const auto* store = std::get_if<Store>(&s.node);
      if (store != nullptr) {
        body.push_back(of_columns(*store, column, columns));
        continue;
      }
      combined = true;
      Store gather;
      gather.target = sum.target;
      gather.combine = sum.combine;
      gather.reads = {meeting};
      gather.value = read_program(sum.value.sort, 0);
      body.push_back(
          {make_loop(group_, 0, groups_, LoopKind::kUnrolled, one(of_columns(gather, column, columns)))});
    }
    if (!combined) return {};
    body = one({make_loop(block_, 0, (columns + span() - 1) / span(), LoopKind::kParallel, std::move(body))});
    for (size_t i = chain_.loops.size() - 1; i-- > 0;)
      body = one({make_loop(chain_.loops[i]->variable, 0, chain_.loops[i]->end.value(), LoopKind::kParallel,
                            std::move(body))});
    return body;
  }

 private:
  bool fits(const std::vector<const Loop*>& reduce) const {
    int64_t columns = 1, count = 1;
    for (const Loop* l : chain_.loops) columns *= l->end.value();
    for (const Loop* l : reduce) count *= l->end.value();
    const Store& s = *only_store(*only_loop(chain_.inner()));
    const Loop& last = *chain_.loops.back();
    if (count < options_.warp || last.end.value() < options_.warp ||
        columns > options_.blocks * options_.busy || mentions(s.target, last.variable))
      return false;
    for (const Statement& t : chain_.inner())
      if (const auto* store = std::get_if<Store>(&t.node); store != nullptr && loads(store->target))
        return false;
    // Something lies along the columns, and nothing along the sum alone.
    bool along = false;
    for (const int r : reads_of(s))  // what is private to a column is not there for all of its threads
      if (program_.buffers[static_cast<size_t>(s.reads[static_cast<size_t>(r)].buffer)].memory ==
          Memory::kPrivate)
        return false;
    for (const int r : operands_of(program_, s)) {
      const Access& a = s.reads[static_cast<size_t>(r)];
      if (loads(a)) return false;
      const bool down = stride(program_, a, reduce.back()->variable, extents_) == 1;
      const bool across = stride(program_, a, last.variable, extents_) == 1;
      along |= across;
      if (down && !across && mentions(a, last.variable)) return false;
    }
    return along && program_.buffers[static_cast<size_t>(s.target.buffer)].memory == Memory::kPrivate;
  }

  int variable(const char* name) {
    extents_.push_back(0);
    return add_variable(program_, name);
  }
  Access partial(const char* name, std::vector<int64_t> sizes) {
    const Store& sum = *only_store(*only_loop(chain_.inner()));
    Buffer b = program_.buffers[static_cast<size_t>(sum.target.buffer)];
    b.name = name + std::to_string(program_.buffers.size());
    b.sizes = std::move(sizes);
    b.memory = Memory::kPrivate;
    program_.buffers.push_back(std::move(b));
    made_.insert(static_cast<int>(program_.buffers.size()) - 1);
    return access_of(static_cast<int>(program_.buffers.size()) - 1,
                     {neighbour(), IndexExpr::var(group_), IndexExpr::var(column_)});
  }
  Statement in_threads(Store s) const {
    return of_each({make_loop(group_, 0, groups_, LoopKind::kThread,
                              one({make_loop(column_, 0, wide_, LoopKind::kThread, one({std::move(s)}))}))});
  }
  /// Of all neighbours of a thread.
  Statement of_each(Statement s) const {
    if (each_ == 1) return s;
    return {make_loop(neighbour_, 0, each_, LoopKind::kUnrolled, one(std::move(s)))};
  }
  IndexExpr neighbour() const { return each_ > 1 ? IndexExpr::var(neighbour_) : IndexExpr(0); }
  int64_t span() const { return wide_ * each_; }  ///< columns of a block

  /// Neighbours of a thread, which it reads together, where all threads have as many.
  int64_t neighbours(int64_t columns) const {
    constexpr int64_t kPair = 2;  // of 1, 2, 4 and 8 it was the fastest or within 4 % of it, on an H100
    return options_.together >= kPair && columns % (wide_ * kPair) == 0 ? kPair : 1;
  }
  /// Rows that a thread reads before it waits for the first of them.
  int64_t rows_ahead(int64_t count) const {
    int64_t out = options_.together;
    while (out > 1 && count % (groups_ * out) != 0) out /= 2;
    return out;
  }

  /// With a number in place of the variable; where that is beyond the end, nothing is read, or stored.
  void substitute_in(Store& s, int variable, const IndexExpr& number, int64_t end, bool guards) const {
    const int64_t step = variable == chain_.loops.back()->variable ? span() : groups_ * ahead_;
    for (const int r : reads_of(s))
      if (Access& a = s.reads[static_cast<size_t>(r)]; end % step != 0 && mentions(a, variable))
        a.bounds.push_back({number, end});
    for_each_index_of_store(s, [&](IndexExpr& i) {
      i = substituted(i, [&](int v) { return v == variable ? number : IndexExpr::var(v); });
    });
    if (guards && end % step != 0) s.target.bounds.push_back({number, end});
  }
  /// A store of the nest, by a thread for each column; what is private has a place for each.
  Statement of_columns(Store s, const IndexExpr& column, int64_t columns) {
    const bool is_private = program_.buffers[static_cast<size_t>(s.target.buffer)].memory == Memory::kPrivate;
    substitute_in(s, chain_.loops.back()->variable, column, columns, !is_private);
    for_each_access(s, [&](Access& a) { move(a); });
    return of_each({make_loop(column_, 0, wide_, LoopKind::kThread, one({std::move(s)}))});
  }
  void move(Access& a) {
    const Buffer old = program_.buffers[static_cast<size_t>(a.buffer)];
    if (old.memory != Memory::kPrivate || made_.contains(a.buffer)) return;
    const auto [known, is_new] = own_.try_emplace(a.buffer, static_cast<int>(program_.buffers.size()));
    if (is_new) {
      Buffer b = old;
      b.name += "_";
      b.sizes.insert(b.sizes.end(), {each_, wide_});
      program_.buffers.push_back(std::move(b));
      made_.insert(known->second);
    }
    a.buffer = known->second;
    a.index.insert(a.index.end(), {neighbour(), IndexExpr::var(column_)});
  }

  LoopProgram& program_;
  const Chain& chain_;
  std::vector<int64_t>& extents_;
  const GpuOptions& options_;
  std::map<int, int> own_;  // private buffers of the nest: those of all columns
  std::set<int> made_;
  int64_t wide_ = 0, groups_ = 0;  // threads: neighbouring columns, rows
  int64_t each_ = 1, ahead_ = 1;   // of a thread: neighbours, and rows at a time
  int block_ = -1, column_ = -1, group_ = -1, step_ = -1, neighbour_ = -1;
};

}  // namespace

std::vector<Statement> columns_together(LoopProgram& program, const Loop& top, size_t parallel,
                                        std::vector<int64_t>& extents, const GpuOptions& options) {
  const Chain chain = chain_of(top);
  if (chain.loops.size() != parallel ||
      !std::ranges::all_of(chain.loops, [](const Loop* l) { return starts_at_zero(*l); }))
    return {};
  return Columns(program, chain, extents, options).run();
}

}  // namespace isomer::codegen
