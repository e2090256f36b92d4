// Type rules over named sizes: each against itself at numbers, at every size of the names from 0 to 5 at
// which it accepts these; and what their formulas look like.
#include <gtest/gtest.h>

#include <array>

#include "ir/op_case.h"
#include "ir/size_formula.h"

namespace isomer::ir {
namespace {

class NamedTypes : public OpCase {
 protected:
  using Attrs = std::vector<NamedAttr>;
  /// Attributes; those that are shapes in words, since they change with the sizes.
  struct Case {
    std::string op;
    std::vector<std::string> operands;
    Attrs attrs;
    std::string result;
    std::string shape = {};  ///< of attribute "shape"
  };

  static Size put(const Context& ctx, const Size& size, const Values& values) {
    return size.with([&](SymbolId s) {
      const auto it = values.find(ctx.get(s));
      if (it == values.end()) ADD_FAILURE() << "a size of its own: " << ctx.get(s);
      return Size(it == values.end() ? 0 : it->second);
    });
  }
  std::string type(const Case& c, const Values& values) {
    std::vector<std::string> operands;
    for (const std::string& o : c.operands) operands.push_back(with_sizes(o, values));
    Attrs attrs = c.attrs;
    if (!c.shape.empty()) attrs.push_back({"shape", parse_shape(ctx, with_sizes(c.shape, values))});
    return type_of(c.op, operands, attrs);
  }
  /// The printed type with sizes in the place of names.
  std::string sized(const std::string& printed, const Values& values) {
    const size_t open = printed.find('[');
    std::string out = printed.substr(0, open + 1), item;
    int depth = 0;
    for (char c : printed.substr(open + 1)) {
      if (depth > 0 || (c != ',' && c != ']')) {
        depth += c == '(' ? 1 : c == ')' ? -1 : 0;
        item += c;
        continue;
      }
      if (!item.empty() && !std::isdigit(static_cast<unsigned char>(item[0])))
        item = std::to_string(put(ctx, size_of(ctx, parse_dim(ctx, item)), values).number());
      else if (item.find_first_of("+-*/") != std::string::npos)
        item = std::to_string(put(ctx, size_of(ctx, parse_dim(ctx, item)), values).number());
      out += item + c;
      item.clear();
    }
    return out;
  }
  void check(const Case& c) {
    const std::string named = type(c, {});
    EXPECT_EQ(named, c.result) << c.op;
    if (named.starts_with("error") || named.find("size#") != std::string::npos) return;
    int accepted = 0;
    for (int64_t n = 0; n < 6; ++n)
      for (int64_t m = 0; m < 6; ++m) {
        const Values values = {{"N", n}, {"M", m}};
        const std::string plain = type(c, values);
        if (plain.starts_with("error")) continue;
        ++accepted;
        EXPECT_EQ(sized(named, values), plain) << c.op << " " << named << " at N=" << n << " M=" << m;
      }
    EXPECT_GT(accepted, 0) << c.op;
  }
  static Attrs window(Ints strides, Ints dilations, Ints pads) {
    return {{"strides", strides}, {"dilations", dilations}, {"pads", pads}};
  }
  static Attrs pool(Ints kernel, Ints strides, Ints pads, int64_t ceil) {
    return {{"kernel", kernel},
            {"strides", strides},
            {"dilations", Ints(kernel.size(), 1)},
            {"pads", pads},
            {"ceil_mode", ceil}};
  }
  static Attrs sliced(int64_t start, int64_t end, int64_t step) {
    return {{"axes", Ints{0}}, {"starts", Ints{start}}, {"ends", Ints{end}}, {"steps", Ints{step}}};
  }
};

TEST_F(NamedTypes, Movement) {
  const Attrs axis0 = {{"axis", int64_t{0}}};
  check({"concat", {"f32[N,3]", "f32[M,3]"}, axis0, "f32[N+M,3]"});
  check({"concat", {"f32[N,3]", "f32[N,3]", "f32[4,3]"}, axis0, "f32[2*N+4,3]"});
  check({"concat",
         {"f32[N,3]", "f32[N,M]"},
         axis0,
         "error: concat: expected operands that differ in axis 0 only, got [N,3] and [N,M]"});
  check({"tile", {"f32[N,M]"}, {{"repeats", Ints{3, 0}}}, "f32[3*N,0]"});
  check({"upsample", {"f32[N,M]"}, {{"factors", Ints{2, 1}}}, "f32[2*N,M]"});
  check({"depth_to_space", {"f32[N,8,M,3]"}, {{"blocksize", int64_t{2}}}, "f32[N,2,2*M,6]"});
  check({"depth_to_space", {"f32[1,N,2,3]"}, {{"blocksize", int64_t{2}}}, "f32[1,(N/4),4,6]"});
  check({"space_to_depth", {"f32[N,3,M,4]"}, {{"blocksize", int64_t{2}}}, "f32[N,12,(M/2),2]"});
  check({"gather", {"f32[5,N]", "i64[M,2]"}, axis0, "f32[M,2,N]"});
  check({"broadcast", {"f32[N,1]"}, {}, "f32[M,N,7]", "[M,N,7]"});
  check({"transpose", {"f32[N,M,3]"}, {{"perm", Ints{2, 0, 1}}}, "f32[3,N,M]"});
}

TEST_F(NamedTypes, ReshapesKeepTheNumberOfElements) {
  check({"reshape", {"f32[N,M,384]"}, {}, "f32[N,M,6,64]", "[N,M,6,64]"});
  check({"reshape", {"f32[197,N,384]"}, {}, "f32[197,6*N,64]", "[197,6*N,64]"});
  check({"reshape", {"f32[N,M]"}, {}, "f32[M,N]", "[M,N]"});
  check({"reshape", {"f32[N,M,2]"}, {}, "f32[2*N*M]", "[2*N*M]"});
  check({"reshape",
         {"f32[N,M]"},
         {},
         "error: reshape: expected a shape with as many elements as [N,M], got [N,N]",
         "[N,N]"});
}

TEST_F(NamedTypes, Slices) {
  constexpr int64_t kEnd = INT64_MAX, kBegin = INT64_MIN;
  check({"slice", {"f32[N,3]"}, sliced(0, kEnd, 1), "f32[N,3]"});
  check({"slice", {"f32[N,3]"}, sliced(0, 2, 1), "f32[min(N,2),3]"});
  check({"slice", {"f32[N,3]"}, sliced(1, kEnd, 1), "f32[N-min(N,1),3]"});
  check({"slice", {"f32[N,3]"}, sliced(-2, kEnd, 1), "f32[min(N,2),3]"});
  check({"slice", {"f32[N,3]"}, sliced(0, -1, 1), "f32[N-min(N,1),3]"});
  check({"slice", {"f32[N,3]"}, sliced(2, 1, 1), "f32[0,3]"});
  check({"slice", {"f32[N,3]"}, sliced(0, kEnd, 2), "f32[((N+1)/2),3]"});
  check({"slice", {"f32[N,3]"}, sliced(-1, kBegin, -1), "f32[N,3]"});
  int spelled = 0, all = 0;
  for (int64_t start : {-7, -3, -1, 0, 1, 4, 9})
    for (int64_t end : {-9, -2, -1, 0, 2, 3, 8})
      for (int64_t step : {-3, -2, -1, 1, 2, 3}) {
        const Case c{"slice", {"f32[N,3]"}, sliced(start, end, step), ""};
        check({"slice", c.operands, c.attrs, type(c, {})});
        spelled += type(c, {}).find("size#") == std::string::npos;
        ++all;
      }
  EXPECT_GT(spelled, all * 0.9) << "formulas too long to be spelled out are names that say nothing";
}

TEST_F(NamedTypes, Pads) {
  check({"pad", {"f32[N,M]"}, {{"pads", Ints{1, 0, 2, 0}}}, "f32[N+3,M]"});
  check({"pad", {"f32[N,M]"}, {{"pads", Ints{-2, 0, 1, 4}}}, "f32[N-1,M+4]"});
  check({"pad", {"f32[N,M]"}, {{"pads", Ints{0, 1, 0, 1}}, {"mode", std::string("reflect")}}, "f32[N,M+2]"});
  check({"pad",
         {"f32[N]"},
         {{"pads", Ints{INT64_MAX, INT64_MAX}}},
         "error: pad: pads 9223372036854775807 and 9223372036854775807 cut more than dimension 0 has"});
}

TEST_F(NamedTypes, Windows) {
  check({"conv",
         {"f32[N,3,M,9]", "f32[8,3,3,3]"},
         window({2, 2}, {1, 1}, {1, 1, 1, 1}),
         "f32[N,8,((M+1)/2),5]"});
  check({"conv", {"f32[N,3,M]", "f32[8,3,3]"}, window({1}, {1}, {0, 0}), "f32[N,8,M-2]"});
  check({"conv", {"f32[N,3,M]", "f32[8,3,3]"}, window({1}, {2}, {2, 2}), "f32[N,8,M]"});
  check({"max_pool", {"f32[N,3,M]"}, pool({3}, {2}, {1, 1}, 0), "f32[N,3,((M+1)/2)]"});
  for (int64_t kernel = 1; kernel < 4; ++kernel)
    for (int64_t stride = 1; stride < 4; ++stride)
      for (int64_t begin = 0; begin < kernel; ++begin)
        for (int64_t end = 0; end < kernel; ++end)
          for (int64_t ceil = 0; ceil < 2; ++ceil) {
            const Case c{"max_pool", {"f32[N,3,M]"}, pool({kernel}, {stride}, {begin, end}, ceil), ""};
            check({c.op, c.operands, c.attrs, type(c, {})});
          }
  Attrs transposed = window({3}, {1}, {1, 0});
  transposed.push_back({"output_padding", Ints{1}});
  check({"conv_transpose", {"f32[N,4,M]", "f32[4,5,3]"}, transposed, "f32[N,5,3*M]"});
}

TEST_F(NamedTypes, SizesBeyondWhatIsHeldAreRefused) {
  constexpr int64_t kFar = INT64_MAX;
  const auto refused = [&](const Case& c) { EXPECT_TRUE(type(c, {}).starts_with("error")) << c.op; };
  refused({"tile", {"f32[2*N]"}, {{"repeats", Ints{kFar}}}, ""});
  refused({"upsample", {"f32[8]"}, {{"factors", Ints{kFar}}}, ""});
  refused({"conv", {"f32[N,3,M]", "f32[8,3,3]"}, window({1}, {kFar}, {kFar, kFar}), ""});
  refused({"max_pool", {"f32[N,3,M]"}, pool({kFar}, {1}, {0, 0}, 0), ""});
}

TEST_F(NamedTypes, NothingIsThrownWhereADraftOfAFormulaDoesNotFit) {
  check({"slice", {"f32[N,3]"}, sliced(INT64_MAX, INT64_MIN, -1), "f32[N,3]"});
  check({"slice", {"f32[N,3]"}, sliced(INT64_MIN, INT64_MAX, 1), "f32[N,3]"});
  check({"slice", {"f32[N,3]"}, sliced(INT64_MAX, INT64_MAX, INT64_MAX), "f32[0,3]"});
  check({"slice", {"f32[5,3]"}, sliced(0, 5, INT64_MAX), "f32[1,3]"});
  const Size n = Size::named(ctx.symbol("N")), m = Size::named(ctx.symbol("M"));
  Builder b(ctx);
  const ValueId x = b.input("x", ctx.tensor_type(DType::kF32, {dim_of(ctx, min(n, 4 * m))}));
  const OpId tile = ctx.ops().at("tile");
  ValueId out;
  for (const int64_t repeats : {int64_t{2}, INT64_MAX / 2})
    EXPECT_TRUE(b.try_add(tile, b.make_payload(tile, {{"repeats", Ints{repeats}}}), std::array{x}, out));
}

TEST_F(NamedTypes, FormulasAreReadAsTheyAreWritten) {
  for (const char* text : {"2*N*M+3", "((N+1)/2)", "N-min(N,1)", "min(N,2)", "3*N*(M/2)-4", "-N+M"}) {
    const Dim dim = parse_dim(ctx, text);
    EXPECT_EQ(print(ctx, size_of(ctx, dim)), text == std::string("-N+M") ? "M-N" : text);
    EXPECT_TRUE(dim.same(parse_dim(ctx, print(ctx, size_of(ctx, dim)))));
  }
  EXPECT_EQ(ctx.formula(parse_dim(ctx, "N(").symbol()), nullptr) << "a name that is no formula";
  EXPECT_EQ(ctx.formula(parse_dim(ctx, "x:0").symbol()), nullptr);
}

TEST_F(NamedTypes, NamesFromOutsideStandForThemselves) {
  const Size k = Size::named(ctx.symbol("K"));
  const SymbolId given = own_name(ctx, "K+1");
  EXPECT_FALSE(dim_of(ctx, k + 1).same(Dim::symbol(given)));
  EXPECT_EQ(own_name(ctx, "K+1"), given);
  const Dim twice = dim_of(ctx, 2 * k);
  const SymbolId later = own_name(ctx, "2*K");
  EXPECT_FALSE(twice.same(Dim::symbol(later)));
  EXPECT_TRUE(size_of(ctx, Dim::symbol(later)).identical(Size::named(later)));
  EXPECT_TRUE(size_of(ctx, twice).identical(2 * k));
  EXPECT_EQ(own_name(ctx, "2*K"), later);
}

}  // namespace
}  // namespace isomer::ir
