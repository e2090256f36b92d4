// Files and folders that stand beside an output until it is whole. Whoever makes one holds a lock on it
// (flock), which ends with the process however that ends: what a killed run left can be told from what a
// living one uses, and the next run that writes to the folder removes it.
//
// Told apart conservatively: only what has our name for this boot of this machine (locks of other machines
// are not seen on every network file system), belongs to the same user, and is not locked. Where a file
// system knows no locks nothing is removed.
#pragma once

#include <mutex>
#include <string>
#include <string_view>

#include "support/files.h"

namespace isomer {

/// What was made, locked while this lives. It is not removed with it: its maker renames or removes it.
struct Temporary {
  Temporary(std::string made, OpenFile held);
  Temporary(Temporary&& other) noexcept;
  Temporary& operator=(Temporary&&) = delete;
  ~Temporary();

  std::string path;
  OpenFile file;  ///< holds the lock; open for reading and writing, a folder for reading
};

/// For a program that ends at once, without unwinding: removes all temporaries that are alive. From any
/// thread; what they hold is lost. The one list of its kind, since only the process knows that it ends.
void drop_temporaries() noexcept;
/// While it lives other threads neither drop temporaries nor make any.
class KeepTemporaries {
 public:
  KeepTemporaries();

 private:
  std::unique_lock<std::recursive_mutex> held_;
};

/// A fresh file or folder, named ".isomer-BOOT-XXXXXX", in `folder`, after what killed runs left there was
/// removed. Throws InputError, naming `output`, when that cannot be made.
Temporary make_temporary_file(const std::string& folder, const std::string& output);
Temporary make_temporary_folder(const std::string& folder, const std::string& output);

/// A folder that is removed with its scope, and all that is in it.
class TemporaryFolder {
 public:
  TemporaryFolder(const std::string& folder, const std::string& output)
      : made_(make_temporary_folder(folder, output)) {}
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return made_.path; }
  std::string in(std::string_view name) const { return made_.path + "/" + std::string(name); }

 private:
  Temporary made_;
};

/// Removes what killed runs left in this folder; returns how many things that were.
int remove_abandoned(const std::string& folder);

}  // namespace isomer
