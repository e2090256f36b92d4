// What LLVM's archives ask for and this library goes without (cmake/IsomerLlvm.cmake). lld makes every
// processor known that LLVM was built for, link-time optimisation asks for extensions of the passes (Polly in
// Debian's packages): here these answer with nothing.
#if __has_include(<llvm/Plugins/PassPlugin.h>)  // later versions
#include <llvm/Plugins/PassPlugin.h>
#else
#include <llvm/Passes/PassPlugin.h>
#endif
#include <sys/random.h>

#include <cstdlib>

#define ISOMER_ABSENT(processor)                  \
  extern "C" {                                    \
  void LLVMInitialize##processor##Target() {}     \
  void LLVMInitialize##processor##TargetInfo() {} \
  void LLVMInitialize##processor##TargetMC() {}   \
  void LLVMInitialize##processor##AsmPrinter() {} \
  void LLVMInitialize##processor##AsmParser() {}  \
  }
#include "llvm_absent.inc"  // the processors
#undef ISOMER_ABSENT

#define HANDLE_EXTENSION(name)                                                                        \
  llvm::PassPluginLibraryInfo get##name##PluginInfo() {                                               \
    return {LLVM_PLUGIN_API_VERSION, #name, "absent", [](llvm::PassBuilder&) { /* adds nothing */ }}; \
  }
#include <llvm/Support/Extension.def>

// glibc has it since 2.36, and of all that LLVM asks for it alone would ask for so new a one.
extern "C" __attribute__((visibility("hidden"))) uint32_t arc4random() noexcept {
  uint32_t number = 0;
  if (::getrandom(&number, sizeof number, 0) != sizeof number) std::abort();  // of so few bytes never part
  return number;
}
