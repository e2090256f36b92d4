#include "cost/hlo_analysis.h"

#include <algorithm>
#include <vector>

#include "hlo/window.h"

namespace isomer::cost {
namespace {

using hlo::AttributeName;
using hlo::ComputationId;
using hlo::InstructionId;
using hlo::Module;
using hlo::Opcode;
using hlo::ShapeId;
using hlo::ShapeKind;

/// What a transcendental function costs beside an addition, where time is meant: polynomials of some eight
/// terms, customary.
constexpr double kFlopsOfTranscendental = 10;

class Counter {
 public:
  explicit Counter(const Module& module) : m_(module), known_(module.computations.size()) {}

  HloCounts of(ComputationId id) {
    Known& known = known_[id.v];
    if (!known.done) {
      const hlo::Range all = m_[id].instructions;
      for (uint32_t i = 0; i < all.count; ++i) known.counts += of(InstructionId(all.first + i));
      known.done = true;
    }
    return known.counts;
  }

  HloCounts of(InstructionId id) {
    HloCounts out;
    out.bytes = bytes_of(id);
    switch (m_[id].opcode) {
      case Opcode::kParameter:
      case Opcode::kConstant:
      case Opcode::kGetTupleElement:
      case Opcode::kTuple:
      case Opcode::kBitcast:
      case Opcode::kAfterAll:
      case Opcode::kAddDependency:
      case Opcode::kOptimizationBarrier:
      case Opcode::kDomain: return {};
      case Opcode::kDot: out.flops = 2 * elements(m_.shape(id)) * contracted(id); return out;
      case Opcode::kConvolution: out.flops = 2 * products_of_convolution(id); return out;
      case Opcode::kReduce: return reduce(id, out);
      case Opcode::kReduceWindow: return repeat(id, AttributeName::kToApply, window_applications(id), out);
      case Opcode::kMap: return repeat(id, AttributeName::kToApply, elements(m_.shape(id)), out);
      case Opcode::kScatter:
        return repeat(id, AttributeName::kToApply, elements(m_.shape(m_.operands(id).back())), out);
      case Opcode::kSelectAndScatter:
        return repeat(id, AttributeName::kScatter, elements(m_.shape(m_.operands(id)[1])), out);
      case Opcode::kAllReduce:
      case Opcode::kAllReduceStart:
      case Opcode::kReduceScatter:
        return repeat(id, AttributeName::kToApply, elements(m_.shape(m_.operands(id)[0])), out);
      case Opcode::kSort: {
        // n log n comparisons a row.
        const double n = elements(m_.shape(m_.operands(id)[0]));
        double logarithm = 0;
        for (double left = n; left > 1; left /= 2) ++logarithm;
        out.flops = n * logarithm;
        return out;
      }
      case Opcode::kFusion: {
        const HloCounts inside = of(callees(id)[0]);
        out.flops = inside.flops;
        out.transcendentals = inside.transcendentals;
        return out;
      }
      case Opcode::kCall: return of(callees(id)[0]);
      case Opcode::kWhile: {
        HloCounts inside;
        for (const ComputationId callee : callees(id)) inside += of(callee);
        return inside;
      }
      case Opcode::kConditional: {
        // The dearest branch.
        HloCounts dearest;
        for (const ComputationId callee : callees(id)) {
          const HloCounts branch = of(callee);
          if (branch.flops + branch.bytes > dearest.flops + dearest.bytes) dearest = branch;
        }
        return dearest;
      }
      case Opcode::kBitcastConvert: out.flops = elements(m_.shape(id)); return out;
      default: break;
    }
    const Opcode opcode = m_[id].opcode;
    if (hlo::is_transcendental(opcode))
      out.transcendentals = elements(m_.shape(id));
    else if (hlo::is_elementwise(opcode))
      out.flops = elements(m_.shape(id));
    return out;
  }

  std::vector<ComputationId> callees(InstructionId id) const {
    std::vector<ComputationId> out;
    m_.called(id, out);
    return out;
  }

 private:
  struct Known {
    bool done = false;
    HloCounts counts;
  };

  double elements(ShapeId id) const {
    const hlo::Shape& of = m_.shapes[id];
    if (of.kind == ShapeKind::kArray)
      return static_cast<double>(std::max<int64_t>(m_.shapes.elements(id), 0));
    double out = 0;
    for (size_t i = 0; i < of.count && of.kind == ShapeKind::kTuple; ++i)
      out += elements(m_.shapes.part(id, i));
    return out;
  }
  double bytes(ShapeId id) const {
    const hlo::Shape& of = m_.shapes[id];
    if (of.kind == ShapeKind::kArray) return elements(id) * hlo::row(of.element).bytes;
    double out = 0;
    for (size_t i = 0; i < of.count && of.kind == ShapeKind::kTuple; ++i) out += bytes(m_.shapes.part(id, i));
    return out;
  }

  /// Parts of arrays are read and written where the instruction is about parts.
  double bytes_of(InstructionId id) const {
    const auto operands = m_.operands(id);
    const double result = bytes(m_.shape(id));
    const auto rest = [&](size_t first) {
      double out = 0;
      for (size_t i = first; i < operands.size(); ++i) out += bytes(m_.shape(operands[i]));
      return out;
    };
    switch (m_[id].opcode) {
      case Opcode::kSlice: return 2 * result;
      // Of several starts XLA counts the first.
      case Opcode::kDynamicSlice:
      case Opcode::kGather: return 2 * result + (operands.size() > 1 ? bytes(m_.shape(operands[1])) : 0);
      case Opcode::kDynamicUpdateSlice: return 2 * bytes(m_.shape(operands[1])) + start_bytes(operands);
      case Opcode::kScatter: {
        // Indices once; what is written was read before, and the updates.
        const size_t arrays = operands.size() / 2;
        return bytes(m_.shape(operands[arrays])) + 3 * rest(arrays + 1);
      }
      default: return result + rest(0);
    }
  }

  double start_bytes(std::span<const InstructionId> operands) const {
    return operands.size() > 2 ? bytes(m_.shape(operands[2])) : 0;
  }

  double contracted(InstructionId dot) const {
    double out = 1;
    const auto dims = m_.shapes.dims(m_.shape(m_.operands(dot)[0]));
    for (const int64_t d : m_.list(dot, AttributeName::kLhsContractingDims))
      out *= static_cast<double>(dims[static_cast<size_t>(d)]);
    return out;
  }

  /// How many of a window's places along one dimension meet an element that is not padding.
  static double meetings(const hlo::WindowDim& w, int64_t input, int64_t output) {
    const int64_t dilated = hlo::dilated(input, w.base_dilation);
    double out = 0;
    for (int64_t k = 0; k < w.size; ++k) {
      if (w.base_dilation == 1) {
        // Places i with 0 <= i * stride + k * dilation - low < dilated.
        const int64_t first = w.low - k * w.window_dilation;
        const int64_t begin = first <= 0 ? 0 : (first + w.stride - 1) / w.stride;
        const int64_t last = dilated - 1 + first;
        const int64_t end = last < 0 ? 0 : std::min(output, last / w.stride + 1);
        out += static_cast<double>(std::max<int64_t>(end - begin, 0));
        continue;
      }
      for (int64_t i = 0; i < output; ++i) {
        const int64_t at = i * w.stride + k * w.window_dilation - w.low;
        if (at >= 0 && at < dilated && at % w.base_dilation == 0) ++out;
      }
    }
    return out;
  }

  double products_of_convolution(InstructionId id) const {
    const hlo::DimLabels labels{m_.list(id, AttributeName::kDimLabels)};
    const auto input = m_.shapes.dims(m_.shape(m_.operands(id)[0]));
    const auto kernel = m_.shapes.dims(m_.shape(m_.operands(id)[1]));
    const auto output = m_.shapes.dims(m_.shape(id));
    const auto at = [](std::span<const int64_t> dims, int64_t d) { return dims[static_cast<size_t>(d)]; };
    double out = static_cast<double>(at(kernel, labels.kernel_input())) *
                 static_cast<double>(at(output, labels.output_feature())) *
                 static_cast<double>(at(input, labels.input_batch())) /
                 static_cast<double>(std::max<int64_t>(1, m_.number(id, AttributeName::kBatchGroupCount)));
    const auto window = hlo::window_dims(m_.list(id, AttributeName::kWindow), labels.spatial());
    for (size_t d = 0; d < labels.spatial(); ++d)
      out *= meetings(window[d], at(input, labels.input()[d]), at(output, labels.output()[d]));
    return out;
  }

  double window_applications(InstructionId id) const {
    const size_t rank = m_.shapes.dims(m_.shape(m_.operands(id)[0])).size();
    double places = 1;
    for (const hlo::WindowDim& w : hlo::window_dims(m_.list(id, AttributeName::kWindow), rank))
      places *= static_cast<double>(w.size);
    const ShapeId result = m_.shape(id);
    const ShapeId one = m_.shapes[result].kind == ShapeKind::kTuple ? m_.shapes.part(result, 0) : result;
    return elements(one) * (places - 1);
  }

  HloCounts repeat(InstructionId id, AttributeName callee, double times, HloCounts out) {
    const auto called = m_.find(id, callee);
    if (!called || called->empty()) return out;
    const HloCounts inside = of(ComputationId(static_cast<uint32_t>((*called)[0])));
    out.flops += times * inside.flops;
    out.transcendentals += times * inside.transcendentals;
    return out;
  }

  /// One application fewer than elements for each result.
  HloCounts reduce(InstructionId id, HloCounts out) {
    const ShapeId result = m_.shape(id);
    const ShapeId one = m_.shapes[result].kind == ShapeKind::kTuple ? m_.shapes.part(result, 0) : result;
    const double times = elements(m_.shape(m_.operands(id)[0])) - elements(one);
    return repeat(id, AttributeName::kToApply, std::max(times, 0.0), out);
  }

  const Module& m_;
  std::vector<Known> known_;
};

double kernel_seconds(const HloCounts& counts, const machine::DeviceProfile& device) {
  if (counts.bytes == 0 && counts.flops == 0 && counts.transcendentals == 0) return 0;
  const double computing =
      (counts.flops + kFlopsOfTranscendental * counts.transcendentals) / device.flops_per_second;
  constexpr double kMilliseconds = 1e-3;
  return std::max(computing, counts.bytes / device.bytes_per_second) + kMilliseconds * device.overhead_ms;
}

double seconds(Counter& counter, const Module& m, ComputationId id, const machine::DeviceProfile& device) {
  double out = 0;
  const hlo::Range all = m[id].instructions;
  for (uint32_t i = 0; i < all.count; ++i) {
    const InstructionId at(all.first + i);
    const Opcode opcode = m[at].opcode;
    if (is_control_flow(opcode)) {
      double inside = 0;
      for (const ComputationId callee : counter.callees(at)) {
        const double one = seconds(counter, m, callee, device);
        inside = opcode == Opcode::kConditional ? std::max(inside, one) : inside + one;
      }
      out += inside;
      continue;
    }
    out += kernel_seconds(counter.of(at), device);
  }
  return out;
}

}  // namespace

HloCounts hlo_counts(const Module& module) { return Counter(module).of(module.entry); }

std::vector<HloCounts> hlo_counts_of_each(const Module& module) {
  Counter counter(module);
  std::vector<HloCounts> out;
  out.reserve(module.instructions.size());
  for (uint32_t i = 0; i < module.instructions.size(); ++i) out.push_back(counter.of(InstructionId(i)));
  return out;
}

double hlo_roofline_seconds(const Module& module, const machine::DeviceProfile& device) {
  Counter counter(module);
  return seconds(counter, module, module.entry, device);
}

std::vector<double> hlo_roofline_seconds_of_each(const Module& module, const machine::DeviceProfile& device) {
  const std::vector<HloCounts> counts = hlo_counts_of_each(module);
  std::vector<double> out;
  out.reserve(counts.size());
  for (uint32_t i = 0; i < counts.size(); ++i)
    out.push_back(is_control_flow(module.instructions[i].opcode) ? 0 : kernel_seconds(counts[i], device));
  return out;
}

}  // namespace isomer::cost
