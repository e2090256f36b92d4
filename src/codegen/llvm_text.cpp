#include "codegen/llvm_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/accesses.h"
#include "codegen/fetch_ahead.h"
#include "codegen/llvm_access.h"
#include "codegen/llvm_scalar.h"
#include "codegen/transposes.h"
#include "meaning/nest.h"
#include "support/errors.h"

namespace isomer::codegen {
namespace {

using ir::DType;
using ir::IndexExpr;
using meaning::Sort;

class Emitter {
 public:
  explicit Emitter(const LoopProgram& program)
      : program_(program), extents_(extents_of(program)), fetched_(fetched_ahead(program)), at_(program) {}

  FunctionText run() {
    entry();
    block_ = "entry";
    if (const Loop* whole = whole_loop(program_))
      run_loop(*whole, {"%begin", whole->begin.value(), whole->begin.value() + 1},
               {"%end", 0, whole->end.value()});
    else
      statements(program_.body);
    return {"(ptr noalias nocapture readonly %buffers, i64 %begin, i64 %end) #0 {\nentry:\n" + slots_ +
                at_.scalar.text() + "  ret void\n}\n",
            at_.scalar.declarations()};
  }

 private:
  void line(const std::string& text) { at_.scalar.line(text); }

  void entry() {
    int number = 0;
    for (const Buffer& b : program_.buffers) {
      const std::string slot = fmt::format("%b{}", at_.pointers.size());
      at_.pointers.push_back(slot);
      const std::string type = stored_type(b.dtype);
      if (b.memory == Memory::kPrivate) {
        constexpr int kAligned = 64;
        slots_ += fmt::format("  {} = alloca [{} x {}], align {}\n", slot, b.count(), type, kAligned);
        continue;
      }
      slots_ += fmt::format("  {}a = getelementptr ptr, ptr %buffers, i64 {}\n", slot, number++);
      slots_ += fmt::format("  {} = load ptr, ptr {}a, align 8\n", slot, slot);
    }
  }

  // --- elements

  /// Whether all lanes touch one element (0), neighbours (1) or every second one (2); -1: addresses are
  /// worked out one by one.
  int64_t apart(const Access& a) const {
    for (const Bound& b : a.bounds)
      if (mentions(b.value, lane_)) return -1;
    const auto out = stride(program_, a, lane_, extents_);
    return out == 0 || out == 1 || out == 2 ? *out : -1;
  }

  Scalar read(const Store& store, int number, Sort sort) {
    if (lanes_ == 1) return at_.read_one(store, number, sort);
    const Access& a = store.reads[static_cast<size_t>(number)];
    const int64_t apart = loads_in_lanes(store, number) ? -1 : this->apart(a);
    if (apart == 0) return at_.scalar.splat(at_.read_one(store, number, sort), lanes_);
    const Buffer& b = program_.buffers[static_cast<size_t>(a.buffer)];
    if (apart == 1 && at_.holds(a, &store) == "true")
      return at_.scalar.loaded(b.dtype, at_.address(a.buffer, at_.linear(a, &store)), lanes_);
    if (apart == 2 && lanes_ % 2 == 0 && at_.holds(a, &store) == "true") {
      // The lower half comes from as many elements as there are lanes, the upper half from those that end
      // with the last one: nothing beyond it is touched.
      const Index at = at_.linear(a, &store);
      const Scalar low = at_.scalar.loaded(b.dtype, at_.address(a.buffer, at), lanes_);
      const Scalar high =
          at_.scalar.loaded(b.dtype, at_.address(a.buffer, at_.add(at, constant_index(lanes_ - 1))), lanes_);
      std::vector<int> places;
      for (int l = 0; l < lanes_; ++l) places.push_back(l < lanes_ / 2 ? 2 * l : 2 * l + 1);
      return at_.scalar.shuffled(low, high, places);
    }
    return by_lane(sort, [&] { return at_.read_one(store, number, sort); });
  }
  /// Whether an index of the read loads what depends on the lane.
  bool loads_in_lanes(const Store& store, int number) const {
    bool out = false;
    const Access& a = store.reads[static_cast<size_t>(number)];
    for_each_index(a, [&](const IndexExpr& i) {
      for_each_leaf(
          i, [](int) {},
          [&](int read) {
            out |= mentions(store.reads[static_cast<size_t>(read)], lane_) || loads_in_lanes(store, read);
          });
    });
    return out;
  }
  /// A vector of what is computed with each lane's number in turn.
  template <class One>
  Scalar by_lane(Sort sort, One&& one) {
    std::vector<Scalar> all;
    const int lanes = lanes_;
    const Index before = at_.vars[static_cast<size_t>(lane_)];
    lanes_ = 1;
    for (int l = 0; l < lanes; ++l) {
      at_.vars[static_cast<size_t>(lane_)] = constant_index(before.low + l);
      all.push_back(one());
    }
    lanes_ = lanes;
    at_.vars[static_cast<size_t>(lane_)] = before;
    return at_.scalar.joined(all, sort);
  }

  // --- statements

  void statements(const std::vector<Statement>& body) {
    for (const Statement& s : body)
      if (const auto* loop = std::get_if<Loop>(&s.node))
        run_loop(*loop);
      else
        store(std::get<Store>(s.node));
  }

  void run_loop(const Loop& loop) {
    const Index begin = at_.index(loop.begin, nullptr), end = at_.index(loop.end, nullptr);
    run_loop(loop, begin, end);
  }
  void run_loop(const Loop& loop, const Index& begin, const Index& end) {
    Index& v = at_.vars[static_cast<size_t>(loop.variable)];
    REQUIRE(loop.kind != LoopKind::kThread, "threads of a block on a processor that has none");
    if (loop.kind == LoopKind::kVector) {
      lane_ = loop.variable;
      lanes_ = static_cast<int>(end.low - begin.low);
      v = begin;
      statements(loop.body);
      lanes_ = 1;
      lane_ = -1;
      return;
    }
    if (is_square(program_, loop, extents_)) return turned(loop, begin.low);
    if (loop.kind == LoopKind::kUnrolled) {
      for (int64_t i = begin.low; i < end.low; ++i) {
        v = constant_index(i);
        statements(loop.body);
      }
      return;
    }
    const int n = labels_++;
    const std::string before = block_;
    line(fmt::format("br label %head{}", n));
    at_.scalar.label(fmt::format("head{}", n));
    const std::string counter = fmt::format("%i{}", n);
    line(fmt::format("{} = phi i64 [ {}, %{} ], [ %n{}, %last{} ]", counter, begin.text, before, n, n));
    line(fmt::format("%c{} = icmp slt i64 {}, {}", n, counter, end.text));
    line(fmt::format("br i1 %c{}, label %body{}, label %done{}", n, n, n));
    at_.scalar.label(fmt::format("body{}", n));
    block_ = fmt::format("body{}", n);
    v = {counter, begin.low, std::max(begin.low, end.high - 1)};
    if (v.low == v.high) v.high = v.low + 1;  // a register, whatever its range
    if (const auto fetches = fetched_.find(&loop); fetches != fetched_.end())
      for (const Fetch& f : fetches->second) fetch(f);
    statements(loop.body);
    line(fmt::format("br label %last{}", n));
    at_.scalar.label(fmt::format("last{}", n));
    line(fmt::format("%n{} = add nsw i64 {}, 1", n, counter));
    line(fmt::format("br label %head{}", n));
    at_.scalar.label(fmt::format("done{}", n));
    block_ = fmt::format("done{}", n);
  }

  void fetch(const Fetch& f) {
    constexpr int64_t kLine = 64;
    const DType type = program_.buffers[static_cast<size_t>(f.buffer)].dtype;
    const Index at = at_.index(f.at, nullptr);
    const std::string from = at_.value(fmt::format("getelementptr {}, ptr {}, $ {}", stored_type(type),
                                                   at_.pointers[static_cast<size_t>(f.buffer)], at.text));
    at_.scalar.declare("llvm.prefetch.p0",
                       "declare void @llvm.prefetch.p0(ptr, i32 immarg, i32 immarg, i32 immarg)");
    for (int64_t byte = 0; byte < ir::byte_size(type, f.elements); byte += kLine) {
      const std::string line_at = at_.value(fmt::format("getelementptr i8, ptr {}, $ {}", from, byte));
      // To read, to the second cache, of data.
      line(fmt::format("call void @llvm.prefetch.p0(ptr {}, i32 0, i32 2, i32 1)", line_at));
    }
  }

  /// A square (transposes.h): its rows as vectors, turned in steps that swap blocks of 1, 2, 4 and so on of
  /// two of them, and stored as its columns.
  void turned(const Loop& rows, int64_t begin) {
    const Loop& lanes = std::get<Loop>(rows.body[0].node);
    const Store& s = std::get<Store>(lanes.body[0].node);
    const auto side = static_cast<int>(rows.end.value() - begin);
    Index &row = at_.vars[static_cast<size_t>(rows.variable)],
          &lane = at_.vars[static_cast<size_t>(lanes.variable)];
    at_.scalar.use_double(at_.in_double(s));
    std::vector<Scalar> all;
    for (int i = 0; i < side; ++i) {
      row = constant_index(begin + i);
      lane = constant_index(lanes.begin.value());
      lane_ = lanes.variable;
      lanes_ = side;
      all.push_back(value(s));
    }
    lanes_ = 1;
    lane_ = -1;
    for (int d = 1; d < side; d *= 2)
      for (int i = 0; i < side; ++i) {
        if ((i & d) != 0) continue;
        Scalar &a = all[static_cast<size_t>(i)], &b = all[static_cast<size_t>(i | d)];
        std::vector<int> first, second;  // of the second from `side` on
        for (int l = 0; l < side; ++l) {
          first.push_back((l & d) == 0 ? l : side + (l ^ d));
          second.push_back((l & d) == 0 ? (l | d) : side + l);
        }
        Scalar low = at_.scalar.shuffled(a, b, first);
        b = at_.scalar.shuffled(a, b, second);
        a = std::move(low);
      }
    row = constant_index(begin);
    for (int l = 0; l < side; ++l) {
      lane = constant_index(lanes.begin.value() + l);
      at_.scalar.store(program_.buffers[static_cast<size_t>(s.target.buffer)].dtype,
                       at_.address(s.target.buffer, at_.linear(s.target, &s)), all[static_cast<size_t>(l)]);
    }
  }

  Scalar value(const Store& store) {
    std::vector<Scalar> of;
    for (const auto& in : store.value.code) {
      switch (in.op) {
        case ir::ScalarOp::kRead: of.push_back(read(store, in.index, in.sort)); break;
        case ir::ScalarOp::kValid: {
          const auto one = [&] {
            return at_.scalar.from_bit(at_.holds(store.reads[static_cast<size_t>(in.index)], &store), 1);
          };
          of.push_back(lanes_ == 1 ? one() : by_lane(Sort::kInteger, one));
          break;
        }
        case ir::ScalarOp::kVar: {
          const auto one = [&] { return at_.place(store, in.index); };
          of.push_back(lanes_ == 1 ? one() : by_lane(Sort::kInteger, one));
          break;
        }
        default: of.push_back(at_.scalar.apply(in, of, lanes_));
      }
    }
    return of.back();
  }

  void store(const Store& s) {
    at_.scalar.use_double(at_.in_double(s));
    Scalar v = value(s);
    const Buffer& b = program_.buffers[static_cast<size_t>(s.target.buffer)];
    const bool in_lanes = lanes_ > 1 && mentions(s.target, lane_);
    if (in_lanes && apart(s.target) == 1) {
      const std::string to = at_.address(s.target.buffer, at_.linear(s.target, &s));
      if (s.combine) v = at_.scalar.combined(*s.combine, at_.scalar.loaded(b.dtype, to, lanes_), v);
      return at_.scalar.store(b.dtype, to, v);
    }
    if (lanes_ == 1) return store_one(s, b, v);
    if (s.combine && !in_lanes) return store_one(s, b, by_halves(*s.combine, std::move(v)));
    const std::vector<Scalar> all = at_.scalar.apart(v);
    const int lanes = lanes_;
    const Index before = at_.vars[static_cast<size_t>(lane_)];
    lanes_ = 1;
    for (int l = 0; l < lanes; ++l) {
      at_.vars[static_cast<size_t>(lane_)] = constant_index(before.low + l);
      store_one(s, b, all[static_cast<size_t>(l)]);
    }
    lanes_ = lanes;
    at_.vars[static_cast<size_t>(lane_)] = before;
  }
  /// Each lane of the lower half with that of the upper one, until there is one.
  Scalar by_halves(ir::Combiner combiner, Scalar v) {
    while (v.lanes > 2 && v.lanes % 2 == 0) {
      std::vector<int> low, high;
      for (int l = 0; l < v.lanes / 2; ++l) {
        low.push_back(l);
        high.push_back(v.lanes / 2 + l);
      }
      v = at_.scalar.combined(combiner, at_.scalar.shuffled(v, v, low), at_.scalar.shuffled(v, v, high));
    }
    std::vector<Scalar> all = at_.scalar.apart(v);
    for (size_t n = all.size(); n > 1; n = (n + 1) / 2)
      for (size_t i = 0; i < n / 2; ++i) all[i] = at_.scalar.combined(combiner, all[i], all[i + (n + 1) / 2]);
    return all[0];
  }
  void store_one(const Store& s, const Buffer& b, Scalar v) {
    const std::string to = at_.address(s.target.buffer, at_.linear(s.target, &s));
    if (s.combine) v = at_.scalar.combined(*s.combine, at_.scalar.loaded(b.dtype, to, 1), v);
    at_.scalar.store(b.dtype, to, v);
  }

  const LoopProgram& program_;
  std::vector<int64_t> extents_;
  std::map<const Loop*, std::vector<Fetch>> fetched_;
  std::string slots_;
  AccessText at_;
  std::string block_;
  int labels_ = 0;
  int lane_ = -1;  ///< the variable of the vector loop around
  int lanes_ = 1;
};

}  // namespace

FunctionText llvm_function(const LoopProgram& program) { return Emitter(program).run(); }

std::string llvm_module(const std::map<std::string, const FunctionText*>& functions) {
  std::string out;
  std::set<std::string> declarations;
  for (const auto& [name, function] : functions) {
    out += fmt::format("define void @{}{}", name, function->text);
    declarations.insert(function->declarations.begin(), function->declarations.end());
  }
  for (const std::string& d : declarations) out += d + "\n";
  return out + "attributes #0 = { nounwind }\n";
}

}  // namespace isomer::codegen
