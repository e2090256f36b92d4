// Any sum of products is a batched matrix product once its variables are sorted: those that both factors (and
// the output) use are batch, those of one factor only are rows or columns, the reduction's are the inner
// dimension. Both factors are packed by their own index maps into dense blocks (convolution needs no im2col
// of its own: padding is a guarded read that packs zeros), and a library multiplies these: OpenBLAS, which
// picks its kernel by the processor that it runs on. A kernel of our own was tried first; the compiler made a
// tenth of the machine's speed of it.
#include "eval/contract.h"

#include <cblas.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "eval/evaluation_cut.h"
#include "eval/float_domain.h"
#include "eval/nest_run.h"
#include "support/rng.h"

namespace isomer::eval {
namespace {

// Blocks bound the memory beside operands and result; along the inner dimension they are as long as a library
// cuts them anyway.
constexpr int64_t kRowBlock = 512;
constexpr int64_t kInner = 2048;
// Columns in one call of the library, so that the clock is looked at in between.
constexpr int64_t kColumns = 2048;

struct OperandSource {
  std::span<const std::span<const double>> operands;
  bool magnitudes = false;
  double number(int input, int64_t at) const {
    const double x = operands[static_cast<size_t>(input)][static_cast<size_t>(at)];
    return magnitudes ? std::abs(x) : x;
  }
  int64_t integer(int, int64_t) const { return 0; }
};

/// A set of loop variables, walked in row-major order.
struct Axis {
  std::vector<int> vars;
  std::vector<int64_t> extents;
  int64_t size = 1;

  void add(int var, int64_t extent) {
    vars.push_back(var);
    extents.push_back(extent);
    size *= extent;
  }
  void set(int64_t number, std::span<int64_t> into) const {
    for (size_t i = vars.size(); i-- > 0;) {
      into[static_cast<size_t>(vars[i])] = number % extents[i];
      number /= extents[i];
    }
  }
  /// What each point adds to an affine form.
  std::vector<int64_t> parts(const meaning::Affine& form, size_t rank) const {
    std::vector<int64_t> factors(rank);
    for (int v : vars) factors[static_cast<size_t>(v)] = form.coefficient(v);
    return parts(factors);
  }
  /// The same for a form given by its coefficients.
  std::vector<int64_t> parts(std::span<const int64_t> factors) const {
    std::vector<int64_t> at(factors.size());
    std::vector<int64_t> out(static_cast<size_t>(size));
    for (int64_t i = 0; i < size; ++i) {
      set(i, at);
      int64_t sum = 0;
      for (int v : vars) sum += factors[static_cast<size_t>(v)] * at[static_cast<size_t>(v)];
      out[static_cast<size_t>(i)] = sum;
    }
    return out;
  }
};

/// One factor: its elements by (outer point, inner point), for a fixed batch point.
class Factor {
 public:
  Factor(const meaning::CompiledRead& read, std::span<const double> data, const Axis& outer,
         const Axis& inner, size_t rank)
      : read_(read), data_(data) {
    if (read.in_bounds) {
      outer_.push_back(outer.parts(read.linear, rank));
      inner_.push_back(inner.parts(read.linear, rank));
    } else {
      for (const meaning::Affine& dim : read.dims) {
        outer_.push_back(outer.parts(dim, rank));
        inner_.push_back(inner.parts(dim, rank));
      }
    }
    base_.resize(outer_.size());
  }

  /// `vars`: batch variables set, all others 0.
  void set_batch(std::span<const int64_t> vars) {
    if (read_.in_bounds)
      base_[0] = read_.linear.at(vars);
    else
      for (size_t d = 0; d < base_.size(); ++d) base_[d] = read_.dims[d].at(vars);
  }

  double at(size_t outer, size_t inner) const {
    int64_t linear = 0;
    for (size_t d = 0; d < base_.size(); ++d) {
      const int64_t i = base_[d] + outer_[d][outer] + inner_[d][inner];
      if (i < 0 || i >= read_.extents[d]) return 0;
      linear = linear * read_.extents[d] + i;
    }
    return data_[static_cast<size_t>(linear)];
  }

  /// The block [outer][inner], row-major.
  void pack_rows(int64_t o0, int64_t o1, int64_t k0, int64_t k1, double* to) const {
    for (auto o = static_cast<size_t>(o0); o < static_cast<size_t>(o1); ++o) {
      const double* from = read_.in_bounds ? data_.data() + base_[0] + outer_[0][o] : nullptr;
      for (auto k = static_cast<size_t>(k0); k < static_cast<size_t>(k1); ++k)
        *to++ = from ? from[inner_[0][k]] : at(o, k);
    }
  }
  /// The block [inner][outer].
  void pack_columns(int64_t o0, int64_t o1, int64_t k0, int64_t k1, double* to) const {
    for (auto k = static_cast<size_t>(k0); k < static_cast<size_t>(k1); ++k) {
      const double* from = read_.in_bounds ? data_.data() + base_[0] + inner_[0][k] : nullptr;
      for (auto o = static_cast<size_t>(o0); o < static_cast<size_t>(o1); ++o)
        *to++ = from ? from[outer_[0][o]] : at(o, k);
    }
  }

 private:
  const meaning::CompiledRead& read_;
  std::span<const double> data_;
  std::vector<std::vector<int64_t>> outer_, inner_;
  std::vector<int64_t> base_;
};

bool uses(const meaning::CompiledRead& read, int var) {
  return std::ranges::any_of(read.dims, [&](const meaning::Affine& d) { return d.coefficient(var) != 0; });
}

bool is_factor(const meaning::CompiledRead& read) {
  return read.affine && read.sort == meaning::Sort::kNumber &&
         (read.in_bounds || (read.guarded && read.fill == 0));
}

/// The two reads of a nest that is a sum of products; null for others.
std::pair<const meaning::CompiledRead*, const meaning::CompiledRead*> factors_of(
    const meaning::CompiledNest& nest) {
  using ir::ScalarOp;
  if (!nest.plain || nest.bodies.size() != 1 || nest.combiners[0] != ir::Combiner::kSum) return {};
  const auto& code = nest.bodies[0].code;
  const auto& product = code.back();  // of two reads, or of one with itself
  if (code.size() > 3 || product.op != ScalarOp::kMul || product.sort != meaning::Sort::kNumber) return {};
  const auto& first = code[static_cast<size_t>(product.a)];
  const auto& second = code[static_cast<size_t>(product.b)];
  if (first.op != ScalarOp::kRead || second.op != ScalarOp::kRead) return {};
  const meaning::CompiledRead& left = nest.reads[static_cast<size_t>(first.index)];
  const meaning::CompiledRead& right = nest.reads[static_cast<size_t>(second.index)];
  if (!is_factor(left) || !is_factor(right)) return {};
  if (std::ranges::any_of(nest.reads,
                          [](const meaning::CompiledRead& r) { return r.sort != meaning::Sort::kNumber; }))
    return {};
  return {&left, &right};
}

/// The result is the sum itself.
bool is_plain(const meaning::CompiledNest& nest) {
  return nest.result.code.size() == 1 && nest.result.code[0].op == ir::ScalarOp::kAcc;
}

std::vector<int64_t> strides_of(const meaning::CompiledNest& nest) {
  std::vector<int64_t> strides(nest.extents.size());
  int64_t stride = 1;
  for (size_t v = nest.space.size(); v-- > 0; stride *= nest.space[v]) strides[v] = stride;
  return strides;
}

}  // namespace

bool contract(const meaning::CompiledNest& nest, std::span<const std::span<const double>> operands,
              std::span<double> out, const Deadline& until) {
  constexpr int64_t kWorthIt = 1 << 14;  // products
  if (nest.outputs == 0 || nest.reductions == 0 || nest.outputs < kWorthIt / nest.reductions) return false;
  const auto [left, right] = factors_of(nest);
  if (left == nullptr) return false;

  const size_t rank = nest.extents.size();
  Axis batch, rows, columns, inner;
  for (size_t v = 0; v < rank; ++v) {
    const int var = static_cast<int>(v);
    if (v >= nest.space.size())
      inner.add(var, nest.extents[v]);
    else if (uses(*left, var) && uses(*right, var))
      batch.add(var, nest.extents[v]);
    else
      (uses(*right, var) ? columns : rows).add(var, nest.extents[v]);
  }
  if (std::max({rows.size, columns.size, inner.size}) > std::numeric_limits<blasint>::max()) return false;
  Factor a(*left, operands[static_cast<size_t>(left->input)], rows, inner, rank);
  Factor b(*right, operands[static_cast<size_t>(right->input)], columns, inner, rank);

  const int64_t row_block = std::min(kRowBlock, rows.size), inner_block = std::min(kInner, inner.size);
  std::vector<double> packed_a(static_cast<size_t>(row_block * inner_block));
  std::vector<double> packed_b(static_cast<size_t>(inner_block * columns.size));
  std::vector<double> c(static_cast<size_t>(row_block * columns.size));
  const std::vector<int64_t> strides = strides_of(nest);
  const std::vector<int64_t> row_parts = rows.parts(strides), column_parts = columns.parts(strides),
                             batch_parts = batch.parts(strides);

  OperandSource source{operands};
  Float64 domain;
  NestRunner<Float64, OperandSource> runner(domain, nest, "a product", source);  // of sums, without reads
  const bool plain = is_plain(nest);
  std::vector<int64_t> vars(rank);
  for (int64_t p = 0; p < batch.size; ++p) {
    batch.set(p, vars);
    a.set_batch(vars);
    b.set_batch(vars);
    for (int64_t i0 = 0; i0 < rows.size; i0 += row_block) {
      const int64_t i1 = std::min(i0 + row_block, rows.size);
      for (int64_t k0 = 0; k0 < inner.size; k0 += inner_block) {
        const int64_t k1 = std::min(k0 + inner_block, inner.size);
        if (i0 == 0 || inner_block < inner.size) b.pack_columns(0, columns.size, k0, k1, packed_b.data());
        a.pack_rows(i0, i1, k0, k1, packed_a.data());
        const auto m = static_cast<blasint>(i1 - i0), n = static_cast<blasint>(columns.size),
                   k = static_cast<blasint>(k1 - k0);
        for (int64_t j0 = 0; j0 < columns.size; j0 += kColumns) {
          if (until.passed()) throw EvaluationCut();
          const auto width = static_cast<blasint>(std::min(kColumns, columns.size - j0));
          cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, width, k, 1, packed_a.data(), k,
                      packed_b.data() + j0, n, k0 == 0 ? 0 : 1, c.data() + j0, n);
        }
      }
      const double* sum = c.data();
      for (int64_t i = i0; i < i1; ++i) {
        const int64_t row = batch_parts[static_cast<size_t>(p)] + row_parts[static_cast<size_t>(i)];
        for (const int64_t column : column_parts) {
          const int64_t at = row + column;
          out[static_cast<size_t>(at)] = plain ? *sum : runner.finish(at, *sum);
          ++sum;
        }
      }
    }
  }
  return true;
}

std::string check_contraction(const meaning::CompiledNest& nest,
                              std::span<const std::span<const double>> operands, std::span<const double> out,
                              int samples, uint64_t seed) {
  constexpr std::string_view kWhat = "a product";
  OperandSource source{operands}, absolute{operands, true};
  Float64 domain;
  NestRunner<Float64, OperandSource> reference(domain, nest, kWhat, source),
      magnitude(domain, nest, kWhat, absolute);
  Rng rng(seed);
  for (int s = 0; s < samples && nest.outputs > 0; ++s) {
    const int64_t at = s == 0   ? 0
                       : s == 1 ? nest.outputs - 1
                                : static_cast<int64_t>(rng.below(static_cast<uint64_t>(nest.outputs)));
    const double expected = reference.number(at), found = out[static_cast<size_t>(at)];
    if (expected == found || (std::isnan(expected) && std::isnan(found))) continue;
    // Where more is done to the sum than to pass it on (an activation), its magnitude says less.
    const double scale = std::max(std::abs(expected), std::abs(magnitude.number(at)));
    const double allowed = is_plain(nest) ? static_cast<double>(nest.reductions + 4) * 0x1p-52 : 1e-9;
    // A sum of infinities, or that overflows, may end as one or as none.
    if (!std::isfinite(scale) || std::abs(expected - found) <= allowed * scale) continue;
    return fmt::format("element {}: {} instead of {}", at, found, expected);
  }
  return {};
}

}  // namespace isomer::eval
