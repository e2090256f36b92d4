// A folder of workers in which the runtime is a stand-in (tests/data/recipes/stand_in_worker.py).
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <string>

namespace isomer::runtime {

class StandInWorkers {
 public:
  StandInWorkers() {
    namespace fs = std::filesystem;
    std::string pattern = (fs::temp_directory_path() / "isomer-stand-in-XXXXXX").string();
    EXPECT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    const fs::path source = ISOMER_SOURCE_DIR;
    fs::copy(source / "workers/protocol.py", folder_);
    fs::copy(source / "workers/element_types.py", folder_);
    for (const char* runtime : {"onnxruntime_worker.py", "openvino_worker.py"})
      fs::copy(source / "tests/data/recipes/stand_in_worker.py", folder_ / runtime);
    setenv("ISOMER_WORKERS", folder_.c_str(), 1);
  }
  StandInWorkers(const StandInWorkers&) = delete;
  StandInWorkers& operator=(const StandInWorkers&) = delete;
  ~StandInWorkers() {
    unsetenv("ISOMER_WORKERS");
    unsetenv("STAND_IN");
    std::filesystem::remove_all(folder_);
  }

  /// JSON: what those that are started from now on do.
  static void tell(const std::string& told) { setenv("STAND_IN", told.c_str(), 1); }
  /// For whatever a test writes.
  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
};

}  // namespace isomer::runtime
