#include "native/kernels.h"

#include <map>
#include <utility>

namespace isomer::native {

std::string Kernels::module() const {
  std::map<std::string, const codegen::FunctionText*> named;
  for (size_t f = 0; f < functions.size(); ++f) named[name(static_cast<int>(f))] = &functions[f];
  return codegen::llvm_module(named);
}

Kernels kernels_of(const codegen::LoopProgram& program) {
  Kernels out;
  out.parts = codegen::in_parts(program);
  std::map<std::string, int> known;
  for (const codegen::Part& part : out.parts.parts) {
    codegen::FunctionText function = codegen::llvm_function(part.program);
    const auto [at, is_new] = known.try_emplace(function.text, static_cast<int>(out.functions.size()));
    if (is_new) out.functions.push_back(std::move(function));
    out.of_part.push_back(at->second);
  }
  return out;
}

}  // namespace isomer::native
