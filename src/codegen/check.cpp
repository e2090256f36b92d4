#include "codegen/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "codegen/accesses.h"
#include "codegen/pieces.h"
#include "meaning/nest.h"

namespace isomer::codegen {
namespace {

class Checker {
 public:
  explicit Checker(const LoopProgram& program) : program_(program) {}

  std::string run() {
    statements(program_.body);
    if (wrong_.empty()) parallel(program_.body, {}, extents_of(program_));
    return std::move(wrong_);
  }

 private:
  void fail(std::string why) {
    if (wrong_.empty()) wrong_ = std::move(why);
  }

  void statements(const std::vector<Statement>& body) {
    for (const Statement& s : body)
      if (const auto* l = std::get_if<Loop>(&s.node))
        loop(*l);
      else
        store(std::get<Store>(s.node));
  }

  /// Of a program that is well formed.
  void parallel(const std::vector<Statement>& body, const std::set<int>& outside,
                const std::vector<int64_t>& extents) {
    std::set<int> beside = touched_by_several(body);
    beside.insert(outside.begin(), outside.end());
    for (const Statement& s : body) {
      const auto* l = std::get_if<Loop>(&s.node);
      if (l == nullptr) continue;
      if (l->kind == LoopKind::kParallel && !may_run_in_threads(program_, *l, beside, extents))
        fail(fmt::format("iterations of the parallel loop of {} may touch one element",
                         program_.variables[static_cast<size_t>(l->variable)]));
      parallel(l->body, beside, extents);
    }
  }

  void loop(const Loop& l) {
    if (l.variable < 0 || static_cast<size_t>(l.variable) >= program_.variables.size())
      return fail(fmt::format("a loop of variable {}, which there is not", l.variable));
    index(l.begin, nullptr);
    index(l.end, nullptr);
    if (!scope_.insert(l.variable).second)
      fail(fmt::format("a loop of {} within a loop of it",
                       program_.variables[static_cast<size_t>(l.variable)]));
    if (l.kind == LoopKind::kVector || l.kind == LoopKind::kUnrolled) {
      using Kind = ir::IndexExpr::Kind;
      if (l.begin.kind() != Kind::kConst || l.end.kind() != Kind::kConst)
        fail(fmt::format("a {} loop without constant bounds", to_string(l.kind)));
    }
    if (l.kind == LoopKind::kVector)
      for (const Statement& s : l.body)
        if (std::holds_alternative<Loop>(s.node)) fail("a vector loop that holds a loop");
    if (l.stages != 0) waiting(l);
    if (l.kind == LoopKind::kThread) return threads(l);
    statements(l.body);
    scope_.erase(l.variable);
  }

  static bool counts_from_zero(const Loop& l) {
    return l.begin.kind() == ir::IndexExpr::Kind::kConst && l.begin.value() == 0;
  }

  /// One lot is in use while the others are on their way: of one stage nothing would be waited for.
  void waiting(const Loop& l) {
    if (l.stages < 2) fail(fmt::format("a loop that waits for copies, of {} stages", l.stages));
    if (l.kind != LoopKind::kSerial && l.kind != LoopKind::kUnrolled)
      fail(fmt::format("a {} loop that waits for copies", to_string(l.kind)));
  }

  /// A read of 16 bytes that lie together, stored as it is where as many do: all of them, or as many zeros.
  void copied(const Loop& l) {
    const auto* s = l.body.size() == 1 ? std::get_if<Store>(&l.body[0].node) : nullptr;
    constexpr int64_t kBytes = 16;
    const auto type = [&](const Access& a) { return program_.buffers[static_cast<size_t>(a.buffer)].dtype; };
    const bool moves = s != nullptr && !s->combine && s->value.code.size() == 1 && s->reads.size() == 1 &&
                       s->value.code[0].op == ir::ScalarOp::kRead;
    if (!moves || type(s->target) != type(s->reads[0]) || !counts_from_zero(l) ||
        l.end.kind() != ir::IndexExpr::Kind::kConst ||
        ir::byte_size(type(s->target), l.end.value()) != kBytes)
      return fail("a copy of something else than 16 bytes");
    for (const Access* a : {&s->target, &s->reads[0]})
      if (!is_piece(program_, *a, l.variable, l.end.value()))
        fail(fmt::format("{}: a copy of 16 bytes that do not lie together",
                         program_.buffers[static_cast<size_t>(a->buffer)].name));
    const Access& from = s->reads[0];
    const auto whole = [&](const Bound& b) { return is_of_whole_pieces(b, l.variable, l.end.value()); };
    if (!s->target.bounds.empty() || !std::ranges::all_of(from.bounds, whole))
      fail(fmt::format("{}: a copy of 16 bytes, not all of which are within bounds",
                       program_.buffers[static_cast<size_t>(from.buffer)].name));
    if (!from.bounds.empty() && from.fill != 0)
      fail(fmt::format("{}: a copy that fills with something else than zeros",
                       program_.buffers[static_cast<size_t>(from.buffer)].name));
  }

  /// Three loops of the numbers that an instruction has, around one store.
  void tensor(const Loop& outer) {
    std::vector<int64_t> sizes;
    const Threads all = threads_of(outer);
    for (const Loop* l : all.tensor) {
      using Kind = ir::IndexExpr::Kind;
      sizes.push_back(l->end.kind() == Kind::kConst && l->begin.kind() == Kind::kConst ? l->end.value() : 0);
    }
    if (all.by_group()) return group(all, sizes);
    const auto* store = all.stores().size() == 1 ? std::get_if<Store>(&all.stores()[0].node) : nullptr;
    const std::vector<int64_t> product = {16, 8, 16}, moved = {4, 8, 8};
    if (store == nullptr || !all.loops.empty() || sizes != (store->combine ? product : moved))
      fail("what a warp does together, of other sizes than an instruction's");
  }

  /// What four warps do together is a sum of products of two operands.
  void group(const Threads& all, const std::vector<int64_t>& sizes) {
    const auto* store = all.stores().size() == 1 ? std::get_if<Store>(&all.stores()[0].node) : nullptr;
    const auto some_of = [](int64_t n, int64_t each) { return n > 0 && n % each == 0; };
    constexpr int64_t kRows = 64, kColumns = 8, kMostColumns = 256, kSteps = 16;
    if (store == nullptr || !all.loops.empty() || sizes.size() != 3 || !some_of(sizes[0], kRows) ||
        !some_of(sizes[1], kColumns) || sizes[1] > kMostColumns || !some_of(sizes[2], kSteps))
      return fail("what a group of warps does together, of other sizes than an instruction's");
    if (store->combine != ir::Combiner::kSum || reads_of(*store).size() != 2)
      fail("what a group of warps does together, which is no product");
  }

  /// Stores, or one more loop of threads; of several the ends are numbers.
  void threads(const Loop& l) {
    using Kind = ir::IndexExpr::Kind;
    if (!counts_from_zero(l)) fail("threads that are not counted from 0");
    for (const Statement& s : l.body) {
      const auto* inner = std::get_if<Loop>(&s.node);
      if (inner == nullptr) continue;
      if (l.body.size() == 1 && (inner->kind == LoopKind::kTensor || inner->kind == LoopKind::kWarpgroup)) {
        tensor(*inner);
        continue;
      }
      if (l.body.size() == 1 && inner->kind == LoopKind::kCopied) continue;
      if (l.body.size() != 1 || inner->kind != LoopKind::kThread) fail("threads that hold a loop");
      if (l.end.kind() != Kind::kConst || inner->end.kind() != Kind::kConst)
        fail("threads in several dimensions without constant bounds");
    }
    threads_ = true;
    statements(l.body);
    threads_ = false;
    if (const Loop* piece = wrong_.empty() ? threads_of(l).copied : nullptr; piece != nullptr) copied(*piece);
    scope_.erase(l.variable);
  }

  void store(const Store& s) {
    access(s.target, s);
    if (!s.target.bounds.empty() && !threads_) fail("a guarded store");
    if (wrong_.empty()) {
      const Memory m = program_.buffers[static_cast<size_t>(s.target.buffer)].memory;
      if (m == Memory::kInput || m == Memory::kConstant) fail(fmt::format("a store to {}", to_string(m)));
      if (meaning::sort_of(program_.buffers[static_cast<size_t>(s.target.buffer)].dtype) != s.value.sort)
        fail("a store of another sort than its buffer's");
    }
    for (const auto& in : s.value.code) {
      const auto number = static_cast<size_t>(in.index);
      if (in.op == ir::ScalarOp::kAcc) fail("a value that names an accumulator");
      if (in.op == ir::ScalarOp::kVar && number >= s.places.size()) fail("a value that names no place");
      if (in.op != ir::ScalarOp::kRead && in.op != ir::ScalarOp::kValid) continue;
      if (number >= s.reads.size()) fail("a value of no read");
      if (number < s.reads.size()) access(s.reads[number], s);
    }
    for (const ir::IndexExpr& place : s.places) index(place, &s);
    if (s.combine == ir::Combiner::kStep) fail("a store that combines by steps");
  }

  void access(const Access& a, const Store& s) {
    if (a.buffer < 0 || static_cast<size_t>(a.buffer) >= program_.buffers.size())
      return fail(fmt::format("buffer {}, which there is not", a.buffer));
    const Buffer& b = program_.buffers[static_cast<size_t>(a.buffer)];
    if (a.index.size() != b.sizes.size())
      fail(fmt::format("{}: {} indices of {} dimensions", b.name, a.index.size(), b.sizes.size()));
    for_each_index(a, [&](const ir::IndexExpr& i) { index(i, &s); });
  }

  void index(const ir::IndexExpr& e, const Store* s) {
    for_each_leaf(
        e,
        [&](int v) {
          if (!scope_.contains(v)) fail(fmt::format("variable {} out of its loop", v));
        },
        [&](int read) {
          if (s == nullptr || static_cast<size_t>(read) >= s->reads.size()) fail("a load of no read");
        });
  }

  const LoopProgram& program_;
  std::set<int> scope_;
  bool threads_ = false;  ///< right within a loop of threads
  std::string wrong_;
};

}  // namespace

bool is_parallel(const LoopProgram& program, const Loop& loop, const std::set<int>& outside,
                 std::span<const int64_t> extents, const std::set<int>& but, bool fixed) {
  using Kind = ir::IndexExpr::Kind;
  const bool once = loop.begin.kind() == Kind::kConst && loop.end.kind() == Kind::kConst &&
                    loop.end.value() - loop.begin.value() <= 1;
  const std::set<int> inner = variables_within(loop.body);
  for (const auto& [buffer, uses] : uses_of(loop.body)) {
    if (!uses.written || but.contains(buffer) ||
        cut_by(program.buffers[static_cast<size_t>(buffer)], uses, loop.variable, extents,
               fixed ? &inner : nullptr))
      continue;
    const bool is_private = program.buffers[static_cast<size_t>(buffer)].memory == Memory::kPrivate;
    if (once && !is_private) continue;
    if (!is_private || !uses.written_first || outside.contains(buffer)) return false;
  }
  return true;
}

bool may_run_in_threads(const LoopProgram& program, const Loop& loop, const std::set<int>& outside,
                        std::span<const int64_t> extents) {
  return is_parallel(program, loop, outside, extents, {}, true) &&
         std::ranges::none_of(uses_of(loop.body), [&](const auto& use) {
           return program.buffers[static_cast<size_t>(use.first)].memory == Memory::kPrivate &&
                  outside.contains(use.first);
         });
}

std::string check(const LoopProgram& program) { return Checker(program).run(); }

}  // namespace isomer::codegen
