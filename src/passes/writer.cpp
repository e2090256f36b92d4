#include "passes/writer.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "support/hash.h"

namespace isomer::passes {
namespace {

template <class T>
std::vector<std::byte> bytes_of(T value) {
  std::vector<std::byte> out(sizeof(T));
  std::memcpy(out.data(), &value, sizeof(T));
  return out;
}

hlo::Layout default_layout(size_t rank) {
  hlo::Layout out;
  out.given = rank > 0;
  for (size_t i = rank; i-- > 0;) out.minor_to_major.push_back(static_cast<int64_t>(i));
  return out;
}

Dims copied(DimsView view) { return {view.begin(), view.end()}; }

}  // namespace

std::vector<std::byte> scalar_bytes(Primitive element, double value) {
  const hlo::PrimitiveRow& row = hlo::row(element);
  if (element == Primitive::kF32) return bytes_of(static_cast<float>(value));
  if (element == Primitive::kF64) return bytes_of(value);
  std::vector<std::byte> out;
  if (hlo::is_float(element)) {
    out = bytes_of(hlo::encode_float(row, value));
  } else if (hlo::is_complex(element)) {
    out = scalar_bytes(hlo::part_of(element), value);
    out.resize(2 * out.size());
  } else if (row.kind == hlo::PrimitiveKind::kUnsigned) {
    out = bytes_of(static_cast<uint64_t>(value));
  } else {
    out = bytes_of(static_cast<int64_t>(value));
  }
  out.resize(static_cast<size_t>(row.bytes));
  return out;
}

ShapeId Writer::shape(Module& module, Primitive element, DimsView dims) {
  return module.shapes.array(element, dims, 0, default_layout(dims.size()));
}

ShapeId Writer::plain_array(InstructionId a) {
  const ShapeId id = module_.shape(a);
  const hlo::Shape& of = module_.shapes[id];
  if (of.kind != hlo::ShapeKind::kArray) return id;
  return array(of.element, copied(module_.shapes.dims(id)));
}

InstructionId Writer::add(Opcode opcode, ShapeId shape, std::span<const InstructionId> operands,
                          std::initializer_list<AttributeValue> values) {
  hlo::Instruction i;
  i.opcode = i.wrapped = opcode;
  i.shape = shape;
  i.attributes = attributes(std::span(values.begin(), values.size()));
  return append(i, operands);
}

InstructionId Writer::again(InstructionId like, ShapeId shape, std::span<const InstructionId> operands,
                            std::span<const AttributeValue> instead) {
  hlo::Instruction i = module_[like];
  const auto first = static_cast<uint32_t>(module_.attributes.size());
  for (uint32_t n = 0; n < i.attributes.count; ++n) {
    const hlo::Attribute a = module_.attributes[i.attributes.first + n];  // they move when one is added
    if (hlo::row(a.name).semantic && a.name != AttributeName::kControlPredecessors &&
        std::ranges::find(instead, a.name, &AttributeValue::name) == instead.end())
      module_.attributes.push_back(a);
  }
  for (const AttributeValue& v : instead)
    if (!v.numbers.empty()) attribute(v);
  i.attributes = {first, static_cast<uint32_t>(module_.attributes.size()) - first};
  i.name = {};
  i.offset = 0;
  i.shape = shape;
  return append(i, operands);
}

hlo::Range Writer::attributes(std::span<const AttributeValue> values) {
  const hlo::Range out = {static_cast<uint32_t>(module_.attributes.size()),
                          static_cast<uint32_t>(values.size())};
  for (const AttributeValue& v : values) attribute(v);
  return out;
}

void Writer::attribute(const AttributeValue& v) {
  module_.attributes.push_back(
      {v.name, {static_cast<uint32_t>(module_.numbers.size()), static_cast<uint32_t>(v.numbers.size())}});
  module_.numbers.insert(module_.numbers.end(), v.numbers.begin(), v.numbers.end());
}

uint64_t Writer::key(const hlo::Instruction& i) const {
  uint64_t out = hash_combine(static_cast<uint64_t>(i.opcode), i.shape.v);
  const auto operands = std::span(module_.operand_ids).subspan(i.operands.first, i.operands.count);
  for (const InstructionId id : operands) out = hash_combine(out, id.v);
  for (const hlo::Attribute& a : module_.attributes_of(i.attributes)) {
    out = hash_combine(out, static_cast<uint64_t>(a.name));
    for (const int64_t n : module_.value(a)) out = hash_combine(out, static_cast<uint64_t>(n));
  }
  if (i.opcode == Opcode::kParameter) out = hash_combine(out, i.value);
  if (i.opcode == Opcode::kConstant) out = hash_combine(out, hash_bytes(module_.literals[i.value].bytes));
  return out;
}

bool Writer::same(const hlo::Instruction& a, const hlo::Instruction& b) const {
  const auto operands = [&](const hlo::Instruction& i) {
    return std::span(module_.operand_ids).subspan(i.operands.first, i.operands.count);
  };
  const auto same_attribute = [&](const hlo::Attribute& x, const hlo::Attribute& y) {
    return x.name == y.name && std::ranges::equal(module_.value(x), module_.value(y));
  };
  if (a.opcode != b.opcode || a.shape != b.shape || !std::ranges::equal(operands(a), operands(b)) ||
      !std::ranges::equal(module_.attributes_of(a.attributes), module_.attributes_of(b.attributes),
                          same_attribute))
    return false;
  if (a.opcode == Opcode::kParameter) return a.value == b.value;
  return a.opcode != Opcode::kConstant || module_.literals[a.value].bytes == module_.literals[b.value].bytes;
}

InstructionId Writer::append(const hlo::Instruction& instruction, std::span<const InstructionId> operands) {
  hlo::Instruction i = instruction;
  std::vector<InstructionId>& all = module_.operand_ids;
  i.operands = {static_cast<uint32_t>(all.size()), static_cast<uint32_t>(operands.size())};
  if (all.capacity() - all.size() < operands.size()) {  // they may be another instruction's, which would move
    const std::vector<InstructionId> held(operands.begin(), operands.end());
    all.insert(all.end(), held.begin(), held.end());
  } else {
    for (const InstructionId operand : operands) all.push_back(operand);
  }
  const uint64_t of = hash_combine(key(i), home_.v);
  for (auto [at, end] = written_.equal_range(of); at != end; ++at)
    if (at->second.home == home_ && same(module_[at->second.id], i)) {
      module_.operand_ids.resize(i.operands.first);
      return at->second.id;
    }
  const InstructionId out(module_.instructions.size());
  module_.instructions.push_back(i);
  written_.emplace(of, Written{home_, out});
  return out;
}

InstructionId Writer::compare(hlo::Direction direction, InstructionId a, InstructionId b) {
  const Dims dims = copied(module_.shapes.dims(module_.shape(a)));
  return add(Opcode::kCompare, array(Primitive::kPred, dims), {a, b},
             {{AttributeName::kDirection, {static_cast<int64_t>(direction)}}});
}

InstructionId Writer::broadcast(InstructionId a, DimsView dims, DimsView places) {
  return add(Opcode::kBroadcast, array(module_.shapes[module_.shape(a)].element, dims), {a},
             {{AttributeName::kDimensions, copied(places)}});
}

InstructionId Writer::reshape(InstructionId a, DimsView dims) {
  return add(Opcode::kReshape, array(module_.shapes[module_.shape(a)].element, dims), {a});
}

InstructionId Writer::transpose(InstructionId a, DimsView permutation) {
  const hlo::Shape& of = module_.shapes[module_.shape(a)];
  const DimsView dims = module_.shapes.dims(module_.shape(a));
  Dims out;
  for (const int64_t p : permutation) out.push_back(dims[static_cast<size_t>(p)]);
  return add(Opcode::kTranspose, array(of.element, out), {a},
             {{AttributeName::kDimensions, copied(permutation)}});
}

InstructionId Writer::slice(InstructionId a, DimsView starts, DimsView limits, DimsView strides) {
  Dims out, numbers;
  for (size_t d = 0; d < starts.size(); ++d) {
    const int64_t span = limits[d] - starts[d];
    out.push_back(span <= 0 ? 0 : (span + strides[d] - 1) / strides[d]);
    numbers.insert(numbers.end(), {starts[d], limits[d], strides[d]});
  }
  return add(Opcode::kSlice, array(module_.shapes[module_.shape(a)].element, out), {a},
             {{AttributeName::kSlice, numbers}});
}

InstructionId Writer::pad(InstructionId a, InstructionId value, DimsView padding) {
  const DimsView dims = module_.shapes.dims(module_.shape(a));
  Dims out;
  for (size_t d = 0; d < dims.size(); ++d)
    out.push_back(dims[d] + padding[3 * d] + padding[3 * d + 1] +
                  std::max<int64_t>(dims[d] - 1, 0) * padding[3 * d + 2]);
  return add(Opcode::kPad, array(module_.shapes[module_.shape(a)].element, out), {a, value},
             {{AttributeName::kPadding, copied(padding)}});
}

InstructionId Writer::concatenate(std::span<const InstructionId> parts, int64_t dimension) {
  Dims out = copied(module_.shapes.dims(module_.shape(parts[0])));
  const auto at = static_cast<size_t>(dimension);
  out[at] = 0;
  for (const InstructionId part : parts) out[at] += module_.shapes.dims(module_.shape(part))[at];
  return add(Opcode::kConcatenate, array(module_.shapes[module_.shape(parts[0])].element, out), parts,
             {{AttributeName::kDimensions, {dimension}}});
}

InstructionId Writer::iota(Primitive element, DimsView dims, int64_t dimension) {
  return add(Opcode::kIota, array(element, dims), {}, {{AttributeName::kIotaDimension, {dimension}}});
}

InstructionId Writer::reverse(InstructionId a, DimsView dims) {
  return add(Opcode::kReverse, plain_array(a), {a}, {{AttributeName::kDimensions, copied(dims)}});
}

InstructionId Writer::convert(InstructionId a, Primitive element) {
  const Dims dims = copied(module_.shapes.dims(module_.shape(a)));
  return add(Opcode::kConvert, array(element, dims), {a});
}

InstructionId Writer::dot(InstructionId a, InstructionId b, const DotDims& d, Primitive element,
                          std::span<const AttributeValue> precision) {
  const Dims left = copied(module_.shapes.dims(module_.shape(a)));
  const Dims right = copied(module_.shapes.dims(module_.shape(b)));
  Dims out;
  for (const int64_t i : d.left_batch) out.push_back(left[static_cast<size_t>(i)]);
  const auto rest = [&](const Dims& dims, const Dims& batch, const Dims& contracting) {
    for (size_t i = 0; i < dims.size(); ++i)
      if (std::ranges::count(batch, static_cast<int64_t>(i)) == 0 &&
          std::ranges::count(contracting, static_cast<int64_t>(i)) == 0)
        out.push_back(dims[i]);
  };
  rest(left, d.left_batch, d.left_contracting);
  rest(right, d.right_batch, d.right_contracting);
  std::vector<AttributeValue> values;
  const auto put = [&](AttributeName name, const Dims& dims) {
    if (!dims.empty()) values.push_back({name, dims});
  };
  put(AttributeName::kLhsBatchDims, d.left_batch);
  put(AttributeName::kLhsContractingDims, d.left_contracting);
  put(AttributeName::kRhsBatchDims, d.right_batch);
  put(AttributeName::kRhsContractingDims, d.right_contracting);
  values.insert(values.end(), precision.begin(), precision.end());
  hlo::Instruction i;
  i.opcode = i.wrapped = Opcode::kDot;
  i.shape = array(element, out);
  i.attributes = attributes(values);
  const InstructionId operands[] = {a, b};
  return append(i, operands);
}

InstructionId Writer::reduce(InstructionId a, InstructionId initial, DimsView dims, ComputationId combiner) {
  const Dims of = copied(module_.shapes.dims(module_.shape(a)));
  Dims out;
  for (size_t d = 0; d < of.size(); ++d)
    if (std::ranges::count(dims, static_cast<int64_t>(d)) == 0) out.push_back(of[d]);
  return add(Opcode::kReduce, array(module_.shapes[module_.shape(a)].element, out), {a, initial},
             {{AttributeName::kDimensions, copied(dims)}, {AttributeName::kToApply, {int64_t{combiner.v}}}});
}

InstructionId Writer::tuple(std::span<const InstructionId> parts) {
  std::vector<ShapeId> shapes;
  for (const InstructionId part : parts) shapes.push_back(module_.shape(part));
  return add(Opcode::kTuple, module_.shapes.tuple(hlo::ShapeKind::kTuple, shapes), parts);
}

InstructionId Writer::part(InstructionId tuple, int64_t index) {
  return add(Opcode::kGetTupleElement, module_.shapes.part(module_.shape(tuple), static_cast<size_t>(index)),
             {tuple}, {{AttributeName::kIndex, {index}}});
}

InstructionId Writer::constant(Primitive element, double value) {
  return constant(array(element, {}), scalar_bytes(element, value));
}

InstructionId Writer::constant(ShapeId shape, std::vector<std::byte> bytes) {
  hlo::Instruction i;
  i.opcode = i.wrapped = Opcode::kConstant;
  i.shape = shape;
  i.value = static_cast<uint32_t>(module_.literals.size());
  i.attributes = attributes({});
  module_.literals.push_back({shape, std::move(bytes), false});
  const InstructionId out = append(i, {});
  if (module_[out].value != i.value) module_.literals.pop_back();
  return out;
}

InstructionId Writer::parameter(int64_t number, ShapeId shape) {
  hlo::Instruction i;
  i.opcode = i.wrapped = Opcode::kParameter;
  i.shape = shape;
  i.value = static_cast<uint32_t>(number);
  i.attributes = attributes({});
  return append(i, {});
}

void Writer::begin_computation() {
  home_before_ = home_;
  // No computation of the module has such a number.
  home_ = ComputationId(~0U - 1 - inside_++);
}

ComputationId Writer::computation(std::string_view name, uint32_t first,
                                  std::span<const InstructionId> parameters) {
  home_ = home_before_;
  hlo::Computation c;
  std::string free(name);
  for (size_t n = module_.computations.size(); module_.texts.find(free).valid(); ++n)
    free = std::string(name) + "." + std::to_string(n);
  c.name = module_.texts.intern(free);
  const auto end = static_cast<uint32_t>(module_.instructions.size());
  c.instructions = {first, end - first};
  c.root = InstructionId(end - 1);
  c.parameters = {static_cast<uint32_t>(module_.parameters.size()), static_cast<uint32_t>(parameters.size())};
  module_.parameters.insert(module_.parameters.end(), parameters.begin(), parameters.end());
  module_.computations.push_back(c);
  return ComputationId(module_.computations.size() - 1);
}

ComputationId Writer::combiner(Opcode opcode, Primitive element) {
  for (const auto& [key, id] : combiners_)
    if (key == std::pair(opcode, element)) return id;
  begin_computation();
  const auto first = static_cast<uint32_t>(module_.instructions.size());
  const ShapeId scalar = array(element, {});
  const InstructionId parameters[] = {parameter(0, scalar), parameter(1, scalar)};
  add(opcode, scalar, std::span(parameters));
  const ComputationId out = computation("scalar_" + std::string(hlo::name(opcode)), first, parameters);
  combiners_.push_back({{opcode, element}, out});
  return out;
}

}  // namespace isomer::passes
