#include "native/runtime/runtime.h"

#include <pthread.h>
#include <stdlib.h>

// Iterations of a parallel loop are handed out in pieces, the next one to whoever is free (guided by nothing
// but a counter, as in OpenMP's dynamic schedule). Workers wait for work for a moment before they sleep:
// kernels of one program follow each other closely.

namespace {

constexpr int kPiecesPerThread = 4;
constexpr int kSpins = 4000;

void pause_a_little() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

struct Job {
  IsomerKernel kernel;
  void** buffers;
  int64_t next, end, piece;
};

}  // namespace

struct IsomerRun {
  const IsomerTables* tables;
  void** addresses;  // by buffer
  void** given;      // of the call that runs
  unsigned char* workspace;
  unsigned char* kept;
  int workers;
  pthread_t* threads;
  pthread_mutex_t lock;
  pthread_cond_t wake;
  int64_t generation;  // of the job; changes when there is a new one
  int64_t busy;        // workers that have not ended it
  bool ends;
  Job job;
};

namespace {

void work(Job* job) {
  for (;;) {
    const int64_t begin = __atomic_fetch_add(&job->next, job->piece, __ATOMIC_RELAXED);
    if (begin >= job->end) return;
    const int64_t end = begin + job->piece < job->end ? begin + job->piece : job->end;
    job->kernel(job->buffers, begin, end);
  }
}

void* worker(void* of) {
  auto* run = static_cast<IsomerRun*>(of);
  int64_t seen = 0;
  for (;;) {
    for (int i = 0; i < kSpins && __atomic_load_n(&run->generation, __ATOMIC_ACQUIRE) == seen; ++i)
      pause_a_little();
    if (__atomic_load_n(&run->generation, __ATOMIC_ACQUIRE) == seen) {
      pthread_mutex_lock(&run->lock);
      while (run->generation == seen) pthread_cond_wait(&run->wake, &run->lock);
      pthread_mutex_unlock(&run->lock);
    }
    seen = __atomic_load_n(&run->generation, __ATOMIC_ACQUIRE);
    if (run->ends) return nullptr;
    work(&run->job);
    __atomic_fetch_sub(&run->busy, 1, __ATOMIC_RELEASE);
  }
}

/// All workers see what is set before.
void announce(IsomerRun* run) {
  pthread_mutex_lock(&run->lock);
  __atomic_store_n(&run->generation, run->generation + 1, __ATOMIC_RELEASE);
  pthread_cond_broadcast(&run->wake);
  pthread_mutex_unlock(&run->lock);
}

void call(IsomerRun* run, const IsomerCall* c) {
  for (int32_t b = 0; b < c->buffer_count; ++b) run->given[b] = run->addresses[c->buffers[b]];
  const int64_t count = c->end - c->begin;
  if (c->is_parallel == 0 || run->workers == 0 || count < 2) {
    c->kernel(run->given, c->begin, c->end);
    return;
  }
  const int64_t pieces = static_cast<int64_t>(run->workers + 1) * kPiecesPerThread;
  run->job.kernel = c->kernel;
  run->job.buffers = run->given;
  run->job.next = c->begin;
  run->job.end = c->end;
  run->job.piece = count / pieces > 1 ? count / pieces : 1;
  __atomic_store_n(&run->busy, run->workers, __ATOMIC_RELAXED);
  announce(run);
  work(&run->job);
  while (__atomic_load_n(&run->busy, __ATOMIC_ACQUIRE) > 0) pause_a_little();
}

bool start_workers(IsomerRun* run, int count) {
  if (count == 0) return true;
  run->threads = static_cast<pthread_t*>(calloc(static_cast<size_t>(count), sizeof(pthread_t)));
  if (run->threads == nullptr) return false;
  for (; run->workers < count; ++run->workers)
    if (pthread_create(&run->threads[run->workers], nullptr, worker, run) != 0) return false;
  return true;
}

unsigned char* aligned(int64_t bytes) {
  void* out = nullptr;
  constexpr size_t kLine = 64;
  return posix_memalign(&out, kLine, static_cast<size_t>(bytes > 0 ? bytes : 1)) == 0
             ? static_cast<unsigned char*>(out)
             : nullptr;
}

/// False where memory is lacking.
bool allocate(IsomerRun* run) {
  const IsomerTables* t = run->tables;
  int64_t most = 1;
  const auto widest = [&](const IsomerCall* calls, int64_t count) {
    for (int64_t i = 0; i < count; ++i)
      if (calls[i].buffer_count > most) most = calls[i].buffer_count;
  };
  widest(t->at_load, t->at_load_count);
  widest(t->calls, t->call_count);
  run->workspace = aligned(t->workspace_bytes);
  run->kept = aligned(t->kept_bytes);
  run->addresses = static_cast<void**>(calloc(static_cast<size_t>(t->buffer_count + 1), sizeof(void*)));
  run->given = static_cast<void**>(calloc(static_cast<size_t>(most), sizeof(void*)));
  if (run->workspace == nullptr || run->kept == nullptr || run->addresses == nullptr || run->given == nullptr)
    return false;
  for (int64_t b = 0; b < t->buffer_count; ++b) {
    const IsomerBuffer& buffer = t->buffers[b];
    switch (buffer.place) {
      case kIsomerConstant: run->addresses[b] = const_cast<void*>(buffer.constant); break;
      case kIsomerWorkspace: run->addresses[b] = run->workspace + buffer.offset; break;
      case kIsomerKept: run->addresses[b] = run->kept + buffer.offset; break;
      default: break;
    }
  }
  return true;
}

}  // namespace

extern "C" {

IsomerRun* isomer_run_new(const IsomerTables* tables, int threads) {
  auto* run = static_cast<IsomerRun*>(calloc(1, sizeof(IsomerRun)));
  if (run == nullptr) return nullptr;
  run->tables = tables;
  pthread_mutex_init(&run->lock, nullptr);
  pthread_cond_init(&run->wake, nullptr);
  if (!allocate(run) || !start_workers(run, threads - 1)) {
    isomer_run_delete(run);
    return nullptr;
  }
  for (int64_t i = 0; i < tables->at_load_count; ++i) call(run, &tables->at_load[i]);
  return run;
}

void isomer_run_delete(IsomerRun* run) {
  if (run == nullptr) return;
  run->ends = true;
  announce(run);
  for (int i = 0; i < run->workers; ++i) pthread_join(run->threads[i], nullptr);
  pthread_cond_destroy(&run->wake);
  pthread_mutex_destroy(&run->lock);
  free(run->threads);
  free(static_cast<void*>(run->given));
  free(static_cast<void*>(run->addresses));
  free(run->kept);
  free(run->workspace);
  free(run);
}

void isomer_run_call(IsomerRun* run, const void* const* inputs, void* const* outputs) {
  const IsomerTables* t = run->tables;
  for (int64_t b = 0; b < t->buffer_count; ++b) {
    const IsomerBuffer& buffer = t->buffers[b];
    if (buffer.place == kIsomerInput) run->addresses[b] = const_cast<void*>(inputs[buffer.number]);
    if (buffer.place == kIsomerOutput) run->addresses[b] = outputs[buffer.number];
  }
  for (int64_t i = 0; i < t->call_count; ++i) call(run, &t->calls[i]);
}
}
