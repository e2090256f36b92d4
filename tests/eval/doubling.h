// A loop that is evaluated, and compared.
#pragma once

namespace isomer::eval_test {

/// Doubles two numbers five times; returns how often, and what they are then.
inline constexpr const char* kDoubling = R"(graph { %x = input{name="x"} : f64[2]
    %n = constant : i64[] {0}
    %w = while{condition={
      %i = input{name="i"} : i64[]
      %v = input{name="v"} : f64[2]
      %five = constant : i64[] {5}
      %more = less(%i, %five) : bool[]
      return %more }, body={
      %i = input{name="i"} : i64[]
      %v = input{name="v"} : f64[2]
      %one = constant : i64[] {1}
      %next = add(%i, %one) : i64[]
      %twice = add(%v, %v) : f64[2]
      return %next, %twice }}(%n, %x) : (i64[], f64[2])
    return %w })";

}  // namespace isomer::eval_test
