#include "mugraph/declared.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

namespace isomer::mugraph {
namespace {

using Json = nlohmann::json;

struct Tile {
  int64_t guid = 0, begin = 0, end = 0;
  size_t made = 0, last_read = 0;  ///< numbers of operators
  std::vector<int64_t> operands;
  bool kept = false;  ///< from one iteration to the next
};

/// The tensors that an operator names.
std::vector<const Json*> tensors_of(const Json& op, const char* key) {
  std::vector<const Json*> out;
  if (const auto list = op.find(key); list != op.end() && list->is_array())
    for (const Json& t : *list)
      if (t.is_object() && t.contains("guid") && t["guid"].is_number_integer()) out.push_back(&t);
  return out;
}

/// The place of a tile; an error where it has none.
std::string place_of(const Json& tensor, Tile& out) {
  const auto offset = tensor.find("smem_offset");
  if (offset == tensor.end() || !offset->is_number_integer() || offset->get<int64_t>() < 0 ||
      offset->get<int64_t>() > kMostTileBytes)
    return fmt::format("tile {}: expected \"smem_offset\" from 0", tensor["guid"].dump());
  Sizes sizes;
  for (size_t d = 0; d < tensor["num_dims"].get<size_t>(); ++d)
    sizes.push_back(tensor["dim"][d].get<int64_t>());
  out.guid = tensor["guid"].get<int64_t>();
  out.begin = offset->get<int64_t>();
  out.end = out.begin + tile_bytes(tensor["data_type"].get<int64_t>(), sizes);
  return {};
}

bool in_place(const Tile& result, const Tile& operand) {
  return !result.kept && result.operands == std::vector{operand.guid} && result.begin == operand.begin &&
         result.end == operand.end && operand.last_read == result.made;
}

}  // namespace

int64_t tile_bytes(int64_t type, const Sizes& sizes) {
  int64_t bytes = 0;
  switch (type) {
    case 921:
    case 940:
    case 941: bytes = 2; break;
    case 950: bytes = 4; break;
    default: break;
  }
  for (int64_t size : sizes) bytes = bytes > kMostTileBytes / size ? kMostTileBytes : bytes * size;
  return bytes;
}

std::string differing_declarations(const Json& made, const Json& used) {
  for (const char* key : {"num_dims", "dim", "data_type", "layout", "smem_offset", "after_accum"}) {
    const auto a = made.find(key), b = used.find(key);
    if (a != made.end() && b != used.end() && *a != *b)
      return fmt::format("guid {}: \"{}\" is {} here and {} where it is made", used["guid"].dump(), key,
                         b->dump(), a->dump());
  }
  return {};
}

std::string check_declaration(const Json& tensor, int64_t& type) {
  const Json& dim = tensor["dim"];
  for (size_t d = tensor["num_dims"].get<size_t>(); d < dim.size(); ++d)
    if (dim[d] != 0)
      return fmt::format("guid {}: expected 0 in \"dim\" beyond its {} dimensions, got {}",
                         tensor["guid"].dump(), tensor["num_dims"].dump(), dim[d].dump());
  const auto said = tensor.find("data_type");
  if (said == tensor.end()) return {};
  if (!said->is_number_unsigned() || said->get<uint64_t>() > 9999)
    return fmt::format("guid {}: expected \"data_type\" to be a number from 0 to 9999, got {}",
                       tensor["guid"].dump(), said->dump());
  if (type == kNoType) type = said->get<int64_t>();
  if (*said != type)
    return fmt::format(
        "guid {}: expected the \"data_type\" of the tensors before, {}, got {}: no operator "
        "converts",
        tensor["guid"].dump(), type, said->dump());
  return {};
}

std::string check_strides(const Json& strides, const Sizes& sizes) {
  const std::string wanted =
      fmt::format("expected strides of a dense tensor [{}], got {}", fmt::join(sizes, ","), strides.dump());
  if (!strides.is_array() || strides.size() != sizes.size()) return wanted;
  std::vector<std::pair<int64_t, int64_t>> order;  // stride and size of dimensions above 1
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (!strides[d].is_number_integer()) return wanted;
    if (sizes[d] > 1) order.emplace_back(strides[d].get<int64_t>(), sizes[d]);
  }
  std::ranges::sort(order);
  int64_t step = 1;
  for (const auto& [stride, size] : order) {
    if (stride != step) return wanted;
    step = step > kMostTileBytes / size ? kMostTileBytes : step * size;
  }
  return {};
}

std::string check_offsets(const Json& block) {
  std::vector<Tile> tiles;
  std::map<int64_t, size_t> known;
  size_t number = 0;
  bool placed = false;
  const bool loops = block["forloop_range"] != 1;
  for (const Json& op : block["operators"]) {
    ++number;
    const auto type = op["op_type"].get<std::string>();
    std::vector<int64_t> operands;
    for (const Json* t : tensors_of(op, "input_tensors")) {
      operands.push_back((*t)["guid"].get<int64_t>());
      if (const auto at = known.find(operands.back()); at != known.end())
        tiles[at->second].last_read = number;
    }
    if (type == "tb_output_op") continue;
    for (const Json* t : tensors_of(op, "output_tensors")) {
      const auto said = t->find("data_type");
      if (said == t->end() || !said->is_number_integer() || tile_bytes(said->get<int64_t>(), {1}) == 0)
        return {};
      Tile tile{0, 0, 0, number, number, operands, loops && type.find("accum") != std::string::npos};
      if (auto bad = place_of(*t, tile); !bad.empty()) return bad;
      placed = placed || tile.begin > 0;
      known[tile.guid] = tiles.size();
      tiles.push_back(std::move(tile));
    }
  }
  const auto total = block.find("smem_offset");
  const bool bounded = total != block.end() && total->is_number_integer() && *total != 0;
  if (!placed && !bounded) return {};
  std::ranges::sort(tiles, {}, [](const Tile& t) { return std::pair{t.begin, t.made}; });
  for (size_t i = 0; i < tiles.size(); ++i) {
    const Tile& a = tiles[i];
    if (bounded && a.end > total->get<int64_t>())
      return fmt::format("tile {}: it ends at byte {}, beyond the block's \"smem_offset\" of {}", a.guid,
                         a.end, total->dump());
    if (a.begin % kTileAlignment != 0)
      return fmt::format("tile {}: expected \"smem_offset\" to be a multiple of {}, got {}", a.guid,
                         kTileAlignment, a.begin);
    // Several operators may work in one place, one after the other: each in that of its own operand.
    for (size_t j = i + 1; j < tiles.size() && tiles[j].begin < a.end; ++j) {
      const Tile* b = &tiles[j];
      while (!in_place(*b, a) && b->operands.size() == 1) {
        const auto before = std::ranges::find(tiles, b->operands[0], &Tile::guid);
        if (before == tiles.end() || !in_place(*b, *before)) break;
        b = &*before;
        if (b == &a) break;
      }
      if (b != &a && !in_place(*b, a))
        return fmt::format("tiles {} and {} lie in the same bytes of shared memory, from {}", a.guid,
                           tiles[j].guid, tiles[j].begin);
    }
  }
  return {};
}

}  // namespace isomer::mugraph
