#include "support/nearest_names.h"

#include <gtest/gtest.h>

#include <ctime>
#include <string>
#include <string_view>
#include <vector>

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

TEST(NearestNames, OfWhatHoldsTheOtherTheDistanceIsWhatItHasMore) {
  for (const char* longer : {"sequence_length", "past_sequence", "sequences", "aasequencebb"})
    EXPECT_EQ(edit_distance("sequence", longer), std::string_view(longer).size() - 8) << longer;
  EXPECT_EQ(nearest_names("length", Names{"past_sequence_length", "sequence_length", "lengths"}, 2),
            (Names{"lengths", "sequence_length"}));
}

// A word of a file may be as long as the file. By a table of distances each of these names takes 20 million
// steps.
TEST(NearestNames, NothingIsNearAWordOfAMegabyte) {
  Names known;
  for (int i = 0; i < 300; ++i) known.push_back("the_name_of_a_pass_" + std::to_string(i));
  const std::clock_t begin = std::clock();
  EXPECT_EQ(nearest_names(std::string(1'000'000, 'a'), known), Names());
  EXPECT_LT(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC, 3);
}

}  // namespace
}  // namespace isomer
