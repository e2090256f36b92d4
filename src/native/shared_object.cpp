#include "native/shared_object.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>

#include "ir/scalar_table.h"
#include "native/compiler.h"
#include "native/module_text.h"
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
      options.gpu.empty()
          ? std::pair("cpu", options.cpu.empty() ? "of the machine that compiled it" : options.cpu)
          : std::pair("gpu", options.gpu)};
  return out.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);  // names are any bytes
}

/// The shared library that has the function, in this process: kernels call the same one when they run.
std::string library_with(const char* function) {
  Dl_info info{};
  void* at = ::dlsym(RTLD_DEFAULT, function);
  REQUIRE(at != nullptr && ::dladdr(at, &info) != 0, std::string("no library has ") + function);
  return info.dli_fname;
}

/// What every shared object for that processor is linked with. Throws MissingRuntimeError.
std::string archive_for(const SharedObjectOptions& options, bool foreign) {
  if (!foreign) return *(options.gpu.empty() ? runtime_archive() : gpu_runtime_archive());
  const std::string kind = architecture_of(options.cpu);
  const auto model = aarch64_runtime();
  if (kind != "aarch64" || !model || !std::filesystem::exists(*model))
    throw MissingRuntimeError(fmt::format(
        "no shared object can be made for {} here: {} is not there; ISOMER_AARCH64_RUNTIME names it", kind,
        model.value_or("isomer_aarch64_model.o")));
  return *model;
}

/// What generated code may want of the C library, in either precision.
std::vector<std::string_view> functions_of_numbers() {
  std::vector<std::string_view> out;
  for (int op = 0; op < ir::scalar_op_count(); ++op)
    if (const ir::ScalarRow& row = ir::row(static_cast<ir::ScalarOp>(op));
        row.code.kind() == ir::CodeKind::kLibrary)
      out.emplace_back(row.name);
  return out;
}
constexpr std::string_view kSystem[] = {"calloc",
                                        "free",
                                        "madvise",
                                        "memcpy",
                                        "memmove",
                                        "memset",
                                        "posix_memalign",
                                        "sched_yield",
                                        "pthread_cond_broadcast",
                                        "pthread_create",
                                        "pthread_join",
                                        "pthread_cond_init",
                                        "pthread_cond_destroy",
                                        "pthread_cond_wait",
                                        "pthread_mutex_init",
                                        "pthread_mutex_destroy",
                                        "pthread_mutex_lock",
                                        "pthread_mutex_unlock"};

/// A library of that name whose functions do nothing: what is linked with it asks for the real one.
std::string hollow_library(const TemporaryFolder& folder, const std::string& cpu, const std::string& name,
                           std::span<const std::string_view> functions, bool also_single) {
  std::string module;
  for (const std::string_view f : functions)
    for (const char* suffix : {"", "f"})
      if (*suffix == 0 || also_single)
        module += fmt::format("define void @{}{}() {{ ret void }}\n", f, suffix);
  write_file(folder.in(name + ".o"), object_of(module, cpu));
  write_file(folder.in("all"), "{ global: *; };\n");
  const std::vector<std::string> inputs = {folder.in(name + ".o"), "-soname=" + name};
  link_shared(inputs, folder.in("all"), folder.in(name));
  return folder.in(name);
}

/// Of a machine whose libraries are not here: others have their names. What neither has cannot be linked.
std::vector<std::string> named_libraries(const TemporaryFolder& folder, const std::string& cpu) {
  return {hollow_library(folder, cpu, "libm.so.6", functions_of_numbers(), true),
          hollow_library(folder, cpu, "libc.so.6", system_functions(), false)};
}

}  // namespace

std::span<const std::string_view> system_functions() { return kSystem; }

SharedObject write_shared_object(const codegen::LoopProgram& program, const ir::Context& ctx,
                                 const SharedObjectOptions& options, const std::string& named) {
  const std::string path = followed(named);  // a link stays, what it leads to is replaced
  check_writable(path);
  require_linker();
  const Weights weights(program, ctx);
  const TemporaryFolder folder(folder_of(path), path);
  const std::string data = std::filesystem::absolute(folder.in("weights"));
  const ConstantText constant = [&, symbol = symbol_of(data)](ir::ConstantId id) {
    return fmt::format("getelementptr (i8, ptr @{}, i64 {})", symbol, weights.offset(id));
  };
  const bool on_gpu = !options.gpu.empty(), foreign = architecture_of(options.cpu) != architecture_of("");
  const std::string archive = archive_for(options, foreign);
  const ModuleText made =
      on_gpu ? module_for_gpu(program, constant, options.gpu) : module_for_cpu(program, constant);
  const std::string described = description(program, options);
  const std::string module = made.text + fmt::format(
                                             "@{} = external hidden constant i8\n"
                                             "@isomer_description = hidden constant [{} x i8] c\"{}\\00\"\n",
                                             symbol_of(data), described.size() + 1, quoted(described));
  write_file(folder.in("kernels.o"), object_of(module, options.cpu));
  write_file(data, weights.bytes());
  write_file(folder.in("exported"), "{ global: isomer_model_*; local: *; };\n");
  std::vector<std::string> inputs = {folder.in("kernels.o"), "--whole-archive", archive,
                                     "--no-whole-archive",   "--format=binary", data,
                                     "--format=default"};
  const std::vector<std::string> libraries =
      foreign ? named_libraries(folder, options.cpu)
              : std::vector{library_with("fmodf"), library_with("gnu_get_libc_version")};
  inputs.insert(inputs.end(), libraries.begin(), libraries.end());
  link_shared(inputs, folder.in("exported"), folder.in("model.so"));
  if (options.check) options.check(std::filesystem::absolute(folder.in("model.so")));
  require_replaceable(path);
  std::error_code failed;
  std::filesystem::rename(folder.in("model.so"), path, failed);
  if (failed) throw InputError(fmt::format("{}: cannot be written: {}", path, failed.message()));
  SharedObject out;
  out.kernels = made.kernels;
  const IsomerTables& t = made.tables;
  out.calls = static_cast<int>(t.call_count);
  out.at_load = static_cast<int>(t.at_load_count);
  out.weight_bytes = static_cast<int64_t>(weights.bytes().size());
  out.workspace_bytes = t.workspace_bytes;
  out.prepared_bytes = t.kept_bytes;
  return out;
}

}  // namespace isomer::native
