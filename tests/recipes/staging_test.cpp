#include "recipes/staging.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <fstream>
#include <iterator>

#include "recipes/load.h"
#include "support/errors.h"
#include "support/temporaries.h"

namespace isomer::recipes {
namespace {
namespace fs = std::filesystem;

struct Folder {
  fs::path path = fs::temp_directory_path() / ("isomer-staging-" + std::to_string(::getpid()));
  Folder() { fs::create_directories(path); }
  ~Folder() { fs::remove_all(path); }
  size_t entries() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(path), fs::directory_iterator()));
  }
};

TEST(Staging, LeavesNothingBehindWhenNotPublished) {
  Folder folder;
  {
    Staging staging((folder.path / "out.onnx").string());
    std::ofstream(staging.model()) << "half";
    EXPECT_EQ(folder.entries(), 1u);
  }
  EXPECT_EQ(folder.entries(), 0u);
}

TEST(Staging, PublishesModelAndDataTogether) {
  Folder folder;
  {
    Staging staging((folder.path / "out.onnx").string());
    std::ofstream(staging.model()) << "model";
    std::ofstream(fs::path(staging.model()).parent_path() / "out.abc.data") << "weights";
    staging.publish();
  }
  EXPECT_TRUE(fs::exists(folder.path / "out.onnx"));
  EXPECT_TRUE(fs::exists(folder.path / "out.abc.data"));
  EXPECT_EQ(folder.entries(), 2u);
}

TEST(Staging, WeightsThatAreReadAreNotReplaced) {
  Folder folder;
  const std::vector<std::string> read = {(folder.path / "out.abc.data").string()};
  std::ofstream(read[0]) << "weights";
  for (const bool same : {true, false}) {
    Staging staging((folder.path / "out.onnx").string());
    std::ofstream(staging.model()) << "model";
    std::ofstream(fs::path(staging.model()).parent_path() / "out.abc.data") << (same ? "weights" : "others");
    if (same)
      EXPECT_NO_THROW(staging.publish(read));
    else
      EXPECT_THROW(staging.publish(read), InputError);
    EXPECT_EQ(fs::file_size(read[0]), 7u);
  }
}

TEST(Staging, FollowsALinkWithinItsFolderOnly) {
  Folder folder;
  fs::create_directory(folder.path / "other");
  fs::create_symlink("real.onnx", folder.path / "link.onnx");
  fs::create_symlink("other/real.onnx", folder.path / "away.onnx");
  Staging staging((folder.path / "link.onnx").string());
  std::ofstream(staging.model()) << "model";
  staging.publish();
  EXPECT_TRUE(fs::is_symlink(folder.path / "link.onnx"));
  EXPECT_TRUE(fs::is_regular_file(folder.path / "real.onnx"));
  EXPECT_THROW(Staging((folder.path / "away.onnx").string()), InputError);
}

TEST(Staging, AllCanBeDroppedAtOnce) {
  Folder folder;
  Staging one((folder.path / "a.onnx").string()), two((folder.path / "b.onnx").string());
  std::ofstream(one.model()) << "half";
  EXPECT_EQ(folder.entries(), 2u);
  drop_temporaries();
  EXPECT_EQ(folder.entries(), 0u);
}

TEST(Staging, SaysWhenThePlaceCannotBeWrittenTo) {
  try {
    Staging staging("/nowhere/at/all/out.onnx");
    FAIL() << "expected an error";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "/nowhere/at/all/out.onnx: cannot be written: No such file or directory");
  }
}

TEST(Dims, AreReadAndRefused) {
  EXPECT_EQ(parse_dims({"batch=1", "n=2"}), (std::map<std::string, int64_t>{{"batch", 1}, {"n", 2}}));
  for (const char* bad : {"batch", "=3", "batch=", "batch=x", "batch=0", "batch=-1", "batch=1x"})
    EXPECT_THROW(parse_dims({bad}), UsageError) << bad;
}

}  // namespace
}  // namespace isomer::recipes
