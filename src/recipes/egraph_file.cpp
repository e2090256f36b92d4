#include "recipes/egraph_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <utility>

#include "ir/dag_hash.h"
#include "ir/print.h"
#include "support/errors.h"
#include "support/hash.h"

namespace isomer::recipes {

using egraph::ClassId;
using egraph::NodeId;

namespace {

/// Of the program and of the order of its values, which the file names by their numbers.
std::string hash_text(const ir::Graph& graph) {
  uint64_t hash = ir::dag_hash(graph);
  for (uint64_t term : ir::term_hashes(graph)) hash = hash_combine(hash, term);
  return fmt::format("{:016x}", hash);
}

constexpr int64_t kAllElements = std::numeric_limits<int64_t>::max();

uint64_t operator_key(uint32_t op, uint32_t payload) { return uint64_t{op} << 32 | payload; }

/// In short: what the program has need not be said in full.
std::string text_of(const ir::Graph& source, ir::ValueId v) {
  const ir::OpDef& def = source.def(v);
  const std::string attributes = def.is(ir::Core::kOpaque) ? "" : ir::print_attributes(source, v);
  return attributes.empty() ? def.name : def.name + "{" + attributes + "}";
}

/// Adds nodes as soon as all their operands' classes are there.
class FileReader {
 public:
  FileReader(rewrite::TensorEGraph& program, const extract::SerializedEGraph& file, const std::string& name)
      : program_(program),
        file_(file),
        name_(name),
        waiting_(file.problem.nodes()),
        users_(file.problem.classes()) {
    out_.class_of.resize(file.problem.classes());
    out_.node_of.resize(file.problem.nodes());
  }

  Rebuilt read() {
    if (file_.program.empty())
      fail("expected an e-graph that Isomer wrote, found one whose operators it does not say");
    if (file_.program != hash_text(program_.source()))
      fail("expected an e-graph of this program, found another one's");
    const uint64_t contradictions = program_.analysis().contradictions();
    add_all();
    unite_values();
    program_.graph().rebuild();
    if (program_.analysis().contradictions() > contradictions)
      fail("expected classes of values of one type each");
    for (ClassId& c : out_.class_of) c = program_.graph().find(c);
    for (NodeId& n : out_.node_of) n = live(n);
    require_roots();
    return std::move(out_);
  }

 private:
  [[noreturn]] void fail(const std::string& message) const { throw InputError({name_, 0, 0}, message); }

  void add_all() {
    std::vector<extract::NodeId> ready;
    for (uint32_t i = 0; i < file_.problem.nodes(); ++i) {
      const extract::NodeId n(i);
      waiting_[i] = file_.problem.children(n).size();
      for (extract::ClassId c : file_.problem.children(n)) users_[c.index()].push_back(n);
      if (waiting_[i] == 0) ready.push_back(n);
    }
    size_t added = 0;
    for (; !ready.empty(); ++added) {
      const extract::NodeId n = ready.back();
      ready.pop_back();
      add(n);
      ClassId& home = out_.class_of[file_.problem.class_of(n).index()];
      const ClassId own = egraph::as_class(out_.node_of[n.index()]);
      if (home.valid()) {
        program_.graph().unite(home, own);
        continue;
      }
      home = own;
      for (extract::NodeId user : users_[file_.problem.class_of(n).index()])
        if (--waiting_[user.index()] == 0) ready.push_back(user);
    }
    if (added < file_.problem.nodes()) fail("expected classes with a finite term each");
  }

  /// Terms of the program that were found equal to others and are not in the file.
  void unite_values() {
    for (uint32_t c = 0; c < file_.problem.classes(); ++c)
      for (int64_t v : file_.held[c]) {
        if (v < 0 || v >= static_cast<int64_t>(program_.source().size()))
          fail(fmt::format("class \"{}\": the program has no value {}", file_.class_names[c], v));
        const ClassId own = program_.first_class(ir::ValueId(static_cast<uint32_t>(v)));
        if (own.valid()) program_.graph().unite(out_.class_of[c], own);
      }
  }

  void add(extract::NodeId n) {
    const auto [op, payload] = operator_of(n);
    const ir::OpDef& def = program_.context().ops().get(op);
    std::vector<ClassId> children;
    for (extract::ClassId c : file_.problem.children(n)) children.push_back(out_.class_of[c.index()]);
    const auto count = static_cast<int>(children.size());
    if (count < def.min_inputs || (def.max_inputs >= 0 && count > def.max_inputs))
      fail(fmt::format("node \"{}\": {} does not take {} operands", file_.node_names[n.index()], def.name,
                       count));
    rewrite::EGraph& g = program_.graph();
    const NodeId added = g.add_node(op.v, payload.v, children);
    if (!g.data(egraph::as_class(added)).type.valid())
      fail(fmt::format("node \"{}\": {} does not take operands of these types", file_.node_names[n.index()],
                       def.name));
    out_.node_of[n.index()] = added;
  }

  std::pair<ir::OpId, ir::PayloadId> operator_of(extract::NodeId n) const {
    const int64_t value = file_.values[n.index()];
    const std::string& node = file_.node_names[n.index()];
    if (value >= static_cast<int64_t>(program_.source().size()))
      fail(fmt::format("node \"{}\": expected one of the program's {} values, found {}", node,
                       program_.source().size(), value));
    if (value >= 0) {
      const ir::ValueId v(static_cast<uint32_t>(value));
      return {program_.source().op(v), program_.source().payload(v)};
    }
    if (file_.operators[n.index()].empty()) fail(fmt::format("node \"{}\": expected an operator", node));
    const auto parsed = ir::parse_operator(program_.context(), file_.operators[n.index()], name_);
    const ir::OpDef& def = program_.context().ops().get(parsed.first);
    const bool made = def.is(ir::Core::kConstant) ||
                      (def.kind != ir::MeaningKind::kLeaf && def.kind != ir::MeaningKind::kOpaque);
    if (!made) fail(fmt::format("node \"{}\": expected the program's value that this {} is", node, def.name));
    return parsed;
  }

  /// The node that stands for it, where it was found to be the same as another.
  NodeId live(NodeId n) const {
    const rewrite::EGraph& g = program_.graph();
    if (!g.dead(n)) return n;
    std::vector<ClassId> children;
    for (ClassId c : g.children(n)) children.push_back(g.find(c));
    return g.lookup(g.op(n), g.payload(n), children);
  }

  void require_roots() const {
    const std::vector<ClassId> roots = program_.roots();
    for (extract::ClassId r : file_.problem.roots())
      if (std::ranges::find(roots, out_.class_of[r.index()]) == roots.end())
        fail(fmt::format("root class \"{}\": expected results of the program", file_.class_names[r.index()]));
  }

  rewrite::TensorEGraph& program_;
  const extract::SerializedEGraph& file_;
  const std::string& name_;
  std::vector<size_t> waiting_;                      // by node: operands whose classes are not there
  std::vector<std::vector<extract::NodeId>> users_;  // by class, once for each use
  Rebuilt out_;
};

}  // namespace

extract::SerializedEGraph serialize(const rewrite::TensorEGraph& program, const egraph::FlatProblem& flat) {
  const rewrite::EGraph& g = program.graph();
  const ir::Context& ctx = program.context();
  const ir::Graph& source = program.source();
  std::unordered_map<uint64_t, int64_t> values;
  for (uint32_t i = 0; i < source.size(); ++i)
    values.emplace(operator_key(source.op(ir::ValueId(i)).v, source.payload(ir::ValueId(i)).v), i);

  extract::SerializedEGraph out;
  std::unordered_map<uint32_t, std::vector<int64_t>> held;
  for (uint32_t i = 0; i < source.size(); ++i)
    if (const ClassId c = program.first_class(ir::ValueId(i)); c.valid()) held[g.find(c).v].push_back(i);
  out.problem = flat.problem;
  out.program = hash_text(source);
  for (ClassId c : flat.class_of) {
    out.held.push_back(held[c.v]);
    out.class_names.push_back(std::to_string(c.v));
    out.types.push_back(ir::print(ctx, g.data(c).type));
  }
  for (NodeId n : flat.node_of) {
    out.node_names.push_back("n" + std::to_string(n.v));
    const ir::OpId op(g.op(n));
    out.ops.push_back(ctx.ops().get(op).name);
    const auto value = values.find(operator_key(g.op(n), g.payload(n)));
    out.values.push_back(value == values.end() ? -1 : value->second);
    out.operators.push_back(value == values.end()
                                ? ir::print(ctx, op, ir::PayloadId(g.payload(n)), kAllElements)
                                : text_of(source, ir::ValueId(static_cast<uint32_t>(value->second))));
  }
  return out;
}

Rebuilt rebuild(rewrite::TensorEGraph& program, const extract::SerializedEGraph& file,
                const std::string& name) {
  return FileReader(program, file, name).read();
}

}  // namespace isomer::recipes
