#include "codegen/blocks.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <span>

#include "codegen/accesses.h"
#include "codegen/product_nest.h"
#include "meaning/affine.h"

namespace isomer::codegen {
namespace {

using ir::IndexExpr;

constexpr int64_t kSmallest = 4;  // block

class Blocking {
 public:
  /// `done`: buffers that are in blocks already.
  Blocking(LoopProgram& program, int64_t block, const std::set<int>& done)
      : program_(program),
        block_(block),
        known_(known_at_load(program)),
        extents_(extents_of(program)),
        parent_(program.buffers.size()),
        fits_(program.buffers.size(), true),
        gains_(program.buffers.size(), false) {
    std::iota(parent_.begin(), parent_.end(), 0);
    for (size_t b = 0; b < fits_.size(); ++b) {
      const Buffer& buffer = program.buffers[b];
      const bool own = buffer.memory == Memory::kScratch || buffer.memory == Memory::kOutput;
      is_image_.push_back(own && has_blocks(buffer, block) && !known_.contains(static_cast<int>(b)) &&
                          !done.contains(static_cast<int>(b)));
    }
  }

  /// Buffers that are better in blocks.
  std::set<int> choose() {
    for (const Statement& s : program_.body) look(s);
    std::map<int, bool> all_fit, some_gain;
    for (size_t b = 0; b < parent_.size(); ++b)
      if (is_image_[b]) {
        const int root = find(static_cast<int>(b));
        const auto at = all_fit.try_emplace(root, true).first;
        at->second = at->second && fits_[b];
        some_gain[root] = some_gain[root] || gains_[b];
      }
    std::set<int> out;
    for (size_t b = 0; b < parent_.size(); ++b)
      if (const int root = find(static_cast<int>(b)); is_image_[b] && all_fit[root] && some_gain[root])
        out.insert(static_cast<int>(b));
    return out;
  }

  /// A statement whose loop of the variable, of whole blocks only, is two. Bounds that hold then always go.
  void take_apart(Statement& s, int variable) {
    if (!in_whole_blocks(s, variable)) return;
    s = apart(std::move(s), {variable});
    for_each_store(std::get<Loop>(s.node).body, [&](Store& store) {
      for (Access& read : store.reads)
        std::erase_if(read.bounds, [&](const Bound& b) {
          const auto affine = meaning::to_affine(b.value, extents_);
          const auto [low, high] = affine ? affine->range(extents_) : std::pair<int64_t, int64_t>(-1, 0);
          return low >= 0 && high < b.below;
        });
    });
  }

  /// Images that are results are copied from where they are in blocks.
  void apply(std::set<int>& chosen) {
    const std::set<int> before = std::move(chosen);
    chosen.clear();
    std::vector<Statement> copies;
    for (const int b : before) {
      const bool is_result = program_.buffers[static_cast<size_t>(b)].memory == Memory::kOutput;
      chosen.insert(is_result ? moved(b, copies) : b);
    }
    std::ranges::move(copies, std::back_inserter(program_.body));
    in_blocks(chosen);
  }

 private:
  /// Where the buffer's elements are made, and the statement that copies them.
  int moved(int buffer, std::vector<Statement>& copies) {
    const auto twin = static_cast<int>(program_.buffers.size());
    Buffer scratch = program_.buffers[static_cast<size_t>(buffer)];
    scratch.name += "b";
    scratch.memory = Memory::kScratch;
    const std::vector<int64_t> sizes = scratch.sizes;
    program_.buffers.push_back(std::move(scratch));
    for_each_store(program_.body, [&](Store& store) {
      const std::vector<int> named = reads_of(store);
      if (store.target.buffer == buffer) store.target.buffer = twin;
      for (const int r : named)
        if (Access& read = store.reads[static_cast<size_t>(r)]; read.buffer == buffer) read.buffer = twin;
    });
    Access from, to;
    from.buffer = twin;
    to.buffer = buffer;
    copies.push_back(copy_of(program_, from, to, sizes));
    extents_.resize(program_.variables.size(), 0);
    add_extents({copies.back()}, extents_);
    return twin;
  }

  void in_blocks(const std::set<int>& chosen) {
    for (Statement& s : program_.body) {
      std::set<int> split;
      for_each_access_in(s, [&](const Store&, const Access& a) {
        if (chosen.contains(a.buffer))
          if (const auto v = channel_of(s, a); v && *v >= 0) split.insert(*v);
      });
      for_each_access_in(s, [&](const Store&, Access& a) { in_blocks(a, chosen); });
      if (!split.empty()) s = apart(std::move(s), split);
    }
    for (const int b : chosen) {
      std::vector<int64_t>& sizes = program_.buffers[static_cast<size_t>(b)].sizes;
      sizes[kChannels] /= block_;
      sizes.push_back(block_);
    }
  }

  int find(int b) {
    int& p = parent_[static_cast<size_t>(b)];
    return p == b ? b : p = find(p);
  }

  /// Of all its stores, which come with them.
  template <class S, class Visit>
  static void for_each_access_in(S& s, const Visit& visit) {
    for_each_store(std::span(&s, 1),
                   [&](auto& store) { for_each_access(store, [&](auto& access) { visit(store, access); }); });
  }
  /// Whether all loops of the variable go through whole blocks.
  bool in_whole_blocks(const Statement& s, int variable) const {
    const auto* loop = std::get_if<Loop>(&s.node);
    if (loop == nullptr) return true;
    if (loop->variable == variable && (!starts_at_zero(*loop) || loop->end.value() % block_ != 0))
      return false;
    return std::ranges::all_of(loop->body,
                               [&](const Statement& inner) { return in_whole_blocks(inner, variable); });
  }
  /// The variable that goes through channels, -1 where it is one channel; nothing where it is something else.
  std::optional<int> channel_of(const Statement& s, const Access& a) const {
    const auto affine = meaning::to_affine(a.index[kChannels], extents_);
    if (!affine) return std::nullopt;
    if (affine->terms.empty()) return -1;
    int out = -1;
    for (const auto& [variable, factor] : affine->terms)
      if (factor == 1 && out < 0 && in_whole_blocks(s, variable))
        out = variable;
      else if (factor % block_ != 0)
        return std::nullopt;
    return out >= 0 && affine->constant % block_ == 0 ? std::optional(out) : std::nullopt;
  }

  void look(const Statement& s) {
    const auto* loop = std::get_if<Loop>(&s.node);
    std::map<int, int> first;  // by variable: an image that it goes through
    std::set<int> written;     // variables that choose among channels of what is written
    std::vector<const Access*> others;
    std::map<int, std::vector<int>> beside;  // by variable: images that a product's result is combined with
    const bool product = loop != nullptr && is_product(program_, *loop);
    for_each_access_in(s, [&](const Store& store, const Access& a) {
      if (!is_image_[static_cast<size_t>(a.buffer)]) return;
      const auto v = channel_of(s, a);
      if (!v) return others.push_back(&a);
      if (*v < 0) return;
      const auto [at, is_new] = first.try_emplace(*v, a.buffer);
      parent_[static_cast<size_t>(find(a.buffer))] = find(at->second);
      if (&a == &store.target) written.insert(*v);
      if (!store.combine && &a != &store.target) beside[*v].push_back(a.buffer);
    });
    // A product whose result is in no blocks of that variable keeps its lanes whole.
    for (const auto& [v, images] : beside)
      if (product && !written.contains(v))
        for (const int b : images) fits_[static_cast<size_t>(b)] = false;
    if (product)
      for (const auto& [v, image] : first)
        if (is_batch(*loop, v)) fits_[static_cast<size_t>(image)] = false;
    for (const Access* a : others) {
      const bool copied = product && a->bounds.empty() && !loads(*a) &&
                          std::ranges::none_of(written, [&](int v) { return mentions(*a, v); });
      if (!copied) fits_[static_cast<size_t>(a->buffer)] = false;
    }
    if (product) weigh(*loop, first);
  }
  /// Whether all that the product multiplies depends on it, and none of that are weights: heads of attention,
  /// each of which has a product of its own. In lanes they would share nothing.
  bool is_batch(const Loop& loop, int variable) const {
    bool out = false;
    for_each_store(loop.body, [&](const Store& store) {
      if (!store.combine) return;
      const std::vector<int> operands = operands_of(program_, store);
      out = out || (operands.size() > 1 && std::ranges::all_of(operands, [&](int r) {
                      const Access& a = store.reads[static_cast<size_t>(r)];
                      return mentions(a, variable) && !known_.contains(a.buffer);
                    }));
    });
    return out;
  }
  /// Blocks pay where weights are chosen by the channel, of what is written or of what is read.
  void weigh(const Loop& loop, const std::map<int, int>& image) {
    for_each_store(loop.body, [&](const Store& store) {
      if (!store.combine) return;
      for (const int r : operands_of(program_, store))
        for (const auto& [v, b] : image) {
          const Access& a = store.reads[static_cast<size_t>(r)];
          if (known_.contains(a.buffer) && mentions(a, v)) gains_[static_cast<size_t>(b)] = true;
        }
    });
  }

  void in_blocks(Access& a, const std::set<int>& chosen) const {
    if (!chosen.contains(a.buffer)) return;
    const IndexExpr channel = a.index[kChannels];
    a.index[kChannels] = channel.floor_div(block_);
    a.index.push_back(channel.mod(block_));
  }

  /// Loops of these variables as two: over blocks, if there are several, and within one.
  Statement apart(Statement s, const std::set<int>& variables) {
    std::map<int, std::pair<int, int>> parts;
    for (const int v : variables) {
      const std::string name = program_.variables[static_cast<size_t>(v)];
      const auto of_blocks = static_cast<int>(program_.variables.size());
      program_.variables.push_back(name + "b");
      program_.variables.push_back(name + "c");
      parts[v] = {of_blocks, of_blocks + 1};
    }
    split(s, parts);
    std::vector<Statement> body;
    body.push_back(std::move(s));
    substitute(body, [&](int v) {
      const auto at = parts.find(v);
      if (at == parts.end()) return IndexExpr::var(v);
      const IndexExpr within = IndexExpr::var(at->second.second);
      return extents_[static_cast<size_t>(v)] == block_ ? within
                                                        : IndexExpr::var(at->second.first) * block_ + within;
    });
    extents_.resize(program_.variables.size(), 0);
    add_extents(body, extents_);
    for_each_store(body, [&](Store& store) {
      for_each_index_of_store(store, [&](IndexExpr& i) { i = simplified(i, extents_); });
    });
    return std::move(body[0]);
  }
  void split(Statement& s, const std::map<int, std::pair<int, int>>& parts) const {
    auto* loop = std::get_if<Loop>(&s.node);
    if (loop == nullptr) return;
    for (Statement& inner : loop->body) split(inner, parts);
    const auto at = parts.find(loop->variable);
    if (at == parts.end()) return;
    Loop within;
    within.variable = at->second.second;
    within.end = block_;
    within.body = std::move(loop->body);
    if (loop->end.value() == block_) {
      *loop = std::move(within);
      return;
    }
    loop->variable = at->second.first;
    loop->end = loop->end.value() / block_;
    loop->body.clear();
    loop->body.push_back({std::move(within)});
  }

  LoopProgram& program_;
  int64_t block_;
  std::set<int> known_;
  std::vector<int64_t> extents_;
  std::vector<int> parent_;     // of groups, by buffer
  std::vector<bool> is_image_;  // by buffer: it can be in blocks
  std::vector<bool> fits_;      // by buffer: all that touch it can
  std::vector<bool> gains_;     // by buffer
};

/// Variables that are divided, with the divisor.
void divided(const IndexExpr& e, std::map<int, int64_t>& out) {
  using Kind = IndexExpr::Kind;
  switch (e.kind()) {
    case Kind::kConst:
    case Kind::kVar:
    case Kind::kLoad: return;
    case Kind::kFloorDiv:
      if (e.lhs().kind() == Kind::kVar) out.emplace(static_cast<int>(e.lhs().value()), e.value());
      return;
    case Kind::kAdd:
    case Kind::kMin:
    case Kind::kMax: divided(e.rhs(), out); [[fallthrough]];
    default: divided(e.lhs(), out);
  }
}

}  // namespace

LoopProgram groups_apart(LoopProgram program) {
  for (Statement& s : program.body) {
    const auto* loop = std::get_if<Loop>(&s.node);
    if (loop == nullptr || !is_product(program, *loop)) continue;
    std::map<int, int64_t> groups;
    for_each_store(loop->body, [&](const Store& store) {
      for (const int r : reads_of(store))
        for (const IndexExpr& i : store.reads[static_cast<size_t>(r)].index) divided(i, groups);
    });
    for (const auto& [variable, channels] : groups)
      if (channels % kSmallest == 0) Blocking(program, channels, {}).take_apart(s, variable);
  }
  return program;
}

int64_t smallest_block(const ScheduleOptions& options) { return std::min(kSmallest, options.block); }

bool has_blocks(const Buffer& buffer, int64_t block) {
  return buffer.sizes.size() >= kImageRank && buffer.sizes[kChannels] > 0 &&
         buffer.sizes[kChannels] % block == 0;
}

LoopProgram block_channels(LoopProgram program, const ScheduleOptions& options) {
  std::set<int> done;
  for (int64_t block = options.block; block >= smallest_block(options); block /= 2) {
    Blocking blocking(program, block, done);
    std::set<int> chosen = blocking.choose();
    blocking.apply(chosen);
    done.insert(chosen.begin(), chosen.end());
  }
  return program;
}

}  // namespace isomer::codegen
