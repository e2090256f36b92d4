// Programs of one kernel with a schedule, as text: what tests of graphics processors have in common.
#pragma once

#include <fmt/format.h>

#include <string>

namespace isomer::codegen::kernel_graphs {

/// X W and, if `norm`, divided by the root of the mean square of X's rows, in blocks of so many columns.
inline std::string product(const std::string& dtype, int rows, bool norm, int columns = 32) {
  const auto type = [&](int a, int b) { return fmt::format("{}[{},{}]", dtype, a, b); };
  const std::string tile = type(rows, columns);
  std::string after = "return %s";
  if (norm)
    after = fmt::format(
        "%r = accum.rms{{iterations=4}}(%a) : {}\n %w = broadcast{{shape=[{},{}]}}(%r) : {}\n %d = div(%s, "
        "%w) : {}\n"
        "return %d",
        type(rows, 1), rows, columns, tile, tile);
  return fmt::format(R"(graph {{
    %x = input{{name="x"}} : {}
    %w = input{{name="w"}} : {}
    %k = kernel{{body={{
      %a = input{{name="a"}} : {}
      %b = input{{name="b"}} : {}
      %m = matmul(%a, %b) : {}
      %s = accum.add(%m) : {}
      {}
    }}, grid=[{},1,1], loops=[4], imap=[-1,-1,-1,1,-1,-1], fmap=[1,0], omap=[1,-1,-1]}}(%x, %w) : {}
    return %k }})",
                     type(rows, 128), type(128, 64), type(rows, 32), type(32, columns), tile, tile, after,
                     64 / columns, type(rows, 64));
}

/// softmax(Q K) V of two heads, without its maximum: in each of three iterations 16 keys.
inline std::string attention(const std::string& dtype, int queries) {
  const auto type = [&](int a, int b) { return fmt::format("{}[1,{},{}]", dtype, a, b); };
  const auto whole = [&](int a, int b) { return fmt::format("{}[2,{},{}]", dtype, a, b); };
  return fmt::format(R"(graph {{
    %q = input{{name="q"}} : {}
    %k = input{{name="k"}} : {}
    %v = input{{name="v"}} : {}
    %o = kernel{{body={{
      %a = input{{name="a"}} : {}
      %b = input{{name="b"}} : {}
      %c = input{{name="c"}} : {}
      %s = matmul(%a, %b) : {}
      %e = exp(%s) : {}
      %n = accum.sum(%e) : {}
      %p = matmul(%e, %c) : {}
      %t = accum.add(%p) : {}
      %u = broadcast{{shape=[1,{},16]}}(%n) : {}
      %y = div(%t, %u) : {}
      return %y
    }}, grid=[2,1,1], loops=[3], imap=[0,-1,-1,0,-1,-1,0,-1,-1], fmap=[-1,2,1], omap=[0,-1,-1]}}(%q, %k, %v)
      : {}
    return %o }})",
                     whole(queries, 16), whole(16, 48), whole(48, 16), type(queries, 16), type(16, 16),
                     type(16, 16), type(queries, 16), type(queries, 16), type(queries, 1), type(queries, 16),
                     type(queries, 16), queries, type(queries, 16), type(queries, 16), whole(queries, 16));
}

/// The same as it is safe: the largest product so far is kept, and sums are taken again with a larger one.
inline std::string online_attention(const std::string& dtype, int queries) {
  const auto type = [&](int a, int b) { return fmt::format("{}[1,{},{}]", dtype, a, b); };
  std::string out = attention(dtype, queries);
  const auto replace = [&](const std::string& what, const std::string& by) {
    out.replace(out.find(what), what.size(), by);
  };
  const std::string scores = type(queries, 16), row = type(queries, 1);
  replace(fmt::format("%e = exp(%s) : {}", scores),
          fmt::format("%m = accum.running_max(%s) : {0}\n%w = broadcast{{shape=[1,{1},16]}}(%m) : {2}\n"
                      "%d = sub(%s, %w) : {2}\n%e = exp(%d) : {2}",
                      row, queries, scores));
  replace("accum.sum(%e)", "accum.sum_rescale(%e, %m)");
  replace("accum.add(%p)", "accum.rescale(%p, %m)");
  return out;
}

/// Rows divided by their sum, over two loops, whose tiles lie side by side.
inline std::string two_loops(const std::string& dtype) {
  const auto type = [&](int a, int b) { return fmt::format("{}[{},{}]", dtype, a, b); };
  return fmt::format(R"(graph {{
    %x = input{{name="x"}} : {}
    %k = kernel{{body={{
      %a = input{{name="a"}} : {}
      %e = exp(%a) : {}
      %t = accum.concat{{axis=1, iterations=6}}(%e) : {}
      %r = reduce_sum{{axes=[1], keepdims=1}}(%t) : {}
      %w = broadcast{{shape=[8,96]}}(%r) : {}
      %d = div(%t, %w) : {}
      return %d
    }}, grid=[2,1,1], loops=[3,2], imap=[0,-1,-1], fmap=[1,1], omap=[0,-1,-1]}}(%x) : {}
    return %k }})",
                     type(16, 96), type(8, 16), type(8, 16), type(8, 96), type(8, 1), type(8, 96),
                     type(8, 96), type(16, 96));
}

/// Attention of which each kernel has some of the keys, and a second one puts the parts together.
inline std::string two_kernels(const std::string& dtype, int queries) {
  const auto type = [&](const char* format, auto... n) {
    return dtype + fmt::format(fmt::runtime(format), n...);
  };
  const std::string tile = type("[1,{},16]", queries), row = type("[1,{},1]", queries);
  return fmt::format(R"(graph {{
    %q = input{{name="q"}} : {0}
    %k = input{{name="k"}} : {1}
    %v = input{{name="v"}} : {2}
    %p = kernel{{body={{
      %a = input{{name="a"}} : {3}
      %b = input{{name="b"}} : {4}
      %c = input{{name="c"}} : {4}
      %s = matmul(%a, %b) : {3}
      %e = exp(%s) : {3}
      %n = accum.sum(%e) : {5}
      %m = matmul(%e, %c) : {3}
      %t = accum.add(%m) : {3}
      return %t, %n
    }}, grid=[2,2,1], loops=[2], imap=[0,-1,-1,0,2,-1,0,1,-1], fmap=[-1,2,1],
      omap=[0,2,-1,0,2,-1]}}(%q, %k, %v) : ({6}, {7})
    %t = get{{index=0}}(%p) : {6}
    %n = get{{index=1}}(%p) : {7}
    %o = kernel{{body={{
      %a = input{{name="a"}} : {3}
      %b = input{{name="b"}} : {5}
      %s = accum.add(%a) : {3}
      %z = accum.add(%b) : {5}
      %w = broadcast{{shape=[1,{8},16]}}(%z) : {3}
      %y = div(%s, %w) : {3}
      return %y
    }}, grid=[2,1,1], loops=[2], imap=[0,-1,-1,0,-1,-1], fmap=[2,2], omap=[0,-1,-1]}}(%t, %n) : {0}
    return %o }})",
                     type("[2,{},16]", queries), type("[2,16,64]"), type("[2,64,16]"), tile,
                     type("[1,16,16]"), row, type("[2,{},32]", queries), type("[2,{},2]", queries), queries);
}

/// A kernel beside ordinary operators: a product of so many rows before it, one after it, and a residual.
inline std::string among_operators(const std::string& dtype, int rows) {
  const auto type = [&](int a, int b) { return fmt::format("{}[{},{}]", dtype, a, b); };
  std::string out = product(dtype, rows, true);
  const auto replace = [&](const std::string& what, const std::string& by) {
    out.replace(out.find(what), what.size(), by);
  };
  replace(fmt::format("%x = input{{name=\"x\"}} : {}", type(rows, 128)),
          fmt::format("%z = input{{name=\"z\"}} : {0}\n%y = input{{name=\"y\"}} : {1}\n"
                      "%x = matmul(%z, %y) : {0}",
                      type(rows, 128), type(128, 128)));
  replace("return %k }", fmt::format("%u = input{{name=\"u\"}} : {0}\n%v = matmul(%k, %u) : {1}\n"
                                     "%o = add(%v, %x) : {1}\nreturn %o }}",
                                     type(64, 128), type(rows, 128)));
  return out;
}

}  // namespace isomer::codegen::kernel_graphs
