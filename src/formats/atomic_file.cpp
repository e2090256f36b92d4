#include "formats/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "support/errors.h"

namespace isomer::formats {

AtomicFile::AtomicFile(const std::string& path) : temporary_(path + ".XXXXXX") {
  const int fd = mkostemp(temporary_.data(), O_CLOEXEC);
  if (fd < 0) throw InputError({path, 0, 0}, std::string("cannot be written: ") + std::strerror(errno));
  const mode_t mask = umask(0);
  umask(mask);
  fchmod(fd, 0666 & ~mask);
  file_.reset(fdopen(fd, "wb"));
}

AtomicFile::~AtomicFile() {
  if (!file_) return;
  file_.reset();
  std::error_code ignored;
  std::filesystem::remove(temporary_, ignored);
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  if (!bytes.empty() && std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size())
    throw InputError({temporary_, 0, 0}, std::string("cannot be written: ") + std::strerror(errno));
}

void AtomicFile::commit(const std::string& path, bool durable) {
  const bool written = std::fflush(file_.get()) == 0 && (!durable || fsync(fileno(file_.get())) == 0);
  if (!written || std::rename(temporary_.c_str(), path.c_str()) != 0)
    throw InputError({path, 0, 0}, std::string("cannot be written: ") + std::strerror(errno));
  file_.reset();
}

void sync_file(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const bool synced = fd >= 0 && fsync(fd) == 0;
  const int error = errno;
  if (fd >= 0) close(fd);
  if (!synced) throw InputError({path, 0, 0}, std::string("cannot be written: ") + std::strerror(error));
}

}  // namespace isomer::formats
