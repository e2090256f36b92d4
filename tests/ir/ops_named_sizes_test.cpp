// Nests over named sizes against nests at numbers: in the case that the numbers belong to, every extent,
// index and constant is the same.
#include <gtest/gtest.h>

#include "ir/op_case.h"
#include "ir/size_case.h"
#include "support/rng.h"

namespace isomer::ir {
namespace {

class NamedSizes : public OpCase {
 protected:
  using Attrs = std::vector<NamedAttr>;

  static Size put(const Size& size, const Context& ctx, const Values& values) {
    return size.with([&](SymbolId s) { return Size(values.at(ctx.get(s))); });
  }
  static bool holds(const SizeFacts& facts, const Context& ctx, const Values& values) {
    for (const auto& [size, signs] : facts.given()) {
      const int64_t x = put(size, ctx, values).number();
      if ((signs & (x < 0 ? kNegative : x == 0 ? kZero : kPositive)) == 0) return false;
    }
    return true;
  }
  int64_t evaluate(const IndexExpr& e, const std::vector<int64_t>& vars, const Values& values) {
    using Kind = IndexExpr::Kind;
    switch (e.kind()) {
      case Kind::kConst: return put(e.size(), ctx, values).number();
      case Kind::kVar: return vars[static_cast<size_t>(e.value())];
      case Kind::kAdd: return evaluate(e.lhs(), vars, values) + evaluate(e.rhs(), vars, values);
      case Kind::kMin: return std::min(evaluate(e.lhs(), vars, values), evaluate(e.rhs(), vars, values));
      case Kind::kMax: return std::max(evaluate(e.lhs(), vars, values), evaluate(e.rhs(), vars, values));
      case Kind::kLoad: return e.value() + 1000 * put(e.size(), ctx, values).number();
      default: break;
    }
    const int64_t a = evaluate(e.lhs(), vars, values), b = put(e.size(), ctx, values).number();
    if (e.kind() == Kind::kMulConst) return a * b;
    if (b == 0) return -1;  // of no elements
    const int64_t mod = ((a % b) + b) % b;
    return e.kind() == Kind::kMod ? mod : (a - mod) / b;
  }
  std::vector<int64_t> constants(const ScalarExpr& e, const Values& values) {
    std::vector<int64_t> out;
    for (const auto& in : e.code()) {
      if (in.op == ScalarOp::kIntConst) out.push_back(in.integer);
      if (in.op == ScalarOp::kSize) out.push_back(put(in.size, ctx, values).number());
      if (in.op == ScalarOp::kConst) out.push_back(static_cast<int64_t>(in.value));
    }
    return out;
  }
  void expect_same(const LoopNest& named, const LoopNest& plain, const Values& values) {
    const auto sizes = [&](const std::vector<Size>& from) {
      std::vector<int64_t> out;
      for (const Size& s : from) out.push_back(put(s, ctx, values).number());
      return out;
    };
    ASSERT_EQ(sizes(named.space), numbers(plain.space));
    ASSERT_EQ(sizes(named.reduce), numbers(plain.reduce));
    ASSERT_EQ(named.reads.size(), plain.reads.size());
    EXPECT_EQ(constants(named.result, values), constants(plain.result, values));
    std::vector<int64_t> extents = numbers(plain.space);
    for (const Size& s : plain.reduce) extents.push_back(s.number());
    for (int64_t e : extents)
      if (e == 0) return;
    for (int point = 0; point < 20; ++point) {
      std::vector<int64_t> vars;
      for (int64_t e : extents) vars.push_back(rng_.between(0, e - 1));
      for (size_t r = 0; r < named.reads.size(); ++r)
        for (size_t d = 0; d < named.reads[r].index.size(); ++d)
          ASSERT_EQ(evaluate(named.reads[r].index[d], vars, values),
                    evaluate(plain.reads[r].index[d], vars, values));
    }
  }

  /// At all sizes from 0 to 5 of the names. How many cases there are.
  size_t check(const std::string& op, const std::vector<std::string>& operands,
               const std::function<Attrs(const Values&)>& attrs, const std::vector<std::string>& names) {
    std::vector<std::vector<LoopNest>> nests;
    const auto cases = for_each_case([&] { nests.push_back(nests_of(op, operands, attrs({}))); });
    EXPECT_TRUE(cases) << op;
    if (!cases) return 0;
    int64_t points = 1;
    for (size_t i = 0; i < names.size(); ++i) points *= 6;
    for (int64_t p = 0; p < points; ++p) {
      Values values;
      for (int64_t rest = p; const std::string& name : names) values[name] = rest % 6, rest /= 6;
      std::vector<std::string> at;
      for (const std::string& o : operands) at.push_back(with_sizes(o, values));
      if (type_of(op, at, attrs(values)).starts_with("error")) continue;
      size_t found = 0;
      for (size_t c = 0; c < cases->size(); ++c) {
        if (!holds((*cases)[c], ctx, values)) continue;
        ++found;
        const auto plain = nests_of(op, at, attrs(values));
        EXPECT_EQ(plain.size(), nests[c].size());
        for (size_t n = 0; n < plain.size(); ++n) expect_same(nests[c][n], plain[n], values);
      }
      EXPECT_EQ(found, 1u) << op << " at point " << p << ": each size belongs to one case";
    }
    return cases->size();
  }
  Shape shape(const std::string& text, const Values& values) {
    return parse_shape(ctx, with_sizes(text, values));
  }
  Rng rng_{17};
};

TEST_F(NamedSizes, NestsAreThoseAtNumbers) {
  const auto none = [](const Values&) { return Attrs{}; };
  EXPECT_EQ(check("add", {"f32[N,M]", "f32[N,M]"}, none, {"N", "M"}), 1u);
  EXPECT_EQ(check("matmul", {"f32[B,N,K]", "f32[K,M]"}, none, {"B", "N", "K", "M"}), 1u);
  EXPECT_EQ(check("transpose", {"f32[N,M,3]"}, [](const Values&) { return Attrs{{"perm", Ints{2, 0, 1}}}; },
                  {"N", "M"}),
            1u);
  EXPECT_EQ(
      check("reduce_mean", {"f32[N,M]"}, [](const Values&) { return Attrs{{"axes", Ints{1}}}; }, {"N", "M"}),
      1u);
  EXPECT_EQ(check("concat", {"f32[N,3]", "f32[N,5]"},
                  [](const Values&) { return Attrs{{"axis", int64_t{1}}}; }, {"N"}),
            1u);
  EXPECT_EQ(check("reshape", {"f32[N,6]"},
                  [&](const Values& v) { return Attrs{{"shape", shape("[2,N,3]", v)}}; }, {"N"}),
            1u);
  EXPECT_EQ(
      check("cumsum", {"f32[N,M]"},
            [](const Values&) { return Attrs{{"axis", int64_t{0}}, {"reverse", int64_t{1}}}; }, {"N", "M"}),
      1u);
  EXPECT_EQ(check("gather", {"f32[N,M]", "i64[K]"}, [](const Values&) { return Attrs{{"axis", int64_t{0}}}; },
                  {"N", "M", "K"}),
            1u);
  EXPECT_EQ(check("slice", {"f32[N,8]"},
                  [](const Values&) {
                    return Attrs{{"axes", Ints{0, 1}},
                                 {"starts", Ints{0, 2}},
                                 {"ends", Ints{INT32_MAX, -1}},
                                 {"steps", Ints{1, 2}}};
                  },
                  {"N"}),
            1u);
  EXPECT_EQ(check("max_pool", {"f32[N,M,7,7]"},
                  [](const Values&) {
                    return Attrs{{"kernel", Ints{3, 3}},
                                 {"strides", Ints{2, 1}},
                                 {"dilations", Ints{1, 1}},
                                 {"pads", Ints{1, 0, 1, 0}}};
                  },
                  {"N", "M"}),
            1u);
}

/// Where the result's sizes are formulas.
TEST_F(NamedSizes, NestsOfFormulasAreThoseAtNumbers) {
  const auto axis0 = [](const Values&) { return Attrs{{"axis", int64_t{0}}}; };
  EXPECT_EQ(check("concat", {"f32[N,3]", "f32[M,3]", "f32[2,3]"}, axis0, {"N", "M"}), 1u);
  EXPECT_EQ(
      check("tile", {"f32[N,M]"}, [](const Values&) { return Attrs{{"repeats", Ints{3, 2}}}; }, {"N", "M"}),
      1u);
  EXPECT_EQ(check("reshape", {"f32[N,M,6]"},
                  [&](const Values& v) { return Attrs{{"shape", shape("[M,2,N,3]", v)}}; }, {"N", "M"}),
            1u);
  EXPECT_EQ(check("pad", {"f32[N,M]"}, [](const Values&) { return Attrs{{"pads", Ints{-1, 2, 3, 0}}}; },
                  {"N", "M"}),
            1u);
  for (const auto& [start, end, step] :
       std::vector<std::tuple<int64_t, int64_t, int64_t>>{{1, INT32_MAX, 1}, {-3, 4, 1}, {-1, -9, -2}}) {
    const auto attrs = [start = start, end = end, step = step](const Values&) {
      return Attrs{{"axes", Ints{0}}, {"starts", Ints{start}}, {"ends", Ints{end}}, {"steps", Ints{step}}};
    };
    EXPECT_GT(check("slice", {"f32[N,3]"}, attrs, {"N"}), 1u);
  }
  const auto window = [](const Values&) {
    return Attrs{{"strides", Ints{2, 1}}, {"dilations", Ints{1, 2}}, {"pads", Ints{1, 0, 1, 0}}};
  };
  EXPECT_EQ(check("conv", {"f32[1,2,N,M]", "f32[2,2,3,2]"}, window, {"N", "M"}), 1u);
  EXPECT_EQ(check("depth_to_space", {"f32[1,N,M,2]"},
                  [](const Values&) { return Attrs{{"blocksize", int64_t{2}}}; }, {"N", "M"}),
            1u);
}

/// Whether a dimension is repeated hangs on its size: two nests.
TEST_F(NamedSizes, BroadcastsAreToldApart) {
  EXPECT_EQ(check("broadcast", {"f32[1,M]"},
                  [&](const Values& v) { return Attrs{{"shape", shape("[N,M]", v)}}; }, {"N", "M"}),
            2u);
  EXPECT_EQ(check("broadcast", {"f32[N,1]"},
                  [&](const Values& v) { return Attrs{{"shape", shape("[2,N,M]", v)}}; }, {"N", "M"}),
            2u);
}

}  // namespace
}  // namespace isomer::ir
