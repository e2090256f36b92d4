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
  /// Flushes to disk and gives the file its name.
  void commit(const std::string& path);

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::string temporary_;
  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace isomer::formats
