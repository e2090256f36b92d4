// What a program compiled for a graphics processor needs when it runs: its kernels through the interface of
// NVIDIA's driver, which is opened when the first program is loaded, so that no toolkit is needed. Linked
// into each shared object that is compiled so (gpu_object.h); it needs the C library only.
#pragma once

#include <stdint.h>

#include "native/runtime/runtime.h"

extern "C" {

struct IsomerLaunch {
  const char* kernel;      ///< its name
  const int32_t* buffers;  ///< numbers of those that it is given
  int32_t buffer_count;
  int32_t threads;  ///< of a block
  int64_t blocks, shared_bytes;
};

/// A program as data.
struct IsomerGpuTables {
  const struct IsomerBuffer* buffers;
  const int64_t* bytes;                ///< by buffer
  const struct IsomerLaunch* at_load;  ///< run once
  const struct IsomerLaunch* launches;
  const char* ptx;
  int64_t buffer_count, at_load_count, launch_count;
  int64_t workspace_bytes, kept_bytes;
};

struct IsomerGpuRun;
/// Null, with isomer_gpu_error(), where there is no processor, or memory is lacking. The tables must live as
/// long.
struct IsomerGpuRun* isomer_gpu_new(const struct IsomerGpuTables* tables);
void isomer_gpu_delete(struct IsomerGpuRun* run);
/// Addresses of whole tensors in this process's memory. One call at a time.
void isomer_gpu_call(struct IsomerGpuRun* run, const void* const* inputs, void* const* outputs);
/// Of tensors on the processor. The work is put into the stream (of the driver's interface; null: the default
/// one), and not waited for.
void isomer_gpu_enqueue(struct IsomerGpuRun* run, const void* const* inputs, void* const* outputs,
                        void* stream);
/// Runs again, `count` times, on the inputs of the last call: the seconds of each by the processor's clock.
void isomer_gpu_time(struct IsomerGpuRun* run, double* seconds, int count);
/// What the last call in this process failed at; null: it did not.
const char* isomer_gpu_error(void);
}
