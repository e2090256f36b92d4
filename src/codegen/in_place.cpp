#include "codegen/in_place.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>

#include "codegen/accesses.h"
#include "codegen/blocks.h"
#include "codegen/product_nest.h"
#include "meaning/affine.h"
#include "meaning/nest.h"

namespace isomer::codegen {
namespace {

using ir::IndexExpr;

// --- concatenations

/// A range of one axis of a store's target, and the read that fills it.
struct Piece {
  size_t read = 0, axis = 0;
  int64_t begin = 0, size = 0;
  bool whole = false;  ///< it is all of what is read, in its order
};

/// The loops of a statement that does nothing but one store, which they are the dimensions of.
std::optional<std::vector<const Loop*>> whole_nest(const LoopProgram& program, const Statement& s) {
  const auto* top = std::get_if<Loop>(&s.node);
  const Store* store = top != nullptr ? only_store(*top) : nullptr;
  if (store == nullptr || store->combine) return std::nullopt;
  const std::vector<const Loop*> loops = chain_of(*top).loops;
  const Buffer& target = program.buffers[static_cast<size_t>(store->target.buffer)];
  size_t next = 0;
  for (size_t d = 0; d < target.sizes.size(); ++d) {
    const bool own = next < loops.size() && is_variable(store->target.index[d], loops[next]->variable) &&
                     starts_at_zero(*loops[next]) && loops[next]->end.value() == target.sizes[d];
    if (!own && target.sizes[d] != 1) return std::nullopt;
    next += static_cast<size_t>(own);
  }
  return next == loops.size() ? std::optional(loops) : std::nullopt;
}

/// The range that a read fills, if its only bound is one of an axis.
std::optional<Piece> piece_of(const LoopProgram& program, const Store& store, size_t r,
                              std::span<const int64_t> extents) {
  const Access &read = store.reads[r], &target = store.target;
  if (read.bounds.size() != 1) return std::nullopt;
  const auto apart = [&](const IndexExpr& x, const IndexExpr& y) {
    const auto from = meaning::to_affine(x - y, extents);
    return from && from->terms.empty() ? std::optional(from->constant) : std::nullopt;
  };
  const Bound& bound = read.bounds[0];
  Piece out{r, 0, 0, bound.below, false};
  std::optional<int64_t> from;
  for (out.axis = 0; out.axis < target.index.size(); ++out.axis)
    if (from = apart(bound.value, target.index[out.axis]); from) break;
  if (!from) return std::nullopt;
  out.begin = -*from;
  const std::vector<int64_t>&of = program.buffers[static_cast<size_t>(read.buffer)].sizes,
        &to = program.buffers[static_cast<size_t>(target.buffer)].sizes;
  out.whole = of.size() == to.size();
  for (size_t d = 0; d < of.size() && out.whole; ++d)
    out.whole = d == out.axis ? of[d] == out.size && apart(read.index[d], bound.value) == 0
                              : of[d] == to[d] && apart(read.index[d], target.index[d]) == 0;
  return out;
}

/// Which read the value is where that read alone is valid; -1: none.
int chosen(const meaning::ScalarProgram& value, size_t valid) {
  constexpr int kUnknown = -1;
  struct Known {
    int read = kUnknown, number = kUnknown;
  };
  std::vector<Known> of;
  for (const auto& in : value.code) {
    const auto arg = [&](int32_t n) { return of[static_cast<size_t>(n)]; };
    switch (in.op) {
      case ir::ScalarOp::kRead: of.push_back({in.index, kUnknown}); break;
      case ir::ScalarOp::kValid:
        of.push_back({kUnknown, static_cast<int>(static_cast<size_t>(in.index) == valid)});
        break;
      case ir::ScalarOp::kSelect:
        if (arg(in.a).number == kUnknown) return kUnknown;
        of.push_back(arg(in.a).number != 0 ? arg(in.b) : arg(in.c));
        break;
      default: return kUnknown;
    }
  }
  return of.back().read;
}

/// The pieces of a concatenation, in order; else none.
std::vector<Piece> pieces_of(const LoopProgram& program, const Store& store,
                             std::span<const int64_t> extents) {
  std::vector<Piece> out;
  for (const int r : store.value.reads) {
    const auto piece = piece_of(program, store, static_cast<size_t>(r), extents);
    if (!piece || (!out.empty() && piece->axis != out[0].axis) ||
        chosen(store.value, static_cast<size_t>(r)) != r)
      return {};
    out.push_back(*piece);
  }
  std::ranges::sort(out, {}, &Piece::begin);
  int64_t end = 0;
  for (const Piece& p : out) {
    if (p.begin != end) return {};
    end += p.size;
  }
  const auto& target = program.buffers[static_cast<size_t>(store.target.buffer)];
  return !out.empty() && end == target.sizes[out[0].axis] ? out : std::vector<Piece>();
}

/// Accesses of the buffer go to a piece of another.
void move_into(LoopProgram& program, int buffer, int into, const Piece& piece) {
  for_each_store(program.body, [&](Store& store) {
    const auto move = [&](Access& a) {
      if (a.buffer != buffer || a.index.empty()) return;
      a.buffer = into;
      a.index[piece.axis] = a.index[piece.axis] + piece.begin;
    };
    const std::vector<int> named = reads_of(store);
    move(store.target);
    for (const int r : named) move(store.reads[static_cast<size_t>(r)]);
  });
}

/// Whether the piece is without gaps in the result, and may be the only place of what it holds.
bool may_move(const LoopProgram& program, const Store& store, const Piece& piece) {
  const Buffer& source = program.buffers[static_cast<size_t>(store.reads[piece.read].buffer)];
  const Buffer& target = program.buffers[static_cast<size_t>(store.target.buffer)];
  return piece.whole && source.memory == Memory::kScratch && source.dtype == target.dtype &&
         std::all_of(source.sizes.begin(), source.sizes.begin() + static_cast<std::ptrdiff_t>(piece.axis),
                     [](int64_t n) { return n == 1; });
}

/// The nest for one piece.
Statement copied(LoopProgram& program, const Statement& nest, const Piece& piece) {
  Statement out = nest;
  auto& top = std::get<Loop>(out.node);
  Store& store = *only_store(top);
  const IndexExpr of_axis = store.target.index[piece.axis];
  store.value = read_program(store.value.sort, static_cast<int>(piece.read));
  store.reads[piece.read].bounds.clear();
  std::map<int, int> renamed;
  for (Loop* loop = &top; loop != nullptr; loop = only_loop(loop->body)) {
    const int old = loop->variable;
    renamed[old] = static_cast<int>(program.variables.size());
    program.variables.push_back(std::string(program.variables[static_cast<size_t>(old)]));
    loop->variable = renamed[old];
    if (is_variable(of_axis, old)) loop->end = piece.size;
  }
  for_each_index_of_store(store, [&](IndexExpr& i) {
    i = substituted(i, [&](int v) {
      const IndexExpr own = IndexExpr::var(renamed.contains(v) ? renamed.at(v) : v);
      return is_variable(of_axis, v) ? own + piece.begin : own;
    });
  });
  return out;
}

// --- borders

struct Border {
  std::vector<int64_t> low, high;  ///< elements, by dimension
  double fill = 0;
};

/// How far a guarded read goes beyond the buffer's edges, if its bounds are these edges.
std::optional<Border> beyond(const LoopProgram& program, const Access& a, std::span<const int64_t> extents) {
  const std::vector<int64_t>& sizes = program.buffers[static_cast<size_t>(a.buffer)].sizes;
  Border out{{}, {}, a.fill};
  for (size_t d = 0; d < sizes.size(); ++d) {
    const auto affine = meaning::to_affine(a.index[d], extents);
    if (!affine) return std::nullopt;
    const auto [low, high] = affine->range(extents);
    out.low.push_back(std::max<int64_t>(-low, 0));
    out.high.push_back(std::max<int64_t>(high - sizes[d] + 1, 0));
  }
  for (const Bound& b : a.bounds) {
    const bool is_edge = std::ranges::any_of(a.index, [&](const IndexExpr& i) {
      const auto rest = meaning::to_affine(i - b.value, extents);
      const auto d = static_cast<size_t>(&i - a.index.data());
      return rest && rest->terms.empty() && rest->constant == 0 && b.below == sizes[d];
    });
    if (!is_edge) return std::nullopt;
  }
  return out;
}

bool names_validity(const Store& store, int read) {
  return std::ranges::any_of(
      store.value.code, [&](const auto& in) { return in.op == ir::ScalarOp::kValid && in.index == read; });
}

/// Calls with each guarded read of scratch in what combines elements.
template <class Body, class Visit>
void for_each_guarded(LoopProgram& program, Body& body, Visit&& visit) {
  for_each_store(body, [&](Store& store) {
    if (!store.combine) return;
    for (const int r : reads_of(store)) {
      Access& read = store.reads[static_cast<size_t>(r)];
      if (!read.bounds.empty() && !loads(read) && !names_validity(store, r) &&
          program.buffers[static_cast<size_t>(read.buffer)].memory == Memory::kScratch)
        visit(read);
    }
  });
}

/// Borders by buffer: as wide as all need that read the same there; of what differs zero comes first.
std::map<int, Border> borders_of(LoopProgram& program, std::span<const int64_t> extents) {
  std::map<int, Border> out;
  for_each_guarded(program, program.body, [&](const Access& read) {
    const auto b = beyond(program, read, extents);
    if (!b) return;
    const auto [at, is_new] = out.try_emplace(read.buffer, *b);
    Border& have = at->second;
    if (is_new) return;
    if (have.fill != b->fill) {
      if (b->fill == 0) have = *b;
      return;
    }
    for (size_t d = 0; d < have.low.size(); ++d) {
      have.low[d] = std::max(have.low[d], b->low[d]);
      have.high[d] = std::max(have.high[d], b->high[d]);
    }
  });
  std::erase_if(out, [&](const auto& entry) {
    const Buffer& b = program.buffers[static_cast<size_t>(entry.first)];
    int64_t count = 1;
    for (size_t d = 0; d < b.sizes.size(); ++d)
      count *= b.sizes[d] + entry.second.low[d] + entry.second.high[d];
    return !is_little_more(count, b.count());
  });
  return out;
}

/// Writes the elements around: for each dimension what lies before and behind.
std::vector<Statement> filled(LoopProgram& program, int buffer, const Border& border) {
  const Buffer b = program.buffers[static_cast<size_t>(buffer)];  // with its border
  const size_t rank = b.sizes.size();
  size_t outer = 0;  // dimensions without one
  while (outer < rank && border.low[outer] + border.high[outer] == 0) ++outer;
  const auto variable = [&] {
    program.variables.push_back("p" + std::to_string(program.variables.size()));
    return static_cast<int>(program.variables.size()) - 1;
  };
  const auto around = [](Statement inner, int v, int64_t begin, int64_t end) {
    Loop loop;
    loop.variable = v;
    loop.begin = begin;
    loop.end = end;
    loop.body.push_back(std::move(inner));
    return Statement{std::move(loop)};
  };
  std::vector<int> outside;
  for (size_t d = 0; d < outer; ++d) outside.push_back(variable());
  std::vector<Statement> slabs;
  const auto slab = [&](size_t along, int64_t begin, int64_t end) {
    if (begin >= end) return;
    Store store;
    store.target.buffer = buffer;
    store.value = constant_program(meaning::sort_of(b.dtype), border.fill);
    std::vector<int> own;
    for (size_t d = 0; d < rank; ++d) {
      own.push_back(d < outer ? outside[d] : variable());
      store.target.index.push_back(IndexExpr::var(own[d]));
    }
    Statement s{std::move(store)};
    for (size_t d = rank; d-- > outer;) {
      const bool inside = d < along;  // the corners belong to the dimension before
      const int64_t first = inside ? border.low[d] : 0, last = b.sizes[d] - (inside ? border.high[d] : 0);
      s = around(std::move(s), own[d], d == along ? begin : first, d == along ? end : last);
    }
    slabs.push_back(std::move(s));
  };
  for (size_t d = outer; d < rank; ++d) {
    slab(d, 0, border.low[d]);
    slab(d, b.sizes[d] - border.high[d], b.sizes[d]);
  }
  if (outside.empty()) return slabs;
  Loop innermost;
  innermost.variable = outside.back();
  innermost.end = b.sizes[outer - 1];
  innermost.body = std::move(slabs);
  Statement out{std::move(innermost)};
  for (size_t d = outer - 1; d-- > 0;) out = around(std::move(out), outside[d], 0, b.sizes[d]);
  slabs.clear();
  slabs.push_back(std::move(out));
  return slabs;
}

}  // namespace

LoopProgram write_in_place(LoopProgram program) {
  for (size_t i = 0; i < program.body.size(); ++i) {
    const auto loops = whole_nest(program, program.body[i]);
    if (!loops) continue;
    const Store& store = *only_store(std::get<Loop>(program.body[i].node));
    const std::vector<Piece> pieces = pieces_of(program, store, extents_of(program));
    if (pieces.size() < 2) continue;
    std::vector<Statement> copies;
    std::map<int, Piece> moved;
    for (const Piece& piece : pieces) {
      const int source = store.reads[piece.read].buffer;
      if (may_move(program, store, piece) && !moved.contains(source))
        moved.emplace(source, piece);
      else
        copies.push_back(copied(program, program.body[i], piece));
    }
    const int into = store.target.buffer;
    const auto at = program.body.begin() + static_cast<std::ptrdiff_t>(i);
    const size_t count = copies.size();
    program.body.insert(program.body.erase(at), std::make_move_iterator(copies.begin()),
                        std::make_move_iterator(copies.end()));
    for (const auto& [source, piece] : moved) move_into(program, source, into, piece);
    i = i + count - 1;
  }
  return program;
}

std::set<int> images_to_copy(const LoopProgram& program) {
  constexpr int64_t kWhole = 4;  // channels, of which there are a multiple
  const std::set<int> known = known_at_load(program);
  std::set<int> out;
  for (const Statement& s : program.body) {
    const auto* loop = std::get_if<Loop>(&s.node);
    if (loop == nullptr || !is_product(program, *loop)) continue;
    for_each_store(loop->body, [&](const Store& store) {
      const std::vector<int> operands = operands_of(program, store);
      if (!store.combine) return;
      for (const int r : operands) {
        const Access& read = store.reads[static_cast<size_t>(r)];
        const Buffer& buffer = program.buffers[static_cast<size_t>(read.buffer)];
        const bool may_be = buffer.memory == Memory::kInput && buffer.sizes.size() > kImageRank &&
                            buffer.sizes[kChannels] % kWhole == 0;
        if (may_be && std::ranges::any_of(operands, [&](int w) {
              const Access& weights = store.reads[static_cast<size_t>(w)];
              return known.contains(weights.buffer) && chosen_by(program, weights, read, kChannels);
            }))
          out.insert(read.buffer);
      }
    });
  }
  return out;
}

LoopProgram images_copied(LoopProgram program) {
  for (const int image : images_to_copy(program)) {
    const auto twin = static_cast<int>(program.buffers.size());
    Buffer copy = program.buffers[static_cast<size_t>(image)];
    copy.name += "c";
    copy.memory = Memory::kScratch;
    for_each_store(program.body, [&](Store& store) {
      for (const int r : reads_of(store))
        if (Access& read = store.reads[static_cast<size_t>(r)]; read.buffer == image) read.buffer = twin;
    });
    Access from, to;
    from.buffer = image;
    to.buffer = twin;
    program.body.insert(program.body.begin(), copy_of(program, from, to, copy.sizes));
    program.buffers.push_back(std::move(copy));
  }
  return program;
}

LoopProgram with_borders(LoopProgram program) {
  const std::vector<int64_t> extents = extents_of(program);
  const std::map<int, Border> borders = borders_of(program, extents);
  for_each_guarded(program, program.body, [&](Access& read) {
    const auto at = borders.find(read.buffer);
    const auto own = at != borders.end() ? beyond(program, read, extents) : std::nullopt;
    if (!own || own->fill != at->second.fill) return;
    read.bounds.clear();
  });
  for (const auto& [buffer, border] : borders) {
    Buffer& b = program.buffers[static_cast<size_t>(buffer)];
    for (size_t d = 0; d < b.sizes.size(); ++d) b.sizes[d] += border.low[d] + border.high[d];
    for_each_store(program.body, [&, b = buffer, &border = border](Store& store) {
      const auto move = [&](Access& a) {
        if (a.buffer != b) return;
        for (size_t d = 0; d < a.index.size(); ++d)
          if (border.low[d] > 0) a.index[d] = a.index[d] + border.low[d];
      };
      const std::vector<int> named = reads_of(store);
      move(store.target);
      for (const int r : named) move(store.reads[static_cast<size_t>(r)]);
    });
    size_t first = 0;
    while (!uses_of(program.body[first]).contains(buffer)) ++first;
    std::vector<Statement> fill = filled(program, buffer, border);
    program.body.insert(program.body.begin() + static_cast<std::ptrdiff_t>(first),
                        std::make_move_iterator(fill.begin()), std::make_move_iterator(fill.end()));
  }
  return program;
}

}  // namespace isomer::codegen
