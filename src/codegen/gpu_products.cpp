#include "codegen/gpu_products.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "codegen/accesses.h"
#include "codegen/flatten.h"
#include "codegen/product_nest.h"
#include "meaning/nest.h"

namespace isomer::codegen {
namespace {

using ir::IndexExpr;
using ir::ScalarOp;

int64_t rounded_up(int64_t n, int64_t to) { return (n + to - 1) / to; }
int64_t extent(const Loop* loop) { return loop->end.value(); }
int64_t all_of(const std::vector<const Loop*>& loops) {
  int64_t out = 1;
  for (const Loop* l : loops) out *= extent(l);
  return out;
}

/// What of a nest is what.
struct Product {
  std::vector<const Loop*> batch, rows, columns, reduce;  ///< from outside
  const Store* combine = nullptr;
  int left = -1, right = -1;  ///< reads: of the rows, of the columns
  std::vector<Store> before, after;
};

/// Whether of zeros it is zero: products of casts of reads.
bool multiplies(const meaning::ScalarProgram& value) {
  return value.code.back().op == ScalarOp::kMul && std::ranges::all_of(value.code, [](const auto& in) {
           return in.op == ScalarOp::kMul || in.op == ScalarOp::kRead || in.op == ScalarOp::kCast ||
                  in.op == ScalarOp::kToNumber;
         });
}

bool mentions_any(const Access& a, const std::vector<const Loop*>& loops) {
  return std::ranges::any_of(loops, [&](const Loop* l) { return mentions(a, l->variable); });
}

std::optional<Product> product_of(const LoopProgram& program, const Loop& top, size_t parallel) {
  const Chain chain = chain_of(top);
  if (chain.loops.size() != parallel) return std::nullopt;
  Product out;
  for (const Loop* l : reductions_of(program, chain.inner(), 2)) out.reduce.push_back(l);
  if (out.reduce.empty()) return std::nullopt;
  bool reduced = false;
  for (const Statement& s : chain.inner()) {
    if (const auto* store = std::get_if<Store>(&s.node))
      (reduced ? out.after : out.before).push_back(*store);
    else
      reduced = true;
  }
  out.combine = only_store(*only_loop(chain.inner()));
  const Store& s = *out.combine;
  const std::vector<int> reads = reads_of(s);
  const bool is_private = program.buffers[static_cast<size_t>(s.target.buffer)].memory == Memory::kPrivate;
  if (s.combine != ir::Combiner::kSum || !multiplies(s.value) || reads.size() != 2 || !is_private ||
      mentions_any(s.target, out.reduce) || operands_of(program, s).size() != 2)
    return std::nullopt;
  for (const int r : reads) {
    const Access& a = s.reads[static_cast<size_t>(r)];
    if (loads(a) || (!a.bounds.empty() && a.fill != 0)) return std::nullopt;
  }
  out.left = reads[0];
  out.right = reads[1];
  const auto of = [&](int read, const Loop* l) {
    return mentions(s.reads[static_cast<size_t>(read)], l->variable);
  };
  // Columns are what the innermost loop goes through that one operand alone depends on.
  for (size_t i = chain.loops.size(); i-- > 0;) {
    const Loop* l = chain.loops[i];
    if (of(out.left, l) == of(out.right, l)) continue;
    if (of(out.left, l)) std::swap(out.left, out.right);
    break;
  }
  for (const Loop* l : chain.loops) {
    const bool left = of(out.left, l), right = of(out.right, l);
    (left == right ? out.batch : left ? out.rows : out.columns).push_back(l);
  }
  if (out.rows.empty() || out.columns.empty()) return std::nullopt;
  return out;
}

/// Of rows and columns of a block; each thread has `each_rows` by `each_columns`.
struct Tile {
  int64_t rows, columns, each_rows, each_columns;
  double rate;  ///< of what is computed, by how much of the time threads do nothing but that
  int64_t threads() const { return rows / each_rows * (columns / each_columns); }
};
constexpr Tile kTiles[] = {
    {128, 128, 8, 8, 1.0}, {64, 128, 8, 4, 0.8}, {128, 64, 8, 4, 0.8},
    {64, 64, 4, 4, 0.6},   {32, 64, 4, 4, 0.55}, {32, 32, 4, 4, 0.45},
    {16, 64, 4, 4, 0.45},  {64, 16, 4, 4, 0.4},  {8, 8, 4, 4, 0.1},
};

/// The tile of which all blocks take the least time.
Tile tile_for(int64_t batch, int64_t rows, int64_t columns, const GpuOptions& options) {
  Tile best = kTiles[0];
  double least = INFINITY;
  for (const Tile& t : kTiles) {
    if (t.rows > options.tile || t.columns > options.tile) continue;
    const int64_t blocks = batch * rounded_up(rows, t.rows) * rounded_up(columns, t.columns);
    const double time = static_cast<double>(rounded_up(blocks, options.blocks) * t.rows * t.columns) / t.rate;
    if (time < least) {
      least = time;
      best = t;
    }
  }
  return best;
}

/// An axis of the result: loops as one number, a block's part of it, and in that a thread's.
struct Axis {
  std::vector<const Loop*> loops;
  int64_t count = 0, tile = 0, each = 0;
  int block = -1;           ///< variable
  int high = -1, low = -1;  ///< unrolled variables: of the thread's elements, four of which lie together
  int thread = -1;
  int64_t groups() const { return each / kTogether; }
  static constexpr int64_t kTogether = 4;

  IndexExpr begin() const { return IndexExpr::var(block) * tile; }
  /// Of an element of the tile.
  IndexExpr place() const {
    return IndexExpr::var(high) * (tile / groups()) + IndexExpr::var(thread) * kTogether +
           IndexExpr::var(low);
  }
  bool ragged() const { return count % tile != 0; }
};

class Tiling {
 public:
  Tiling(LoopProgram& program, Product product, std::span<const int64_t> extents, const GpuOptions& options)
      : program_(program), product_(std::move(product)), extents_(extents), options_(options) {}

  std::vector<Statement> run() {
    const Tile tile =
        tile_for(all_of(product_.batch), all_of(product_.rows), all_of(product_.columns), options_);
    threads_ = tile.threads();
    rows_ = axis(product_.rows, tile.rows, tile.each_rows, "r");
    columns_ = axis(product_.columns, tile.columns, tile.each_columns, "c");
    step_ = variable("k0");
    depth_ = std::min<int64_t>(options_.depth, 8);
    while (depth_ * std::min(tile.rows, tile.columns) < threads_) depth_ *= 2;
    steps_ = rounded_up(all_of(product_.reduce), depth_);
    own_private();
    const Operand left = operand(product_.left, rows_, "left"),
                  right = operand(product_.right, columns_, "right");

    std::vector<Statement> body;
    for (const Store& s : product_.before) body.push_back(of_elements(s));
    fetch(left, 0, body);
    fetch(right, 0, body);
    std::vector<Statement> step;
    share(left, step);
    share(right, step);
    fetch(left, IndexExpr::var(step_) + 1, step);
    fetch(right, IndexExpr::var(step_) + 1, step);
    step.push_back(multiply(left, right));
    body.push_back(loop(step_, steps_, LoopKind::kSerial, std::move(step)));
    for (const Store& s : product_.after) body.push_back(of_elements(s));

    body = one(loop(columns_.block, rounded_up(columns_.count, columns_.tile), LoopKind::kParallel,
                    std::move(body)));
    body = one(loop(rows_.block, rounded_up(rows_.count, rows_.tile), LoopKind::kParallel, std::move(body)));
    for (size_t i = product_.batch.size(); i-- > 0;)
      body = one(
          loop(product_.batch[i]->variable, extent(product_.batch[i]), LoopKind::kParallel, std::move(body)));
    return body;
  }

 private:
  /// An operand's way: from memory to registers, to shared memory, and from there.
  struct Operand {
    int read = -1;
    const Axis* axis = nullptr;
    bool along = false;  ///< neighbouring threads fetch neighbours of the axis, else of the reduction
    int fetched = -1, shared = -1, held = -1;  ///< buffers
    int64_t each = 0;                          ///< elements that a thread fetches
    int turn = -1, outer = -1, inner = -1;     ///< variables: which of them; threads
  };

  int variable(std::string name) {
    program_.variables.push_back(std::move(name));
    return static_cast<int>(program_.variables.size()) - 1;
  }
  int buffer(const char* name, ir::DType dtype, std::vector<int64_t> sizes) {
    Buffer b;
    b.name = name + std::to_string(program_.buffers.size());
    b.dtype = dtype;
    b.sizes = std::move(sizes);
    b.memory = Memory::kPrivate;
    program_.buffers.push_back(std::move(b));
    return static_cast<int>(program_.buffers.size()) - 1;
  }
  static Access at(int buffer, std::vector<IndexExpr> index) {
    Access a;
    a.buffer = buffer;
    a.index = std::move(index);
    return a;
  }
  static Statement loop(int variable, int64_t end, LoopKind kind, std::vector<Statement> body) {
    Loop out;
    out.variable = variable;
    out.end = end;
    out.kind = kind;
    out.body = std::move(body);
    return {std::move(out)};
  }
  static std::vector<Statement> one(Statement s) {
    std::vector<Statement> out;
    out.push_back(std::move(s));
    return out;
  }

  Axis axis(const std::vector<const Loop*>& loops, int64_t tile, int64_t each, const std::string& name) {
    Axis out;
    out.loops = loops;
    out.count = all_of(loops);
    out.tile = tile;
    out.each = each;
    out.block = variable(name + "0");
    out.high = variable(name + "1");
    out.low = variable(name);
    out.thread = variable("t" + name);
    return out;
  }

  /// Loops over a thread's elements around threads around the store.
  Statement over_elements(Store s, bool rows, bool columns) {
    std::vector<Statement> body = one({std::move(s)});
    body = one(loop(columns_.thread, columns_.tile / columns_.each, LoopKind::kThread, std::move(body)));
    body = one(loop(rows_.thread, rows_.tile / rows_.each, LoopKind::kThread, std::move(body)));
    const auto around = [&](const Axis& a) {
      body = one(loop(a.low, Axis::kTogether, LoopKind::kUnrolled, std::move(body)));
      body = one(loop(a.high, a.groups(), LoopKind::kUnrolled, std::move(body)));
    };
    if (columns) around(columns_);
    if (rows) around(rows_);
    return std::move(body[0]);
  }

  /// What each element has for itself gets a place for each of a thread's, and for each thread.
  void own_private() {
    std::set<int> own;
    const auto note = [&](const Store& s) {
      const auto add = [&](const Access& a) {
        if (program_.buffers[static_cast<size_t>(a.buffer)].memory == Memory::kPrivate) own.insert(a.buffer);
      };
      add(s.target);
      for (const int r : reads_of(s)) add(s.reads[static_cast<size_t>(r)]);
    };
    for (const Store& s : product_.before) note(s);
    for (const Store& s : product_.after) note(s);
    combine_ = *product_.combine;
    combine_.places.clear();  // named by nothing
    note(combine_);
    for (const int b : own) {
      const Buffer& old = program_.buffers[static_cast<size_t>(b)];
      std::vector<int64_t> sizes = {rows_.groups(), Axis::kTogether, columns_.groups(), Axis::kTogether};
      sizes.insert(sizes.end(), old.sizes.begin(), old.sizes.end());
      sizes.push_back(rows_.tile / rows_.each);
      sizes.push_back(columns_.tile / columns_.each);
      const std::string name = old.name + "_";
      own_[b] = buffer(name.c_str(), old.dtype, std::move(sizes));
    }
  }
  void move_private(Access& a) const {
    const auto to = own_.find(a.buffer);
    if (to == own_.end()) return;
    a.buffer = to->second;
    std::vector<IndexExpr> index = {IndexExpr::var(rows_.high), IndexExpr::var(rows_.low),
                                    IndexExpr::var(columns_.high), IndexExpr::var(columns_.low)};
    index.insert(index.end(), a.index.begin(), a.index.end());
    index.push_back(IndexExpr::var(rows_.thread));
    index.push_back(IndexExpr::var(columns_.thread));
    a.index = std::move(index);
  }

  /// Loop variables of the nest, by where in the tile an element is.
  static void place(Store& s, const Axis& a, const IndexExpr& number) {
    const std::vector<IndexExpr> of = digits(number, a.loops);
    for_each_index_of_store(s, [&](IndexExpr& i) {
      i = substituted(i, [&](int v) {
        for (size_t d = 0; d < a.loops.size(); ++d)
          if (a.loops[d]->variable == v) return of[d];
        return IndexExpr::var(v);
      });
    });
  }

  /// A store of the nest, for each element of the tile that there is.
  Statement of_elements(Store s) {
    const bool is_private = own_.contains(s.target.buffer);
    const auto guard = [&](Access& a, const Axis& axis) {
      if (axis.ragged() && mentions_any(a, axis.loops))
        a.bounds.push_back({axis.begin() + axis.place(), axis.count});
    };
    for (const int r : reads_of(s)) {
      guard(s.reads[static_cast<size_t>(r)], rows_);
      guard(s.reads[static_cast<size_t>(r)], columns_);
    }
    if (!is_private)
      for (const Axis* axis : {&rows_, &columns_})
        if (axis->ragged()) s.target.bounds.push_back({axis->begin() + axis->place(), axis->count});
    place(s, rows_, rows_.begin() + rows_.place());
    place(s, columns_, columns_.begin() + columns_.place());
    move_private(s.target);
    for (const int r : reads_of(s)) move_private(s.reads[static_cast<size_t>(r)]);
    return over_elements(std::move(s), true, true);
  }

  Operand operand(int read, const Axis& axis, const char* name) {
    Operand out;
    out.read = read;
    out.axis = &axis;
    const Access& a = product_.combine->reads[static_cast<size_t>(read)];
    const Buffer& b = program_.buffers[static_cast<size_t>(a.buffer)];
    const auto apart = [&](const std::vector<const Loop*>& loops) {
      const auto s = stride(program_, a, loops.back()->variable, extents_);
      return s && *s == 1;
    };
    out.along = apart(axis.loops) || !apart(product_.reduce);
    out.each = axis.tile * depth_ / threads_;
    constexpr int64_t kApart = 4;  // columns of shared memory that nobody uses: other banks for the next row
    const bool narrow = ir::is_float(b.dtype) && ir::bit_width(b.dtype) < 64;
    const std::string prefix = name;
    out.fetched = buffer((prefix + "_next").c_str(), b.dtype, {out.each, threads_});
    out.shared =
        buffer((prefix + "_tile").c_str(), narrow ? ir::DType::kF32 : b.dtype, {depth_, axis.tile + kApart});
    out.held = buffer((prefix + "_held").c_str(), narrow ? ir::DType::kF32 : b.dtype,
                      {axis.groups(), Axis::kTogether, threads_});
    out.turn = variable("n");
    out.outer = variable("t");
    out.inner = variable("t");
    return out;
  }

  /// Threads of a fetch: those that fetch neighbours, and how many such rows there are.
  int64_t neighbours(const Operand& o) const { return std::min(o.along ? o.axis->tile : depth_, threads_); }
  IndexExpr thread_number(const Operand& o) const {
    return IndexExpr::var(o.outer) * neighbours(o) + IndexExpr::var(o.inner);
  }
  /// Where in the slice it is what a thread fetches: on the axis, and in the reduction.
  std::pair<IndexExpr, IndexExpr> fetched_place(const Operand& o) const {
    const int64_t wide = o.along ? o.axis->tile : depth_, by = threads_ / neighbours(o);
    IndexExpr fast = IndexExpr::var(o.inner), slow = IndexExpr::var(o.turn) * by + IndexExpr::var(o.outer);
    if (const int64_t parts = wide / neighbours(o); parts > 1) {  // rows longer than there are threads
      fast = IndexExpr::var(o.turn).mod(parts) * neighbours(o) + IndexExpr::var(o.inner);
      slow = IndexExpr::var(o.turn).floor_div(parts);
    }
    return o.along ? std::pair(fast, slow) : std::pair(slow, fast);
  }
  Statement over_fetched(const Operand& o, Store s) const {
    std::vector<Statement> body = one({std::move(s)});
    body = one(loop(o.inner, neighbours(o), LoopKind::kThread, std::move(body)));
    body = one(loop(o.outer, threads_ / neighbours(o), LoopKind::kThread, std::move(body)));
    return loop(o.turn, o.each, LoopKind::kUnrolled, std::move(body));
  }
  meaning::Sort sort_of(const Operand& o) const {
    return meaning::sort_of(program_.buffers[static_cast<size_t>(o.fetched)].dtype);
  }

  /// The slice of step `step`, where there is one, to registers.
  void fetch(const Operand& o, const IndexExpr& step, std::vector<Statement>& out) const {
    const auto [on_axis, in_step] = fetched_place(o);
    Store s;
    s.target = at(o.fetched, {IndexExpr::var(o.turn), thread_number(o)});
    s.reads = {product_.combine->reads[static_cast<size_t>(o.read)]};
    s.value = read_program(sort_of(o), 0);
    const IndexExpr number = o.axis->begin() + on_axis, along = step * depth_ + in_step;
    place(s, *o.axis, number);
    Axis reduce;
    reduce.loops = product_.reduce;
    place(s, reduce, along);
    Access& a = s.reads[0];
    if (o.axis->ragged()) a.bounds.push_back({number, o.axis->count});
    a.bounds.push_back({along, all_of(product_.reduce)});
    a.fill = 0;
    out.push_back(over_fetched(o, std::move(s)));
  }
  void share(const Operand& o, std::vector<Statement>& out) const {
    const auto [on_axis, in_step] = fetched_place(o);
    Store s;
    s.target = at(o.shared, {in_step, on_axis});
    s.reads = {at(o.fetched, {IndexExpr::var(o.turn), thread_number(o)})};
    s.value = read_program(sort_of(o), 0);
    out.push_back(over_fetched(o, std::move(s)));
  }

  Statement multiply(const Operand& left, const Operand& right) {
    const int k = variable("k");
    std::vector<Statement> body;
    const auto number =
        IndexExpr::var(rows_.thread) * (columns_.tile / columns_.each) + IndexExpr::var(columns_.thread);
    const auto held = [&](const Operand& o) {
      return at(o.held, {IndexExpr::var(o.axis->high), IndexExpr::var(o.axis->low), number});
    };
    for (const Operand* o : {&left, &right}) {
      Store s;
      s.target = held(*o);
      s.reads = {at(o->shared, {IndexExpr::var(k), o->axis->place()})};
      s.value = read_program(sort_of(*o), 0);
      body.push_back(over_elements(std::move(s), o == &left, o == &right));
    }
    Store s = combine_;
    s.reads[static_cast<size_t>(product_.left)] = held(left);
    s.reads[static_cast<size_t>(product_.right)] = held(right);
    move_private(s.target);
    body.push_back(over_elements(std::move(s), true, true));
    return loop(k, depth_, LoopKind::kUnrolled, std::move(body));
  }

  LoopProgram& program_;
  const Product product_;
  const std::span<const int64_t> extents_;
  const GpuOptions& options_;
  Axis rows_, columns_;
  Store combine_;
  std::map<int, int> own_;  // private buffers of the nest: the tile's
  int step_ = -1;
  int64_t threads_ = 0, depth_ = 0, steps_ = 0;
};

}  // namespace

std::vector<Statement> product_in_tiles(LoopProgram& program, const Loop& top, size_t parallel,
                                        std::span<const int64_t> extents, const GpuOptions& options) {
  auto product = product_of(program, top, parallel);
  if (!product) return {};
  return Tiling(program, std::move(*product), extents, options).run();
}

}  // namespace isomer::codegen
