#include "mugraph/mirage_json.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "support/errors.h"

namespace isomer::mugraph {
namespace {

namespace fs = std::filesystem;

std::string slurp(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST(MirageJson, BadFilesSayWhatWasExpected) {
  int files = 0;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(ISOMER_SOURCE_DIR "/tests/error/mugraph_json")) {
    if (entry.path().extension() != ".json") continue;
    ++files;
    SCOPED_TRACE(entry.path().filename().string());
    std::string expected = slurp(fs::path(entry.path()).replace_extension(".expected"));
    while (!expected.empty() && expected.back() == '\n') expected.pop_back();
    ASSERT_FALSE(expected.empty());
    try {
      parse_mirage_json(slurp(entry.path()), "bad.json");
      ADD_FAILURE() << "was read";
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(expected), std::string::npos) << error.what();
    }
  }
  EXPECT_GE(files, 20);
}

TEST(MirageJson, ReadsWhatTheSchemaSays) {
  const auto graphs = read_mirage_json(ISOMER_SOURCE_DIR "/tests/data/mugraphs/rmsnorm_bs1.json");
  ASSERT_EQ(graphs.size(), 2);
  const MuGraph& g = graphs[0];
  EXPECT_EQ(g.inputs, 2);
  ASSERT_EQ(g.nodes.size(), 1);
  const BlockGraph& b = *g.nodes[0].block;
  EXPECT_EQ(b.inputs[1].imap, (std::array<int, 3>{1, -1, -1}));
  EXPECT_EQ(b.inputs[0].fmap, (std::vector<int>{1}));
  EXPECT_EQ(g.values[g.outputs[0]], (Sizes{2, 6144}));
  EXPECT_NE(print(g).find("accumulate_rms"), std::string::npos);
}

}  // namespace
}  // namespace isomer::mugraph
