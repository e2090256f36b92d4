#include "codegen/gpu_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "codegen/accesses.h"
#include "codegen/gpu_instructions.h"
#include "codegen/gpu_places.h"
#include "codegen/gpu_wgmma.h"
#include "codegen/index_bits.h"
#include "codegen/llvm_access.h"
#include "codegen/pieces.h"
#include "support/errors.h"

namespace isomer::codegen {
namespace {

using ir::IndexExpr;
using meaning::Sort;

class KernelText {
 public:
  explicit KernelText(const LoopProgram& program)
      : program_(program),
        extents_(extents_of(program)),
        places_(places_of(program)),
        at_(program, index_bits(program, extents_)) {}

  GpuKernel run() {
    at_.own = places_.own;
    at_.alignment = 16;
    at_.constants_apart = true;
    at_.scalar.use_gpu();
    std::string parameters = pointers();
    thread_ = {wide("%tid"), 0, places_.threads - 1};
    const std::vector<Statement>* body = &program_.body;
    std::vector<const Loop*> grid;
    while (body->size() == 1) {
      const auto* loop = std::get_if<Loop>(&body->front().node);
      if (loop == nullptr || loop->kind != LoopKind::kParallel) break;
      grid.push_back(loop);
      body = &loop->body;
    }
    blocks(grid);
    statements(*body);
    leave();
    GpuKernel out;
    out.text = fmt::format("({}) {{\nentry:\n{}{}  ret void\n}}\n", parameters, slots_, at_.scalar.text());
    out.declarations = at_.scalar.declarations();
    for (const std::string& d : out.declarations)
      if (d.starts_with("declare") && d.find("@llvm.") == std::string::npos)
        throw InputError(fmt::format("no code for graphics processors is generated yet for {}",
                                     d.substr(d.find('@') + 1, d.find('(') - d.find('@') - 1)));
    out.blocks = blocks_;
    out.threads = places_.threads;
    out.shared_bytes = places_.shared_bytes;
    return out;
  }

 private:
  void line(const std::string& text) { at_.scalar.line(text); }
  void label(const std::string& name) {
    at_.scalar.label(name);
    block_ = name;
  }
  std::string special(const char* name) {
    const std::string full = fmt::format("llvm.nvvm.read.ptx.sreg.{}", name);
    at_.scalar.declare(full, fmt::format("declare i32 @{}()", full));
    return fmt::format("call i32 @{}()", full);
  }

  /// A number of 32 bits as an index.
  std::string wide(const std::string& word) {
    return at_.index_bits() == 32 ? word : at_.scalar.value(fmt::format("zext i32 {} to i64", word));
  }

  /// Names all buffers; the kernel's parameters.
  std::string pointers() {
    std::string parameters;
    for (size_t b = 0; b < program_.buffers.size(); ++b) {
      const Buffer& buffer = program_.buffers[b];
      const std::string name = fmt::format("%b{}", b);
      switch (places_.of[b]) {
        case Place::kGlobal:
          parameters += fmt::format("{}ptr noalias nocapture {}align 16 {}", parameters.empty() ? "" : ", ",
                                    buffer.memory == Memory::kInput ? "readonly " : "", name);
          at_.pointers.push_back(name);
          continue;
        case Place::kShared:
          at_.pointers.push_back(
              fmt::format("addrspacecast (ptr addrspace(3) getelementptr (i8, ptr addrspace(3) "
                          "@isomer_shared, i64 {}) to ptr)",
                          places_.offsets[b]));
          continue;
        default: break;
      }
      const AccessText::Own& own = places_.own[b];
      const int64_t together = std::max<int64_t>(own.lanes, 1) * own.each;
      constexpr int kAligned = 16;
      slots_ += fmt::format("  {} = alloca [{} x {}], align {}\n", name,
                            (buffer.count() + together - 1) / together * own.each, stored_type(buffer.dtype),
                            kAligned);
      at_.pointers.push_back(name);
    }
    slots_ += fmt::format("  %tid = {}\n", special("tid.x"));
    return parameters;
  }

  void blocks(const std::vector<const Loop*>& grid) {
    for (const Loop* loop : grid) blocks_ *= loop->end.value() - loop->begin.value();
    if (blocks_ > std::numeric_limits<int32_t>::max())
      throw InputError(fmt::format("a kernel of {} blocks of threads is more than one can start", blocks_));
    if (grid.empty()) return;
    Index left{wide(at_.scalar.value(special("ctaid.x"))), 0, blocks_ - 1};
    for (size_t i = grid.size(); i-- > 0;) {
      const int64_t count = grid[i]->end.value() - grid[i]->begin.value();
      Index digit = i == 0 ? left : at_.divided(left, count, true);
      if (i > 0) left = at_.divided(left, count, false);
      at_.vars[static_cast<size_t>(grid[i]->variable)] =
          at_.add(digit, constant_index(grid[i]->begin.value()));
    }
  }

  // --- threads that wait for each other

  void barrier() {
    leave();
    at_.scalar.declare("llvm.nvvm.barrier0", "declare void @llvm.nvvm.barrier0() convergent nounwind");
    line("call void @llvm.nvvm.barrier0()");
    written_.clear();
    read_.clear();
    combined_ = false;
  }
  template <class Statements>
  void touched(const Statements& of, std::set<int>& reads, std::set<int>& writes) const {
    for (const auto& [b, uses] : uses_of(of)) {
      if (!places_.meet[static_cast<size_t>(b)]) continue;
      if (uses.read) reads.insert(b);
      if (uses.written) writes.insert(b);
    }
  }
  static bool share(const std::set<int>& a, const std::set<int>& b) {
    return std::ranges::any_of(a, [&](int x) { return b.contains(x); });
  }
  /// Before what reads and writes these.
  void wait_for(const std::set<int>& reads, const std::set<int>& writes) {
    if (apart_) return;
    if (share(reads, written_) || share(writes, written_) || share(writes, read_)) barrier();
  }
  void did(const std::set<int>& reads, const std::set<int>& writes) {
    read_.insert(reads.begin(), reads.end());
    written_.insert(writes.begin(), writes.end());
  }

  // --- statements

  void statements(const std::vector<Statement>& body) {
    for (const Statement& s : body) {
      if (const auto* loop = std::get_if<Loop>(&s.node)) {
        if (loop->kind == LoopKind::kThread)
          in_threads(*loop);
        else
          run_loop(*loop);
        continue;
      }
      std::set<int> reads, writes;
      touched(s, reads, writes);
      wait_for(reads, writes);
      wait_for_running(std::get<Store>(s.node), {});
      for_all(std::get<Store>(s.node));
      did(reads, writes);
    }
  }

  void run_loop(const Loop& loop) {
    const Index begin = at_.index(loop.begin, nullptr), end = at_.index(loop.end, nullptr);
    Index& v = at_.vars[static_cast<size_t>(loop.variable)];
    if (loop.kind == LoopKind::kUnrolled || loop.kind == LoopKind::kVector) {
      std::set<int> reads, writes;
      const bool first = !apart_ && writes_apart(program_, loop, places_.meet, extents_);
      if (first) {
        touched(loop.body, reads, writes);
        wait_for(reads, writes);
        apart_ = true;
      }
      for (int64_t i = begin.low; i < end.low; ++i) {
        v = constant_index(i);
        statements(loop.body);
        if (loop.stages == 0) continue;
        leave();  // a lot is what all threads have copied
        end_lot(at_.scalar);
      }
      if (first) {
        apart_ = false;
        did(reads, writes);
      }
      return;
    }
    leave();
    known_end_.reset();
    std::set<int> reads, writes;
    touched(loop.body, reads, writes);
    if (writes.empty()) wait_for(reads, writes);
    const std::set<int> read_before = read_, written_before = written_;
    const bool combined_before = combined_;
    const int n = labels_++;
    const std::string before = block_;
    line(fmt::format("br label %head{}", n));
    label(fmt::format("head{}", n));
    const std::string counter = fmt::format("%i{}", n);
    line(typed(fmt::format("{} = phi $ [ {}, %{} ], [ %n{}, %last{} ]", counter, begin.text, before, n, n)));
    line(typed(fmt::format("%c{} = icmp slt $ {}, {}", n, counter, end.text)));
    line(fmt::format("br i1 %c{}, label %body{}, label %done{}", n, n, n));
    label(fmt::format("body{}", n));
    v = {counter, begin.low, std::max(begin.low, end.high - 1)};
    if (v.low == v.high) v.high = v.low + 1;  // a register, whatever its range
    combined_ = true;                         // in the iteration before
    if (loop.stages != 0) wait_for_lots(at_.scalar, loop.stages - 2);
    if (loop.stages != 0 && multiplies_in_groups(loop.body)) show_to_products(at_.scalar);
    if (!writes.empty() || loop.stages != 0) barrier();
    statements(loop.body);
    leave();
    if (loop.stages != 0) end_lot(at_.scalar);
    line(fmt::format("br label %last{}", n));
    label(fmt::format("last{}", n));
    line(typed(fmt::format("%n{} = add nsw $ {}, 1", n, counter)));
    line(fmt::format("br label %head{}", n));
    label(fmt::format("done{}", n));
    known_end_.reset();
    did(read_before, written_before);
    combined_ |= combined_before;
  }
  std::string typed(const std::string& text) const {
    std::string out;
    for (const char c : text) c == '$' ? out += fmt::format("i{}", at_.index_bits()) : out += c;
    return out;
  }

  /// What `then` writes happens where the bit is set ("": always).
  template <class Then>
  void where(const std::string& bit, Then&& then) {
    if (bit.empty()) return then();
    const int n = labels_++;
    line(fmt::format("br i1 {}, label %do{}, label %skip{}", bit, n, n));
    label(fmt::format("do{}", n));
    then();
    line(fmt::format("br label %skip{}", n));
    label(fmt::format("skip{}", n));
  }

  /// A store that is not in threads: each does it for its own copy, the first one for all others.
  void for_all(const Store& s) {
    leave();
    const bool own = places_.of[static_cast<size_t>(s.target.buffer)] == Place::kUniform;
    std::string first;
    if (!own && places_.threads > 1) first = at_.scalar.value("icmp eq i32 %tid, 0");
    where(first, [&] { store_value(s, value(s)); });
  }

  void in_threads(const Loop& outer) {
    const Threads threads = threads_of(outer);
    for (const Statement& statement : threads.stores()) {
      const auto& s = std::get<Store>(statement.node);
      std::set<int> reads, writes;
      touched(statement, reads, writes);
      wait_for(reads, writes);
      wait_for_running(s, threads);
      const Some some = some_of(threads);
      if (within_ != some) leave();
      number_threads(threads);
      const auto names = [&](int v) { return mentions(s.target, v); };
      if (threads.copied != nullptr) {
        enter(some);
        at_.vars[static_cast<size_t>(threads.copied->variable)] = constant_index(0);
        copy_piece(at_, s, shared_address(s.target.buffer));
      } else if (threads.by_group()) {
        leave();
        by_group(s, threads);
      } else if (!threads.tensor.empty()) {
        enter(some);
        by_warp(s, threads.tensor);
      } else if (s.combine && std::ranges::none_of(at_.threads, names)) {
        together(s, some);
      } else {
        enter(some);
        const std::string holds = at_.holds(s.target, &s);
        where(holds == "true" ? "" : holds, [&] { store_value(s, value(s)); });
      }
      did(reads, writes);
    }
    at_.threads.clear();
  }

  /// In the space of shared memory.
  std::string shared_address(int buffer) const {
    REQUIRE(places_.of[static_cast<size_t>(buffer)] == Place::kShared,
            "pieces of what is not in shared memory");
    return fmt::format("getelementptr (i8, ptr addrspace(3) @isomer_shared, i64 {})",
                       places_.offsets[static_cast<size_t>(buffer)]);
  }
  void by_warp(const Store& s, const std::vector<const Loop*>& loops) {
    const auto in_registers = [&](const Access& a) {
      return places_.of[static_cast<size_t>(a.buffer)] == Place::kThread;
    };
    bool all = in_registers(s.target);
    for (const int r : reads_of(s))
      all = all && (!s.combine || in_registers(s.reads[static_cast<size_t>(r)]));
    REQUIRE(all, "a warp's pieces that are not in its registers");
    if (s.combine) return multiply_pieces(at_, s, loops);
    const Access& from = s.reads[static_cast<size_t>(s.value.reads[0])];
    const std::string shared = shared_address(from.buffer);
    const auto together = [&](const Loop& loop) {
      return is_piece(program_, from, loop.variable, loop.end.value());
    };
    const bool down = together(*loops[1]);
    REQUIRE(down || together(*loops[2]), "pieces of which neither rows nor columns lie together");
    move_pieces(at_, s, loops, "%tid", shared, down);
  }

  static bool multiplies_in_groups(const std::vector<Statement>& body) {
    return std::ranges::any_of(body, [](const Statement& s) {
      const auto* loop = std::get_if<Loop>(&s.node);
      return loop != nullptr && (loop->kind == LoopKind::kWarpgroup || multiplies_in_groups(loop->body));
    });
  }
  void by_group(const Store& s, const Threads& threads) {
    REQUIRE(some_of(threads) == Some{}, "products of some groups of warps only");
    REQUIRE(places_.of[static_cast<size_t>(s.target.buffer)] == Place::kThread,
            "sums of a group of warps that are not in its registers");
    const auto [rows, columns] = operands_of_group(s, threads.tensor);
    multiply_shared(at_, s, threads.tensor, shared_address(rows->buffer), shared_address(columns->buffer));
    wait_for_products(at_.scalar, threads.tensor.front()->running);
    running_.insert(s.target.buffer);
  }
  /// Before a store that touches sums of products that may still run.
  void wait_for_running(const Store& s, const Threads& threads) {
    if (running_.empty() || threads.by_group()) return;
    bool touches = running_.contains(s.target.buffer);
    for (const int r : reads_of(s)) touches |= running_.contains(s.reads[static_cast<size_t>(r)].buffer);
    if (!touches) return;
    leave();
    for (const int b : running_)
      wait_for_sums(
          at_, b,
          program_.buffers[static_cast<size_t>(b)].count() / places_.own[static_cast<size_t>(b)].lanes);
    running_.clear();
  }

  /// Threads whose number, divided by `inner`, is below an end; of no end: all.
  struct Some {
    int64_t inner = 1;
    std::string end;
    bool operator==(const Some&) const = default;
  };
  Some some_of(const Threads& threads) {
    Some out;
    out.inner = threads.each();
    for (size_t i = 1; i < threads.loops.size(); ++i) out.inner *= threads.loops[i]->end.value();
    const Index end = end_of(*threads.loops[0]);
    if (end.is_constant() && end.low * out.inner >= places_.threads) return {};
    out.end = end.text;
    return out;
  }
  /// Gives the loops' variables their values.
  void number_threads(const Threads& threads) {
    at_.threads.clear();
    Index left = at_.divided(thread_, threads.each(), false);
    for (size_t i = threads.loops.size(); i-- > 0;) {
      const Loop& loop = *threads.loops[i];
      Index& v = at_.vars[static_cast<size_t>(loop.variable)];
      v = left;
      if (i > 0) {
        v = at_.divided(left, loop.end.value(), true);
        left = at_.divided(left, loop.end.value(), false);
      } else if (loop.end.kind() == IndexExpr::Kind::kConst) {
        v.high = std::min(v.high, loop.end.value() - 1);
      }
      v.high = std::max<int64_t>(v.high, 1);
      at_.threads.push_back(loop.variable);
    }
  }
  /// Loops after each other often have one end: it is worked out once, before threads part.
  Index end_of(const Loop& loop) {
    if (loop.end.kind() == IndexExpr::Kind::kConst) return constant_index(loop.end.value());
    std::vector<std::string> of;
    for_each_leaf(loop.end, [&](int v) { of.push_back(at_.vars[static_cast<size_t>(v)].text); }, [](int) {});
    if (!known_end_ || !identical(known_end_->expression, loop.end) || known_end_->of != of) {
      leave();
      known_end_ = KnownEnd{loop.end, of, at_.index(loop.end, nullptr)};
    }
    return known_end_->end;
  }
  struct KnownEnd {
    IndexExpr expression;
    std::vector<std::string> of;  ///< values of its variables
    Index end;
  };
  /// What follows is for some threads only, until others are entered or left.
  void enter(const Some& some) {
    if (within_ == some) return;
    leave();
    if (some.end.empty()) return;
    const std::string number = at_.divided(thread_, some.inner, false).text;
    const std::string is_there = at_.value(fmt::format("icmp slt $ {}, {}", number, some.end));
    within_ = some;
    entered_ = labels_++;
    before_ = block_;
    line(fmt::format("br i1 {}, label %in{}, label %out{}", is_there, entered_, entered_));
    label(fmt::format("in{}", entered_));
  }
  void leave() {
    if (within_ == Some{}) return;
    within_ = {};
    line(fmt::format("br label %out{}", entered_));
    label(fmt::format("out{}", entered_));
  }

  /// What all threads have, combined: within warps, then those.
  void together(const Store& s, const Some& some) {
    at_.scalar.use_double(at_.in_double(s));
    const std::string type = at_.scalar.type(s.value.sort, 1),
                      none = identity_of(at_.scalar, *s.combine, s.value.sort);
    enter(some);
    Scalar v = value(s);
    const std::string within = block_;
    leave();
    if (some != Some{})
      v = {at_.scalar.value(
               fmt::format("phi {} [ {}, %{} ], [ {}, %{} ]", type, v.text, within, none, before_)),
           1, s.value.sort};
    v = combined_in_warp(at_.scalar, *s.combine, v, kWarp);
    if (const auto warps = static_cast<int>(places_.threads / kWarp); warps > 1) {
      if (combined_) barrier();
      const std::string lane = say_of_warp(at_.scalar, v);
      barrier();
      v = combined_of_warps(at_.scalar, *s.combine, v, lane, warps, none);
      combined_ = true;
    }
    const Place place = places_.of[static_cast<size_t>(s.target.buffer)];
    std::string first;
    if (place != Place::kUniform) first = at_.scalar.value("icmp eq i32 %tid, 0");
    where(first, [&] { store_value(s, v); });
  }
  Scalar value(const Store& store) {
    at_.scalar.use_double(at_.in_double(store));
    std::vector<Scalar> of;
    for (const auto& in : store.value.code) switch (in.op) {
        case ir::ScalarOp::kRead: of.push_back(at_.read_one(store, in.index, in.sort)); break;
        case ir::ScalarOp::kValid:
          of.push_back(at_.scalar.from_bit(at_.holds(store.reads[static_cast<size_t>(in.index)], &store), 1));
          break;
        case ir::ScalarOp::kVar: of.push_back(at_.place(store, in.index)); break;
        default: of.push_back(at_.scalar.apply(in, of, 1));
      }
    return of.back();
  }
  void store_value(const Store& s, Scalar v) {
    at_.scalar.use_double(at_.in_double(s));
    int64_t plus = 0;
    const Index to = at_.linear_but(s.target, &s, plus);
    if (s.combine) v = at_.scalar.combined(*s.combine, at_.loaded(s.target.buffer, to, 1, plus), v);
    at_.store(s.target.buffer, to, v, plus);
  }

  const LoopProgram& program_;
  const std::vector<int64_t> extents_;
  const Places places_;
  AccessText at_;
  std::string slots_;
  std::string block_ = "entry";
  Index thread_;
  int64_t blocks_ = 1;
  int labels_ = 0;
  std::optional<KnownEnd> known_end_;
  Some within_;                   ///< the threads for which lines are written
  int entered_ = 0;               ///< number of its labels
  std::string before_;            ///< the block that it was entered from
  std::set<int> running_;         ///< sums of products that may still run
  std::set<int> written_, read_;  ///< where threads meet, since they last waited
  bool apart_ = false;            ///< in a loop of which threads meet nowhere
  bool combined_ = false;         ///< whether what warps combine in was read since
};

}  // namespace

GpuKernel gpu_kernel(const LoopProgram& program) { return KernelText(program).run(); }

}  // namespace isomer::codegen
