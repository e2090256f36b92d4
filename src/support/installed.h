// Where files are that come with Isomer: workers, rules, what shared objects are linked with.
#pragma once

#include <optional>
#include <string>

namespace isomer {

struct InstalledFile {
  const char* variable;  ///< of the environment, names the file or folder; nothing else is looked at then
  const char*
      below_prefix;  ///< where it was installed, below the prefix that libisomer (or the program) is in
  /// Where it is in the tree that the program was built in, from its root on; absolute of what is built; "":
  /// nowhere.
  const char* in_tree;
};

/// Its path: what the environment names, whether it is there or not; else, of a program in the folder where
/// it was built, the one in the tree, of any other the one that was installed with it. None if it is not
/// there.
std::optional<std::string> find_installed(const InstalledFile& file);

}  // namespace isomer
