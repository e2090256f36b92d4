#include "hlo/dag_hash.h"

#include <algorithm>
#include <vector>

#include "support/hash.h"

namespace isomer::hlo {
namespace {

constexpr uint64_t kRoot = 0x5261F8D9A1C3E07Bull;
constexpr uint64_t kElided = 0x2E2E2E;

class Hasher {
 public:
  explicit Hasher(const Module& module)
      : m_(module), up_(module.instructions.size()), down_(module.instructions.size()) {
    computations_.reserve(module.computations.size());
    for (size_t i = 0; i < module.computations.size(); ++i)
      computations_.push_back(computation(ComputationId(i)));
  }

  uint64_t of(ComputationId id) const { return computations_[id.v]; }
  const std::vector<uint64_t>& upwards() const { return up_; }
  uint64_t own(InstructionId id) const { return hash_combine(kind(id), attributes(id)); }

  uint64_t of_module() {
    uint64_t sum = 0;
    for (const Attribute& a : m_.attributes_of(m_.header))
      if (row(a.name).semantic && !is_missing(a) && !is_own_layout(a)) sum += attribute(a);
    return hash_combine(of(m_.entry), sum);
  }

 private:
  uint64_t computation(ComputationId id) {
    const Computation& c = m_[id];
    const uint32_t first = c.instructions.first, end = first + c.instructions.count;
    for (uint32_t i = first; i < end; ++i) up_[i] = upwards(InstructionId(i));
    down_[c.root.v] += kRoot;
    uint64_t sum = 0;
    for (uint32_t i = end; i-- > first;) {
      const uint64_t all = hash_combine(up_[i], down_[i]);
      sum += all;
      uint64_t place = 0;
      for (const InstructionId operand : m_.operands(InstructionId(i)))
        down_[operand.v] += mix64(all + ++place);
    }
    for (const Attribute& a : m_.attributes_of(c.attributes)) sum += attribute(a);
    return hash_combine(hash_combine(sum, c.instructions.count), up_[c.root.v]);
  }

  uint64_t upwards(InstructionId id) const {
    uint64_t hash = kind(id);
    for (const InstructionId operand : m_.operands(id)) hash = hash_combine(hash, up_[operand.v]);
    const uint64_t sum = attributes(id);
    return sum == 0 ? hash : hash_combine(hash, sum);
  }

  uint64_t kind(InstructionId id) const {
    const Instruction& i = m_[id];
    uint64_t hash = hash_combine(static_cast<uint64_t>(i.opcode) << 8 | static_cast<uint64_t>(i.wrapped),
                                 m_.shapes[i.shape].hash);
    if (i.opcode == Opcode::kParameter) hash = hash_combine(hash, i.value);
    if (i.opcode == Opcode::kConstant) hash = hash_combine(hash, contents(m_.literal(id)));
    return hash;
  }

  uint64_t attributes(InstructionId id) const {
    uint64_t sum = 0;
    for (const Attribute& a : m_.attributes_of(id))
      if (row(a.name).semantic && !is_missing(a) && !is_usual_comparison(id, a)) sum += attribute(a);
    return sum;
  }

  /// Whether it says what its absence says.
  bool is_missing(const Attribute& a) const {
    const auto v = m_.value(a);
    const AttributeRow& r = row(a.name);
    if (r.missing == AttributeRow::kNoItems)
      return v.empty() || (r.kind == AttributeKind::kDevices && v.size() == 1);
    if (a.name == AttributeName::kOperandPrecision)
      return std::ranges::all_of(v, [](int64_t n) { return n == 0; });
    return r.missing != AttributeRow::kNone && v.size() == 1 && v[0] == r.missing;
  }

  bool is_usual_comparison(InstructionId id, const Attribute& a) const {
    if (a.name != AttributeName::kType || m_.operands(id).empty()) return false;
    const PrimitiveKind kind = row(m_.shapes[m_.shape(m_.operands(id)[0])].element).kind;
    const auto type = static_cast<ComparisonType>(m_.value(a)[0]);
    switch (kind) {
      case PrimitiveKind::kFloat:
      case PrimitiveKind::kComplex: return type == ComparisonType::kFloat;
      case PrimitiveKind::kSigned: return type == ComparisonType::kSigned;
      default: return type == ComparisonType::kUnsigned;
    }
  }

  /// An entry layout that repeats the shapes of the entry computation says nothing.
  bool is_own_layout(const Attribute& a) const {
    if (a.name != AttributeName::kEntryComputationLayout) return false;
    const auto v = m_.value(a);
    const auto parameters = m_.parameters_of(m_.entry);
    if (v.size() != parameters.size() + 1) return false;
    const auto same = [&](int64_t given, ShapeId own) {
      return m_.shapes[ShapeId(static_cast<uint32_t>(given))].hash == m_.shapes[own].hash;
    };
    for (size_t i = 0; i < parameters.size(); ++i)
      if (!same(v[i], m_.shape(parameters[i]))) return false;
    return same(v.back(), m_.result_shape(m_.entry));
  }

  uint64_t attribute(const Attribute& a) const {
    const auto v = m_.value(a);
    const auto text = [&](size_t i) { return m_.texts.hash(TextId(static_cast<uint32_t>(v[i]))); };
    uint64_t hash = mix64(static_cast<uint64_t>(a.name) + 1);
    switch (row(a.name).kind) {
      case AttributeKind::kText:
      case AttributeKind::kBraced:
      case AttributeKind::kTextOrBraced:
      case AttributeKind::kSharding: return hash_combine(hash, text(0));
      case AttributeKind::kComputation:
      case AttributeKind::kComputations:
        for (const int64_t n : v) hash = hash_combine(hash, computations_[static_cast<size_t>(n)]);
        return hash;
      case AttributeKind::kInstructions: {
        uint64_t sum = 0;
        for (const int64_t n : v) sum += mix64(up_[static_cast<size_t>(n)]);
        return hash_combine(hash, sum);
      }
      case AttributeKind::kShape:
      case AttributeKind::kShapes:
      case AttributeKind::kComputationLayout:
        for (const int64_t n : v)
          hash = hash_combine(hash, m_.shapes[ShapeId(static_cast<uint32_t>(n))].hash);
        return hash;
      case AttributeKind::kLiteral:
        return hash_combine(hash, contents(m_.literals[static_cast<size_t>(v[0])]));
      case AttributeKind::kMap: {
        uint64_t sum = 0;
        for (size_t i = 0; i < v.size(); i += 3) sum += hash_combine(text(i), text(i + 1));
        return hash_combine(hash, sum);
      }
      default:
        for (const int64_t n : v) hash = hash_combine(hash, static_cast<uint64_t>(n));
        return hash;
    }
  }

  uint64_t contents(const Literal& literal) const {
    const uint64_t shape = m_.shapes[literal.shape].hash;
    if (literal.elided) return hash_combine(shape, kElided);
    if (literal.bytes.size() > 8) return hash_bytes(literal.bytes, shape);
    uint64_t word = 0;
    for (const std::byte b : literal.bytes) word = word << 8 | static_cast<uint64_t>(b);
    return hash_combine(shape, word);
  }

  const Module& m_;
  std::vector<uint64_t> up_, down_, computations_;
};

}  // namespace

uint64_t dag_hash(const Module& module) { return Hasher(module).of_module(); }

uint64_t dag_hash(const Module& module, ComputationId computation) { return Hasher(module).of(computation); }

std::vector<uint64_t> term_hashes(const Module& module) { return Hasher(module).upwards(); }

std::vector<uint64_t> own_hashes(const Module& module) {
  const Hasher hasher(module);
  std::vector<uint64_t> out;
  out.reserve(module.instructions.size());
  for (uint32_t i = 0; i < module.instructions.size(); ++i) out.push_back(hasher.own(InstructionId(i)));
  return out;
}

}  // namespace isomer::hlo
