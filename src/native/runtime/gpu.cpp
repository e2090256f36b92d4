#include "native/runtime/gpu.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The driver's interface, as far as it is used: names, arguments and numbers of CUDA's documentation.

namespace {

using Result = int;
using Address = unsigned long long;
using Handle = void*;

constexpr int kMessage = 1024;
char failure[kMessage];
bool failed = false;

void fail(const char* at, const char* why) {
  if (failed) return;
  failed = true;
  snprintf(failure, sizeof failure, "%s: %s", at, why);
}

struct Driver {
  Result (*init)(unsigned);
  Result (*error_string)(Result, const char**);
  Result (*device)(int*, int);
  Result (*retain)(Handle*, int);
  Result (*release)(int);
  Result (*push)(Handle);
  Result (*pop)(Handle*);
  Result (*load)(Handle*, const void*, unsigned, int*, void**);
  Result (*unload)(Handle);
  Result (*function)(Handle*, Handle, const char*);
  Result (*set_attribute)(Handle, int, int);
  Result (*allocate)(Address*, size_t);
  Result (*free)(Address);
  Result (*to_device)(Address, const void*, size_t, Handle);
  Result (*to_host)(void*, Address, size_t);
  Result (*launch)(Handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Handle,
                   void**, void**);
  Result (*stream)(Handle*, unsigned);
  Result (*drop_stream)(Handle);
  Result (*wait)(Handle);
  Result (*capture)(Handle, int);
  Result (*captured)(Handle, Handle*);
  Result (*instantiate)(Handle*, Handle, unsigned long long);
  Result (*replay)(Handle, Handle);
  Result (*drop_graph)(Handle);
  Result (*drop_instance)(Handle);
  Result (*event)(Handle*, unsigned);
  Result (*record)(Handle, Handle);
  Result (*wait_event)(Handle);
  Result (*elapsed)(float*, Handle, Handle);
  Result (*drop_event)(Handle);
};

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

/// Null where there is none.
const Driver* driver() {
  static Driver d;
  static const bool opened = [] {
    void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    return library != nullptr && find(library, "cuInit", d.init) &&
           find(library, "cuGetErrorString", d.error_string) && find(library, "cuDeviceGet", d.device) &&
           find(library, "cuDevicePrimaryCtxRetain", d.retain) &&
           find(library, "cuDevicePrimaryCtxRelease_v2", d.release) &&
           find(library, "cuCtxPushCurrent_v2", d.push) && find(library, "cuCtxPopCurrent_v2", d.pop) &&
           find(library, "cuModuleLoadDataEx", d.load) && find(library, "cuModuleUnload", d.unload) &&
           find(library, "cuModuleGetFunction", d.function) &&
           find(library, "cuFuncSetAttribute", d.set_attribute) &&
           find(library, "cuMemAlloc_v2", d.allocate) && find(library, "cuMemFree_v2", d.free) &&
           find(library, "cuMemcpyHtoDAsync_v2", d.to_device) &&
           find(library, "cuMemcpyDtoH_v2", d.to_host) && find(library, "cuLaunchKernel", d.launch) &&
           find(library, "cuStreamCreate", d.stream) && find(library, "cuStreamDestroy_v2", d.drop_stream) &&
           find(library, "cuStreamSynchronize", d.wait) &&
           find(library, "cuStreamBeginCapture_v2", d.capture) &&
           find(library, "cuStreamEndCapture", d.captured) &&
           find(library, "cuGraphInstantiateWithFlags", d.instantiate) &&
           find(library, "cuGraphLaunch", d.replay) && find(library, "cuGraphDestroy", d.drop_graph) &&
           find(library, "cuGraphExecDestroy", d.drop_instance) && find(library, "cuEventCreate", d.event) &&
           find(library, "cuEventRecord", d.record) && find(library, "cuEventSynchronize", d.wait_event) &&
           find(library, "cuEventElapsedTime", d.elapsed) && find(library, "cuEventDestroy_v2", d.drop_event);
  }();
  return opened ? &d : nullptr;
}

}  // namespace

struct IsomerGpuRun {
  const IsomerGpuTables* tables;
  const Driver* d;
  int device;
  bool retained;
  Handle context, module, stream, graph, instance;
  Handle* functions;   // of the launches at load, then of the others
  Address* addresses;  // by buffer
  Address all;         // what is allocated, in one piece
  void** given;        // room for the arguments of a launch
};

namespace {

bool done(const IsomerGpuRun* run, Result r, const char* at) {
  if (r == 0) return true;
  const char* why = nullptr;
  if (run->d->error_string(r, &why) != 0 || why == nullptr) why = "unknown error";
  fail(at, why);
  return false;
}

/// The program's context, as long as this lives.
class Within {
 public:
  explicit Within(const IsomerGpuRun* run) : run_(run) {
    entered_ = run->context != nullptr && done(run, run->d->push(run->context), "entering the context");
  }
  ~Within() {
    Handle ignored = nullptr;
    if (entered_) run_->d->pop(&ignored);
  }
  Within(const Within&) = delete;
  Within& operator=(const Within&) = delete;
  bool entered() const { return entered_; }

 private:
  const IsomerGpuRun* run_;
  bool entered_;
};

bool load_module(IsomerGpuRun* run) {
  constexpr int kLog = 5, kLogSize = 6;
  static char log[kMessage];
  int options[] = {kLog, kLogSize};
  void* size = nullptr;  // a number in its place
  constexpr size_t kSize = sizeof log;
  memcpy(static_cast<void*>(&size), &kSize, sizeof kSize);
  void* values[] = {log, size};
  log[0] = 0;
  const Result r = run->d->load(&run->module, run->tables->ptx, 2, options, values);
  if (r != 0 && log[0] != 0) fail("loading the kernels", log);
  return done(run, r, "loading the kernels");
}

bool find_functions(IsomerGpuRun* run) {
  const IsomerGpuTables* t = run->tables;
  const int64_t count = t->at_load_count + t->launch_count;
  run->functions = static_cast<Handle*>(calloc(static_cast<size_t>(count + 1), sizeof(Handle)));
  int64_t widest = 1;
  if (run->functions == nullptr) return fail("loading", "memory is lacking"), false;
  for (int64_t i = 0; i < count; ++i) {
    const IsomerLaunch& l = i < t->at_load_count ? t->at_load[i] : t->launches[i - t->at_load_count];
    if (l.buffer_count > widest) widest = l.buffer_count;
    if (!done(run, run->d->function(&run->functions[i], run->module, l.kernel), l.kernel)) return false;
    constexpr int kMostShared = 8;  // the attribute's number
    constexpr int64_t kAlways = 48 << 10;
    if (l.shared_bytes > kAlways &&
        !done(run, run->d->set_attribute(run->functions[i], kMostShared, static_cast<int>(l.shared_bytes)),
              l.kernel))
      return false;
  }
  run->given = static_cast<void**>(calloc(static_cast<size_t>(widest), sizeof(void*)));
  if (run->given == nullptr) fail("loading", "memory is lacking");
  return run->given != nullptr;
}

constexpr int64_t kLine = 256;
int64_t rounded(int64_t bytes) { return (bytes + kLine - 1) / kLine * kLine; }

/// All memory in one piece: workspace, what is kept, then inputs, outputs and constants, which are copied.
bool allocate(IsomerGpuRun* run) {
  const IsomerGpuTables* t = run->tables;
  run->addresses = static_cast<Address*>(calloc(static_cast<size_t>(t->buffer_count + 1), sizeof(Address)));
  if (run->addresses == nullptr) return fail("loading", "memory is lacking"), false;
  int64_t total = rounded(t->workspace_bytes) + rounded(t->kept_bytes);
  for (int64_t b = 0; b < t->buffer_count; ++b) {
    const int place = t->buffers[b].place;
    if (place == kIsomerWorkspace || place == kIsomerKept) continue;
    run->addresses[b] = static_cast<Address>(total);
    total += rounded(t->bytes[b]);
  }
  if (!done(run, run->d->allocate(&run->all, static_cast<size_t>(total + kLine)), "allocating memory"))
    return false;
  for (int64_t b = 0; b < t->buffer_count; ++b) {
    const IsomerBuffer& buffer = t->buffers[b];
    if (buffer.place == kIsomerWorkspace) run->addresses[b] = static_cast<Address>(buffer.offset);
    if (buffer.place == kIsomerKept)
      run->addresses[b] =
          static_cast<Address>(rounded(t->workspace_bytes)) + static_cast<Address>(buffer.offset);
    run->addresses[b] += run->all;
    if (buffer.place == kIsomerConstant && t->bytes[b] > 0 &&
        !done(run,
              run->d->to_device(run->addresses[b], buffer.constant, static_cast<size_t>(t->bytes[b]),
                                run->stream),
              "copying constants"))
      return false;
  }
  return true;
}

/// Puts launches into the stream. `addresses`: by buffer.
bool launch(IsomerGpuRun* run, const IsomerLaunch* launches, int64_t count, Handle* functions,
            Address* addresses, Handle stream) {
  for (int64_t i = 0; i < count; ++i) {
    const IsomerLaunch& l = launches[i];
    if (l.blocks == 0) continue;
    for (int32_t b = 0; b < l.buffer_count; ++b) run->given[b] = &addresses[l.buffers[b]];
    if (!done(run,
              run->d->launch(functions[i], static_cast<unsigned>(l.blocks), 1, 1,
                             static_cast<unsigned>(l.threads), 1, 1, static_cast<unsigned>(l.shared_bytes),
                             stream, run->given, nullptr),
              l.kernel))
      return false;
  }
  return true;
}
bool launch_all(IsomerGpuRun* run, Address* addresses, Handle stream) {
  return launch(run, run->tables->launches, run->tables->launch_count,
                run->functions + run->tables->at_load_count, addresses, stream);
}

/// All launches as one thing to start.
bool record_graph(IsomerGpuRun* run) {
  const Driver& d = *run->d;
  constexpr int kOfThisThread = 1;
  if (!done(run, d.capture(run->stream, kOfThisThread), "recording")) return false;
  const bool launched = launch_all(run, run->addresses, run->stream);
  return done(run, d.captured(run->stream, &run->graph), "recording") && launched &&
         done(run, d.instantiate(&run->instance, run->graph, 0), "recording");
}

bool open(IsomerGpuRun* run) {
  const Driver& d = *run->d;
  if (!done(run, d.init(0), "starting the driver") ||
      !done(run, d.device(&run->device, 0), "finding a processor") ||
      !done(run, d.retain(&run->context, run->device), "opening the processor"))
    return false;
  run->retained = true;
  const Within within(run);
  return within.entered() && load_module(run) && find_functions(run) &&
         done(run, d.stream(&run->stream, 1), "opening a stream") && allocate(run) &&
         launch(run, run->tables->at_load, run->tables->at_load_count, run->functions, run->addresses,
                run->stream) &&
         done(run, d.wait(run->stream), "preparing weights") && record_graph(run);
}

bool replay(IsomerGpuRun* run) { return done(run, run->d->replay(run->instance, run->stream), "running"); }

}  // namespace

extern "C" {

const char* isomer_gpu_error(void) { return failed ? failure : nullptr; }

IsomerGpuRun* isomer_gpu_new(const IsomerGpuTables* tables) {
  failed = false;
  if (driver() == nullptr) return fail("opening the driver", "there is no libcuda.so.1 here"), nullptr;
  auto* run = static_cast<IsomerGpuRun*>(calloc(1, sizeof(IsomerGpuRun)));
  if (run == nullptr) return fail("loading", "memory is lacking"), nullptr;
  run->tables = tables;
  run->d = driver();
  if (open(run)) return run;
  isomer_gpu_delete(run);
  return nullptr;
}

void isomer_gpu_delete(IsomerGpuRun* run) {
  if (run == nullptr) return;
  {
    const Within within(run);
    const Driver& d = *run->d;
    if (within.entered()) {
      if (run->instance != nullptr) d.drop_instance(run->instance);
      if (run->graph != nullptr) d.drop_graph(run->graph);
      if (run->stream != nullptr) d.drop_stream(run->stream);
      if (run->all != 0) d.free(run->all);
      if (run->module != nullptr) d.unload(run->module);
    }
  }
  if (run->retained) run->d->release(run->device);
  free(static_cast<void*>(run->given));
  free(run->addresses);
  free(static_cast<void*>(run->functions));
  free(run);
}

void isomer_gpu_call(IsomerGpuRun* run, const void* const* inputs, void* const* outputs) {
  failed = false;
  const IsomerGpuTables* t = run->tables;
  const Within within(run);
  if (!within.entered()) return;
  const auto copy = [&](int place, auto&& one, const char* what) {
    for (int64_t b = 0; b < t->buffer_count; ++b)
      if (t->buffers[b].place == place && t->bytes[b] > 0 && !done(run, one(b), what)) return false;
    return true;
  };
  const auto in = [&](int64_t b) {
    return run->d->to_device(run->addresses[b], inputs[t->buffers[b].number],
                             static_cast<size_t>(t->bytes[b]), run->stream);
  };
  const auto out = [&](int64_t b) {
    return run->d->to_host(outputs[t->buffers[b].number], run->addresses[b],
                           static_cast<size_t>(t->bytes[b]));
  };
  if (copy(kIsomerInput, in, "copying inputs") && replay(run) &&
      done(run, run->d->wait(run->stream), "running"))
    copy(kIsomerOutput, out, "copying outputs");
}

void isomer_gpu_enqueue(IsomerGpuRun* run, const void* const* inputs, void* const* outputs, void* stream) {
  failed = false;
  const IsomerGpuTables* t = run->tables;
  const Within within(run);
  if (!within.entered()) return;
  auto* addresses = static_cast<Address*>(malloc(static_cast<size_t>(t->buffer_count + 1) * sizeof(Address)));
  if (addresses == nullptr) return fail("running", "memory is lacking");
  for (int64_t b = 0; b < t->buffer_count; ++b) {
    const IsomerBuffer& buffer = t->buffers[b];
    addresses[b] = run->addresses[b];
    if (buffer.place == kIsomerInput) addresses[b] = reinterpret_cast<Address>(inputs[buffer.number]);
    if (buffer.place == kIsomerOutput) addresses[b] = reinterpret_cast<Address>(outputs[buffer.number]);
  }
  launch_all(run, addresses, stream);
  free(addresses);
}

void isomer_gpu_time(IsomerGpuRun* run, double* seconds, int count) {
  failed = false;
  const Driver& d = *run->d;
  const Within within(run);
  if (!within.entered()) return;
  Handle begin = nullptr, end = nullptr;
  bool works = done(run, d.event(&begin, 0), "timing") && done(run, d.event(&end, 0), "timing");
  constexpr double kMilli = 1e-3;
  for (int i = 0; works && i < count; ++i) {
    float milliseconds = 0;
    works = done(run, d.record(begin, run->stream), "timing") && replay(run) &&
            done(run, d.record(end, run->stream), "timing") && done(run, d.wait_event(end), "running") &&
            done(run, d.elapsed(&milliseconds, begin, end), "timing");
    seconds[i] = static_cast<double>(milliseconds) * kMilli;
  }
  if (begin != nullptr) d.drop_event(begin);
  if (end != nullptr) d.drop_event(end);
}
}
