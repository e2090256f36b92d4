// Who touches which buffer, and by which indices: what the legality of moving loops is decided from.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "codegen/loop_program.h"

namespace isomer::codegen {

struct Uses {
  bool written = false, read = false;
  /// In the order of the statements the first touch is a write that does not combine. That it covers what is
  /// read later is not looked at here (lowering writes whole values; run_loops.h finds what was not written).
  bool written_first = false;
  std::vector<const Access*> accesses;
};

/// By buffer. A store that combines reads its target as well. Reads that no value names and no load are left
/// out.
std::map<int, Uses> uses_of(const std::vector<Statement>& body);
std::map<int, Uses> uses_of(const Statement& statement);
/// Buffers that more than one of the statements touch.
std::set<int> touched_by_several(const std::vector<Statement>& body);

/// Variables of all loops below.
std::set<int> variables_within(const std::vector<Statement>& body);
/// How far each variable runs: constant ends of its loops, else a very large number.
std::vector<int64_t> extents_of(const LoopProgram& program);
void add_extents(const std::vector<Statement>& body, std::vector<int64_t>& extents);
/// A number that the expression is never more than, if it says one by itself.
std::optional<int64_t> most_of(const ir::IndexExpr& e);
/// A dimension of an access, or two that one expression goes through (e / n and e % n, of n elements).
struct Dimension {
  ir::IndexExpr index;
  int64_t step = 1;  ///< elements from one to the next
  int64_t size = 0;
  /// Not empty: the index is a number of which these are digits: dimension, divisor, modulus of each.
  std::vector<int64_t> digits = {};
};
/// From the innermost.
std::vector<Dimension> dimensions_of(const Buffer& buffer, const Access& access);
/// Whether iterations of the variable's loop touch different elements of the buffer: some dimension's index
/// is variable * c + rest, in every access, where no two rests are c or more apart. `inner`: the variables
/// that change within an iteration, all others being the same in all of them; null: any may change.
bool cut_by(const Buffer& buffer, const Uses& uses, int variable, std::span<const int64_t> extents,
            const std::set<int>* inner = nullptr);
/// How far apart in memory neighbours of the variable are; nothing where an index is not affine in it.
std::optional<int64_t> stride(const LoopProgram& program, const Access& access, int variable,
                              std::span<const int64_t> extents);
/// Whether each step of the variable's loop is in another page of memory, and there are more steps than
/// places that are read on from: nobody fetches that ahead.
bool skips_pages(const LoopProgram& program, const Access& access, int variable,
                 std::span<const int64_t> extents);
/// Constants, and what is written by statements only that read and write nothing else than such.
std::set<int> known_at_load(const LoopProgram& program);
/// An index without divisions and remainders where ranges show that it needs none.
ir::IndexExpr simplified(const ir::IndexExpr& e, std::span<const int64_t> extents);
/// The dimension that both are cut by, each by its own variable in every access; or -1.
int common_cut(const Uses& a, int variable_of_a, const Uses& b, int variable_of_b);
bool is_variable(const ir::IndexExpr& e, int variable);
/// Of the same form; loads are never the same.
bool identical(const ir::IndexExpr& a, const ir::IndexExpr& b);
/// Whether they are e / n and e % n.
bool are_digits(const ir::IndexExpr& high, const ir::IndexExpr& low);

/// Whether other elements say where it reads.
bool loads(const Access& access);
/// Whether elements may be computed twice: nothing in memory that is written is read, or combined with what
/// was there.
bool is_repeatable(const LoopProgram& program, const std::vector<Statement>& body);
/// Whether a copy of so many elements, of an image with a border, is not much larger than the image.
bool is_little_more(int64_t count, int64_t of);
/// Numbers of the reads that a store's value or loads name.
std::vector<int> reads_of(const Store& store);
/// Calls with the target, then with each of these reads.
template <class S, class Visit>
void for_each_access(S& store, Visit&& visit) {
  visit(store.target);
  for (const int r : reads_of(store)) visit(store.reads[static_cast<size_t>(r)]);
}

}  // namespace isomer::codegen
