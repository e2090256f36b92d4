// Each file of tests/error/onnx is refused as bad input, with the words that stand beside it.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "formats/onnx.h"
#include "ir/op_table.h"
#include "support/errors.h"

namespace isomer::formats {
namespace {

TEST(OnnxErrors, EveryBadFileIsRefusedInWords) {
  const std::filesystem::path folder = std::filesystem::path(ISOMER_SOURCE_DIR) / "tests/error/onnx";
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".onnx") continue;
    ++files;
    std::filesystem::path beside = entry.path();
    std::ifstream expected(beside.replace_extension(".expected"));
    ASSERT_TRUE(expected) << entry.path();
    ir::Context ctx(ir::standard_ops());
    try {
      read_onnx(ctx, entry.path().string());
      ADD_FAILURE() << entry.path() << " was accepted";
    } catch (const InputError& error) {
      EXPECT_EQ(error.status(), ExitStatus::kBadInput);
      const std::string message = error.what();
      EXPECT_NE(message.find(entry.path().filename().string()), std::string::npos) << message;
      for (std::string words; std::getline(expected, words);)
        EXPECT_NE(message.find(words), std::string::npos)
            << entry.path() << ": expected '" << words << "' in: " << message;
    }
  }
  EXPECT_GE(files, 25);
}

TEST(OnnxErrors, AFileThatIsNotThereIsBadInput) {
  ir::Context ctx(ir::standard_ops());
  EXPECT_THROW(read_onnx(ctx, "no/such/file.onnx"), InputError);
}

}  // namespace
}  // namespace isomer::formats
