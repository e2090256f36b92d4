// Runs a loop program over any value domain, statement by statement: the slow reference of what the steps of
// code generation make. Every access is held to its bounds, every read to have been written; parallel loops
// run backwards, since any order must do, and what is private is forgotten between their iterations. Products
// that may still run (Loop::running) do so as late as they may: what overwrites their operands is seen. What
// is copied by itself (kCopied) is there when it is waited for and not before: nothing may touch it till
// then.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "codegen/accesses.h"
#include "codegen/loop_program.h"
#include "eval/interpreter.h"
#include "eval/scalar_run.h"
#include "support/errors.h"

namespace isomer::codegen {

template <class D>
class LoopRunner {
 public:
  using Number = typename D::Number;

  LoopRunner(D& domain, const LoopProgram& program) : domain_(domain), program_(program) {}

  /// Results in the order of the interface. `inputs`: by the types of the program. Throws InputError for an
  /// access out of bounds that is not guarded, and for a read of what nobody has written.
  std::vector<eval::Value<Number>> run(const ir::Context& ctx, std::span<const eval::Value<Number>> inputs) {
    vars_.assign(program_.variables.size(), 0);
    memory_.clear();
    for (const Buffer& b : program_.buffers) memory_.push_back(fresh(b));
    for (size_t i = 0; i < program_.inputs.size(); ++i) fill(program_.inputs[i], *inputs[i].tensor);
    for (size_t b = 0; b < program_.buffers.size(); ++b)
      if (program_.buffers[b].memory == Memory::kConstant)
        fill(static_cast<int>(b),
             *eval::constant_value(domain_, ctx, ctx.get(program_.buffers[b].constant)).tensor);
    statements(program_.body);
    finish(0);
    std::vector<eval::Value<Number>> out;
    for (const int b : program_.outputs) {
      const Cells& c = memory_[static_cast<size_t>(b)];
      for (const State s : c.states)
        if (s == State::kEmpty) throw InputError("an element of a result is never written");
      const Buffer& buffer = program_.buffers[static_cast<size_t>(b)];
      out.push_back(eval::make_value(eval::Tensor<Number>{
          buffer.dtype, buffer.sizes, is_whole(buffer) ? std::vector<Number>{} : c.numbers,
          is_whole(buffer) ? c.integers : std::vector<int64_t>{}}));
    }
    return out;
  }

  // What a scalar program asks for (eval/scalar_run.h).
  Number number_of(int32_t read) {
    const Access& a = store_->reads[static_cast<size_t>(read)];
    if (!holds(a)) return domain_.constant(a.fill);
    return cells(a).numbers[readable(a)];
  }
  int64_t integer_of(int32_t read) {
    const Access& a = store_->reads[static_cast<size_t>(read)];
    if (!holds(a)) return static_cast<int64_t>(a.fill);
    return cells(a).integers[readable(a)];
  }
  bool is_valid(int32_t read) { return holds(store_->reads[static_cast<size_t>(read)]); }
  Number accumulated_number(int32_t) const { return Number{}; }
  int64_t accumulated_integer(int32_t) const { return 0; }
  int64_t variable(int32_t place) { return at(store_->places[static_cast<size_t>(place)]); }

 private:
  enum class State : uint8_t { kEmpty, kWritten, kOnItsWay };
  struct Cells {
    std::vector<Number> numbers;
    std::vector<int64_t> integers;
    std::vector<State> states;
  };
  struct Result {
    Number number{};
    int64_t integer = 0;
  };

  /// Products that are to be done, by those groups of warps.
  struct Running {
    std::vector<int64_t> vars;
    Threads threads;
    int64_t begin, end;
  };

  /// What is copied and nobody has waited for.
  struct OnItsWay {
    int buffer;
    size_t element;
    Result value;
  };
  using Lot = std::vector<OnItsWay>;

  static bool is_whole(const Buffer& b) { return ir::is_integer(b.dtype); }
  static Cells fresh(const Buffer& b) {
    const auto n = static_cast<size_t>(b.count());
    Cells out;
    (is_whole(b) ? out.numbers.resize(0) : out.numbers.resize(n));
    out.integers.resize(is_whole(b) ? n : 0);
    out.states.assign(n, State::kEmpty);
    return out;
  }
  void fill(int buffer, const eval::Tensor<Number>& with) {
    Cells& c = memory_[static_cast<size_t>(buffer)];
    c.numbers = with.numbers;
    c.integers = with.integers;
    std::ranges::fill(c.states, State::kWritten);
  }

  int64_t at(const ir::IndexExpr& e) {
    return eval::index_value(e, vars_,
                             [this](int64_t read) { return integer_of(static_cast<int32_t>(read)); });
  }
  bool holds(const Access& a) {
    for (const Bound& b : a.bounds) {
      const int64_t value = at(b.value);
      if (value < 0 || value >= b.below) return false;
    }
    return true;
  }
  Cells& cells(const Access& a) { return memory_[static_cast<size_t>(a.buffer)]; }
  size_t element(const Access& a) {
    const Buffer& b = program_.buffers[static_cast<size_t>(a.buffer)];
    int64_t linear = 0;
    for (size_t d = 0; d < b.sizes.size(); ++d) {
      const int64_t i = at(a.index[d]);
      if (i < 0 || i >= b.sizes[d])
        throw InputError(
            fmt::format("{}: index {} of dimension {}, which has {} elements", b.name, i, d, b.sizes[d]));
      linear = linear * b.sizes[d] + i;
    }
    return static_cast<size_t>(linear);
  }
  size_t readable(const Access& a) {
    const size_t e = at_rest(a);
    if (cells(a).states[e] == State::kEmpty)
      throw InputError(fmt::format("{}: an element is read that was not written",
                                   program_.buffers[static_cast<size_t>(a.buffer)].name));
    return e;
  }
  /// Nothing is copied to it.
  size_t at_rest(const Access& a) {
    const size_t e = element(a);
    if (cells(a).states[e] == State::kOnItsWay)
      throw InputError(fmt::format("{}: an element is touched before its copy is waited for",
                                   program_.buffers[static_cast<size_t>(a.buffer)].name));
    return e;
  }

  void forget_private() {
    finish(0);
    for (size_t b = 0; b < program_.buffers.size(); ++b)
      if (program_.buffers[b].memory == Memory::kPrivate) std::ranges::fill(memory_[b].states, State::kEmpty);
    lots_ = {{}};
  }

  void statements(const std::vector<Statement>& body) {
    for (const Statement& s : body)
      if (const auto* loop = std::get_if<Loop>(&s.node))
        run_loop(*loop);
      else
        put_now(std::get<Store>(s.node));
  }
  void put_now(const Store& store) {
    wait_for_sums(store);
    put(store, value(store));
  }

  void run_loop(const Loop& loop) {
    const int64_t begin = at(loop.begin), end = at(loop.end);
    int64_t& v = vars_[static_cast<size_t>(loop.variable)];
    if (loop.kind == LoopKind::kVector) return lanes(Threads{{&loop}, {}}, begin, end);
    if (loop.kind == LoopKind::kThread) {
      const Threads threads = threads_of(loop);
      int64_t all = end;
      for (size_t i = 1; i < threads.loops.size(); ++i) all *= at(threads.loops[i]->end);
      return lanes(threads, 0, all);
    }
    const bool parallel = loop.kind == LoopKind::kParallel;
    for (int64_t i = begin; i < end; ++i) {
      v = parallel ? end - 1 - (i - begin) : i;
      if (parallel) forget_private();
      if (loop.stages != 0 && loop.kind == LoopKind::kSerial)
        wait_for_lots(static_cast<size_t>(loop.stages - 2));
      statements(loop.body);
      if (loop.stages != 0) lots_.emplace_back();
    }
    if (parallel) forget_private();
  }

  /// Store by store, of all lanes; what is combined into one element is combined by halves first.
  void lanes(const Threads& threads, int64_t begin, int64_t end) {
    if (threads.copied != nullptr) {
      for (int64_t i = begin; i < end; ++i) {
        go_to(threads, i);
        copy_piece(*threads.copied);
      }
      return;
    }
    if (!threads.tensor.empty()) {
      running_.push_back({vars_, threads, begin, end});
      return finish(static_cast<size_t>(threads.tensor.front()->running));
    }
    const bool by_warp = threads.loops[0]->kind == LoopKind::kThread;
    for (const Statement& s : threads.stores()) {
      const Store& store = std::get<Store>(s.node);
      wait_for_sums(store);
      std::vector<Result> results;
      for (int64_t i = begin; i < end; ++i) {
        go_to(threads, i);
        results.push_back(value(store));
      }
      const auto names = [&](const Loop* loop) { return mentions(store.target, loop->variable); };
      if (store.combine && std::ranges::none_of(threads.loops, names)) {
        if (by_warp) by_warps(store, results);
        for (size_t n = results.size(); n > 1; n = (n + 1) / 2)
          for (size_t i = 0; i < n / 2; ++i)
            results[i] = combined(store, results[i], results[i + (n + 1) / 2]);
        if (!results.empty()) put(store, results[0]);
        continue;
      }
      for (int64_t i = begin; i < end; ++i) {
        go_to(threads, i);
        if (holds_target(store)) put(store, results[static_cast<size_t>(i - begin)]);
      }
    }
  }
  void copy_piece(const Loop& piece) {
    const Store& store = std::get<Store>(piece.body[0].node);
    int64_t& v = vars_[static_cast<size_t>(piece.variable)];
    for (v = 0; v < piece.end.value(); ++v) {
      const Result copied = value(store);
      const size_t e = at_rest(store.target);
      cells(store.target).states[e] = State::kOnItsWay;
      lots_.back().push_back({store.target.buffer, e, copied});
    }
  }
  /// All lots but the last `but` that are complete are there.
  void wait_for_lots(size_t but) {
    while (lots_.size() - 1 > but) {
      for (const OnItsWay& c : lots_.front()) arrive(c.buffer, c.element, c.value);
      lots_.erase(lots_.begin());
    }
  }
  void arrive(int buffer, size_t e, const Result& r) {
    Cells& c = memory_[static_cast<size_t>(buffer)];
    if (const Buffer& b = program_.buffers[static_cast<size_t>(buffer)]; is_whole(b))
      c.integers[e] = ir::wrap_to(b.dtype, r.integer);
    else
      c.numbers[e] = r.number;
    c.states[e] = State::kWritten;
  }

  /// All products but the last `but` are done.
  void finish(size_t but) {
    while (running_.size() > but) {
      Running oldest = std::move(running_.front());
      running_.erase(running_.begin());
      std::swap(vars_, oldest.vars);
      for (int64_t i = oldest.begin; i < oldest.end; ++i) {
        go_to(oldest.threads, i);
        together(oldest.threads.tensor, 0, std::get<Store>(oldest.threads.stores()[0].node));
      }
      std::swap(vars_, oldest.vars);
    }
  }
  /// Before a store that touches sums of products that may still run.
  void wait_for_sums(const Store& store) {
    const auto touches = [&](const Running& r) {
      const int sums = std::get<Store>(r.threads.stores()[0].node).target.buffer;
      return store.target.buffer == sums || std::ranges::any_of(reads_of(store), [&](int read) {
               return store.reads[static_cast<size_t>(read)].buffer == sums;
             });
    };
    if (std::ranges::any_of(running_, touches)) finish(0);
  }
  /// One element after the other.
  void together(const std::vector<const Loop*>& loops, size_t depth, const Store& store) {
    if (depth == loops.size()) return put(store, value(store));
    int64_t& v = vars_[static_cast<size_t>(loops[depth]->variable)];
    for (v = 0; v < loops[depth]->end.value(); ++v) together(loops, depth + 1, store);
  }
  /// The variables of thread `number`.
  void go_to(const Threads& threads, int64_t number) {
    for (size_t i = threads.loops.size(); i-- > 0;) {
      const Loop& loop = *threads.loops[i];
      const int64_t count = i > 0 ? loop.end.value() : 0;
      vars_[static_cast<size_t>(loop.variable)] = i > 0 ? number % count : number;
      if (i > 0) number /= count;
    }
  }
  /// One result for each 32 threads. Halves are those of 32, also where fewer threads are there.
  void by_warps(const Store& store, std::vector<Result>& results) {
    const auto halves = [&](size_t begin, size_t count) {
      for (size_t half = kWarp / 2; half > 0; half /= 2)
        for (size_t i = 0; i < half && i + half < count; ++i)
          results[begin + i] = combined(store, results[begin + i], results[begin + i + half]);
    };
    const size_t warps = (results.size() + kWarp - 1) / kWarp;
    for (size_t w = 0; w < warps; ++w) {
      halves(w * kWarp, std::min<size_t>(kWarp, results.size() - w * kWarp));
      results[w] = results[w * kWarp];
    }
    results.resize(warps);
    halves(0, warps);
    results.resize(std::min<size_t>(warps, 1));
  }
  bool holds_target(const Store& store) {
    store_ = &store;
    return holds(store.target);
  }
  Result value(const Store& store) {
    store_ = &store;
    const auto& code = store.value.code;
    if (numbers_.size() < code.size()) {
      numbers_.resize(code.size());
      integers_.resize(code.size());
    }
    std::vector<Number> constants;
    for (const auto& in : code)
      constants.push_back(in.op == ir::ScalarOp::kConst ? domain_.constant(in.value) : Number{});
    eval::run_scalar(domain_, store.value, constants.data(), numbers_.data(), integers_.data(), *this);
    return {numbers_[code.size() - 1], integers_[code.size() - 1]};
  }
  Result combined(const Store& store, const Result& a, const Result& b) {
    if (store.value.sort == meaning::Sort::kInteger)
      return {a.number, eval::combine_integers(domain_, *store.combine, a.integer, b.integer)};
    return {eval::combine_numbers(domain_, *store.combine, a.number, b.number), a.integer};
  }
  void put(const Store& store, Result r) {
    store_ = &store;
    const size_t e = store.combine ? readable(store.target) : at_rest(store.target);
    if (store.combine) {
      const Cells& c = cells(store.target);
      const bool whole = is_whole(program_.buffers[static_cast<size_t>(store.target.buffer)]);
      r = combined(store, whole ? Result{Number{}, c.integers[e]} : Result{c.numbers[e], 0}, r);
    }
    arrive(store.target.buffer, e, r);
  }

  D& domain_;
  const LoopProgram& program_;
  std::vector<int64_t> vars_;
  std::vector<Cells> memory_;
  std::vector<Running> running_;  ///< from the oldest on
  std::vector<Lot> lots_ = {{}};  ///< from the oldest on; the last one is not complete
  const Store* store_ = nullptr;  ///< whose value is computed
  std::vector<Number> numbers_;
  std::vector<int64_t> integers_;
};

}  // namespace isomer::codegen
