// Two layers of a network with a ReLU between them: small enough for a search for muGraphs to find a kernel.
#pragma once

namespace isomer::mugraph {

inline constexpr const char* kTwoLayers = R"(graph {
    %x = input{name="x"} : f32[8,64]
    %w = input{name="w"} : f32[64,16]
    %v = input{name="v"} : f32[16,64]
    %a = matmul(%x, %w) : f32[8,16]
    %r = relu(%a) : f32[8,16]
    %y = matmul(%r, %v) : f32[8,64]
    return %y })";

}  // namespace isomer::mugraph
