#include "support/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>

#include "support/errors.h"
#include "support/files.h"
#include "support/lexer.h"
#include "support/temporaries.h"

namespace isomer {
namespace {

InputError cannot_be_written(const std::string& path) {
  return {{path, 0, 0}, fmt::format("cannot be written: {}", std::strerror(errno))};
}

}  // namespace

std::optional<int> own_stream(std::string_view path) {
  if (path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    int64_t number = 0;
    if (path.starts_with(folder) && parse_integer(path.substr(folder.size()), number) && number >= 0)
      return static_cast<int>(number);
  }
  return std::nullopt;
}

AtomicFile::AtomicFile(const std::string& path) : path_(path) {
  if (const std::optional<int> stream = own_stream(path)) {
    std::fflush(stdout);  // what was printed before comes before
    const int copy = fcntl(*stream, F_DUPFD_CLOEXEC, 0);
    if (copy >= 0) file_.reset(fdopen(copy, "wb"));
    if (!file_) throw cannot_be_written(path);
    return;
  }
  require_replaceable(path);
  temporary_ = std::make_unique<Temporary>(make_temporary_file(folder_of(followed(path)), path));
  const int copy = fcntl(temporary_->file.descriptor(), F_DUPFD_CLOEXEC, 0);
  if (copy >= 0) file_.reset(fdopen(copy, "wb"));
  if (!file_) throw cannot_be_written(path);
}

AtomicFile::~AtomicFile() {
  if (!file_) return;
  file_.reset();
  std::error_code ignored;
  if (temporary_) std::filesystem::remove(temporary_->path, ignored);
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  if (!bytes.empty() && std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size())
    throw cannot_be_written(path_);
}

void AtomicFile::commit(const std::string& path, bool durable) {
  if (std::fflush(file_.get()) != 0) throw cannot_be_written(path);
  if (temporary_) {
    require_replaceable(path);
    if (durable && fsync(fileno(file_.get())) != 0) throw cannot_be_written(path);
    if (std::rename(temporary_->path.c_str(), followed(path).c_str()) != 0) throw cannot_be_written(path);
  }
  file_.reset();
}

void write_file(const std::string& path, std::string_view text) {
  AtomicFile file(path);
  file.write(text);
  file.commit(path);
}

void sync_file(const std::string& path) {
  const OpenFile file = open_for_reading(path);
  if (fsync(file.descriptor()) != 0) throw cannot_be_written(path);
}

void require_replaceable(const std::string& path) {
  const FileKind kind = kind_of(path);
  if (kind != FileKind::kNone && kind != FileKind::kRegular)
    throw InputError({path, 0, 0}, fmt::format("cannot be written: expected a regular file or none, found {}",
                                               name_of(kind)));
}

void check_writable(const std::string& path) { const AtomicFile tried(path); }

}  // namespace isomer
