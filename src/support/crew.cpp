#include "support/crew.h"

#include <system_error>

#include "support/errors.h"
#include "support/limits.h"

namespace isomer {
namespace {

/// Until `done`, or for as long as sleeping and being woken takes.
template <class Done>
bool spin(Done&& done) {
  constexpr double kAsLong = 100e-6;
  constexpr int kLooks = 64;
  const double begin = wall_seconds();
  do {
    for (int i = 0; i < kLooks; ++i)
      if (done()) return true;
    std::this_thread::yield();
  } while (wall_seconds() - begin < kAsLong);
  return false;
}

}  // namespace

Crew::Crew(unsigned threads, double worth_waking) : worth_waking_(worth_waking) {
  try {
    for (unsigned t = 1; t < threads; ++t) others_.emplace_back([this, t] { stay(t); });
  } catch (const std::system_error&) {  // the system gives no more: those that there are do it
  }
}

Crew::~Crew() {
  ending_ = true;
  ++signal_;
  signal_.notify_all();
}

size_t Crew::take_items(size_t thread) {
  const bool helps = thread != 0;
  size_t taken = 0;
  for (;;) {
    Ticket t{ticket_.load()};
    if (t.next() >= t.items()) return taken;
    if (!ticket_.compare_exchange_weak(t.word, t.word + 1)) continue;
    const size_t item = t.next();
    ++taken;
    const double begin = helps ? thread_cpu_seconds() : 0;
    try {
      (*work_)(thread, item);
    } catch (...) {
      errors_[item] = std::current_exception();
    }
    if (helps) cpu_nanoseconds_ += static_cast<uint64_t>((thread_cpu_seconds() - begin) * 1e9);
    if (--open_ == 0) open_.notify_one();
  }
}

void Crew::stay(size_t thread) {
  for (uint32_t seen = 0;;) {
    if (!spin([&] { return signal_ != seen; })) signal_.wait(seen);
    seen = signal_;
    if (ending_) return;
    take_items(thread);
  }
}

void Crew::run(size_t items, const std::function<void(size_t)>& work) {
  run(items, [&](size_t, size_t item) { work(item); });
}

void Crew::run(size_t items, const std::function<void(size_t, size_t)>& work) {
  REQUIRE(items < Ticket::kMask, "fewer items");
  if (items == 0) return;
  work_ = &work;
  errors_.assign(items, nullptr);
  open_ = static_cast<uint32_t>(items);
  const uint64_t round = (ticket_ >> (2 * Ticket::kBits)) + 1;
  ticket_ = round << (2 * Ticket::kBits) | items << Ticket::kBits;
  if (!others_.empty() && items > 1 && per_item_ >= worth_waking_) {
    ++signal_;
    signal_.notify_all();
  }
  const double begin = thread_cpu_seconds();
  const size_t mine = take_items(0);
  if (mine > 0) per_item_ += ((thread_cpu_seconds() - begin) / static_cast<double>(mine) - per_item_) / 4;
  if (!spin([&] { return open_ == 0; }))
    for (uint32_t open = open_; open > 0; open = open_) open_.wait(open);
  for (const std::exception_ptr& e : errors_)
    if (e) std::rethrow_exception(e);
}

}  // namespace isomer
