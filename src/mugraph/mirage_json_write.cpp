#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>

#include "mugraph/declared.h"
#include "mugraph/mirage_json.h"
#include "support/errors.h"

namespace isomer::mugraph {
namespace {

using OrderedJson = nlohmann::ordered_json;
constexpr int64_t kFirstTensor = 10'000'000, kFirstTile = 20'000'000, kFirstRegister = 30'000'000;

OrderedJson padded(const Sizes& sizes) {
  OrderedJson out = OrderedJson::array();
  for (size_t i = 0; i < 4; ++i) out.push_back(i < sizes.size() ? sizes[i] : 0);
  return out;
}

template <class T>
OrderedJson xyz(const std::array<T, 3>& t) {
  return {{"x", t[0]}, {"y", t[1]}, {"z", t[2]}};
}

OrderedJson strides(const Sizes& sizes) {
  std::vector<int64_t> out(sizes.size(), 1);
  for (size_t i = sizes.size(); i-- > 1;) out[i - 1] = out[i] * sizes[i];
  return out;
}

class Writer {
 public:
  Writer(const MuGraph& graph, int element_type) : graph_(graph), type_(element_type) {}

  OrderedJson graph() {
    OrderedJson out = OrderedJson::array();
    const OrderedJson none = xyz(std::array<int, 3>{-1, -1, -1});
    for (uint32_t v = 0; v < graph_.inputs; ++v)
      out.push_back({{"op_type", "kn_input_op"},
                     {"input_tensors", OrderedJson::array()},
                     {"output_tensors", {tensor(v)}},
                     {"input_strides", strides(graph_.values[v])},
                     {"input_map", none}});
    for (const KernelNode& n : graph_.nodes) out.push_back(kernel(n));
    for (uint32_t v : graph_.outputs)
      out.push_back({{"op_type", "kn_output_op"},
                     {"input_tensors", {tensor(v)}},
                     {"output_tensors", OrderedJson::array()},
                     {"output_strides", strides(graph_.values[v])},
                     {"output_map", none}});
    return out;
  }

 private:
  OrderedJson tensor(uint32_t v) const {
    const Sizes& s = graph_.values[v];
    return {{"guid", kFirstTensor + v},
            {"num_dims", s.size()},
            {"dim", padded(s)},
            {"data_type", type_},
            {"layout", "DmemRowMajor"}};
  }
  OrderedJson tile(const BlockGraph& b, uint32_t v, int64_t first, const char* layout,
                   int64_t offset = 0) const {
    const Sizes& s = b.sizes(v);
    return {{"guid", first + v},
            {"num_dims", s.size()},
            {"dim", padded(s)},
            {"data_type", type_},
            {"layout", layout},
            {"smem_offset", offset},
            {"after_accum", b.after_accum(v)}};
  }
  using Record = std::function<OrderedJson(uint32_t)>;  ///< of a tensor or tile

  template <class F>
  static OrderedJson listed(const std::vector<uint32_t>& values, F&& make) {
    OrderedJson out = OrderedJson::array();
    for (uint32_t v : values) out.push_back(make(v));
    return out;
  }

  OrderedJson kernel(const KernelNode& n) {
    const auto whole = [this](uint32_t v) { return tensor(v); };
    const std::string type = n.block ? "kn_customized_op" : graph_.ops->get(n.op).kernel;
    OrderedJson out = {{"op_type", type},
                       {"input_tensors", listed(n.operands, whole)},
                       {"output_tensors", listed(n.results, whole)}};
    if (!n.block && n.axis >= 0) out["reduce_dim"] = n.axis;
    if (n.block) out["bgraph"] = block(n);
    return out;
  }

  OrderedJson block(const KernelNode& n) {
    const BlockGraph& b = *n.block;
    const int64_t first = first_tile_;
    first_tile_ += static_cast<int64_t>(b.values());
    // Each tile in a place of its own, as Mirage has them; which may share one is a matter of its own
    // (memory_plan.h).
    std::vector<int64_t> offsets = {0};
    for (uint32_t v = 0; v < b.values(); ++v) {
      const int64_t end = offsets.back() + tile_bytes(type_, b.sizes(v));
      offsets.push_back((end + kTileAlignment - 1) / kTileAlignment * kTileAlignment);
    }
    if (offsets.back() >= kMostTileBytes) std::ranges::fill(offsets, 0);  // no memory has places for them
    OrderedJson out = {
        {"graph_level", "thread_block_graph"}, {"grid_dim", xyz(b.grid)}, {"block_dim", xyz(b.threads)}};
    out.update(parts(
        b, "tb_", "dtensor", [&](uint32_t v) { return tile(b, v, first, "SmemRowMajor", offsets[v]); },
        [&](uint32_t i) { return tensor(n.operands[i]); }, [&](uint32_t o) { return tensor(n.results[o]); }));
    out["smem_offset"] = offsets.back();
    return out;
  }

  /// What the threads of a block do with tiles; `results`: theirs.
  OrderedJson threads(const BlockNode& n, const Record& a_tile, const std::vector<uint32_t>& results) {
    const BlockGraph& t = *n.thread;
    const int64_t first = first_register_;
    first_register_ += static_cast<int64_t>(t.values());
    OrderedJson out = {{"graph_level", "thread_graph"}, {"block_dim", xyz(t.grid)}};
    out.update(parts(
        t, "th_", "stensor", [&](uint32_t v) { return tile(t, v, first, "RegRowMajor"); },
        [&](uint32_t i) { return a_tile(n.operands[i]); }, [&](uint32_t o) { return a_tile(results[o]); }));
    return out;
  }

  /// The loop and the operators of a block or thread graph. `own`: one of its tiles; `operand`, `result`:
  /// what it cuts and writes.
  OrderedJson parts(const BlockGraph& b, const std::string& prefix, const char* whole, const Record& own,
                    const Record& operand, const Record& result) {
    const auto one_or_more = [](const auto& numbers) {
      return numbers.size() == 1 ? OrderedJson(numbers[0]) : OrderedJson(numbers);
    };
    OrderedJson ops = OrderedJson::array();
    for (uint32_t i = 0; i < b.inputs.size(); ++i)
      ops.push_back({{"op_type", prefix + "input_op"},
                     {"input_tensors", OrderedJson::array()},
                     {"output_tensors", {own(i)}},
                     {whole, operand(i)},
                     {"input_map", xyz(b.inputs[i].imap)},
                     {"forloop_dim", one_or_more(b.inputs[i].fmap)}});
    const auto inputs = static_cast<uint32_t>(b.inputs.size());
    for (uint32_t v = inputs; v < b.values(); ++v) {
      const BlockNode& node = b.nodes[v - inputs];
      std::vector<uint32_t> results = {v};
      while (shares_thread(b, results.back() + 1)) results.push_back(results.back() + 1);
      v = results.back();
      std::string type = "tb_customized_op";
      if (!node.thread) {
        const std::string& name = graph_.ops->get(node.op).block;
        REQUIRE(name.starts_with("tb_"), "an operator with a name in Mirage's JSON");
        type = prefix + name.substr(3);
      }
      OrderedJson op = {{"op_type", type},
                        {"input_tensors", listed(node.operands, own)},
                        {"output_tensors", listed(results, own)}};
      if (node.thread) op["tgraph"] = threads(node, own, results);
      if (!node.thread && node.axis >= 0) op["reduce_dim"] = node.axis;
      ops.push_back(std::move(op));
    }
    for (uint32_t i = 0; i < b.outputs.size(); ++i)
      ops.push_back({{"op_type", prefix + "output_op"},
                     {"input_tensors", {own(b.outputs[i].value)}},
                     {"output_tensors", OrderedJson::array()},
                     {whole, result(i)},
                     {"output_map", xyz(b.outputs[i].omap)}});
    return {{"forloop_range", one_or_more(b.loops)},
            {"reduction_dimx", b.reduce_to},
            {"smem_offset", 0},
            {"operators", std::move(ops)}};
  }

  const MuGraph& graph_;
  int type_;
  int64_t first_tile_ = kFirstTile, first_register_ = kFirstRegister;
};

}  // namespace

std::string write_mirage_json(const std::vector<MuGraph>& graphs, int element_type) {
  std::string out = "[";
  for (size_t i = 0; i < graphs.size(); ++i)
    out += fmt::format("{}\n{}", i == 0 ? "" : ",", Writer(graphs[i], element_type).graph().dump());
  return out + "\n]\n";
}

}  // namespace isomer::mugraph
