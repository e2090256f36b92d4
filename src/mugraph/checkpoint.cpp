#include "mugraph/checkpoint.h"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "support/atomic_file.h"
#include "support/errors.h"

namespace isomer::mugraph {
namespace {

using Json = nlohmann::json;
constexpr double kSecondsBetweenWrites = 1;

std::string key_of(uint64_t kernel_graph, std::optional<size_t> part) {
  return fmt::format("{:016x}/{}", kernel_graph, part ? static_cast<int64_t>(*part) : -1);
}

/// Sizes are left out: they follow from the program.
Json json_of(const BlockGraph& b) {
  Json inputs = Json::array(), nodes = Json::array(), outputs = Json::array();
  for (const BlockInput& i : b.inputs) inputs.push_back({i.imap, i.fmap});
  for (const BlockNode& n : b.nodes) nodes.push_back({n.op, n.axis, n.operands, n.after_accum});
  for (const BlockOutput& o : b.outputs) outputs.push_back({o.value, o.omap});
  return {b.grid, b.loops, b.reduce_to, inputs, nodes, outputs};
}

std::shared_ptr<BlockGraph> block_of(const Json& j) {
  auto b = std::make_shared<BlockGraph>();
  b->grid = j.at(0).get<std::array<int64_t, 3>>();
  b->loops = j.at(1).get<std::vector<int64_t>>();
  b->reduce_to = j.at(2).get<int64_t>();
  for (const Json& i : j.at(3))
    b->inputs.push_back({i.at(0).get<std::array<int, 3>>(), i.at(1).get<std::vector<int>>(), {}});
  for (const Json& n : j.at(4))
    b->nodes.push_back({n.at(0).get<MuOpId>(),
                        n.at(1).get<int>(),
                        n.at(2).get<std::vector<uint32_t>>(),
                        {},
                        n.at(3).get<bool>()});
  for (const Json& o : j.at(5))
    b->outputs.push_back({o.at(0).get<uint32_t>(), o.at(1).get<std::array<int, 3>>()});
  return b;
}

Json json_of(const Child& c) {
  const KernelNode& n = c.step.node;
  Json j = {c.key, c.complete, n.op, n.axis, n.operands, n.results, c.step.grid, c.step.loops};
  if (n.block) j.push_back(json_of(*n.block));
  return j;
}

Child child_of(const Json& j) {
  Child c;
  c.key = j.at(0).get<uint64_t>();
  c.complete = j.at(1).get<bool>();
  KernelNode& n = c.step.node;
  n.op = j.at(2).get<MuOpId>();
  n.axis = j.at(3).get<int>();
  n.operands = j.at(4).get<std::vector<uint32_t>>();
  n.results = j.at(5).get<std::vector<uint32_t>>();
  c.step.grid = j.at(6).get<std::vector<AxisId>>();
  c.step.loops = j.at(7).get<std::vector<AxisId>>();
  if (j.size() > 8) n.block = block_of(j.at(8));
  return c;
}

}  // namespace

namespace {

/// The store moves what is damaged out of its way; what a user names may be something else altogether.
std::string database_or_none(const std::string& file) {
  constexpr std::string_view kBegin = "SQLite format 3";
  require_replaceable(file);
  std::string begin(kBegin.size(), '\0');
  std::ifstream in(file, std::ios::binary);
  in.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  if (in.gcount() > 0 && begin != kBegin)
    throw InputError({file, 0, 0}, "expected the checkpoint of a search, found something else");
  return file;
}

}  // namespace

Checkpoint::Checkpoint(const std::string& file, uint64_t search)
    : store_(database_or_none(file)),
      space_(fmt::format("mugraph-search/{:016x}", search)),
      last_(wall_seconds()) {}

std::optional<Expansion> Checkpoint::get(uint64_t kernel_graph, std::optional<size_t> part) {
  const auto text = store_.get(space_, key_of(kernel_graph, part));
  if (!text) return std::nullopt;
  try {
    const Json j = Json::parse(*text);
    Expansion out;
    out.states = j.at("states").get<uint64_t>();
    out.queries = j.at("queries").get<uint64_t>();
    out.pruned = j.at("pruned").get<uint64_t>();
    for (const Json& c : j.at("children")) out.children.push_back(child_of(c));
    return out;
  } catch (const Json::exception&) {
    return std::nullopt;  // looked at again
  }
}

void Checkpoint::put(uint64_t kernel_graph, std::optional<size_t> part, const Expansion& expansion) {
  Json j;
  j["states"] = expansion.states;
  j["queries"] = expansion.queries;
  j["pruned"] = expansion.pruned;
  j["children"] = Json::array();
  for (const Child& c : expansion.children) j["children"].push_back(json_of(c));
  std::string text = j.dump();
  const std::lock_guard lock(mutex_);
  pending_.emplace_back(key_of(kernel_graph, part), std::move(text));
  if (wall_seconds() > last_ + kSecondsBetweenWrites) write();
}

void Checkpoint::flush() {
  const std::lock_guard lock(mutex_);
  write();
}

void Checkpoint::write() {
  if (!pending_.empty()) store_.put(space_, pending_);
  pending_.clear();
  last_ = wall_seconds();
}

}  // namespace isomer::mugraph
