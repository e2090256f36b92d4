#include "codegen/fuse.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>

#include "codegen/accesses.h"
#include "codegen/on_stack.h"
#include "codegen/product_nest.h"

namespace isomer::codegen {
namespace {

// --- movement

/// The store of a perfect nest that writes a whole buffer, its dimensions by its loops: of what it reads, or
/// of one number.
struct Mover {
  const Store* store = nullptr;
  std::vector<int> variables;  ///< by dimension of the target; -1: none
};

bool is_number(ir::ScalarOp op) { return op == ir::ScalarOp::kConst || op == ir::ScalarOp::kIntConst; }

std::optional<Mover> mover(const LoopProgram& program, const Statement& top) {
  const Statement* at = &top;
  std::vector<std::pair<int, ir::IndexExpr>> loops;  // variables with their ends
  while (const auto* loop = std::get_if<Loop>(&at->node)) {
    if (loop->body.size() != 1) return std::nullopt;
    loops.emplace_back(loop->variable, loop->end);
    at = &loop->body[0];
  }
  const Store& store = std::get<Store>(at->node);
  const Buffer& target = program.buffers[static_cast<size_t>(store.target.buffer)];
  const bool moves = !store.combine && target.memory == Memory::kScratch && store.value.code.size() == 1 &&
                     (store.value.code[0].op == ir::ScalarOp::kRead || is_number(store.value.code[0].op));
  if (!moves) return std::nullopt;
  Mover out;
  out.store = &store;
  size_t next = 0;  // dimensions of one element have no loop
  for (size_t d = 0; d < target.sizes.size(); ++d) {
    const bool own = next < loops.size() && is_variable(store.target.index[d], loops[next].first);
    if (!own && target.sizes[d] != 1) return std::nullopt;
    out.variables.push_back(own ? loops[next++].first : -1);
  }
  return next == loops.size() ? std::optional(out) : std::nullopt;
}

/// How many variables and loads its indices name.
int64_t leaves_of(const Access& access) {
  int64_t out = 0;
  for_each_index(access,
                 [&](const ir::IndexExpr& i) { for_each_leaf(i, [&](int) { ++out; }, [&](int) { ++out; }); });
  return out;
}

/// The number in place of read `r`; false where it is loaded or bounded.
bool named_number(Store& store, size_t r, const meaning::ScalarProgram::Instr& number) {
  if (!store.reads[r].bounds.empty()) return false;
  for (auto& in : store.value.code)
    if (in.op == ir::ScalarOp::kRead && static_cast<size_t>(in.index) == r) in = number;
  std::erase(store.value.reads, static_cast<int>(r));
  const std::vector<int> named = reads_of(store);
  if (std::ranges::find(named, static_cast<int>(r)) != named.end())
    return false;  // an index, or whether it is there
  store.reads[r] = {};
  return true;
}

/// Reads number `r` of the store from where the mover read it; false where it cannot say so, or would say it
/// at length: indices of movement through movement may double each time.
bool read_through(Store& store, size_t r, const Mover& mover) {
  if (is_number(mover.store->value.code[0].op)) return named_number(store, r, mover.store->value.code[0]);
  const Access& source = mover.store->reads[static_cast<size_t>(mover.store->value.code[0].index)];
  const Access own = store.reads[r];
  const bool names_validity = std::ranges::any_of(store.value.code, [&](const auto& in) {
    return in.op == ir::ScalarOp::kValid && static_cast<size_t>(in.index) == r;
  });
  constexpr int64_t kLongest = 256;
  if (leaves_of(source) * leaves_of(own) > kLongest) return false;
  if (!source.bounds.empty() && (names_validity || (!own.bounds.empty() && own.fill != source.fill)))
    return false;
  const auto variable = [&](int v) {
    for (size_t d = 0; d < mover.variables.size(); ++d)
      if (mover.variables[d] == v) return own.index[d];
    return ir::IndexExpr::var(v);
  };
  // What the mover loads becomes reads of this store.
  std::vector<int> number(mover.store->reads.size(), -1);
  const auto add = [&](int read, auto&& self) -> int {
    int& n = number[static_cast<size_t>(read)];
    if (n >= 0) return n;
    n = static_cast<int>(store.reads.size());
    store.reads.emplace_back();
    Access copy = mover.store->reads[static_cast<size_t>(read)];
    for_each_index(copy, [&](ir::IndexExpr& i) {
      i = substituted(i, variable, [&](const ir::IndexExpr& load) {
        return ir::IndexExpr::load(self(static_cast<int>(load.value()), self), load.size());
      });
    });
    // Where nothing is read, what says where is not read either.
    copy.bounds.insert(copy.bounds.end(), own.bounds.begin(), own.bounds.end());
    store.reads[static_cast<size_t>(n)] = std::move(copy);
    return n;
  };
  Access through = source;
  for_each_index(through, [&](ir::IndexExpr& i) {
    i = substituted(i, variable, [&](const ir::IndexExpr& load) {
      return ir::IndexExpr::load(add(static_cast<int>(load.value()), add), load.size());
    });
  });
  through.bounds.insert(through.bounds.end(), own.bounds.begin(), own.bounds.end());
  if (!own.bounds.empty()) through.fill = own.fill;
  store.reads[r] = std::move(through);
  return true;
}

/// Statements that write nothing which another reads, nor a result.
void drop_unread(LoopProgram& program) {
  for (bool more = true; more;) {
    std::map<int, std::set<size_t>> readers;
    for (size_t i = 0; i < program.body.size(); ++i)
      for (const auto& [buffer, uses] : uses_of(program.body[i]))
        if (uses.read) readers[buffer].insert(i);
    const auto needed = [&](size_t i) {
      return std::ranges::any_of(uses_of(program.body[i]), [&](const auto& use) {
        const Memory m = program.buffers[static_cast<size_t>(use.first)].memory;
        const std::set<size_t>& by = readers[use.first];
        return use.second.written && (m == Memory::kOutput || by.size() > by.count(i));
      });
    };
    std::vector<Statement> kept;
    for (size_t i = 0; i < program.body.size(); ++i)
      if (needed(i)) kept.push_back(std::move(program.body[i]));
    more = kept.size() != program.body.size();
    program.body = std::move(kept);
  }
}

// --- loops

bool same_bounds(const Loop& a, const Loop& b) {
  using Kind = ir::IndexExpr::Kind;
  const auto same = [](const ir::IndexExpr& x, const ir::IndexExpr& y) {
    return x.kind() == Kind::kConst && y.kind() == Kind::kConst && x.value() == y.value();
  };
  return a.kind == b.kind && same(a.begin, b.begin) && same(a.end, b.end);
}

bool conflict(const Uses& a, const Uses& b) { return a.written || b.written; }

/// Whether one may come before or after the other.
bool independent(const std::map<int, Uses>& a, const std::map<int, Uses>& b) {
  return std::ranges::none_of(a, [&](const auto& use) {
    const auto other = b.find(use.first);
    return other != b.end() && conflict(use.second, other->second);
  });
}

/// Whether a store below combines, within loops that only do that, what a loop further out does not choose
/// among: of a product the operand that all columns share.
bool read_again(const std::vector<Statement>& body, int buffer, std::vector<int>& around) {
  const auto only_combines = [](const std::vector<Statement>& statements) {
    bool all = true;
    for_each_store(statements, [&](const Store& s) { all &= s.combine.has_value(); });
    return all;
  };
  for (const Statement& s : body) {
    if (const auto* loop = std::get_if<Loop>(&s.node)) {
      const bool reduces = only_combines(loop->body);
      if (!reduces) around.push_back(loop->variable);
      const bool again = read_again(loop->body, buffer, around);
      if (!reduces) around.pop_back();
      if (again) return true;
      continue;
    }
    const auto& store = std::get<Store>(s.node);
    if (!store.combine) continue;
    for (const int r : reads_of(store)) {
      const Access& read = store.reads[static_cast<size_t>(r)];
      if (read.buffer != buffer || read.index.empty()) continue;
      for (const int v : around) {
        if (!mentions(read, v)) return true;
      }
    }
  }
  return false;
}

/// A statement with what it touches; what slides is like a product. Pointers to accesses are of loops only:
/// those stay where they are.
struct Known {
  std::map<int, Uses> uses;
  bool is_product = false;
};
Known known(const LoopProgram& program, const Statement& s) {
  const auto* loop = std::get_if<Loop>(&s.node);
  return {uses_of(s), loop != nullptr && (is_product(program, *loop) || slides(program, *loop))};
}

/// Whether something below combines what the loop's iterations have in common: a reduction over them.
bool reduces_over(const Loop& loop) {
  const std::map<int, Uses> uses = uses_of(loop.body);
  bool out = false;
  for_each_store(loop.body, [&](const Store& s) {
    out |= s.combine && !mentions(s.target, loop.variable) && !uses.at(s.target.buffer).written_first;
  });
  return out;
}

/// Whether all loops around the product become one with the other's: it stays a product then, and what is
/// fused with it finds its result in registers.
bool fuses_whole(const Loop& product, const Known& of_product, const Loop& other, const Known& of_other) {
  const auto inner = [](const Loop& l) {
    return l.body.size() == 1 ? std::get_if<Loop>(&l.body[0].node) : nullptr;
  };
  const Loop *a = &product, *b = &other;
  for (; a != nullptr && b != nullptr; a = inner(*a), b = inner(*b)) {
    if (!same_bounds(*a, *b) || reduces_over(*a) || reduces_over(*b)) return false;
    for (const auto& [buffer, uses] : of_product.uses) {
      const auto use = of_other.uses.find(buffer);
      if (use != of_other.uses.end() && conflict(uses, use->second) &&
          common_cut(uses, a->variable, use->second, b->variable) < 0)
        return false;
    }
  }
  return a == nullptr && b == nullptr;
}

/// Whether the loops may become one, and share something.
bool may_fuse(const Loop& a, const Known& of_a, const Loop& b, const Known& of_b) {
  if (!same_bounds(a, b) || (of_a.is_product && of_b.is_product)) return false;
  bool shares = false;
  for (const auto& [buffer, uses] : of_a.uses) {
    const auto other = of_b.uses.find(buffer);
    if (other == of_b.uses.end()) continue;
    shares = true;
    if (!conflict(uses, other->second)) continue;
    if (common_cut(uses, a.variable, other->second, b.variable) < 0) return false;
    std::vector<int> around;
    if (uses.written && read_again(b.body, buffer, around)) return false;
  }
  return shares && (!(of_a.is_product || of_b.is_product) || fuses_whole(a, of_a, b, of_b));
}

/// Whether all statements between two may come after, or before, one of them.
bool free_of(const std::vector<Known>& all, size_t i, size_t j, size_t which) {
  for (size_t k = i + 1; k < j; ++k)
    if (!independent(all[which].uses, all[k].uses)) return false;
  return true;
}

/// Whether a product between two may become one with the second, which reads both results: of sums of many
/// products each is added where it is made, instead of all being kept until the last one is there.
bool has_later_product(const std::vector<Statement>& body, const std::vector<Known>& all, size_t i,
                       size_t j) {
  const auto& b = std::get<Loop>(body[j].node);
  for (size_t k = j - 1; k > i; --k) {
    const auto* product = std::get_if<Loop>(&body[k].node);
    if (all[k].is_product && product != nullptr && may_fuse(*product, all[k], b, all[j]) &&
        free_of(all, k, j, j))
      return true;
  }
  return false;
}

void fuse(const LoopProgram& program, std::vector<Statement>& body) {
  std::vector<Known> all;
  for (const Statement& s : body) all.push_back(known(program, s));
  const auto at = [](auto& list, size_t n) { return list.begin() + static_cast<std::ptrdiff_t>(n); };
  for (size_t i = 0; i < body.size(); ++i) {
    for (size_t j = i + 1; j < body.size(); ++j) {
      auto* a = std::get_if<Loop>(&body[i].node);
      auto* b = std::get_if<Loop>(&body[j].node);
      if (a == nullptr) break;
      if (b == nullptr || !may_fuse(*a, all[i], *b, all[j])) continue;
      const bool up = free_of(all, i, j, j);
      if (!up && (!free_of(all, i, j, i) || (all[i].is_product && has_later_product(body, all, i, j))))
        continue;
      const auto variable = ir::IndexExpr::var(a->variable);
      substitute(b->body, [&](int v) { return v == b->variable ? variable : ir::IndexExpr::var(v); });
      for (Statement& s : b->body) a->body.push_back(std::move(s));
      if (all[i].is_product || all[j].is_product) fuse(program, a->body);  // so that it is seen to be one
      if (!up) body[j] = std::move(body[i]);
      body.erase(at(body, up ? j : i));
      all.erase(at(all, up ? j : i));
      const size_t merged = up ? i : j - 1;
      all[merged] = known(program, body[merged]);
      j = up ? j - 1 : i;  // what stood after the first stands in its place then
    }
    if (auto* loop = std::get_if<Loop>(&body[i].node)) fuse(program, loop->body);
  }
}

// --- buffers

/// Loops around all touches of a buffer, from outside, as far as they are the same for all.
void common_loops(const std::vector<Statement>& body, int buffer, std::vector<int>& path) {
  const Loop* only = nullptr;
  for (const Statement& s : body) {
    if (!uses_of(s).contains(buffer)) continue;
    const auto* loop = std::get_if<Loop>(&s.node);
    if (loop == nullptr || only != nullptr) return;
    only = loop;
  }
  if (only == nullptr) return;
  path.push_back(only->variable);
  common_loops(only->body, buffer, path);
}

}  // namespace

LoopProgram drop_untouched(LoopProgram program) {
  const auto touched = uses_of(program.body);
  std::vector<int> number(program.buffers.size(), 0);
  std::vector<Buffer> kept;
  for (size_t b = 0; b < program.buffers.size(); ++b) {
    const Memory m = program.buffers[b].memory;
    if (!touched.contains(static_cast<int>(b)) && m != Memory::kInput && m != Memory::kOutput) continue;
    number[b] = static_cast<int>(kept.size());
    kept.push_back(std::move(program.buffers[b]));
  }
  program.buffers = std::move(kept);
  const auto renumber = [&](int& b) { b = number[static_cast<size_t>(b)]; };
  std::ranges::for_each(program.inputs, renumber);
  std::ranges::for_each(program.outputs, renumber);
  for_each_store(program.body, [&](Store& store) {
    const std::vector<int> named = reads_of(store);
    renumber(store.target.buffer);
    for (size_t r = 0; r < store.reads.size(); ++r)
      if (std::ranges::find(named, static_cast<int>(r)) == named.end())
        store.reads[r] = {};
      else
        renumber(store.reads[r].buffer);
  });
  return program;
}

LoopProgram inline_movement(LoopProgram program) {
  for (size_t i = 0; i < program.body.size(); ++i) {
    const auto m = mover(program, program.body[i]);
    if (!m) continue;
    for_each_store(std::span(program.body).subspan(i + 1), [&](Store& store) {
      const size_t reads = store.reads.size();
      for (size_t r = 0; r < reads; ++r)
        if (store.reads[r].buffer == m->store->target.buffer && !store.reads[r].index.empty())
          read_through(store, r, *m);
    });
  }
  drop_unread(program);
  return program;
}

LoopProgram fuse_loops(LoopProgram program) {
  fuse(program, program.body);
  return program;
}

LoopProgram shrink_buffers(LoopProgram program, int64_t most) {
  std::map<size_t, int64_t> private_bytes;     // by statement
  std::map<int, std::vector<size_t>> touched;  // by buffer: the statements
  for (size_t i = 0; i < program.body.size(); ++i)
    for (const auto& [buffer, uses] : uses_of(program.body[i])) touched[buffer].push_back(i);
  for (const auto& [b, where] : touched) {
    Buffer& buffer = program.buffers[static_cast<size_t>(b)];
    auto* top = std::get_if<Loop>(&program.body[where[0]].node);
    if (buffer.memory != Memory::kScratch || where.size() > 1 || top == nullptr) continue;
    std::vector<int> path = {top->variable};
    common_loops(top->body, b, path);
    const std::map<int, Uses> all = uses_of(top->body);
    const Uses& uses = all.at(b);
    std::vector<bool> gone(buffer.sizes.size(), false);
    int64_t count = 1;
    for (size_t d = 0; d < buffer.sizes.size(); ++d) {
      for (const int v : path)
        gone[d] = gone[d] || std::ranges::all_of(
                                 uses.accesses, [&](const Access* a) { return is_variable(a->index[d], v); });
      if (!gone[d]) count *= buffer.sizes[d];
    }
    const int64_t bytes = ir::byte_size(buffer.dtype, count);
    int64_t& so_far = private_bytes[where[0]];
    if (std::ranges::count(gone, true) == 0 || bytes > most || so_far + bytes > kMostOnStack) continue;
    so_far += bytes;
    buffer.memory = Memory::kPrivate;
    const auto keep = [&](auto& list) {
      size_t d = 0;
      std::erase_if(list, [&](const auto&) { return gone[d++]; });
    };
    keep(buffer.sizes);
    for_each_store(top->body, [&](Store& store) {
      const std::vector<int> named = reads_of(store);
      if (store.target.buffer == b) keep(store.target.index);
      for (const int r : named)
        if (store.reads[static_cast<size_t>(r)].buffer == b) keep(store.reads[static_cast<size_t>(r)].index);
    });
  }
  return drop_untouched(std::move(program));
}

}  // namespace isomer::codegen
