#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "mugraph/mirage_json.h"
#include "support/errors.h"

namespace isomer::mugraph {
namespace {

using Json = nlohmann::ordered_json;
constexpr int64_t kFirstTensor = 10'000'000, kFirstTile = 20'000'000;

Json padded(const Sizes& sizes) {
  Json out = Json::array();
  for (size_t i = 0; i < 4; ++i) out.push_back(i < sizes.size() ? sizes[i] : 0);
  return out;
}

template <class T>
Json xyz(const std::array<T, 3>& t) {
  return {{"x", t[0]}, {"y", t[1]}, {"z", t[2]}};
}

Json strides(const Sizes& sizes) {
  std::vector<int64_t> out(sizes.size(), 1);
  for (size_t i = sizes.size(); i-- > 1;) out[i - 1] = out[i] * sizes[i];
  return out;
}

class Writer {
 public:
  Writer(const MuGraph& graph, int element_type) : graph_(graph), type_(element_type) {}

  Json graph() {
    Json out = Json::array();
    const Json none = xyz(std::array<int, 3>{-1, -1, -1});
    for (uint32_t v = 0; v < graph_.inputs; ++v)
      out.push_back({{"op_type", "kn_input_op"},
                     {"input_tensors", Json::array()},
                     {"output_tensors", {tensor(v)}},
                     {"input_strides", strides(graph_.values[v])},
                     {"input_map", none}});
    for (const KernelNode& n : graph_.nodes) out.push_back(kernel(n));
    for (uint32_t v : graph_.outputs)
      out.push_back({{"op_type", "kn_output_op"},
                     {"input_tensors", {tensor(v)}},
                     {"output_tensors", Json::array()},
                     {"output_strides", strides(graph_.values[v])},
                     {"output_map", none}});
    return out;
  }

 private:
  Json tensor(uint32_t v) const {
    const Sizes& s = graph_.values[v];
    return {{"guid", kFirstTensor + v},
            {"num_dims", s.size()},
            {"dim", padded(s)},
            {"data_type", type_},
            {"layout", "DmemRowMajor"}};
  }
  Json tile(const BlockGraph& b, uint32_t v) const {
    const Sizes& s = b.sizes(v);
    return {{"guid", first_tile_ + v},
            {"num_dims", s.size()},
            {"dim", padded(s)},
            {"data_type", type_},
            {"layout", "SmemRowMajor"},
            {"smem_offset", 0},
            {"after_accum", b.after_accum(v)}};
  }
  template <class F>
  static Json listed(const std::vector<uint32_t>& values, F&& make) {
    Json out = Json::array();
    for (uint32_t v : values) out.push_back(make(v));
    return out;
  }

  Json kernel(const KernelNode& n) {
    const auto whole = [this](uint32_t v) { return tensor(v); };
    const std::string type = n.block ? "kn_customized_op" : graph_.ops->get(n.op).kernel;
    Json out = {{"op_type", type},
                {"input_tensors", listed(n.operands, whole)},
                {"output_tensors", listed(n.results, whole)}};
    if (!n.block && n.axis >= 0) out["reduce_dim"] = n.axis;
    if (n.block) out["bgraph"] = block(n);
    return out;
  }

  Json block(const KernelNode& n) {
    const BlockGraph& b = *n.block;
    REQUIRE(b.loops.size() == 1, "Mirage's JSON has one loop for a kernel");
    const auto a_tile = [&](uint32_t v) { return tile(b, v); };
    Json ops = Json::array();
    for (uint32_t i = 0; i < b.inputs.size(); ++i)
      ops.push_back({{"op_type", "tb_input_op"},
                     {"input_tensors", Json::array()},
                     {"output_tensors", {a_tile(i)}},
                     {"dtensor", tensor(n.operands[i])},
                     {"input_map", xyz(b.inputs[i].imap)},
                     {"forloop_dim", b.inputs[i].fmap[0]}});
    for (uint32_t i = 0; i < b.nodes.size(); ++i) {
      const BlockNode& node = b.nodes[i];
      Json op = {{"op_type", graph_.ops->get(node.op).block},
                 {"input_tensors", listed(node.operands, a_tile)},
                 {"output_tensors", {a_tile(static_cast<uint32_t>(b.inputs.size()) + i)}}};
      if (node.axis >= 0) op["reduce_dim"] = node.axis;
      ops.push_back(std::move(op));
    }
    for (size_t i = 0; i < b.outputs.size(); ++i)
      ops.push_back({{"op_type", "tb_output_op"},
                     {"input_tensors", {a_tile(b.outputs[i].value)}},
                     {"output_tensors", Json::array()},
                     {"dtensor", tensor(n.results[i])},
                     {"output_map", xyz(b.outputs[i].omap)}});
    first_tile_ += static_cast<int64_t>(b.values());
    return {{"graph_level", "thread_block_graph"}, {"grid_dim", xyz(b.grid)},
            {"block_dim", xyz(b.threads)},         {"forloop_range", b.loops[0]},
            {"reduction_dimx", b.reduce_to},       {"smem_offset", 0},
            {"operators", std::move(ops)}};
  }

  const MuGraph& graph_;
  int type_;
  int64_t first_tile_ = kFirstTile;
};

}  // namespace

std::string write_mirage_json(const std::vector<MuGraph>& graphs, int element_type) {
  std::string out = "[";
  for (size_t i = 0; i < graphs.size(); ++i)
    out += fmt::format("{}\n{}", i == 0 ? "" : ",", Writer(graphs[i], element_type).graph().dump());
  return out + "\n]\n";
}

}  // namespace isomer::mugraph
