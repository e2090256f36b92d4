// Pictures of e-graphs: boxes that do not touch, users above what they read, columns where there are many
// layers.
#include "report/egraph_layout.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/search_json.h"
#include "support/rng.h"

namespace isomer::report {
namespace {

EGraphPicture chain(uint32_t classes, uint32_t nodes_of_each) {
  EGraphPicture out;
  out.classes = classes;
  for (uint32_t c = 0; c < classes; ++c)
    for (uint32_t i = 0; i < nodes_of_each; ++i) {
      EGraphPicture::Node node;
      node.of_class = c;
      node.op = "relu";
      node.picked = i == 0;
      if (c + 1 < classes) node.children = {c + 1};
      out.nodes.push_back(node);
    }
  return out;
}

void expect_apart(const std::vector<ClassBox>& boxes) {
  for (size_t i = 0; i < boxes.size(); ++i)
    for (size_t j = 0; j < i; ++j) {
      const ClassBox &a = boxes[i], &b = boxes[j];
      EXPECT_TRUE(a.x + a.columns < b.x || b.x + b.columns < a.x || a.y + a.rows < b.y || b.y + b.rows < a.y)
          << i << " and " << j;
    }
}

TEST(EGraphLayout, UsersStandAboveWhatTheyRead) {
  const std::vector<ClassBox> boxes = layout(chain(3, 1));
  ASSERT_EQ(boxes.size(), 3u);
  EXPECT_LT(boxes[0].y, boxes[1].y);
  EXPECT_LT(boxes[1].y, boxes[2].y);
  EXPECT_TRUE(layout({}).empty());
}

TEST(EGraphLayout, ManyLayersGoIntoColumns) {
  const std::vector<ClassBox> boxes = layout(chain(200, 3));
  double width = 0, height = 0;
  for (const ClassBox& b : boxes) {
    EXPECT_GE(b.columns * b.rows, 3u);
    width = std::max(width, b.x + b.columns);
    height = std::max(height, b.y + b.rows);
  }
  EXPECT_GT(width, height / 2);
  EXPECT_LT(width, height * 8);
  expect_apart(boxes);
}

// With cycles, with classes that nothing reads, and with large ones.
TEST(EGraphLayout, BoxesOfAnyEGraphAreApart) {
  Rng rng(3);
  for (int trial = 0; trial < 20; ++trial) {
    EGraphPicture picture;
    picture.classes = 1 + static_cast<uint32_t>(rng.below(120));
    for (uint32_t c = 0; c < picture.classes; ++c)
      for (uint64_t n = rng.below(12); n > 0; --n) {
        EGraphPicture::Node node;
        node.of_class = c;
        node.op = "add";
        for (uint64_t k = rng.below(3); k > 0; --k)
          node.children.push_back(static_cast<uint32_t>(rng.below(picture.classes)));
        picture.nodes.push_back(node);
      }
    const std::vector<ClassBox> boxes = layout(picture);
    ASSERT_EQ(boxes.size(), picture.classes);
    expect_apart(boxes);
  }
}

TEST(EGraphLayout, JsonHoldsTheWholePicture) {
  SearchRecord record;
  record.steps.push_back({"fuse", 1.5, 7, 3, 0.25});
  record.first = chain(1, 1);
  record.last = chain(2, 2);
  record.last.nodes[1].op = "</script>";
  record.last.left_out = 4;
  const nlohmann::json j = nlohmann::json::parse(to_json(record));
  EXPECT_EQ(j["steps"][0]["rule"], "fuse");
  EXPECT_EQ(j["last"]["left_out"], 4);
  EXPECT_EQ(j["last"]["boxes"].size(), 2u);
  const auto& node = j["last"]["nodes"][1];  // class, operator, picked, children
  EXPECT_EQ(node[0], 0);
  EXPECT_EQ(j["last"]["operators"][node[1].get<size_t>()], "</script>");
  EXPECT_EQ(node[2], 0);
  EXPECT_EQ(node[3], 1);
}

}  // namespace
}  // namespace isomer::report
