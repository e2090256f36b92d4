#include "codegen/counts.h"

#include <algorithm>
#include <iterator>
#include <map>

#include "codegen/accesses.h"
#include "codegen/product_nest.h"
#include "meaning/nest.h"

namespace isomer::codegen {
namespace {

using ir::IndexExpr;

class Counts {
 public:
  explicit Counts(LoopProgram program) : program_(std::move(program)) {}

  LoopProgram run() {
    std::vector<Statement> before = std::move(program_.body), after;
    for (Statement& s : before) {
      if (auto* loop = std::get_if<Loop>(&s.node)) look(*loop);
      std::ranges::move(made_, std::back_inserter(after));
      made_.clear();
      after.push_back(std::move(s));
    }
    program_.body = std::move(after);
    return std::move(program_);
  }

 private:
  static bool names_elements(const Store& store) {
    return std::ranges::any_of(store.value.code,
                               [](const auto& in) { return in.op == ir::ScalarOp::kRead; }) ||
           std::ranges::any_of(store.reads, [](const Access& a) { return loads(a); });
  }

  void look(Loop& top) {
    const Chain chain = chain_of(top);
    const bool plain = std::ranges::all_of(chain.loops, [](const Loop* l) { return starts_at_zero(*l); });
    auto& inner = const_cast<std::vector<Statement>&>(chain.inner());  // of the program that is worked on
    Loop* reduce = plain ? only_loop(inner) : nullptr;
    if (reduce == nullptr) return;
    std::vector<const Loop*> loops = chain_of(*reduce).loops;
    if (!std::ranges::all_of(loops, [](const Loop* l) { return starts_at_zero(*l); })) return;
    auto& steps = const_cast<std::vector<Statement>&>(loops.back()->body);
    if (steps.size() < 2 || !std::ranges::all_of(steps, [&](const Statement& s) { return is_step(s); }))
      return;
    for (size_t i = steps.size(); i-- > 0;) {
      const Store step = std::get<Store>(steps[i].node);
      const auto same = [&](const Statement& s) {
        const auto* other = std::get_if<Store>(&s.node);
        return other != nullptr && other->target.buffer == step.target.buffer;
      };
      const auto first = std::ranges::find_if(inner, same);
      if (names_elements(step) || std::ranges::count_if(inner, same) != 1 ||
          std::ranges::count_if(steps, same) != 1 || names_elements(std::get<Store>(first->node)))
        continue;
      const Access count = counted(chain.loops, loops, std::get<Store>(first->node), step);
      steps.erase(steps.begin() + static_cast<std::ptrdiff_t>(i));
      inner.erase(first);
      for_each_store(inner, [&](Store& s) {
        for (Access& read : s.reads)
          if (read.buffer == step.target.buffer && read.index.empty()) read = count;
      });
      return look(top);  // what was found has moved
    }
  }
  /// Combines into a number that the nest has for itself, and reads no such number.
  bool is_step(const Statement& s) const {
    const auto* store = std::get_if<Store>(&s.node);
    if (store == nullptr || !store->combine || !store->target.index.empty()) return false;
    return program_.buffers[static_cast<size_t>(store->target.buffer)].memory == Memory::kPrivate &&
           std::ranges::none_of(reads_of(*store), [&](int r) {
             return program_.buffers[static_cast<size_t>(store->reads[static_cast<size_t>(r)].buffer)]
                        .memory == Memory::kPrivate;
           });
  }

  int add_buffer(const char* name, ir::DType dtype, std::vector<int64_t> sizes, Memory memory) {
    Buffer b;
    b.name = name + std::to_string(program_.buffers.size());
    b.dtype = dtype;
    b.sizes = std::move(sizes);
    b.memory = memory;
    program_.buffers.push_back(std::move(b));
    return static_cast<int>(program_.buffers.size()) - 1;
  }

  /// A guarded one is what says whether an element is there.
  int one() {
    if (one_ >= 0) return one_;
    one_ = add_buffer("one", ir::DType::kI64, {}, Memory::kScratch);
    Store store;
    store.target.buffer = one_;
    store.value = constant_program(meaning::Sort::kInteger, 1);
    made_.push_back({std::move(store)});
    return one_;
  }
  void without_validity(Store& store) {
    for (auto& in : store.value.code) {
      if (in.op != ir::ScalarOp::kValid) continue;
      Access there;
      there.buffer = one();
      there.bounds = store.reads[static_cast<size_t>(in.index)].bounds;
      in.op = ir::ScalarOp::kRead;
      in.index = static_cast<int32_t>(store.reads.size());
      store.value.reads.push_back(in.index);
      store.reads.push_back(std::move(there));
    }
    std::erase_if(store.value.reads, [&](int r) {
      return std::ranges::none_of(
          store.value.code, [&](const auto& in) { return in.op == ir::ScalarOp::kRead && in.index == r; });
    });
  }

  static bool names(const Store& store, int variable) {
    bool out = false;
    for (const auto& in : store.value.code) {
      if (in.op == ir::ScalarOp::kVar) out |= mentions(store.places[static_cast<size_t>(in.index)], variable);
      if (in.op == ir::ScalarOp::kValid)
        for (const Bound& b : store.reads[static_cast<size_t>(in.index)].bounds)
          out |= mentions(b.value, variable);
    }
    return out;
  }

  /// The nest of one number, over the loops that it depends on; where the result is found.
  Access counted(const std::vector<const Loop*>& space, const std::vector<const Loop*>& reduce, Store start,
                 Store step) {
    std::vector<const Loop*> around;
    for (const Loop* l : space)
      if (names(start, l->variable) || names(step, l->variable)) around.push_back(l);
    const Buffer acc = program_.buffers[static_cast<size_t>(step.target.buffer)];
    Access out;
    std::vector<int64_t> sizes;
    std::map<int, int> renamed;
    const auto fresh = [&](int variable) {
      program_.variables.push_back(std::string(program_.variables[static_cast<size_t>(variable)]));
      return renamed[variable] = static_cast<int>(program_.variables.size()) - 1;
    };
    for (const Loop* l : around) {
      sizes.push_back(l->end.value());
      out.index.push_back(IndexExpr::var(l->variable));
      fresh(l->variable);
    }
    for (const Loop* l : reduce) fresh(l->variable);
    start.target.buffer = step.target.buffer = add_buffer("acc", acc.dtype, {}, Memory::kPrivate);
    out.buffer = add_buffer("counts", acc.dtype, sizes, Memory::kScratch);
    without_validity(start);
    without_validity(step);
    Store finish;
    finish.target = out;
    finish.reads = {step.target};
    finish.value = read_program(step.value.sort, 0);
    const auto wrapped = [&](std::vector<Statement> body, const std::vector<const Loop*>& loops) {
      for (size_t i = loops.size(); i-- > 0;) {
        Loop loop;
        loop.variable = renamed.at(loops[i]->variable);
        loop.end = loops[i]->end;
        loop.body = std::move(body);
        body.clear();
        body.push_back({std::move(loop)});
      }
      return body;
    };
    std::vector<Statement> steps;
    steps.push_back({std::move(step)});
    steps = wrapped(std::move(steps), reduce);
    std::vector<Statement> body;
    body.push_back({std::move(start)});
    std::ranges::move(steps, std::back_inserter(body));
    body.push_back({std::move(finish)});
    for_each_store(body, [&](Store& s) {
      for_each_index_of_store(s, [&](IndexExpr& i) {
        i = substituted(i, [&](int v) { return IndexExpr::var(renamed.contains(v) ? renamed.at(v) : v); });
      });
      for (IndexExpr& place : s.places)  // those that are not named
        if (std::ranges::none_of(s.value.code, [&](const auto& in) {
              return in.op == ir::ScalarOp::kVar && &s.places[static_cast<size_t>(in.index)] == &place;
            }))
          place = 0;
      for (size_t r = 0; r < s.reads.size(); ++r)
        if (std::ranges::find(s.value.reads, static_cast<int>(r)) == s.value.reads.end()) s.reads[r] = {};
    });
    std::ranges::move(wrapped(std::move(body), around), std::back_inserter(made_));
    return out;
  }

  LoopProgram program_;
  std::vector<Statement> made_;  // before the statement that is looked at
  int one_ = -1;
};

}  // namespace

LoopProgram counts_apart(LoopProgram program) { return Counts(std::move(program)).run(); }

}  // namespace isomer::codegen
