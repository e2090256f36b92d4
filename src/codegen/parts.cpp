#include "codegen/parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "codegen/accesses.h"
#include "support/memory_plan.h"

namespace isomer::codegen {
namespace {

using ir::IndexExpr;

constexpr int64_t kAlignment = 64;

/// Statements as a program of their own.
class Cut {
 public:
  Cut(const LoopProgram& whole, std::span<const Statement> body) : whole_(whole) {
    out_.program.body.assign(body.begin(), body.end());
  }

  Part run() {
    LoopProgram& p = out_.program;
    for_each_store(p.body, [&](Store& store) {
      const std::vector<int> named = reads_of(store);
      size_t next = 0;
      for (size_t r = 0; r < store.reads.size(); ++r) {
        const bool used = next < named.size() && named[next] == static_cast<int>(r);
        next += static_cast<size_t>(used);
        if (used)
          store.reads[r].buffer = buffer(store.reads[r].buffer, Memory::kInput);
        else
          store.reads[r] = {};
      }
      store.target.buffer = buffer(store.target.buffer, Memory::kOutput);
    });
    variables(p.body);
    substitute(p.body, [&](int v) { return IndexExpr::var(numbers_.contains(v) ? numbers_.at(v) : v); });
    for (size_t b = 0; b < p.buffers.size(); ++b) {
      const Memory m = p.buffers[b].memory;
      if (m != Memory::kPrivate) (m == Memory::kInput ? p.inputs : p.outputs).push_back(static_cast<int>(b));
    }
    range();
    return std::move(out_);
  }

 private:
  int buffer(int of_whole, Memory memory) {
    std::vector<Buffer>& own = out_.program.buffers;
    const auto [at, is_new] = buffers_.try_emplace(of_whole, static_cast<int>(own.size()));
    if (is_new) {
      Buffer b = whole_.buffers[static_cast<size_t>(of_whole)];
      b.constant = {};
      if (b.memory != Memory::kPrivate) {
        b.memory = memory;
        out_.buffers.push_back(of_whole);
      }
      own.push_back(std::move(b));
    }
    Memory& is = own[static_cast<size_t>(at->second)].memory;
    if (is == Memory::kInput) is = memory;  // read, then written
    return at->second;
  }
  void variables(std::vector<Statement>& body) {
    for (Statement& s : body) {
      auto* loop = std::get_if<Loop>(&s.node);
      if (loop == nullptr) continue;
      std::vector<std::string>& names = out_.program.variables;
      const auto [at, is_new] = numbers_.try_emplace(loop->variable, static_cast<int>(names.size()));
      if (is_new) names.push_back(whole_.variables[static_cast<size_t>(loop->variable)]);
      loop->variable = at->second;
      variables(loop->body);
    }
  }
  void range() {
    if (const Loop* loop = whole_loop(out_.program)) out_.range = {loop->begin.value(), loop->end.value()};
  }

  const LoopProgram& whole_;
  Part out_;
  std::map<int, int> buffers_, numbers_;  // of the whole: of the part
};

/// Ends of runs of statements that share what is private.
std::vector<size_t> ends_of(const LoopProgram& program) {
  std::map<int, size_t> last;
  std::vector<std::set<int>> touched(program.body.size());
  for (size_t i = 0; i < program.body.size(); ++i)
    for (const auto& [b, uses] : uses_of(program.body[i]))
      if (program.buffers[static_cast<size_t>(b)].memory == Memory::kPrivate) {
        touched[i].insert(b);
        last[b] = i;
      }
  std::vector<size_t> out;
  for (size_t i = 0; i < program.body.size(); ++i) {
    size_t end = i;
    for (size_t k = i; k <= end; ++k)
      for (const int b : touched[k]) end = std::max(end, last[b]);
    i = end;
    out.push_back(end + 1);
  }
  return out;
}

/// Buffers of the whole that the part writes.
template <class Visit>
void each_written(const Part& part, Visit&& visit) {
  size_t number = 0;
  for (const Buffer& b : part.program.buffers)
    if (b.memory != Memory::kPrivate)
      if (const int whole = part.buffers[number++]; b.memory == Memory::kOutput) visit(whole);
}

void mark_at_load(const LoopProgram& program, Parts& out) {
  std::set<int> known = known_at_load(program);
  // A part of which one statement must run in each call runs whole then, and so does what reads it.
  for (bool more = true; more;) {
    more = false;
    for (Part& part : out.parts) {
      part.at_load = std::ranges::all_of(part.buffers, [&](int b) { return known.contains(b); });
      if (part.at_load) continue;
      each_written(part, [&](int b) { more |= known.erase(b) > 0; });
    }
  }
  for (const int b : known)
    out.kept[static_cast<size_t>(b)] = program.buffers[static_cast<size_t>(b)].memory == Memory::kScratch;
}

/// Buffers and variables by number.
std::string text_of(LoopProgram program) {
  for (size_t b = 0; b < program.buffers.size(); ++b) program.buffers[b].name = fmt::format("b{}", b);
  for (size_t v = 0; v < program.variables.size(); ++v) program.variables[v] = fmt::format("v{}", v);
  return print(program);
}

/// Parts that make the same of the same at load are one: panels of a weight that several products read alike.
/// What they write is kept, and written by nothing else.
void same_once(Parts& out) {
  std::map<int, int> writers;
  for (const Part& part : out.parts) each_written(part, [&](int b) { ++writers[b]; });
  std::map<int, int> instead;
  std::map<std::pair<std::string, std::vector<int>>, std::vector<int>> seen;  // what is read: all buffers
  std::erase_if(out.parts, [&](Part& part) {
    for (int& b : part.buffers)
      if (const auto other = instead.find(b); other != instead.end()) b = other->second;
    std::set<int> written;
    each_written(part, [&](int b) { written.insert(b); });
    const bool alone = part.at_load && std::ranges::all_of(written, [&](int b) {
                         return out.kept[static_cast<size_t>(b)] && writers[b] == 1;
                       });
    if (!alone) return false;
    std::vector<int> read = part.buffers;
    for (int& b : read)
      if (written.contains(b)) b = -1;
    const auto [first, is_new] = seen.try_emplace({text_of(part.program), std::move(read)}, part.buffers);
    if (is_new) return false;
    for (size_t i = 0; i < part.buffers.size(); ++i)
      if (first->second[i] != part.buffers[i]) instead[part.buffers[i]] = first->second[i];
    return true;
  });
}

void place_scratch(const LoopProgram& program, Parts& out) {
  constexpr uint64_t kPlacesTried = 20'000;
  std::vector<Lifetime> lifetimes;
  std::map<int, size_t> number;
  const auto bytes_of = [&](int b) {
    const Buffer& buffer = program.buffers[static_cast<size_t>(b)];
    return ir::byte_size(buffer.dtype, buffer.count());
  };
  int time = 0;
  for (const Part& part : out.parts) {
    for (const int b : part.buffers) {
      const auto at = static_cast<size_t>(b);
      if (program.buffers[at].memory != Memory::kScratch) continue;
      if (out.kept[at]) {
        if (out.offsets[at] >= 0) continue;
        out.offsets[at] = out.kept_bytes;
        out.kept_bytes += (bytes_of(b) + kAlignment - 1) / kAlignment * kAlignment;
        continue;
      }
      const auto [place, is_new] = number.try_emplace(b, lifetimes.size());
      if (is_new) lifetimes.push_back({bytes_of(b), time, time});
      lifetimes[place->second].death = time;
    }
    ++time;
  }
  const MemoryPlan plan = plan_memory(lifetimes, kAlignment, kPlacesTried);
  for (const auto& [b, n] : number) out.offsets[static_cast<size_t>(b)] = plan.offsets[n];
  out.workspace_bytes = plan.bytes;
}

}  // namespace

Parts in_parts(const LoopProgram& program) {
  Parts out;
  out.offsets.assign(program.buffers.size(), -1);
  out.kept.assign(program.buffers.size(), false);
  size_t begin = 0;
  for (const size_t end : ends_of(program)) {
    out.parts.push_back(Cut(program, std::span(program.body).subspan(begin, end - begin)).run());
    begin = end;
  }
  mark_at_load(program, out);
  same_once(out);
  place_scratch(program, out);
  return out;
}

}  // namespace isomer::codegen
