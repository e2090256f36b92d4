// A file that appears whole or not at all: written under a temporary name in the same folder, then renamed.
#pragma once

#include <cstddef>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace isomer::formats {

class AtomicFile {
 public:
  /// Opens a temporary file beside `path`. Throws InputError when the folder cannot be written to.
  explicit AtomicFile(const std::string& path);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  /// Removes the temporary file unless it was committed.
  ~AtomicFile();

  /// Throw InputError when the disk is full.
  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text.data(), text.size()))); }
  /// Flushes to disk and gives the file its name. Not durable: a power cut may lose it; for files that are
  /// synced later, if they are kept at all (sync_file).
  void commit(const std::string& path, bool durable = true);

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::string temporary_;
  std::unique_ptr<std::FILE, Close> file_;
};

/// Waits until a file's contents are on disk. Throws InputError when that fails.
void sync_file(const std::string& path);

}  // namespace isomer::formats
