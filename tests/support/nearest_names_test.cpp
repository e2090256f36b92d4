#include "support/nearest_names.h"

#include <gtest/gtest.h>

namespace isomer {
namespace {

using Names = std::vector<std::string>;

TEST(NearestNames, DistancesAreThoseOfTheDefinition) {
  EXPECT_EQ(edit_distance("batch", "batch"), 0u);
  EXPECT_EQ(edit_distance("Batch", "batch"), 0u);
  EXPECT_EQ(edit_distance("bacth", "batch"), 1u);  // neighbours swapped
  EXPECT_EQ(edit_distance("bath", "batch"), 1u);
  EXPECT_EQ(edit_distance("", "seq"), 3u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
}

TEST(NearestNames, NearOnesInOrderAndNoOthers) {
  const Names known = {"batch", "sequence_length", "past_sequence_length", "patch"};
  EXPECT_EQ(nearest_names("bacth", known), (Names{"batch"}));
  EXPECT_EQ(nearest_names("batc", known), (Names{"batch"}));
  EXPECT_EQ(nearest_names("sequence", known), (Names{"sequence_length", "past_sequence_length"}));
  EXPECT_EQ(nearest_names("zzz", known), Names());
  EXPECT_EQ(nearest_names("watch", known), (Names{"batch", "patch"}));
}

}  // namespace
}  // namespace isomer
