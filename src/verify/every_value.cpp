#include "verify/every_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "eval/float_domain.h"
#include "eval/interpreter.h"
#include "eval/outcome.h"
#include "ir/constant_data.h"
#include "meaning/known_nests.h"
#include "support/errors.h"
#include "verify/one_arithmetic.h"
#include "verify/only_casts.h"
#include "verify/pointwise.h"
#include "verify/rounded.h"
#include "verify/rounded_run.h"

namespace isomer::verify {
namespace {

using Values = std::vector<eval::Value<double>>;

constexpr int64_t kBytes = 256;
constexpr int64_t kMostElements = 2 * kValuesAtOnce;
/// Evaluations of a row; of a longer one only some are made.
constexpr int64_t kMostChunks = 8192;
/// Evaluations of halves of rows in which elements have no value.
constexpr int kMostHalves = 4096;

/// Combinations of all inputs' values, where these are few.
constexpr int64_t kMostCombinations = int64_t{1} << 17;

/// What the 256 values of a table are: of bytes all there are.
enum class Table : uint8_t {
  kSmall,  ///< the smallest by size, of both signs
  kEnds,   ///< 0, 1, powers of two and beside them, the ends of the type
};

std::vector<int64_t> table_of(ir::DType dtype, Table which) {
  if (dtype == ir::DType::kBool) return {0, 1};
  const bool sign = ir::has_sign(dtype);
  std::vector<int64_t> out;
  if (which == Table::kSmall || ir::bit_width(dtype) <= 8) {
    for (int64_t i = 0; i < kBytes; ++i) out.push_back(ir::wrap_to(dtype, sign ? i - kBytes / 2 : i));
    return out;
  }
  std::set<int64_t> values;
  static constexpr int kPowers[] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 14, 15, 16, 17,
                                    23, 24, 25, 30, 31, 32, 33, 47, 48, 52, 53, 54, 61, 62, 63};
  for (const int k : kPowers)
    for (const int64_t aside : {-1, 0, 1}) {
      if (k > ir::value_bits(dtype)) continue;
      const auto x = static_cast<int64_t>((uint64_t{1} << k) + static_cast<uint64_t>(aside));
      values.insert(ir::wrap_to(dtype, x));
      if (sign) values.insert(ir::wrap_to(dtype, static_cast<int64_t>(-static_cast<uint64_t>(x))));
    }
  if (!sign) values.insert(ir::wrap_to(dtype, -1));
  out.assign(values.begin(), values.end());
  return out;
}

/// Integers in a row.
struct Row {
  int64_t first = 0, count = kBytes * kBytes;

  bool operator==(const Row&) const = default;
};

/// One way to take all values: which table each input has, and which of them takes a whole row instead; or
/// all combinations of what each can be.
struct TableWay {
  Table table = Table::kSmall;
  int whole = -1;  ///< number of an input
  Row row = {};    ///< of that
  int turn = 0;    ///< what else the other inputs are beside it
  bool combined = false;
};

/// What an input takes in turn where all combinations are tried.
struct Turn {
  Row row;
  int64_t after = 1;  ///< how many combinations of those before it come first
};

constexpr double kWhole = 0x1p53;  // integers up to here are doubles

/// What a clip leaves of a wide input before anything else is made of it, if these are few: what is drawn of
/// the whole type is held at its two ends.
std::optional<Row> left_by_clip(const ir::Graph& graph, ir::ValueId input) {
  for (size_t i = 0; i < graph.size(); ++i) {
    const ir::ValueId v(i);
    if (graph.def(v).range_kind() != ir::RangeKind::kClip || graph.operands(v)[0] != input) continue;
    const auto bound = [&](size_t place) {  // its first two attributes
      const ir::AttrId id = graph.attrs(v)[place];
      return id.valid() ? std::get_if<double>(&graph.context().get(id)) : nullptr;
    };
    const double *low = bound(0), *high = bound(1);
    if (low == nullptr || high == nullptr || *high < *low || *high - *low >= Row{}.count) continue;
    if (std::abs(*low) > kWhole) continue;
    return Row{static_cast<int64_t>(*low), static_cast<int64_t>(*high - *low) + 1};
  }
  return std::nullopt;
}

/// All that an input can be, if these are few numbers.
std::optional<Row> few_values(const ir::Graph& a, const ir::Graph& b, size_t input) {
  const auto row_a = left_by_clip(a, a.inputs()[input]), row_b = left_by_clip(b, b.inputs()[input]);
  const ir::DType dtype = a.type(a.inputs()[input]).dtype;
  if (dtype == ir::DType::kBool) return Row{0, 2};
  const bool byte = ir::bit_width(dtype) <= 8;
  if (byte && !(row_a && row_b)) return Row{ir::has_sign(dtype) ? -kBytes / 2 : 0, kBytes};
  if (!row_a || !row_b) return row_a ? row_a : row_b;
  const int64_t first = std::min(row_a->first, row_b->first);
  return Row{first, std::max(row_a->first + row_a->count, row_b->first + row_b->count) - first};
}

/// Whether more is done than moving elements.
bool computes(const ir::Graph& graph) {
  for (size_t i = 0; i < graph.size(); ++i)
    if (const ir::MeaningKind kind = graph.def(ir::ValueId(i)).kind;
        kind == ir::MeaningKind::kPointwise || kind == ir::MeaningKind::kComposite)
      return true;
  return false;
}

/// Whether all inputs are integers of few elements.
bool fits(const ir::Graph& graph) {
  if (graph.inputs().empty() || !is_pointwise(graph)) return false;
  for (size_t i = 0; i < graph.size(); ++i)
    if (graph.def(ir::ValueId(i)).is(ir::Core::kWeight)) return false;
  const auto small = [&](ir::ValueId v) {
    const ir::Type& type = graph.type(v);
    return type.is_static_tensor() && ir::element_count(type.shape) <= kMostElements;
  };
  return std::ranges::all_of(graph.inputs(),
                             [&](ir::ValueId v) {
                               return small(v) && ir::is_integer(graph.type(v).dtype) &&
                                      ir::element_count(graph.type(v).shape) > 0;
                             }) &&
         std::ranges::all_of(graph.outputs(), small);
}

/// The same of rows of so many elements where single numbers stand beside rows: each of its elements is what
/// the program makes of those at one place. Nothing where elements change places, or other sizes stand.
std::optional<ir::Graph> widened(const ir::Graph& graph) {
  const ir::Shape row{ir::Dim(kBytes)};
  ir::Builder b(graph.context());
  std::vector<ir::ValueId> of(graph.size());
  for (size_t i = 0; i < graph.size(); ++i) {
    const ir::ValueId v(i);
    const ir::Type& type = graph.type(v);
    const ir::OpDef& def = graph.def(v);
    const auto& operands = graph.operands(v);
    if (!type.is_static_tensor()) return std::nullopt;
    const int64_t count = ir::element_count(type.shape);
    if (count != 1 && count != kBytes) return std::nullopt;
    const auto whole_row = [&](ir::ValueId x, const ir::Shape& one) {
      const ir::ValueId flat = b.add("reshape", {x}, {{"shape", one}});
      return count == 1 ? b.add("broadcast", {flat}, {{"shape", row}}) : flat;
    };
    if (def.is(ir::Core::kInput)) {
      of[i] = b.input(graph.name(v), graph.context().tensor_type(type.dtype, row));
    } else if (def.is(ir::Core::kConstant)) {
      of[i] = whole_row(b.add(graph.op(v), graph.payload(v), {}), ir::Shape{ir::Dim(count)});
    } else if (operands.size() == 1 && (def.is(ir::Core::kBroadcast) || def.moves == ir::Moves::kReshapes)) {
      of[i] = of[operands[0].index()];  // a row keeps its order
    } else if (def.kind == ir::MeaningKind::kPointwise && !operands.empty()) {
      std::vector<ir::ValueId> rows;
      for (const ir::ValueId o : operands) rows.push_back(of[o.index()]);
      if (!b.try_add(graph.op(v), graph.payload(v), rows, of[i]) || b.type(of[i]).shape != row)
        return std::nullopt;
    } else {
      return std::nullopt;
    }
  }
  std::vector<ir::ValueId> outputs;
  for (const ir::ValueId v : graph.outputs()) outputs.push_back(of[v.index()]);
  return b.finish(std::move(outputs));
}

class Sweep {
 public:
  /// `turns`: how often what one input takes whole meets other values of the others.
  Sweep(const ir::Graph& a, const ir::Graph& b, int turns, const Deadline& until)
      : a_(a),
        b_(b),
        repeats_(turns),
        until_(until),
        rounded_(computes_in_16_bits(a) || computes_in_16_bits(b)),
        two_arithmetics_(!rounded_ && (casts_round(a) || casts_round(b))),
        parts_(parts()) {
    take_turns();
  }

  EveryValue run() {
    bool all_met = true;
    for (const TableWay& way : ways()) {
      all_met &= all_of_row(way);
      tables_.clear();
      for (const ir::ValueId v : a_.inputs()) tables_.push_back(table_of(a_.type(v).dtype, way.table));
      const int64_t all = chunks(way);
      for (int64_t chunk = 0; chunk < all && out_.difference.empty(); ++chunk) {
        if (until_.passed()) return {0, std::move(out_.difference)};
        compare_at(way, chunk);
      }
    }
    if (!all_met) out_.compared = 0;
    return std::move(out_);
  }

 private:
  std::vector<TableWay> ways() const {
    std::vector<TableWay> out{{Table::kSmall}};
    bool wide = false;
    for (size_t i = 0; i < a_.inputs().size(); ++i) {
      const int bits = ir::bit_width(a_.type(a_.inputs()[i]).dtype);
      wide |= bits > 8 && a_.type(a_.inputs()[i]).dtype != ir::DType::kBool;
      if (bits < 16) continue;
      auto row_a = left_by_clip(a_, a_.inputs()[i]), row_b = left_by_clip(b_, b_.inputs()[i]);
      if (bits == 16) row_a = row_b = Row();
      for (int turn = 0; turn < repeats_; ++turn) {
        if (row_a) out.push_back({Table::kEnds, static_cast<int>(i), *row_a, turn});
        if (row_b && row_b != row_a) out.push_back({Table::kEnds, static_cast<int>(i), *row_b, turn});
      }
    }
    if (wide) out.push_back({Table::kEnds});
    const bool pairs_of_bytes = a_.inputs().size() == 2 && !wide;
    if (a_.inputs().size() > 1 && !turns_.empty() && !pairs_of_bytes) {
      out.push_back({});
      out.back().combined = true;
    }
    return out;
  }

  /// What are few values of each input, if all their combinations are few; those of inputs with places first,
  /// so that a chunk holds as many as there are places.
  void take_turns() {
    const auto& inputs = a_.inputs();
    int64_t in_places = 1, of_single = 1;
    places_ = 1;
    turns_.resize(inputs.size());
    for (size_t i = 0; i < inputs.size(); ++i) {
      const auto few = few_values(a_, b_, i);
      int64_t& so_far = is_single(i) ? of_single : in_places;
      if (!few || few->count > kMostCombinations / so_far) return turns_.clear();
      turns_[i] = {*few, so_far};
      so_far *= few->count;
      const int64_t count = std::min(ir::element_count(a_.type(inputs[i]).shape), kBytes);
      if (!is_single(i)) places_ = places_ == 1 ? count : std::min(places_, count);
    }
    chunks_in_places_ = (in_places + places_ - 1) / places_;
    combined_chunks_ = chunks_in_places_ * of_single;
    if (in_places > kMostCombinations / of_single || combined_chunks_ > kMostChunks) turns_.clear();
  }

  int64_t combined(size_t input, int64_t chunk, std::optional<int64_t> place) const {
    const Turn& turn = turns_[input];
    const int64_t number = place ? chunk % chunks_in_places_ * places_ + *place % places_  // of a combination
                                 : chunk / chunks_in_places_;
    return turn.row.first + number / turn.after % turn.row.count;
  }

  /// What says the value of each input, so that every two values of two inputs meet: 0, the place in a chunk;
  /// 1, the chunk; of a third, a number that hangs on both. A single number has no places: where it comes
  /// first the chunk says it, and the first input that has places takes those.
  std::vector<int64_t> parts() const {
    const auto& inputs = a_.inputs();
    std::vector<int64_t> out(inputs.size());
    std::iota(out.begin(), out.end(), 0);
    const auto row =
        std::ranges::find_if(inputs, [&](ir::ValueId v) { return ir::element_count(a_.type(v).shape) > 1; });
    if (row != inputs.end())
      std::rotate(out.begin(), out.begin() + 1, out.begin() + (row - inputs.begin()) + 1);
    return out;
  }

  /// `place`: nothing of a single number.
  int64_t value(const TableWay& way, size_t input, int64_t chunk, std::optional<int64_t> place,
                bool zeros) const {
    constexpr int64_t kBeside = 37;  // from another single number that the chunk says
    const ir::DType dtype = a_.type(a_.inputs()[input]).dtype;
    int64_t out = 0;
    if (way.combined) {
      out = combined(input, chunk, place);
    } else if (static_cast<int>(input) == way.whole) {
      out = ir::wrap_to(dtype, way.row.first + chunk * step(way) + place.value_or(0));
    } else {
      const std::vector<int64_t>& table = tables_[input];
      const int64_t part = parts_[input];
      const int64_t at =
          way.turn * (kBeside + chunk) + (part == 0   ? place.value_or(chunk)
                                          : part == 1 ? chunk
                                                      : place.value_or(kBeside) + (2 * part - 3) * chunk);
      out = table[static_cast<size_t>(at % static_cast<int64_t>(table.size()))];
    }
    return out == 0 && !zeros && dtype != ir::DType::kBool ? 1 : out;
  }

  bool is_single(size_t input) const { return ir::element_count(a_.type(a_.inputs()[input]).shape) == 1; }
  /// Values of a row that the input which takes it has in one chunk: of a single number one.
  int64_t at_once(const TableWay& way) const {
    const ir::ValueId v = a_.inputs()[static_cast<size_t>(way.whole)];
    return std::min(ir::element_count(a_.type(v).shape), kBytes);
  }
  int64_t chunks_of_row(const TableWay& way) const {
    return (way.row.count + at_once(way) - 1) / at_once(way);
  }
  bool all_of_row(const TableWay& way) const { return way.whole < 0 || chunks_of_row(way) <= kMostChunks; }
  /// From chunk to chunk of a row.
  int64_t step(const TableWay& way) const {
    return all_of_row(way) ? at_once(way) : way.row.count / kBytes + 1;
  }

  /// Chunks after which `value` comes round again: one input of a byte has all its values in one.
  int64_t chunks(const TableWay& way) const {
    if (way.combined) return combined_chunks_;
    if (way.whole >= 0) return all_of_row(way) ? chunks_of_row(way) : kBytes;
    if (tables_.size() > 2) return kBytes;
    int64_t out = 1;
    for (size_t i = 0; i < tables_.size(); ++i)
      if (parts_[i] == 1 || is_single(i)) out = std::lcm(out, static_cast<int64_t>(tables_[i].size()));
    return std::min(out, kBytes);
  }

  Values inputs(const TableWay& way, int64_t chunk, bool zeros) const {
    Values out;
    for (size_t i = 0; i < a_.inputs().size(); ++i) {
      const ir::Type& type = a_.type(a_.inputs()[i]);
      eval::Tensor<double> tensor{type.dtype, ir::sizes(type.shape), {}, {}};
      const int64_t count = tensor.count();
      for (int64_t e = 0; e < count; ++e) {
        const auto place = count == 1 ? std::nullopt : std::optional(e % kBytes);
        tensor.integers.push_back(value(way, i, chunk, place, zeros));
      }
      out.push_back(eval::make_value(std::move(tensor)));
    }
    return out;
  }

  /// Nothing where an element has no value.
  std::optional<Values> evaluated(const ir::Graph& graph, const Values& inputs) {
    eval::Float64 domain;
    eval::EvalOptions<eval::Float64> options;
    options.until = until_;
    options.nests = &nests_;
    auto out = eval::outcome_of([&]() -> std::optional<Values> {
      if (rounded_) {  // bytes are within reach of what 16 bits round
        RoundedRun seen = run_rounded(graph, inputs, until_);
        return seen.undefined ? std::nullopt : std::optional(std::move(seen.outputs));
      }
      Values of = eval::evaluate(domain, graph, std::span<const eval::Value<double>>(inputs), options);
      return domain.undefined == 0 ? std::optional(std::move(of)) : std::nullopt;
    });
    return out ? *std::move(out.value) : std::nullopt;
  }

  void compare_at(const TableWay& way, int64_t chunk) {
    const Values all = inputs(way, chunk, true);
    if (compare_with(all)) return;
    compare_with(inputs(way, chunk, false));
    compare_halves(all, 0, kBytes);
  }

  /// False where the first program has no value of some element.
  bool compare_with(const Values& given) {
    const auto left = evaluated(a_, given);
    if (!left) return false;
    const auto right = evaluated(b_, given);
    if (until_.passed()) return true;
    if (!right) {
      out_.difference =
          "only the second side fails: an integer is divided by zero, or a number cast out of "
          "the integer's range";
      return true;
    }
    for (size_t o = 0; o < left->size() && out_.difference.empty(); ++o)
      if ((*left)[o].tensor && (*right)[o].tensor) compare(*(*left)[o].tensor, *(*right)[o].tensor, o, given);
    return true;
  }

  /// One element without a value hides the others of its row: of these places each half is tried alone.
  void compare_halves(const Values& all, int64_t first, int64_t count) {
    for (int64_t at = first; count > 1 && at < first + count; at += count / 2) {
      if (halves_ == 0 || until_.passed() || !out_.difference.empty()) return;
      --halves_;
      if (!compare_with(of_places(all, at, count / 2))) compare_halves(all, at, count / 2);
    }
  }

  /// What stands at these places, at all of them.
  static Values of_places(const Values& all, int64_t first, int64_t count) {
    Values out;
    for (const auto& value : all) {
      eval::Tensor<double> tensor = *value.tensor;
      const auto size = tensor.count();
      for (int64_t e = 0; size > 1 && e < size; ++e)
        tensor.integers[static_cast<size_t>(e)] =
            value.tensor->integers[static_cast<size_t>((e - e % kBytes + first + e % count) % size)];
      out.push_back(eval::make_value(std::move(tensor)));
    }
    return out;
  }

  void compare(const eval::Tensor<double>& x, const eval::Tensor<double>& y, size_t output,
               const Values& given) {
    // What both sides are of, and rounded twice.
    const double tolerance = ir::is_half(y.dtype) ? 4 * ir::spacing_at_one(y.dtype) : 1e-6;
    const auto differ = [&](size_t i, auto left, auto right) {
      out_.difference = fmt::format("output {} at element {}: {} against {} (every value; inputs{})", output,
                                    i, left, right, said(given, i));
    };
    for (size_t i = 0; i < x.integers.size(); ++i) {
      if (x.integers[i] == y.integers[i]) continue;
      if (two_arithmetics_ && !integers_part(a_, b_, given, until_)) break;
      return differ(i, x.integers[i], y.integers[i]);
    }
    for (size_t i = 0; i < x.numbers.size(); ++i) {
      const double l = x.numbers[i], r = y.numbers[i];
      const bool same = l == r || (std::isnan(l) && std::isnan(r)) ||
                        std::abs(l - r) <= tolerance * std::max({1.0, std::abs(l), std::abs(r)});
      if (!same && std::isfinite(l)) return differ(i, l, r);
    }
    out_.compared += x.count();
  }

  /// The elements of the inputs at that place, where it is one of theirs.
  static std::string said(const Values& given, size_t place) {
    std::string out;
    for (const auto& v : given) {
      const std::vector<int64_t>& integers = v.tensor->integers;
      out += fmt::format(" {}", integers[integers.size() == 1 ? 0 : std::min(place, integers.size() - 1)]);
    }
    return out;
  }

  const ir::Graph &a_, &b_;
  int repeats_;
  const Deadline& until_;
  bool rounded_;                              // as ONNX says
  bool two_arithmetics_;                      // one_arithmetic.h
  std::vector<int64_t> parts_;                // of the inputs
  std::vector<std::vector<int64_t>> tables_;  // of the inputs
  std::vector<Turn> turns_;                   // of the inputs, if all combinations of their values are tried
  int64_t places_ = 1, chunks_in_places_ = 1, combined_chunks_ = 0;
  meaning::KnownNests nests_;  // of both, for all chunks
  int halves_ = kMostHalves;   // that may be tried yet
  EveryValue out_;
};

}  // namespace

EveryValue compare_every_value(const ir::Graph& a, const ir::Graph& b, const Deadline& until) {
  REQUIRE(&a.context() == &b.context(), "graphs of one context");
  if (!fits(a) || !fits(b) || !(computes(a) || computes(b))) return {};
  const bool rounds = computes_in_16_bits(a) || computes_in_16_bits(b);
  if (rounds && !(rounds_once(a) && rounds_once(b))) return {};
  const auto is_single = [&](ir::ValueId v) { return ir::element_count(a.type(v).shape) == 1; };
  if (std::ranges::any_of(a.inputs(), is_single)) {
    constexpr int kTurns = 16;
    const auto wide_a = widened(a), wide_b = wide_a ? widened(b) : std::nullopt;
    if (wide_b) return Sweep(*wide_a, *wide_b, kTurns, until).run();
  }
  return Sweep(a, b, 1, until).run();
}

}  // namespace isomer::verify
