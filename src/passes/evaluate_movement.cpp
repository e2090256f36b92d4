// Movement of known elements: of each element of one side it is said where it stands on the other.
#include <algorithm>
#include <cstring>

#include "passes/evaluate.h"

namespace isomer::passes {
namespace {

/// Places base + sum of index * step over an array of these sizes, in the order of its elements.
struct Places {
  Dims sizes, steps;
  int64_t base = 0;

  template <class See>
  void each(See&& see) const {
    if (std::ranges::count(sizes, 0) > 0) return;
    Dims index(sizes.size(), 0);
    int64_t at = base;
    for (int64_t i = 0;; ++i) {
      see(i, at);
      size_t d = sizes.size();
      for (; d > 0; --d) {
        at += steps[d - 1];
        if (++index[d - 1] < sizes[d - 1]) break;
        at -= steps[d - 1] * sizes[d - 1];
        index[d - 1] = 0;
      }
      if (d == 0) return;
    }
  }
};

Dims strides(const Dims& sizes) {
  Dims out(sizes.size(), 1);
  for (size_t d = sizes.size(); d-- > 1;) out[d - 1] = out[d] * sizes[d];
  return out;
}

class Movement {
 public:
  Movement(const Module& module, InstructionId id, std::span<const BytesView> operands)
      : m_(module), id_(id), operands_(operands), sizes_(dims(id)) {
    width_ = static_cast<size_t>(hlo::row(m_.shapes[m_.shape(id)].element).bytes);
  }

  std::optional<Bytes> run() {
    switch (m_[id_].opcode) {
      case Opcode::kReshape:
      case Opcode::kCopy: return Bytes(operands_[0].begin(), operands_[0].end());
      case Opcode::kBroadcast: return broadcast();
      case Opcode::kTranspose: return transpose();
      case Opcode::kSlice: return slice();
      case Opcode::kReverse: return reverse();
      case Opcode::kDynamicSlice: return dynamic_slice();
      case Opcode::kDynamicUpdateSlice: return dynamic_update_slice();
      case Opcode::kConcatenate: return concatenate();
      case Opcode::kPad: return pad();
      default: return std::nullopt;
    }
  }

 private:
  Dims dims(InstructionId id) const {
    const auto of = m_.shapes.dims(m_.shape(id));
    return {of.begin(), of.end()};
  }
  Dims operand_dims(size_t i) const { return dims(m_.operands(id_)[i]); }
  Dims list(AttributeName name) const {
    const auto of = m_.list(id_, name);
    return {of.begin(), of.end()};
  }
  Bytes gathered(const Places& from) const {
    Bytes out(static_cast<size_t>(m_.shapes.elements(m_.shape(id_))) * width_);
    from.each([&](int64_t i, int64_t at) { copy(out.data(), i, operands_[0].data(), at); });
    return out;
  }
  void scatter(BytesView elements, const Places& to, Bytes& out) const {
    to.each([&](int64_t i, int64_t at) { copy(out.data(), at, elements.data(), i); });
  }
  void copy(std::byte* to, int64_t i, const std::byte* from, int64_t j) const {
    std::memcpy(to + static_cast<size_t>(i) * width_, from + static_cast<size_t>(j) * width_, width_);
  }

  Bytes broadcast() const {
    Places from{sizes_, Dims(sizes_.size(), 0)};
    const Dims of = strides(operand_dims(0)), places = list(AttributeName::kDimensions);
    for (size_t d = 0; d < of.size(); ++d) from.steps[static_cast<size_t>(places[d])] = of[d];
    return gathered(from);
  }

  Bytes transpose() const {
    Places from{sizes_, {}};
    const Dims of = strides(operand_dims(0));
    for (const int64_t d : list(AttributeName::kDimensions)) from.steps.push_back(of[static_cast<size_t>(d)]);
    return gathered(from);
  }

  Bytes slice() const {
    Places from{sizes_, strides(operand_dims(0))};
    const Dims numbers = list(AttributeName::kSlice);
    for (size_t d = 0; d < sizes_.size(); ++d) {
      from.base += numbers[3 * d] * from.steps[d];
      from.steps[d] *= numbers[3 * d + 2];
    }
    return gathered(from);
  }

  Bytes reverse() const {
    Places from{sizes_, strides(sizes_)};
    for (const int64_t d : list(AttributeName::kDimensions)) {
      int64_t& step = from.steps[static_cast<size_t>(d)];
      from.base += (sizes_[static_cast<size_t>(d)] - 1) * step;
      step = -step;
    }
    return gathered(from);
  }

  /// Moved to where a part of these sizes fits, as XLA does when it runs; nothing for starts in one array.
  std::optional<int64_t> start(size_t first, const Dims& whole, const Dims& part) const {
    if (operands_.size() != first + whole.size()) return std::nullopt;
    const Dims steps = strides(whole);
    int64_t out = 0;
    for (size_t d = 0; d < whole.size(); ++d) {
      const Primitive type = m_.shapes[m_.shape(m_.operands(id_)[first + d])].element;
      if (!is_known(type) || operands_[first + d].empty()) return std::nullopt;
      const bool is_unsigned = hlo::row(type).kind == hlo::PrimitiveKind::kUnsigned;
      const int64_t number = load(type, operands_[first + d].data()).whole;
      const int64_t most = whole[d] - part[d];
      out += steps[d] * (is_unsigned && number < 0 ? most : std::clamp<int64_t>(number, 0, most));
    }
    return out;
  }

  std::optional<Bytes> dynamic_slice() const {
    const Dims whole = operand_dims(0);
    const auto base = start(1, whole, sizes_);
    if (!base) return std::nullopt;
    return gathered({sizes_, strides(whole), *base});
  }

  std::optional<Bytes> dynamic_update_slice() const {
    const Dims part = operand_dims(1);
    const auto base = start(2, sizes_, part);
    if (!base) return std::nullopt;
    Bytes out(operands_[0].begin(), operands_[0].end());
    scatter(operands_[1], {part, strides(sizes_), *base}, out);
    return out;
  }

  Bytes concatenate() const {
    const auto along = static_cast<size_t>(list(AttributeName::kDimensions)[0]);
    Bytes out(static_cast<size_t>(m_.shapes.elements(m_.shape(id_))) * width_);
    const Dims steps = strides(sizes_);
    int64_t base = 0;
    for (size_t i = 0; i < operands_.size(); ++i) {
      const Dims part = operand_dims(i);
      scatter(operands_[i], {part, steps, base}, out);
      base += part[along] * steps[along];
    }
    return out;
  }

  std::optional<Bytes> pad() const {
    const Dims padding = list(AttributeName::kPadding);
    if (std::ranges::any_of(padding, [](int64_t n) { return n < 0; })) return std::nullopt;
    Places to{operand_dims(0), strides(sizes_)};
    for (size_t d = 0; d < sizes_.size(); ++d) {
      to.base += padding[3 * d] * to.steps[d];
      to.steps[d] *= padding[3 * d + 2] + 1;
    }
    const int64_t elements = m_.shapes.elements(m_.shape(id_));
    Bytes out(static_cast<size_t>(elements) * width_);
    for (int64_t i = 0; i < elements; ++i) copy(out.data(), i, operands_[1].data(), 0);
    scatter(operands_[0], to, out);
    return out;
  }

  const Module& m_;
  InstructionId id_;
  std::span<const BytesView> operands_;
  Dims sizes_;
  size_t width_;
};

}  // namespace

std::optional<Bytes> moved(const Module& module, InstructionId id, std::span<const BytesView> operands) {
  return Movement(module, id, operands).run();
}

}  // namespace isomer::passes
