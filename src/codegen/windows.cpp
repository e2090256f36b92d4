#include "codegen/windows.h"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include "codegen/accesses.h"
#include "codegen/blocks.h"
#include "codegen/make_loops.h"
#include "codegen/product_nest.h"
#include "codegen/tile_plan.h"
#include "meaning/affine.h"
#include "meaning/nest.h"

namespace isomer::codegen {
namespace {

using ir::IndexExpr;

constexpr size_t kRows = kChannels + 1, kColumns = kChannels + 2, kRank = kChannels + 3;  // dimensions

/// Steps of a tile that are written out.
constexpr int64_t kMostSteps = 800;

int64_t steps_of(std::span<const int> reduce, std::span<const int64_t> extents) {
  int64_t out = 1;
  for (const int v : reduce) out *= extents[static_cast<size_t>(v)];
  return out;
}

/// What is read and what multiplies it, if the store sums products of an image by weights.
struct Factors {
  const Access *image = nullptr, *weights = nullptr;
};
std::optional<Factors> factors_of(const LoopProgram& program, const Store& sum, const std::set<int>& known) {
  const std::vector<int> operands = operands_of(program, sum);
  if (operands.size() != 2 || sum.combine != ir::Combiner::kSum) return std::nullopt;
  Factors out;
  for (const int r : operands) {
    const Access& a = sum.reads[static_cast<size_t>(r)];
    (known.contains(a.buffer) ? out.weights : out.image) = &a;
  }
  if (out.image == nullptr || out.weights == nullptr || out.image->index.size() != kRank || loads(*out.image))
    return std::nullopt;
  return out;
}

/// The only other image that the nest writes.
const Access* result_of(const LoopProgram& program, const std::vector<Statement>& body) {
  const Access* out = nullptr;
  for (const Statement& s : body) {
    const auto* store = std::get_if<Store>(&s.node);
    if (store == nullptr ||
        program.buffers[static_cast<size_t>(store->target.buffer)].memory == Memory::kPrivate)
      continue;
    if (out != nullptr) return nullptr;
    out = &store->target;
  }
  return out;
}

/// Elements from the first to the last that is read, as a block.
std::optional<int64_t> block_read(const Access& a, std::span<const int64_t> extents) {
  int64_t out = 1;
  for (const IndexExpr& i : a.index) {
    const auto affine = meaning::to_affine(i, extents);
    if (!affine) return std::nullopt;
    const auto [low, high] = affine->range(extents);
    out *= high - low + 1;
  }
  return out;
}

/// Lanes that so many columns are computed in.
int64_t columns_for(int64_t columns, const ScheduleOptions& options) {
  return columns >= options.block ? columns : shortest_vector(columns);
}

}  // namespace

std::optional<ChannelWindows> windows_of(const LoopProgram& program, const Loop& loop,
                                         const std::set<int>& known, std::span<const int64_t> extents,
                                         const ScheduleOptions& options) {
  const Chain chain = chain_of(loop);
  const std::vector<const Loop*> reduce = reductions_of(program, chain.inner(), 2);
  const Access* to = result_of(program, chain.inner());
  if (!combines(program, loop, 2) || to == nullptr || to->index.size() != kRank) return std::nullopt;
  const auto factors = factors_of(program, *only_store(*only_loop(chain.inner())), known);
  if (!factors) return std::nullopt;
  const auto& [image, weights] = *factors;
  for (const size_t d : {kChannels, kRows, kColumns})
    if (to->index[d].kind() != IndexExpr::Kind::kVar) return std::nullopt;
  const auto variable = [&](size_t d) { return static_cast<int>(to->index[d].value()); };
  ChannelWindows out{variable(kChannels), variable(kRows), variable(kColumns), 0, 1};
  const auto has = [&](size_t d, int v) {
    const auto affine = meaning::to_affine(image->index[d], extents);
    return affine && affine->coefficient(v) == 1;
  };
  if (!is_variable(image->index[kChannels], out.channel) || !mentions(*weights, out.channel) ||
      mentions(*weights, out.row) || mentions(*weights, out.column) || !has(kRows, out.row) ||
      !has(kColumns, out.column) || chain.loops.back()->variable != out.column)
    return std::nullopt;
  for (const Loop* l : reduce) {
    if (!mentions(image->index[kRows], l->variable) && !mentions(image->index[kColumns], l->variable))
      return std::nullopt;
    out.steps *= l->end.value();
  }
  std::vector<int64_t> wider(extents.begin(), extents.end());
  int64_t& columns = wider[static_cast<size_t>(out.column)];
  columns = out.columns = columns_for(columns, options);
  const auto count = block_read(*image, wider);
  const int64_t of = program.buffers[static_cast<size_t>(image->buffer)].count();
  return count && out.steps <= kMostSteps / options.rows && is_little_more(*count, of) ? std::optional(out)
                                                                                       : std::nullopt;
}

namespace {

/// Sums of a nest in memory, with more columns, and what is done with them.
class Filling {
 public:
  Filling(LoopProgram& program, const ChannelWindows& windows, const std::vector<int64_t>& extents)
      : program_(program), windows_(windows), extents_(extents) {}

  /// Nothing where what stands before the reduction asks for more than it.
  std::vector<Statement> run(const Loop& nest) {
    const std::vector<const Loop*> loops = chain_of(nest).loops;
    std::vector<Statement> before, after;
    const Statement* sum = nullptr;
    for (const Statement& s : chain_of(nest).inner()) {
      if (std::holds_alternative<Loop>(s.node))
        sum = &s;
      else
        (sum == nullptr ? before : after).push_back(s);
    }
    const Store& store = *only_store(std::get<Loop>(sum->node));
    const int acc = store.target.buffer;
    const auto starts = [&](const Statement& s) {
      const auto& first = std::get<Store>(s.node);
      return first.target.buffer == acc && reads_of(first).empty() && !names_places(first);
    };
    if (!std::ranges::all_of(before, starts) || !store.target.index.empty() || names_places(store)) return {};
    const Access kept = sums(loops, acc);
    Store keep;
    keep.target = kept;
    keep.reads = {store.target};
    keep.value = read_program(store.value.sort, 0);
    before.push_back(with_inside(*sum));
    before.push_back({std::move(keep)});
    for_each_store(after, [&](Store& s) {
      for (const int r : reads_of(s))
        if (Access& read = s.reads[static_cast<size_t>(r)]; read.buffer == acc) read = kept;
    });
    std::vector<Statement> out = one(around(loops, std::move(before), windows_.columns));
    Statement rest = around(loops, std::move(after), extents_[static_cast<size_t>(windows_.column)]);
    out.push_back(renamed(std::move(rest)));
    return out;
  }

 private:
  static bool names_places(const Store& s) {
    return std::ranges::any_of(s.value.code, [](const auto& in) { return in.op == ir::ScalarOp::kVar; });
  }
  Access sums(const std::vector<const Loop*>& loops, int acc) {
    Buffer b;
    b.name = "sums" + std::to_string(program_.buffers.size());
    b.dtype = program_.buffers[static_cast<size_t>(acc)].dtype;
    std::vector<IndexExpr> index;
    for (const Loop* l : loops) {
      b.sizes.push_back(l->variable == windows_.column ? windows_.columns : l->end.value());
      index.push_back(IndexExpr::var(l->variable));
    }
    program_.buffers.push_back(std::move(b));
    return access_of(static_cast<int>(program_.buffers.size()) - 1, std::move(index));
  }
  /// Columns beside the image are asked about too.
  Statement with_inside(Statement sum) const {
    std::vector<int64_t> wider = extents_;
    wider[static_cast<size_t>(windows_.column)] = windows_.columns;
    Store& store = *only_store(std::get<Loop>(sum.node));
    for (const int r : reads_of(store)) {
      Access& a = store.reads[static_cast<size_t>(r)];
      if (!mentions(a, windows_.column)) continue;
      const int64_t size = program_.buffers[static_cast<size_t>(a.buffer)].sizes[kColumns];
      const auto asks = [&](const Bound& b) {
        return b.below == size && identical(b.value, a.index[kColumns]);
      };
      const auto affine = meaning::to_affine(a.index[kColumns], wider);
      if (affine->range(wider).second >= size && std::ranges::none_of(a.bounds, asks))
        a.bounds.push_back({a.index[kColumns], size});
    }
    return sum;
  }
  Statement around(const std::vector<const Loop*>& loops, std::vector<Statement> body,
                   int64_t columns) const {
    for (size_t i = loops.size(); i-- > 0;)
      body = one({make_loop(loops[i]->variable, 0,
                            loops[i]->variable == windows_.column ? columns : loops[i]->end.value(),
                            LoopKind::kSerial, std::move(body))});
    return std::move(body[0]);
  }
  Statement renamed(Statement s) {
    std::vector<Statement> body = one(std::move(s));
    for (Loop* l = &std::get<Loop>(body[0].node); l != nullptr; l = only_loop(l->body)) {
      const int old = l->variable;
      l->variable = add_variable(program_, program_.variables[static_cast<size_t>(old)]);
      substitute(l->body, [&](int v) { return IndexExpr::var(v == old ? l->variable : v); });
      if (l->body.size() != 1) break;
    }
    return std::move(body[0]);
  }

  LoopProgram& program_;
  const ChannelWindows& windows_;
  const std::vector<int64_t>& extents_;
};

}  // namespace

LoopProgram columns_filled(LoopProgram program, const ScheduleOptions& options) {
  const std::set<int> known = known_at_load(program);
  const std::vector<int64_t> extents = extents_of(program);
  std::vector<Statement> body;
  for (Statement& s : program.body) {
    const auto* loop = std::get_if<Loop>(&s.node);
    const auto windows = loop != nullptr ? windows_of(program, *loop, known, extents, options) : std::nullopt;
    std::vector<Statement> parts;
    if (windows && windows->columns > extents[static_cast<size_t>(windows->column)])
      parts = Filling(program, *windows, extents).run(*loop);
    if (parts.empty()) parts.push_back(std::move(s));
    std::ranges::move(parts, std::back_inserter(body));
  }
  program.body = std::move(body);
  return program;
}

bool meets_in_windows(const LoopProgram& program, const Store& store, int lane, int row,
                      std::span<const int> reduce, std::span<const int64_t> extents) {
  if (row < 0 || steps_of(reduce, extents) > kMostSteps) return false;
  return std::ranges::any_of(operands_of(program, store), [&](int r) {
    const Access& a = store.reads[static_cast<size_t>(r)];
    return a.bounds.empty() && !loads(a) && mentions(a, lane) &&
           std::ranges::any_of(a.index, [&](const IndexExpr& i) {
             return mentions(i, row) && !mentions(i, lane) && mentions(i, reduce.front());
           });
  });
}

int64_t most_rows_of_windows(std::span<const int> reduce, int64_t registers, std::span<const int64_t> extents,
                             const ScheduleOptions& options) {
  return std::clamp<int64_t>(kMostSteps / (steps_of(reduce, extents) * registers), 1, options.rows);
}

namespace {

/// Loops around each other, all from 0 to a number: those of the reduction, one of rows, one of lanes.
bool is_tile(const std::vector<const Loop*>& loops) {
  const size_t n = loops.size();
  constexpr size_t kLeast = 3;
  return n >= kLeast && loops[n - 1]->kind == LoopKind::kVector &&
         loops[n - 2]->kind == LoopKind::kUnrolled && std::ranges::all_of(loops, [](const Loop* l) {
           return l->begin.kind() == IndexExpr::Kind::kConst && l->begin.value() == 0 &&
                  l->end.kind() == IndexExpr::Kind::kConst;
         });
}

/// Iterations of all loops but that of lanes, from outside.
std::vector<std::vector<int64_t>> points_of(const std::vector<const Loop*>& loops) {
  std::vector<std::vector<int64_t>> out = {{}};
  for (const Loop* l : std::span(loops).first(loops.size() - 1)) {
    std::vector<std::vector<int64_t>> longer;
    for (const auto& point : out)
      for (int64_t i = 0; i < l->end.value(); ++i) {
        longer.push_back(point);
        longer.back().push_back(i);
      }
    out = std::move(longer);
  }
  return out;
}

/// How far the index that goes through the first loop and the rows goes by a step of each.
std::optional<std::pair<int64_t, int64_t>> steps_down(const Store& store, int first, int row,
                                                      std::span<const int64_t> extents) {
  for (const int r : reads_of(store))
    for (const IndexExpr& i : store.reads[static_cast<size_t>(r)].index) {
      const auto affine = meaning::to_affine(i, extents);
      if (affine && affine->coefficient(first) > 0 && affine->coefficient(row) > 0)
        return std::pair(affine->coefficient(first), affine->coefficient(row));
    }
  return std::nullopt;
}

}  // namespace

void read_rows_once(std::vector<Statement>& tile, std::span<const int64_t> extents) {
  for (Statement& s : tile) {
    const auto* top = std::get_if<Loop>(&s.node);
    if (top == nullptr || top->kind == LoopKind::kUnrolled || top->kind == LoopKind::kVector) continue;
    const Chain chain = chain_of(*top);
    const auto* store = chain.inner().size() == 1 ? std::get_if<Store>(&chain.inner()[0].node) : nullptr;
    if (store == nullptr || !store->combine || !is_tile(chain.loops)) continue;
    const auto down = steps_down(*store, chain.loops.front()->variable,
                                 chain.loops[chain.loops.size() - 2]->variable, extents);
    if (!down) continue;
    std::vector<std::vector<int64_t>> points = points_of(chain.loops);
    std::ranges::stable_sort(points, [&](const auto& a, const auto& b) {
      const auto key = [&](const std::vector<int64_t>& p) {
        return std::pair(p.front() * down->first + p.back() * down->second,
                         std::vector<int64_t>(p.begin() + 1, p.end() - 1));
      };
      return key(a) < key(b);
    });
    std::vector<Statement> all;
    for (const auto& point : points) {
      std::vector<Statement> step = one({*store});
      substitute(step, [&](int v) {
        for (size_t i = 0; i < point.size(); ++i)
          if (chain.loops[i]->variable == v) return IndexExpr(point[i]);
        return IndexExpr::var(v);
      });
      for_each_index_of_store(std::get<Store>(step[0].node),
                              [&](IndexExpr& i) { i = simplified(i, extents); });
      all.push_back(std::move(step[0]));
    }
    Loop lanes = *chain.loops.back();
    lanes.body = std::move(all);
    s = {std::move(lanes)};
  }
}

}  // namespace isomer::codegen
