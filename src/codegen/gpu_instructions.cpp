#include "codegen/gpu_instructions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "meaning/combiner.h"
#include "support/errors.h"

namespace isomer::codegen {
namespace {

constexpr int kLast = kWarp - 1;

std::string exchanged(ScalarText& text, const Scalar& v, const char* how, int number) {
  const std::string type = text.type(v.sort, 1), name = fmt::format("llvm.nvvm.shfl.sync.{}.i32", how);
  text.declare(name, fmt::format("declare i32 @{}(i32, i32, i32, i32) convergent nounwind", name));
  const auto value = [&]<class... A>(fmt::format_string<A...> format, A&&... args) {
    return text.value(fmt::format(format, std::forward<A>(args)...));
  };
  const auto moved = [&](const std::string& word) {
    return value("call i32 @{}(i32 -1, i32 {}, i32 {}, i32 {})", name, word, number, kLast);
  };
  if (type == "float")
    return value("bitcast i32 {} to float", moved(value("bitcast float {} to i32", v.text)));
  const std::string whole = type == "double" ? value("bitcast double {} to i64", v.text) : v.text;
  const std::string low = value("trunc i64 {} to i32", whole), shifted = value("lshr i64 {}, 32", whole);
  const std::string high = value("trunc i64 {} to i32", shifted);
  const std::string other_low = value("zext i32 {} to i64", moved(low));
  const std::string other_high = value("zext i32 {} to i64", moved(high));
  const std::string joined = value("or i64 {}, {}", value("shl i64 {}, 32", other_high), other_low);
  return type == "double" ? value("bitcast i64 {} to double", joined) : joined;
}

/// At those numbers of the loops' variables.
std::string address_at(AccessText& at, const Access& a, const Store& store,
                       const std::vector<const Loop*>& loops, std::array<int64_t, 3> numbers) {
  for (size_t i = 0; i < loops.size(); ++i)
    at.vars[static_cast<size_t>(loops[i]->variable)] = constant_index(numbers[i]);
  return at.address(a.buffer, at.linear(a, &store));
}

}  // namespace

std::string identity_of(ScalarText& text, ir::Combiner combiner, meaning::Sort sort) {
  return sort == meaning::Sort::kNumber ? text.number(meaning::identity_number(combiner), 1)
                                        : std::to_string(meaning::identity_integer(combiner));
}

Scalar combined_in_warp(ScalarText& text, ir::Combiner combiner, Scalar v, int count) {
  for (int half = count / 2; half > 0; half /= 2)
    v = text.combined(combiner, v, {exchanged(text, v, "bfly", half), 1, v.sort});
  return v;
}

namespace {

/// Where warp `number` says what it has: the first bytes of shared memory.
std::string said(ScalarText& text, const std::string& number) {
  const std::string at = text.value(fmt::format("mul i32 {}, 8", number));
  return text.value(fmt::format(
      "getelementptr i8, ptr addrspacecast (ptr addrspace(3) @isomer_shared to ptr), i32 {}", at));
}

}  // namespace

std::string say_of_warp(ScalarText& text, const Scalar& v) {
  const std::string lane = text.value(fmt::format("and i32 %tid, {}", kLast));
  const std::string warp = text.value(fmt::format("udiv i32 %tid, {}", kWarp));
  // All threads of a warp have the same: any of them may say it.
  text.line(fmt::format("store {} {}, ptr {}, align 8", text.type(v.sort, 1), v.text, said(text, warp)));
  return lane;
}

Scalar combined_of_warps(ScalarText& text, ir::Combiner combiner, const Scalar& v, const std::string& lane,
                         int warps, const std::string& none) {
  const std::string type = text.type(v.sort, 1);
  int width = 1;
  while (width < warps) width *= 2;
  const std::string is_there = text.value(fmt::format("icmp ult i32 {}, {}", lane, warps));
  const std::string safe = text.value(fmt::format("select i1 {}, i32 {}, i32 0", is_there, lane));
  const std::string loaded = text.value(fmt::format("load {}, ptr {}, align 8", type, said(text, safe)));
  Scalar out{text.value(fmt::format("select i1 {}, {} {}, {} {}", is_there, type, loaded, type, none)), 1,
             v.sort};
  out = combined_in_warp(text, combiner, out, width);
  // The first `width` threads know it.
  return width == kWarp ? out : Scalar{exchanged(text, out, "idx", 0), 1, out.sort};
}

// In a piece of 16 by 16 a thread has pairs of neighbours: of rows 0 and 8 from its own on, then the same of
// the right half; in one of 16 by 8 (k by n) pairs along k, then those of the lower half; of the sums, pairs
// along n.
void multiply_pieces(AccessText& at, const Store& store, const std::vector<const Loop*>& loops) {
  ScalarText& text = at.scalar;
  const std::vector<int>& reads = store.value.reads;
  // The one that goes along the rows is the left one.
  const auto along_rows = [&](int r) {
    return mentions(store.reads[static_cast<size_t>(r)], loops[0]->variable);
  };
  const Access& left = store.reads[static_cast<size_t>(along_rows(reads[0]) ? reads[0] : reads[1])];
  const Access& right = store.reads[static_cast<size_t>(along_rows(reads[0]) ? reads[1] : reads[0])];
  const bool is_half = at.buffer(left.buffer).dtype == ir::DType::kF16;
  const std::string pair = is_half ? "<2 x half>" : "i32";
  std::vector<std::string> given, types, sums;
  const auto add = [&](const std::string& type, const std::string& address) {
    types.push_back(type);
    given.push_back(type + " " + text.value(fmt::format("load {}, ptr {}, align 4", type, address)));
  };
  for (const auto& [m, k] : {std::pair(0, 0), std::pair(8, 0), std::pair(0, 8), std::pair(8, 8)})
    add(pair, address_at(at, left, store, loops, {m, 0, k}));
  for (const int k : {0, 8}) add(pair, address_at(at, right, store, loops, {0, 0, k}));
  for (const auto& [m, n] : {std::pair(0, 0), std::pair(0, 1), std::pair(8, 0), std::pair(8, 1)}) {
    sums.push_back(address_at(at, store.target, store, loops, {m, n, 0}));
    add("float", sums.back());
  }
  const std::string name =
      is_half ? "llvm.nvvm.mma.m16n8k16.row.col.f32.f32" : "llvm.nvvm.mma.m16n8k16.row.col.bf16";
  const std::string four = "{ float, float, float, float }";
  text.declare(name,
               fmt::format("declare {} @{}({}) convergent nounwind", four, name, fmt::join(types, ", ")));
  const std::string made = text.value(fmt::format("call {} @{}({})", four, name, fmt::join(given, ", ")));
  for (size_t i = 0; i < sums.size(); ++i) {
    const std::string one = text.value(fmt::format("extractvalue {} {}, {}", four, made, i));
    text.line(fmt::format("store float {}, ptr {}, align 4", one, sums[i]));
  }
}

// Each thread says where a row of 16 bytes lies: thread l that of row l % 8 of piece l / 8.
void move_pieces(AccessText& at, const Store& store, const std::vector<const Loop*>& loops,
                 const std::string& thread, const std::string& shared, bool turned) {
  ScalarText& text = at.scalar;
  const Access& from = store.reads[static_cast<size_t>(store.value.reads[0])];
  const auto digit = [&](const char* how, const char* of, int high) {
    const std::string word = text.value(fmt::format("{} i32 {}, {}", how, thread, of));
    const std::string rest = text.value(fmt::format("and i32 {}, {}", word, high));
    Index out{rest, 0, high};
    if (at.index_bits() != 32) out.text = text.value(fmt::format("zext i32 {} to i64", rest));
    return out;
  };
  at.vars[static_cast<size_t>(loops[0]->variable)] = digit("lshr", "3", 3);
  at.vars[static_cast<size_t>(loops[turned ? 2 : 1]->variable)] = digit("lshr", "0", 7);
  at.vars[static_cast<size_t>(loops[turned ? 1 : 2]->variable)] = constant_index(0);
  const std::string address =
      at.value(fmt::format("getelementptr {}, ptr addrspace(3) {}, $ {}",
                           stored_type(at.buffer(from.buffer).dtype), shared, at.linear(from, &store).text));
  const std::string name =
      fmt::format("llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4{}.b16.p3", turned ? ".trans" : "");
  const std::string four = "{ i32, i32, i32, i32 }";
  text.declare(name, fmt::format("declare {} @{}(ptr addrspace(3)) convergent nounwind", four, name));
  const std::string made = text.value(fmt::format("call {} @{}(ptr addrspace(3) {})", four, name, address));
  for (int64_t j = 0; j < 4; ++j) {
    const std::string one = text.value(fmt::format("extractvalue {} {}, {}", four, made, j));
    text.line(fmt::format("store i32 {}, ptr {}, align 4", one,
                          address_at(at, store.target, store, loops, {j, 0, 0})));
  }
}

void copy_piece(AccessText& at, const Store& store, const std::string& shared) {
  ScalarText& text = at.scalar;
  const Access& from = store.reads[0];
  const std::string type = stored_type(at.buffer(from.buffer).dtype), there = at.holds(from, &store);
  Index source = at.linear(from, &store);
  const Index target = at.linear(store.target, &store);
  const int64_t bytes_each = ir::byte_size(at.buffer(from.buffer).dtype, 1);
  constexpr int64_t kBytes = 16;
  REQUIRE(source.multiple * bytes_each % kBytes == 0 && target.multiple * bytes_each % kBytes == 0,
          "a copy of 16 bytes from or to where they do not begin");
  if (there != "true") source.text = at.value(fmt::format("select i1 {}, $ {}, $ 0", there, source.text));
  const std::string to =
      at.value(fmt::format("getelementptr {}, ptr addrspace(3) {}, $ {}", type, shared, target.text));
  const std::string near = at.address(from.buffer, source);
  const std::string global = text.value(fmt::format("addrspacecast ptr {} to ptr addrspace(1)", near));
  const std::string bytes =
      there == "true" ? "16" : text.value(fmt::format("select i1 {}, i32 16, i32 0", there));
  const std::string name = "llvm.nvvm.cp.async.cg.shared.global.16.s";
  text.declare(name, fmt::format("declare void @{}(ptr addrspace(3), ptr addrspace(1), i32)", name));
  text.line(fmt::format("call void @{}(ptr addrspace(3) {}, ptr addrspace(1) {}, i32 {})", name, to, global,
                        bytes));
}
void end_lot(ScalarText& text) {
  text.declare("llvm.nvvm.cp.async.commit.group", "declare void @llvm.nvvm.cp.async.commit.group()");
  text.line("call void @llvm.nvvm.cp.async.commit.group()");
}
void wait_for_lots(ScalarText& text, int64_t but) {
  text.declare("llvm.nvvm.cp.async.wait.group", "declare void @llvm.nvvm.cp.async.wait.group(i32 immarg)");
  text.line(fmt::format("call void @llvm.nvvm.cp.async.wait.group(i32 {})", but));
}

}  // namespace isomer::codegen
