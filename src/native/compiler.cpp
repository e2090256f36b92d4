#include "native/compiler.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>

#include "machine/device.h"
#include "native/library/llvm_api.h"
#include "support/errors.h"
#include "support/installed.h"

namespace isomer::native {
namespace {

struct Library {
  const IsomerLlvmApi* api = nullptr;
  std::string why;
};

Library open() {
  const auto path = find_installed({"ISOMER_LLVM", ISOMER_INSTALLED_LLVM, ISOMER_DEFAULT_LLVM});
  if (!path) return {nullptr, "this program was built without LLVM"};
  void* library = ::dlopen(path->c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return {nullptr, ::dlerror()};
  const auto get = reinterpret_cast<const IsomerLlvmApi* (*)()>(::dlsym(library, "isomer_llvm_api"));
  if (get == nullptr) return {nullptr, *path + ": is no library of Isomer's"};
  if (get()->version != kIsomerLlvmVersion) return {nullptr, *path + ": is of another version"};
  return {get(), {}};
}

const Library& library() {
  static const Library opened = open();  // never closed: code that it made may run until the end
  return opened;
}
const IsomerLlvmApi& needed() {
  const Library& llvm = library();
  if (llvm.api == nullptr) throw MissingRuntimeError("no machine code can be made here: " + llvm.why);
  return *llvm.api;
}

struct Freed {
  char* bytes = nullptr;
  Freed() = default;
  Freed(const Freed&) = delete;
  Freed& operator=(const Freed&) = delete;
  ~Freed() { std::free(bytes); }
  std::string text() const { return bytes != nullptr ? bytes : ""; }
};

const char* or_null(const std::string& cpu) { return cpu.empty() ? nullptr : cpu.c_str(); }

}  // namespace

codegen::TargetMachine machine_of(const std::string& cpu) {
  codegen::TargetMachine out;
  if (library().api != nullptr) {
    const IsomerRegisters registers = library().api->registers(or_null(cpu));
    out.register_bytes = registers.bytes;
    out.registers = registers.count;
  }
  if (!cpu.empty()) return out;
  const machine::Caches here = machine::caches_here();
  out.near_bytes = here.l1_bytes.value_or(out.near_bytes);
  out.far_bytes = here.l2_bytes.value_or(out.far_bytes);
  out.last_bytes = here.last_bytes.value_or(out.last_bytes);
  return out;
}

std::optional<std::string> runtime_archive() {
  return find_installed({"ISOMER_RUNTIME", ISOMER_INSTALLED_RUNTIME, ISOMER_DEFAULT_RUNTIME});
}

std::optional<std::string> gpu_runtime_archive() {
  return find_installed({"ISOMER_GPU_RUNTIME", ISOMER_INSTALLED_GPU_RUNTIME, ISOMER_DEFAULT_GPU_RUNTIME});
}

std::optional<std::string> aarch64_runtime() {
  return find_installed(
      {"ISOMER_AARCH64_RUNTIME", ISOMER_INSTALLED_AARCH64_RUNTIME, ISOMER_DEFAULT_AARCH64_RUNTIME});
}

std::string why_no_compiler() { return library().why; }
std::string why_no_linker() {
  if (library().api == nullptr) return library().why;
  if (library().api->link == nullptr) return "this program was built without lld";
  const auto runtime = runtime_archive();
  if (!runtime || ::access(runtime->c_str(), R_OK) != 0)
    return fmt::format("{} is not there; ISOMER_RUNTIME names it", runtime.value_or("libisomer_model.a"));
  return {};
}

void require_linker() {
  needed();
  if (const std::string why = why_no_linker(); !why.empty())
    throw MissingRuntimeError("no shared object can be made here: " + why);
}

std::string architecture_of(const std::string& cpu) {
  const char* of = needed().architecture(or_null(cpu));
  return of != nullptr ? of : "";
}

LoadedCode::LoadedCode(std::string_view module, const std::string& cpu) {
  Freed error;
  loaded_ = needed().load(module.data(), module.size(), or_null(cpu), &error.bytes);
  REQUIRE(loaded_ != nullptr, "LLVM refuses generated code: " + error.text());
}
LoadedCode::~LoadedCode() {
  if (loaded_ != nullptr) library().api->unload(loaded_);
}

void* LoadedCode::find(const std::string& function) const {
  void* out = library().api->find(loaded_, function.c_str());
  REQUIRE(out != nullptr, "LLVM lost the generated function " + function);
  return out;
}

std::string object_of(std::string_view module, const std::string& cpu) {
  Freed error, object;
  size_t size = 0;
  object.bytes = needed().object(module.data(), module.size(), or_null(cpu), &size, &error.bytes);
  REQUIRE(object.bytes != nullptr, "LLVM refuses generated code: " + error.text());
  return {object.bytes, size};
}

void require_gpu(const std::string& gpu) {
  constexpr std::string_view kPrefix = "sm_";
  constexpr int kLeast = 80;
  int number = 0;
  const char* end = gpu.data() + gpu.size();
  const bool numbered =
      gpu.starts_with(kPrefix) && std::from_chars(gpu.data() + kPrefix.size(), end, number).ec == std::errc();
  if (!numbered || number < kLeast)
    throw UsageError(fmt::format(
        "--gpu {}: expected a graphics processor as LLVM names it, from sm_80 on (sm_80, sm_90, ...)", gpu));
}

std::string ptx_of(std::string_view module, const std::string& gpu) {
  require_gpu(gpu);
  if (needed().ptx == nullptr) throw MissingRuntimeError("this LLVM makes no code for graphics processors");
  Freed error, text;
  size_t size = 0;
  text.bytes = needed().ptx(module.data(), module.size(), gpu.c_str(), &size, &error.bytes);
  if (text.bytes == nullptr) throw InputError("LLVM makes no PTX: " + error.text());
  return {text.bytes, size};
}

void link_shared(std::span<const std::string> inputs, const std::string& version_script,
                 const std::string& path) {
  require_linker();
  const IsomerLlvmApi& llvm = needed();
  std::vector<std::string> words = {"ld.lld",      "-shared", "--gc-sections", "--as-needed", "-z",
                                    "noexecstack", "-z",      "defs"};
  words.push_back("--version-script=" + version_script);
  words.insert(words.end(), inputs.begin(), inputs.end());
  words.insert(words.end(), {"-o", path});
  std::vector<const char*> args;
  for (const std::string& w : words) args.push_back(w.c_str());
  Freed error;
  if (llvm.link(args.data(), args.size(), &error.bytes) != 0)
    throw InputError(fmt::format("{}: cannot be linked: {}", path, error.text()));
}

}  // namespace isomer::native
