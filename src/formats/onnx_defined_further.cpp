// Transforms of signals, determinants, ensembles of trees, counts of n-grams, attention with functions of its
// own, and what is there or not. The determinant is Faddeev and LeVerrier's: products of matrices, no pivots,
// so that a proof over a field can follow it.
#include <onnx-ml.pb.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "formats/onnx_defined.h"
#include "formats/onnx_scope.h"
#include "formats/onnx_spell.h"
#include "formats/onnx_types.h"
#include "ir/constant_data.h"

namespace isomer::formats {
namespace {

using Ints = std::vector<int64_t>;
using Numbers = std::vector<double>;
using ir::Dim;
using ir::DType;
using ir::Shape;
using ir::ValueId;

// --- signals and matrices

ValueId stft(Defining& d) {
  ir::ops::Compose& c = d.c;
  const int64_t onesided = d.r.i("onesided", 1);
  const auto pace = d.r.const_int(1), asked = d.r.const_int(3);
  if (!pace || (d.r.has(3) && !asked)) return d.r.fail("its frames are not constant");
  if (d.r.rank(0) != 3 || (d.r.has(2) && d.r.rank(2) != 1))
    return d.r.fail("expected signals [batches, length, 1 or 2] and a window");
  const int64_t signal = d.r.shape(0)[1].size();
  const int64_t length = asked ? *asked : d.r.has(2) ? d.r.shape(2)[0].size() : signal;
  constexpr int64_t kMost = 1 << 20;  // elements of the frames
  if (d.r.failed() || length < 1 || length > signal || *pace < 1) return d.r.fail("no frame fits the signal");
  if (d.r.has(2) && d.r.shape(2) != Shape{Dim(length)}) return d.r.fail("a window of another length");
  const int64_t frames = (signal - length) / *pace + 1;
  if (frames > kMost / length) return d.r.fail("its frames are too many");
  Numbers places;
  for (int64_t f = 0; f < frames; ++f)
    for (int64_t i = 0; i < length; ++i) places.push_back(static_cast<double>(f * *pace + i));
  ValueId cut = c.call("gather", {d.r.in(0), c.constant(DType::kI64, {frames, length}, places)},
                       {{"axis", int64_t{1}}});
  if (d.r.has(2)) cut = c.both("mul", cut, c.reshape(d.r.in(2), {Dim(1), Dim(1), Dim(length), Dim(1)}));
  return c.call("dft", {cut}, {{"axis", int64_t{2}}, {"inverse", int64_t{0}}, {"onesided", onesided}});
}

/// Triangles on a scale of heard pitch: 2595 log10(1 + f / 700).
ValueId mel_weight_matrix(Defining& d) {
  Numbers given;
  for (size_t i = 0; i < 5; ++i) {
    const auto number = d.r.has(i) ? d.r.const_number(i) : std::nullopt;
    if (!number) return d.r.fail("its sizes or frequencies are not constant");
    given.push_back(*number);
  }
  const std::optional<DType> dtype = element_type(d.r.i("output_datatype", onnx::TensorProto::FLOAT));
  constexpr double kMost = 1 << 12;
  if (!dtype || !ir::is_float(*dtype) || given[0] < 1 || given[0] > kMost || given[1] < 1 ||
      given[1] > kMost || given[2] < 1)
    return d.r.fail("its sizes are out of range");
  const auto bands = static_cast<int64_t>(given[0]), bins = static_cast<int64_t>(given[1]) / 2 + 1;
  const auto mel = [](double hertz) { return 2595 * std::log10(1 + hertz / 700); };
  const double low = mel(given[3]), step = (mel(given[4]) - low) / static_cast<double>(bands + 2);
  Ints edges;
  for (int64_t i = 0; i < bands + 2; ++i) {
    const double hertz = 700 * (std::pow(10, (low + static_cast<double>(i) * step) / 2595) - 1);
    const double edge = std::floor((given[1] + 1) * hertz / given[2]);
    if (!(edge >= 0 && edge <= static_cast<double>(bins)))
      return d.r.fail("a frequency that its bins do not reach");
    edges.push_back(static_cast<int64_t>(edge));
  }
  Numbers out(static_cast<size_t>(bins * bands), 0.0);
  for (int64_t i = 0; i < bands; ++i) {
    const auto at = static_cast<size_t>(i);
    const auto put = [&](int64_t bin, double part) {
      if (bin < bins) out[static_cast<size_t>(bin * bands + i)] = part;
    };
    const int64_t left = edges[at], middle = edges[at + 1], right = edges[at + 2];
    if (left == middle) put(middle, 1);
    for (int64_t j = left; j <= middle && left < middle; ++j)
      put(j, static_cast<double>(j - left) / static_cast<double>(middle - left));
    for (int64_t j = middle; j < right; ++j)
      put(j, static_cast<double>(right - j) / static_cast<double>(right - middle));
  }
  return d.c.constant(*dtype, {bins, bands}, out);
}

/// M1 = A, ck = -trace(Mk) / k, Mk+1 = A (Mk + ck I); the determinant is (-1)^n cn.
ValueId det(Defining& d) {
  ir::ops::Compose& c = d.c;
  const int64_t rank = d.r.rank(0);
  constexpr int64_t kMost = 16;  // beyond, it would lose digits
  if (rank < 2) return d.r.fail("expected matrices");
  const ValueId a = d.r.in(0);
  const Shape shape = d.r.shape(0);
  const int64_t n = c.size(a, rank - 1);
  if (n < 1 || n > kMost || shape[static_cast<size_t>(rank) - 2] != Dim(n))
    return d.r.fail("expected small square matrices");
  Numbers ones(static_cast<size_t>(n * n), 0.0);
  for (int64_t i = 0; i < n; ++i) ones[static_cast<size_t>(i * n + i)] = 1;
  const ValueId unit = c.spread(c.constant(d.r.dtype(0), {n, n}, ones), shape);
  ValueId m = a, factor;
  for (int64_t k = 1; k <= n; ++k) {
    if (k > 1) m = c.call("matmul", {a, c.call("add", {m, c.both("mul", factor, unit)})});
    const ValueId trace = c.reduce("reduce_sum", c.call("mul", {m, unit}), {rank - 2, rank - 1});
    factor = c.with("div", trace, -static_cast<double>(k));
  }
  return c.squeeze(n % 2 == 0 ? factor : c.call("neg", {factor}), {rank - 2, rank - 1});
}

/// As Resize at the corners, by whole steps down; deprecated since operator set 10.
ValueId upsample(Defining& d) {
  constexpr int64_t kScalesAreAnInput = 9;
  const std::string mode = d.r.s("mode", "nearest");
  const auto scales = d.r.opset() < kScalesAreAnInput ? d.r.floats("scales") : d.r.const_numbers(1);
  if (!scales || static_cast<int64_t>(scales->size()) != d.r.rank(0))
    return d.r.fail("its scales are not constant");
  if (has_doubtful_size(d.r.shape(0), ir::ops::counted(d.r.rank(0)), *scales))
    return d.r.fail("runtimes differ in how large its result is");
  return d.c.call("resize", {d.r.in(0)},
                  {{"axes", ir::ops::counted(d.r.rank(0))},
                   {"sizes", Ints()},
                   {"scales", *scales},
                   {"mode", mode},
                   {"coordinates", std::string("asymmetric")},
                   {"nearest", std::string("floor")}});
}

// --- ai.onnx.ml

ValueId array_feature_extractor(Defining& d) {
  ir::ops::Compose& c = d.c;
  Shape shape = d.r.shape(0);
  const Dim count(ir::element_count(d.r.shape(1)));
  if (d.r.failed() || shape.empty()) return d.r.fail("expected features");
  const auto last = static_cast<int64_t>(shape.size()) - 1;
  const ValueId out = c.call("gather", {d.r.in(0), c.reshape(d.r.in(1), {count})}, {{"axis", last}});
  return last == 0 ? c.reshape(out, {Dim(1), count}) : out;
}

ValueId binarizer(Defining& d) {
  const double threshold = d.r.f("threshold", 0);
  return d.c.cast(d.c.with("greater", d.r.in(0), threshold), d.r.dtype(0));
}

std::optional<Numbers> tensor_numbers(NodeReader& r, std::string_view attr) {
  const std::optional<ir::Constant> tensor = r.tensor(attr);
  if (!tensor) return std::nullopt;
  const ir::Type& type = r.context().get(tensor->type);
  Numbers out;
  for (int64_t i = 0; i < ir::element_count(type.shape); ++i)
    out.push_back(ir::load_number(type.dtype, tensor->bytes(), i));
  return out;
}

/// Trees as choices within choices over columns of x.
class Trees {
 public:
  explicit Trees(Defining& d) : d_(d) {}

  ValueId sum() {
    const auto& r = d_.r;
    const int64_t aggregate = d_.r.i("aggregate_function", 1), after = d_.r.i("post_transform", 0);
    targets_ = d_.r.i("n_targets", 0);
    const Ints roots = ints("tree_roots");
    modes_ = tensor_numbers(d_.r, "nodes_modes").value_or(Numbers());
    splits_ = tensor_numbers(d_.r, "nodes_splits").value_or(Numbers());
    weights_ = tensor_numbers(d_.r, "leaf_weights").value_or(Numbers());
    members_ = tensor_numbers(d_.r, "membership_values").value_or(Numbers());
    d_.r.know("nodes_hitrates");
    features_ = ints("nodes_featureids");
    for (size_t side : {size_t{0}, size_t{1}}) {
      next_[side] = ints(side == 0 ? "nodes_falsenodeids" : "nodes_truenodeids");
      leaf_[side] = ints(side == 0 ? "nodes_falseleafs" : "nodes_trueleafs");
    }
    leaf_targets_ = ints("leaf_targetids");
    missing_ = d_.r.ints("nodes_missing_value_tracks_true").value_or(Ints(modes_.size(), 0));
    if (aggregate > 1 || after != 0) return d_.r.fail("its trees are not summed up as they are");
    if (r.failed() || !fits(roots) || d_.r.rank(0) != 2) return d_.r.fail("its trees do not fit together");
    ValueId out;
    for (int64_t root : roots) {
      const auto at = static_cast<size_t>(root);
      const bool is_leaf = leaf_[0][at] != 0 && leaf_[1][at] != 0 && next_[0][at] == next_[1][at];
      const ValueId tree = is_leaf ? leaf(static_cast<size_t>(next_[0][at])) : node(at);
      if (d_.r.failed()) return {};
      out = out.valid() ? d_.c.both("add", out, tree) : tree;
    }
    out = d_.c.spread(out, {d_.r.shape(0)[0], Dim(targets_)});
    return aggregate == 0 ? d_.c.with("div", out, static_cast<double>(roots.size())) : out;
  }

 private:
  Ints ints(std::string_view attr) { return d_.r.ints(attr).value_or(Ints()); }

  bool fits(const Ints& roots) const {
    const size_t nodes = modes_.size();
    const auto below = [](const Ints& numbers, size_t bound) {
      return std::ranges::all_of(numbers,
                                 [&](int64_t n) { return n >= 0 && static_cast<size_t>(n) < bound; });
    };
    constexpr size_t kMost = 1 << 12;
    constexpr int64_t kMostTargets = 1 << 10;
    if (targets_ > kMostTargets || roots.empty() || roots.size() > kMost || nodes > kMost ||
        splits_.size() != nodes || features_.size() != nodes || missing_.size() != nodes ||
        leaf_targets_.size() != weights_.size() || !below(roots, nodes) || targets_ < 1 ||
        !below(leaf_targets_, static_cast<size_t>(targets_)))
      return false;
    constexpr double kLastMode = 6;
    if (!std::ranges::all_of(modes_, [](double m) { return m >= 0 && m <= kLastMode; })) return false;
    for (size_t side : {size_t{0}, size_t{1}}) {
      if (next_[side].size() != nodes || leaf_[side].size() != nodes) return false;
      for (size_t i = 0; i < nodes; ++i)
        if (next_[side][i] < 0 ||
            static_cast<size_t>(next_[side][i]) >= (leaf_[side][i] != 0 ? weights_.size() : nodes))
          return false;
    }
    const Dim columns = d_.r.shape(0).size() == 2 ? d_.r.shape(0)[1] : Dim(0);
    return below(features_, static_cast<size_t>(columns.size()));
  }

  ValueId leaf(size_t at) {
    Numbers row(static_cast<size_t>(targets_), 0.0);
    row[static_cast<size_t>(leaf_targets_[at])] = weights_[at];
    return d_.c.constant(d_.r.dtype(0), {1, targets_}, row);
  }

  ValueId node(size_t at) {
    if (++visited_ > modes_.size()) return d_.r.fail("its nodes go round in a circle");
    const ValueId holds = condition(at);
    std::array<ValueId, 2> sides;
    for (size_t side : {size_t{1}, size_t{0}}) {  // members of sets are listed in this order
      const auto to = static_cast<size_t>(next_[side][at]);
      sides[side] = leaf_[side][at] != 0 ? leaf(to) : node(to);
      if (d_.r.failed()) return {};
    }
    return d_.c.where(holds, sides[1], sides[0]);
  }

  ValueId condition(size_t at) {
    static constexpr std::array<const char*, 5> kCompares = {"less_equal", "less", "greater_equal", "greater",
                                                             "equal"};
    const ValueId x = d_.c.slice(d_.r.in(0), 1, features_[at], features_[at] + 1);
    const auto mode = static_cast<size_t>(modes_[at]);
    constexpr size_t kDiffers = 5;
    ValueId holds;
    if (mode < kCompares.size())
      holds = d_.c.with(kCompares[mode], x, splits_[at]);
    else if (mode == kDiffers)
      holds = d_.c.call("not", {d_.c.with("equal", x, splits_[at])});
    else
      holds = is_member(x);
    return missing_[at] == 0 ? holds : d_.c.call("or", {holds, d_.c.call("is_nan", {x})});
  }

  /// Sets lie one behind the other, a NaN after each.
  ValueId is_member(ValueId x) {
    ValueId any = ir::ops::filled(d_.c.builder(), DType::kBool, 0, d_.c.shape(x));
    for (; next_member_ < members_.size() && !std::isnan(members_[next_member_]); ++next_member_)
      any = d_.c.call("or", {any, d_.c.with("equal", x, members_[next_member_])});
    ++next_member_;
    return any;
  }

  Defining& d_;
  int64_t targets_ = 0;
  Numbers modes_, splits_, weights_, members_;
  Ints features_, leaf_targets_, missing_;
  std::array<Ints, 2> next_, leaf_;  ///< where the condition does not hold, where it does
  size_t visited_ = 0, next_member_ = 0;
};

ValueId tree_ensemble(Defining& d) { return Trees(d).sum(); }

// --- words

ValueId tf_idf(Defining& d) {
  ir::ops::Compose& c = d.c;
  const std::string mode = d.r.s("mode", "TF");
  const auto starts = d.r.ints("ngram_counts"), columns = d.r.ints("ngram_indexes"),
             pool = d.r.ints("pool_int64s");
  const auto weights = d.r.floats("weights");
  const int64_t least = d.r.i("min_gram_length", 1), most = d.r.i("max_gram_length", 1),
                skips = d.r.i("max_skip_count", 0);
  if (!starts || !columns || !pool) return d.r.fail("it counts strings");
  const ValueId counts = c.call("count_ngrams", {d.r.in(0)},
                                {{"least", least},
                                 {"most", most},
                                 {"skips", skips},
                                 {"starts", *starts},
                                 {"pool", *pool},
                                 {"columns", *columns}});
  ValueId out = c.cast(counts, DType::kF32);
  if (mode == "TF") return out;
  if (mode != "IDF" && mode != "TFIDF") return d.r.fail("a mode that is not known");
  if (mode == "IDF") out = c.with("min", out, 1);
  if (!weights) return out;
  const auto width = static_cast<int64_t>(weights->size());
  if (c.shape(out).back() != Dim(width)) return d.r.fail("its weights are not one for each column");
  return c.both("mul", out, c.constant(DType::kF32, {width}, *weights));
}

// --- attention

/// softmax(mod(scale q k')) v, with functions of the scores and of the probabilities that the node brings.
ValueId flex_attention(Defining& d) {
  ir::ops::Compose& c = d.c;
  for (size_t i : {0, 1, 2})
    if (d.r.rank(i) != 4) return d.r.fail("expected [batches, heads, length, width]");
  const ValueId q = d.r.in(0);
  const double scale = d.r.f("scale", 1 / std::sqrt(static_cast<double>(c.size(q, 3))));
  const int64_t given = d.r.i("softmax_precision", 0);
  const DType dtype = d.r.dtype(0);
  const std::optional<DType> asked =
      given == 0 ? (ir::is_half(dtype) ? DType::kF32 : dtype) : element_type(given);
  const int64_t heads = c.size(q, 1), keys = c.size(d.r.in(1), 1);
  if (!asked || keys < 1 || heads % keys != 0) return d.r.fail("its heads or its precision");
  const auto repeated = [&](ValueId v) {
    return heads == keys ? v : c.call("upsample", {v}, {{"factors", Ints{1, heads / keys, 1, 1}}});
  };
  const double root = std::sqrt(static_cast<double>(static_cast<float>(scale)));
  ValueId scores = c.call(
      "matmul", {c.with("mul", q, root), c.transpose_matrix(c.with("mul", repeated(d.r.in(1)), root))});
  scores = c.cast(scores, *asked);
  const auto modified = [&](ValueId v, const char* name) {
    d.r.know(name);
    const onnx::GraphProto* body = find_graph(d.kept.node, name);
    if (!body) return v;
    const ir::RegionId region = d.body(*body, c.builder().type_id(v));
    if (!region.valid()) return ValueId();
    std::vector<ValueId> operands = {v};
    operands.insert(operands.end(), d.captured.begin(), d.captured.end());
    return c.call("call", operands, {{"region", static_cast<int64_t>(region.index())}});
  };
  scores = modified(scores, "score_mod");
  if (d.r.failed()) return {};
  const ValueId weights = modified(c.call("softmax", {scores}, {{"axis", int64_t{3}}}), "prob_mod");
  if (d.r.failed()) return {};
  return c.cast(c.call("matmul", {weights, c.cast(repeated(d.r.in(2)), *asked)}), d.r.dtype(2));
}

// --- what is there or not

/// A tensor always is there. (An optional one has a type of its own, which is not known here.)
ValueId has_element(Defining& d) { return d.c.constant(DType::kBool, {}, {d.r.has(0) ? 1.0 : 0.0}); }
ValueId get_element(Defining& d) { return d.r.in(0); }

/// The same in every operator set, those before 7 included.
ValueId negation(Defining& d) { return d.c.call("not", {d.r.in(0)}); }

}  // namespace

void define_further(Definitions& t) {
  t[{"", "STFT"}] = stft;
  t[{"", "MelWeightMatrix"}] = mel_weight_matrix;
  t[{"", "Det"}] = det;
  t[{"", "Upsample"}] = upsample;
  t[{"", "TfIdfVectorizer"}] = tf_idf;
  t[{"", "OptionalHasElement"}] = has_element;
  t[{"", "OptionalGetElement"}] = get_element;
  t[{"", "Not"}] = negation;
  t[{"ai.onnx.ml", "ArrayFeatureExtractor"}] = array_feature_extractor;
  t[{"ai.onnx.ml", "Binarizer"}] = binarizer;
  t[{"ai.onnx.ml", "TreeEnsemble"}] = tree_ensemble;
  t[{"ai.onnx.preview", "FlexAttention"}] = flex_attention;
}

}  // namespace isomer::formats
