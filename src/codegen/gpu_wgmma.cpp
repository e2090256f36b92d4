#include "codegen/gpu_wgmma.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "codegen/accesses.h"
#include "support/errors.h"

namespace isomer::codegen {
namespace {

constexpr int64_t kRows = 64, kSteps = 16;  // of an instruction
// The instruction's 128-byte swizzle, in elements: chunks of 16 bytes, lines of eight, patterns of eight
// lines.
constexpr int64_t kOfChunk = 8, kOfLine = 64, kOfPattern = 8;

using Numbers = std::array<int64_t, 3>;  // of rows, columns, steps

void give(AccessText& at, const std::vector<const Loop*>& loops, const Numbers& numbers) {
  for (size_t i = 0; i < loops.size(); ++i)
    at.vars[static_cast<size_t>(loops[i]->variable)] = constant_index(numbers[i]);
}

/// How far from the first one the element is, wherever that lies.
int64_t distance(AccessText& at, const Access& a, const Store& store, const std::vector<const Loop*>& loops,
                 const Numbers& numbers) {
  const std::vector<Index> before = at.vars;
  std::ranges::fill(at.vars, constant_index(0));
  give(at, loops, numbers);
  const Index there = at.linear(a, &store);
  at.vars = before;
  REQUIRE(there.is_constant(), "a place in shared memory that is not where the loops say");
  return there.low;
}

/// What an instruction is told of an operand: 64 bits with its address, and how far apart patterns are, along
/// their lines and across them, in chunks.
struct Operand {
  const Access* access;
  std::string word;
  bool turned;  ///< neighbours are not those of the sum
  int axis;     ///< of the loops: rows or columns
};

Operand operand(AccessText& at, const Access& a, const Store& store, const std::vector<const Loop*>& loops,
                const std::string& shared, int axis) {
  const auto apart = [&](int64_t on_axis, int64_t step) {
    Numbers n{0, 0, step};
    n[static_cast<size_t>(axis)] = on_axis;
    return distance(at, a, store, loops, n);
  };
  Operand out{&a, {}, apart(0, 1) != 1, axis};
  const auto place = [&](int64_t along, int64_t line) {
    return out.turned ? apart(along, line) : apart(line, along);
  };
  bool swizzled = place(1, 0) == 1;
  for (int64_t line = 0; line < kOfPattern; ++line)
    for (int64_t chunk = 0; chunk < kOfLine / kOfChunk; ++chunk)
      swizzled &= place(chunk * kOfChunk, line) == line * kOfLine + (chunk ^ line) * kOfChunk;
  REQUIRE(swizzled, "an operand in shared memory that is not swizzled");
  const bool several = out.turned && loops[static_cast<size_t>(axis)]->end.value() > kOfLine;
  const int64_t along = several ? place(kOfLine, 0) : kOfChunk, across = place(0, kOfPattern);
  give(at, loops, {0, 0, 0});
  const std::string address =
      at.value(fmt::format("getelementptr {}, ptr addrspace(3) {}, $ {}",
                           stored_type(at.buffer(a.buffer).dtype), shared, at.linear(a, &store).text));
  ScalarText& text = at.scalar;
  const std::string bytes = text.value(fmt::format("ptrtoint ptr addrspace(3) {} to i32", address));
  const std::string wide =
      text.value(fmt::format("zext i32 {} to i64", text.value(fmt::format("lshr i32 {}, 4", bytes))));
  constexpr int kAlong = 16, kAcross = 32, kKind = 62;  // bits where these begin; this swizzle is kind 1
  const int64_t told = (along / kOfChunk << kAlong) | (across / kOfChunk << kAcross) | (int64_t{1} << kKind);
  out.word = text.value(fmt::format("or i64 {}, {}", wide, told));
  return out;
}
std::string word_at(AccessText& at, const Operand& o, const Store& store,
                    const std::vector<const Loop*>& loops, const Numbers& numbers) {
  const int64_t far = distance(at, *o.access, store, loops, numbers);
  return far == 0 ? o.word : at.scalar.value(fmt::format("add i64 {}, {}", o.word, far / kOfChunk));
}

/// PTX that keeps its place among what touches memory.
std::string instruction(const std::string& text, const std::string& constraints) {
  return fmt::format("asm sideeffect \"{}\", \"{}{}~{{memory}}\"", text, constraints,
                     constraints.empty() ? "" : ",");
}
void say(ScalarText& text, const std::string& ptx) {
  text.line(fmt::format("call void {}() convergent nounwind", instruction(ptx, "")));
}

/// $0, $1, ... as results, and as operands tied to these: constraints.
std::string in_and_out(size_t count, std::string_view more) {
  std::vector<std::string> of(count, "=f");
  if (!more.empty()) of.emplace_back(more);
  for (size_t i = 0; i < count; ++i) of.push_back(std::to_string(i));
  return fmt::format("{}", fmt::join(of, ","));
}
std::string type_of_sums(size_t count) {
  return fmt::format("{{ {} }}", fmt::join(std::vector<std::string>(count, "float"), ", "));
}
/// Calls it with sums, which then have new values.
void change(ScalarText& text, std::vector<std::string>& sums, const std::string& ptx, std::string_view more,
            const std::string& given) {
  std::vector<std::string> arguments;
  if (!given.empty()) arguments.push_back(given);
  for (const std::string& s : sums) arguments.push_back("float " + s);
  const std::string type = sums.size() == 1 ? "float" : type_of_sums(sums.size());
  const std::string made =
      text.value(fmt::format("call {} {}({}) convergent nounwind", type,
                             instruction(ptx, in_and_out(sums.size(), more)), fmt::join(arguments, ", ")));
  if (sums.size() == 1) return void(sums[0] = made);
  for (size_t i = 0; i < sums.size(); ++i)
    sums[i] = text.value(fmt::format("extractvalue {} {}, {}", type, made, i));
}
std::vector<std::string> loaded(ScalarText& text, const std::vector<std::string>& addresses) {
  std::vector<std::string> out;
  for (const std::string& a : addresses)
    out.push_back(text.value(fmt::format("load float, ptr {}, align 4", a)));
  return out;
}
void store_all(ScalarText& text, const std::vector<std::string>& addresses,
               const std::vector<std::string>& values) {
  for (size_t i = 0; i < values.size(); ++i)
    text.line(fmt::format("store float {}, ptr {}, align 4", values[i], addresses[i]));
}

/// The instruction of so many columns, its sums first.
std::string multiplication(int64_t columns, bool is_half, bool left_turned, bool right_turned) {
  const auto count = static_cast<size_t>(columns / 2);
  std::vector<std::string> sums;
  for (size_t i = 0; i < count; ++i) sums.push_back(fmt::format("${}", i));
  const char* type = is_half ? "f16" : "bf16";
  return fmt::format(
      "{{ .reg .pred p; setp.ne.b32 p, 1, 0; wgmma.mma_async.sync.aligned.m64n{}k16.f32.{}.{} {{{}}}, ${}, "
      "${}, p, 1, 1, {}, {}; }}",
      columns, type, type, fmt::join(sums, ", "), count, count + 1, static_cast<int>(left_turned),
      static_cast<int>(right_turned));
}

}  // namespace

std::pair<const Access*, const Access*> operands_of_group(const Store& store,
                                                          const std::vector<const Loop*>& loops) {
  const std::vector<int> reads = reads_of(store);
  const Access &a = store.reads[static_cast<size_t>(reads[0])],
               &b = store.reads[static_cast<size_t>(reads[1])];
  return mentions(a, loops[0]->variable) ? std::pair(&a, &b) : std::pair(&b, &a);
}

void multiply_shared(AccessText& at, const Store& store, const std::vector<const Loop*>& loops,
                     const std::string& left, const std::string& right) {
  ScalarText& text = at.scalar;
  const auto [of_rows, of_columns] = operands_of_group(store, loops);
  const Operand a = operand(at, *of_rows, store, loops, left, 0),
                b = operand(at, *of_columns, store, loops, right, 1);
  const int64_t rows = loops[0]->end.value(), columns = loops[1]->end.value(), steps = loops[2]->end.value();
  const std::string ptx =
      multiplication(columns, at.buffer(of_rows->buffer).dtype == ir::DType::kF16, a.turned, b.turned);
  say(text, "wgmma.fence.sync.aligned;");
  for (int64_t m = 0; m < rows; m += kRows) {
    std::vector<std::string> addresses;
    for (int64_t n = 0; n < columns; n += 8)
      for (const auto& [down, across] :
           {std::pair(0, 0), std::pair(0, 1), std::pair(8, 0), std::pair(8, 1)}) {
        give(at, loops, {m + down, n + across, 0});
        addresses.push_back(at.address(store.target.buffer, at.linear(store.target, &store)));
      }
    std::vector<std::string> sums = loaded(text, addresses);
    for (int64_t k = 0; k < steps; k += kSteps)
      change(text, sums, ptx, "l,l",
             fmt::format("i64 {}, i64 {}", word_at(at, a, store, loops, {m, 0, k}),
                         word_at(at, b, store, loops, {0, 0, k})));
    store_all(text, addresses, sums);
  }
  say(text, "wgmma.commit_group.sync.aligned;");
}

void wait_for_products(ScalarText& text, int64_t but) {
  say(text, fmt::format("wgmma.wait_group.sync.aligned {};", but));
}
void wait_for_sums(AccessText& at, int buffer, int64_t count) {
  std::vector<std::string> addresses;
  for (int64_t i = 0; i < count; ++i) addresses.push_back(at.address(buffer, constant_index(i)));
  std::vector<std::string> sums = loaded(at.scalar, addresses);
  change(at.scalar, sums, "wgmma.wait_group.sync.aligned 0;", "", "");
  store_all(at.scalar, addresses, sums);
}
void show_to_products(ScalarText& text) { say(text, "fence.proxy.async.shared::cta;"); }

}  // namespace isomer::codegen
