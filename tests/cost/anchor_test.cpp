// The start costs of TENSAT's nine graphs are known to 7 digits from runs of TENSAT itself. This test reads
// the graphs and infers their shapes by rules of its own, so that it shares with the program only the
// formula.
#include "cost/anchor.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>

#include "cost/toy_ops.h"

namespace isomer::cost {
namespace {

using Sizes = std::vector<int64_t>;

Sizes numbers_of(std::string text) {
  text = text.substr(text.find('@') + 1);
  Sizes out;
  std::stringstream stream(text);
  for (std::string part; std::getline(stream, part, '_');) out.push_back(std::stoll(part));
  return out;
}

struct Line {
  std::string word;
  std::vector<size_t> children;
  Sizes shape;
  bool weight = false;
};

struct Dag {
  explicit Dag(const std::string& name) : ctx(ops.table) {
    ops.add_bare("other");
    for (const char* plain : {"taso.conv2d", "taso.matmul", "taso.concat", "taso.enlarge", "add", "mul",
                              "relu", "tanh", "sigmoid", "batch_norm"})
      ops.add_bare(plain);
    for (const char* pool : {"taso.poolmax", "taso.poolavg"})
      ops.add_bare(pool, {{.name = "kernel_h"}, {.name = "kernel_w"}});
    std::ifstream file(ISOMER_SOURCE_DIR "/tests/data/tensat/models/dag/" + name + ".dag");
    for (std::string text; std::getline(file, text);) {
      std::stringstream stream(text);
      Line line;
      stream >> line.word;
      for (size_t child; stream >> child;) line.children.push_back(child);
      lines.push_back(line);
      infer(lines.back());
    }
  }

  int64_t integer(size_t line) const { return std::stoll(lines[line].word); }
  static int64_t pooled(int64_t in, int64_t kernel, int64_t stride, bool same) {
    return same ? (in + stride - 1) / stride : (in - kernel) / stride + 1;
  }

  void infer(Line& line) {
    const auto& c = line.children;
    const std::string& w = line.word;
    const auto shape = [&](size_t child) -> const Sizes& { return lines[c[child]].shape; };
    if (c.empty()) return;
    if (w == "input" || w == "weight") {
      line.shape = numbers_of(lines[c[0]].word);
      line.weight = w == "weight";
    } else if (w == "matmul") {
      line.shape = shape(1);
      line.shape.back() = shape(2).back();
    } else if (w == "conv2d") {
      const bool same = integer(c[2]) == 0;
      line.shape = {shape(4)[0], shape(5)[0], pooled(shape(4)[2], shape(5)[2], integer(c[0]), same),
                    pooled(shape(4)[3], shape(5)[3], integer(c[1]), same)};
    } else if (w == "poolmax" || w == "poolavg") {
      const bool same = integer(c[5]) == 0;
      line.shape = {shape(0)[0], shape(0)[1], pooled(shape(0)[2], integer(c[1]), integer(c[3]), same),
                    pooled(shape(0)[3], integer(c[2]), integer(c[4]), same)};
    } else if (w.starts_with("concat")) {
      line.shape = shape(2);
      const auto axis = static_cast<size_t>(integer(c[0]));
      for (size_t i = 3; i < c.size(); ++i) line.shape[axis] += shape(i)[axis];
    } else if (w == "reshape") {
      line.shape = numbers_of(lines[c[1]].word);
    } else if (w == "transpose") {
      for (int64_t from : numbers_of(lines[c[1]].word))
        line.shape.push_back(shape(0)[static_cast<size_t>(from)]);
    } else {
      line.shape = shape(0);
    }
    if (w == "input" || w == "weight") return;
    line.weight = true;
    for (size_t child : c)
      if (!lines[child].shape.empty()) line.weight = line.weight && lines[child].weight;
  }

  double cost(CostModel& model) {
    static const std::map<std::string, std::string> kNames = {{"conv2d", "taso.conv2d"},
                                                              {"matmul", "taso.matmul"},
                                                              {"poolmax", "taso.poolmax"},
                                                              {"poolavg", "taso.poolavg"},
                                                              {"concat", "taso.concat"},
                                                              {"concat3", "taso.concat"},
                                                              {"concat4", "taso.concat"},
                                                              {"concat5", "taso.concat"},
                                                              {"enlarge", "taso.enlarge"},
                                                              {"ewadd", "add"},
                                                              {"ewmul", "mul"},
                                                              {"relu", "relu"},
                                                              {"tanh", "tanh"},
                                                              {"sigmoid", "sigmoid"},
                                                              {"batchnorm", "batch_norm"}};
    double sum = 0;
    for (const Line& line : lines) {
      if (line.children.empty()) continue;
      const auto found = kNames.find(line.word);
      const ir::OpDef& def = ops.table.get(ops.table.at(found == kNames.end() ? "other" : found->second));
      std::vector<ir::AttrId> attrs;
      if (!def.attrs.empty())
        attrs = {ctx.intern(ir::AttrValue(integer(line.children[1]))),
                 ctx.intern(ir::AttrValue(integer(line.children[2])))};
      std::vector<ir::TypeId> inputs;
      bool weights = true;
      for (size_t child : line.children)
        if (!lines[child].shape.empty()) {
          inputs.push_back(ctx.tensor_type(ir::DType::kF32, ir::static_shape(lines[child].shape)));
          weights = weights && lines[child].weight;
        }
      const ir::OpInstance op(ctx, def, attrs, inputs,
                              ctx.tensor_type(ir::DType::kF32, ir::static_shape(line.shape)));
      sum += model.cost({op, weights && !inputs.empty()});
    }
    return sum;
  }

  ToyOps ops;
  ir::Context ctx;
  std::vector<Line> lines;
};

TEST(Anchor, StartCostsOfTensatsGraphs) {
  const std::map<std::string, double> expected = {
      {"bert", 0.8255616},     {"inceptionv3", 2.370777}, {"mobilenetv2", 1.5272466},
      {"nasneta", 7.674655},   {"nasrnn", 1.4332726},     {"resnet50", 1.817962},
      {"resnext50", 1.947295}, {"squeezenet", 0.5652249}, {"vgg", 7.257592}};
  for (const auto& [name, cost] : expected) {
    AnchorCost model;
    EXPECT_NEAR(Dag(name).cost(model) / cost, 1, 5e-7) << name;
  }
}

TEST(Anchor, WeightsAloneAreFreeWhenFolded) {
  const std::map<std::string, double> expected = {
      {"bert", 0.8255616}, {"nasrnn", 1.3652013}, {"vgg", 7.257592}};
  for (const auto& [name, cost] : expected) {
    AnchorCost model(/*fold_weights=*/true);
    EXPECT_NEAR(Dag(name).cost(model) / cost, 1, 5e-7) << name;
  }
}

TEST(Anchor, ConcatCopiesUnlessAllAreWeights) {
  ToyOps ops;
  const ir::OpDef& concat = ops.table.get(ops.add_bare("taso.concat"));
  ir::Context ctx(ops.table);
  const std::vector<ir::TypeId> inputs = {ctx.tensor_type(ir::DType::kF32, ir::static_shape({100, 30})),
                                          ctx.tensor_type(ir::DType::kF32, ir::static_shape({100, 70}))};
  const ir::OpInstance op(ctx, concat, {}, inputs,
                          ctx.tensor_type(ir::DType::kF32, ir::static_shape({100, 100})));
  AnchorCost model;
  EXPECT_DOUBLE_EQ(model.cost({op, false}), 0.005 + 8 * 10000 / 3e8);
  EXPECT_EQ(model.cost({op, true}), 0);
}

}  // namespace
}  // namespace isomer::cost
