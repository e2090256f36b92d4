// Files that a user names: what stands there, whether two names are one file, and reading them. Nothing here
// waits: what is no regular file (a named pipe without a writer, a device) is refused before it is read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace isomer {

enum class FileKind : uint8_t { kNone, kRegular, kDirectory, kPipe, kSocket, kDevice };

/// Of what the path leads to, links followed. kNone: nothing is there, or nothing that may be looked at.
FileKind kind_of(const std::string& path);
/// "a directory", "a named pipe", ...
std::string_view name_of(FileKind kind);

/// Whether two paths lead to one file: by device and number of the file where both exist (links, hard ones
/// too), by the folder and the name where neither does.
bool same_file(const std::string& a, const std::string& b);

/// Where a path leads: a link at its end is followed, though nothing may stand where it leads to.
std::string followed(const std::string& path);

/// The folder that a path's last name stands in: "." for a bare name.
std::string folder_of(const std::string& path);

/// A file that is open; closed with its scope.
class OpenFile {
 public:
  explicit OpenFile(int descriptor) : descriptor_(descriptor) {}
  OpenFile(OpenFile&& other) noexcept;
  OpenFile& operator=(OpenFile&&) = delete;
  ~OpenFile();
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

/// A regular file, open for reading. Throws InputError: "cannot be opened: REASON", or what it is instead.
OpenFile open_for_reading(const std::string& path);

/// Makes a folder, and those above it. Throws InputError.
void make_folder(const std::string& path);

/// The bytes of a regular file. Throws InputError as open_for_reading does.
std::string read_file(const std::string& path);

}  // namespace isomer
