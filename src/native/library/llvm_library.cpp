// The library that holds LLVM (llvm_api.h): the only file that includes its headers. Of its passes it runs
// two, which make registers of stack slots and leave out what is computed twice: loops come as they shall be.
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/SROA.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "native/library/llvm_api.h"

// LLVM's own header declares those of all processors that it was built for: of others than these there is
// nothing to link.
#define ISOMER_PROCESSOR(processor)             \
  extern "C" {                                  \
  void LLVMInitialize##processor##Target();     \
  void LLVMInitialize##processor##TargetInfo(); \
  void LLVMInitialize##processor##TargetMC();   \
  void LLVMInitialize##processor##AsmPrinter(); \
  }
#define ISOMER_START(processor)                                                 \
  LLVMInitialize##processor##TargetInfo(), LLVMInitialize##processor##Target(), \
      LLVMInitialize##processor##TargetMC(), LLVMInitialize##processor##AsmPrinter()
#ifdef ISOMER_NVPTX
ISOMER_PROCESSOR(NVPTX)
#endif
#ifdef ISOMER_AARCH64
ISOMER_PROCESSOR(AArch64)
#endif
#ifdef ISOMER_LLD
#include <lld/Common/Driver.h>

LLD_HAS_DRIVER(elf)
#endif

namespace {

using llvm::orc::LLJIT;

void start() {
  static const bool once = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
#ifdef ISOMER_AARCH64
    ISOMER_START(AArch64);
#endif
    // Instructions stay in the order in which they are written, which holds few registers; moved to where
    // their operands are early, the sums of a tile leave the registers.
    llvm::StringMap<llvm::cl::Option*>& options = llvm::cl::getRegisteredOptions();
    if (const auto moves = options.find("enable-misched"); moves != options.end())
      moves->second->addOccurrence(0, "enable-misched", "false");
    return true;
  }();
  static_cast<void>(once);
}

void say(char** error, const std::string& message) {
  if (error != nullptr) *error = ::strdup(message.c_str());
}
std::string message_of(llvm::Error e) { return llvm::toString(std::move(e)); }

bool has_processor(const std::string& triple, const char* cpu) {
  std::string ignored;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, ignored);
  if (target == nullptr) return false;
  const std::unique_ptr<llvm::MCSubtargetInfo> any(target->createMCSubtargetInfo(triple, "", ""));
  if (!any->isCPUStringValid(cpu)) return false;
  if (!llvm::Triple(triple).isX86()) return true;
  const std::unique_ptr<llvm::MCSubtargetInfo> that(target->createMCSubtargetInfo(triple, cpu, ""));
  return that->checkFeatures("+64bit");  // the names of 32-bit ones are valid, and then fatal
}

/// Of a machine with such a processor, this one's kind first; empty: of none.
std::string triple_of(const char* cpu) {
  for (const std::string& triple : {llvm::sys::getProcessTriple(), std::string("aarch64-unknown-linux-gnu")})
    if (cpu == nullptr || has_processor(triple, cpu)) return triple;
  return {};
}

const char* architecture(const char* cpu) {
  start();
  const std::string triple = triple_of(cpu);
  return triple.empty() ? nullptr : llvm::Triple::getArchTypeName(llvm::Triple(triple).getArch()).data();
}

llvm::Expected<llvm::orc::JITTargetMachineBuilder> machine(const char* cpu) {
  auto builder = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!builder) return builder;
  if (cpu != nullptr) builder->getTargetTriple() = llvm::Triple(triple_of(cpu));
  builder->setCodeGenOptLevel(llvm::CodeGenOptLevel::Default);
  builder->setRelocationModel(llvm::Reloc::PIC_);
  if (cpu != nullptr) {
    builder->setCPU(cpu);
    builder->getFeatures() = llvm::SubtargetFeatures();
  }
  return builder;
}

IsomerRegisters registers_of(const llvm::Triple& triple, const llvm::MCSubtargetInfo& target) {
  const auto has = [&](const char* feature) { return target.checkFeatures(feature); };
  if (!triple.isX86()) return {16, 32};
  if (has("+avx512f")) return {64, 32};
  return {has("+avx") ? 32 : 16, 16};
}
IsomerRegisters registers(const char* cpu) {
  start();
  auto builder = machine(cpu);
  auto target = builder ? builder->createTargetMachine() : builder.takeError();
  if (!target) {
    llvm::consumeError(target.takeError());
    return {16, 16};
  }
  return registers_of((*target)->getTargetTriple(), *(*target)->getMCSubtargetInfo());
}

/// Nothing, with the message, where the text is no module.
std::unique_ptr<llvm::Module> parsed(llvm::LLVMContext& context, const char* text, size_t size,
                                     llvm::TargetMachine& target, char** error) {
  llvm::SMDiagnostic wrong;
  const std::string copy(text, size);
  auto module = llvm::parseIR(llvm::MemoryBufferRef(copy, "isomer"), wrong, context);
  if (!module) {
    say(error, wrong.getMessage().str() + ": " + wrong.getLineContents().str());
    return nullptr;
  }
  std::string report;
  llvm::raw_string_ostream out(report);
  if (llvm::verifyModule(*module, &out)) {
    say(error, report);
    return nullptr;
  }
  module->setTargetTriple(target.getTargetTriple().str());
  module->setDataLayout(target.createDataLayout());
  const std::string bits =
      std::to_string(8 * registers_of(target.getTargetTriple(), *target.getMCSubtargetInfo()).bytes);
  for (llvm::Function& f : *module) {
    if (f.isDeclaration()) continue;
    f.addFnAttr("target-cpu", target.getTargetCPU());
    f.addFnAttr("target-features", target.getTargetFeatureString());
    if (!target.getTargetTriple().isX86()) continue;
    f.addFnAttr("prefer-vector-width", bits);
    f.addFnAttr("min-legal-vector-width", bits);
  }
  llvm::PassBuilder passes(&target);
  llvm::FunctionAnalysisManager functions;
  llvm::ModuleAnalysisManager modules;
  llvm::CGSCCAnalysisManager calls;
  llvm::LoopAnalysisManager loops;
  passes.registerModuleAnalyses(modules);
  passes.registerCGSCCAnalyses(calls);
  passes.registerFunctionAnalyses(functions);
  passes.registerLoopAnalyses(loops);
  passes.crossRegisterProxies(loops, functions, calls, modules);
  llvm::FunctionPassManager two;
  two.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  two.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  for (llvm::Function& f : *module)
    if (!f.isDeclaration()) two.run(f, functions);
  return module;
}

void* load(const char* text, size_t size, const char* cpu, char** error) {
  start();
  auto builder = machine(cpu);
  if (!builder) return say(error, message_of(builder.takeError())), nullptr;
  auto target = builder->createTargetMachine();
  if (!target) return say(error, message_of(target.takeError())), nullptr;
  auto context = std::make_unique<llvm::LLVMContext>();
  auto module = parsed(*context, text, size, **target, error);
  if (!module) return nullptr;
  auto jit = llvm::orc::LLJITBuilder().setJITTargetMachineBuilder(std::move(*builder)).create();
  if (!jit) return say(error, message_of(jit.takeError())), nullptr;
  auto symbols = llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(
      (*jit)->getDataLayout().getGlobalPrefix());
  if (!symbols) return say(error, message_of(symbols.takeError())), nullptr;
  (*jit)->getMainJITDylib().addGenerator(std::move(*symbols));
  if (auto failed = (*jit)->addIRModule(llvm::orc::ThreadSafeModule(std::move(module), std::move(context))))
    return say(error, message_of(std::move(failed))), nullptr;
  return jit->release();
}

void* find(void* loaded, const char* function) {
  auto symbol = static_cast<LLJIT*>(loaded)->lookup(function);
  if (!symbol) {
    llvm::consumeError(symbol.takeError());
    return nullptr;
  }
  return symbol->toPtr<void*>();
}

void unload(void* loaded) { delete static_cast<LLJIT*>(loaded); }

char* emitted(llvm::Module& module, llvm::TargetMachine& target, llvm::CodeGenFileType type, size_t* length,
              char** error) {
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream out(bytes);
  llvm::legacy::PassManager emit;
  if (target.addPassesToEmitFile(emit, out, nullptr, type))
    return say(error, "this target has no such files"), nullptr;
  emit.run(module);
  *length = bytes.size();
  auto* copy = static_cast<char*>(std::malloc(bytes.size()));
  std::memcpy(copy, bytes.data(), bytes.size());
  return copy;
}

char* object(const char* text, size_t size, const char* cpu, size_t* length, char** error) {
  start();
  auto builder = machine(cpu);
  if (!builder) return say(error, message_of(builder.takeError())), nullptr;
  builder->setCodeModel(llvm::CodeModel::Small);  // of programs in memory it is the large one
  auto target = builder->createTargetMachine();
  if (!target) return say(error, message_of(target.takeError())), nullptr;
  llvm::LLVMContext context;
  auto module = parsed(context, text, size, **target, error);
  if (!module) return nullptr;
  return emitted(*module, **target, llvm::CodeGenFileType::ObjectFile, length, error);
}

#ifdef ISOMER_NVPTX
char* ptx(const char* text, size_t size, const char* gpu, size_t* length, char** error) {
  start();
  static const bool once = [] {
    ISOMER_START(NVPTX);
    return true;
  }();
  static_cast<void>(once);
  const std::string triple = "nvptx64-nvidia-cuda";
  std::string wrong;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, wrong);
  if (target == nullptr) return say(error, wrong), nullptr;
  const std::unique_ptr<llvm::MCSubtargetInfo> any(target->createMCSubtargetInfo(triple, "", ""));
  if (!any->isCPUStringValid(gpu))
    return say(error, std::string(gpu) + " is no graphics processor that LLVM knows"), nullptr;
  const std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(
      triple, gpu, "", llvm::TargetOptions(), std::nullopt, std::nullopt, llvm::CodeGenOptLevel::Aggressive));
  llvm::LLVMContext context;
  auto module = parsed(context, text, size, *machine, error);
  return module ? emitted(*module, *machine, llvm::CodeGenFileType::AssemblyFile, length, error) : nullptr;
}
#else
constexpr auto ptx = nullptr;
#endif

#ifdef ISOMER_LLD
int link(const char* const* words, size_t count, char** error) {
  std::string messages;
  llvm::raw_string_ostream out(messages);
  const std::vector<const char*> args(words, words + count);
  const lld::Result result = lld::lldMain(args, out, out, {{lld::Gnu, &lld::elf::link}});
  if (result.retCode != 0) say(error, messages);
  return result.retCode;
}
#else
constexpr auto link = nullptr;
#endif

const IsomerLlvmApi kApi = {
    kIsomerLlvmVersion, architecture, registers, load, find, unload, object, ptx, link};

}  // namespace

extern "C" __attribute__((visibility("default"))) const IsomerLlvmApi* isomer_llvm_api(void) { return &kApi; }
