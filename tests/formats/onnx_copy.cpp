// Reads ONNX models and writes them again, without optimisation. For onnx_roundtrip.py.
//
//   onnx_copy [--print] [--dim name=value] [--external-above BYTES] IN OUT [IN OUT ...]
//   onnx_copy --list FILE      pairs of paths, one a line, separated by a tab; faults do not stop it
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "formats/onnx.h"
#include "ir/op_table.h"
#include "ir/print.h"
#include "support/errors.h"
#include "support/limits.h"

namespace {

using namespace isomer;

struct Options {
  bool print = false;
  formats::OnnxReadOptions read;
  formats::OnnxWriteOptions write;
};

int copy(const std::string& from, const std::string& to, const Options& options) {
  try {
    ir::Context ctx(ir::standard_ops());
    const formats::OnnxModel model = formats::read_onnx(ctx, from, options.read);
    size_t opaque = 0;
    for (size_t i = 0; i < model.graph.size(); ++i)
      opaque += model.graph.def(ir::ValueId(i)).name == "opaque";
    if (options.print) std::cout << ir::print(model.graph);
    formats::write_onnx(model.graph, *model.envelope, to, options.write);
    std::cout << "ok\t" << from << "\t" << model.graph.size() << " values\t" << opaque << " opaque";
    for (const std::string& note : model.notes) std::cout << "\t" << note;
    std::cout << std::endl;
    return 0;
  } catch (const Error& error) {
    std::cout << "error " << static_cast<int>(error.status()) << "\t" << from << "\t" << error.what()
              << std::endl;
    return static_cast<int>(error.status());
  } catch (const std::exception& error) {
    std::cout << "bug\t" << from << "\t" << error.what() << std::endl;
    return 1;
  }
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  std::vector<std::string> paths;
  int worst = 0;
  for (int i = 1; i < argc; ++i) {
    const std::string arg = argv[i];
    const auto value = [&] { return std::string(i + 1 < argc ? argv[++i] : ""); };
    if (arg == "--print") {
      options.print = true;
    } else if (arg == "--dim") {
      const std::string dim = value();
      const size_t equal = dim.rfind('=');
      options.read.dims[dim.substr(0, equal)] = std::atoll(dim.substr(equal + 1).c_str());
    } else if (arg == "--external-above") {
      options.write.external_above = std::atoll(value().c_str());
    } else if (arg == "--list") {
      std::ifstream list(value());
      for (std::string from, to; std::getline(list, from, '\t') && std::getline(list, to);)
        paths.insert(paths.end(), {from, to});
    } else {
      paths.push_back(arg);
    }
  }
  for (size_t i = 0; i + 1 < paths.size(); i += 2)
    worst = std::max(worst, copy(paths[i], paths[i + 1], options));
  return worst;
}
