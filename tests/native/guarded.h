// Memory between two pages that nobody may touch: sanitizers do not see what machine code of this process
// reads and writes, the processor does. A step over the edge ends the test.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <new>
#include <span>

namespace isomer::native {

/// Which of its edges lies at a guard: the other one has up to a page of slack.
enum class Edge { kBegin, kEnd };

class Guarded {
 public:
  Guarded(size_t bytes, Edge edge) : bytes_(bytes) {
    const auto page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
    const size_t room = (bytes + page - 1) / page * page;
    all_ = room + 2 * page;
    base_ = ::mmap(nullptr, all_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base_ == MAP_FAILED) throw std::bad_alloc();
    std::byte* inner = static_cast<std::byte*>(base_) + page;
    if (room > 0 && ::mprotect(inner, room, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
    data_ = edge == Edge::kBegin ? inner : inner + (room - bytes);
  }
  Guarded(std::span<const std::byte> from, Edge edge) : Guarded(from.size(), edge) {
    if (!from.empty()) std::memcpy(data_, from.data(), from.size());
  }
  Guarded(Guarded&& other) noexcept
      : base_(other.base_), all_(other.all_), data_(other.data_), bytes_(other.bytes_) {
    other.base_ = MAP_FAILED;
  }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;
  Guarded& operator=(Guarded&&) = delete;
  ~Guarded() {
    if (base_ != MAP_FAILED) ::munmap(base_, all_);
  }

  std::byte* data() { return data_; }
  std::span<const std::byte> bytes() const { return {data_, bytes_}; }

 private:
  void* base_ = MAP_FAILED;
  size_t all_ = 0;
  std::byte* data_ = nullptr;
  size_t bytes_ = 0;
};

}  // namespace isomer::native
