#include "mugraph/mirage_json.h"

#include <gtest/gtest.h>

#include "error/bad_json.h"
#include "support/errors.h"

namespace isomer::mugraph {
namespace {

TEST(MirageJson, BadFilesSayWhatWasExpected) {
  tests::expect_refused("mugraph_json", 44,
                        [](const std::string& text) { parse_mirage_json(text, "bad.json"); });
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
