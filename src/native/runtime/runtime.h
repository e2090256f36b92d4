// What a compiled program needs when it runs: calls of its kernels in order, parallel ones in pieces by
// several threads. It is linked into each shared object that is compiled (shared_object.h), so that it needs
// the C library only, and it is what runs programs in this process.
#pragma once

#include <stdint.h>

extern "C" {

/// Works through [begin, end) of its parallel loop; a kernel without one is called once, with any numbers.
typedef void (*IsomerKernel)(void** buffers, int64_t begin, int64_t end);

struct IsomerCall {
  IsomerKernel kernel;
  const int32_t* buffers;  ///< numbers of those that it is given
  int32_t buffer_count;
  int32_t is_parallel;
  int64_t begin, end;
};

enum IsomerPlace { kIsomerInput, kIsomerOutput, kIsomerConstant, kIsomerWorkspace, kIsomerKept };
struct IsomerBuffer {
  int32_t place;   ///< IsomerPlace
  int32_t number;  ///< of inputs and outputs
  int64_t offset;  ///< in bytes, in the workspace and in what is kept
  const void* constant;
};

/// A program as data.
struct IsomerTables {
  const struct IsomerBuffer* buffers;
  const struct IsomerCall* at_load;  ///< run once
  const struct IsomerCall* calls;
  int64_t buffer_count, at_load_count, call_count;
  int64_t input_count, output_count;
  int64_t workspace_bytes, kept_bytes;
};

struct IsomerRun;
/// Null where memory or threads are lacking. The tables must live as long. `threads` at least 1.
struct IsomerRun* isomer_run_new(const struct IsomerTables* tables, int threads);
void isomer_run_delete(struct IsomerRun* run);
/// Addresses of whole tensors. One call at a time.
void isomer_run_call(struct IsomerRun* run, const void* const* inputs, void* const* outputs);
}
