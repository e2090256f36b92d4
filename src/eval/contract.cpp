// Any sum of products is a batched matrix product once its variables are sorted: those that both factors (and
// the output) use are batch, those of one factor only are rows or columns, the reduction's are the inner
// dimension. Both factors are packed by their own index maps into panels (convolution needs no im2col of its
// own: padding is a guarded read that packs zeros), and one register-blocked kernel does the rest. The
// blocking is that of Goto and van de Geijn, "Anatomy of high-performance matrix multiplication" (2008), with
// fixed sizes: 4 x 16 doubles in registers, panels of 512 along the inner dimension.
#include "eval/contract.h"

#include <algorithm>
#include <array>

#include "eval/float64.h"
#include "eval/nest_run.h"

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define ISOMER_CLONES __attribute__((target_clones("default", "avx2", "avx512f"), optimize("O3")))
#else
#define ISOMER_CLONES
#endif

namespace isomer::eval {

constexpr int64_t kRows = 4;      // of a panel of the left factor
constexpr int64_t kColumns = 16;  // of a panel of the right factor
constexpr int64_t kInner = 512;
constexpr int64_t kRowBlock = 64;

/// c[rows x columns] += a b, panels: a in [rows / 4][inner][4], b in [columns / 16][inner][16]; c has full
/// panels.
ISOMER_CLONES void multiply_panels(const double* a, const double* b, double* c, int64_t rows, int64_t columns,
                                   int64_t inner) {
  for (int64_t j = 0; j < columns; j += kColumns)
    for (int64_t i = 0; i < rows; i += kRows) {
      double sum[kRows][kColumns] = {};
      const double* pa = a + i * inner;
      const double* pb = b + j * inner;
      for (int64_t k = 0; k < inner; ++k, pa += kRows, pb += kColumns)
        for (int64_t r = 0; r < kRows; ++r)
          for (int64_t s = 0; s < kColumns; ++s) sum[r][s] += pa[r] * pb[s];
      for (int64_t r = 0; r < kRows; ++r)
        for (int64_t s = 0; s < kColumns; ++s) c[(i + r) * columns + j + s] += sum[r][s];
    }
}

namespace {

struct OperandSource {
  std::span<const std::span<const double>> operands;
  double number(int input, int64_t at) const {
    return operands[static_cast<size_t>(input)][static_cast<size_t>(at)];
  }
  int64_t integer(int, int64_t) const { return 0; }
};

int64_t round_up(int64_t value, int64_t step) { return (value + step - 1) / step * step; }

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
  std::vector<int64_t> parts(const Affine& form, size_t rank) const {
    std::vector<int64_t> at(rank);
    std::vector<int64_t> out(static_cast<size_t>(size));
    for (int64_t i = 0; i < size; ++i) {
      set(i, at);
      int64_t sum = 0;
      for (int v : vars) sum += form.coefficient(v) * at[static_cast<size_t>(v)];
      out[static_cast<size_t>(i)] = sum;
    }
    return out;
  }
};

/// One factor: its elements by (outer point, inner point), for a fixed batch point.
class Factor {
 public:
  Factor(const CompiledRead& read, std::span<const double> data, const Axis& outer, const Axis& inner,
         size_t rank)
      : read_(read), data_(data) {
    if (read.in_bounds) {
      outer_.push_back(outer.parts(read.linear, rank));
      inner_.push_back(inner.parts(read.linear, rank));
    } else {
      for (const Affine& dim : read.dims) {
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

  double at(int64_t o, int64_t k) const {
    const auto outer = static_cast<size_t>(o);
    const auto inner = static_cast<size_t>(k);
    if (read_.in_bounds) return data_[static_cast<size_t>(base_[0] + outer_[0][outer] + inner_[0][inner])];
    int64_t linear = 0;
    for (size_t d = 0; d < base_.size(); ++d) {
      const int64_t i = base_[d] + outer_[d][outer] + inner_[d][inner];
      if (i < 0 || i >= read_.extents[d]) return 0;
      linear = linear * read_.extents[d] + i;
    }
    return data_[static_cast<size_t>(linear)];
  }

  /// Panels of `width` outer points from `first` on, points past the end are zeros.
  void pack(int64_t first, int64_t count, int64_t outer_size, int64_t width, int64_t k0, int64_t k1,
            double* to) const {
    for (int64_t panel = first; panel < first + count; panel += width)
      for (int64_t k = k0; k < k1; ++k)
        for (int64_t o = panel; o < panel + width; ++o) *to++ = o < outer_size ? at(o, k) : 0;
  }

 private:
  const CompiledRead& read_;
  std::span<const double> data_;
  std::vector<std::vector<int64_t>> outer_, inner_;
  std::vector<int64_t> base_;
};

bool uses(const CompiledRead& read, int var) {
  return std::ranges::any_of(read.dims, [&](const Affine& d) { return d.coefficient(var) != 0; });
}

bool is_factor(const CompiledRead& read) {
  return read.affine && read.sort == Sort::kNumber && (read.in_bounds || (read.guarded && read.fill == 0));
}

}  // namespace

bool contract(const CompiledNest& nest, std::span<const std::span<const double>> operands,
              std::span<double> out) {
  using ir::ScalarOp;
  if (nest.bodies.size() != 1 || nest.combiners[0] != ir::Combiner::kSum) return false;
  if (nest.outputs == 0 || nest.reductions == 0 || nest.outputs < (1 << 14) / nest.reductions) return false;
  const auto& code = nest.bodies[0].code;
  if (code.size() != 3 || code[0].op != ScalarOp::kRead || code[1].op != ScalarOp::kRead ||
      code[2].op != ScalarOp::kMul || code[2].sort != Sort::kNumber)
    return false;
  const CompiledRead& left = nest.reads[static_cast<size_t>(code[0].index)];
  const CompiledRead& right = nest.reads[static_cast<size_t>(code[1].index)];
  if (!is_factor(left) || !is_factor(right)) return false;
  if (std::ranges::any_of(nest.reads, [](const CompiledRead& r) { return r.sort != Sort::kNumber; }))
    return false;

  const size_t rank = nest.extents.size();
  Axis batch, rows, columns, inner;
  for (size_t v = 0; v < rank; ++v) {
    const int var = static_cast<int>(v);
    if (v >= nest.space.size())
      inner.add(var, nest.extents[v]);
    else if (uses(left, var) && uses(right, var))
      batch.add(var, nest.extents[v]);
    else
      (uses(right, var) ? columns : rows).add(var, nest.extents[v]);
  }
  Factor a(left, operands[static_cast<size_t>(left.input)], rows, inner, rank);
  Factor b(right, operands[static_cast<size_t>(right.input)], columns, inner, rank);

  const int64_t padded_columns = round_up(columns.size, kColumns);
  const int64_t padded_rows = round_up(rows.size, kRows);
  std::vector<double> packed_a(static_cast<size_t>(std::min(kRowBlock, padded_rows) * kInner));
  std::vector<double> packed_b(static_cast<size_t>(padded_columns * std::min(kInner, inner.size)));
  std::vector<double> c(static_cast<size_t>(padded_rows * padded_columns));

  OperandSource source{operands};
  Float64 domain;
  NestRunner<Float64, OperandSource> runner(domain, nest, source);
  const bool plain = nest.result.code.size() == 1 && nest.result.code[0].op == ScalarOp::kAcc;
  std::vector<int64_t> vars(rank);
  for (int64_t p = 0; p < batch.size; ++p) {
    std::ranges::fill(vars, 0);
    batch.set(p, vars);
    a.set_batch(vars);
    b.set_batch(vars);
    std::ranges::fill(c, 0.0);
    for (int64_t k0 = 0; k0 < inner.size; k0 += kInner) {
      const int64_t k1 = std::min(k0 + kInner, inner.size);
      b.pack(0, padded_columns, columns.size, kColumns, k0, k1, packed_b.data());
      for (int64_t i = 0; i < padded_rows; i += kRowBlock) {
        const int64_t count = std::min(kRowBlock, padded_rows - i);
        a.pack(i, count, rows.size, kRows, k0, k1, packed_a.data());
        multiply_panels(packed_a.data(), packed_b.data(), c.data() + i * padded_columns, count,
                        padded_columns, k1 - k0);
      }
    }
    for (int64_t i = 0; i < rows.size; ++i) {
      rows.set(i, vars);
      for (int64_t j = 0; j < columns.size; ++j) {
        columns.set(j, vars);
        int64_t linear = 0;
        for (size_t v = 0; v < nest.space.size(); ++v) linear = linear * nest.space[v] + vars[v];
        const double sum = c[static_cast<size_t>(i * padded_columns + j)];
        out[static_cast<size_t>(linear)] = plain ? sum : runner.finish(linear, sum);
      }
    }
  }
  return true;
}

}  // namespace isomer::eval
