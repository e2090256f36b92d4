#include "ir/constant.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "support/errors.h"
#include "support/files.h"

namespace isomer::ir {
namespace {

class Buffer final : public Storage {
 public:
  explicit Buffer(std::vector<std::byte> bytes) : bytes_(std::move(bytes)) {}
  std::span<const std::byte> bytes() const override { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

class MappedFile final : public Storage {
 public:
  MappedFile(void* data, size_t size) : data_(data), size_(size) {}
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile() override {
    if (size_ > 0) munmap(data_, size_);
  }
  std::span<const std::byte> bytes() const override { return {static_cast<const std::byte*>(data_), size_}; }
  void release(size_t offset, size_t length) const override {
    // Whole pages inside the range: the ones at its ends may belong to neighbours that are being read.
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    const size_t begin = (offset + page - 1) / page * page, end = (offset + length) / page * page;
    if (begin < end) madvise(static_cast<std::byte*>(data_) + begin, end - begin, MADV_DONTNEED);
  }

 private:
  void* data_;
  size_t size_;
};

}  // namespace

void Storage::release(size_t, size_t) const {}

std::shared_ptr<const Storage> make_buffer(std::vector<std::byte> bytes) {
  return std::make_shared<Buffer>(std::move(bytes));
}

std::shared_ptr<const Storage> map_file(const std::string& path) {
  const OpenFile file = open_for_reading(path);
  struct stat info{};
  if (fstat(file.descriptor(), &info) != 0)
    throw InputError({path, 0, 0}, std::string("cannot be opened: ") + std::strerror(errno));
  const auto size = static_cast<size_t>(info.st_size);
  void* data = size == 0 ? nullptr : mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.descriptor(), 0);
  if (data == MAP_FAILED)
    throw InputError({path, 0, 0}, std::string("cannot be mapped: ") + std::strerror(errno));
  return std::make_shared<MappedFile>(data, size);
}

}  // namespace isomer::ir
