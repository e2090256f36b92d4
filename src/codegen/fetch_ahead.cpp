#include "codegen/fetch_ahead.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "codegen/accesses.h"

namespace isomer::codegen {
namespace {

using ir::IndexExpr;

class Fetching {
 public:
  explicit Fetching(const LoopProgram& program) : program_(program), extents_(extents_of(program)) {}

  std::map<const Loop*, std::vector<Fetch>> run() {
    for (const Statement& s : program_.body)
      if (const auto* loop = std::get_if<Loop>(&s.node)) {
        fetched_.clear();
        within(*loop);
      }
    return std::move(out_);
  }

 private:
  void within(const Loop& loop) {
    if (is_counted(loop)) around_.push_back(&loop);
    if (is_counted(loop) && !holds_counted(loop.body)) steps(loop);
    for (const Statement& s : loop.body)
      if (const auto* inner = std::get_if<Loop>(&s.node)) within(*inner);
    if (is_counted(loop)) around_.pop_back();
  }
  static bool is_counted(const Loop& loop) {
    return loop.kind == LoopKind::kSerial || loop.kind == LoopKind::kParallel;
  }
  static bool holds_counted(const std::vector<Statement>& body) {
    return std::ranges::any_of(body, [](const Statement& s) {
      const auto* loop = std::get_if<Loop>(&s.node);
      return loop != nullptr && (is_counted(*loop) || holds_counted(loop->body));
    });
  }
  int64_t count(const Loop& loop) const {
    const auto first = loop.begin.kind() == IndexExpr::Kind::kConst ? loop.begin.value() : 0;
    return most_of(loop.end).value_or(first) - first;
  }

  /// An innermost loop, but for vectors and what is written out. Of several nests that read one buffer within
  /// a loop the first one fetches.
  void steps(const Loop& loop) {
    std::set<int> seen;
    written_out(loop.body, [&](const Store& store, const std::vector<const Loop*>& within) {
      if (!store.combine) return;
      for (const int r : reads_of(store)) {
        const Access& a = store.reads[static_cast<size_t>(r)];
        const Buffer& b = program_.buffers[static_cast<size_t>(a.buffer)];
        if (b.memory != Memory::kInput || loads(a) || !a.bounds.empty() || !seen.insert(a.buffer).second ||
            fetched_.contains(a.buffer))
          continue;
        if (fetch(loop, a, within)) fetched_.insert(a.buffer);
      }
    });
  }
  template <class Visit>
  void written_out(const std::vector<Statement>& body, Visit&& visit, std::vector<const Loop*> within = {}) {
    for (const Statement& s : body)
      if (const auto* loop = std::get_if<Loop>(&s.node)) {
        within.push_back(loop);
        written_out(loop->body, visit, within);
        within.pop_back();
      } else {
        visit(std::get<Store>(s.node), within);
      }
  }

  /// Steps of the reduction, which lie together; tiles of rows around them, which read the same; then a loop
  /// that goes on to another panel.
  bool fetch(const Loop& innermost, const Access& a, const std::vector<const Loop*>& within) {
    // By reasoning, none was measured by itself: of less than kLeastBytes few lines would come from memory;
    // more than kMostBytes are out of the second cache before they are read; among more than kMostTiles the
    // first tile, which alone waits for memory, is a small share; each stream is an instruction in each step.
    constexpr int64_t kLeastBytes = 2 << 10, kMostBytes = 512 << 10, kMostTiles = 64, kMostStreams = 4,
                      kMostOfRead = 2;
    size_t at = around_.size();
    int64_t each = 0, all = 1, tiles = 1;
    IndexExpr step = 0, tile = 0;
    for (; at > 0; --at) {
      const Loop& l = *around_[at - 1];
      const auto s = stride(program_, a, l.variable, extents_);
      if (!s || *s == 0 || (each != 0 && *s != each * all)) break;
      if (each == 0) each = *s;
      step = step + (IndexExpr::var(l.variable) - l.begin) * all;
      all *= count(l);
    }
    for (; at > 0; --at) {
      const Loop& l = *around_[at - 1];
      if (stride(program_, a, l.variable, extents_) != 0) break;
      tile = tile + (IndexExpr::var(l.variable) - l.begin) * tiles;
      tiles *= count(l);
    }
    if (at == 0 || each <= 0 || all <= 0 || tiles < 2 || tiles > kMostTiles) return false;
    const Loop& next = *around_[at - 1];
    const auto panel = stride(program_, a, next.variable, extents_);
    const Buffer& b = program_.buffers[static_cast<size_t>(a.buffer)];
    const int64_t bytes = ir::byte_size(b.dtype, each * all);
    // Where panels overlap (lanes that are read in place: steps are whole rows of the matrix), the next one
    // is not what follows, and all would be fetched again for each.
    if (!panel || *panel < each * all || bytes < kLeastBytes || bytes > kMostBytes) return false;
    // What is written out besides are elements of a step, of which most are read, or panels beside each
    // other.
    std::vector<std::pair<int, int64_t>> beside;
    int64_t streams = 1, read = 1;
    for (const Loop* l : within) {
      const auto s = stride(program_, a, l->variable, extents_);
      if (!s) return false;
      if (l->kind == LoopKind::kVector || *s < each * all) {
        if (*s != 0) read *= count(*l);
        continue;
      }
      beside.emplace_back(l->variable, count(*l));
      streams *= count(*l);
    }
    if (streams > kMostStreams || each > kMostOfRead * read) return false;
    const int64_t share = (each + tiles - 1) / tiles;
    for (int64_t n = 0; n < streams; ++n) {
      std::map<int, int64_t> numbers;
      int64_t rest = n;
      for (const auto& [variable, size] : beside) {
        numbers[variable] = rest % size;
        rest /= size;
      }
      out_[&innermost].push_back(
          {a.buffer, first_of(a, next, numbers, at) + (tile * all + step) * share, share});
    }
    return true;
  }
  /// The first element that the next iteration of that loop reads.
  IndexExpr first_of(const Access& a, const Loop& next, const std::map<int, int64_t>& numbers, size_t at) {
    IndexExpr out = 0;
    for (const Dimension& d : dimensions_of(program_.buffers[static_cast<size_t>(a.buffer)], a))
      out = out + d.index * d.step;
    return substituted(out, [&](int v) {
      if (v == next.variable) return IndexExpr::var(v) + 1;
      for (size_t i = 0; i < at; ++i)
        if (around_[i]->variable == v) return IndexExpr::var(v);
      for (size_t i = at; i < around_.size(); ++i)
        if (around_[i]->variable == v) return around_[i]->begin;
      const auto number = numbers.find(v);
      return IndexExpr(number == numbers.end() ? 0 : number->second);
    });
  }

  const LoopProgram& program_;
  std::vector<int64_t> extents_;
  std::vector<const Loop*> around_;  ///< from outside
  std::set<int> fetched_;            ///< buffers, within the outermost loop around
  std::map<const Loop*, std::vector<Fetch>> out_;
};

}  // namespace

std::map<const Loop*, std::vector<Fetch>> fetched_ahead(const LoopProgram& program) {
  return Fetching(program).run();
}

}  // namespace isomer::codegen
