// The beginning of the modules of cases: what their reductions apply.
#pragma once

namespace isomer::passes {

constexpr const char* kReducers = R"(HloModule m

sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = f32[] add(a, b)
}

most {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = f32[] maximum(a, b)
}

)";

}  // namespace isomer::passes
