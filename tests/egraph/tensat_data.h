// Readers of the TENSAT data files that the engine tests share.
#pragma once

#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

namespace isomer::egraph {

inline std::string read_test_file(const std::string& below_tests_data) {
  std::ifstream in(std::string(ISOMER_SOURCE_DIR "/tests/data/") + below_tests_data);
  EXPECT_TRUE(in.good()) << below_tests_data;
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace isomer::egraph
