// A folder of inputs that a parser must refuse: each NAME.json stands beside NAME.expected, whose text must
// be in the message.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "support/errors.h"

namespace isomer::tests {

/// `parse(text)` throws InputError for every file of tests/error/FOLDER, of which there are `least` or more.
template <class Parse>
void expect_refused(const std::string& folder, int least, Parse parse) {
  const auto text_of = [](const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(ISOMER_SOURCE_DIR "/tests/error/" + folder)) {
    if (entry.path().extension() != ".json") continue;
    ++files;
    SCOPED_TRACE(entry.path().filename().string());
    std::string expected = text_of(std::filesystem::path(entry.path()).replace_extension(".expected"));
    while (!expected.empty() && expected.back() == '\n') expected.pop_back();
    ASSERT_FALSE(expected.empty());
    try {
      parse(text_of(entry.path()));
      ADD_FAILURE() << "was read";
    } catch (const InputError& error) {
      EXPECT_EQ(error.status(), ExitStatus::kBadInput);
      EXPECT_NE(std::string(error.what()).find(expected), std::string::npos) << error.what();
    }
  }
  EXPECT_GE(files, least);
}

}  // namespace isomer::tests
