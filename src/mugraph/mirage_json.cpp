#include "mugraph/mirage_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "mugraph/declared.h"
#include "mugraph/spec.h"
#include "support/errors.h"
#include "support/files.h"

namespace isomer::mugraph {
namespace {

using Json = nlohmann::json;
constexpr size_t kMaxRank = 4;
constexpr int64_t kMaxSize = int64_t{1} << 31;

class Reader {
 public:
  Reader(std::string file, const MuOpTable& ops) : file_(std::move(file)), ops_(ops) {}

  std::vector<MuGraph> read(std::string_view text) {
    const Json doc = parse(text);
    const Json* list = &doc;
    if (doc.is_object()) list = &member(doc, "generated_graphs");
    if (!list->is_array()) fail("expected a list of muGraphs");
    std::vector<MuGraph> out;
    for (const Json& g : *list) {
      graph_number_ = out.size();
      out.push_back(graph(g));
    }
    return out;
  }

 private:
  [[noreturn]] void fail(const std::string& message) const {
    std::string where;
    if (graph_number_) where += fmt::format("muGraph {}: ", *graph_number_);
    if (operator_) where += fmt::format("operator {}: ", *operator_);
    if (tile_operator_[0]) where += fmt::format("block operator {}: ", *tile_operator_[0]);
    if (tile_operator_[1]) where += fmt::format("thread operator {}: ", *tile_operator_[1]);
    throw InputError({file_, 0, 0}, where + message);
  }

  Json parse(std::string_view text) const {
    try {
      // Mirage nests nine levels deep; a parser that follows thousands is of no use to anybody.
      return Json::parse(text, [this](int depth, Json::parse_event_t, Json&) {
        if (depth > 64) fail("expected muGraphs, got values nested more than 64 deep");
        return true;
      });
    } catch (const Json::exception& e) {
      std::string what = e.what();
      if (const size_t end = what.find("] "); end != std::string::npos) what.erase(0, end + 2);
      fail("expected JSON: " + what);
    }
  }

  const Json& member(const Json& object, const char* key) const {
    if (!object.is_object()) fail(fmt::format("expected an object with a member \"{}\"", key));
    const auto at = object.find(key);
    if (at == object.end()) fail(fmt::format("expected a member \"{}\"", key));
    return *at;
  }
  const Json& list(const Json& object, const char* key) const {
    const Json& l = member(object, key);
    if (!l.is_array()) fail(fmt::format("expected \"{}\" to be a list", key));
    return l;
  }
  int64_t integer(const Json& value, std::string_view what, int64_t low, int64_t high) const {
    if (!value.is_number_integer() || (value.is_number_unsigned() && value.get<uint64_t>() > 1ull << 62))
      fail(fmt::format("expected \"{}\" to be an integer", what));
    const auto v = value.get<int64_t>();
    if (v < low || v > high) fail(fmt::format("expected \"{}\" from {} to {}, got {}", what, low, high, v));
    return v;
  }
  int64_t integer_member(const Json& object, const char* key, int64_t low, int64_t high) const {
    return integer(member(object, key), key, low, high);
  }
  std::string op_type(const Json& op) const {
    const Json& name = member(op, "op_type");
    if (!name.is_string()) fail("expected \"op_type\" to be a string");
    return name.get<std::string>();
  }
  std::array<int64_t, 3> triple(const Json& object, const char* key, int64_t low, int64_t high) const {
    const Json& t = member(object, key);
    return {integer_member(t, "x", low, high), integer_member(t, "y", low, high),
            integer_member(t, "z", low, high)};
  }
  std::array<int, 3> map_of(const Json& object, const char* key, size_t rank) const {
    const auto t = triple(object, key, -1, static_cast<int64_t>(rank) - 1);
    return {static_cast<int>(t[0]), static_cast<int>(t[1]), static_cast<int>(t[2])};
  }
  Sizes sizes(const Json& tensor) const {
    const auto rank = static_cast<size_t>(integer_member(tensor, "num_dims", 1, kMaxRank));
    const Json& dim = list(tensor, "dim");
    if (dim.size() < rank) fail(fmt::format("expected {} sizes in \"dim\", got {}", rank, dim.size()));
    Sizes out;
    for (size_t i = 0; i < rank; ++i) out.push_back(integer(dim[i], "dim", 1, kMaxSize));
    return out;
  }
  int64_t guid(const Json& tensor) const { return integer_member(tensor, "guid", 0, int64_t{1} << 62); }

  void must(const std::string& error) const {
    if (!error.empty()) fail(error);
  }

  struct Named {
    uint32_t value;
    const Json* made;  ///< how it was declared there
  };
  using Names = std::map<int64_t, Named>;
  uint32_t known(const Names& names, const Json& tensor) const {
    const auto at = names.find(guid(tensor));
    if (at == names.end())
      fail(fmt::format("expected an operand that was computed, got guid {}", guid(tensor)));
    must(differing_declarations(*at->second.made, tensor));
    return at->second.value;
  }
  void name(Names& names, const Json& tensor, uint32_t value) {
    if (!names.emplace(guid(tensor), Named{value, &tensor}).second)
      fail(fmt::format("expected a guid of its own, got {} again", guid(tensor)));
    sizes(tensor);
    must(check_declaration(tensor, type_));
  }
  /// The strides and cuts of an input or output of the muGraph, where they are said.
  void at_rest(const Json& op, const std::string& what, const Sizes& of) const {
    if (const auto s = op.find(what + "_strides"); s != op.end())
      must(check_strides(*s, of).empty() ? ""
                                         : fmt::format("\"{}_strides\": {}", what, check_strides(*s, of)));
    if (!op.contains(what + "_map")) return;
    if (triple(op, (what + "_map").c_str(), -1, kMaxRank) != std::array<int64_t, 3>{-1, -1, -1})
      fail(fmt::format("expected \"{}_map\" to cut nothing: there is one device", what));
  }

  /// The dimension that the name of an operator holds (tb_concat_1_op), or that a member does.
  int axis_of(const MuOp& op, const Json& json, const std::string& type) const {
    if (!op.has_axis) return -1;
    for (const char* key : {"reduce_dim", "reduction_dim", "concat_dim"})
      if (json.contains(key)) return static_cast<int>(integer_member(json, key, 0, kMaxRank - 1));
    for (char c : type)
      if (c >= '0' && c <= '9') return c - '0';
    fail(fmt::format("expected a dimension for {}", type));
  }

  MuGraph graph(const Json& g) {
    operator_.reset();
    type_ = kNoType;
    blocks_.clear();
    const Json& operators = g.is_object() ? list(g, "operators") : g;
    if (!operators.is_array()) fail("expected a list of operators");
    MuGraph out;
    out.ops = &ops_;
    Names names;
    bool has_outputs = false;
    // Inputs first: the values of a MuGraph are numbered so.
    for (const bool inputs : {true, false}) {
      for (size_t i = 0; i < operators.size(); ++i) {
        operator_ = i;
        const std::string type = op_type(operators[i]);
        if ((type == "kn_input_op") != inputs) continue;
        const Json& op = operators[i];
        if (inputs) {
          const Json& tensors = list(op, "output_tensors");
          if (tensors.size() != 1) fail("expected one tensor of an input");
          name(names, tensors[0], static_cast<uint32_t>(out.values.size()));
          out.values.push_back(sizes(tensors[0]));
          at_rest(op, "input", out.values.back());
          ++out.inputs;
        } else if (type == "kn_output_op") {
          has_outputs = true;
          const Json& tensors = list(op, "input_tensors");
          if (tensors.size() != 1) fail("expected one tensor of an output");
          out.outputs.push_back(known(names, tensors[0]));
          at_rest(op, "output", sizes(tensors[0]));
        } else {
          kernel(out, names, op, type);
        }
      }
    }
    operator_.reset();
    if (!has_outputs) {
      std::vector<bool> used(out.values.size());
      for (const KernelNode& n : out.nodes)
        for (uint32_t o : n.operands) used[o] = true;
      for (uint32_t v = 0; v < used.size(); ++v)
        if (!used[v] && v >= out.inputs) out.outputs.push_back(v);
    }
    must(check_spec(out));
    for (const auto& [at, block] : blocks_) {
      operator_ = at;
      must(check_offsets(*block));
    }
    return out;
  }

  void kernel(MuGraph& out, Names& names, const Json& op, const std::string& type) {
    KernelNode node;
    for (const Json& t : list(op, "input_tensors")) node.operands.push_back(known(names, t));
    for (const Json& t : list(op, "output_tensors")) {
      node.results.push_back(static_cast<uint32_t>(out.values.size()));
      name(names, t, node.results.back());
      out.values.push_back(sizes(t));
    }
    if (type == "kn_customized_op") {
      node.block = parts(member(op, "bgraph"), op, kBlock);
    } else {
      const auto id = ops_.find_json(type, false);
      if (!id) fail(fmt::format("expected a kernel operator that is known here, got {}", type));
      node.op = *id;
      node.axis = axis_of(ops_.get(*id), op, type);
    }
    out.nodes.push_back(std::move(node));
  }

  /// Operators of a block graph begin with tb_, and their graph cuts tensors; of a thread graph with th_.
  struct Level {
    size_t depth;
    std::string prefix;
    const char *parts, *whole;
  };
  static inline const Level kBlock = {0, "tb_", "grid_dim", "dtensor"};
  static inline const Level kThread = {1, "th_", "block_dim", "stensor"};

  std::vector<int64_t> one_or_more(const Json& object, const char* key, int64_t low, int64_t high) const {
    const Json& value = member(object, key);
    if (!value.is_array()) return {integer(value, key, low, high)};
    if (value.empty() || value.size() > 8) fail(fmt::format("expected 1 to 8 numbers in \"{}\"", key));
    std::vector<int64_t> out;
    for (const Json& v : value) out.push_back(integer(v, key, low, high));
    return out;
  }

  /// `outer`: the operator that the block or thread graph defines.
  std::shared_ptr<const BlockGraph> parts(const Json& json, const Json& outer, const Level& level) {
    auto b = std::make_shared<BlockGraph>();
    b->grid = triple(json, level.parts, 1, kMaxSize);
    if (level.depth == 0) b->threads = triple(json, "block_dim", 1, 1024);
    b->loops = one_or_more(json, "forloop_range", 1, kMaxSize);
    b->reduce_to = json.contains("reduction_dimx") ? integer_member(json, "reduction_dimx", 1, kMaxSize) : 64;
    const Json& operators = list(json, "operators");
    const Json &operands = list(outer, "input_tensors"), &results = list(outer, "output_tensors");
    const std::string input = level.prefix + "input_op", output = level.prefix + "output_op";
    Names names;
    for (const std::string& kind : {input, std::string(), output}) {
      for (size_t i = 0; i < operators.size(); ++i) {
        tile_operator_[level.depth] = i;
        const Json& op = operators[i];
        const std::string type = op_type(op);
        const bool plain = type != input && type != output;
        if (plain ? !kind.empty() : type != kind) continue;
        if (type == input) {
          if (b->inputs.size() >= operands.size())
            fail("expected no more inputs than the kernel has operands");
          const Json& tensor = operands[b->inputs.size()];
          if (guid(member(op, level.whole)) != guid(tensor))
            fail("expected inputs in the order of the kernel's");
          must(differing_declarations(tensor, member(op, level.whole)));
          add_input(*b, names, op, sizes(tensor).size());
        } else if (plain) {
          add_node(*b, names, op, type, level);
        } else {
          if (b->outputs.size() >= results.size())
            fail("expected no more outputs than the kernel has results");
          if (guid(member(op, level.whole)) != guid(results[b->outputs.size()]))
            fail("expected outputs in the order of the kernel's");
          must(differing_declarations(results[b->outputs.size()], member(op, level.whole)));
          add_output(*b, names, op);
        }
      }
    }
    tile_operator_[level.depth].reset();
    if (level.depth == 0) blocks_.emplace_back(*operator_, &json);
    return b;
  }

  const Json& only(const Json& op, const char* key) const {
    const Json& tensors = list(op, key);
    if (tensors.size() != 1) fail(fmt::format("expected one tensor in \"{}\"", key));
    return tensors[0];
  }

  void add_input(BlockGraph& b, Names& names, const Json& op, size_t rank) {
    BlockInput input;
    input.imap = map_of(op, "input_map", rank);
    // The public project divides only by grid dimensions above 1, whatever the map says of the others.
    for (size_t d = 0; d < 3; ++d)
      if (b.grid[d] == 1) input.imap[d] = kWhole;
    for (int64_t dim : one_or_more(op, "forloop_dim", -1, static_cast<int64_t>(rank) - 1))
      input.fmap.push_back(static_cast<int>(dim));
    const Json& tile = only(op, "output_tensors");
    input.tile = sizes(tile);
    name(names, tile, static_cast<uint32_t>(b.inputs.size()));
    b.inputs.push_back(std::move(input));
  }

  void add_node(BlockGraph& b, Names& names, const Json& op, const std::string& type, const Level& level) {
    BlockNode node;
    for (const Json& t : list(op, "input_tensors")) {
      node.operands.push_back(known(names, t));
      node.after_accum = node.after_accum || b.after_accum(node.operands.back());
    }
    if (type == "tb_customized_op") {
      if (level.depth > 0) fail("expected no threads within a thread");
      node.thread = parts(member(op, "tgraph"), op, kThread);
    } else {
      // Operators of threads are called as those of blocks.
      const bool named = type.starts_with(level.prefix);
      const auto id = named ? ops_.find_json("tb_" + type.substr(3), true) : std::nullopt;
      if (!id)
        fail(fmt::format("expected a {} operator that is known here, got {}",
                         level.depth == 0 ? "block" : "thread", type));
      node.op = *id;
      node.axis = axis_of(ops_.get(*id), op, type);
      node.after_accum = node.after_accum || ops_.get(*id).accumulate != Accumulate::kNone;
      only(op, "output_tensors");
    }
    for (const Json& result : list(op, "output_tensors")) {
      node.sizes = sizes(result);
      if (const auto said = result.find("after_accum"); said != result.end() && *said != node.after_accum)
        fail(fmt::format("expected \"after_accum\" to be {}", node.after_accum));
      name(names, result, static_cast<uint32_t>(b.values()));
      b.nodes.push_back(node);
      ++node.output;
    }
  }

  void add_output(BlockGraph& b, const Names& names, const Json& op) const {
    BlockOutput output;
    output.value = known(names, only(op, "input_tensors"));
    if (!b.after_accum(output.value)) {
      b.nodes.push_back({ops_.at("accumulate"), -1, {output.value}, b.sizes(output.value), true, {}, 0});
      output.value = static_cast<uint32_t>(b.values() - 1);
    }
    output.omap = map_of(op, "output_map", b.sizes(output.value).size());
    b.outputs.push_back(output);
  }

  std::string file_;
  const MuOpTable& ops_;
  std::optional<size_t> graph_number_, operator_;
  std::optional<size_t> tile_operator_[2];  // of a block, of a thread
  // Of a muGraph: the type of its tensors, and its block graphs with the numbers of their operators.
  int64_t type_ = kNoType;
  std::vector<std::pair<size_t, const Json*>> blocks_;
};

}  // namespace

std::vector<MuGraph> parse_mirage_json(std::string_view text, const std::string& file, const MuOpTable& ops) {
  return Reader(file, ops).read(text);
}

std::vector<MuGraph> read_mirage_json(const std::string& path) {
  return parse_mirage_json(read_file(path), path);
}

}  // namespace isomer::mugraph
