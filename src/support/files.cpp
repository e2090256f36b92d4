#include "support/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "support/errors.h"

namespace isomer {
namespace {

namespace fs = std::filesystem;

FileKind kind_of(mode_t mode) {
  if (S_ISREG(mode)) return FileKind::kRegular;
  if (S_ISDIR(mode)) return FileKind::kDirectory;
  if (S_ISFIFO(mode)) return FileKind::kPipe;
  if (S_ISSOCK(mode)) return FileKind::kSocket;
  return FileKind::kDevice;
}

InputError refused(const std::string& path, FileKind kind) {
  return {{path, 0, 0}, fmt::format("expected a regular file, found {}", name_of(kind))};
}

}  // namespace

FileKind kind_of(const std::string& path) {
  struct stat info{};
  return stat(path.c_str(), &info) == 0 ? kind_of(info.st_mode) : FileKind::kNone;
}

std::string_view name_of(FileKind kind) {
  switch (kind) {
    case FileKind::kNone: return "nothing";
    case FileKind::kRegular: return "a regular file";
    case FileKind::kDirectory: return "a directory";
    case FileKind::kPipe: return "a named pipe";
    case FileKind::kSocket: return "a socket";
    case FileKind::kDevice: return "a device";
  }
  return "nothing";
}

std::string followed(const std::string& path) {
  fs::path out = path;
  std::error_code error;
  constexpr int kMostLinks = 40;  // as the kernel
  for (int links = 0; links < kMostLinks && fs::is_symlink(fs::symlink_status(out, error)); ++links) {
    const fs::path target = fs::read_symlink(out, error);
    if (error) break;
    out = target.is_absolute() ? target : out.parent_path() / target;
  }
  return out.string();
}

std::string folder_of(const std::string& path) {
  const fs::path parent = fs::path(path).parent_path();
  return parent.empty() ? "." : parent.string();
}

bool same_file(const std::string& a, const std::string& b) {
  struct stat x{}, y{};
  const bool there = stat(a.c_str(), &x) == 0, also = stat(b.c_str(), &y) == 0;
  if (there != also) return false;
  if (there) return x.st_dev == y.st_dev && x.st_ino == y.st_ino;
  const auto place = [](const std::string& path) {
    const fs::path end = followed(path);
    std::error_code ignored;
    return fs::weakly_canonical(folder_of(end.string()), ignored) / end.filename();
  };
  return place(a) == place(b);
}

OpenFile::OpenFile(OpenFile&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

OpenFile::~OpenFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

OpenFile open_for_reading(const std::string& path) {
  // A socket cannot be opened at all, and a device may not be without doing something.
  const FileKind before = kind_of(path);
  if (before != FileKind::kNone && before != FileKind::kRegular) throw refused(path, before);
  OpenFile file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (file.descriptor() < 0)
    throw InputError({path, 0, 0}, fmt::format("cannot be opened: {}", std::strerror(errno)));
  struct stat info{};
  if (fstat(file.descriptor(), &info) != 0 || !S_ISREG(info.st_mode))
    throw refused(path, kind_of(info.st_mode));
  return file;
}

void make_folder(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) throw InputError({path, 0, 0}, fmt::format("this folder cannot be made: {}", error.message()));
}

std::string read_file(const std::string& path) {
  const OpenFile file = open_for_reading(path);
  std::string out;
  constexpr size_t kPiece = size_t{1} << 16;
  for (;;) {
    const size_t before = out.size();
    out.resize(before + kPiece);
    const ssize_t got = read(file.descriptor(), out.data() + before, kPiece);
    out.resize(before + static_cast<size_t>(std::max<ssize_t>(got, 0)));
    if (got == 0) return out;
    if (got < 0 && errno != EINTR)
      throw InputError({path, 0, 0}, fmt::format("cannot be read: {}", std::strerror(errno)));
  }
}

}  // namespace isomer
