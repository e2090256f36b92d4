#include "codegen/embed.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "codegen/accesses.h"

namespace isomer::codegen {
namespace {

using ir::IndexExpr;

class Embedding {
 public:
  Embedding(LoopProgram& into, LoopProgram part, const std::optional<Around>& around)
      : into_(into),
        part_(std::move(part)),
        around_(around),
        first_variable_(static_cast<int>(into.variables.size())),
        places_(part_.buffers.size()) {}

  std::vector<Statement> run(std::span<const PartBuffer> inputs, std::span<const PartBuffer> outputs) {
    std::vector<bool> given(part_.buffers.size(), false);
    const auto give = [&](const std::vector<int>& buffers, std::span<const PartBuffer> to) {
      for (size_t i = 0; i < buffers.size(); ++i) {
        places_[static_cast<size_t>(buffers[i])] = to[i];
        given[static_cast<size_t>(buffers[i])] = true;
      }
    };
    give(part_.inputs, inputs);
    give(part_.outputs, outputs);
    for (size_t b = 0; b < part_.buffers.size(); ++b)
      if (!given[b]) places_[b] = own(std::move(part_.buffers[b]));
    for (std::string& name : part_.variables) into_.variables.push_back(std::move(name));
    put(part_.body);
    return std::move(part_.body);
  }

 private:
  /// A buffer that only the part knows.
  PartBuffer own(Buffer buffer) {
    PartBuffer place;
    if (buffer.memory == Memory::kScratch && around_) {
      place.lead = {IndexExpr::var(around_->variable)};
      buffer.sizes.insert(buffer.sizes.begin(), around_->size);
    }
    place.buffer = static_cast<int>(into_.buffers.size());
    if (buffer.memory != Memory::kConstant) buffer.name += fmt::format("_{}", place.buffer);
    into_.buffers.push_back(std::move(buffer));
    return place;
  }

  IndexExpr renamed(const IndexExpr& e) const {
    return substituted(e, [&](int v) { return IndexExpr::var(v + first_variable_); });
  }

  void put(Access& a) const {
    for_each_index(a, [&](IndexExpr& i) { i = renamed(i); });
    const PartBuffer& place = places_[static_cast<size_t>(a.buffer)];
    a.buffer = place.buffer;
    for (size_t d = 0; d < place.offset.size(); ++d) a.index[d] = place.offset[d] + a.index[d];
    a.index.insert(a.index.begin(), place.lead.begin(), place.lead.end());
  }

  void put(Store& store) const {
    const std::vector<int> named = reads_of(store);
    const PartBuffer& place = places_[static_cast<size_t>(store.target.buffer)];
    if (place.combine) store.combine = place.combine;
    put(store.target);
    for (size_t r = 0; r < store.reads.size(); ++r)
      if (std::ranges::find(named, static_cast<int>(r)) == named.end())
        store.reads[r] = {};
      else
        put(store.reads[r]);
    for (IndexExpr& p : store.places) p = renamed(p);
  }

  void put(std::vector<Statement>& body) const {
    for (Statement& s : body) {
      auto* loop = std::get_if<Loop>(&s.node);
      if (loop == nullptr) {
        put(std::get<Store>(s.node));
        continue;
      }
      loop->variable += first_variable_;
      loop->begin = renamed(loop->begin);
      loop->end = renamed(loop->end);
      if (around_ && loop->kind == LoopKind::kParallel) loop->kind = LoopKind::kSerial;
      put(loop->body);
    }
  }

  LoopProgram& into_;
  LoopProgram part_;
  const std::optional<Around>& around_;
  int first_variable_;
  std::vector<PartBuffer> places_;  // by buffer of the part
};

/// How often something is stored to the buffer; nothing where ends of loops around are no numbers.
std::optional<int64_t> times_stored(const std::vector<Statement>& body, int buffer) {
  using Kind = IndexExpr::Kind;
  int64_t out = 0;
  for (const Statement& s : body) {
    const auto* loop = std::get_if<Loop>(&s.node);
    if (loop == nullptr) {
      out += static_cast<int64_t>(std::get<Store>(s.node).target.buffer == buffer);
      continue;
    }
    const auto each = times_stored(loop->body, buffer);
    if (each == 0) continue;
    if (!each || loop->begin.kind() != Kind::kConst || loop->end.kind() != Kind::kConst) return std::nullopt;
    out += *each * std::max<int64_t>(0, loop->end.value() - loop->begin.value());
  }
  return out;
}

}  // namespace

bool stores_once(const LoopProgram& part, int buffer) {
  bool once = true;
  for_each_store(part.body, [&](const Store& store) {
    if (store.target.buffer == buffer) once = once && !store.combine && store.target.bounds.empty();
    for (const int r : reads_of(store)) once = once && store.reads[static_cast<size_t>(r)].buffer != buffer;
  });
  return once && times_stored(part.body, buffer) == part.buffers[static_cast<size_t>(buffer)].count();
}

std::vector<Statement> embedded(LoopProgram& into, LoopProgram part, std::span<const PartBuffer> inputs,
                                std::span<const PartBuffer> outputs, const std::optional<Around>& around) {
  return Embedding(into, std::move(part), around).run(inputs, outputs);
}

}  // namespace isomer::codegen
