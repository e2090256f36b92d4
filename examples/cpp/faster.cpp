// faster MODEL.onnx FASTER.onnx: what the command does, from C++.
#include <isomer/isomer.h>

#include <exception>
#include <iostream>

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: faster MODEL.onnx FASTER.onnx\n";
    return 2;
  }
  isomer::OptimizeOptions options;
  options.input = argv[1];
  options.output = argv[2];
  options.time_limit = 10;
  try {
    const isomer::OptimizeResult result = isomer::optimize(options);
    std::cout << "isomer " << isomer::version() << ": " << result.nodes_before << " operators, then "
              << result.nodes_after << "; " << result.speedup << " times as fast\n";
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
