// What is said before the work about the files that a command is to write.
#pragma once

#include <span>
#include <string>

namespace isomer {

struct NamedFile {
  std::string option;  ///< that named it, for messages
  std::string path;    ///< empty: there is none
};

/// Throws UsageError when an output is a file that is read, or two outputs are one file, whatever their names
/// (links, hard ones too).
void require_apart(std::span<const NamedFile> outputs, std::span<const NamedFile> inputs);

/// As well InputError when one cannot be written (check_writable).
void check_outputs(std::span<const NamedFile> outputs, std::span<const NamedFile> inputs);

}  // namespace isomer
