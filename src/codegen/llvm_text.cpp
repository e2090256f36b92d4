#include "codegen/llvm_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "codegen/accesses.h"
#include "codegen/llvm_scalar.h"
#include "codegen/transposes.h"
#include "meaning/nest.h"
#include "support/floor_div.h"

namespace isomer::codegen {
namespace {

using ir::DType;
using ir::IndexExpr;
using meaning::Sort;

/// A 64-bit index: a constant or a register, with what it may be.
struct Index {
  std::string text = "0";
  int64_t low = 0, high = 0;
  bool is_constant() const { return low == high; }
};
// Ends of ranges, which loads make very far.
int64_t sum(int64_t a, int64_t b) {
  int64_t out = 0;
  if (!__builtin_add_overflow(a, b, &out)) return out;
  return a < 0 ? std::numeric_limits<int64_t>::min() : std::numeric_limits<int64_t>::max();
}
int64_t product(int64_t a, int64_t b) {
  int64_t out = 0;
  if (!__builtin_mul_overflow(a, b, &out)) return out;
  return (a < 0) != (b < 0) ? std::numeric_limits<int64_t>::min() : std::numeric_limits<int64_t>::max();
}
Index constant(int64_t value) { return {std::to_string(value), value, value}; }

class Emitter {
 public:
  explicit Emitter(const LoopProgram& program)
      : program_(program), extents_(extents_of(program)), vars_(program.variables.size()) {}

  FunctionText run() {
    entry();
    block_ = "entry";
    if (const Loop* whole = whole_loop(program_))
      run_loop(*whole, {"%begin", whole->begin.value(), whole->begin.value() + 1},
               {"%end", 0, whole->end.value()});
    else
      statements(program_.body);
    return {"(ptr noalias nocapture readonly %buffers, i64 %begin, i64 %end) #0 {\nentry:\n" + slots_ +
                scalar_.text() + "  ret void\n}\n",
            scalar_.declarations()};
  }

 private:
  void line(const std::string& text) { scalar_.line(text); }

  void entry() {
    int number = 0;
    for (const Buffer& b : program_.buffers) {
      const std::string slot = fmt::format("%b{}", pointers_.size());
      pointers_.push_back(slot);
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

  // --- indices

  Index add(const Index& a, const Index& b) {
    if (a.is_constant() && b.is_constant()) return constant(a.low + b.low);
    if (a.is_constant() && a.low == 0) return b;
    if (b.is_constant() && b.low == 0) return a;
    return {scalar_.value(fmt::format("add nsw i64 {}, {}", a.text, b.text)), sum(a.low, b.low),
            sum(a.high, b.high)};
  }
  Index times(const Index& a, int64_t factor) {
    if (a.is_constant()) return constant(a.low * factor);
    if (factor == 1) return a;
    if (factor == 0) return constant(0);
    return {scalar_.value(fmt::format("mul nsw i64 {}, {}", a.text, factor)),
            std::min(product(a.low, factor), product(a.high, factor)),
            std::max(product(a.low, factor), product(a.high, factor))};
  }
  Index divided(const Index& a, int64_t by, bool rest) {
    if (a.is_constant()) return constant(rest ? floor_mod(a.low, by) : floor_div(a.low, by));
    const std::pair<int64_t, int64_t> range = rest ? std::pair<int64_t, int64_t>(0, by - 1)
                                                   : std::pair(floor_div(a.low, by), floor_div(a.high, by));
    if (a.low >= 0)
      return {scalar_.value(fmt::format("{} i64 {}, {}", rest ? "urem" : "udiv", a.text, by)), range.first,
              range.second};
    const std::string r = scalar_.value(fmt::format("srem i64 {}, {}", a.text, by));
    const std::string low = scalar_.value(fmt::format("icmp slt i64 {}, 0", r));
    const std::string up = scalar_.value(fmt::format("add i64 {}, {}", r, by));
    const std::string mod = scalar_.value(fmt::format("select i1 {}, i64 {}, i64 {}", low, up, r));
    if (rest) return {mod, range.first, range.second};
    const std::string whole = scalar_.value(fmt::format("sub i64 {}, {}", a.text, mod));
    return {scalar_.value(fmt::format("sdiv i64 {}, {}", whole, by)), range.first, range.second};
  }
  Index extremum(const Index& a, const Index& b, bool least) {
    if (a.is_constant() && b.is_constant())
      return constant(least ? std::min(a.low, b.low) : std::max(a.low, b.low));
    const std::string c =
        scalar_.value(fmt::format("icmp {} i64 {}, {}", least ? "slt" : "sgt", a.text, b.text));
    Index out;
    out.text = scalar_.value(fmt::format("select i1 {}, i64 {}, i64 {}", c, a.text, b.text));
    out.low = least ? std::min(a.low, b.low) : std::max(a.low, b.low);
    out.high = least ? std::min(a.high, b.high) : std::max(a.high, b.high);
    return out;
  }

  Index index(const IndexExpr& e, const Store* store) {
    using Kind = IndexExpr::Kind;
    switch (e.kind()) {
      case Kind::kConst: return constant(e.value());
      case Kind::kVar: return vars_[static_cast<size_t>(e.value())];
      case Kind::kAdd: return add(index(e.lhs(), store), index(e.rhs(), store));
      case Kind::kMulConst: return times(index(e.lhs(), store), e.size().number());
      case Kind::kFloorDiv: return divided(index(e.lhs(), store), e.size().number(), false);
      case Kind::kMod: return divided(index(e.lhs(), store), e.size().number(), true);
      case Kind::kMin: return extremum(index(e.lhs(), store), index(e.rhs(), store), true);
      case Kind::kMax: return extremum(index(e.lhs(), store), index(e.rhs(), store), false);
      case Kind::kLoad: break;
    }
    constexpr int64_t kFar = std::numeric_limits<int64_t>::max() / 4;
    const std::string loaded = read_one(*store, static_cast<int>(e.value()), Sort::kInteger).text;
    if (e.wrap() <= 0) return {loaded, -kFar, kFar};
    const std::string low = scalar_.value(fmt::format("icmp slt i64 {}, 0", loaded));
    const std::string up = scalar_.value(fmt::format("add i64 {}, {}", loaded, e.wrap()));
    return {scalar_.value(fmt::format("select i1 {}, i64 {}, i64 {}", low, up, loaded)), -kFar, kFar};
  }

  /// What is loaded may be any number: no address lies outside of the buffer.
  Index linear(const Access& a, const Store* store) {
    Index out = constant(0);
    for (const Dimension& d : dimensions_of(program_.buffers[static_cast<size_t>(a.buffer)], a)) {
      Index at = index(d.index, store);
      bool loaded = false;
      for_each_leaf(d.index, [](int) {}, [&](int) { loaded = true; });
      if (loaded) at = extremum(extremum(at, constant(0), false), constant(d.size - 1), true);
      out = add(out, times(at, d.step));
    }
    return out;
  }

  // --- elements

  std::string address(int buffer, const Index& at) {
    const Buffer& b = program_.buffers[static_cast<size_t>(buffer)];
    return scalar_.value(fmt::format("getelementptr inbounds {}, ptr {}, i64 {}", stored_type(b.dtype),
                                     pointers_[static_cast<size_t>(buffer)], at.text));
  }

  /// Whether a guarded access is there: "true", or a register of one bit.
  std::string holds(const Access& a, const Store* store) {
    std::string out = "true";
    for (const Bound& b : a.bounds) {
      const Index at = index(b.value, store);
      if (at.low >= 0 && at.high < b.below) continue;
      const std::string one = scalar_.value(fmt::format("icmp ult i64 {}, {}", at.text, b.below));
      out = out == "true" ? one : scalar_.value(fmt::format("and i1 {}, {}", out, one));
    }
    return out;
  }

  /// One element, at the variables as they are.
  Scalar read_one(const Store& store, int number, Sort sort) {
    const Access& a = store.reads[static_cast<size_t>(number)];
    const Buffer& b = program_.buffers[static_cast<size_t>(a.buffer)];
    const std::string there = holds(a, &store);
    const std::string fill =
        sort == Sort::kNumber ? scalar_.number(a.fill, 1) : std::to_string(static_cast<int64_t>(a.fill));
    if (b.count() == 0) return {fill, 1, sort};
    Index at = linear(a, &store);
    if (there != "true") at.text = scalar_.value(fmt::format("select i1 {}, i64 {}, i64 0", there, at.text));
    const Scalar loaded = scalar_.loaded(b.dtype, address(a.buffer, at), 1);
    if (there == "true") return loaded;
    const std::string type = scalar_.type(sort, 1);
    return {scalar_.value(fmt::format("select i1 {}, {} {}, {} {}", there, type, loaded.text, type, fill)), 1,
            sort};
  }

  /// Whether all lanes touch one element (0), neighbours (1) or every second one (2); -1: addresses are
  /// worked out one by one.
  int64_t apart(const Access& a) const {
    for (const Bound& b : a.bounds)
      if (mentions(b.value, lane_)) return -1;
    const auto out = stride(program_, a, lane_, extents_);
    return out == 0 || out == 1 || out == 2 ? *out : -1;
  }

  Scalar read(const Store& store, int number, Sort sort) {
    if (lanes_ == 1) return read_one(store, number, sort);
    const Access& a = store.reads[static_cast<size_t>(number)];
    const int64_t apart = loads_in_lanes(store, number) ? -1 : this->apart(a);
    if (apart == 0) return scalar_.splat(read_one(store, number, sort), lanes_);
    const Buffer& b = program_.buffers[static_cast<size_t>(a.buffer)];
    if (apart == 1 && holds(a, &store) == "true")
      return scalar_.loaded(b.dtype, address(a.buffer, linear(a, &store)), lanes_);
    if (apart == 2 && lanes_ % 2 == 0 && holds(a, &store) == "true") {
      // The lower half comes from as many elements as there are lanes, the upper half from those that end
      // with the last one: nothing beyond it is touched.
      const Index at = linear(a, &store);
      const Scalar low = scalar_.loaded(b.dtype, address(a.buffer, at), lanes_);
      const Scalar high = scalar_.loaded(b.dtype, address(a.buffer, add(at, constant(lanes_ - 1))), lanes_);
      std::vector<int> places;
      for (int l = 0; l < lanes_; ++l) places.push_back(l < lanes_ / 2 ? 2 * l : 2 * l + 1);
      return scalar_.shuffled(low, high, places);
    }
    return by_lane(sort, [&] { return read_one(store, number, sort); });
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
    const Index before = vars_[static_cast<size_t>(lane_)];
    lanes_ = 1;
    for (int l = 0; l < lanes; ++l) {
      vars_[static_cast<size_t>(lane_)] = constant(before.low + l);
      all.push_back(one());
    }
    lanes_ = lanes;
    vars_[static_cast<size_t>(lane_)] = before;
    return scalar_.joined(all, sort);
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
    const Index begin = index(loop.begin, nullptr), end = index(loop.end, nullptr);
    run_loop(loop, begin, end);
  }
  void run_loop(const Loop& loop, const Index& begin, const Index& end) {
    Index& v = vars_[static_cast<size_t>(loop.variable)];
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
        v = constant(i);
        statements(loop.body);
      }
      return;
    }
    const int n = labels_++;
    const std::string before = block_;
    line(fmt::format("br label %head{}", n));
    scalar_.label(fmt::format("head{}", n));
    const std::string counter = fmt::format("%i{}", n);
    line(fmt::format("{} = phi i64 [ {}, %{} ], [ %n{}, %last{} ]", counter, begin.text, before, n, n));
    line(fmt::format("%c{} = icmp slt i64 {}, {}", n, counter, end.text));
    line(fmt::format("br i1 %c{}, label %body{}, label %done{}", n, n, n));
    scalar_.label(fmt::format("body{}", n));
    block_ = fmt::format("body{}", n);
    v = {counter, begin.low, std::max(begin.low, end.high - 1)};
    if (v.low == v.high) v.high = v.low + 1;  // a register, whatever its range
    statements(loop.body);
    line(fmt::format("br label %last{}", n));
    scalar_.label(fmt::format("last{}", n));
    line(fmt::format("%n{} = add nsw i64 {}, 1", n, counter));
    line(fmt::format("br label %head{}", n));
    scalar_.label(fmt::format("done{}", n));
    block_ = fmt::format("done{}", n);
  }

  /// A square (transposes.h): its rows as vectors, turned in steps that swap blocks of 1, 2, 4 and so on of
  /// two of them, and stored as its columns.
  void turned(const Loop& rows, int64_t begin) {
    const Loop& lanes = std::get<Loop>(rows.body[0].node);
    const Store& s = std::get<Store>(lanes.body[0].node);
    const auto side = static_cast<int>(rows.end.value() - begin);
    Index &row = vars_[static_cast<size_t>(rows.variable)],
          &lane = vars_[static_cast<size_t>(lanes.variable)];
    scalar_.use_double(in_double(s));
    std::vector<Scalar> all;
    for (int i = 0; i < side; ++i) {
      row = constant(begin + i);
      lane = constant(lanes.begin.value());
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
        Scalar low = scalar_.shuffled(a, b, first);
        b = scalar_.shuffled(a, b, second);
        a = std::move(low);
      }
    row = constant(begin);
    for (int l = 0; l < side; ++l) {
      lane = constant(lanes.begin.value() + l);
      scalar_.store(program_.buffers[static_cast<size_t>(s.target.buffer)].dtype,
                    address(s.target.buffer, linear(s.target, &s)), all[static_cast<size_t>(l)]);
    }
  }

  bool in_double(const Store& store) const {
    bool out = program_.buffers[static_cast<size_t>(store.target.buffer)].dtype == DType::kF64;
    for (const int r : reads_of(store))
      out |= program_.buffers[static_cast<size_t>(store.reads[static_cast<size_t>(r)].buffer)].dtype ==
             DType::kF64;
    for (const auto& in : store.value.code) out |= in.op == ir::ScalarOp::kCast && in.dtype == DType::kF64;
    return out;
  }

  Scalar value(const Store& store) {
    std::vector<Scalar> of;
    for (const auto& in : store.value.code) {
      switch (in.op) {
        case ir::ScalarOp::kRead: of.push_back(read(store, in.index, in.sort)); break;
        case ir::ScalarOp::kValid: {
          const auto one = [&] {
            return scalar_.from_bit(holds(store.reads[static_cast<size_t>(in.index)], &store), 1);
          };
          of.push_back(lanes_ == 1 ? one() : by_lane(Sort::kInteger, one));
          break;
        }
        case ir::ScalarOp::kVar: {
          const auto one = [&] {
            return Scalar{index(store.places[static_cast<size_t>(in.index)], &store).text, 1, Sort::kInteger};
          };
          of.push_back(lanes_ == 1 ? one() : by_lane(Sort::kInteger, one));
          break;
        }
        default: of.push_back(scalar_.apply(in, of, lanes_));
      }
    }
    return of.back();
  }

  void store(const Store& s) {
    scalar_.use_double(in_double(s));
    Scalar v = value(s);
    const Buffer& b = program_.buffers[static_cast<size_t>(s.target.buffer)];
    const bool in_lanes = lanes_ > 1 && mentions(s.target, lane_);
    if (in_lanes && apart(s.target) == 1) {
      const std::string to = address(s.target.buffer, linear(s.target, &s));
      if (s.combine) v = scalar_.combined(*s.combine, scalar_.loaded(b.dtype, to, lanes_), v);
      return scalar_.store(b.dtype, to, v);
    }
    if (lanes_ == 1) return store_one(s, b, v);
    if (s.combine && !in_lanes) {  // by halves
      std::vector<Scalar> all = scalar_.apart(v);
      for (size_t n = all.size(); n > 1; n = (n + 1) / 2)
        for (size_t i = 0; i < n / 2; ++i)
          all[i] = scalar_.combined(*s.combine, all[i], all[i + (n + 1) / 2]);
      return store_one(s, b, all[0]);
    }
    const std::vector<Scalar> all = scalar_.apart(v);
    const int lanes = lanes_;
    const Index before = vars_[static_cast<size_t>(lane_)];
    lanes_ = 1;
    for (int l = 0; l < lanes; ++l) {
      vars_[static_cast<size_t>(lane_)] = constant(before.low + l);
      store_one(s, b, all[static_cast<size_t>(l)]);
    }
    lanes_ = lanes;
    vars_[static_cast<size_t>(lane_)] = before;
  }
  void store_one(const Store& s, const Buffer& b, Scalar v) {
    const std::string to = address(s.target.buffer, linear(s.target, &s));
    if (s.combine) v = scalar_.combined(*s.combine, scalar_.loaded(b.dtype, to, 1), v);
    scalar_.store(b.dtype, to, v);
  }

  const LoopProgram& program_;
  std::vector<int64_t> extents_;
  std::vector<Index> vars_;            // by variable
  std::vector<std::string> pointers_;  // by buffer
  std::string slots_;
  ScalarText scalar_;
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
