#include "native/runtime/runtime.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>

// Iterations of a parallel loop are handed out in pieces, the next one to whoever is free (guided by nothing
// but a counter, as in OpenMP's dynamic schedule). Workers wait for work for a moment before they sleep:
// kernels of one program follow each other closely. Who waits for the end of a loop waits for pieces, not for
// workers: one that gets no processor, because another program has it, holds up nothing.

namespace {

constexpr int kPiecesPerThread = 4;
constexpr int kSpins = 4000;

void pause_a_little() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

constexpr int kPlaceBits = 40;
constexpr uint64_t kClosed = (uint64_t{1} << kPlaceBits) - 1;  // a place behind all

uint64_t tag(int64_t generation) { return static_cast<uint64_t>(generation) << kPlaceBits; }

struct Job {
  const IsomerCall* call;
  int64_t piece;  // iterations
  uint64_t next;  // the job's tag, and the place of the piece that is handed out next
  int64_t done;   // iterations
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
  bool ends;
  Job job;
};

namespace {

/// Pieces of the job of that generation, as long as there are any. A worker that comes late may read a part
/// of the next job meanwhile; but then the place is another one, and it gets no piece.
void work(IsomerRun* run, int64_t generation) {
  Job* const job = &run->job;
  for (;;) {
    uint64_t at = __atomic_load_n(&job->next, __ATOMIC_ACQUIRE);
    const IsomerCall* c = __atomic_load_n(&job->call, __ATOMIC_RELAXED);
    const int64_t last = c->end;
    const int64_t piece = __atomic_load_n(&job->piece, __ATOMIC_RELAXED);
    const auto begin = static_cast<int64_t>(at & kClosed);
    if ((at & ~kClosed) != tag(generation) || begin >= last) return;
    const int64_t end = begin + piece < last ? begin + piece : last;
    if (!__atomic_compare_exchange_n(&job->next, &at, tag(generation) | static_cast<uint64_t>(end), false,
                                     __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
      continue;
    // The place was still this job's, so the call is, and stands until this piece is done.
    c->kernel(run->given, begin, end);
    __atomic_fetch_add(&job->done, end - begin, __ATOMIC_RELEASE);
  }
}

/// The job of the next generation: closed before anything of it is said, open when all is.
void hand_out(Job* job, const IsomerCall* c, int64_t pieces, int64_t generation) {
  const int64_t count = c->end - c->begin;
  __atomic_exchange_n(&job->next, tag(generation) | kClosed, __ATOMIC_ACQ_REL);
  __atomic_store_n(&job->call, c, __ATOMIC_RELAXED);
  __atomic_store_n(&job->piece, count / pieces > 1 ? count / pieces : 1, __ATOMIC_RELAXED);
  __atomic_store_n(&job->done, 0, __ATOMIC_RELAXED);
  __atomic_store_n(&job->next, tag(generation) | static_cast<uint64_t>(c->begin), __ATOMIC_RELEASE);
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
    work(run, seen);
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
  const int64_t generation = run->generation + 1;
  hand_out(&run->job, c, pieces, generation);
  announce(run);
  work(run, generation);
  for (int i = 0; __atomic_load_n(&run->job.done, __ATOMIC_ACQUIRE) < count; ++i)
    i < kSpins ? pause_a_little() : static_cast<void>(sched_yield());
}

bool start_workers(IsomerRun* run, int count) {
  if (count == 0) return true;
  run->threads = static_cast<pthread_t*>(calloc(static_cast<size_t>(count), sizeof(pthread_t)));
  if (run->threads == nullptr) return false;
  for (; run->workers < count; ++run->workers)
    if (pthread_create(&run->threads[run->workers], nullptr, worker, run) != 0) return false;
  return true;
}

/// In large pages, where there may be: weights that are gone through once a run are found in a few entries of
/// the table of pages.
unsigned char* aligned(int64_t bytes) {
  constexpr size_t kLine = 64, kLargePage = 2 << 20;
  const size_t size = bytes > 0 ? static_cast<size_t>(bytes) : 1;
  const bool large = size >= kLargePage;
  void* out = nullptr;
  if (posix_memalign(&out, large ? kLargePage : kLine, size) != 0) return nullptr;
  if (large) madvise(out, size, MADV_HUGEPAGE);  // a wish: what comes of it changes no result
  return static_cast<unsigned char*>(out);
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
