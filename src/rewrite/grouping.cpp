#include "rewrite/grouping.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "rewrite/rule_parser.h"

namespace isomer::rewrite {

using egraph::ClassId;
using egraph::NodeId;

namespace {

struct Family {
  GroupKind kind;
  std::string_view name;
  std::string_view op;
  std::string_view attrs;       ///< on both sides
  std::string_view term;        ///< operands of a left side; # is the member's number
  std::string_view joined;      ///< operands of the joined operator (with_joins)
  std::string_view axis;        ///< of the result, along which it is split
  std::string_view size;        ///< of a member along it
  std::string_view conditions;  ///< of a member
  std::string_view shared_conditions;
  std::vector<size_t> own;  ///< which operands are the member's; the others are shared
};

constexpr std::string_view kConv = "{strides=?s, dilations=?d, pads=?p, group=1}";

const std::array<Family, kGroupKinds>& families() {
  static const std::array<Family, kGroupKinds> kFamilies = {{
      {GroupKind::kStackRows,
       "stack-rows",
       "matmul",
       "",
       "?x# ?w",
       "@(?axis, x) ?w",
       "rank(?x0) - 2",
       "dim(?x#, -2)",
       "!constant(?x#)",
       "rank(?w) == 2",
       {0}},
      {GroupKind::kStackBatch,
       "stack-batch",
       "matmul",
       "",
       "?x# ?w",
       "@(?axis, x) ?w",
       "0",
       "dim(?x#, 0)",
       "!constant(?x#)",
       "rank(?w) == 2, rank(?x0) > 2",
       {0}},
      {GroupKind::kJoinColumns,
       "join-columns",
       "matmul",
       "",
       "?x ?w#",
       "?x %(1, w)",
       "rank(?x) - 1",
       "dim(?w#, 1)",
       "constant(?w#), rank(?w#) == 2",
       "!constant(?x)",
       {1}},
      {GroupKind::kJoinKernels,
       "join-kernels",
       "conv",
       kConv,
       "?x ?w#",
       "?x %(0, w)",
       "1",
       "dim(?w#, 0)",
       "constant(?w#)",
       "!constant(?x)",
       {1}},
      {GroupKind::kJoinKernelsBias,
       "join-kernels-bias",
       "conv",
       kConv,
       "?x ?w# ?b#",
       "?x %(0, w) %(0, b)",
       "1",
       "dim(?w#, 0)",
       "constant(?w#), constant(?b#)",
       "!constant(?x)",
       {1, 2}},
      {GroupKind::kConvBatch,
       "conv-batch",
       "conv",
       "{strides=?s, dilations=?d, pads=?p, group=?g}",
       "?x# ?w",
       "@(0, x) ?w",
       "0",
       "dim(?x#, 0)",
       "!constant(?x#)",
       "rank(?w) > 0",
       {0}},
      {GroupKind::kConvBatchBias,
       "conv-batch-bias",
       "conv",
       "{strides=?s, dilations=?d, pads=?p, group=?g}",
       "?x# ?w ?b",
       "@(0, x) ?w ?b",
       "0",
       "dim(?x#, 0)",
       "!constant(?x#)",
       "rank(?w) > 0",
       {0}},
  }};
  return kFamilies;
}

const Family& family_of(GroupKind kind) { return families()[static_cast<size_t>(kind)]; }

std::string numbered(std::string_view text, size_t number) {
  std::string out;
  for (char c : text) {
    if (c == '#')
      out += std::to_string(number);
    else
      out += c;
  }
  return out;
}

/// @(axis, t): the concatenation of ?t0 ?t1 ...; %(axis, t) the same two by two, which costs nothing for
/// constants and which rules about concatenations of two can take apart again.
std::string with_joins(std::string_view text, size_t members) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '@' && text[i] != '%') {
      out += text[i];
      continue;
    }
    const size_t comma = text.find(',', i), close = text.find(')', i);
    const std::string concat = fmt::format("(concat{{axis={}}}", text.substr(i + 2, comma - i - 2));
    const std::string_view name = text.substr(comma + 2, close - comma - 2);
    if (text[i] == '@') out += concat;
    for (size_t m = 0; m < members; ++m) {
      if (text[i] == '%' && m + 1 < members) out += (m ? " " : "") + concat;
      out += fmt::format(" ?{}{}", name, m);
    }
    out.append(text[i] == '@' ? 1 : members - 1, ')');
    i = close;
  }
  return out;
}

/// One operator that may join others.
struct Member {
  NodeId node;
  ClassId root;
  std::vector<ClassId> operands;
};

/// Which classes lie below the starting ones, through usable nodes.
class Below {
 public:
  explicit Below(const EGraph& g) : g_(g), seen_(g.slots(), 0) {}
  /// Whether any of `targets` is reached from `from`.
  std::vector<bool> reached(ClassId from, std::span<const ClassId> targets) {
    ++round_;
    stack_.assign(1, g_.find(from));
    seen_[stack_[0].index()] = round_;
    while (!stack_.empty()) {
      const ClassId c = stack_.back();
      stack_.pop_back();
      for (NodeId n : g_.nodes_in(c)) {
        if (!g_.usable(n)) continue;
        for (ClassId child : g_.children(n)) {
          child = g_.find(child);
          if (seen_[child.index()] == round_) continue;
          seen_[child.index()] = round_;
          stack_.push_back(child);
        }
      }
    }
    std::vector<bool> out;
    for (ClassId t : targets) out.push_back(seen_[g_.find(t).index()] == round_);
    return out;
  }

 private:
  const EGraph& g_;
  std::vector<uint32_t> seen_;
  std::vector<ClassId> stack_;
  uint32_t round_ = 0;
};

/// Members that can be joined, each in the first set that takes it.
std::vector<std::vector<size_t>> independent_sets(const Family& family, const std::vector<Member>& members,
                                                  Below& below, const GroupOptions& options) {
  std::vector<ClassId> roots;
  for (const Member& m : members) roots.push_back(m.root);
  std::vector<std::vector<bool>> reaches(members.size());
  for (size_t i = 0; i < members.size(); ++i) {
    reaches[i].assign(members.size(), false);
    for (size_t k : family.own) {
      const std::vector<bool> seen = below.reached(members[i].operands[k], roots);
      for (size_t j = 0; j < seen.size(); ++j) reaches[i][j] = reaches[i][j] || seen[j];
    }
  }
  std::vector<std::vector<size_t>> sets;
  for (size_t i = 0; i < members.size(); ++i) {
    const auto takes = [&](const std::vector<size_t>& set) {
      return set.size() < options.most_members && std::ranges::all_of(
                                                      set,
                                                      [&](size_t j) {
                                                        return !reaches[i][j] && !reaches[j][i] &&
                                                               members[i].root != members[j].root;
                                                      });
    };
    const auto it = std::ranges::find_if(sets, takes);
    if (it == sets.end())
      sets.push_back({i});
    else
      it->push_back(i);
  }
  std::erase_if(sets, [](const auto& set) { return set.size() < 2; });
  return sets;
}

/// The attributes that a family's operators must agree on, and the shapes outside the axis they are joined
/// along.
std::vector<uint32_t> key_of(const TensorEGraph& program, const Family& family, const Member& m) {
  const EGraph& g = program.graph();
  const ir::Context& ctx = program.context();
  std::vector<uint32_t> key = {g.payload(m.node)};
  for (size_t i = 0; i < m.operands.size(); ++i)
    if (std::ranges::find(family.own, i) == family.own.end()) key.push_back(m.operands[i].v);
  const size_t first = family.own[0];
  const ir::Type& type = ctx.get(g.data(m.operands[first]).type);
  const auto rank = static_cast<int64_t>(type.shape.size());
  const int64_t joined = family.kind == GroupKind::kStackRows     ? rank - 2
                         : family.kind == GroupKind::kJoinColumns ? 1
                                                                  : 0;
  key.push_back(static_cast<uint32_t>(type.dtype));
  for (int64_t i = 0; i < rank; ++i) {
    const ir::Dim d = type.shape[static_cast<size_t>(i)];
    key.push_back(i == joined ? 0 : d.is_static() ? static_cast<uint32_t>(d.size()) : ~d.symbol().v);
  }
  return key;
}

bool joins_weights(GroupKind kind) {
  return kind == GroupKind::kJoinColumns || kind == GroupKind::kJoinKernels ||
         kind == GroupKind::kJoinKernelsBias;
}

bool eligible(const TensorEGraph& program, const Family& family, const Member& m) {
  const EGraph& g = program.graph();
  const ir::Context& ctx = program.context();
  const auto type = [&](size_t i) -> const ir::Type& { return ctx.get(g.data(m.operands[i]).type); };
  for (size_t i = 0; i < m.operands.size(); ++i) {
    if (!g.data(m.operands[i]).type.valid() || !type(i).is_ranked_tensor()) return false;
    for (ir::Dim d : type(i).shape)
      if (d.is_unknown()) return false;
  }
  const auto weight = [&](size_t i) { return g.data(m.operands[i]).is_weight; };
  switch (family.kind) {
    case GroupKind::kStackRows: return !weight(0) && type(1).shape.size() == 2;
    case GroupKind::kStackBatch:  // along one dimension only: rows where the batches agree
      return !weight(0) && type(1).shape.size() == 2 && type(0).shape.size() > 2 &&
             type(0).shape[0] != ir::Dim(1);
    case GroupKind::kJoinColumns: return !weight(0) && weight(1) && type(1).shape.size() == 2;
    case GroupKind::kJoinKernels: return !weight(0) && weight(1) && m.operands.size() == 2;
    case GroupKind::kJoinKernelsBias: return !weight(0) && m.operands.size() == 3 && weight(1) && weight(2);
    case GroupKind::kConvBatch: return !weight(0) && m.operands.size() == 2;
    case GroupKind::kConvBatchBias: return !weight(0) && m.operands.size() == 3;
  }
  return false;
}

}  // namespace

Rule group_rule(const ir::OpTable& ops, GroupKind kind, size_t members) {
  const Family& f = family_of(kind);
  std::string sizes, conditions(f.shared_conditions);
  for (size_t i = 0; i < members; ++i) {
    sizes += (i ? ", " : "") + numbered(f.size, i);
    conditions += ", " + numbered(f.conditions, i);
  }
  const std::string joined = fmt::format("(split{{axis=?axis, sizes=?sizes}} ({}{} {}))", f.op, f.attrs,
                                         with_joins(f.joined, members));
  std::string text = fmt::format(
      "rule {}-{} {{ origin \"all at once; for pairs, of inputs: TASO, TENSAT\"; stability exact; ordered;\n",
      f.name, members);
  for (size_t i = 0; i < members; ++i)
    text +=
        fmt::format("({}{} {}) => (get{{index={}}} {});\n", f.op, f.attrs, numbered(f.term, i), i, joined);
  text += fmt::format("let ?axis = {}; let ?sizes = [{}];\nif {}; }}\n", f.axis, sizes, conditions);
  RuleSet set = parse_rules(ops, text, "grouping");
  return std::move(set.rules.front());
}

std::vector<Group> find_groups(TensorEGraph& program, const GroupOptions& options) {
  const EGraph& g = program.graph();
  const ir::OpTable& ops = program.context().ops();
  Below below(g);
  std::set<std::pair<GroupKind, uint32_t>> joined;
  for (const auto& [kind, c] : options.joined) joined.emplace(kind, g.find(ClassId(c)).v);
  std::vector<Group> out;
  for (const Family& family : families()) {
    std::map<std::vector<uint32_t>, std::vector<Member>> by_key;
    const ir::OpDef& def = ops.get(ops.at(family.op));
    const auto group_slot = def.attr_index("group");
    for (NodeId n : g.nodes_with_op(ops.at(family.op).v)) {
      if (!g.usable(n)) continue;
      Member m{n, g.class_of(n), {}};
      for (ClassId c : g.children(n)) m.operands.push_back(g.find(c));
      if (g.data(m.root).is_weight || !eligible(program, family, m)) continue;
      const bool kernels =
          family.kind == GroupKind::kJoinKernels || family.kind == GroupKind::kJoinKernelsBias;
      const auto slots = program.language().slots(g.payload(n));
      if (kernels &&
          slots[static_cast<size_t>(group_slot)] != program.context().intern(ir::AttrValue(int64_t{1})).v)
        continue;
      by_key[key_of(program, family, m)].push_back(std::move(m));
    }
    for (const auto& [key, members] : by_key) {
      if (members.size() < 2) continue;
      for (const std::vector<size_t>& set : independent_sets(family, members, below, options)) {
        Group group;
        group.kind = family.kind;
        group.shared = members[set[0]].operands[family.own[0] == 0 ? 1 : 0];
        if (joins_weights(family.kind) && joined.contains({family.kind, group.shared.v})) continue;
        // The rule numbers its variables as it meets them: the first member's operands, then what is new.
        for (size_t i : set) {
          const Member& m = members[i];
          group.roots.push_back(m.root);
          for (size_t k = 0; k < m.operands.size(); ++k)
            if (i == set[0] || std::ranges::find(family.own, k) != family.own.end())
              group.bindings.push_back(m.operands[k].v);
        }
        // Named attributes come in the order of the family's text, which is the operator's.
        const auto slots = program.language().slots(g.payload(members[set[0]].node));
        for (std::string_view attr : {"strides", "dilations", "pads", "group"})
          if (family.attrs.find(fmt::format("{}=?", attr)) != std::string_view::npos)
            group.bindings.push_back(slots[static_cast<size_t>(def.attr_index(attr))]);
        out.push_back(std::move(group));
      }
    }
  }
  return out;
}

}  // namespace isomer::rewrite
