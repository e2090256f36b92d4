#include "native/module_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "native/compiler.h"
#include "native/kernels.h"
#include "native/runtime/gpu.h"
#include "native/tables.h"

namespace isomer::native {
namespace {

// What the text below says of the structures.
static_assert(sizeof(IsomerBuffer) == 24 && offsetof(IsomerBuffer, offset) == 8 &&
              offsetof(IsomerBuffer, constant) == 16);
static_assert(sizeof(IsomerCall) == 40 && offsetof(IsomerCall, buffers) == 8 &&
              offsetof(IsomerCall, buffer_count) == 16 && offsetof(IsomerCall, begin) == 24);
static_assert(sizeof(IsomerTables) == 80 && offsetof(IsomerTables, buffer_count) == 24 &&
              offsetof(IsomerTables, kept_bytes) == 72);
static_assert(sizeof(IsomerLaunch) == 40 && offsetof(IsomerLaunch, buffers) == 8 &&
              offsetof(IsomerLaunch, buffer_count) == 16 && offsetof(IsomerLaunch, blocks) == 24);
static_assert(sizeof(IsomerGpuTables) == 80 && offsetof(IsomerGpuTables, buffer_count) == 40 &&
              offsetof(IsomerGpuTables, kept_bytes) == 72);

/// The structures themselves, and `buffers`.
std::string buffers_text(const codegen::LoopProgram& program, const codegen::Parts& parts,
                         const ConstantText& constant) {
  std::vector<std::string> buffers;
  for (const IsomerBuffer& b : buffers_of(program, parts)) {
    const auto id = program.buffers[buffers.size()].constant;
    buffers.push_back(fmt::format("%buffer {{ i32 {}, i32 {}, i64 {}, ptr {} }}", b.place, b.number, b.offset,
                                  b.place == kIsomerConstant ? constant(id) : "null"));
  }
  return fmt::format(
      "%buffer = type {{ i32, i32, i64, ptr }}\n%call = type {{ ptr, ptr, i32, i32, i64, i64 }}\n"
      "@buffers = internal constant [{} x %buffer] [{}]\n",
      buffers.size(), fmt::join(buffers, ", "));
}

/// A list `name` of what `call` says of each part that runs at that time, after the numbers of its buffers.
template <class Call>
std::string calls_text(const char* name, const codegen::Parts& parts, bool at_load, Call&& call) {
  std::string lists;
  std::vector<std::string> calls;
  for (size_t p = 0; p < parts.parts.size(); ++p) {
    const codegen::Part& part = parts.parts[p];
    if (part.at_load != at_load) continue;
    std::vector<std::string> numbers;
    for (const int b : part.buffers) numbers.push_back(fmt::format("i32 {}", b));
    lists += fmt::format("@given{} = internal constant [{} x i32] [{}]\n", p, numbers.size(),
                         fmt::join(numbers, ", "));
    calls.push_back(call(p));
  }
  return fmt::format("{}@{} = internal constant [{} x %call] [{}]\n", lists, name, calls.size(),
                     fmt::join(calls, ", "));
}

}  // namespace

std::string quoted(const std::string& text) {
  std::string out;
  for (const char c : text) out += fmt::format("\\{:02X}", static_cast<unsigned char>(c));
  return out;
}

ModuleText module_for_cpu(const codegen::LoopProgram& program, const ConstantText& constant) {
  const Kernels kernels = kernels_of(program);
  const codegen::Parts& parts = kernels.parts;
  const auto call = [&](size_t p) {
    const codegen::Part& part = parts.parts[p];
    const auto [begin, end] = part.range.value_or(std::pair<int64_t, int64_t>(0, 1));
    return fmt::format("%call {{ ptr @{}, ptr @given{}, i32 {}, i32 {}, i64 {}, i64 {} }}",
                       Kernels::name(kernels.of_part[p]), p, part.buffers.size(), part.range ? 1 : 0, begin,
                       end);
  };
  ModuleText out;
  out.kernels = static_cast<int>(kernels.functions.size());
  const IsomerTables t = out.tables = tables_of(program, parts);
  out.text = kernels.module() + buffers_text(program, parts, constant) +
             "%tables = type { ptr, ptr, ptr, i64, i64, i64, i64, i64, i64, i64 }\n" +
             calls_text("at_load", parts, true, call) + calls_text("calls", parts, false, call) +
             fmt::format(
                 "@isomer_tables = hidden constant %tables {{ ptr @buffers, ptr @at_load, ptr @calls, "
                 "i64 {}, i64 {}, i64 {}, i64 {}, i64 {}, i64 {}, i64 {} }}\n",
                 t.buffer_count, t.at_load_count, t.call_count, t.input_count, t.output_count,
                 t.workspace_bytes, t.kept_bytes);
  return out;
}

ModuleText module_for_gpu(const codegen::LoopProgram& program, const ConstantText& constant,
                          const std::string& gpu) {
  const GpuKernels kernels = gpu_kernels_of(program);
  const codegen::Parts& parts = kernels.parts;
  const auto call = [&](size_t p) {
    const codegen::GpuKernel& k = kernels.functions[static_cast<size_t>(kernels.of_part[p])];
    return fmt::format("%call {{ ptr @name{}, ptr @given{}, i32 {}, i32 {}, i64 {}, i64 {} }}",
                       kernels.of_part[p], p, parts.parts[p].buffers.size(), k.threads, k.blocks,
                       k.shared_bytes);
  };
  ModuleText out;
  out.kernels = static_cast<int>(kernels.functions.size());
  const IsomerTables t = out.tables = tables_of(program, parts);
  const auto text_of = [](const std::string& name, const std::string& text) {
    return fmt::format("@{} = internal constant [{} x i8] c\"{}\\00\"\n", name, text.size() + 1,
                       quoted(text));
  };
  for (int k = 0; k < out.kernels; ++k) out.text += text_of(fmt::format("name{}", k), Kernels::name(k));
  std::vector<std::string> bytes;
  for (const codegen::Buffer& b : program.buffers)
    bytes.push_back(
        fmt::format("i64 {}", b.memory == codegen::Memory::kPrivate ? 0 : ir::byte_size(b.dtype, b.count())));
  out.text +=
      text_of("ptx", kernels.ptx(gpu)) + buffers_text(program, parts, constant) +
      fmt::format("@bytes = internal constant [{} x i64] [{}]\n", bytes.size(), fmt::join(bytes, ", ")) +
      "%tables = type { ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i64, i64 }\n" +
      calls_text("at_load", parts, true, call) + calls_text("calls", parts, false, call) +
      fmt::format(
          "@isomer_gpu_tables = hidden constant %tables {{ ptr @buffers, ptr @bytes, ptr @at_load, "
          "ptr @calls, ptr @ptx, i64 {}, i64 {}, i64 {}, i64 {}, i64 {} }}\n",
          t.buffer_count, t.at_load_count, t.call_count, t.workspace_bytes, t.kept_bytes);
  return out;
}

}  // namespace isomer::native
