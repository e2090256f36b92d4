// Where the interpreter and the worker programs are.
#include <unistd.h>

#include <cstdlib>

#include "runtime/worker.h"
#include "support/errors.h"
#include "support/installed.h"

#ifndef ISOMER_DEFAULT_PYTHON
#define ISOMER_DEFAULT_PYTHON ""
#endif

namespace isomer::runtime {
namespace {

namespace fs = std::filesystem;

bool is_program(const fs::path& path) { return fs::is_regular_file(path) && access(path.c_str(), X_OK) == 0; }

std::string from_environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

}  // namespace

std::string find_python() {
  if (const std::string chosen = from_environment("ISOMER_PYTHON"); !chosen.empty()) {
    if (!is_program(chosen))
      throw MissingRuntimeError("ISOMER_PYTHON is " + chosen +
                                ", which is not a program; set it to a Python 3");
    return chosen;
  }
  if (const fs::path built_with = ISOMER_DEFAULT_PYTHON; is_program(built_with)) return built_with;
  const std::string search = from_environment("PATH");
  for (size_t begin = 0; begin <= search.size();) {
    const size_t end = std::min(search.find(':', begin), search.size());
    if (end > begin)
      if (const fs::path found = fs::path(search.substr(begin, end - begin)) / "python3"; is_program(found))
        return found;
    begin = end + 1;
  }
  throw MissingRuntimeError(
      "no Python was found to run the worker programs; install Python 3 and `pip install onnxruntime`, or "
      "set "
      "ISOMER_PYTHON to a Python that has it");
}

fs::path find_workers() {
  const auto found = find_installed({"ISOMER_WORKERS", "share/isomer/workers", "workers"});
  if (!found)
    throw MissingRuntimeError(
        "the worker programs were not found; set ISOMER_WORKERS to Isomer's folder `workers`");
  if (!fs::exists(fs::path(*found) / "protocol.py"))
    throw MissingRuntimeError("ISOMER_WORKERS is " + *found + ", which holds no worker programs");
  return *found;
}

}  // namespace isomer::runtime
