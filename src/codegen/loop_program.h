// Loop programs: what code generation works on between meanings and machine code. Buffers, loops that are
// serial, parallel, vector or unrolled, and statements that store one element, each a scalar program over the
// elements it reads. The idea of a loop level between tensor operators and instructions is that of Halide's
// statements (Ragan-Kelley et al., PLDI 2013) and TVM's TensorIR; here a statement's value is the same scalar
// program, with the same guarded reads, that evaluation, proofs and prices read, so that nothing is said
// twice, and a loop program is a value: printed, checked (check.h) and run (run_loops.h) after every step.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "ir/constant.h"
#include "ir/dtype.h"
#include "ir/index_map.h"
#include "ir/op.h"
#include "meaning/scalar_program.h"

namespace isomer::codegen {

enum class Memory : uint8_t {
  kInput,     ///< an operand of the program; only read
  kConstant,  ///< known when compiled; only read
  kOutput,    ///< a result
  kScratch,   ///< of the program: one for all
  kPrivate,   ///< of each iteration of the innermost parallel loop around, or of the program: small
};
std::string_view to_string(Memory memory);

/// Row-major elements of one type.
struct Buffer {
  std::string name;
  ir::DType dtype = ir::DType::kUndefined;
  std::vector<int64_t> sizes;
  Memory memory = Memory::kScratch;
  ir::ConstantId constant;  ///< kConstant

  int64_t count() const;
};

/// 0 <= value < below.
struct Bound {
  ir::IndexExpr value;
  int64_t below = 0;
};

/// An element of a buffer. Variables of the index are the program's loop variables; a load is of the
/// statement's read of that number.
struct Access {
  int buffer = 0;
  std::vector<ir::IndexExpr> index;  ///< one per dimension
  /// Where one of these does not hold, `fill` is what is read, and nothing is; of a target (in threads only):
  /// nothing is stored.
  std::vector<Bound> bounds;
  double fill = 0;
};

/// target = value, or combined with what is there.
struct Store {
  Access target;
  meaning::ScalarProgram value;  ///< of reads (kRead, kValid) and numbers of places (kVar); no accumulators
  std::vector<Access> reads;
  std::vector<ir::IndexExpr> places;    ///< what kVar names
  std::optional<ir::Combiner> combine;  ///< never kStep
};

enum class LoopKind : uint8_t {
  kSerial,
  kParallel,  ///< iterations in any order, at once
  /// Of constant bounds, and with stores only: each store of all iterations before the next store. What they
  /// combine into one element is combined by halves first (lane i with lane i + n/2), then with what is
  /// there.
  kVector,
  kUnrolled,
  /// As kVector, of the threads of a block (of a graphics processor), which is an iteration of the parallel
  /// loops around: iteration i is thread i's, the end may depend on outer variables. Such a loop may hold
  /// another one, and nothing else: threads are counted through both. What they combine into one element is
  /// combined within each 32 threads (kWarp) by halves, then these by halves.
  kThread,
  /// What the 32 threads of a warp do together, which is an iteration of the loops of threads around: three
  /// loops, each all that the one before holds, around one store. It either sums products of 16 by 8 by 16
  /// (mma.sync of PTX), or moves four times 8 by 8 elements (ldmatrix) from shared memory.
  kTensor,
  /// What four warps do together, 128 threads with neighbouring numbers, which is an iteration of the loops
  /// of threads around: three loops as above, of multiples of 64, of 8 (256 at most) and of 16, around one
  /// store that sums products of what is in shared memory (wgmma.mma_async of PTX). It may still run when
  /// what follows does: see `running`.
  kWarpgroup,
  /// Of 16 bytes that lie together on both sides, within loops of threads: copied to shared memory
  /// (cp.async), and there only when a loop of `stages` has waited for it.
  kCopied,
};
inline constexpr int kWarp = 32;
inline constexpr int kWarpgroup = 4 * kWarp;
std::string_view to_string(LoopKind kind);

struct Statement;
/// Of a variable from `begin` up to below `end`, which are of outer variables.
struct Loop {
  int variable = 0;
  ir::IndexExpr begin = 0, end = 0;
  LoopKind kind = LoopKind::kSerial;
  std::vector<Statement> body;
  /// Not 0: what an iteration copies (kCopied) is one lot. A serial loop waits at the beginning of each
  /// iteration, all threads together, until all lots but the last stages - 2 are there.
  int64_t stages = 0;
  /// Of the outermost kWarpgroup loop: how many such products of a group may still run when the next
  /// statement begins. Nothing but copies may write what they read till then; what else touches their sums
  /// waits.
  int64_t running = 0;
};
struct Statement {
  std::variant<Loop, Store> node;
};

struct LoopProgram {
  std::vector<Buffer> buffers;
  std::vector<int> inputs, outputs;  ///< buffers, in the order of the program's interface
  std::vector<std::string> variables;
  std::vector<Statement> body;
};

/// Loops of threads around each other, from outside, and the stores that they hold.
struct Threads {
  std::vector<const Loop*> loops;
  /// Of what warps, or groups of warps, do together, of which the loops of threads are the numbers.
  std::vector<const Loop*> tensor;
  const Loop* copied = nullptr;
  const std::vector<Statement>& stores() const {
    return copied != nullptr ? copied->body : (tensor.empty() ? loops : tensor).back()->body;
  }
  bool by_group() const { return !tensor.empty() && tensor.front()->kind == LoopKind::kWarpgroup; }
  /// Threads of an iteration of the loops.
  int64_t each() const { return by_group() ? kWarpgroup : tensor.empty() ? 1 : kWarp; }
};
Threads threads_of(const Loop& loop);

/// The loop that is all of the program, if it is parallel and of constant bounds; else null.
const Loop* whole_loop(const LoopProgram& program);

/// For people and for golden files:
///   for i in 0..64 parallel
///     acc[] = 0
///     for k in 0..32
///       acc[] += x[i, k] * w[k]
std::string print(const LoopProgram& program);

/// Calls with every store below, in order.
template <class Statements, class Visit>
void for_each_store(Statements&& body, Visit&& visit) {
  for (auto& statement : body)
    if (auto* loop = std::get_if<Loop>(&statement.node))
      for_each_store(loop->body, visit);
    else
      visit(std::get<Store>(statement.node));
}
/// All index expressions of an access: of its dimensions and of its bounds; of a store: of all that it has.
template <class A, class Visit>
void for_each_index(A& access, Visit&& visit) {
  for (auto& i : access.index) visit(i);
  for (auto& bound : access.bounds) visit(bound.value);
}
template <class S, class Visit>
void for_each_index_of_store(S& store, Visit&& visit) {
  for_each_index(store.target, visit);
  for (auto& read : store.reads) for_each_index(read, visit);
  for (auto& place : store.places) visit(place);
}

/// Calls `variable(n)` with each variable of the expression and `load(n)` with the number of each read it
/// loads.
template <class Variable, class Load>
void for_each_leaf(const ir::IndexExpr& e, Variable&& variable, Load&& load) {
  using Kind = ir::IndexExpr::Kind;
  switch (e.kind()) {
    case Kind::kConst: return;
    case Kind::kVar: return variable(static_cast<int>(e.value()));
    case Kind::kLoad: return load(static_cast<int>(e.value()));
    case Kind::kAdd:
    case Kind::kMin:
    case Kind::kMax: for_each_leaf(e.rhs(), variable, load); [[fallthrough]];
    default: for_each_leaf(e.lhs(), variable, load);
  }
}

void substitute(std::vector<Statement>& body, const std::function<ir::IndexExpr(int)>& variable);
bool mentions(const ir::IndexExpr& e, int variable);
/// In its dimensions or bounds.
bool mentions(const Access& access, int variable);

/// Loops over elements of those sizes, which are read at `from` and stored at `to`: both without indices yet.
Statement copy_of(LoopProgram& program, Access from, Access to, std::span<const int64_t> sizes);

/// A value that is one of the store's reads.
meaning::ScalarProgram read_program(meaning::Sort sort, int read);
meaning::ScalarProgram constant_program(meaning::Sort sort, double value);
/// A value that is what the combiner begins with.
meaning::ScalarProgram identity_program(meaning::Sort sort, ir::Combiner combiner);

}  // namespace isomer::codegen
