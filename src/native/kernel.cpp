#include "native/kernel.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>

#include "codegen/llvm_text.h"
#include "ir/dtype.h"
#include "native/library/llvm_api.h"
#include "support/errors.h"

namespace isomer::native {
namespace {

struct Library {
  const IsomerLlvmApi* api = nullptr;
  std::string why;
};

Library open() {
  const char* named = std::getenv("ISOMER_LLVM");
  const std::string path = named != nullptr ? named : ISOMER_DEFAULT_LLVM;
  if (path.empty()) return {nullptr, "this program was built without LLVM"};
  void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return {nullptr, ::dlerror()};
  const auto get = reinterpret_cast<const IsomerLlvmApi* (*)()>(::dlsym(library, "isomer_llvm_api"));
  if (get == nullptr) return {nullptr, path + ": is no library of Isomer's"};
  if (get()->version != kIsomerLlvmVersion) return {nullptr, path + ": is of another version"};
  return {get(), {}};
}

const Library& library() {
  static const Library opened = open();  // never closed: code that it made may run until the end
  return opened;
}

struct FreedText {
  char* text = nullptr;
  ~FreedText() { std::free(text); }
};

}  // namespace

std::string why_no_compiler() { return library().why; }

Kernel::Kernel(const codegen::LoopProgram& program, const ir::Context& ctx, const std::string& cpu) {
  const Library& llvm = library();
  if (llvm.api == nullptr) throw MissingRuntimeError("no machine code can be made here: " + llvm.why);
  const std::string text = codegen::llvm_text(program, "kernel");
  FreedText error;
  loaded_ = llvm.api->load(text.data(), text.size(), cpu.empty() ? nullptr : cpu.c_str(), &error.text);
  REQUIRE(loaded_ != nullptr, fmt::format("LLVM refuses generated code: {}", error.text ? error.text : ""));
  function_ = reinterpret_cast<void (*)(void**)>(llvm.api->find(loaded_, "kernel"));
  REQUIRE(function_ != nullptr, "LLVM lost the generated function");
  std::vector<size_t> place(program.buffers.size(), 0);
  for (size_t b = 0; b < program.buffers.size(); ++b) {
    const codegen::Buffer& buffer = program.buffers[b];
    if (buffer.memory == codegen::Memory::kPrivate) continue;
    place[b] = addresses_.size();
    void* at = nullptr;
    if (buffer.memory == codegen::Memory::kConstant) {
      at = const_cast<std::byte*>(ctx.get(buffer.constant).bytes().data());
    } else if (buffer.memory == codegen::Memory::kScratch) {
      scratch_.push_back(
          std::make_unique<std::byte[]>(static_cast<size_t>(ir::byte_size(buffer.dtype, buffer.count()))));
      at = scratch_.back().get();
    }
    addresses_.push_back(at);
  }
  for (const int b : program.inputs) inputs_.push_back(place[static_cast<size_t>(b)]);
  for (const int b : program.outputs) outputs_.push_back(place[static_cast<size_t>(b)]);
}

Kernel::~Kernel() {
  if (loaded_ != nullptr) library().api->unload(loaded_);
}

void Kernel::run(std::span<const void* const> inputs, std::span<void* const> outputs) {
  REQUIRE(inputs.size() == inputs_.size() && outputs.size() == outputs_.size(),
          "a kernel of another interface");
  for (size_t i = 0; i < inputs.size(); ++i) addresses_[inputs_[i]] = const_cast<void*>(inputs[i]);
  for (size_t i = 0; i < outputs.size(); ++i) addresses_[outputs_[i]] = outputs[i];
  function_(addresses_.data());
}

}  // namespace isomer::native
