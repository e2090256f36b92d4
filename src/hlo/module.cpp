#include "hlo/module.h"

#include <fmt/format.h>

#include <algorithm>

namespace isomer::hlo {
namespace {

class Difference {
 public:
  Difference(const Module& a, const Module& b) : a_(a), b_(b) {}

  std::string find() {
    if (a_.text(a_.name) != b_.text(b_.name)) return "the names of the modules";
    if (a_.stack_frames != b_.stack_frames) return "the tables of stack frames";
    if (a_.entry != b_.entry) return "the entry computations";
    if (a_.computations.size() != b_.computations.size()) return "the numbers of computations";
    if (!same(a_.attributes_of(a_.header), b_.attributes_of(b_.header))) return "the modules' attributes";
    for (size_t i = 0; i < a_.computations.size(); ++i)
      if (std::string out = computation(a_.computations[i], b_.computations[i]); !out.empty())
        return fmt::format("{}: {}", a_.text(a_.computations[i].name), out);
    return {};
  }

 private:
  std::string computation(const Computation& x, const Computation& y) {
    if (a_.text(x.name) != b_.text(y.name)) return "the names";
    if (x.instructions.first != y.instructions.first || x.instructions.count != y.instructions.count)
      return "the numbers of instructions";
    if (x.root != y.root) return "the roots";
    if (!same(a_.attributes_of(x.attributes), b_.attributes_of(y.attributes))) return "the attributes";
    for (uint32_t i = 0; i < x.instructions.count; ++i) {
      const InstructionId id(x.instructions.first + i);
      if (std::string_view out = instruction(id); !out.empty())
        return fmt::format("{}: {}", a_.text(a_[id].name), out);
    }
    return {};
  }

  std::string_view instruction(InstructionId id) {
    const Instruction &x = a_[id], &y = b_[id];
    if (a_.text(x.name) != b_.text(y.name)) return "the names";
    if (a_.shapes.print(x.shape) != b_.shapes.print(y.shape)) return "the shapes";
    if (x.opcode != y.opcode || x.wrapped != y.wrapped) return "the opcodes";
    if (!std::ranges::equal(a_.operands(id), b_.operands(id))) return "the operands";
    if (x.opcode == Opcode::kParameter && x.value != y.value) return "the numbers of parameters";
    if (x.opcode == Opcode::kConstant && !same(a_.literal(id), b_.literal(id))) return "the contents";
    if (!same(a_.attributes_of(id), b_.attributes_of(id))) return "the attributes";
    return {};
  }

  static bool same(const Literal& x, const Literal& y) { return x.elided == y.elided && x.bytes == y.bytes; }

  bool same(std::span<const Attribute> x, std::span<const Attribute> y) {
    if (x.size() != y.size()) return false;
    return std::ranges::all_of(x, [&](const Attribute& one) {
      const auto other = std::ranges::find(y, one.name, &Attribute::name);
      return other != y.end() && same(one, *other);
    });
  }

  bool same_text(int64_t x, int64_t y) { return a_.text(text_id(x)) == b_.text(text_id(y)); }
  static TextId text_id(int64_t n) { return TextId(static_cast<uint32_t>(n)); }
  static ShapeId shape_id(int64_t n) { return ShapeId(static_cast<uint32_t>(n)); }

  bool same(const Attribute& x, const Attribute& y) {
    const auto p = a_.value(x), q = b_.value(y);
    if (p.size() != q.size()) return false;
    switch (row(x.name).kind) {
      case AttributeKind::kText:
      case AttributeKind::kBraced:
      case AttributeKind::kSharding: return same_text(p[0], q[0]);
      case AttributeKind::kTextOrBraced: return same_text(p[0], q[0]) && p[1] == q[1];
      case AttributeKind::kShape:
      case AttributeKind::kShapes:
      case AttributeKind::kComputationLayout:
        return std::ranges::equal(p, q, [&](int64_t m, int64_t n) {
          return a_.shapes.print(shape_id(m)) == b_.shapes.print(shape_id(n));
        });
      case AttributeKind::kLiteral:
        return same(a_.literals[static_cast<size_t>(p[0])], b_.literals[static_cast<size_t>(q[0])]) &&
               a_.shapes.print(a_.literals[static_cast<size_t>(p[0])].shape) ==
                   b_.shapes.print(b_.literals[static_cast<size_t>(q[0])].shape);
      case AttributeKind::kMap:
        for (size_t i = 0; i < p.size(); i += 3)
          if (!same_text(p[i], q[i]) || !same_text(p[i + 1], q[i + 1]) || p[i + 2] != q[i + 2]) return false;
        return true;
      case AttributeKind::kMetadata: return same_metadata(p, q);
      default: return std::ranges::equal(p, q);
    }
  }

  bool same_metadata(std::span<const int64_t> p, std::span<const int64_t> q) {
    for (size_t i = 0; i + 1 < p.size();) {
      if (p[i] != q[i]) return false;
      const MetadataKind kind = kind_of(static_cast<MetadataField>(p[i]));
      if (kind == MetadataKind::kText ? !same_text(p[i + 1], q[i + 1]) : p[i + 1] != q[i + 1]) return false;
      const size_t items = kind == MetadataKind::kInts ? static_cast<size_t>(p[i + 1]) : 0;
      if (!std::ranges::equal(p.subspan(i + 2, items), q.subspan(i + 2, items))) return false;
      i += 2 + items;
    }
    return true;
  }

  const Module& a_;
  const Module& b_;
};

}  // namespace

std::optional<std::span<const int64_t>> Module::find(InstructionId id, AttributeName name) const {
  for (const Attribute& attribute : attributes_of(id))
    if (attribute.name == name) return value(attribute);
  return std::nullopt;
}

std::span<const int64_t> Module::list(InstructionId id, AttributeName name) const {
  return find(id, name).value_or(std::span<const int64_t>{});
}

int64_t Module::number(InstructionId id, AttributeName name) const {
  const auto found = find(id, name);
  return found && !found->empty() ? (*found)[0] : row(name).missing;
}

std::optional<Opcode> Module::binary_function(ComputationId id) const {
  const InstructionId root = computations[id.v].root;
  const auto own = parameters_of(id), used = operands(root);
  if (own.size() != 2 || used.size() != 2) return std::nullopt;
  if (!std::ranges::equal(own, used) && !(own[0] == used[1] && own[1] == used[0])) return std::nullopt;
  return instructions[root.v].opcode;
}

void Module::called(InstructionId id, std::vector<ComputationId>& out) const {
  for (const Attribute& attribute : attributes_of(id)) {
    const AttributeKind kind = row(attribute.name).kind;
    if (kind == AttributeKind::kComputation || kind == AttributeKind::kComputations)
      for (const int64_t n : value(attribute)) out.emplace_back(static_cast<uint32_t>(n));
  }
}

InputPosition Module::position(uint32_t offset) const {
  if (line_starts.empty()) return {file, 0, 0};
  const auto line = std::ranges::upper_bound(line_starts, offset) - line_starts.begin();
  return {file, static_cast<int>(line),
          static_cast<int>(offset - line_starts[static_cast<size_t>(line) - 1]) + 1};
}

size_t Module::elided_literals() const {
  return static_cast<size_t>(std::ranges::count_if(literals, &Literal::elided));
}

std::string difference(const Module& a, const Module& b) { return Difference(a, b).find(); }

}  // namespace isomer::hlo
