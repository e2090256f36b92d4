// What the library that holds LLVM offers: plain C, so that it is opened at first use and nothing else of the
// program knows LLVM. Text in, machine code out.
#pragma once

#include <stddef.h>

extern "C" {

/// Vector registers of a processor.
struct IsomerRegisters {
  int bytes, count;
};

struct IsomerLlvmApi {
  int version;  ///< kIsomerLlvmVersion
  /// The kind of processor that has that name, as LLVM writes it (x86_64, aarch64): this machine's kind if it
  /// has such a one. Null where LLVM makes no code for it. Lives as long as this library.
  const char* (*architecture)(const char* cpu);
  /// Those of a processor of that name; null: of this machine's.
  struct IsomerRegisters (*registers)(const char* cpu);
  /// Compiles a module into this process. Null, with a message that free() releases, where it cannot. `cpu`:
  /// as LLVM names it, of this machine's kind; null: this machine's.
  void* (*load)(const char* text, size_t size, const char* cpu, char** error);
  void* (*find)(void* loaded, const char* function);
  void (*unload)(void* loaded);
  /// The bytes of an object file, position independent; free() releases them.
  char* (*object)(const char* text, size_t size, const char* cpu, size_t* length, char** error);
  /// PTX for a graphics processor of that name (sm_90), without an end; free() releases it. Null where this
  /// library has no such target.
  char* (*ptx)(const char* text, size_t size, const char* gpu, size_t* length, char** error);
  /// lld with these words, of which the first is its name; not 0, with its message, where it fails. Null
  /// where lld is not there.
  int (*link)(const char* const* words, size_t count, char** error);
};

/// The one symbol of the library.
const IsomerLlvmApi* isomer_llvm_api(void);
}

inline constexpr int kIsomerLlvmVersion = 6;
