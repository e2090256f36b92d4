// An archive is what numpy reads: names, types and shapes as the worker lists them
// (tests/golden/verify/witness.test has the elements).
#include "runtime/npz.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "ir/constant_data.h"
#include "ir/shorthand.h"
#include "support/atomic_file.h"
#include "support/errors.h"
#include "support/temporaries.h"

namespace isomer::runtime {
namespace {

NamedTensor tensor(const std::string& name, ir::DType dtype, std::vector<int64_t> shape) {
  NamedTensor out{name, dtype, std::move(shape), {}, {}};
  out.bytes.resize(static_cast<size_t>(ir::byte_size(dtype, ir::element_count(out.shape))));
  return out;
}

TEST(Npz, IsWhatNumpyReads) {
  const std::vector<NamedTensor> tensors = {
      tensor("x", ir::DType::kF32, {2, 3}),           tensor("a/y", ir::DType::kI64, {}),
      tensor("of nothing", ir::DType::kBool, {0, 4}), tensor("brain", ir::DType::kBF16, {5}),
      tensor("nibbles", ir::DType::kI4, {3}),         {"text", ir::DType::kString, {1}, {}, {"left out"}}};
  const TemporaryFolder folder(std::filesystem::temp_directory_path().string(), "an archive");
  const std::string file = folder.in("written.npz");
  write_file(file, npz_of(tensors));
  std::vector<Argument> read;
  try {
    const auto listed = OnnxRuntime().archived(file);
    ASSERT_TRUE(listed) << listed.failure().message;
    read = *listed;
  } catch (const MissingRuntimeError& missing) {
    GTEST_SKIP() << missing.what();
  }
  ASSERT_EQ(read.size(), 5U);
  const std::pair<const char*, const char*> expected[] = {
      {"x", "f32"}, {"a/y", "i64"}, {"of nothing", "bool"}, {"brain", "f32"}, {"nibbles", "i8"}};
  for (size_t i = 0; i < read.size(); ++i) {
    EXPECT_EQ(read[i].name, expected[i].first);
    EXPECT_EQ(read[i].dtype, expected[i].second);
    ASSERT_EQ(read[i].shape.size(), tensors[i].shape.size());
    for (size_t d = 0; d < read[i].shape.size(); ++d)
      EXPECT_EQ(std::get<int64_t>(read[i].shape[d]), tensors[i].shape[d]);
  }
}

}  // namespace
}  // namespace isomer::runtime
