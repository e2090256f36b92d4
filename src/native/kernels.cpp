#include "native/kernels.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "native/compiler.h"

namespace isomer::native {

std::string Kernels::module() const {
  std::map<std::string, const codegen::FunctionText*> named;
  for (size_t f = 0; f < functions.size(); ++f) named[name(static_cast<int>(f))] = &functions[f];
  return codegen::llvm_module(named);
}

namespace {

std::string identity(const codegen::FunctionText& f) { return f.text; }
std::string identity(const codegen::GpuKernel& k) {
  return fmt::format("{} {} {} {}", k.blocks, k.threads, k.shared_bytes, k.text);
}

/// Equal functions of the parts once.
template <class Function, class Make>
void functions_of(const codegen::Parts& parts, std::vector<Function>& functions, std::vector<int>& of_part,
                  Make&& make) {
  std::map<std::string, int> known;
  for (const codegen::Part& part : parts.parts) {
    Function function = make(part.program);
    const auto [at, is_new] = known.try_emplace(identity(function), static_cast<int>(functions.size()));
    if (is_new) functions.push_back(std::move(function));
    of_part.push_back(at->second);
  }
}

}  // namespace

Kernels kernels_of(const codegen::LoopProgram& program) {
  Kernels out;
  out.parts = codegen::in_parts(program);
  functions_of(out.parts, out.functions, out.of_part, codegen::llvm_function);
  return out;
}

std::string GpuKernels::ptx(const std::string& gpu) const {
  std::map<std::string, const codegen::GpuKernel*> named;
  for (size_t f = 0; f < functions.size(); ++f) named[Kernels::name(static_cast<int>(f))] = &functions[f];
  return ptx_of(codegen::gpu_module(named), gpu);
}

GpuKernels gpu_kernels_of(const codegen::LoopProgram& program) {
  GpuKernels out;
  out.parts = codegen::in_parts(program);
  functions_of(out.parts, out.functions, out.of_part, codegen::gpu_kernel);
  return out;
}

}  // namespace isomer::native
