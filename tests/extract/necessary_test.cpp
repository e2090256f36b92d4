// Which nodes every selection has.
#include "extract/necessary.h"

#include <gtest/gtest.h>

#include <vector>

namespace isomer::extract {
namespace {

/// Classes with their nodes' children, the first class is the root.
std::vector<bool> in_all(const std::vector<std::vector<std::vector<uint32_t>>>& classes) {
  ProblemBuilder builder;
  for (size_t i = 0; i < classes.size(); ++i) builder.add_class();
  for (uint32_t c = 0; c < classes.size(); ++c)
    for (const std::vector<uint32_t>& node : classes[c]) {
      std::vector<ClassId> children;
      for (const uint32_t child : node) children.emplace_back(child);
      builder.add_node(ClassId(c), 1, children);
    }
  builder.add_root(ClassId(0));
  return in_every_selection(builder.build());
}

TEST(InEverySelection, AreTheOnlyNodesOfClassesThatAllNeed) {
  // 0 needs 1; 1 is made of 2 and 3, or of 2 and 4; 2 is made of 5; 3, 4 and 5 are leaves.
  EXPECT_EQ(in_all({{{1}}, {{2, 3}, {2, 4}}, {{5}}, {{}}, {{}}, {{}}}),
            (std::vector<bool>{true, false, false, true, false, false, true}));
}

TEST(InEverySelection, AreNoneOfAClassThatHasAChoice) {
  EXPECT_EQ(in_all({{{1}, {1}}, {{}, {}}}), (std::vector<bool>{false, false, false, false}));
}

TEST(InEverySelection, AreNotThoseThatOneWayRoundACycleAvoids) {
  // 0 is made of 1 or of 2; 1 of 2, 2 of 1 or of nothing: through either, 2's leaf or 1 is met.
  const std::vector<bool> all = in_all({{{1}, {2}}, {{2}}, {{1}, {}}});
  EXPECT_EQ(all, (std::vector<bool>{false, false, false, false, false}));
}

}  // namespace
}  // namespace isomer::extract
