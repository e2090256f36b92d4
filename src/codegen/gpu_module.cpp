// Kernels become one module of NVVM IR: who of its functions is a kernel, and with how many threads, is said
// in metadata, as LLVM's guide of its NVPTX back end has it.
#include <fmt/format.h>

#include "codegen/gpu_places.h"
#include "codegen/gpu_text.h"

namespace isomer::codegen {

std::string gpu_module(const std::map<std::string, const GpuKernel*>& kernels) {
  std::string out = fmt::format("@isomer_shared = external addrspace(3) global [0 x i8], align {}\n",
                                Places::kSwizzled),
              notes, list;
  std::set<std::string> declarations;
  int number = 0;
  for (const auto& [name, kernel] : kernels) {
    out += fmt::format("define void @{}{}", name, kernel->text);
    notes +=
        fmt::format("!{} = !{{ptr @{}, !\"kernel\", i32 1}}\n!{} = !{{ptr @{}, !\"reqntidx\", i32 {}}}\n",
                    number, name, number + 1, name, kernel->threads);
    list += fmt::format("{}!{}, !{}", number == 0 ? "" : ", ", number, number + 1);
    number += 2;
    declarations.insert(kernel->declarations.begin(), kernel->declarations.end());
  }
  for (const std::string& d : declarations) out += d + "\n";
  return out + fmt::format("!nvvm.annotations = !{{{}}}\n", list) + notes;
}

}  // namespace isomer::codegen
