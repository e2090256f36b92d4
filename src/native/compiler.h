// The library that holds LLVM (library/llvm_api.h), opened when it is first needed; without it all else
// works.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/target.h"

namespace isomer::native {

/// Empty, or why there is no compiler on this machine.
std::string why_no_compiler();
/// The same of what makes shared objects.
std::string why_no_linker();
/// Throws MissingRuntimeError with that.
void require_linker();
/// What every shared object is linked with; none if it is not there.
std::optional<std::string> runtime_archive();
/// Of those for a graphics processor, and for processors of kind aarch64 where this machine is of another.
std::optional<std::string> gpu_runtime_archive();
std::optional<std::string> aarch64_runtime();

/// The kind of processor that has that name, as LLVM writes both (x86_64, aarch64): this machine's kind if it
/// has such a one, or none is named. Empty where no code is made for it. Throws MissingRuntimeError without a
/// compiler.
std::string architecture_of(const std::string& cpu);

/// A processor of that name, as LLVM names it; empty: this machine's. Without a compiler, one with 16
/// registers of 32 bytes.
codegen::TargetMachine machine_of(const std::string& cpu);

/// A module that was compiled into this process.
class LoadedCode {
 public:
  /// Throws MissingRuntimeError where there is no compiler, MisuseError with LLVM's message for text that is
  /// no module. `cpu`: as LLVM names it; empty: this machine's.
  LoadedCode(std::string_view module, const std::string& cpu);
  ~LoadedCode();
  LoadedCode(const LoadedCode&) = delete;
  LoadedCode& operator=(const LoadedCode&) = delete;

  void* find(const std::string& function) const;

 private:
  void* loaded_ = nullptr;
};

/// The bytes of a module's object file. Throws as LoadedCode does.
std::string object_of(std::string_view module, const std::string& cpu);

/// Throws UsageError for what is no name of a graphics processor that code is made for.
void require_gpu(const std::string& gpu);

/// PTX of a module of kernels, for a graphics processor as LLVM names it (sm_90). Throws MissingRuntimeError
/// where this LLVM makes none, InputError for a processor that it does not know.
std::string ptx_of(std::string_view module, const std::string& gpu);

/// Links object files and shared libraries to a shared object that exports what the version script names.
/// Throws InputError with the linker's message.
void link_shared(std::span<const std::string> inputs, const std::string& version_script,
                 const std::string& path);

}  // namespace isomer::native
