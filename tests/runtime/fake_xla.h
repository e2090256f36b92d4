// A folder with the protocol and a worker in XLA's place (tests/data/runtime/fake_xla_worker.py), set as
// ISOMER_WORKERS.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <string>

namespace isomer::runtime {

class FakeXla : public testing::Test {
 protected:
  void SetUp() override {
    namespace fs = std::filesystem;
    std::string pattern = (fs::temp_directory_path() / "isomer-test-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    const fs::path source = ISOMER_SOURCE_DIR;
    fs::copy(source / "workers/protocol.py", folder_);
    fs::copy(source / "workers/element_types.py", folder_);
    fs::copy(source / "tests/data/runtime/fake_xla_worker.py", folder_ / "xla_worker.py");
    setenv("ISOMER_WORKERS", folder_.c_str(), 1);
  }
  void TearDown() override {
    unsetenv("ISOMER_WORKERS");
    unsetenv("FAKE_XLA_MISSING");
    unsetenv("FAKE_XLA_CALM");
    std::filesystem::remove_all(folder_);
  }
  std::filesystem::path folder_;
};

}  // namespace isomer::runtime
