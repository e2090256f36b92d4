// A file that appears whole or not at all: written under a temporary name in the same folder, then renamed.
//
// Only a regular file is ever replaced. A link is followed: the file that it leads to is replaced, the link
// stays. The streams of the process itself (/dev/stdout, /dev/fd/3) are written to, as they come.
#pragma once

#include <cstddef>
#include <cstdio>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace isomer {

struct Temporary;

class AtomicFile {
 public:
  /// Opens a temporary file beside `path`. Throws InputError when the folder cannot be written to, or when
  /// what stands at `path` is no regular file.
  explicit AtomicFile(const std::string& path);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  /// Removes the temporary file unless it was committed.
  ~AtomicFile();

  /// Throw InputError when the disk is full.
  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text.data(), text.size()))); }
  /// Flushes to disk and gives the file its name. Not durable: a power cut may lose it; for files that are
  /// synced later, if they are kept at all (sync_file). Throws InputError.
  void commit(const std::string& path, bool durable = true);

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::string path_;
  std::unique_ptr<Temporary> temporary_;  ///< none: what is written goes to a stream at once
  std::unique_ptr<std::FILE, Close> file_;
};

/// Writes `text` as a whole.
void write_file(const std::string& path, std::string_view text);

/// Waits until a file's contents are on disk. Throws InputError when that fails.
void sync_file(const std::string& path);

/// The number of the process's own stream that a path names, if it names one.
std::optional<int> own_stream(std::string_view path);

/// Throws InputError where something else than a regular file stands.
void require_replaceable(const std::string& path);
/// As well where the folder is not there or cannot be written to. For saying so before the work.
void check_writable(const std::string& path);

}  // namespace isomer
