// Programs of one kernel that are run by schedule, and compiled.
#pragma once

namespace isomer::eval_test {

/// Two outputs of threads, of which one is finished after a loop of their own: means of squares, roots of
/// them.
inline constexpr const char* kThreadsOfABlock = R"(graph {
    %x = input{name="x"} : f32[4,6]
    %k = kernel{body={
      %a = input{name="a"} : f32[2,6]
      %t = threads{body={
        %b = input{name="b"} : f32[1,3]
        %s = mirage.square(%b) : f32[1,3]
        %m = accum.mean{iterations=2}(%s) : f32[1,1]
        %r = accum.rms{iterations=2}(%b) : f32[1,1]
        return %m, %r
      }, grid=[2,1,1], loops=[2], imap=[0,-1,-1], fmap=[1], omap=[0,-1,-1,0,-1,-1]}(%a) : (f32[2,1], f32[2,1])
      %m = get{index=0}(%t) : f32[2,1]
      %r = get{index=1}(%t) : f32[2,1]
      %am = accum.add(%m) : f32[2,1]
      %ar = accum.max(%r) : f32[2,1]
      return %am, %ar
    }, grid=[2,1,1], imap=[0,-1,-1], fmap=[-1], omap=[0,-1,-1,0,-1,-1]}(%x) : (f32[4,1], f32[4,1])
    %m = get{index=0}(%k) : f32[4,1]
    %r = get{index=1}(%k) : f32[4,1]
    return %m, %r })";

}  // namespace isomer::eval_test
