#include "published/mirage.h"

#include <algorithm>

namespace isomer::published::mirage {
namespace {

constexpr FirstVersion kFirstVersion[] = {{4, "9 s", "< 1 s", "< 1 s"},
                                          {5, "2.3 min", "249 min", "> 12 h"},
                                          {6, "20 min", "> 12 h", "> 12 h"},
                                          {7, "76 min", "> 12 h", "> 12 h"}};
constexpr LaterVersion kLaterVersion[] = {{5, "11", "58", "768"},     {6, "16", "93", "19934"},
                                          {7, "22", "150", "> 10 h"}, {8, "24", "152", "> 10 h"},
                                          {9, "26", "166", "> 10 h"}, {10, "26", "166", "> 10 h"},
                                          {11, "28", "183", "> 10 h"}};
constexpr Peer kPeers[] = {{"rmsnorm", "18.3", "56356"},
                           {"gated_mlp", "> 31.4, not ended", "> 119200"},
                           {"lora", "> 28.4, not ended", "> 26800"},
                           {"gqa", "> 38.5, not ended", "> 103800"},
                           {"mha", "", ""},
                           {"mqa", "", ""},
                           {"mlp", "", ""}};

template <class Row>
const Row* row_of(std::span<const Row> rows, int block_ops) {
  const auto row = std::ranges::find(rows, block_ops, &Row::block_ops);
  return row == rows.end() ? nullptr : &*row;
}

}  // namespace

const FirstVersion* first_version(int block_ops) { return row_of<FirstVersion>(kFirstVersion, block_ops); }

const LaterVersion* later_version(int block_ops) { return row_of<LaterVersion>(kLaterVersion, block_ops); }

std::span<const Peer> peers() { return kPeers; }

/// Attention on 4,096 keys: heads of LLaMA-2-70B on one of four devices (GQA: two groups of eight), 32 heads
/// (MHA), one head for 32 (MQA); queries of one group are rows of one head. MoE is exp(X A) B.
std::vector<Case> cases() {
  std::vector<Case> out;
  for (int64_t q : {1, 32, 512}) {
    // FlashDecoding has all queries in a block: 512 of them do not fit.
    out.push_back({"MHA", "mha", {{"s", q}}, "h", {}});
    if (q < 512) out.back().published.push_back("FlashDecoding");
    if (q > 1) out.back().published.push_back("FlashAttention");
    // The queries of one token are too few for a second kernel that splits them.
    out.push_back({"GQA", "gqa", {{"s", 8 * q}}, "h", {q == 1 ? "FlashDecoding" : "figure 8b"}});
    out.push_back({"MQA", "mqa", {{"s", 32 * q}}, "h", {"figure 8b"}});
  }
  out.push_back({"GQA, heads not grouped", "gqa_heads", {}, "g", {"figure 4c"}});
  out.push_back({"MLP, exp for ReLU", "mlp", {}, "m", {"figure 10b"}});
  out.push_back({"MoE", "moe", {}, "m", {}});
  out.push_back({"LoRA", "lora", {}, "m", {"figure 9b"}});
  out.push_back({"RMSNorm", "rmsnorm", {}, "m", {"RMSNorm"}});
  out.push_back({"GatedMLP", "gated_mlp", {}, "m", {"GatedMLP"}});
  out.push_back({"QKNorm", "qknorm_gqa", {}, "h", {}});
  out.push_back({"nTrans", "ntrans", {}, "m", {"nTrans"}});
  out.push_back({"attention, online softmax", "safe_attention", {}, "h", {"online softmax"}});
  return out;
}

}  // namespace isomer::published::mirage
