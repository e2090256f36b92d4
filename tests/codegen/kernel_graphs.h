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

}  // namespace isomer::codegen::kernel_graphs
