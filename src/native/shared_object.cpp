#include "native/shared_object.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "native/compiler.h"
#include "native/kernels.h"
#include "native/tables.h"
#include "support/atomic_file.h"
#include "support/errors.h"
#include "support/temporaries.h"

namespace isomer::native {
namespace {

/// Weights, one after the other.
class Weights {
 public:
  Weights(const codegen::LoopProgram& program, const ir::Context& ctx) {
    for (const codegen::Buffer& b : program.buffers) {
      if (b.memory != codegen::Memory::kConstant || offsets_.contains(b.constant.v)) continue;
      constexpr size_t kAlignment = 64;
      bytes_.resize((bytes_.size() + kAlignment - 1) / kAlignment * kAlignment, 0);
      offsets_[b.constant.v] = bytes_.size();
      const auto of = ctx.get(b.constant).bytes();
      bytes_.append(reinterpret_cast<const char*>(of.data()), of.size());
    }
    if (bytes_.empty()) bytes_.push_back(0);
  }
  const std::string& bytes() const { return bytes_; }
  size_t offset(ir::ConstantId id) const { return offsets_.at(id.v); }

 private:
  std::string bytes_;
  std::map<uint32_t, size_t> offsets_;
};

/// What lld calls the bytes of a file that it takes as they are.
std::string symbol_of(const std::string& path) {
  std::string out = "_binary_" + path + "_start";
  for (char& c : out)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return out;
}

std::string quoted(const std::string& text) {
  std::string out;
  for (const char c : text) out += fmt::format("\\{:02X}", static_cast<unsigned char>(c));
  return out;
}

std::string description(const codegen::LoopProgram& program, const SharedObjectOptions& options) {
  const auto list = [&](const std::vector<int>& buffers, const std::vector<std::string>& names) {
    nlohmann::ordered_json out = nlohmann::ordered_json::array();
    for (size_t i = 0; i < buffers.size(); ++i) {
      const codegen::Buffer& b = program.buffers[static_cast<size_t>(buffers[i])];
      out.push_back(
          {{"name", i < names.size() ? names[i] : b.name}, {"type", ir::name(b.dtype)}, {"shape", b.sizes}});
    }
    return out;
  };
  const nlohmann::ordered_json out = {
      {"inputs", list(program.inputs, options.inputs)},
      {"outputs", list(program.outputs, options.outputs)},
      {"cpu", options.cpu.empty() ? "of the machine that compiled it" : options.cpu}};
  return out.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);  // names are any bytes
}

std::string calls_text(const Kernels& kernels, bool at_load) {
  std::string lists, calls;
  int count = 0;
  for (size_t p = 0; p < kernels.parts.parts.size(); ++p) {
    const codegen::Part& part = kernels.parts.parts[p];
    if (part.at_load != at_load) continue;
    std::vector<std::string> numbers;
    for (const int b : part.buffers) numbers.push_back(fmt::format("i32 {}", b));
    lists += fmt::format("@given{} = internal constant [{} x i32] [{}]\n", p, numbers.size(),
                         fmt::join(numbers, ", "));
    const auto [begin, end] = part.range.value_or(std::pair<int64_t, int64_t>(0, 1));
    calls += fmt::format("{}%call {{ ptr @{}, ptr @given{}, i32 {}, i32 {}, i64 {}, i64 {} }}",
                         count++ == 0 ? "" : ", ", Kernels::name(kernels.of_part[p]), p, numbers.size(),
                         part.range ? 1 : 0, begin, end);
  }
  return fmt::format("{}@{} = internal constant [{} x %call] [{}]\n", lists, at_load ? "at_load" : "calls",
                     count, calls);
}

// What the text below says of the structures.
static_assert(sizeof(IsomerBuffer) == 24 && offsetof(IsomerBuffer, offset) == 8 &&
              offsetof(IsomerBuffer, constant) == 16);
static_assert(sizeof(IsomerCall) == 40 && offsetof(IsomerCall, buffers) == 8 &&
              offsetof(IsomerCall, buffer_count) == 16 && offsetof(IsomerCall, begin) == 24);
static_assert(sizeof(IsomerTables) == 80 && offsetof(IsomerTables, buffer_count) == 24 &&
              offsetof(IsomerTables, kept_bytes) == 72);

/// The tables of runtime.h as LLVM's text.
std::string tables_text(const codegen::LoopProgram& program, const Kernels& kernels, const Weights& weights,
                        const std::string& weights_symbol, const std::string& described) {
  std::string buffers;
  int count = 0;
  for (const IsomerBuffer& b : buffers_of(program, kernels.parts)) {
    const auto id = program.buffers[static_cast<size_t>(count)].constant;
    const std::string constant =
        b.place != kIsomerConstant
            ? "ptr null"
            : fmt::format("ptr getelementptr (i8, ptr @{}, i64 {})", weights_symbol, weights.offset(id));
    buffers += fmt::format("{}%buffer {{ i32 {}, i32 {}, i64 {}, {} }}", count++ == 0 ? "" : ", ", b.place,
                           b.number, b.offset, constant);
  }
  const IsomerTables t = tables_of(program, kernels.parts);
  std::string out = fmt::format(
      "%buffer = type {{ i32, i32, i64, ptr }}\n%call = type {{ ptr, ptr, i32, i32, i64, i64 }}\n"
      "%tables = type {{ ptr, ptr, ptr, i64, i64, i64, i64, i64, i64, i64 }}\n"
      "@{} = external hidden constant i8\n"
      "@buffers = internal constant [{} x %buffer] [{}]\n",
      weights_symbol, count, buffers);
  out += calls_text(kernels, true) + calls_text(kernels, false);
  out += fmt::format("@isomer_description = hidden constant [{} x i8] c\"{}\\00\"\n", described.size() + 1,
                     quoted(described));
  return out + fmt::format(
                   "@isomer_tables = hidden constant %tables {{ ptr @buffers, ptr @at_load, ptr @calls, i64 "
                   "{}, i64 {}, "
                   "i64 {}, i64 {}, i64 {}, i64 {}, i64 {} }}\n",
                   t.buffer_count, t.at_load_count, t.call_count, t.input_count, t.output_count,
                   t.workspace_bytes, t.kept_bytes);
}

/// The shared library that has the function, in this process: kernels call the same one when they run.
std::string library_with(const char* function) {
  Dl_info info{};
  void* at = ::dlsym(RTLD_DEFAULT, function);
  REQUIRE(at != nullptr && ::dladdr(at, &info) != 0, std::string("no library has ") + function);
  return info.dli_fname;
}

/// A folder that goes with its scope.
struct Folder {
  explicit Folder(const std::string& beside) : made(make_temporary_folder(folder_of(beside), beside)) {}
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(made.path, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string in(const char* name) const { return made.path + "/" + name; }
  Temporary made;
};

}  // namespace

SharedObject write_shared_object(const codegen::LoopProgram& program, const ir::Context& ctx,
                                 const SharedObjectOptions& options, const std::string& named) {
  const std::string path = followed(named);  // a link stays, what it leads to is replaced
  check_writable(path);
  require_linker();
  const Kernels kernels = kernels_of(program);
  const Weights weights(program, ctx);
  const Folder folder(path);
  const std::string data = std::filesystem::absolute(folder.in("weights"));
  const std::string module = kernels.module() + tables_text(program, kernels, weights, symbol_of(data),
                                                            description(program, options));
  write_file(folder.in("kernels.o"), object_of(module, options.cpu));
  write_file(data, weights.bytes());
  write_file(folder.in("exported"), "{ global: isomer_model_*; local: *; };\n");
  const std::vector<std::string> inputs = {
      folder.in("kernels.o"), "--whole-archive",     *runtime_archive(),
      "--no-whole-archive",   "--format=binary",     data,
      "--format=default",     library_with("fmodf"), library_with("gnu_get_libc_version")};
  link_shared(inputs, folder.in("exported"), folder.in("model.so"));
  if (options.check) options.check(std::filesystem::absolute(folder.in("model.so")));
  require_replaceable(path);
  std::error_code failed;
  std::filesystem::rename(folder.in("model.so"), path, failed);
  if (failed) throw InputError(fmt::format("{}: cannot be written: {}", path, failed.message()));
  SharedObject out;
  out.kernels = static_cast<int>(kernels.functions.size());
  const IsomerTables t = tables_of(program, kernels.parts);
  out.calls = static_cast<int>(t.call_count);
  out.at_load = static_cast<int>(t.at_load_count);
  out.weight_bytes = static_cast<int64_t>(weights.bytes().size());
  out.workspace_bytes = t.workspace_bytes;
  out.prepared_bytes = t.kept_bytes;
  return out;
}

}  // namespace isomer::native
