#include "support/crew.h"

#include "support/limits.h"

namespace isomer {

Crew::Crew(unsigned threads) {
  for (unsigned t = 1; t < threads; ++t) others_.emplace_back([this] { stay(); });
}

Crew::~Crew() {
  ending_ = true;
  ++round_;
  round_.notify_all();
}

void Crew::take_items() {
  for (size_t i = next_++; i < items_; i = next_++) {
    try {
      (*work_)(i);
    } catch (...) {
      errors_[i] = std::current_exception();
    }
  }
}

void Crew::stay() {
  for (uint32_t seen = 0;;) {
    round_.wait(seen);
    ++seen;  // a round begins only when all have ended the one before
    if (ending_) return;
    const double begin = thread_cpu_seconds();
    take_items();
    cpu_nanoseconds_ += static_cast<uint64_t>((thread_cpu_seconds() - begin) * 1e9);
    if (--busy_ == 0) busy_.notify_one();
  }
}

void Crew::run(size_t items, const std::function<void(size_t)>& work) {
  work_ = &work;
  items_ = items;
  errors_.assign(items, nullptr);
  next_ = 0;
  if (!others_.empty() && items > 1) {
    busy_ = static_cast<uint32_t>(others_.size());
    ++round_;
    round_.notify_all();
    take_items();
    for (uint32_t still = busy_; still > 0; still = busy_) busy_.wait(still);
  } else {
    take_items();
  }
  for (const std::exception_ptr& e : errors_)
    if (e) std::rethrow_exception(e);
}

}  // namespace isomer
